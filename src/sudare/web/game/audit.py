"""The audit log: what organizers, teams and the server did, each entry with the hash of the one before it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from sudare.web.storage.database import AUDIT_LOCK, database_now, wait_for_turn
from sudare.web.storage.models import AuditAddress, AuditEntry
from sudare.web.storage.people import User

# What the first entry has in place of a forerunner's hash, and who acts where no user does.
BEGINNING = "0" * 64
SERVER = "(server)"
PERSON = "@"


def record(
    session: Session,
    actor: User | None,
    action: str,
    subject: str | User,
    *,
    contest_id: str | None = None,
    **details: object,
) -> AuditEntry:
    """Add an entry in the transaction of what it tells of; people stand in it by their identities."""
    wait_for_turn(session, AUDIT_LOCK)
    last = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1)).first()
    entry = AuditEntry(
        id=last.id + 1 if last else 1,
        at=database_now(session),
        actor_id=actor.id if actor else None,
        actor=person_name(actor) if actor else SERVER,
        contest_id=contest_id,
        action=action,
        subject=person_name(subject) if isinstance(subject, User) else subject,
        details=json.dumps(details, ensure_ascii=False, sort_keys=True, default=_plain),
        previous_hash=last.hash if last else BEGINNING,
        hash="",
    )
    entry.hash = entry_hash(entry)
    session.add(entry)
    session.flush()
    return entry


def person_name(user: User) -> str:
    """Return what stands for a user in the audit log: an identity, which nobody's name is erased from."""
    return PERSON + user.id


def keep_address(session: Session, entry: AuditEntry, user: User | None, address: str, days: int) -> None:
    """Keep from where an entry came, for a number of days; those that are older are erased."""
    session.execute(delete(AuditAddress).where(AuditAddress.at < entry.at - dt.timedelta(days=days)))
    session.add(AuditAddress(entry_id=entry.id, user_id=user.id if user else None, address=address[:64], at=entry.at))


def entry_hash(entry: AuditEntry) -> str:
    """Return the hash of all that an entry says, and of its forerunner's hash."""
    said = [
        entry.id,
        entry.at.isoformat(),
        entry.actor_id,
        entry.actor,
        entry.contest_id,
        entry.action,
        entry.subject,
        entry.details,
        entry.previous_hash,
    ]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def result_hash(result: Mapping[str, Any]) -> str:
    """Return the hash of an evaluation's result, by which a published one is known again."""
    return hashlib.sha256(json.dumps(result, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def first_broken(entries: Iterable[AuditEntry]) -> int | None:
    """Return the number of the first entry, of all in order, that was changed or does not follow its forerunner."""
    previous = BEGINNING
    for number, entry in enumerate(entries, start=1):
        if entry.id != number or entry.previous_hash != previous or entry.hash != entry_hash(entry):
            return number
        previous = entry.hash
    return None


def _plain(value: object) -> str:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    raise TypeError(f"no plain value: {type(value)}")
