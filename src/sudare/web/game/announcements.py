"""What organizers tell in their own words: the description of a contest, and announcements, both in Markdown."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.audit import record
from sudare.web.game.contests import checked_name
from sudare.web.game.refusals import Refused, not_there
from sudare.web.game.visibility import Viewer, check_organizer
from sudare.web.storage.database import database_now
from sudare.web.storage.models import Announcement, Contest

MOST_TEXT_LETTERS = 10_000
MOST_ANNOUNCEMENTS = 200


def describe(session: Session, viewer: Viewer, text: str) -> Contest:
    """Set the description of a contest; an empty one takes it away."""
    check_organizer(viewer)
    found = session.get_one(Contest, viewer.contest.id)
    found.description = _checked_text(text)
    record(session, viewer.actor, "describe", found.name, contest_id=found.id, letters=len(found.description))
    return found


def announce(session: Session, viewer: Viewer, title: str, text: str) -> Announcement:
    """Tell something to everybody who sees the contest."""
    check_organizer(viewer)
    if len(visible_announcements(session, viewer)) >= MOST_ANNOUNCEMENTS:
        raise Refused("errors.contests.announcements_full", 409, count=MOST_ANNOUNCEMENTS)
    found = Announcement(
        contest_id=viewer.contest.id,
        title=checked_name(title),
        text=_checked_text(text),
        created_by=viewer.actor.id,
        created_at=database_now(session),
    )
    session.add(found)
    session.flush()
    record(session, viewer.actor, "announce", found.title, contest_id=viewer.contest.id)
    return found


def withdraw(session: Session, viewer: Viewer, identity: str) -> None:
    """Take an announcement back; that it was there stays in the audit log."""
    check_organizer(viewer)
    found = session.get(Announcement, identity)
    if found is None or found.contest_id != viewer.contest.id:
        raise not_there()
    session.delete(found)
    record(session, viewer.actor, "withdraw", found.title, contest_id=viewer.contest.id)


def visible_announcements(session: Session, viewer: Viewer) -> list[Announcement]:
    """Return the announcements of a contest, the newest first."""
    viewer.need("read")
    wanted = select(Announcement).where(Announcement.contest_id == viewer.contest.id)
    return list(session.scalars(wanted.order_by(Announcement.created_at.desc(), Announcement.id)))


def _checked_text(text: str) -> str:
    found = text.replace("\r\n", "\n").replace("\0", "").strip()
    if len(found) > MOST_TEXT_LETTERS:
        raise Refused("errors.contests.text_length", 422, most=MOST_TEXT_LETTERS)
    return found
