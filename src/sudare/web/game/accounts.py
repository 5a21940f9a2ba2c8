"""Accounts: log-in, throttling, invitations, password reset links, and API tokens."""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
from collections.abc import Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sudare.messages import Joined, message
from sudare.showing import dataclass
from sudare.web.game.audit import keep_address, record
from sudare.web.game.refusals import Refused, not_there
from sudare.web.http.security import (
    API_TOKEN_PREFIX,
    hash_password,
    new_token,
    password_fits,
    refuse_common,
    token_hash,
)
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import LOGIN_LOCK, Database, database_now, wait_for_turn
from sudare.web.storage.models import ApiToken, Invitation, Membership, Team
from sudare.web.storage.people import LoginAttempt, LoginSession, PasswordReset, User

LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{1,79}")
# Stands for a name that no account has, where a log-in failed.
UNKNOWN = "?"
# What a token may be for, by the role of its user.
SCOPES = {"organizer": ("read", "organize"), "team": ("read", "submit", "guess"), "observer": ("read",)}


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A new session: what the browser keeps."""

    token: str
    user: User


def log_in(
    database: Database, settings: ServerSettings, login: str, password: str, address: str, former: str | None = None
) -> LoggedIn:
    """Begin a session and end the former one of this browser; Refused if the password is wrong or tried too often."""
    user = check_password(database, settings, login, password, address)
    with database.writing() as session:
        if former:
            end_session(session, former)
        token = _begin_session(session, user, settings)
        entry = record(session, user, "log_in", user)
        keep_address(session, entry, user, address, settings.address_days)
    return LoggedIn(token, user)


def check_password(database: Database, settings: ServerSettings, login: str, password: str, address: str) -> User:
    """Return the user whose password it is; Refused if it is wrong or was tried too often.

    The attempt is counted before the password is looked at, so that attempts at the same time do not slip through. One
    that fails is in the audit log; a name that nobody has is not, since it may be a password.
    """
    account = _account(login)
    with database.writing() as session:
        attempt = _count_attempt(session, settings, account, address)
        user = session.scalars(select(User).where(User.login == login.casefold())).first()
    right = password_fits(password, user.password_hash if user else None)
    if not right or user is None or user.disabled:
        with database.writing() as session:
            entry = record(session, None, "log_in_failed", user or UNKNOWN)
            keep_address(session, entry, user, address, settings.address_days)
        raise Refused("errors.accounts.wrong_password", 403)
    with database.writing() as session:
        session.execute(delete(LoginAttempt).where(LoginAttempt.id == attempt))
    return user


def _account(login: str) -> str:
    return token_hash(login.casefold())[:64]


def _source(address: str) -> str:
    """Return an address as attempts are counted by it: of IPv6, a network that one customer has as a whole."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def lift_throttle(session: Session, user: User) -> None:
    """Forget the failed attempts to log in as a user."""
    session.execute(delete(LoginAttempt).where(LoginAttempt.account == _account(user.login)))


def _count_attempt(session: Session, settings: ServerSettings, account: str, address: str) -> int:
    wait_for_turn(session, LOGIN_LOCK)
    now = database_now(session)
    since = now - dt.timedelta(minutes=settings.throttle_minutes)
    session.execute(delete(LoginAttempt).where(LoginAttempt.at < since))
    source = _source(address)
    # By account and address together: else anybody could lock everybody out of an account.
    from_there = LoginAttempt.address == source
    for attempts, most in (
        (from_there & (LoginAttempt.account == account), settings.account_failures),
        (from_there, settings.address_failures),
    ):
        if (session.scalar(select(func.count()).select_from(LoginAttempt).where(attempts)) or 0) >= most:
            raise Refused("errors.accounts.throttled", 429, count=settings.throttle_minutes)
    attempt = LoginAttempt(account=account, address=source, at=now)
    session.add(attempt)
    session.flush()
    return attempt.id


def _begin_session(session: Session, user: User, settings: ServerSettings) -> str:
    token, now = new_token(), database_now(session)
    session.add(
        LoginSession(
            token_hash=token_hash(token),
            csrf=new_token(),
            user_id=user.id,
            created_at=now,
            expires_at=now + dt.timedelta(hours=settings.session_hours),
        )
    )
    return token


