"""Leaderboards: when they are shown, to whom, and that a frozen one does not move."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings, strategies as st
from sqlalchemy import select, update

from sudare.web.game.leaderboards import OPENINGS, Leaderboard, shown_until, visible_leaderboard
from sudare.web.game.refusals import Refused
from sudare.web.game.submissions import choose_final
from sudare.web.game.visibility import find_viewer, visible_round
from sudare.web.storage.database import database_now
from sudare.web.storage.models import Contest, Round, Submission
from sudare.web.storage.people import User
from tests.web.conftest import RunningServer, csrf, log_in
from tests.web.small_contest import SmallContest, anonymized

BEGIN = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
ROUND = Round(
    anonymization_opens=BEGIN,
    anonymization_closes=BEGIN + dt.timedelta(days=10),
    reidentification_opens=BEGIN + dt.timedelta(days=11),
    reidentification_closes=BEGIN + dt.timedelta(days=12),
)
EVERYBODY = ("organizer", "blue", "green", "observer")


@pytest.mark.parametrize(("opening", "day", "until"), [
    ("hidden", 5, None), ("hidden", 10, None), ("hidden", 13, None),
    ("public", -1, None), ("public", 5, 5), ("public", 9.9, 9.9), ("public", 10, 10), ("public", 13, 10),
    ("frozen", -1, None), ("frozen", 5, 5), ("frozen", 8, 8), ("frozen", 9.9, 8),
    ("frozen", 10, 10), ("frozen", 13, 10),
    ("after", 5, None), ("after", 9.9, None), ("after", 10, 10), ("after", 13, 10),
    ("nonsense", 13, None),
])  # fmt: skip
def test_what_is_shown_when(opening: str, day: float, until: float | None) -> None:
    found = shown_until(opening, 48, ROUND, BEGIN + dt.timedelta(days=day))
    assert found == (None if until is None else BEGIN + dt.timedelta(days=until))


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(OPENINGS), st.integers(0, 720), st.floats(-2, 14), st.floats(0, 5))
def test_a_board_never_goes_back_nor_shows_what_is_to_come(opening: str, hours: int, day: float, later: float) -> None:
    now, then = (BEGIN + dt.timedelta(days=days) for days in (day, day + later))
    first, second = (shown_until(opening, hours, ROUND, moment) for moment in (now, then))
    if first is not None:
        assert first <= now
        assert second is not None and second >= first


def board(small: SmallContest, name: str) -> Leaderboard | None:
    with small.database.reading() as session:
        viewer = small.viewer(session, name)
        try:
            return visible_leaderboard(session, viewer, visible_round(session, viewer, small.round))
        except Refused as refused:
            assert refused.code == "not_there"
            return None


def standing(small: SmallContest, name: str) -> list[tuple[int, str, float, int]]:
    found = board(small, name)
    assert found is not None
    return [(place.rank, place.team, place.utility, place.valid) for place in found.places]


def open_as(small: SmallContest, opening: str, hours: int = 24) -> None:
    with small.database.writing() as session:
        session.execute(update(Contest).values(leaderboard=opening, leaderboard_hours=hours))


@pytest.fixture
def handed_in(small: SmallContest) -> SmallContest:
    """Of blue U = 1/4 and then 1/2, of green and red 1/4; deleted are dates, and dates and items, of four columns."""
    small.submit("blue", anonymized(dates=False))
    small.submit("blue", anonymized(dates=False, items=False))
    small.submit("green", anonymized()[:-10])  # breaks the rules
    small.submit("green", anonymized(dates=False, items=False))
    small.work()
    return small


def test_it_is_hidden_from_all_but_organizers_until_it_is_opened(handed_in: SmallContest) -> None:
    assert [board(handed_in, name) is not None for name in EVERYBODY] == [True, False, False, False]
    open_as(handed_in, "after")
    assert [board(handed_in, name) is not None for name in EVERYBODY] == [True, False, False, False]
    open_as(handed_in, "public")
    expected = [(1, "blue", 0.25, 2), (2, "green", 0.5, 1)]
    assert [standing(handed_in, name) for name in EVERYBODY] == [expected] * 4
    handed_in.submit("red", anonymized(dates=False))
    handed_in.work()
    assert standing(handed_in, "observer") == [(1, "blue", 0.25, 2), (1, "red", 0.25, 1), (3, "green", 0.5, 1)]


def test_a_frozen_board_does_not_move_until_the_end(handed_in: SmallContest) -> None:
    small = handed_in
    small.move(anonymization_closes=1)
    open_as(small, "frozen", hours=0)
    assert standing(small, "red") == [(1, "blue", 0.25, 2), (2, "green", 0.5, 1)]
    # It stands still as of an hour ago: nothing that is there counts yet.
    open_as(small, "frozen", hours=25)
    found = board(small, "red")
    assert found is not None and found.frozen and found.places == ()
    small.submit("red", anonymized(dates=False))
    small.work()
    with small.database.writing() as session:
        own = (Submission.team_id == small.teams["blue"]) & (Submission.number == 2)
        mine = session.scalars(select(Submission).where(own)).one()
        choose_final(session, small.viewer(session, "blue"), mine.id)
    again = board(small, "red")
    assert again is not None and again.places == ()
    assert len(standing(small, "organizer")) == 3
    small.move(anonymization_closes=0, reidentification_opens=0)
    assert len(standing(small, "observer")) == 3


def test_outsiders_see_it_only_where_the_contest_is_public(
    handed_in: SmallContest,
) -> None:
    small = handed_in
    open_as(small, "public")
    with small.database.writing() as session:
        user = session.get_one(User, small.users["outsider"])
        with pytest.raises(Refused):
            find_viewer(session, small.contest, user, database_now(session))
        session.get_one(Contest, small.contest).public = True
        viewer = find_viewer(session, small.contest, None, database_now(session))
        assert len(visible_leaderboard(session, viewer, visible_round(session, viewer, small.round)).places) == 2


def test_the_page_and_the_api_show_it_and_organizers_open_it(handed_in: SmallContest, running: RunningServer) -> None:
    small = handed_in
    running.start("web")
    organizer, blue = log_in(running, "organizer"), log_in(running, "blue")
    path = f"/rounds/{small.round}/leaderboard"
    api = running.client(small.token("blue", "read"), "/api/v1")
    assert (blue.get(path).status_code, api.get(path).status_code) == (404, 404)
    assert path not in blue.get(f"/rounds/{small.round}").text
    form = {"csrf": csrf(organizer.get(f"/contests/{small.contest}/organize")), "name": "Small"}
    form |= {"submissions_per_day": "3", "leaderboard": "public", "leaderboard_hours": "24"}
    assert organizer.post(f"/contests/{small.contest}/settings", data=form).status_code == 303
    assert path in blue.get(f"/rounds/{small.round}").text
    page = blue.get(path).text
    assert page.index("blue") < page.index("green") and "0.250000" in page and "your own" in page
    assert "リーダーボード" in blue.get(f"{path}?lang=ja").text
    places = api.get(path).json()["places"]
    assert [(place["team"], place["utility"], place["valid"]) for place in places] == [
        ("blue", 0.25, 2),
        ("green", 0.5, 1),
    ]
    assert "shown while anonymization goes on" in blue.get(f"/contests/{small.contest}?lang=en").text
    log = organizer.get(f"/contests/{small.contest}/audit").text
    assert "shown while anonymization goes on" in log
