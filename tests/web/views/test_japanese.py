"""A Japanese reader sees Japanese: every page of a filled contest in every role, and what the server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from sudare.messages import catalogue
from sudare.web.demo import TEAMS, Demo, fill
from sudare.web.game.accounts import add_user, make_reset
from sudare.web.game.phases import TIMES
from sudare.web.jobs.worker import Worker
from sudare.web.storage.archive import export_contest
from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Contest, GuessFile, Job, Membership, Round, Submission
from sudare.web.storage.people import User
from tests.web.conftest import RunningServer, csrf, new_settings

pytestmark = pytest.mark.slow

ROLES = ("organizer", "ami", "watcher", "outsider", None)
# Names and notes that people gave, commands, and words of protocols.
DATA = {"Demo", "Practice", "Preliminary", "Main", "first try", "better", "large classes", "Broken", "Rules", "laptop"}
DATA |= {team.name for team in TEAMS} | {team.name.casefold() for team in TEAMS}
DATA |= {"organizer", "watcher", "outsider", "sudare contest submit", "Authorization: Bearer", "English"}
SENTENCE = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:[ ,;:.]+[A-Za-z][A-Za-z'’-]*){2,}")
# What the program says in English, in any number of words.
ENGLISH = {text for text in catalogue("en").values() if re.fullmatch(r"[A-Za-z][A-Za-z ',.-]{2,}", text)}
ENGLISH -= set(catalogue("ja").values())
HIDDEN = {"script", "style", "code", "time"}
SPOKEN = {"aria-label", "alt", "placeholder", "title", "data-waiting", "data-news"}
FAILURES = ("memory", "time", "crashed", "error", "worker_lost")


class Reader(HTMLParser):
    """Reads what people see or hear of a page, a text at a time, and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.texts, self.links = list[str](), list[str]()
        self._inside = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and "download" not in given and "hreflang" not in given:
            self.links.append(given.get("href") or "")
        self.texts += [value for name, value in attrs if name in SPOKEN and value]
        self._inside.append("code" if "hash" in (given.get("class") or "") else tag)

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() not in (tag, "code"):
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not HIDDEN & set(self._inside):
            self.texts.append(" ".join(data.split()))


def english(texts: list[str]) -> list[str]:
    """Return what is English among texts that are not data."""
    return [text for text in texts if text not in DATA and (text in ENGLISH or _has_sentence(text))]


def _has_sentence(text: str) -> bool:
    for name in sorted(DATA, key=len, reverse=True):
        text = text.replace(name, "・")
    return SENTENCE.search(text) is not None


def test_the_reader_finds_english() -> None:
    page = Reader()
    page.feed('<p aria-label="Only your team">結果<b>breaks the rules</b><code>a b c d</code></p><br>')
    page.feed("<p>Ami, Noren: no file chosen</p>")
    assert english(page.texts) == ["Only your team", "breaks the rules", "Ami, Noren: no file chosen"]


class Filled:
    """The demonstration with all that can go wrong in it, and its pages."""

    def __init__(self, folder: Path) -> None:
        self.settings = new_settings(folder / "server")
        self.database, self.files = Database(self.settings.database_url), FileStore(self.settings.files)
        self.database.migrate()
        self.files.make()
        self.demo: Demo = fill(self.settings, self.database, self.files)
        self.server = RunningServer(self.settings)
        self._let_things_go_wrong()

    def _let_things_go_wrong(self) -> None:
        with self.database.writing() as session:
            session.execute(update(Contest).values(public=True))
            for name, role in (("watcher", "observer"), ("outsider", None)):
                user = add_user(session, name, self.demo.password)
                if role:
                    session.add(Membership(user_id=user.id, contest_id=self.demo.contest, role=role))
            jobs = session.scalars(select(Job).where(Job.kind.in_(("anonymized", "guesses", "preview")))).all()
            for job, failure in zip(jobs, FAILURES * 3, strict=False):
                job.status, job.failure = "failed", failure
            for table in (Submission, GuessFile):
                found = session.scalars(select(table).where(table.status == "valid").limit(1)).one()
                found.status, found.result = "failed", {"failure": "memory"}

    def client(self, name: str | None) -> httpx.Client:
        client = self.server.client()
        client.headers["Accept-Language"] = "ja"
        if name:
            form = {"csrf": csrf(client.get("/login")), "login": name, "password": self.demo.password, "next": "/"}
            assert client.post("/login", data=form).status_code == 303
        return client

    def rounds(self) -> dict[str, str]:
        with self.database.reading() as session:
            return {found.name: found.id for found in session.scalars(select(Round))}

    def close(self) -> None:
        self.server.stop()
        self.database.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    found = Filled(tmp_path_factory.mktemp("japanese"))
    found.server.start("web")
    yield found
    found.close()


