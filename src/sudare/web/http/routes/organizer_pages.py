"""Organizer pages: contests, teams, invitations, rounds, times, data, evaluation, jobs, the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import Response

from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.showing import dataclass
from sudare.web.game.accounts import invite
from sudare.web.game.announcements import MOST_TEXT_LETTERS, announce, describe, withdraw
from sudare.web.game.contests import (
    MOST_RULES_BYTES,
    ContestPlan,
    add_round,
    add_team,
    make_contest,
    publishable_evaluation,
    reset_member,
    retry_job,
    set_original,
    set_rules,
    set_times,
    take_step,
)
from sudare.web.game.corrections import CHOICES
from sudare.web.game.leaderboards import MOST_HOURS, OPENINGS
from sudare.web.game.phases import TIMES
from sudare.web.game.refusals import Refused
from sudare.web.game.visibility import check_organizer
from sudare.web.http.requests import Posted, PostedForm, Visit, keep_upload, server_of, uploading, visiting
from sudare.web.http.routes.contest_pages import find_round
from sudare.web.storage.models import Team
from sudare.web.storage.people import User
from sudare.web.views.pages import go, render
from sudare.web.views.results import show_results
from sudare.web.views.shown_administration import show_audit, show_invitations, show_jobs, show_members
from sudare.web.views.shown_contests import show_contest, show_round

router = APIRouter()

DESK_JOBS = 30


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link that was just made: an invitation to a role, of a team by its name, or a link for a user's password."""

    address: str
    role: str | None = None
    name: str | None = None


@router.get("/new-contest")
def show_new_contest(request: Request) -> Response:
    """Show the form for a new contest."""
    with visiting(request) as visit:
        if not visit.logged_in().user.admin:
            raise Refused("errors.requests.not_yours", 403)
        return render(visit, "new_contest.html", plan=ContestPlan(""), rules=BUILT_IN)


@router.post("/new-contest")
def do_make_contest(request: Request, form: Posted) -> Response:
    """Make a contest."""
    plan = ContestPlan(
        name=form.text("name"),
        time_zone=form.text("time_zone"),
        rules=form.text("rules"),
        submissions_per_day=form.number("submissions_per_day"),
        teams_may_download=form.flag("teams_may_download"),
        hide_names=form.flag("hide_names"),
        guesses_replaceable=form.flag("guesses_replaceable"),
        public=form.flag("public"),
    )
    with visiting(request, writes=True) as visit:
        contest = make_contest(visit.session, visit.logged_in().user, plan)
    return go(f"/contests/{contest.id}/organize")


@router.get("/contests/{contest_id}/organize")
def show_desk(request: Request, contest_id: str) -> Response:
    """Show the organizer's desk."""
    with visiting(request) as visit:
        return _desk(visit, contest_id)


@router.get("/contests/{contest_id}/audit")
def show_log(request: Request, contest_id: str) -> Response:
    """Show the audit log."""
    with visiting(request) as visit:
        viewer = visit.viewer(contest_id)
        return render(visit, "audit.html", contest=viewer.contest, entries=show_audit(visit.session, viewer))


@router.post("/contests/{contest_id}/teams")
def do_add_team(request: Request, contest_id: str, form: Posted) -> Response:
    """Add a team."""
    with visiting(request, writes=True) as visit:
        add_team(visit.session, visit.viewer(contest_id), form.text("name"))
    return go(f"/contests/{contest_id}/organize")


@router.post("/contests/{contest_id}/invitations")
def do_invite(request: Request, contest_id: str, form: Posted) -> Response:
    """Make an invitation and show its link, once."""
    with visiting(request, writes=True) as visit:
        viewer = visit.viewer(contest_id)
        check_organizer(viewer)
        role, team = form.text("role"), form.text("team") or None
        token = invite(
            visit.session, viewer.actor, visit.server.settings, contest_id=contest_id, role=role, team_id=team
        )
        name = visit.session.get_one(Team, team).name if team else None
        link = MadeLink(visit.server.link(f"/invitations/{token}"), role=role, name=name)
        return _desk(visit, contest_id, link)


@router.post("/contests/{contest_id}/resets")
def do_make_reset(request: Request, contest_id: str, form: Posted) -> Response:
    """Make a link for a new password and show it, once."""
    with visiting(request, writes=True) as visit:
        viewer = visit.viewer(contest_id)
        check_organizer(viewer)
        token = reset_member(visit.session, viewer, visit.server.settings, form.text("user"))
        name = visit.session.get_one(User, form.text("user")).login
        return _desk(visit, contest_id, MadeLink(visit.server.link(f"/resets/{token}"), name=name))


def _organizes_contest(visit: Visit) -> int:
    check_organizer(visit.viewer(visit.request.path_params["contest_id"]))
    return MOST_RULES_BYTES


@router.post("/contests/{contest_id}/rules")
def do_set_rules(
    request: Request, contest_id: str, form: Annotated[PostedForm, Depends(uploading(_organizes_contest))]
) -> Response:
    """Take in rules of the contest's own."""
    server = server_of(request)
    stored = keep_upload(server, form.file("file"))
    with visiting(request, writes=True) as visit:
        set_rules(visit.session, visit.viewer(contest_id), server.files, stored)
    return go(f"/contests/{contest_id}/organize")


