"""What organizers correct: names and choices, invitations, tokens, members and accounts.

The audit log says what was done, and keeps its chain: a person whose account is deleted stands in it by an identity.
"""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sudare.showing import dataclass
from sudare.web.game.accounts import end_all_sessions, end_links, end_tokens, lift_throttle, may_reset
from sudare.web.game.audit import record
from sudare.web.game.contests import MOST_PER_DAY, checked_name, own_round
from sudare.web.game.leaderboards import MOST_HOURS, OPENINGS
from sudare.web.game.refusals import Refused, not_there
from sudare.web.game.visibility import Viewer, check_organizer
from sudare.web.storage.database import database_now
from sudare.web.storage.models import ApiToken, AuditAddress, Contest, Invitation, Membership, Team
from sudare.web.storage.people import User

# What can be changed of a contest at any time; T itself is shown or not from the beginning.
CHOICES = ("hide_names", "guesses_replaceable", "public")
NOBODY = "deleted-"


@dataclass(frozen=True, slots=True)
class ContestEdit:
    """What can be changed of a contest at any time."""

    name: str
    submissions_per_day: int
    hide_names: bool
    guesses_replaceable: bool
    public: bool
    leaderboard: str = "hidden"
    leaderboard_hours: int = 24


def edit_contest(session: Session, viewer: Viewer, edit: ContestEdit) -> Contest:
    """Change the name of a contest, how much may be handed in a day, and choices; the log has what changed."""
    check_organizer(viewer)
    if edit.leaderboard not in OPENINGS:
        raise not_there()
    if not 0 <= edit.leaderboard_hours <= MOST_HOURS:
        raise Refused("errors.contests.leaderboard_hours", 422, most=MOST_HOURS)
    if not 1 <= edit.submissions_per_day <= MOST_PER_DAY:
        raise Refused("errors.contests.per_day", 422, most=MOST_PER_DAY)
    found = session.get_one(Contest, viewer.contest.id)
    wanted = {**asdict(edit), "name": checked_name(edit.name)}
    changed = {key: value for key, value in wanted.items() if getattr(found, key) != value}
    if changed:
        record(session, viewer.actor, "edit_contest", found.name, contest_id=found.id, **changed)
    for key, value in changed.items():
        setattr(found, key, value)
    return found


def rename_round(session: Session, viewer: Viewer, round_id: str, name: str) -> None:
    """Give a round another name."""
    found = own_round(session, viewer, round_id)
    before, found.name = found.name, checked_name(name)
    record(session, viewer.actor, "rename", before, contest_id=found.contest_id, name=found.name)


def rename_team(session: Session, viewer: Viewer, team_id: str, name: str) -> None:
    """Give a team another name; Refused if it is taken."""
    check_organizer(viewer)
    found = session.get(Team, team_id)
    if found is None or found.contest_id != viewer.contest.id:
        raise not_there()
    before, new = found.name, checked_name(name)
    try:
        with session.begin_nested():
            found.name = new
            session.flush()
    except IntegrityError:
        raise Refused("errors.contests.team_taken", 409, name=new) from None
    record(session, viewer.actor, "rename", before, contest_id=viewer.contest.id, name=new)


def open_invitations(session: Session, viewer: Viewer) -> list[Invitation]:
    """Return the invitations that can still be accepted, the newest first."""
    check_organizer(viewer)
    wanted = select(Invitation).where(
        Invitation.contest_id == viewer.contest.id, Invitation.used_at.is_(None), Invitation.expires_at > viewer.now
    )
    return list(session.scalars(wanted.order_by(Invitation.created_at.desc(), Invitation.id)))


def revoke_invitation(session: Session, viewer: Viewer, identity: str) -> None:
    """Make an invitation useless."""
    check_organizer(viewer)
    found = session.get(Invitation, identity, with_for_update=True)
    if found is None or found.contest_id != viewer.contest.id or found.used_at is not None:
        raise not_there()
    found.expires_at = min(found.expires_at, database_now(session))
    team = session.get_one(Team, found.team_id).name if found.team_id else None
    record(session, viewer.actor, "revoke_invitation", team or found.role, contest_id=found.contest_id, role=found.role)


def member_of(session: Session, viewer: Viewer, user_id: str) -> tuple[User, Membership]:
    """Return a member of the contest."""
    check_organizer(viewer)
    wanted = select(Membership).where(Membership.user_id == user_id, Membership.contest_id == viewer.contest.id)
    member = session.scalars(wanted).first()
    if member is None:
        raise not_there()
    return session.get_one(User, user_id), member


