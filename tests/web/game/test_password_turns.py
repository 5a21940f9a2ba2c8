"""Many who log in at the same moment, and pages meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from dataclasses import replace

import httpx
import pytest
from anyio import to_thread

from sudare.web.http import security
from sudare.web.http.app import make_app
from sudare.web.http.requests import FORM_COOKIE, PASSWORD_TURNS
from tests.web.parts import CHEAP
from tests.web.small_contest import PASSWORD, SmallContest

pytestmark = pytest.mark.parametrize("settings", ["sqlite"], indirect=True)


class SlowHasher:
    """Hashes of passwords that take until they are let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun: Counter[str] = Counter()

    def verify(self, kept: str, password: str) -> bool:
        self.begun[password] += 1
        assert self.go.wait(60)
        return CHEAP.verify(kept, password)


def test_pages_do_not_wait_for_those_who_log_in(small: SmallContest, monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = SlowHasher()
    monkeypatch.setattr(security, "_hasher", hasher)
    app = make_app(replace(small.settings, account_failures=1000, address_failures=1000))

    async def browse() -> list[int]:
        many = int(to_thread.current_default_thread_limiter().total_tokens) + 5
        form = {"csrf": "secret", "login": "blue", "password": PASSWORD}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here", timeout=60) as client:
            client.cookies.set(FORM_COOKIE, "secret")
            waiting = [asyncio.create_task(client.post("/login", data=form)) for _ in range(many)]
            while hasher.begun[PASSWORD] < PASSWORD_TURNS:
                await asyncio.sleep(0.01)
            async with asyncio.timeout(30):
                assert (await client.get("/login")).status_code == 200
            assert hasher.begun[PASSWORD] == PASSWORD_TURNS
            hasher.go.set()
            return [(await answer).status_code for answer in waiting]

    assert set(asyncio.run(browse())) == {303}
    app.state.server.database.close()
