"""What an attacker sends: uploads that are meant to hurt, and texts that are meant as something else."""

from __future__ import annotations

import asyncio
import gzip
import io
import socket
import zipfile
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from sqlalchemy import select, text, update

from sudare.web.http.app import make_app
from sudare.web.storage.models import Contest, Submission
from tests.web.conftest import Masters, RunningServer, csrf, log_in, new_settings
from tests.web.small_contest import PASSWORD, SmallContest, T, anonymized

EVIL = "<img src=x onerror=alert(1)>"
BOMB = gzip.compress(b"\0" * 50_000_000, compresslevel=9)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, masters: Masters) -> Iterator[tuple[RunningServer, SmallContest]]:
    small = masters.copy_contest(new_settings(tmp_path_factory.mktemp("hostile") / "server"))
    with small.database.writing() as session:
        session.execute(update(Contest).values(submissions_per_day=1000))
    running = RunningServer(small.settings)
    running.start("web")
    yield running, small
    running.stop()
    small.database.close()


@pytest.fixture
def server(served: tuple[RunningServer, SmallContest]) -> RunningServer:
    return served[0]


@pytest.fixture
def contest(served: tuple[RunningServer, SmallContest]) -> SmallContest:
    return served[1]


def zipped() -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"\0" * 50_000_000)
    return found.getvalue()