def walk(client: httpx.Client) -> Iterator[tuple[str, Reader]]:
    """Yield all pages that lead from one to another."""
    known, ahead = {"/"}, ["/"]
    while ahead:
        path = ahead.pop()
        answer = client.get(path)
        assert answer.status_code == 200, path
        page = Reader()
        page.feed(answer.text)
        yield path, page
        for link in page.links:
            if link.startswith("/") and link not in known:
                known.add(link)
                ahead.append(link)


@pytest.mark.parametrize("role", ROLES)
def test_every_page_is_japanese(filled: Filled, role: str | None) -> None:
    found, kinds = {}, set()
    for path, page in walk(filled.client(role)):
        kinds.add(re.sub(r"/[a-z0-9]{16}", "/…", path))
        if wrong := english(page.texts):
            found[path] = wrong
    assert found == {}
    if role == "organizer":
        assert {"/contests/…/audit", "/contests/…/organize", "/submissions/…", "/guesses/…", "/new-contest"} <= kinds
    if role == "ami":
        assert {"/rounds/…", "/rounds/…/results", "/submissions/…", "/guesses/…", "/account"} <= kinds


Form = dict[str, str]
File = dict[str, Any]
A_FILE = {"file": ("a.csv", b"1,2,3\n", "text/csv")}


def refused_forms(filled: Filled) -> Iterator[tuple[str | None, str, Form, File | None, int]]:
    """Yield forms that are refused: who sends them, where, what, and with which status."""
    contest, rounds = f"/contests/{filled.demo.contest}", filled.rounds()
    practice, preliminary, main = (f"/rounds/{rounds[name]}" for name in ("Practice", "Preliminary", "Main"))
    times = dict.fromkeys(("anonymization_opens", "anonymization_closes"), "2026-01-01T00:00")
    plan = {"name": "x", "time_zone": "Asia/Tokyo", "rules": "pwscup2018", "submissions_per_day": "1"}
    yield None, "/login", {"login": "ami", "password": "wrong"}, None, 403
    yield None, "/resets/nothing", {"password": "a long password"}, None, 410
    yield "ami", "/account/password", {"old": "wrong", "password": "a long password"}, None, 403
    yield "ami", "/account/tokens", {"contest": filled.demo.contest, "name": "x"}, None, 422
    yield "ami", "/account/tokens", {"contest": "x", "name": "x"}, None, 404
    yield "ami", f"{contest}/teams", {"name": "x"}, None, 403
    yield "ami", f"{main}/submissions", {}, None, 422
    yield "ami", f"{preliminary}/submissions", {}, A_FILE, 409
    yield "watcher", f"{main}/submissions", {}, A_FILE, 403
    yield "organizer", "/new-contest", {**plan, "time_zone": "Mars"}, None, 422
    yield "organizer", "/new-contest", {**plan, "submissions_per_day": "many"}, None, 422
    yield "organizer", "/new-contest", {**plan, "submissions_per_day": "0"}, None, 422
    yield "organizer", "/new-contest", {**plan, "rules": "none"}, None, 422
    yield "organizer", "/new-contest", {**plan, "name": ""}, None, 422
    yield "organizer", "/new-contest", {**plan, "name": "a\nb"}, None, 422
    yield "organizer", f"{contest}/teams", {"name": "Ami"}, None, 409
    yield "organizer", f"{contest}/invitations", {"role": "king"}, None, 422
    yield "organizer", f"{contest}/rounds", {"name": "x", "anonymization_opens": "soon"}, None, 422
    yield "organizer", f"{contest}/rules", {}, A_FILE, 409
    yield "organizer", f"{contest}/jobs/x/retry", {}, None, 422
    yield "organizer", f"{main}/times", times, None, 422
    yield "organizer", f"{practice}/times", {"reidentification_closes": "2099-01-01T00:00"}, None, 409
    yield "organizer", f"{preliminary}/times", {"anonymization_opens": "2020-01-01T00:00"}, None, 409
    yield "organizer", f"{main}/data", {}, A_FILE, 409
    yield "organizer", f"{main}/steps", {"step": "evaluate"}, None, 409
    yield "organizer", f"{main}/steps", {"step": "publish"}, None, 409
    yield "organizer", f"{main}/steps", {"step": "dance"}, None, 404


