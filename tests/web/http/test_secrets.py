"""Every address of the server, asked by those who may not: what is secret is in no answer, in no phase."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute
from sqlalchemy import select, update

from sudare.web.game.contests import publish_results
from sudare.web.game.phases import TIMES
from sudare.web.http.routes import (
    account_pages,
    api_organizer,
    api_team,
    contest_pages,
    correction_pages,
    monitoring,
    organizer_pages,
    team_pages,
)
from sudare.web.storage.archive import export_contest
from sudare.web.storage.models import ApiToken, Contest, Target
from sudare.web.storage.people import LoginSession, User
from tests.web.conftest import Masters, RunningServer, new_settings
from tests.web.small_contest import PASSWORD, SmallContest, T, anonymized, guesses

API = "/api/v1"
PAGES = [
    route
    for module in (account_pages, contest_pages, correction_pages, monitoring, organizer_pages, team_pages)
    for route in module.router.routes
]
PROGRAMS = [route for module in (api_organizer, api_team) for route in module.router.routes]
# A with some dates deleted, so that its U is a number like no other; and one that breaks the rules.
SECRET_LINES = [
    re.sub(r",[^,]+,", ",*,", line, count=1) if number < 7 else line
    for number, line in enumerate(anonymized(shift=3).splitlines())
]
SECRET_A = "\n".join(SECRET_LINES) + "\n"
DRAFT = SECRET_A.replace("apple", "kumquat", 1)
GUESSES = guesses(right=7, shift=0)
NOTE = "our clever trick"


def routes(found: list[object], *methods: str) -> list[APIRoute]:
    return [route for route in found if isinstance(route, APIRoute) and route.methods & set(methods)]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Served:
    """A server whose contest keeps T to itself, with a draft, an A and guesses of the team blue."""

    running: RunningServer
    small: SmallContest
    identities: dict[str, str]

    def fill(self, route: APIRoute) -> str:
        """Return the address of a route with identities of what is there."""
        return re.sub(r"\{(\w+)\}", lambda name: self.identities.get(name[1], "x"), route.path)

    def browser(self, name: str | None) -> httpx.Client:
        client = self.running.client()
        if name:
            secret = csrf(client.get("/login").text)
            form = {"csrf": secret, "login": name, "password": PASSWORD, "next": "/"}
            assert client.post("/login", data=form).status_code == 303
        return client


def csrf(page: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, masters: Masters) -> Iterator[Served]:
    small = masters.copy_contest(new_settings(tmp_path_factory.mktemp("secrets") / "server"))
    with small.database.writing() as session:
        session.execute(update(Contest).values(teams_may_download=False))
    running = RunningServer(small.settings)
    running.start("web")
    api = running.client(small.token("blue", "read", "submit"), API)
    sent = [
        api.post(f"/rounds/{small.round}/submissions", content=text, params={"note": NOTE}).json()
        for text in (DRAFT, SECRET_A)
    ]
    small.submit("green", anonymized(shift=1))
    small.work()
    identities = {
        "contest_id": small.contest,
        "round_id": small.round,
        "submission_id": sent[0]["id"],
        "identity": sent[1]["id"],
        "job_id": "2",
        "team_id": small.teams["blue"],
        "user_id": small.users["blue"],
    }
    yield Served(running, small, identities)
    running.stop()
    small.database.close()


def secrets(*, published: bool) -> list[str]:
    """Return what must not be in an answer: of A its hash, its note and its words, of T and of guesses the same."""
    early = [] if published else [f"{utility():.6f}", str(utility()), "hits"]
    lasting = [sha256(SECRET_A), sha256(DRAFT), sha256(GUESSES), sha256(T), NOTE, "kumquat", *SECRET_LINES[:3]]
    return [*early, *lasting, *GUESSES.splitlines()[:3], *T.splitlines()[:3]]


def utility() -> float:
    """Seven of 96 cells are deleted."""
    return 7 / 96


def ask_everything(served: Served, *, published: bool = False) -> None:
    """Ask every address, as another team, an observer, somebody else and nobody, for what blue has."""
    for name in ("green", "observer", "outsider", None):
        client = served.browser(name)
        answers = [client.get(served.fill(route)) for route in routes(PAGES, "GET")]
        if name in ("green", "observer"):
            token = served.small.token(name, *(("read", "submit", "guess") if name == "green" else ("read",)))
            api = served.running.client(token)
            answers += [api.get(API + served.fill(route)) for route in routes(PROGRAMS, "GET")]
            answers.append(api.put(f"{API}/submissions/{served.identities['submission_id']}/final"))
        for answer in answers:
            # No worker runs here.
            assert answer.status_code < 500 or answer.url.path == "/ready"
            found = [secret for secret in secrets(published=published) if secret in answer.text]
            assert found == [], (name, answer.url)


def test_what_a_team_has_is_in_no_answer_to_others_in_any_phase(served: Served) -> None:
    small = served.small
    with small.database.reading() as session:
        assert session.get_one(User, small.users["blue"])
    own = served.browser("blue").get(f"/submissions/{served.identities['identity']}").text
    assert f"{utility():.6f}" in own and NOTE in own
    ask_everything(served)

    small.move(anonymization_closes=0, reidentification_opens=1)
    small.work()
    with small.database.reading() as session:
        served.identities["target_id"] = small.target(session, "green").id
        hidden = small.target(session, "blue")
    ask_everything(served)
    api = served.running.client(small.token("green", "read"), API)
    assert api.get(f"/targets/{hidden.id}/file").status_code == 404

    small.move(reidentification_opens=0)
    served.identities["guess_id"] = small.guess("blue", "green", GUESSES)
    small.work()
    ask_everything(served)
    listed = api.get(f"/rounds/{small.round}/targets").json()
    assert {target["team"] for target in listed} == {"green", None}

    small.move(reidentification_closes=0)
    small.work()
    ask_everything(served)
    with small.database.writing() as session:
        publish_results(session, small.viewer(session, "organizer"), small.round)
    ask_everything(served, published=True)


def test_what_is_not_yours_answers_like_what_is_not_there(served: Served) -> None:
    client = served.browser("green")
    api = served.running.client(served.small.token("green", "read", "submit", "guess"), API)
    if "guess_id" not in served.identities:  # this test alone
        served.small.to_reidentification()
        served.identities["guess_id"] = served.small.guess("blue", "green", GUESSES)
    for kind, identity in (("submissions", "submission_id"), ("guesses", "guess_id")):
        known = served.identities[identity]
        for one, other in (
            (client.get(f"/{kind}/{known}"), client.get(f"/{kind}/{'q' * 16}")),
            (api.get(f"/{kind}/{known}"), api.get(f"/{kind}/{'q' * 16}")),
        ):
            assert one.status_code == other.status_code == 404
            assert one.text.replace(known, "") == other.text.replace("q" * 16, "")


def test_identities_cannot_be_guessed_from_each_other(served: Served) -> None:
    found = [served.small.contest, served.small.round, *served.small.teams.values(), *served.small.users.values()]
    assert all(re.fullmatch("[a-z0-9]{16}", identity) for identity in found)
    assert len({identity[:4] for identity in found}) > len(found) / 2


def test_an_organizers_address_does_nothing_for_others(served: Served) -> None:
    desks = [*organizer_pages.router.routes, *correction_pages.router.routes]
    desk = [route for route in routes(desks, "POST") if route.path not in ("/new-contest", "/account/delete")]
    for name in ("blue", "observer", "outsider"):
        client = served.browser(name)
        form = {"csrf": csrf(client.get("/account").text), "name": "x", "role": "organizer", "step": "freeze"}
        form |= {"submissions_per_day": "1", "disabled": "yes", "leaderboard": "public", "leaderboard_hours": "1"}
        for route in desk:
            answer = client.post(served.fill(route), data=form, files={"file": ("x", b"x")})
            expected = (404, 422) if name == "outsider" else (403, 404, 422)
            assert answer.status_code in expected, (name, route.path)
        assert client.post("/new-contest", data=form | {"submissions_per_day": "1"}).status_code in (403, 422)
    assert not served.small.found_round().frozen


def test_every_form_is_refused_without_its_secret_or_from_elsewhere(served: Served) -> None:
    client = served.browser("organizer")
    right = {"csrf": csrf(client.get("/account").text)}
    for route in routes(PAGES, "POST"):
        path = served.fill(route)
        answers = [
            client.post(path, data={"name": "x"}),
            client.post(path, data={"csrf": "x" * 43}),
            client.post(path, data=right, headers={"Origin": "https://evil.example"}),
            client.post(path, data=right, headers={"Sec-Fetch-Site": "cross-site"}),
            client.post(path, data=right, headers={"Sec-Fetch-Site": "same-site"}),
        ]
        assert [answer.status_code for answer in answers] == [403] * 5, path
    assert client.get("/account").status_code == 200


# The scope that each address of the API needs besides `read`.
SCOPES = {
    ("POST", "/rounds/{round_id}/submissions"): "submit",
    ("PUT", "/submissions/{submission_id}/final"): "submit",
    ("POST", "/targets/{target_id}/guesses"): "guess",
    ("GET", "/members"): "organize",
    ("GET", "/jobs"): "organize",
    ("GET", "/audit"): "organize",
}


def test_a_token_without_the_scope_is_refused_everywhere(served: Served) -> None:
    bodies = {
        "/description": {"text": "x"},
        "/announcements": {"title": "x"},
        "/teams": {"name": "x"},
        "/invitations": {"role": "observer"},
        "/rounds": dict.fromkeys(("name", *TIMES), "x"),
        "/rounds/{round_id}/times": {},
        "/rounds/{round_id}/steps": {"step": "freeze"},
    }
    for route in routes(PROGRAMS, "GET", "POST", "PUT", "PATCH", "DELETE"):
        method = next(iter(route.methods))
        scope = SCOPES.get((method, route.path), "read" if method == "GET" else "organize")
        name = "organizer" if scope == "organize" else "blue"
        others = {"read", "organize"} if name == "organizer" else {"read", "submit", "guess"}
        client = served.running.client(served.small.token(name, *(others - {scope})), API)
        answer = client.request(method, served.fill(route), json=bodies.get(route.path))
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_such_scope"), (method, route.path)


def test_a_token_is_for_one_contest_and_ends_with_the_membership(served: Served) -> None:
    small = served.small
    token = small.token("red", "read")
    with small.database.writing() as session:
        session.execute(update(User).where(User.id == small.users["red"]).values(disabled=True))
    assert served.running.client(token, API).get("/contest").status_code == 401
    with small.database.writing() as session:
        session.execute(update(User).where(User.id == small.users["red"]).values(disabled=False))
    assert served.running.client(token, API).get("/contest").status_code == 200


def test_an_export_has_no_secret_of_an_account_and_no_draft(served: Served, tmp_path: Path) -> None:
    small = served.small
    with small.database.reading() as session:
        published = session.scalars(select(Target)).all()
    if not published:
        small.move(anonymization_closes=0, reidentification_opens=0)
        small.work()
    export_contest(small.database, small.files, small.contest, tmp_path / "out")
    with small.database.reading() as session:
        hidden = [
            *session.scalars(select(User.password_hash)),
            *session.scalars(select(ApiToken.token_hash)),
            *session.scalars(select(LoginSession.token_hash)),
            *session.scalars(select(LoginSession.csrf)),
        ]
    texts = {path: path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert json.loads((tmp_path / "out" / "archive.json").read_text())["rounds"][0]["finals"]
    for path, text in texts.items():
        assert [word for word in (*hidden, DRAFT, "kumquat") if word in text] == [], path