# All of them are small enough to be taken in.
BAD_FILES = {
    "empty": b"",
    "gzip bomb": BOMB,
    "zip bomb": zipped(),
    "parquet": b"PAR1" + b"\0" * 1000 + b"PAR1",
    "zeros": b"\0" * 150_000,
    "one endless line": b"1" * 190_000,
    "only commas": b"," * 190_000,
    "only line ends": b"\n" * 190_000,
    "only quotes": b'"' * 190_000,
    "a huge set": b"1,2011/1/10,{" + b"apple;" * 30_000 + b"bread},1,1\n",
    "deep brackets": b"[" * 190_000,
    "huge numbers": b"9" * 5000 + b",[2011/1/1;9999999999/1/1]," + b"9" * 5000 + b",1e308,99999999999999999999\n",
    "no text": bytes(range(256)) * 500,
    "half a letter": "1,2011/1/10,りんご".encode()[:-1],
    "formulas": b"=cmd|' /C calc'!A0,@SUM(1),+1,-1,=1\n",
    "markup": f"1,{EVIL},{EVIL},1,1\n".encode(),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_meant_to_hurt_only_breaks_the_rules(
    server: RunningServer, contest: SmallContest, name: str
) -> None:
    api = server.client(contest.token("blue", "read", "submit"), "/api/v1")
    sent = api.post(f"/rounds/{contest.round}/submissions", content=BAD_FILES[name])
    assert sent.status_code == 201, sent.text
    contest.work()
    found = api.get(f"/submissions/{sent.json()['id']}").json()
    assert found["status"] == "invalid"
    assert found["result"]["total_errors"] >= 1
    page = log_in(server, "blue").get(f"/submissions/{found['id']}")
    assert page.status_code == 200
    assert EVIL not in page.text


class MovedClock(asyncio.SelectorEventLoop):
    """A loop whose time can be moved."""

    moved = 0.0

    def time(self) -> float:
        return super().time() + self.moved


def test_uploads_that_trickle_in_are_given_up_and_do_not_hold_up_others(contest: SmallContest) -> None:
    app = make_app(contest.settings)
    headers = {"Authorization": f"Bearer {contest.token('red', 'read', 'submit')}"}
    many, begun = 60, 0

    async def trickle() -> AsyncIterator[bytes]:
        nonlocal begun
        yield b"x"
        begun += 1
        while True:
            await asyncio.sleep(0.2)
            yield b"x"

    async def send(loop: MovedClock) -> list[int]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as client:
            path = f"/api/v1/rounds/{contest.round}/submissions"
            uploads = [asyncio.create_task(client.post(path, content=trickle())) for _ in range(many)]
            while begun < many:
                await asyncio.sleep(0.01)
            assert (await client.get("/login")).status_code == 200
            assert not any(upload.done() for upload in uploads)
            loop.moved = contest.settings.upload_seconds
            done, _ = await asyncio.wait(uploads, timeout=60)
            return [upload.result().status_code for upload in done]

    loop = MovedClock()
    assert loop.run_until_complete(send(loop)) == [408] * many
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
    app.state.server.database.close()
    assert list((contest.settings.files / "incoming").iterdir()) == []


def test_a_form_that_is_compressed_or_has_too_much_in_it_is_refused(
    server: RunningServer, contest: SmallContest
) -> None:
    client = log_in(server, "blue")
    secret = csrf(client.get(f"/rounds/{contest.round}"))
    path = f"/rounds/{contest.round}/submissions"
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/x-www-form-urlencoded"}
    assert client.post(path, content=BOMB, headers=headers).status_code == 415
    fields = {"csrf": secret, **{f"f{number}": "x" for number in range(100)}}
    assert client.post(path, data=fields, files={"file": ("a", b"x")}).status_code == 400
    two = [("file", ("a", b"x")), ("other", ("b", b"x"))]
    assert client.post(path, data={"csrf": secret}, files=two).status_code == 400
    long = client.post(path, data={"csrf": secret, "note": "x" * 100_000}, files={"file": ("a", b"x")})
    assert long.status_code in (400, 413)
    assert client.post("/account/password", data={"csrf": secret, "old": "x" * 100_000}).status_code == 413


@pytest.mark.parametrize("body", [b"[" * 60_000, b'{"name":' * 8_000, b'{"name": ' + b"9" * 50_000 + b"}", b"\xff\xfe"])
def test_json_that_is_meant_to_hurt_is_refused(server: RunningServer, contest: SmallContest, body: bytes) -> None:
    api = server.client(contest.token("organizer", "read", "organize"), "/api/v1")
    answer = api.post("/teams", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert set(answer.json()["error"]) == {"code", "message"}


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "99999999999999999999"])
def test_a_length_that_is_none_is_refused(server: RunningServer, contest: SmallContest, length: str) -> None:
    token = contest.token("red", "read", "submit")
    head = (
        f"POST /api/v1/rounds/{contest.round}/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.settings.port), timeout=60) as connection:
        connection.sendall(head.encode())
        answer = connection.recv(4096)
    assert answer.split(b" ")[1] in (b"400", b"413")


SQL = ("' OR '1'='1", "x'; DROP TABLE users; --", '" OR 1=1 --', "1 UNION SELECT password_hash FROM users", "%", "_")


@pytest.mark.parametrize("words", SQL)
def test_sql_in_a_text_is_a_text(server: RunningServer, contest: SmallContest, words: str) -> None:
    client = server.client()
    form = {"csrf": csrf(client.get("/login")), "login": words, "password": words}
    assert client.post("/login", data=form).status_code == 403
    api = server.client(contest.token("green", "read", "submit"), "/api/v1")
    sent = api.post(f"/rounds/{contest.round}/submissions", content=b"x", params={"note": words}).json()
    assert sent["note"] == words
    for path in (f"/rounds/{words}", f"/submissions/{words}", f"/targets/{words}/file", f"/guesses/{words}"):
        assert api.get(path).status_code == 404
    assert server.client(words, "/api/v1").get("/contest").status_code == 401
    with contest.database.reading() as session:
        assert session.scalar(text("SELECT count(*) FROM users")) == len(contest.users)


@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
def test_a_letter_that_postgresql_cannot_keep_is_left_out(small: SmallContest, running: RunningServer) -> None:
    running.start("web")
    api = running.client(small.token("green", "read", "submit"), "/api/v1")
    sent = api.post(f"/rounds/{small.round}/submissions", content=b"x", params={"note": "a\0b"})
    assert (sent.status_code, sent.json()["note"]) == (201, "ab")
    assert api.get("/rounds/%00").status_code == 404


def test_line_ends_in_a_text_make_no_headers(server: RunningServer, contest: SmallContest) -> None:
    client = server.client()
    form = {"csrf": csrf(client.get("/login")), "login": "blue", "password": PASSWORD, "next": "/x\r\nSet-Cookie: a=b"}
    answer = client.post("/login", data=form)
    assert answer.headers["location"] == "/"
    assert "a=b" not in answer.headers.get("set-cookie", "")
    answer = client.get("/login", params={"lang": "en\r\nX-Evil: 1", "next": "/\r\nX-Evil: 1"})
    assert "x-evil" not in answer.headers
    api = server.client(contest.token("blue", "read", "submit"), "/api/v1")
    sent = api.post(f"/rounds/{contest.round}/submissions", content=b"x", params={"note": "a\r\nX-Evil: 1"})
    assert (sent.status_code, "x-evil" in sent.headers) == (201, False)


def test_links_have_the_servers_own_address_whatever_the_request_says(
    server: RunningServer, contest: SmallContest
) -> None:
    api = server.client(contest.token("organizer", "read", "organize"), "/api/v1")
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    link = api.post("/invitations", json={"role": "observer"}, headers=headers).json()["link"]
    assert link.startswith(server.settings.public_url + "/invitations/")


def test_markup_is_text_on_every_page(server: RunningServer, contest: SmallContest) -> None:
    api = server.client(contest.token("organizer", "read", "organize"), "/api/v1")
    assert api.post("/teams", json={"name": EVIL}).status_code == 201
    team = server.client(contest.token("blue", "read", "submit"), "/api/v1")
    sent = team.post(
        f"/rounds/{contest.round}/submissions",
        content=anonymized().replace("apple", EVIL, 1),
        params={"note": EVIL},
    ).json()
    contest.work()
    client = log_in(server, "organizer")
    pages = [
        f"/contests/{contest.contest}",
        f"/contests/{contest.contest}/organize",
        f"/contests/{contest.contest}/audit",
        f"/rounds/{contest.round}",
        f"/submissions/{sent['id']}",
    ]
    for page in pages:
        found = client.get(page).text
        assert EVIL not in found
        assert "&lt;img src=x" in found, page
    with contest.database.reading() as session:
        assert session.get_one(Submission, sent["id"]).status == "invalid"


def test_an_original_with_markup_in_it_is_told_as_text(server: RunningServer, contest: SmallContest) -> None:
    api = server.client(contest.token("organizer", "read", "organize"), "/api/v1")
    days = ("2030-01-01", "2030-01-02", "2030-01-03", "2030-01-04")
    names = ("anonymization_opens", "anonymization_closes", "reidentification_opens", "reidentification_closes")
    made = api.post("/rounds", json={"name": EVIL, **dict(zip(names, days, strict=True))}).json()
    assert api.put(f"/rounds/{made['id']}/data", content=T.replace("1.50", EVIL, 1)).status_code == 202
    contest.work()
    page = log_in(server, "organizer").get(f"/rounds/{made['id']}").text
    assert EVIL not in page
    assert "&lt;img src=x" in page


def test_a_session_that_was_planted_is_not_taken_over(server: RunningServer, contest: SmallContest) -> None:
    """The form before the log-in has a secret of its own; after it, session and secret are new."""
    client = server.client()
    before = csrf(client.get("/login"))
    form = {"csrf": before, "login": "blue", "password": PASSWORD, "next": "/"}
    client.post("/login", data=form)
    first = session_of(client)
    after = csrf(client.get("/account"))
    assert after != before
    client.post("/login", data={**form, "csrf": after})
    assert session_of(client) != first
    other = server.client()
    other.cookies.set("sudare_session", first)
    assert other.get("/account").status_code == 401
    with contest.database.reading() as session:
        kept = session.scalars(select(text("token_hash")).select_from(text("sessions"))).all()
    assert first not in kept


def session_of(client: httpx.Client) -> str:
    found = client.cookies.get("sudare_session")
    assert found
    return found
