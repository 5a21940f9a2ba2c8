"""Requests at the edges: odd paths, HEAD, huge numbers, large rules, a locked database."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from sudare.web.game.contests import MOST_RULES_BYTES, ContestPlan, make_contest
from sudare.web.http.app import make_app
from sudare.web.settings import DATABASE_FILE
from sudare.web.storage.people import User
from tests.web.conftest import Masters, RunningServer, csrf, log_in, new_settings
from tests.web.small_contest import SmallContest, anonymized

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory, masters: Masters) -> Iterator[SmallContest]:
    small = masters.copy_contest(new_settings(tmp_path_factory.mktemp("edges") / "server"))
    yield small
    small.database.close()


@pytest.fixture(scope="module")
def server(contest: SmallContest) -> Iterator[RunningServer]:
    running = RunningServer(contest.settings)
    running.start("web")
    yield running
    running.stop()


@pytest.mark.parametrize("path", ["//evil.example/", "//evil.example/x", "///evil.example"])
def test_links_of_an_error_page_stay_on_this_server(contest: SmallContest, path: str) -> None:
    app = make_app(contest.settings)

    async def ask() -> str:
        found: list[bytes] = []

        async def send(message: dict[str, object]) -> None:
            found.append(message.get("body", b""))  # type: ignore[arg-type]

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b""}

        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"here")]}
        await app({**scope, "server": ("here", 80), "scheme": "http"}, receive, send)  # type: ignore[arg-type]
        return b"".join(found).decode()

    page = asyncio.run(ask())
    app.state.server.database.close()
    assert 'href="/?lang=ja"' in page
    assert "evil" not in page


def test_nobody_is_led_from_https_to_http(server: RunningServer, contest: SmallContest) -> None:
    client = server.client()
    for path in ("/login/", f"/contests/{contest.contest}/", "/api/v1/contest/", "/static"):
        answer = client.get(path)
        assert (answer.status_code, "location" in answer.headers) == (404, False)


def test_head_is_answered_as_get_without_the_body(server: RunningServer, contest: SmallContest) -> None:
    client = log_in(server, "blue")
    for path in ("/login", f"/rounds/{contest.round}", f"/rounds/{contest.round}/data", "/nothing"):
        got, asked = client.get(path), client.head(path)
        assert asked.status_code == got.status_code
        assert asked.headers["content-type"] == got.headers["content-type"]
        assert asked.content == b""
    api = server.client(contest.token("blue", "read"), "/api/v1")
    assert api.head("/contest").status_code == 200


@pytest.mark.parametrize("number", ["99999999999999999999", str(1 << 31), "0", "-1", "x"])
def test_a_number_of_a_job_that_is_none_is_refused(server: RunningServer, contest: SmallContest, number: str) -> None:
    client = log_in(server, "organizer")
    form = {"csrf": csrf(client.get("/account"))}
    assert client.post(f"/contests/{contest.contest}/jobs/{number}/retry", data=form).status_code == 422


def test_rules_that_are_meant_to_hurt_are_refused(server: RunningServer, contest: SmallContest) -> None:
    with contest.database.writing() as session:
        other = make_contest(session, session.get_one(User, contest.users["organizer"]), ContestPlan("Other")).id
    client = log_in(server, "organizer")
    form = {"csrf": csrf(client.get("/account"))}
    for content, status in (
        (b"a = " + b"[" * 50_000 + b"]" * 50_000, 422),
        (b"a = " + b"{a = " * 20_000 + b"1" + b"}" * 20_000, 422),
        (b"#" * (MOST_RULES_BYTES + 1), 413),
    ):
        answer = client.post(f"/contests/{other}/rules", data=form, files={"file": ("r", content)})
        assert answer.status_code == status


def test_pages_are_read_while_the_database_is_locked_for_writing(
    masters: Masters, tmp_path_factory: pytest.TempPathFactory
) -> None:
    small = masters.copy_contest(new_settings(tmp_path_factory.mktemp("locked") / "server"))
    running = RunningServer(small.settings)
    running.start("web")
    tokens = [small.token("blue", "read", "submit")]
    locked = sqlite3.connect(small.settings.folder / DATABASE_FILE, isolation_level=None)
    locked.execute("BEGIN IMMEDIATE")
    path = f"/rounds/{small.round}/submissions"

    def hand_in(_: int) -> httpx.Response:
        return running.client(tokens[0], "/api/v1").post(path, content=anonymized())

    try:
        with ThreadPoolExecutor(60) as threads:
            uploads = [threads.submit(hand_in, number) for number in range(60)]
            time.sleep(1)
            begun = time.monotonic()
            assert running.client().get("/login").status_code == 200
            # Waiting to write takes thirty seconds; with all threads at it a page took as long.
            assert time.monotonic() - begun < 15
            locked.execute("ROLLBACK")
            statuses = {upload.result().status_code for upload in uploads}
        assert statuses <= {201, 429, 503}
        assert {201, 503} <= statuses
    finally:
        locked.close()
        running.stop()
        small.database.close()
