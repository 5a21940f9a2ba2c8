"""Pages and the API of a running server: what browsers, programs and attackers can send."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from sudare.web.storage.models import Submission
from tests.web.conftest import Masters, RunningServer, csrf, free_port, log_in, new_settings
from tests.web.small_contest import PASSWORD, SmallContest, anonymized


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, masters: Masters) -> Iterator[tuple[RunningServer, SmallContest]]:
    """One server for all tests here, on SQLite; nothing checks its uploads."""
    small = masters.copy_contest(new_settings(tmp_path_factory.mktemp("pages") / "server"))
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


def test_every_answer_has_the_headers_of_safety(server: RunningServer) -> None:
    client = server.client()
    for path in ("/login", "/", "/nowhere", "/static/style.css", "/api/v1/contest", "/api/v1/openapi.json", "/%00"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


def test_browsers_keep_the_style_sheet_and_nothing_else(server: RunningServer) -> None:
    client = server.client()
    page = client.get("/login")
    assert page.headers["cache-control"] == "no-store"
    found = re.search(r'rel="stylesheet" href="([^"]+)"', page.text)
    assert found
    assert "immutable" in client.get(found[1]).headers["cache-control"]
    assert client.get("/static/nothing.css").headers["cache-control"] == "no-store"


def test_no_page_has_a_script_or_a_style_in_it(server: RunningServer, contest: SmallContest) -> None:
    client = log_in(server, "organizer")
    for path in (
        "/",
        "/account",
        "/new-contest",
        f"/contests/{contest.contest}",
        f"/contests/{contest.contest}/organize",
    ):
        text = client.get(path).text
        scripts = re.findall(r"<script[^>]*>", text)
        assert len(scripts) == 1 and re.fullmatch(r'<script src="/static/page\.js\?v=\w+" defer>', scripts[0])
        assert " style=" not in text
        assert not re.search(r"\son\w+=", text)
        assert not re.search(r'(?:href|src|action)="https?:', text)


def test_cookies_cannot_be_read_by_scripts_nor_sent_by_other_sites(server: RunningServer) -> None:
    client = server.client()
    page = client.get("/login")
    form = {"csrf": csrf(page), "login": "blue", "password": PASSWORD}
    answer = client.post("/login", data=form)
    for response in (page, answer):
        cookie = response.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie


def test_a_log_in_changes_the_session_and_a_log_out_ends_it(server: RunningServer) -> None:
    client = server.client()
    client.cookies.set("sudare_session", "planted", domain="127.0.0.1", path="/")
    form = {"csrf": csrf(client.get("/login")), "login": "blue", "password": PASSWORD}
    client.post("/login", data=form)
    tokens = [cookie.value for cookie in client.cookies.jar if cookie.name == "sudare_session"]
    assert "planted" not in tokens[-1:]
    page = client.get("/account")
    assert page.status_code == 200
    client.post("/logout", data={"csrf": csrf(page)})
    other = server.client()
    other.cookies.set("sudare_session", str(tokens[-1]), domain="127.0.0.1", path="/")
    assert other.get("/account").status_code == 401


@pytest.mark.parametrize("fields", [{}, {"csrf": ""}, {"csrf": "x" * 43}])
def test_a_form_without_the_right_secret_is_refused(
    server: RunningServer, contest: SmallContest, fields: dict[str, str]
) -> None:
    client = log_in(server, "organizer")
    for path in (
        f"/contests/{contest.contest}/teams",
        f"/rounds/{contest.round}/steps",
        "/logout",
        "/account/password",
    ):
        assert client.post(path, data={"name": "x", "step": "freeze", **fields}).status_code == 403


def test_a_form_from_another_site_is_refused_even_with_the_secret(server: RunningServer, contest: SmallContest) -> None:
    client = log_in(server, "organizer")
    data = {"csrf": csrf(client.get("/account")), "name": "evil"}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert client.post(f"/contests/{contest.contest}/teams", data=data, headers=headers).status_code == 403


def test_log_in_needs_a_form_of_ours(server: RunningServer) -> None:
    answer = server.client().post("/login", data={"login": "blue", "password": PASSWORD})
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example", "/\\evil.example", "evil"])
def test_a_log_in_leads_nowhere_else(server: RunningServer, path: str) -> None:
    client = server.client()
    form = {"csrf": csrf(client.get("/login")), "login": "blue", "password": PASSWORD, "next": path}
    assert client.post("/login", data=form).headers["location"] == "/"


def test_names_are_shown_as_text(server: RunningServer, contest: SmallContest) -> None:
    client = log_in(server, "organizer")
    data = {"csrf": csrf(client.get("/account")), "name": "<script>alert(1)</script>"}
    assert client.post(f"/contests/{contest.contest}/teams", data=data).status_code == 303
    text = client.get(f"/contests/{contest.contest}/organize").text
    assert text.count("<script") == 1
    assert "&lt;script&gt;alert(1)" in text


@pytest.mark.parametrize(
    "path", ["/rounds/x", "/submissions/' OR 1=1 --", "/contests/..%2f..", "/static/../app.py", "/a%00b"]
)
def test_what_is_not_there_is_not_there(server: RunningServer, path: str) -> None:
    assert log_in(server, "organizer").get(path).status_code == 404


@pytest.mark.parametrize(("scopes", "expected"), [(("read",), 403), (("submit",), 403), (("read", "submit"), 201)])
def test_a_token_does_what_its_scopes_say(
    server: RunningServer, contest: SmallContest, scopes: tuple[str, ...], expected: int
) -> None:
    client = server.client(contest.token("green", *scopes), "/api/v1")
    answer = client.post(f"/rounds/{contest.round}/submissions", content=b"x", params={"note": "<b>"})
    assert answer.status_code == expected
    assert client.post("/teams", json={"name": "mine"}).status_code == 403


def test_the_api_takes_no_cookies_and_no_bad_tokens(server: RunningServer) -> None:
    assert log_in(server, "blue").get("/api/v1/contest").status_code == 401
    for token in ("", "x", "sudare_" + "x" * 43):
        answer = server.client(token).get("/api/v1/contest")
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "no_token"


def test_an_upload_that_is_too_large_is_refused(server: RunningServer, contest: SmallContest) -> None:
    api = server.client(contest.token("blue", "read", "submit"), "/api/v1")
    large = b"x" * 300_000

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 10_000

    for content in (large, endless()):
        answer = api.post(f"/rounds/{contest.round}/submissions", content=content)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    browser = log_in(server, "blue")
    data = {"csrf": csrf(browser.get(f"/rounds/{contest.round}"))}
    answer = browser.post(f"/rounds/{contest.round}/submissions", data=data, files={"file": ("a", large)})
    assert answer.status_code == 413
    with contest.database.reading() as session:
        sizes = session.scalars(select(Submission.size)).all()
    assert all(size < 300_000 for size in sizes)
    assert list((server.settings.files / "incoming").iterdir()) == []


def test_an_upload_that_is_compressed_is_refused(server: RunningServer, contest: SmallContest) -> None:
    api = server.client(contest.token("blue", "read", "submit"), "/api/v1")
    headers = {"Content-Encoding": "gzip"}
    answer = api.post(f"/rounds/{contest.round}/submissions", content=b"x", headers=headers)
    assert answer.status_code == 415


def test_an_upload_that_never_ends_is_given_up(contest: SmallContest) -> None:
    server = RunningServer(replace(contest.settings, port=free_port(), upload_seconds=1))
    server.start("web")
    token = contest.token("red", "read", "submit")
    head = (
        f"POST /api/v1/rounds/{contest.round}/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        "Content-Length: 1000\r\n\r\n"
    )
    try:
        with socket.create_connection(("127.0.0.1", server.settings.port), timeout=30) as connection:
            began = time.monotonic()
            connection.sendall(head.encode() + b"abc")
            answer = connection.recv(4096)
    finally:
        server.stop()
    assert b" 408 " in answer.split(b"\r\n")[0]
    assert time.monotonic() - began >= server.settings.upload_seconds


def test_the_name_of_an_uploaded_file_means_nothing(server: RunningServer, contest: SmallContest) -> None:
    browser = log_in(server, "blue")
    data = {"csrf": csrf(browser.get(f"/rounds/{contest.round}")), "note": "=1+1"}
    files = {"file": ("../../../../tmp/evil\r\nX-Evil: 1.csv", anonymized().encode())}
    made = browser.post(f"/rounds/{contest.round}/submissions", data=data, files=files)
    assert made.status_code == 303
    sent = browser.get(made.headers["location"] + "/file")
    assert sent.text == anonymized()
    assert re.fullmatch(r'attachment; filename="A-\d+\.csv"', sent.headers["content-disposition"])
    assert "x-evil" not in sent.headers


def test_errors_of_the_api_have_one_shape(server: RunningServer, contest: SmallContest) -> None:
    api = server.client(contest.token("organizer", "read", "organize"), "/api/v1")
    answers = [
        api.get("/nowhere"),
        api.delete("/contest"),
        api.post("/teams", json={"name": ""}),
        api.post("/teams", json={"name": "a\nb"}),
        api.post("/teams", content=b"{", headers={"Content-Type": "application/json"}),
        api.post("/rounds", json=dict.fromkeys(["name", *_times()], "x")),
        api.post("/jobs/99999/retry"),
        api.post("/invitations", json={"role": "team"}),
    ]
    assert [answer.status_code for answer in answers] == [404, 405, 422, 422, 422, 422, 404, 422]
    for answer in answers:
        assert set(answer.json()) == {"error"}
        assert set(answer.json()["error"]) == {"code", "message"}


def _times() -> list[str]:
    from sudare.web.game.phases import TIMES

    return list(TIMES)


def test_pages_speak_the_readers_language(server: RunningServer) -> None:
    client = server.client()
    assert "Log in" in client.get("/login").text
    assert "ログイン" in client.get("/login", headers={"Accept-Language": "ja-JP,ja;q=0.9"}).text
    assert "ログイン" in client.get("/login?lang=ja").text
    assert "ログイン" in client.get("/login").text  # chosen before
    assert client.get("/login?lang=xx").status_code == 200


def test_pages_ask_for_news_by_small_answers(server: RunningServer, contest: SmallContest) -> None:
    browser = log_in(server, "red")
    page = browser.get(f"/rounds/{contest.round}")
    stamp = re.search(r'data-watch="([^"]+)" data-stamp="([^"]+)"', page.text)
    assert stamp
    assert stamp[1] == f"/rounds/{contest.round}/status"
    assert browser.get(stamp[1]).json()["stamp"] == stamp[2]
    submission = contest.submit("red", anonymized())
    assert browser.get(stamp[1]).json()["stamp"] != stamp[2]
    assert browser.get(f"/submissions/{submission}/status").json() == {"stamp": "queued ", "waiting": True}
    # Without script the page says what to do.
    assert "Reload this page" in browser.get(f"/submissions/{submission}").text
    for path in (stamp[1], f"/submissions/{submission}/status"):
        assert server.client().get(path).status_code == 404
    assert log_in(server, "blue").get(f"/submissions/{submission}/status").status_code == 404


def test_organizers_make_links_and_set_rules_by_the_api(server: RunningServer, contest: SmallContest) -> None:
    api = server.client(contest.token("organizer", "read", "organize"), "/api/v1")
    users = {member["login"]: member["user"] for member in api.get("/members").json()}
    made = api.post(f"/members/{users['green']}/reset")
    assert made.status_code == 201
    assert "/resets/" in made.json()["link"]
    assert api.get("/audit").json()[0]["action"] == "reset_link"
    assert api.post("/members/nobody/reset").status_code == 403
    assert api.put("/rules", content=b"name = 1").json()["error"]["code"] == "rules_fixed"
    team = server.client(contest.token("red", "read", "submit"), "/api/v1")
    assert team.post(f"/members/{users['green']}/reset").status_code == 403
    assert team.put("/rules", content=b"x").status_code == 403


def test_the_style_the_script_and_the_icon_are_our_own(server: RunningServer) -> None:
    for name, kind in (("style.css", "text/css"), ("page.js", "text/javascript"), ("favicon.svg", "image/svg+xml")):
        answer = server.client().get(f"/static/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "http" not in answer.text.replace("http://www.w3.org/2000/svg", "")


def test_the_old_password_cannot_be_tried_again_and_again(server: RunningServer, contest: SmallContest) -> None:
    client = log_in(server, "observer")
    form = {"csrf": csrf(client.get("/account")), "old": "wrong", "password": "a new password"}
    answers = [client.post("/account/password", data=form).status_code for _ in range(11)]
    assert answers == [403] * contest.settings.account_failures + [429]
    # Not even the right one counts now.
    assert client.post("/account/password", data={**form, "old": PASSWORD}).status_code == 429


def test_a_password_is_changed_with_the_old_one_only(server: RunningServer) -> None:
    client = log_in(server, "outsider")
    form = {"csrf": csrf(client.get("/account")), "old": "wrong", "password": "a new password"}
    assert client.post("/account/password", data=form).status_code == 403
    assert client.post("/account/password", data={**form, "old": PASSWORD}).status_code == 303
    assert client.get("/account").status_code == 200


@pytest.mark.slow
def test_the_server_of_pages_loads_no_kernels() -> None:
    program = "import sys, sudare.web.serve; print([name for name in ('numba', 'scipy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_error_does_not_tell_somebody_with_a_session_to_log_in(server: RunningServer) -> None:
    for client, link in ((log_in(server, "blue"), "/account"), (server.client(), "/login")):
        page = client.get("/rounds/nothing")
        assert page.status_code == 404
        assert re.findall(r'<a href="(/account|/login)"', page.text) == [link]
