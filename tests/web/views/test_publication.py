"""Publishing asks first: what will be shown, to whom, and of which evaluation; without any script."""

from __future__ import annotations

import re

import httpx
import pytest
from sqlalchemy import select

from sudare.messages import Texts
from sudare.web.game.contests import take_step
from sudare.web.game.refusals import Refused
from sudare.web.storage.models import Contest, Evaluation, Round
from tests.web.conftest import RunningServer, csrf, log_in
from tests.web.small_contest import SmallContest, guesses


@pytest.fixture
def over(small: SmallContest, running: RunningServer) -> SmallContest:
    """A round that is evaluated and not published."""
    small.to_reidentification()
    small.guess("blue", "red", guesses(right=12, shift=2))
    small.work()
    small.move(reidentification_closes=0)
    small.work()
    running.start("web")
    return small


def publish(client: httpx.Client, small: SmallContest, **fields: str) -> httpx.Response:
    path = f"/rounds/{small.round}"
    data = {"csrf": csrf(client.get("/account")), "step": "publish", **fields}
    return client.post(f"{path}/steps", data=data)


def published(small: SmallContest) -> bool:
    with small.database.reading() as session:
        return session.get_one(Round, small.round).published_at is not None


def test_the_page_says_what_will_be_shown_to_whom_and_nothing_is_published_without_it(
    over: SmallContest, running: RunningServer
) -> None:
    organizer = log_in(running, "organizer")
    answer = publish(organizer, over)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/rounds/{over.round}/publish")
    assert not published(over)
    page = organizer.get(f"/rounds/{over.round}/publish").text
    assert "All 5 members of the contest" in page
    assert "without an account" not in page
    standings = re.findall(r'<th scope="row">(\w+)</th>', page)
    assert sorted(standings) == ["blue", "green", "red"]
    assert "Which target was whose" in page
    with over.database.writing() as session:
        contest = session.get_one(Contest, over.contest)
        contest.public, contest.hide_names = True, False
    page = organizer.get(f"/rounds/{over.round}/publish").text
    assert "without an account" in page
    assert "Which target was whose" not in page
    japanese = organizer.get(f"/rounds/{over.round}/publish?lang=ja").text
    assert Texts("ja")("web.publish.everybody") in japanese


def test_what_is_published_is_what_was_looked_at(over: SmallContest, running: RunningServer) -> None:
    organizer = log_in(running, "organizer")
    shown = re.search(r'name="evaluation" value="(\d+)"', organizer.get(f"/rounds/{over.round}/publish").text)
    assert shown
    with over.database.writing() as session:
        take_step(session, over.viewer(session, "organizer"), over.round, "evaluate")
    over.work()
    answer = publish(organizer, over, evaluation=shown[1])
    assert answer.status_code == 409
    assert "evaluated again" in answer.text
    assert not published(over)
    with over.database.reading() as session:
        newest = session.scalars(select(Evaluation.id).order_by(Evaluation.id.desc())).first()
    assert publish(organizer, over, evaluation=str(newest)).status_code == 303
    assert published(over)
    assert organizer.get(f"/rounds/{over.round}/publish").status_code == 409


def test_only_organizers_are_asked(over: SmallContest, running: RunningServer) -> None:
    path = f"/rounds/{over.round}/publish"
    statuses = {
        name: (log_in(running, name) if name else running.client()).get(path).status_code
        for name in ("organizer", "blue", "observer", "outsider", None)
    }
    assert statuses == {"organizer": 200, "blue": 403, "observer": 403, "outsider": 404, None: 404}


def test_before_the_evaluation_there_is_nothing_to_confirm(small: SmallContest, running: RunningServer) -> None:
    running.start("web")
    assert log_in(running, "organizer").get(f"/rounds/{small.round}/publish").status_code == 409
    with pytest.raises(Refused), small.database.writing() as session:
        take_step(session, small.viewer(session, "organizer"), small.round, "publish", confirmed=1)


def test_invitations_say_for_whom_they_are(small: SmallContest, running: RunningServer) -> None:
    running.start("web")
    organizer = log_in(running, "organizer")
    desk = f"/contests/{small.contest}/organize"
    for fields, words in (
        ({"role": "team", "team": small.teams["blue"]}, "a member of team blue"),
        ({"role": "observer"}, "observer"),
    ):
        page = organizer.post(
            f"/contests/{small.contest}/invitations", data={"csrf": csrf(organizer.get(desk)), **fields}
        ).text
        assert f"Invitation to Small for: {words}." in page
        link = re.search(r'<code>[^<]+(/invitations/[\w-]+)</code> <button type="button"[^>]+data-copy="([^"]+)"', page)
        assert link and link[2].endswith(link[1])
    team = organizer.post(
        f"/contests/{small.contest}/invitations",
        data={"csrf": csrf(organizer.get(desk)), "role": "team", "team": small.teams["red"]},
    ).text
    link = re.search(r"/invitations/[\w-]+", team)
    assert link
    assert "as a member of team red" in running.client().get(link[0]).text
