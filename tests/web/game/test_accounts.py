"""Accounts: log-ins and their throttling, invitations, resets, tokens."""

from __future__ import annotations

import datetime as dt
import threading
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from sudare.web.game.accounts import (
    accept_invitation,
    add_user,
    change_password,
    find_session,
    find_token,
    invite,
    log_in,
    log_out_everywhere,
    make_reset,
    make_token,
    may_reset,
    revoke_token,
    use_reset,
)
from sudare.web.game.audit import first_broken
from sudare.web.game.contests import ContestPlan, make_contest
from sudare.web.game.refusals import Refused
from sudare.web.settings import ServerSettings
from sudare.web.storage.models import ApiToken, AuditAddress, AuditEntry, Invitation, Membership
from sudare.web.storage.people import LoginSession, PasswordReset, User
from tests.web.small_contest import PASSWORD, SmallContest


def code(refused: pytest.ExceptionInfo[Refused]) -> str:
    return refused.value.code


def user(small: SmallContest, name: str) -> User:
    with small.database.reading() as session:
        return session.get_one(User, small.users[name])


def test_a_log_in_begins_a_session_and_ends_the_one_before(small: SmallContest) -> None:
    first = log_in(small.database, small.settings, "Blue", PASSWORD, "here")
    second = log_in(small.database, small.settings, "blue", PASSWORD, "here", former=first.token)
    with small.database.reading() as session:
        assert find_session(session, first.token) is None
        found = find_session(session, second.token)
        assert found is not None and found.user.login == "blue"
        kept = session.scalars(select(LoginSession.token_hash)).all()
    assert first.token != second.token
    assert second.token not in kept


@pytest.mark.parametrize(("name", "password"), [("blue", "wrong password"), ("nobody", PASSWORD), ("", "")])
def test_a_wrong_password_and_an_unknown_name_are_told_alike(small: SmallContest, name: str, password: str) -> None:
    with pytest.raises(Refused) as refused:
        log_in(small.database, small.settings, name, password, "here")
    assert code(refused) == "wrong_password"


def test_nobody_locks_others_out_and_every_failure_is_recorded(small: SmallContest) -> None:
    few = replace(small.settings, account_failures=2)
    for name in ("blue", "blue", "secret typed into the wrong field"):
        with pytest.raises(Refused):
            log_in(small.database, few, name, "wrong password", "10.0.0.1")
    with pytest.raises(Refused) as refused:
        log_in(small.database, few, "blue", PASSWORD, "10.0.0.1")
    assert code(refused) == "throttled"
    log_in(small.database, few, "blue", PASSWORD, "10.0.0.2")
    with small.database.reading() as session:
        wanted = select(AuditEntry).where(AuditEntry.action == "log_in_failed").order_by(AuditEntry.id)
        entries = session.scalars(wanted).all()
        addresses = [session.get_one(AuditAddress, entry.id).address for entry in entries]
    assert [entry.subject for entry in entries] == [f"@{small.users['blue']}"] * 2 + ["?"]
    assert addresses == ["10.0.0.1"] * 3
    assert "10.0.0.1" not in "".join(entry.details for entry in entries)


def test_addresses_expire_and_the_log_stays_whole(small: SmallContest) -> None:
    few = replace(small.settings, address_days=1)
    log_in(small.database, few, "blue", PASSWORD, "10.0.0.1")
    log_in(small.database, few, "red", PASSWORD, "10.0.0.2")
    with small.database.writing() as session:
        old = session.scalars(select(AuditAddress).where(AuditAddress.address == "10.0.0.1")).one()
        old.at -= dt.timedelta(days=2)
    log_in(small.database, few, "red", PASSWORD, "10.0.0.3")
    with small.database.reading() as session:
        left = set(session.scalars(select(AuditAddress.address)))
        assert left == {"10.0.0.2", "10.0.0.3"}
        assert first_broken(session.scalars(select(AuditEntry).order_by(AuditEntry.id))) is None


def test_addresses_of_one_network_of_ipv6_are_one(small: SmallContest) -> None:
    few = replace(small.settings, account_failures=2)
    for address in ("2001:db8:1:2::1", "2001:db8:1:2:ffff::7"):
        with pytest.raises(Refused):
            log_in(small.database, few, "blue", "wrong password", address)
    with pytest.raises(Refused) as refused:
        log_in(small.database, few, "blue", PASSWORD, "2001:db8:1:2::3")
    assert code(refused) == "throttled"
    log_in(small.database, few, "blue", PASSWORD, "2001:db8:1:3::1")


@pytest.mark.parametrize("uses", [False, True])
def test_a_reset_lifts_the_throttle(small: SmallContest, uses: bool) -> None:
    few = replace(small.settings, account_failures=1)
    with pytest.raises(Refused):
        log_in(small.database, few, "blue", "wrong password", "here")
    with small.database.writing() as session:
        link = make_reset(session, None, few, session.get_one(User, small.users["blue"]))
    password = "an unusual password" if uses else PASSWORD
    if uses:
        with pytest.raises(Refused):
            log_in(small.database, few, "blue", "wrong password", "here")
        with small.database.writing() as session:
            use_reset(session, link, password)
    log_in(small.database, few, "blue", password, "here")


