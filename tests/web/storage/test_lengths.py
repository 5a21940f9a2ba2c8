"""Lengths of texts: those of the columns, refused beyond them on both databases alike."""

from __future__ import annotations

from importlib.resources import files

import pytest
from sqlalchemy import String, inspect, select, text
from sqlalchemy.exc import DBAPIError

from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.web.game.accounts import add_user, make_token
from sudare.web.game.audit import first_broken
from sudare.web.game.contests import ContestPlan, add_round, add_team, make_contest, set_rules
from sudare.web.game.phases import TIMES
from sudare.web.game.refusals import Refused
from sudare.web.game.submissions import MOST_NOTE_LETTERS, submit
from sudare.web.storage.base import Base, check_lengths
from sudare.web.storage.database import Database
from sudare.web.storage.models import AuditEntry, Membership, Submission, Team
from sudare.web.storage.people import User
from tests.web.small_contest import PASSWORD, SmallContest, anonymized, guesses

pytestmark = pytest.mark.slow

LETTER = "\N{HIRAGANA LETTER A}"
DAYS = ("2030-01-01", "2030-01-02", "2030-01-03", "2030-01-04")
COLUMNS = [
    (mapper.class_, mapper.get_property_by_column(column).key, column.type.length)
    for mapper in Base.registry.mappers
    for column in mapper.columns
    if isinstance(column.type, String) and column.type.length
]


def test_every_column_of_a_text_refuses_one_that_is_longer_and_no_other(database: Database) -> None:
    assert len(COLUMNS) > 50
    for table, name, length in COLUMNS:
        with pytest.raises(Refused) as refused, database.writing() as session:
            session.add(table(**{name: LETTER * (length + 1)}))
            session.flush()
        assert (refused.value.code, refused.value.values["most"]) == ("text_too_long", length)
        with database.reading() as session:
            check_lengths(inspect(table), session.connection(), table(**{name: LETTER * length}))


def test_the_longest_names_are_taken_everywhere(small: SmallContest) -> None:
    """A whole round of a team, a round and rules whose names could not be longer."""
    longest = LETTER * 80
    with small.database.writing() as session:
        session.get_one(Team, small.teams["blue"]).name = longest
        organizer = session.get_one(User, small.users["organizer"])
        made = make_contest(session, organizer, ContestPlan(longest, rules=BUILT_IN[0]))
        small_contest, small.contest = small.contest, made.id
        viewer = small.viewer(session, "organizer")
        add_team(session, viewer, longest)
        add_round(session, viewer, longest, dict(zip(TIMES, DAYS, strict=True)))
        set_rules(session, viewer, small.files, small.keep(rules(LETTER * 200)))
        member = session.scalars(select(Membership).where(Membership.contest_id == made.id)).one()
        make_token(session, member, organizer, longest, ["read"])
        add_user(session, "a" * 80, PASSWORD)
        small.contest = small_contest
    identity = small.submit("blue", anonymized())
    small.submit("green", anonymized(shift=2))
    small.work()
    small.move(anonymization_closes=0, reidentification_opens=0)
    small.work()
    small.guess("blue", "green", guesses(right=1, shift=2))
    small.work()
    with small.database.reading() as session:
        assert session.get_one(Submission, identity).status == "valid"
        assert first_broken(session.scalars(select(AuditEntry).order_by(AuditEntry.id))) is None


def test_a_note_that_is_too_long_is_cut(small: SmallContest) -> None:
    stored = small.keep(anonymized())
    with small.database.writing() as session:
        found = submit(session, small.viewer(session, "blue"), small.round, stored, LETTER * (MOST_NOTE_LETTERS + 50))
    assert found.note == LETTER * MOST_NOTE_LETTERS


@pytest.mark.parametrize("name", ["", " ", LETTER * 201, "a\\nb"])
def test_rules_with_a_name_that_cannot_be_one_are_refused(small: SmallContest, name: str) -> None:
    with small.database.writing() as session:
        organizer = session.get_one(User, small.users["organizer"])
        small.contest = make_contest(session, organizer, ContestPlan("Other")).id
    with pytest.raises(Refused), small.database.writing() as session:
        set_rules(session, small.viewer(session, "organizer"), small.files, small.keep(rules(name)))


def test_the_audit_log_still_only_grows(small: SmallContest) -> None:
    for statement in ("UPDATE audit_log SET subject = 'x'", "DELETE FROM audit_log"):
        with pytest.raises(DBAPIError), small.database.writing() as session:
            session.execute(text(statement))


def rules(name: str) -> str:
    text = files("sudare.histories.generalized").joinpath("rule_sets/pwscup2018.toml").read_text(encoding="utf-8")
    return text.replace('name = "pwscup2018"', f'name = "{name}"')
