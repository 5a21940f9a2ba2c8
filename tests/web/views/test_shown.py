"""What pages show, and how often they ask the database for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from sudare.web.storage.database import Database, database_now
from sudare.web.storage.models import Round, Submission, Target
from sudare.web.views.shown_contests import show_contest
from sudare.web.views.shown_submissions import show_submissions
from sudare.web.views.shown_targets import show_targets
from tests.web.small_contest import TEAMS, SmallContest, anonymized, guesses

pytestmark = pytest.mark.parametrize("settings", ["sqlite"], indirect=True)


@contextmanager
def asked(database: Database) -> Iterator[list[str]]:
    """Yield the statements that are sent to a database."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        found.append(statement)

    event.listen(database._engine, "before_cursor_execute", note)
    yield found
    event.remove(database._engine, "before_cursor_execute", note)


def questions(small: SmallContest) -> int:
    """Return how many statements the page of a round and that of its contest need."""
    with small.database.reading() as session, asked(small.database) as statements:
        viewer = small.viewer(session, "organizer")
        round = session.get_one(Round, small.round)
        show_contest(session, viewer)
        show_submissions(session, viewer, round)
        show_targets(session, viewer, round)
    assert not any("result" in statement and "datasets" not in statement for statement in statements)
    return len(statements)


def add_target(small: SmallContest, name: str, submission: str, number: int) -> None:
    with small.database.writing() as session:
        session.get_one(Round, small.round).targets_at = database_now(session)
        session.add(
            Target(
                round_id=small.round,
                team_id=small.teams[name],
                submission_id=submission,
                number=number,
                file_hash="0" * 64,
                size=1,
                rows=1,
            )
        )


def test_more_targets_and_guesses_need_no_more_questions(small: SmallContest) -> None:
    submissions = {name: small.submit(name, anonymized()) for name in TEAMS}
    small.move(anonymization_closes=0, reidentification_opens=0)
    add_target(small, "blue", submissions["blue"], 1)
    few = questions(small)
    for number, name in enumerate(TEAMS[1:], start=2):
        add_target(small, name, submissions[name], number)
        small.guess(name, "blue", guesses(right=1))
    assert questions(small) == few


def test_more_submissions_need_no_more_questions(small: SmallContest) -> None:
    small.submit("blue", anonymized())
    few = questions(small)
    for name in TEAMS:
        small.submit(name, anonymized())
    assert questions(small) == few


def test_a_round_with_many_submissions_is_shown_in_pages(small: SmallContest) -> None:
    numbers = {"blue": 7, "green": 3}
    for name, most in numbers.items():
        with small.database.writing() as session:
            team, user = small.teams[name], small.users[name]
            for number in range(1, most + 1):
                session.add(
                    Submission(
                        round_id=small.round,
                        team_id=team,
                        number=number,
                        file_hash="0" * 64,
                        size=1,
                        note="",
                        created_by=user,
                        created_at=database_now(session),
                        status="valid",
                        utility=number**2 / 100,
                    )
                )
    with small.database.reading() as session:
        round = session.get_one(Round, small.round)

        def page(name: str, number: int, most: int | None = 4) -> list[tuple[str, int, float | None]]:
            shown = show_submissions(session, small.viewer(session, name), round, most=most, page=number)
            assert shown.total == (10 if name == "organizer" else numbers[name])
            return [(found.team, found.number, found.change) for found in shown.submissions]

        found = [page("organizer", number) for number in (1, 2, 3, 4)]
        assert [len(entries) for entries in found] == [4, 4, 2, 0]
        everything = [entry for entries in found for entry in entries]
        assert everything == page("organizer", 1, None)
        assert len(set(everything)) == 10
        # What changed is known although the one before is on another page.
        changes = {(team, number): change for team, number, change in everything}
        assert changes["blue", 5] == pytest.approx(0.09)
        assert changes["blue", 1] is None
        assert [number for _, number, _ in page("green", 1)] == [3, 2, 1]
