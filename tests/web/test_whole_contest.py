"""A whole contest with three teams on a running server: invitations by forms, uploads by forms and the API."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import time
from collections.abc import Callable
from typing import Any

import httpx
from typer.testing import CliRunner

from sudare.cli.app import app
from sudare.web.game.phases import TIMES
from sudare.web.storage.database import Database
from tests.web.conftest import RunningServer
from tests.web.small_contest import T, anonymized, guesses

PASSWORD = "a long password"


class Browser:
    """What a person does: opens pages, fills in forms."""

    def __init__(self, server: RunningServer) -> None:
        self.client = server.client()

    def open(self, path: str) -> str:
        response = self.client.get(path)
        assert response.status_code == 200, (path, response.status_code, response.text)
        return response.text

    def post(
        self, page: str, path: str, *, expect: int = 303, file: str | None = None, **fields: Any
    ) -> httpx.Response:
        secret = re.search(r'name="csrf" value="([^"]+)"', self.open(page))
        assert secret
        files = {"file": ("../../x.csv", file.encode())} if file is not None else None
        response = self.client.post(path, data={"csrf": secret[1], **fields}, files=files)
        assert response.status_code == expect, (path, response.status_code, response.text)
        return response


def until(found: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for something that workers do."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.05)
    raise TimeoutError


def moment(days: float) -> str:
    return (dt.datetime.now(dt.UTC) + dt.timedelta(days=days)).isoformat()


def link_in(text: str) -> str:
    found = re.search(r"<code>(http[^<]+)</code>", text)
    assert found
    return httpx.URL(found[1]).path


def token_in(text: str) -> str:
    found = re.search(r"<code>(sudare_[^<]+)</code>", text)
    assert found
    return found[1]


def admin_link(running: RunningServer) -> str:
    words = ["server", "user", "add", str(running.settings.folder), "admin", "--can-create-contests"]
    return httpx.URL(CliRunner().invoke(app, words).stdout.strip()).path


def test_a_contest_runs_from_invitations_to_published_standings(running: RunningServer, database: Database) -> None:
    running.start("web")
    running.start("worker")
    organizer = Browser(running)
    link = admin_link(running)
    organizer.post(link, link, password=PASSWORD)
    organizer.post("/login", "/login", login="admin", password=PASSWORD, next="/")
    settings = {"teams_may_download": "yes", "hide_names": "yes", "guesses_replaceable": "yes"}
    made = organizer.post(
        "/new-contest", "/new-contest", name="Cup <b>2026</b>", time_zone="Asia/Tokyo", rules="pwscup2018",
        submissions_per_day="5", **settings,
    )  # fmt: skip
    desk = made.headers["location"]
    contest = desk.removesuffix("/organize")

    # Teams are added and invited; each member makes an account by the link.
    teams: dict[str, Browser] = {}
    for name in ("blue", "green", "red"):
        organizer.post(desk, f"{contest}/teams", name=name)
        page = organizer.open(desk)
        identity = re.findall(r'name="team" value="([^"]+)"', page)[sorted([*teams, name]).index(name)]
        invited = organizer.post(desk, f"{contest}/invitations", expect=200, role="team", team=identity)
        link = link_in(invited.text)
        teams[name] = Browser(running)
        teams[name].post(link, link, login=name, password=PASSWORD)
        assert f": {name}" in teams[name].open(contest)
    assert "Cup &lt;b&gt;2026&lt;/b&gt;" in teams["blue"].open(contest)
    assert teams["blue"].client.get(desk).status_code == 403
    assert running.client().get(contest).status_code == 404

    # A round is added, and T uploaded and checked.
    times = {name: moment(day) for name, day in zip(TIMES, (-1, 1, 2, 3), strict=True)}
    organizer.post(desk, f"{contest}/rounds", name="Main", **times)
    found = re.search(r'href="(/rounds/\w+)"', organizer.open(contest))
    assert found
    round = found[1]
    organizer.post(round, f"{round}/data", file=T)
    until(lambda: "24 rows, 12 customers" in organizer.open(round))
    assert teams["red"].client.get(f"{round}/data").text == T

    # One team hands in by a form, two by the API; errors are told with their places.
    made = teams["blue"].post(round, f"{round}/submissions", file=anonymized()[:-10], note="first")
    page = made.headers["location"]
    until(lambda: "breaks the rules" in teams["blue"].open(page))
    assert '<td class="number">24</td>' in teams["blue"].open(page)
    assert teams["red"].client.get(page).status_code == 404
    assert teams["red"].client.get(page + "/file").status_code == 404
    made = teams["blue"].post(round, f"{round}/submissions", file=anonymized(shift=0), note="second")
    page = made.headers["location"]
    until(lambda: "U = 0.000000" in teams["blue"].open(page))
    teams["blue"].post(round, f"{page}/final")
    apis = {name: api_of(running, browser, contest) for name, browser in teams.items()}
    round_id = round.removeprefix("/rounds/")
    for name, text in (("green", anonymized(dates=False, shift=1)), ("red", anonymized(dates=False, shift=2))):
        sent = apis[name].post(f"/rounds/{round_id}/submissions", content=text)
        assert sent.status_code == 201, sent.text
        assert sent.json()["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        identity = sent.json()["id"]
        checked = until(lambda n=name, i=identity: valid(apis[n].get(f"/submissions/{i}").json()))
        assert checked["utility"] == 0.25
        assert apis["blue"].get(f"/submissions/{identity}").status_code == 404

    # Re-identification: everybody attacks everybody else.
    organizer.post(round, f"{round}/times", anonymization_closes=moment(0), reidentification_opens=moment(0))
    until(lambda: apis["blue"].get(f"/rounds/{round_id}/targets").json())
    right = {"blue": {"green": 5, "red": 5}, "green": {"blue": 11, "red": 5}, "red": {"blue": 5, "green": 5}}
    shifts = {"blue": 0, "green": 1, "red": 2}
    numbers = numbers_of(apis)
    for attacker, hits in right.items():
        for target in apis[attacker].get(f"/rounds/{round_id}/targets").json():
            defender = numbers[target["number"]]
            assert target["team"] == (attacker if defender == attacker else None)
            published = apis[attacker].get(f"/targets/{target['id']}/file")
            assert hashlib.sha256(published.content).hexdigest() == target["sha256"]
            if defender != attacker:
                text = guesses(right=hits[defender], shift=shifts[defender])
                sent = apis[attacker].post(f"/targets/{target['id']}/guesses", content=text)
                assert sent.status_code == 201, sent.text
                identity = sent.json()["id"]
                until(lambda a=attacker, i=identity: valid(apis[a].get(f"/guesses/{i}").json()))
    assert "hits" not in teams["blue"].open(round)

    # Evaluation: only the organizer sees it before it is published.
    organizer.post(round, f"{round}/times", reidentification_closes=moment(0))
    until(lambda: organizer.client.get(f"{round}/results").status_code == 200)
    assert teams["blue"].client.get(f"{round}/results").status_code == 404
    assert apis["blue"].get(f"/rounds/{round_id}/results").status_code == 404
    asked = re.search(r'name="evaluation" value="(\d+)"', organizer.open(f"{round}/publish"))
    assert asked
    organizer.post(round, f"{round}/steps", step="publish", evaluation=asked[1])
    results = apis["red"].get(f"/rounds/{round_id}/results").json()
    standings = [(entry["team"], entry["rank"], entry["outcome"], entry["tied"]) for entry in results["standings"]]
    # r(12) = 11: the attack of green on blue is effective; the others tie.
    assert standings == [
        ("green", 1, "withstood", ["red"]),
        ("red", 1, "withstood", ["green"]),
        ("blue", None, "broken", []),
    ]
    attack = next(entry for entry in results["attacks"] if entry["effective"])
    assert (attack["attacker"], attack["target"], attack["hits"], attack["threshold"]) == ("green", "blue", 11, 11)
    page = teams["red"].open(f"{round}/results?lang=ja")
    assert '<html lang="ja"' in page
    assert "同順位" in page
    log = organizer.open(f"{contest}/audit")
    for words in ("results published", "A submitted", "times changed", "final chosen"):
        assert words in log
    assert teams["red"].client.get(f"{contest}/audit").status_code == 403


def api_of(running: RunningServer, browser: Browser, contest: str) -> httpx.Client:
    identity = contest.removeprefix("/contests/")
    made = browser.post(
        "/account", "/account/tokens", expect=200, contest=identity, name="api", scopes=["read", "submit", "guess"]
    )
    return running.client(token_in(made.text), "/api/v1")


def numbers_of(apis: dict[str, httpx.Client]) -> dict[int, str]:
    """Return whose target a number is, as each team knows of its own."""
    found: dict[int, str] = {}
    for name, api in apis.items():
        round_id = api.get("/contest").json()["rounds"][0]["id"]
        found |= {target["number"]: name for target in api.get(f"/rounds/{round_id}/targets").json() if target["own"]}
    return found


def valid(found: dict[str, Any]) -> dict[str, Any] | None:
    assert found["status"] in ("queued", "valid"), found
    return found if found["status"] == "valid" else None
