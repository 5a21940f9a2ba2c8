"""The audit log: complete, in order, and not to be changed."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from sudare.web.game.audit import first_broken, record
from sudare.web.storage.database import Database
from sudare.web.storage.models import AuditEntry


def entries(database: Database) -> list[AuditEntry]:
    with database.reading() as session:
        return list(session.scalars(select(AuditEntry).order_by(AuditEntry.id)))


def test_each_entry_holds_the_hash_of_the_one_before(database: Database) -> None:
    with database.writing() as session:
        record(session, None, "freeze", "one", contest_id="c", reason="<b>")
        record(session, None, "unfreeze", "two", contest_id="c")
    first, second = entries(database)
    assert second.previous_hash == first.hash
    assert first_broken([first, second]) is None


def test_a_changed_or_missing_entry_is_found(database: Database) -> None:
    with database.writing() as session:
        for name in ("one", "two", "three"):
            record(session, None, "freeze", name)
    found = entries(database)
    assert first_broken([found[0], found[2]]) == 2
    found[1].subject = "other"
    assert first_broken(found) == 2


@pytest.mark.parametrize("statement", ["UPDATE audit_log SET subject = 'x'", "DELETE FROM audit_log"])
def test_the_database_itself_refuses_to_change_the_log(database: Database, statement: str) -> None:
    with database.writing() as session:
        record(session, None, "freeze", "one")
    with pytest.raises(DBAPIError), database.writing() as session:
        session.execute(text(statement))
    assert [entry.subject for entry in entries(database)] == ["one"]


def test_entries_at_the_same_time_stand_in_one_chain(database: Database) -> None:
    def write(number: int) -> None:
        for _ in range(5):
            with database.writing() as session:
                record(session, None, "freeze", str(number))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = entries(database)
    assert len(found) == 20
    assert first_broken(found) is None
