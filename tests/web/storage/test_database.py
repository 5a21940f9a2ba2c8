"""The database: its tables are those of the models, and it comes from the migrations."""

from __future__ import annotations

import datetime as dt

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.models import METADATA, Dataset
from sudare.web.storage.people import LoginAttempt
from tests.web.small_contest import SmallContest


def test_migrations_make_the_tables_of_the_models(database: Database) -> None:
    with database.reading() as session:
        context = MigrationContext.configure(session.connection())
        assert compare_metadata(context, METADATA) == []


def test_migrating_again_changes_nothing(database: Database) -> None:
    database.migrate()
    database.migrate()


def test_moments_come_back_as_they_were(database: Database) -> None:
    moment = dt.datetime(2026, 3, 4, 5, 6, 7, 891011, tzinfo=dt.timezone(dt.timedelta(hours=9)))
    with database.writing() as session:
        session.add(LoginAttempt(account="a", address="b", at=moment))
    with database.reading() as session:
        found = session.scalars(select(LoginAttempt.at)).one()
    assert found == moment
    assert found.utcoffset() == dt.timedelta(0)


def test_the_time_of_the_database_is_in_utc(database: Database) -> None:
    with database.reading() as session:
        assert abs(database_now(session) - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=1)


def test_a_failed_block_leaves_nothing(database: Database) -> None:
    with pytest.raises(KeyError), database.writing() as session:
        session.add(LoginAttempt(account="a", address="b", at=database_now(session)))
        session.flush()
        raise KeyError
    with database.reading() as session:
        assert session.scalars(select(LoginAttempt)).all() == []


@pytest.mark.parametrize("url", ["", "mysql://x/y", "nonsense", "postgresql+nodriver://x/y"])
def test_an_address_that_is_not_understood_is_told(url: str) -> None:
    with pytest.raises(OptionNotUsable, match="Hint: "):
        Database(url)


def test_a_database_that_cannot_be_reached_is_told_without_the_password() -> None:
    database = Database("postgresql+psycopg://user:secret@127.0.0.1:1/none")
    with pytest.raises(SourceNotReadable) as error:
        database.migrate()
    assert "secret" not in str(error.value)


def test_what_was_wrong_with_a_t_before_is_shown_in_all_languages(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0002'"))
        session.scalars(select(Dataset)).one().result = {"valid": False, "message": "T is empty."}
    small.database.migrate()
    with small.database.reading() as session:
        told = session.scalars(select(Dataset)).one().result
    assert told == {"valid": False, "message": {"en": "T is empty.", "ja": "T is empty."}}
