"""What organizers correct, who may, what ends with it, and that the audit log keeps its chain without names."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.accounts import accept_invitation, add_user, find_session, find_token, invite, log_in
from sudare.web.game.audit import first_broken
from sudare.web.game.contests import add_round
from sudare.web.game.corrections import (
    ContestEdit,
    delete_account,
    delete_member,
    edit_contest,
    member_tokens,
    open_invitations,
    remove_member,
    rename_round,
    rename_team,
    revoke_invitation,
    revoke_member_token,
    set_disabled,
)
from sudare.web.game.phases import TIMES
from sudare.web.game.refusals import Refused
from sudare.web.game.visibility import Viewer
from sudare.web.storage.archive import export_contest
from sudare.web.storage.models import AuditAddress, AuditEntry, Contest, Invitation, Membership, Round, Submission, Team
from sudare.web.storage.people import LoginAttempt, LoginSession, User
from sudare.web.views.shown_administration import show_audit
from tests.web.conftest import RunningServer, csrf, log_in as logged_in
from tests.web.small_contest import PASSWORD, SmallContest, anonymized

EDIT = ContestEdit(" Large ", 5, hide_names=True, guesses_replaceable=False, public=True)


def do(small: SmallContest, action: Callable[[Session, Viewer], object], name: str = "organizer") -> object:
    with small.database.writing() as session:
        return action(session, small.viewer(session, name))


def code(small: SmallContest, action: Callable[[Session, Viewer], object], name: str = "organizer") -> str:
    with pytest.raises(Refused) as refused:
        do(small, action, name)
    return refused.value.code


def log(small: SmallContest) -> list[AuditEntry]:
    with small.database.reading() as session:
        entries = list(session.scalars(select(AuditEntry).order_by(AuditEntry.id)))
    assert first_broken(entries) is None
    return entries


def test_names_and_choices_are_changed_and_the_log_says_what(small: SmallContest) -> None:
    do(small, lambda session, viewer: edit_contest(session, viewer, EDIT))
    do(small, lambda session, viewer: rename_round(session, viewer, small.round, "Final"))
    do(small, lambda session, viewer: rename_team(session, viewer, small.teams["blue"], "indigo"))
    with small.database.reading() as session:
        contest = session.get_one(Contest, small.contest)
        assert (contest.name, contest.submissions_per_day, contest.public) == ("Large", 5, True)
        assert not contest.guesses_replaceable and contest.teams_may_download
        assert session.get_one(Round, small.round).name == "Final"
        assert session.get_one(Team, small.teams["blue"]).name == "indigo"
    edited, *renamed = log(small)[-3:]
    assert json.loads(edited.details) == {
        "name": "Large", "submissions_per_day": 5, "guesses_replaceable": False, "public": True,
    }  # fmt: skip
    assert [(entry.subject, json.loads(entry.details)["name"]) for entry in renamed] == [
        ("Preliminary", "Final"),
        ("blue", "indigo"),
    ]
    before = len(log(small))
    do(small, lambda session, viewer: edit_contest(session, viewer, EDIT))
    assert len(log(small)) == before


def test_what_cannot_be_a_name_or_a_number_is_refused(small: SmallContest) -> None:
    for wrong, said in (
        (replace(EDIT, name=""), "name_length"),
        (replace(EDIT, submissions_per_day=0), "per_day"),
        (replace(EDIT, leaderboard="x"), "not_there"),
        (replace(EDIT, leaderboard_hours=721), "leaderboard_hours"),
    ):
        assert code(small, lambda s, v, wrong=wrong: edit_contest(s, v, wrong)) == said
    assert code(small, lambda s, v: rename_round(s, v, small.round, "a\nb")) == "name_letters"
    assert code(small, lambda s, v: rename_team(s, v, small.teams["blue"], "red")) == "team_taken"
    assert code(small, lambda s, v: rename_team(s, v, "nothing", "x")) == "not_there"


def test_only_organizers_correct(small: SmallContest) -> None:
    with small.database.writing() as session:
        organizer = session.get_one(User, small.users["organizer"])
        invite(session, organizer, small.settings, contest_id=small.contest, role="observer", team_id=None)
        invitation = session.scalars(select(Invitation.id)).one()
    blue, actions = small.users["blue"], list[Callable[[Session, Viewer], object]]()
    actions += [
        lambda s, v: edit_contest(s, v, EDIT),
        lambda s, v: rename_round(s, v, small.round, "x"),
        lambda s, v: rename_team(s, v, small.teams["red"], "x"),
        lambda s, v: revoke_invitation(s, v, invitation),
        lambda s, v: revoke_member_token(s, v, blue, "x"),
        lambda s, v: remove_member(s, v, blue),
        lambda s, v: set_disabled(s, v, blue, True),
        lambda s, v: delete_member(s, v, blue, "blue"),
    ]
    before = len(log(small))
    for action in actions:
        assert [code(small, action, name) for name in ("red", "observer")] == ["not_yours"] * 2
    assert len(log(small)) == before


def test_a_revoked_invitation_is_over(small: SmallContest) -> None:
    with small.database.writing() as session:
        organizer = session.get_one(User, small.users["organizer"])
        team = small.teams["red"]
        token = invite(session, organizer, small.settings, contest_id=small.contest, role="team", team_id=team)
    with small.database.reading() as session:
        [found] = open_invitations(session, small.viewer(session, "organizer"))
    do(small, lambda session, viewer: revoke_invitation(session, viewer, found.id))
    with small.database.writing() as session:
        assert open_invitations(session, small.viewer(session, "organizer")) == []
        with pytest.raises(Refused, match="expired"):
            accept_invitation(session, token, session.get_one(User, small.users["outsider"]))
    assert (log(small)[-1].action, log(small)[-1].subject) == ("revoke_invitation", "red")


def test_a_members_token_is_revoked_and_one_of_another_contest_is_not_there(small: SmallContest) -> None:
    token = small.token("blue", "read")
    with small.database.reading() as session:
        [found] = member_tokens(session, small.viewer(session, "organizer"), small.users["blue"])
    assert code(small, lambda s, v: revoke_member_token(s, v, small.users["red"], found.id)) == "not_there"
    assert code(small, lambda s, v: member_tokens(s, v, small.users["outsider"])) == "not_there"
    do(small, lambda session, viewer: revoke_member_token(session, viewer, small.users["blue"], found.id))
    with small.database.reading() as session:
        assert find_token(session, token) is None


def test_who_is_removed_sees_nothing_more_and_the_team_keeps_what_was_handed_in(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    token = small.token("blue", "read")
    do(small, lambda session, viewer: remove_member(session, viewer, small.users["blue"]))
    with small.database.writing() as session:
        assert find_token(session, token) is None
        with pytest.raises(Refused):
            small.viewer(session, "blue")
        assert session.get_one(Submission, identity).team_id == small.teams["blue"]
        assert not session.get_one(User, small.users["blue"]).disabled


def test_a_disabled_account_does_nothing_until_it_is_enabled(small: SmallContest) -> None:
    token, login = small.token("blue", "read"), log_in(small.database, small.settings, "blue", PASSWORD, "here")
    do(small, lambda session, viewer: set_disabled(session, viewer, small.users["blue"], True))
    with small.database.reading() as session:
        assert find_session(session, login.token) is None and find_token(session, token) is None
        assert session.scalars(select(LoginSession).where(LoginSession.user_id == small.users["blue"])).all() == []
    with pytest.raises(Refused, match="wrong"):
        log_in(small.database, small.settings, "blue", PASSWORD, "here")
    do(small, lambda session, viewer: set_disabled(session, viewer, small.users["blue"], False))
    log_in(small.database, small.settings, "blue", PASSWORD, "here")


def test_an_organizer_has_no_power_over_organizers_guests_of_others_and_oneself(small: SmallContest) -> None:
    with small.database.writing() as session:
        helper = add_user(session, "helper", PASSWORD)
        small.users["helper"] = helper.id
        session.add(Membership(user_id=helper.id, contest_id=small.contest, role="organizer"))
    for name in ("helper", "organizer"):
        action = lambda s, v, name=name: set_disabled(s, v, small.users[name], True)  # noqa: E731
        assert code(small, action, "helper") == "not_yours"
    for act in (set_disabled, delete_member):
        assert code(small, lambda s, v, act=act: act(s, v, small.users["outsider"], "outsider")) == "not_there"
    do(small, lambda session, viewer: remove_member(session, viewer, small.users["organizer"]), "helper")
    assert code(small, lambda s, v: remove_member(s, v, small.users["helper"]), "helper") == "last_organizer"


def test_a_deleted_account_leaves_no_name_and_a_whole_log(small: SmallContest, tmp_path: Path) -> None:
    identity = small.submit("blue", anonymized())
    token = small.token("blue", "read")
    log_in(small.database, small.settings, "blue", PASSWORD, "203.0.113.7")
    with pytest.raises(Refused):
        log_in(small.database, small.settings, "blue", "wrong password", "203.0.113.7")
    with small.database.writing() as session:
        session.get_one(Team, small.teams["blue"]).name = "indigo"  # the team is no person
    before = [entry.hash for entry in log(small)]
    assert code(small, lambda s, v: delete_member(s, v, small.users["blue"], "red")) == "not_confirmed"
    do(small, lambda session, viewer: delete_member(session, viewer, small.users["blue"], " Blue "))
    assert [entry.hash for entry in log(small)][:-1] == before
    named = {entry.action for entry in log(small) if "blue" in f"{entry.actor} {entry.subject} {entry.details}"}
    assert named == {"add_team", "submit"}  # these tell of the team of that name
    with small.database.reading() as session:
        user = session.get_one(User, small.users["blue"])
        assert user.login == f"deleted-{user.id}" and user.disabled and not user.password_hash
        assert session.scalars(select(AuditAddress).where(AuditAddress.user_id == user.id)).all() == []
        assert session.scalars(select(LoginAttempt)).all() == []
        assert find_token(session, token) is None
        assert session.get_one(Submission, identity).created_by == user.id
        shown = show_audit(session, small.viewer(session, "organizer"))
        assert {entry.actor for entry in shown if entry.action == "submit"} == {f"deleted-{user.id}"}
    for password in (PASSWORD, ""):
        with pytest.raises(Refused):
            log_in(small.database, small.settings, "blue", password, "here")
    with small.database.writing() as session:
        add_user(session, "blue", PASSWORD)  # the name is free again
    export_contest(small.database, small.files, small.contest, tmp_path / "out")
    audit = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    assert audit["chain_broken_at"] is None
    assert audit["people"][f"@{small.users['blue']}"] == f"deleted-{small.users['blue']}"
    assert audit["people"][f"@{small.users['organizer']}"] == "organizer"


def test_nobody_leaves_a_contest_or_the_server_without_anybody(small: SmallContest) -> None:
    def own(session: Session, viewer: Viewer) -> None:
        delete_account(session, viewer.actor, viewer.actor)

    assert code(small, own) == "last_organizer"
    with small.database.writing() as session:
        session.add(Membership(user_id=small.users["outsider"], contest_id=small.contest, role="organizer"))
    assert code(small, own) == "last_admin"
    with small.database.writing() as session:
        add_user(session, "second", PASSWORD, admin=True)
    do(small, own)
    with small.database.reading() as session:
        assert not session.get_one(User, small.users["organizer"]).admin


def test_the_pages_correct_and_ask_before_they_delete(small: SmallContest, running: RunningServer) -> None:
    running.start("web")
    organizer, blue = logged_in(running, "organizer"), logged_in(running, "blue")
    home, member = f"/contests/{small.contest}", f"/contests/{small.contest}/members/{small.users['red']}"
    secret = {"csrf": csrf(organizer.get(f"{home}/organize"))}

    def post(path: str, **fields: str) -> int:
        return organizer.post(path, data={**secret, **fields}).status_code

    assert f'href="{member}"' in organizer.get(f"{home}/organize").text
    board = {"leaderboard": "frozen", "leaderboard_hours": "2"}
    assert post(f"{home}/settings", name="Large", submissions_per_day="4", public="yes", **board) == 303
    assert post(f"{home}/teams/{small.teams['green']}/name", name="Grün") == 303
    assert post(f"/rounds/{small.round}/name", name="Final <b>") == 303
    assert "Final &lt;b&gt;" in organizer.get(home).text and "Grün" in organizer.get(home).text
    assert organizer.post(f"{home}/invitations", data={**secret, "role": "observer"}).status_code == 200
    with small.database.reading() as session:
        identity = session.scalars(select(Invitation.id)).one()
    assert identity in organizer.get(f"{home}/organize").text
    assert post(f"{home}/invitations/{identity}/revoke") == 303
    assert identity not in organizer.get(f"{home}/organize").text
    assert post(f"{member}/access", disabled="yes") == 303
    assert "Enable the account" in organizer.get(member).text
    assert post(f"{member}/delete", login="wrong") == 422
    assert post(f"{member}/delete", login="red") == 303
    page = organizer.get(f"{home}/audit").text
    assert "account deleted" in page and "(deleted account)" in page
    assert "(削除されたアカウント)" in organizer.get(f"{home}/audit?lang=ja").text
    assert organizer.get(member).status_code == 404
    assert [who.get(member).status_code for who in (blue, running.client())] == [403, 404]

    own = {"csrf": csrf(blue.get("/account"))}
    assert blue.post("/account/delete", data={**own, "password": "wrong"}).status_code == 403
    assert blue.post("/account/delete", data={**own, "password": PASSWORD}).status_code == 303
    assert blue.get("/account").status_code == 401
    with small.database.reading() as session:
        assert session.get_one(User, small.users["blue"]).login.startswith("deleted-")


def test_a_name_can_be_corrected_when_results_stand(small: SmallContest) -> None:
    times = dict(zip(TIMES, ("2030-01-01", "2030-01-02", "2030-01-03", "2030-01-04"), strict=True))
    with small.database.writing() as session:
        made = add_round(session, small.viewer(session, "organizer"), "Typo", times)
        made.published_at = small.viewer(session, "organizer").now
    do(small, lambda session, viewer: rename_round(session, viewer, made.id, "Right"))
    with small.database.reading() as session:
        assert session.get_one(Round, made.id).name == "Right"