def test_every_refused_form_is_answered_in_japanese(filled: Filled) -> None:
    clients = {name: filled.client(name) for name in ("organizer", "ami", "watcher", None)}
    secrets = {name: csrf(client.get("/account" if name else "/login")) for name, client in clients.items()}
    for name, path, fields, file, status in refused_forms(filled):
        answer = clients[name].post(path, data={"csrf": secrets[name], **fields}, files=file)
        assert answer.status_code == status, (path, fields)
        page = Reader()
        page.feed(answer.text)
        assert english(page.texts) == [], (path, fields)
    for path in ("/nothing", f"/contests/{filled.demo.contest}/audit", "/account"):
        page = Reader()
        page.feed(clients[None].get(path).text)
        assert english(page.texts) == [], path
    page = Reader()
    page.feed(clients[None].post("/login", data={"login": "ami"}).text)
    assert english(page.texts) == []


def test_the_pages_of_links_are_japanese(filled: Filled) -> None:
    organizer = filled.client("organizer")
    desk = f"/contests/{filled.demo.contest}/organize"
    form = {"csrf": csrf(organizer.get(desk)), "role": "observer"}
    invited = organizer.post(f"/contests/{filled.demo.contest}/invitations", data=form)
    link = re.search(r"/invitations/[\w-]+", invited.text)
    assert link
    with filled.database.writing() as session:
        user = session.scalars(select(User).where(User.login == "outsider")).one()
        reset = make_reset(session, None, filled.settings, user)
    for client, path in (
        (filled.client(None), link[0]),
        (filled.client("outsider"), link[0]),
        (filled.client(None), f"/resets/{reset}"),
    ):
        page = Reader()
        page.feed(client.get(path).text)
        assert english(page.texts) == [], path
    page = Reader()
    page.feed(invited.text)
    assert english(page.texts) == []


def make_token(filled: Filled, name: str, *scopes: str) -> str:
    client = filled.client(name)
    form = {"csrf": csrf(client.get("/account")), "contest": filled.demo.contest, "name": "laptop"}
    page = client.post("/account/tokens", data={**form, "scopes": list(scopes)})
    found = re.search(r"<code>([^<]+)</code>", page.text)
    assert found
    return found[1]