def member_tokens(session: Session, viewer: Viewer, user_id: str) -> list[ApiToken]:
    """Return the tokens that a member has for the contest."""
    member_of(session, viewer, user_id)
    wanted = select(ApiToken).where(ApiToken.user_id == user_id, ApiToken.contest_id == viewer.contest.id)
    return list(session.scalars(wanted.where(ApiToken.revoked_at.is_(None)).order_by(ApiToken.created_at)))


def revoke_member_token(session: Session, viewer: Viewer, user_id: str, identity: str) -> None:
    """Revoke a token of a member for the contest."""
    found = next((token for token in member_tokens(session, viewer, user_id) if token.id == identity), None)
    if found is None:
        raise not_there()
    found.revoked_at = database_now(session)
    record(session, viewer.actor, "revoke_token", found.name, contest_id=viewer.contest.id)


def remove_member(session: Session, viewer: Viewer, user_id: str) -> None:
    """Take somebody out of the contest; what was handed in stays with the team."""
    user, member = member_of(session, viewer, user_id)
    _keep_an_organizer(session, user, Membership.contest_id == viewer.contest.id)
    end_tokens(session, user, database_now(session), viewer.contest.id)
    session.delete(member)
    record(session, viewer.actor, "remove_member", user, contest_id=viewer.contest.id, role=member.role)


def set_disabled(session: Session, viewer: Viewer, user_id: str, disabled: bool) -> None:
    """Keep a member from logging in, with all sessions and links at their end, or allow it again."""
    user = _own_guest(session, viewer, user_id)
    user.disabled = disabled
    if disabled:
        end_all_sessions(session, user)
        end_links(session, user, database_now(session))
    record(session, viewer.actor, "disable" if disabled else "enable", user, contest_id=viewer.contest.id)


def delete_member(session: Session, viewer: Viewer, user_id: str, confirmed: str) -> None:
    """Delete the account of a member, whose name must be given again."""
    user = _own_guest(session, viewer, user_id)
    if confirmed.strip().casefold() != user.login:
        raise Refused("errors.accounts.not_confirmed", 422, login=user.login)
    delete_account(session, viewer.actor, user, viewer.contest.id)


def delete_account(session: Session, actor: User, user: User, contest_id: str | None = None) -> None:
    """Erase a person: name, password, addresses, memberships, sessions, tokens. What was handed in stays.

    There is no way back. Refused where a contest or the server would have nobody left to run it.
    """
    _keep_an_organizer(session, user, Membership.user_id == user.id)
    admins = select(func.count()).select_from(User).where(User.admin, User.disabled.is_(False), User.id != user.id)
    if user.admin and not session.scalar(admins):
        raise Refused("errors.accounts.last_admin", 409)
    now = database_now(session)
    lift_throttle(session, user)
    end_all_sessions(session, user)
    end_tokens(session, user, now)
    end_links(session, user, now)
    session.execute(delete(Membership).where(Membership.user_id == user.id))
    session.execute(delete(AuditAddress).where(AuditAddress.user_id == user.id))
    session.execute(update(ApiToken).where(ApiToken.user_id == user.id).values(name=""))
    record(session, actor, "delete_account", user, contest_id=contest_id)
    erased = {"login": NOBODY + user.id, "password_hash": "", "disabled": True, "admin": False}
    session.execute(update(User).where(User.id == user.id).values(**erased))


def _own_guest(session: Session, viewer: Viewer, user_id: str) -> User:
    """Return a member whose account the organizer may change, who is somebody else."""
    user, _ = member_of(session, viewer, user_id)
    if user.id == viewer.actor.id or not may_reset(session, viewer.actor, user):
        raise Refused("errors.requests.not_yours", 403)
    return user


def _keep_an_organizer(session: Session, user: User, among: ColumnElement[bool]) -> None:
    """Refuse to take the last organizer out of contests."""
    own = select(Membership.contest_id).where(Membership.user_id == user.id, Membership.role == "organizer", among)
    for contest in session.scalars(own).all():
        session.execute(select(Contest.id).where(Contest.id == contest).with_for_update())
        others = select(Membership.id).where(
            Membership.contest_id == contest, Membership.role == "organizer", Membership.user_id != user.id
        )
        if session.scalars(others.limit(1)).first() is None:
            raise Refused("errors.accounts.last_organizer", 409)