def test_links_for_a_password_end_with_any_change_and_after_an_hour(small: SmallContest) -> None:
    def make(settings: ServerSettings = small.settings) -> str:
        with small.database.writing() as session:
            return make_reset(session, None, settings, session.get_one(User, small.users["blue"]))

    def use(link: str) -> None:
        with small.database.writing() as session:
            use_reset(session, link, "an unusual password")

    first, second = make(), make()
    with pytest.raises(Refused) as refused:
        use(first)
    assert code(refused) == "link_over"
    with small.database.writing() as session:
        found = session.scalars(select(PasswordReset).where(PasswordReset.used_at.is_(None))).one()
        assert found.expires_at - found.created_at == dt.timedelta(hours=1)
        change_password(session, session.get_one(User, small.users["blue"]), "a changed password")
    with pytest.raises(Refused) as refused:
        use(second)
    assert code(refused) == "link_over"
    with pytest.raises(Refused):
        use(make(replace(small.settings, reset_minutes=0)))
    third = make()
    use(third)
    with pytest.raises(Refused):
        use(third)


COMMON = (
    "password12", "P@ssw0rd123", "passwordpassword", "1234567890", "qwertyuiop", "aaaaaaaaaa", "abababababab",
    "abcdefghij", "9876543210", "1qaz2wsx3edc", "letmein2026!", "Welcome12345", "organizer1", "organizer2026",
    "adminadmin", "administrator", "iloveyou!!", "sudare-admin", "pwscup2018", "qwerty123456", "asdfghjkl123",
)  # fmt: skip
UNCOMMON = (
    PASSWORD,
    "another password",
    "correct horse battery",
    "9f3Xk-22ab!Q",
    "3141592653589793",
    "桜の木の下で待っている夜",
)


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize("password", COMMON)
def test_a_common_password_is_refused(small: SmallContest, password: str) -> None:
    with pytest.raises(Refused) as refused, small.database.writing() as session:
        add_user(session, "organizer", password)
    assert code(refused) == "password_common"
    with pytest.raises(Refused), small.database.writing() as session:
        change_password(session, session.get_one(User, small.users["organizer"]), password)


def test_other_passwords_are_taken(small: SmallContest) -> None:
    for number, password in enumerate(UNCOMMON):
        with small.database.writing() as session:
            add_user(session, f"user{number}", password)


def test_log_ins_are_throttled_by_account_and_by_address(small: SmallContest) -> None:
    few = replace(small.settings, account_failures=2, address_failures=3)
    for _ in range(2):
        with pytest.raises(Refused):
            log_in(small.database, few, "blue", "wrong password", "here")
    with pytest.raises(Refused) as refused:
        log_in(small.database, few, "blue", PASSWORD, "here")
    assert code(refused) == "throttled"
    log_in(small.database, few, "green", PASSWORD, "here")
    with pytest.raises(Refused):
        log_in(small.database, few, "nobody", PASSWORD, "here")
    with pytest.raises(Refused) as refused:
        log_in(small.database, few, "green", PASSWORD, "here")
    assert code(refused) == "throttled"
    log_in(small.database, few, "green", PASSWORD, "elsewhere")


def test_log_ins_at_the_same_time_are_throttled_too(small: SmallContest) -> None:
    few = replace(small.settings, account_failures=3)
    codes: list[str] = []

    def attempt() -> None:
        try:
            log_in(small.database, few, "blue", "wrong password", "here")
        except Refused as refused:
            codes.append(refused.code)

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["throttled"] * 5 + ["wrong_password"] * 3


def test_sessions_end_by_time_by_the_user_and_with_the_account(small: SmallContest) -> None:
    token = log_in(small.database, small.settings, "blue", PASSWORD, "here").token
    short = log_in(small.database, replace(small.settings, session_hours=0), "blue", PASSWORD, "here").token
    with small.database.writing() as session:
        assert find_session(session, token)
        assert find_session(session, short) is None
        session.execute(update(User).where(User.login == "blue").values(disabled=True))
    with small.database.writing() as session:
        assert find_session(session, token) is None
        session.execute(update(User).where(User.login == "blue").values(disabled=False))
    with small.database.writing() as session:
        log_out_everywhere(session, session.get_one(User, small.users["blue"]))
        assert find_session(session, token) is None


@pytest.mark.parametrize("login", ["", "a", "-ab", "a b", "ä" * 3, "a\0b", "x" * 81, "<b>"])
def test_a_name_that_cannot_be_one_is_refused(small: SmallContest, login: str) -> None:
    with pytest.raises(Refused), small.database.writing() as session:
        add_user(session, login, PASSWORD)