def find_session(session: Session, token: str | None, now: dt.datetime | None = None) -> LoginSession | None:
    """Return the session of a browser's token unless it is over; `now` defaults to this moment."""
    if not token:
        return None
    found = session.scalars(select(LoginSession).where(LoginSession.token_hash == token_hash(token))).first()
    if found is None or found.user.disabled or found.expires_at <= (now or database_now(session)):
        return None
    return found


def end_session(session: Session, token: str) -> None:
    """End the session of a browser's token."""
    session.execute(delete(LoginSession).where(LoginSession.token_hash == token_hash(token)))


def log_out_everywhere(session: Session, user: User) -> None:
    """End all sessions of a user who asks for it."""
    end_all_sessions(session, user)
    record(session, user, "log_out_everywhere", user)


def end_all_sessions(session: Session, user: User) -> None:
    """End all sessions of a user."""
    session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))


def add_user(session: Session, login: str, password: str, *, admin: bool = False) -> User:
    """Add a user; Refused if the name is taken or cannot be one."""
    if not LOGIN.fullmatch(login):
        raise Refused("errors.accounts.login_form", 422)
    refuse_common(password, login)
    user = User(
        login=login.casefold(), password_hash=hash_password(password), admin=admin, created_at=database_now(session)
    )
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:
        raise Refused("errors.accounts.login_taken", 409, login=login) from None
    record(session, None, "add_user", user, admin=admin)
    return user


def change_password(session: Session, user: User, password: str) -> None:
    """Set a new password; all sessions, tokens and links of the user end."""
    refuse_common(password, user.login)
    now = database_now(session)
    session.execute(update(User).where(User.id == user.id).values(password_hash=hash_password(password)))
    end_all_sessions(session, user)
    end_tokens(session, user, now)
    end_links(session, user, now)
    record(session, user, "password_changed", user)


def end_tokens(session: Session, user: User, now: dt.datetime, contest_id: str | None = None) -> None:
    """Revoke all tokens of a user, or those for one contest."""
    wanted = (ApiToken.user_id == user.id) & ApiToken.revoked_at.is_(None)
    if contest_id is not None:
        wanted &= ApiToken.contest_id == contest_id
    session.execute(update(ApiToken).where(wanted).values(revoked_at=now))


def end_links(session: Session, user: User, now: dt.datetime) -> None:
    """End all links with which a user could choose a new password."""
    unused = (PasswordReset.user_id == user.id) & PasswordReset.used_at.is_(None)
    session.execute(update(PasswordReset).where(unused).values(used_at=now))


def invite(
    session: Session, actor: User, settings: ServerSettings, *, contest_id: str, role: str, team_id: str | None
) -> str:
    """Return the token of an invitation that is good for one person."""
    if role not in SCOPES or (role == "team") != (team_id is not None):
        raise Refused("errors.accounts.no_role", 422)
    team = session.get(Team, team_id) if team_id else None
    if team_id and (team is None or team.contest_id != contest_id):
        raise not_there()
    token, now = new_token(), database_now(session)
    session.add(
        Invitation(
            token_hash=token_hash(token),
            contest_id=contest_id,
            role=role,
            team_id=team_id,
            created_by=actor.id,
            created_at=now,
            expires_at=now + dt.timedelta(hours=settings.link_hours),
        )
    )
    record(session, actor, "invite", team.name if team else role, contest_id=contest_id, role=role)
    return token


def find_invitation(session: Session, token: str) -> Invitation:
    """Return an invitation that can still be accepted."""
    found = session.scalars(
        select(Invitation).where(Invitation.token_hash == token_hash(token)).with_for_update()
    ).first()
    if found is None or found.used_at is not None or found.expires_at <= database_now(session):
        raise Refused("errors.accounts.link_over", 410)
    return found


