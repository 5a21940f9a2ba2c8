"""What pages and the API show to organizers: the audit log, jobs and members."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.audit import PERSON
from sudare.web.game.corrections import open_invitations
from sudare.web.game.visibility import Viewer, check_organizer, team_names
from sudare.web.storage.models import AuditEntry, Job, Membership
from sudare.web.storage.people import User

PERSON_NAME = re.compile(f"{PERSON}[a-z0-9]{{16}}$")


class ShownEntry(BaseModel):
    """An entry of the audit log."""

    id: int
    at: dt.datetime
    actor: str
    action: str
    subject: str
    details: str
    hash: str


class ShownJob(BaseModel):
    """A job, for organizers."""

    id: int
    kind: str
    status: str
    attempts: int
    failure: str | None
    team: str | None
    created_at: dt.datetime
    finished_at: dt.datetime | None


class ShownInvitation(BaseModel):
    """An invitation that can still be accepted, for organizers."""

    id: str
    role: str
    team: str | None
    created_at: dt.datetime
    expires_at: dt.datetime


class ShownMember(BaseModel):
    """A member of a contest, for organizers; one who is disabled cannot log in."""

    login: str
    user: str
    role: str
    team: str | None
    disabled: bool


def show_audit(session: Session, viewer: Viewer, most: int = 500, before: int | None = None) -> list[ShownEntry]:
    """Show the entries of a contest's audit log, the newest first; with `before`, those older than that number."""
    check_organizer(viewer)
    wanted = select(AuditEntry).where(AuditEntry.contest_id == viewer.contest.id)
    if before is not None:
        wanted = wanted.where(AuditEntry.id < before)
    names = ("id", "at", "action", "details", "hash")
    entries = session.scalars(wanted.order_by(AuditEntry.id.desc()).limit(most)).all()
    people = people_names(session, entries)
    return [
        ShownEntry(
            **{name: getattr(entry, name) for name in names},
            actor=people.get(entry.actor, entry.actor),
            subject=people.get(entry.subject, entry.subject),
        )
        for entry in entries
    ]


def people_names(session: Session, entries: Iterable[AuditEntry]) -> dict[str, str]:
    """Return who the people are that entries of the audit log name by their identities."""
    said = {
        text[len(PERSON) :] for entry in entries for text in (entry.actor, entry.subject) if PERSON_NAME.match(text)
    }
    users = session.scalars(select(User).where(User.id.in_(said)))
    return {PERSON + user.id: user.login for user in users}


def show_jobs(session: Session, viewer: Viewer, most: int = 100) -> list[ShownJob]:
    """Show the jobs of a contest: those that failed, then the others, the newest first."""
    check_organizer(viewer)
    names = team_names(session, viewer.contest.id)
    wanted = select(Job).where(Job.contest_id == viewer.contest.id)
    newest = wanted.order_by((Job.status == "failed").desc(), Job.id.desc()).limit(most)
    return [
        ShownJob(
            id=job.id,
            kind=job.kind,
            status=job.status,
            attempts=job.attempts,
            failure=job.failure,
            team=names.get(job.team_id or ""),
            created_at=job.created_at,
            finished_at=job.finished_at,
        )
        for job in session.scalars(newest)
    ]


def show_members(session: Session, viewer: Viewer) -> list[ShownMember]:
    """Show the members of a contest by name."""
    check_organizer(viewer)
    names = team_names(session, viewer.contest.id)
    members = session.scalars(select(Membership).where(Membership.contest_id == viewer.contest.id)).all()
    found = [(session.get_one(User, member.user_id), member) for member in members]
    return [
        ShownMember(
            login=user.login,
            user=user.id,
            role=member.role,
            team=names.get(member.team_id or ""),
            disabled=user.disabled,
        )
        for user, member in sorted(found, key=lambda pair: pair[0].login)
    ]


def show_invitations(session: Session, viewer: Viewer) -> list[ShownInvitation]:
    """Show the invitations that can still be accepted, without their links, which nobody keeps."""
    names = team_names(session, viewer.contest.id)
    return [
        ShownInvitation(
            id=found.id,
            role=found.role,
            team=names.get(found.team_id or ""),
            created_at=found.created_at,
            expires_at=found.expires_at,
        )
        for found in open_invitations(session, viewer)
    ]