def test_the_api_refuses_in_japanese(filled: Filled) -> None:
    organizer = filled.server.client(make_token(filled, "organizer", "read", "organize"), "/api/v1")
    reading = filled.server.client(make_token(filled, "ami", "read"), "/api/v1")
    nobody = filled.server.client(None, "/api/v1")
    main = filled.rounds()["Main"]
    answers = [
        nobody.get("/contest", headers={"Accept-Language": "ja"}),
        reading.post(f"/rounds/{main}/submissions", content="", headers={"Accept-Language": "ja"}),
        organizer.delete("/teams", headers={"Accept-Language": "ja"}),
        organizer.get("/audit", params={"before": 0, "lang": "ja"}),
        organizer.get("/audit", params={"before": "x", "lang": "ja"}),
        organizer.get("/audit", params={"before": 1 << 40, "lang": "ja"}),
        organizer.get("/audit", params={"before": "1.5", "lang": "ja"}),
        organizer.post("/jobs/0/retry", params={"lang": "ja"}),
    ]
    bodies: tuple[Any, ...] = ({}, {"name": ""}, {"name": "x" * 81}, {"name": 1}, [], "x", None)
    answers += [organizer.post("/teams", params={"lang": "ja"}, json=body) for body in bodies]
    answers += [
        organizer.post("/teams", params={"lang": "ja"}, content="{", headers={"Content-Type": "application/json"})
    ]
    answers += [organizer.post("/invitations", params={"lang": "ja"}, json={"role": "king", "team": "?"})]
    for answer in answers:
        told = answer.json()["error"]["message"]
        assert answer.status_code >= 400 and re.search("[ぁ-ん]", told) and not _has_sentence(told), told


def test_the_static_site_is_japanese(filled: Filled, tmp_path: Path) -> None:
    export_contest(filled.database, filled.files, filled.demo.contest, tmp_path / "archive")
    pages = sorted((tmp_path / "archive" / "site" / "ja").glob("*.html"))
    assert len(pages) == 2
    for path in pages:
        page = Reader()
        page.feed(path.read_text(encoding="utf-8"))
        assert english(page.texts) == [], path.name


def shown_problem(filled: Filled, original: bytes) -> list[str]:
    """Return what the page of a round says of a T that cannot be used."""
    organizer, rounds = filled.client("organizer"), filled.rounds()
    desk = f"/contests/{filled.demo.contest}/organize"
    secret = {"csrf": csrf(organizer.get(desk))}
    if "Broken" not in rounds:
        times = {name: f"2099-01-0{day}T00:00" for day, name in enumerate(TIMES, start=1)}
        organizer.post(f"/contests/{filled.demo.contest}/rounds", data={**secret, **times, "name": "Broken"})
    path = f"/rounds/{filled.rounds()['Broken']}"
    organizer.post(f"{path}/data", data=secret, files={"file": ("T.csv", original, "text/csv")})
    worker = Worker(filled.settings, filled.database, filled.files)
    worker.work_off()
    worker.close()
    page = Reader()
    page.feed(organizer.get(path).text)
    assert any("ルール違反" in text for text in page.texts)
    return page.texts


@pytest.mark.parametrize("original", [b"", b"1,2,3\n", b"a,2011/1/1,x,1.5,1\n" * 20, b"PK\x03\x04", b"\xff\xfea\0"])
def test_what_is_wrong_with_a_t_is_said_in_japanese(filled: Filled, original: bytes) -> None:
    assert english(shown_problem(filled, original)) == []


RULES = ["x", "name = 1", "name = 'a'\ncolumns = 1", "\xff", "[[columns]]\nname = 'a'\nform = 'b'\n", "colour = 1"]


@pytest.mark.parametrize("rules", RULES)
def test_what_is_wrong_with_rules_is_said_in_japanese(filled: Filled, rules: str) -> None:
    organizer = filled.client("organizer")
    plan = {"name": "Rules", "time_zone": "UTC", "rules": "pwscup2018", "submissions_per_day": "1"}
    secret = {"csrf": csrf(organizer.get("/new-contest"))}
    contest = organizer.post("/new-contest", data={**plan, **secret}).headers["location"].removesuffix("/organize")
    file = ("rules.toml", rules.encode("latin-1"), "application/toml")
    answer = organizer.post(f"{contest}/rules", data=secret, files={"file": file})
    assert answer.status_code == 422
    page = Reader()
    page.feed(answer.text)
    assert english(page.texts) == []
