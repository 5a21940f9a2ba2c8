"""The database: its tables are those of the models, and it comes from the migrations."""

from __future__ import annotations

import datetime as dt
from importlib import import_module

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine, make_url, select, text
from sqlalchemy.exc import DBAPIError

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.web.game.audit import first_broken, record
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database, database_now
from sudare.web.storage.models import METADATA, AuditEntry, Dataset
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


def test_the_audit_log_of_an_older_server_keeps_its_chain_and_its_triggers(settings: ServerSettings) -> None:
    if settings.database:
        own_database = make_url(settings.database)
        administration = create_engine(own_database.set(database="postgres"), isolation_level="AUTOCOMMIT")
        with administration.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {own_database.database}"))
        administration.dispose()
    database = Database(settings.database_url)
    database.migrate("0003")
    for subject in ("one", "two"):
        with database.writing() as session:
            record(session, None, "unfreeze", subject)
    database.migrate()
    with database.writing() as session:
        record(session, None, "unfreeze", "x" * 200)
    with pytest.raises(DBAPIError), database.writing() as session:
        session.execute(text("DELETE FROM audit_log"))
    with database.reading() as session:
        entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
        assert first_broken(entries) is None
        assert [entry.subject[:3] for entry in entries] == ["one", "two", "xxx"]
    database.close()


def test_what_was_wrong_with_a_t_before_is_shown_in_all_languages(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.scalars(select(Dataset)).one().result = {"valid": False, "message": "T is empty."}
    with small.database.writing() as session, Operations.context(MigrationContext.configure(session.connection())):
        import_module("sudare.web.storage.migrations.versions.v0003_languages").upgrade()
    with small.database.reading() as session:
        told = session.scalars(select(Dataset)).one().result
    assert told == {"valid": False, "message": {"en": "T is empty.", "ja": "T is empty."}}
