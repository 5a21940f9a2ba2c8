"""Bodies of uploads: nothing is read from those who may not hand in, and not too much at a time from anybody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from sudare.web.game.accounts import find_session, log_in
from sudare.web.game.refusals import Refused
from sudare.web.http.app import make_app
from sudare.web.http.middleware import UPLOADS
from sudare.web.http.routes import account_pages, contest_pages, organizer_pages, team_pages
from sudare.web.storage.models import Target
from tests.web.conftest import Masters, new_settings
from tests.web.small_contest import PASSWORD, TEAMS, SmallContest, anonymized

pytestmark = pytest.mark.slow

CHUNK = b"x" * 10_000
CHUNKS = 15
BOUNDARY = "b0undary"
ROUTES = [
    route.path
    for module in (account_pages, contest_pages, organizer_pages, team_pages)
    for route in module.router.routes
    if isinstance(route, APIRoute) and "POST" in route.methods and UPLOADS.fullmatch(route.path)
]


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory, masters: Masters) -> Iterator[SmallContest]:
    small = masters.copy_contest(new_settings(tmp_path_factory.mktemp("bodies") / "server"))
    identity = small.submit("green", anonymized())
    with small.database.writing() as session:
        session.add(
            Target(
                round_id=small.round,
                team_id=small.teams["green"],
                submission_id=identity,
                number=1,
                file_hash="0" * 64,
                size=1,
                rows=1,
            )
        )
    yield small
    small.database.close()


class Body:
    """A form with a file in many parts, which knows how many were read."""

    def __init__(self, secret: str | None) -> None:
        self.read = 0
        field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{secret}\r\n'
        file = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        start = (field if secret is not None else "") + file
        self._parts = [start.encode(), *[CHUNK] * CHUNKS, f"\r\n--{BOUNDARY}--\r\n".encode()]

    async def receive(self) -> dict[str, object]:
        part = self._parts[self.read]
        self.read += 1
        return {"type": "http.request", "body": part, "more_body": self.read < len(self._parts)}


def post(app: FastAPI, path: str, body: Body, token: str = "", address: str = "10.0.0.1") -> int:
    """Send a form and return the status of the answer."""
    cookie = [(b"cookie", f"sudare_session={token}".encode())] if token else []
    kind = (b"content-type", f"multipart/form-data; boundary={BOUNDARY}".encode())
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"here"), kind, *cookie],
        "client": (address, 1),
        "server": ("here", 80),
        "scheme": "http",
        "http_version": "1.1",
    }
    statuses: list[int] = []

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])  # type: ignore[arg-type]

    asyncio.run(app(scope, body.receive, send))  # type: ignore[arg-type]
    return statuses[0]


def filled(small: SmallContest, path: str) -> str:
    with small.database.reading() as session:
        target = small.target(session, "green").id
    for name, value in (("contest_id", small.contest), ("round_id", small.round), ("target_id", target)):
        path = path.replace(f"{{{name}}}", value)
    return path


def session_token(small: SmallContest, name: str) -> str:
    return log_in(small.database, small.settings, name, PASSWORD, "here").token


def test_nothing_is_read_from_those_who_may_not_hand_in(contest: SmallContest) -> None:
    app = make_app(contest.settings)
    allowed = {"rules": "organizer", "data": "organizer", "submissions": TEAMS}
    assert {path.rpartition("/")[2] for path in ROUTES} == {"rules", "data", "submissions", "guesses"}
    for name in ("", "organizer", "observer", "outsider", "blue"):
        token = session_token(contest, name) if name else ""
        for path in ROUTES:
            if name in (allowed.get(path.rpartition("/")[2]) or ()):
                continue
            for secret in ("", "x" * 43, None):
                body = Body(secret)
                assert post(app, filled(contest, path), body, token) in (401, 403, 404, 409), (name, path)
                assert body.read == 0, (name, path)
    app.state.server.database.close()


@pytest.mark.parametrize("secret", ["", "x" * 43, None])
def test_nothing_of_a_file_is_read_before_the_secret_of_the_form(contest: SmallContest, secret: str | None) -> None:
    app = make_app(contest.settings)
    for name, path in (("blue", "/rounds/{round_id}/submissions"), ("organizer", "/rounds/{round_id}/data")):
        body = Body(secret)
        assert post(app, filled(contest, path), body, session_token(contest, name)) == 403
        assert body.read == 1
    app.state.server.database.close()


def incoming(small: SmallContest) -> list[Path]:
    return list((small.settings.files / "incoming").iterdir())


def test_uploads_at_the_same_time_are_bounded_by_address_and_in_all(contest: SmallContest) -> None:
    settings = replace(contest.settings, uploading_bytes=115_000, address_uploading_bytes=60_000)
    app = make_app(settings)
    headers = {"Authorization": f"Bearer {contest.token('red', 'read', 'submit')}"}
    path = f"/api/v1/rounds/{contest.round}/submissions"

    async def send(address: str, begun: asyncio.Event, go_on: asyncio.Event) -> httpx.Response:
        async def parts() -> Iterator[bytes]:  # type: ignore[misc]
            yield b"x" * 50_000
            begun.set()
            await go_on.wait()
            yield b"x" * 5_000

        transport = httpx.ASGITransport(app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as client:
            return await client.post(path, content=parts())

    async def hold() -> list[int]:
        go_on, events = asyncio.Event(), [asyncio.Event() for _ in range(3)]
        first = asyncio.create_task(send("10.0.0.1", events[0], go_on))
        await events[0].wait()
        same = await send("10.0.0.1", events[1], go_on)
        other = asyncio.create_task(send("10.0.0.2", events[2], go_on))
        await events[2].wait()
        third = await send("10.0.0.3", asyncio.Event(), go_on)
        assert third.headers["Retry-After"]
        go_on.set()
        answers = [await first, same, await other, third]
        answers.append(await send("10.0.0.1", asyncio.Event(), go_on))
        return [answer.status_code for answer in answers]

    found = asyncio.run(hold())
    app.state.server.database.close()
    assert found == [201, 503, 201, 503, 201]
    assert incoming(contest) == []


def test_guesses_are_no_larger_than_a_line_for_each_customer(
    masters: Masters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = masters.copy_contest(new_settings(tmp_path / "server"))
    small.to_reidentification()
    monkeypatch.setattr("sudare.web.game.submissions.SPARE_BYTES", 0)
    app = make_app(small.settings)
    with small.database.reading() as session:
        target = small.target(session, "green").id
    most = 12 * 39
    longest = f"{'9' * 18},{'8' * 18}\r\n" * 12
    assert len(longest) == most
    headers = {"Authorization": f"Bearer {small.token('blue', 'read', 'guess')}"}

    async def send(text: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
            return await client.post(f"/api/v1/targets/{target}/guesses", content=text, headers=headers)

    assert asyncio.run(send(longest)).status_code == 201
    refused = asyncio.run(send(longest + "x"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")
    assert "468 bytes" in refused.json()["error"]["message"]
    # The form is not read to its end.
    token = session_token(small, "blue")
    with small.database.reading() as session:
        login = find_session(session, token)
        assert login
        body = Body(login.csrf)
    assert post(app, f"/targets/{target}/guesses", body, token) == 413
    assert body.read == 2
    with pytest.raises(Refused):
        small.guess("blue", "red", longest + "x")
    app.state.server.database.close()
    small.database.close()
