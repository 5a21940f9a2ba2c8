"""Account pages: log-in and log-out, invitations, password reset, tokens."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy import select
from starlette.responses import Response

from sudare.web.game.accounts import (
    SCOPES,
    accept_invitation,
    add_user,
    change_password,
    check_password,
    end_session,
    find_invitation,
    log_in,
    log_out_everywhere,
    make_token,
    revoke_token,
    use_reset,
)
from sudare.web.game.refusals import not_there
from sudare.web.http.requests import (
    Posted,
    PostedForm,
    Visit,
    address_of,
    in_turn,
    server_of,
    session_token,
    visiting,
)
from sudare.web.storage.models import ApiToken, Contest, Membership, Team
from sudare.web.views.pages import go, inner_path, render, set_cookie

router = APIRouter()


@router.get("/login")
def show_log_in(request: Request) -> Response:
    """Show the form to log in."""
    with visiting(request) as visit:
        return render(visit, "log_in.html", next=inner_path(request.query_params.get("next", "/")))


@router.post("/login")
async def do_log_in(request: Request, form: Posted) -> Response:
    """Log in and go on; a session that the browser had before ends."""
    login, password, path = form.text("login"), form.text("password"), inner_path(form.text("next"))
    return await in_turn(request, lambda: _logged_in(request, login, password, path))


@router.post("/logout")
def do_log_out(request: Request, form: Posted) -> Response:
    """End the browser's session, or all of the user's."""
    with visiting(request, writes=True) as visit:
        if form.flag("everywhere"):
            log_out_everywhere(visit.session, visit.logged_in().user)
        token = session_token(request)
        if token:
            end_session(visit.session, token)
    response = go("/login")
    set_cookie(response, server_of(request), server_of(request).session_cookie, "", seconds=0)
    return response


@router.get("/invitations/{token}")
def show_invitation(request: Request, token: str) -> Response:
    """Show to what one is invited; nothing is used up."""
    with visiting(request) as visit:
        found = find_invitation(visit.session, token)
        team = visit.session.get(Team, found.team_id) if found.team_id else None
        contest = visit.session.get_one(Contest, found.contest_id)
        return render(visit, "invitation.html", contest=contest.name, role=found.role, team=team.name if team else None)


@router.post("/invitations/{token}")
async def do_accept(request: Request, token: str, form: Posted) -> Response:
    """Become a member, with the account of the session or a new one."""
    return await in_turn(request, lambda: _accept(request, token, form))


def _accept(request: Request, token: str, form: PostedForm) -> Response:
    with visiting(request, writes=True) as visit:
        if visit.login:
            member = accept_invitation(visit.session, token, visit.login.user)
            return go(f"/contests/{member.contest_id}")
        # Before an account is made the invitation must be good.
        find_invitation(visit.session, token)
        user = add_user(visit.session, form.text("login"), form.text("password"))
        member = accept_invitation(visit.session, token, user)
    return _logged_in(request, user.login, form.text("password"), f"/contests/{member.contest_id}")


@router.get("/resets/{token}")
def show_reset(request: Request, token: str) -> Response:  # noqa: ARG001
    """Show the form for a new password."""
    with visiting(request) as visit:
        return render(visit, "reset.html")


@router.post("/resets/{token}")
async def do_reset(request: Request, token: str, form: Posted) -> Response:
    """Set the new password; all sessions end."""
    return await in_turn(request, lambda: _reset(request, token, form))


def _reset(request: Request, token: str, form: PostedForm) -> Response:
    with visiting(request, writes=True) as visit:
        use_reset(visit.session, token, form.text("password"))
    return go("/login")


@router.get("/account")
def show_account(request: Request) -> Response:
    """Show memberships and tokens, with forms for a new password and new tokens."""
    with visiting(request) as visit:
        return _account(visit)


@router.post("/account/password")
async def do_change_password(request: Request, form: Posted) -> Response:
    """Set a new password, after the old one; all sessions end, and this browser gets a new one."""
    return await in_turn(request, lambda: _change_password(request, form))


def _change_password(request: Request, form: PostedForm) -> Response:
    with visiting(request) as visit:
        login, server = visit.logged_in().user.login, visit.server
    user = check_password(server.database, server.settings, login, form.text("old"), address_of(request))
    with visiting(request, writes=True) as visit:
        change_password(visit.session, user, form.text("password"))
    return _logged_in(request, user.login, form.text("password"), "/account")


@router.post("/account/tokens")
def do_make_token(request: Request, form: Posted) -> Response:
    """Make a token and show it, once."""
    with visiting(request, writes=True) as visit:
        user = visit.logged_in().user
        wanted = select(Membership).where(Membership.user_id == user.id, Membership.contest_id == form.text("contest"))
        member = visit.session.scalars(wanted).first()
        if member is None:
            raise not_there()
        token = make_token(visit.session, member, user, form.text("name"), form.texts("scopes"))
        return _account(visit, token)


@router.post("/account/tokens/{identity}/revoke")
def do_revoke_token(request: Request, identity: str, form: Posted) -> Response:  # noqa: ARG001
    """Revoke a token."""
    with visiting(request, writes=True) as visit:
        revoke_token(visit.session, visit.logged_in().user, identity)
    return go("/account")


def _logged_in(request: Request, login: str, password: str, path: str) -> Response:
    server = server_of(request)
    found = log_in(server.database, server.settings, login, password, address_of(request), session_token(request))
    response = go(path)
    set_cookie(response, server, server.session_cookie, found.token, seconds=server.settings.session_hours * 3600)
    return response


def _account(visit: Visit, token: str | None = None) -> Response:
    user = visit.logged_in().user
    members = visit.session.scalars(select(Membership).where(Membership.user_id == user.id)).all()
    contests = {member.contest_id: visit.session.get_one(Contest, member.contest_id) for member in members}
    tokens = visit.session.scalars(
        select(ApiToken).where(ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None)).order_by(ApiToken.created_at)
    ).all()
    return render(
        visit,
        "account.html",
        members=[(contests[member.contest_id], member.role, SCOPES[member.role]) for member in members],
        tokens=[(found, contests.get(found.contest_id)) for found in tokens],
        token=token,
    )
