"""Pages on which organizers correct what was entered, and people delete their accounts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sudare.web.game.accounts import check_password, may_reset
from sudare.web.game.corrections import (
    ContestEdit,
    delete_account,
    delete_member,
    edit_contest,
    member_of,
    member_tokens,
    remove_member,
    rename_round,
    rename_team,
    revoke_invitation,
    revoke_member_token,
    set_disabled,
)
from sudare.web.http.requests import Posted, PostedForm, address_of, in_turn, server_of, visiting
from sudare.web.http.routes.contest_pages import find_round
from sudare.web.views.pages import go, render, set_cookie

router = APIRouter()


@router.post("/contests/{contest_id}/settings")
def do_edit(request: Request, contest_id: str, form: Posted) -> Response:
    """Change name and choices of a contest."""
    edit = ContestEdit(
        name=form.text("name"),
        submissions_per_day=form.number("submissions_per_day"),
        hide_names=form.flag("hide_names"),
        guesses_replaceable=form.flag("guesses_replaceable"),
        public=form.flag("public"),
        leaderboard=form.text("leaderboard"),
        leaderboard_hours=form.number("leaderboard_hours"),
    )
    with visiting(request, writes=True) as visit:
        edit_contest(visit.session, visit.viewer(contest_id), edit)
    return go(f"/contests/{contest_id}/organize")


@router.post("/rounds/{round_id}/name")
def do_rename_round(request: Request, round_id: str, form: Posted) -> Response:
    """Give a round another name."""
    with visiting(request, writes=True) as visit:
        rename_round(visit.session, find_round(visit, round_id)[0], round_id, form.text("name"))
    return go(f"/rounds/{round_id}")


@router.post("/contests/{contest_id}/teams/{team_id}/name")
def do_rename_team(request: Request, contest_id: str, team_id: str, form: Posted) -> Response:
    """Give a team another name."""
    with visiting(request, writes=True) as visit:
        rename_team(visit.session, visit.viewer(contest_id), team_id, form.text("name"))
    return go(f"/contests/{contest_id}/organize")


@router.post("/contests/{contest_id}/invitations/{identity}/revoke")
def do_revoke_invitation(request: Request, contest_id: str, identity: str, form: Posted) -> Response:  # noqa: ARG001
    """Revoke an invitation."""
    with visiting(request, writes=True) as visit:
        revoke_invitation(visit.session, visit.viewer(contest_id), identity)
    return go(f"/contests/{contest_id}/organize")


@router.get("/contests/{contest_id}/members/{user_id}")
def show_member(request: Request, contest_id: str, user_id: str) -> Response:
    """Show a member, with tokens, and what can be done."""
    with visiting(request) as visit:
        viewer = visit.viewer(contest_id)
        user, member = member_of(visit.session, viewer, user_id)
        return render(
            visit,
            "member.html",
            contest=viewer.contest,
            user=user,
            role=member.role,
            tokens=member_tokens(visit.session, viewer, user_id),
            manageable=user.id != viewer.actor.id and may_reset(visit.session, viewer.actor, user),
        )


@router.post("/contests/{contest_id}/members/{user_id}/tokens/{identity}/revoke")
def do_revoke_member_token(
    request: Request,
    contest_id: str,
    user_id: str,
    identity: str,
    form: Posted,  # noqa: ARG001
) -> Response:
    """Revoke a token of a member."""
    with visiting(request, writes=True) as visit:
        revoke_member_token(visit.session, visit.viewer(contest_id), user_id, identity)
    return go(f"/contests/{contest_id}/members/{user_id}")


@router.post("/contests/{contest_id}/members/{user_id}/remove")
def do_remove(request: Request, contest_id: str, user_id: str, form: Posted) -> Response:  # noqa: ARG001
    """Take somebody out of the contest."""
    with visiting(request, writes=True) as visit:
        remove_member(visit.session, visit.viewer(contest_id), user_id)
    return go(f"/contests/{contest_id}/organize")


@router.post("/contests/{contest_id}/members/{user_id}/access")
def do_set_disabled(request: Request, contest_id: str, user_id: str, form: Posted) -> Response:
    """Keep a member from logging in, or allow it again."""
    with visiting(request, writes=True) as visit:
        set_disabled(visit.session, visit.viewer(contest_id), user_id, form.flag("disabled"))
    return go(f"/contests/{contest_id}/members/{user_id}")


@router.post("/contests/{contest_id}/members/{user_id}/delete")
def do_delete_member(request: Request, contest_id: str, user_id: str, form: Posted) -> Response:
    """Delete the account of a member."""
    with visiting(request, writes=True) as visit:
        delete_member(visit.session, visit.viewer(contest_id), user_id, form.text("login"))
    return go(f"/contests/{contest_id}/organize")


@router.post("/account/delete")
async def do_delete_account(request: Request, form: Posted) -> Response:
    """Delete the visitor's own account, after the password."""
    return await in_turn(request, lambda: _delete_account(request, form))


def _delete_account(request: Request, form: PostedForm) -> Response:
    with visiting(request) as visit:
        login, server = visit.logged_in().user.login, visit.server
    user = check_password(server.database, server.settings, login, form.text("password"), address_of(request))
    with visiting(request, writes=True) as visit:
        delete_account(visit.session, user, user)
    response = go("/login")
    set_cookie(response, server_of(request), server.session_cookie, "", seconds=0)
    return response