def test_a_name_is_taken_whatever_the_case(small: SmallContest) -> None:
    with pytest.raises(Refused) as refused, small.database.writing() as session:
        add_user(session, "BLUE", PASSWORD)
    assert code(refused) == "login_taken"


def test_an_invitation_is_for_one_person(small: SmallContest) -> None:
    with small.database.writing() as session:
        organizer = session.get_one(User, small.users["organizer"])
        token = invite(
            session, organizer, small.settings, contest_id=small.contest, role="team", team_id=small.teams["blue"]
        )
        assert token not in session.scalars(select(Invitation.token_hash)).all()
    with small.database.writing() as session:
        member = accept_invitation(session, token, session.get_one(User, small.users["outsider"]))
        assert (member.role, member.team_id) == ("team", small.teams["blue"])
    with pytest.raises(Refused) as refused, small.database.writing() as session:
        accept_invitation(session, token, add_user(session, "late", PASSWORD))
    assert code(refused) == "link_over"


def test_an_invitation_is_used_once_by_many_at_the_same_time(small: SmallContest) -> None:
    with small.database.writing() as session:
        organizer = session.get_one(User, small.users["organizer"])
        token = invite(session, organizer, small.settings, contest_id=small.contest, role="observer", team_id=None)
    joined: list[str] = []

    def accept(name: str) -> None:
        try:
            with small.database.writing() as session:
                joined.append(accept_invitation(session, token, add_user(session, name, PASSWORD)).user_id)
        except Refused:
            pass

    threads = [threading.Thread(target=accept, args=(f"user{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(joined) == 1


def test_invitations_end_with_time_and_members_cannot_join_twice(small: SmallContest) -> None:
    with small.database.writing() as session:
        organizer = session.get_one(User, small.users["organizer"])
        words = {"contest_id": small.contest, "role": "observer", "team_id": None}
        old = invite(session, organizer, replace(small.settings, link_hours=0), **words)
        good = invite(session, organizer, small.settings, **words)
    with pytest.raises(Refused) as refused, small.database.writing() as session:
        accept_invitation(session, old, session.get_one(User, small.users["outsider"]))
    assert code(refused) == "link_over"
    with pytest.raises(Refused) as refused, small.database.writing() as session:
        accept_invitation(session, good, session.get_one(User, small.users["blue"]))
    assert code(refused) == "member_already"


def test_a_reset_sets_the_password_once_and_ends_sessions_and_tokens(small: SmallContest) -> None:
    token = log_in(small.database, small.settings, "blue", PASSWORD, "here").token
    program = small.token("blue", "read")
    with small.database.writing() as session:
        link = make_reset(session, None, small.settings, session.get_one(User, small.users["blue"]))
    with small.database.writing() as session:
        use_reset(session, link, "another password")
    with small.database.reading() as session:
        assert find_session(session, token) is None
        assert find_token(session, program) is None
    with pytest.raises(Refused), small.database.writing() as session:
        use_reset(session, link, "a third password")
    log_in(small.database, small.settings, "blue", "another password", "here")


def test_an_organizer_resets_guests_but_takes_over_nobody(small: SmallContest) -> None:
    with small.database.writing() as session:
        other = add_user(session, "other", PASSWORD, admin=True)
        make_contest(session, other, ContestPlan("Other"))
        other.admin = False
        session.add(
            Membership(user_id=small.users["observer"], contest_id=small.contest_of(session, "Other"), role="observer")
        )
        organizer = session.get_one(User, small.users["organizer"])
        organizer.admin = False
        session.flush()
        people = {name: session.get_one(User, small.users[name]) for name in ("blue", "observer", "outsider")}
        assert may_reset(session, organizer, people["blue"])
        assert not may_reset(session, organizer, people["observer"])  # a guest of another contest too
        assert not may_reset(session, organizer, people["outsider"])
        assert not may_reset(session, organizer, other)
        assert not may_reset(session, people["blue"], people["observer"])


def test_a_token_has_only_scopes_of_its_users_role(small: SmallContest) -> None:
    with small.database.writing() as session:
        member = session.scalars(select(Membership).where(Membership.user_id == small.users["blue"])).one()
        blue = session.get_one(User, small.users["blue"])
        for scopes in (["organize"], [], ["read", "nonsense"]):
            with pytest.raises(Refused):
                make_token(session, member, blue, "t", scopes)
        token = make_token(session, member, blue, "t", ["submit", "read"])
        found = find_token(session, token)
        assert found is not None and found.scopes == "read submit"
        assert token not in session.scalars(select(ApiToken.token_hash)).all()
        with pytest.raises(Refused):
            revoke_token(session, session.get_one(User, small.users["green"]), found.id)
        revoke_token(session, blue, found.id)
        session.flush()
        assert find_token(session, token) is None
        assert found.revoked_at is not None and found.revoked_at.utcoffset() == dt.timedelta(0)