def accept_invitation(session: Session, token: str, user: User) -> Membership:
    """Make a user the member that an invitation is for; it is used up."""
    found = find_invitation(session, token)
    known = select(Membership).where(Membership.user_id == user.id, Membership.contest_id == found.contest_id)
    if session.scalars(known).first():
        raise Refused("errors.accounts.member_already", 409)
    found.used_at, found.used_by = database_now(session), user.id
    member = Membership(user_id=user.id, contest_id=found.contest_id, role=found.role, team_id=found.team_id)
    session.add(member)
    record(session, user, "join", user, contest_id=found.contest_id, role=found.role, team=found.team_id)
    return member


def make_reset(
    session: Session, actor: User | None, settings: ServerSettings, user: User, contest_id: str | None = None
) -> str:
    """Return the token of a link with which a user chooses a new password; None acts for the command line.

    Links that were made before end, and so does the wait after failed attempts to log in.
    """
    token, now = new_token(), database_now(session)
    end_links(session, user, now)
    lift_throttle(session, user)
    session.add(
        PasswordReset(
            token_hash=token_hash(token),
            user_id=user.id,
            created_by=actor.id if actor else None,
            created_at=now,
            expires_at=now + dt.timedelta(minutes=settings.reset_minutes),
        )
    )
    record(session, actor, "reset_link", user, contest_id=contest_id)
    return token


def use_reset(session: Session, token: str, password: str) -> User:
    """Set the password that was chosen through a link, which is used up with all others; all sessions end."""
    found = session.scalars(
        select(PasswordReset).where(PasswordReset.token_hash == token_hash(token)).with_for_update()
    ).first()
    now = database_now(session)
    if found is None or found.used_at is not None or found.expires_at <= now:
        raise Refused("errors.accounts.link_over", 410)
    user = session.get_one(User, found.user_id)
    change_password(session, user, password)
    lift_throttle(session, user)
    return user


def may_reset(session: Session, actor: User, user: User) -> bool:
    """Say whether an organizer may make a link for a user: one who is nothing more than a guest of the organizer.

    Else an organizer could take over the account of an admin or of another contest.
    """
    if actor.admin:
        return True
    if user.admin:
        return False
    own = select(Membership.contest_id).where(Membership.user_id == actor.id, Membership.role == "organizer")
    organized = set(session.scalars(own))
    memberships = session.scalars(select(Membership).where(Membership.user_id == user.id)).all()
    return bool(memberships) and all(
        member.contest_id in organized and member.role != "organizer" for member in memberships
    )


def make_token(session: Session, member: Membership, user: User, name: str, scopes: list[str]) -> str:
    """Return a new token for programs, of the scopes that the user's role allows."""
    chosen = sorted(set(scopes))
    if not chosen or not set(chosen) <= set(SCOPES[member.role]):
        raise Refused("errors.accounts.no_scope", 422, scopes=_names(SCOPES[member.role]))
    if not 1 <= len(name.strip()) <= 80:
        raise Refused("errors.contests.name_length", 422, most=80)
    token = API_TOKEN_PREFIX + new_token()
    session.add(
        ApiToken(
            token_hash=token_hash(token),
            user_id=user.id,
            contest_id=member.contest_id,
            name=name.strip(),
            scopes=" ".join(chosen),
            created_at=database_now(session),
        )
    )
    record(session, user, "make_token", name.strip(), contest_id=member.contest_id, scopes=chosen)
    return token


def _names(scopes: Sequence[str]) -> Joined:
    return Joined([message(f"web.scope.{scope}") for scope in scopes], "comma")


def find_token(session: Session, token: str) -> ApiToken | None:
    """Return what is kept of a token unless it was revoked or its user is disabled."""
    found = session.scalars(select(ApiToken).where(ApiToken.token_hash == token_hash(token))).first()
    return None if found is None or found.revoked_at or found.user.disabled else found


def revoke_token(session: Session, user: User, identity: str) -> None:
    """Revoke a token of a user."""
    found = session.get(ApiToken, identity)
    if found is None or found.user_id != user.id:
        raise not_there()
    found.revoked_at = found.revoked_at or database_now(session)
    record(session, user, "revoke_token", found.name, contest_id=found.contest_id)