@router.post("/contests/{contest_id}/rounds")
def do_add_round(request: Request, contest_id: str, form: Posted) -> Response:
    """Add a round."""
    with visiting(request, writes=True) as visit:
        times = {name: form.text(name) for name in TIMES}
        add_round(visit.session, visit.viewer(contest_id), form.text("name"), times)
    return go(f"/contests/{contest_id}/organize")


@router.post("/contests/{contest_id}/description")
def do_describe(request: Request, contest_id: str, form: Posted) -> Response:
    """Set the description."""
    with visiting(request, writes=True) as visit:
        describe(visit.session, visit.viewer(contest_id), form.text("text"))
    return go(f"/contests/{contest_id}")


@router.post("/contests/{contest_id}/announcements")
def do_announce(request: Request, contest_id: str, form: Posted) -> Response:
    """Tell something to everybody who sees the contest."""
    with visiting(request, writes=True) as visit:
        announce(visit.session, visit.viewer(contest_id), form.text("title"), form.text("text"))
    return go(f"/contests/{contest_id}")


@router.post("/contests/{contest_id}/announcements/{identity}/withdraw")
def do_withdraw(request: Request, contest_id: str, identity: str, form: Posted) -> Response:  # noqa: ARG001
    """Take an announcement back."""
    with visiting(request, writes=True) as visit:
        withdraw(visit.session, visit.viewer(contest_id), identity)
    return go(f"/contests/{contest_id}/organize")


@router.post("/contests/{contest_id}/jobs/{job_id}/retry")
def do_retry(
    request: Request,
    contest_id: str,
    job_id: Annotated[int, Path(ge=1, lt=1 << 31)],
    form: Posted,  # noqa: ARG001
) -> Response:
    """Have a failed job done again."""
    with visiting(request, writes=True) as visit:
        retry_job(visit.session, visit.viewer(contest_id), job_id)
    return go(f"/contests/{contest_id}/organize")


def _organizes_round(visit: Visit) -> None:
    check_organizer(find_round(visit, visit.request.path_params["round_id"])[0])


@router.post("/rounds/{round_id}/data")
def do_set_original(
    request: Request, round_id: str, form: Annotated[PostedForm, Depends(uploading(_organizes_round))]
) -> Response:
    """Take in T."""
    stored = keep_upload(server_of(request), form.file("file"))
    with visiting(request, writes=True) as visit:
        viewer, _ = find_round(visit, round_id)
        set_original(visit.session, viewer, round_id, stored)
    return go(f"/rounds/{round_id}")


@router.post("/rounds/{round_id}/times")
def do_set_times(request: Request, round_id: str, form: Posted) -> Response:
    """Open phases earlier or extend them."""
    with visiting(request, writes=True) as visit:
        viewer, _ = find_round(visit, round_id)
        set_times(visit.session, viewer, round_id, {name: form.text(name) for name in TIMES})
    return go(f"/rounds/{round_id}")


@router.post("/rounds/{round_id}/steps")
def do_step(request: Request, round_id: str, form: Posted) -> Response:
    """Freeze or unfreeze a round, let teams see the built-in attacks or not, evaluate, publish the results, close.

    Results are published only with the number of the evaluation that the page of confirmation has shown.
    """
    step = form.text("step")
    confirmed = form.number("evaluation") if form.text("evaluation") else None
    with visiting(request, writes=True) as visit:
        viewer, found = find_round(visit, round_id)
        if step == "publish" and confirmed is None:
            publishable_evaluation(visit.session, viewer, found)
            return go(f"/rounds/{round_id}/publish")
        take_step(visit.session, viewer, round_id, step, form.text("reason"), confirmed)
    return go(f"/rounds/{round_id}")


@router.get("/rounds/{round_id}/publish")
def show_publication(request: Request, round_id: str) -> Response:
    """Ask whether results are to be published: what will be shown, and to whom."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        evaluation = publishable_evaluation(visit.session, viewer, found)
        return render(
            visit,
            "publish.html",
            contest=viewer.contest,
            round=show_round(visit.session, viewer, found),
            results=show_results(visit.session, viewer, found),
            members=len(show_members(visit.session, viewer)),
            evaluation=evaluation.id,
        )


def _desk(visit: Visit, contest_id: str, link: MadeLink | None = None) -> Response:
    viewer = visit.viewer(contest_id)
    check_organizer(viewer)
    return render(
        visit,
        "organize.html",
        contest=show_contest(visit.session, viewer),
        members=show_members(visit.session, viewer),
        invitations=show_invitations(visit.session, viewer),
        choices=CHOICES,
        openings=OPENINGS,
        most_hours=MOST_HOURS,
        jobs=show_jobs(visit.session, viewer, most=DESK_JOBS),
        times=TIMES,
        most_letters=MOST_TEXT_LETTERS,
        link=link,
    )
