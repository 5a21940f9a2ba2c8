"""The API for organizers, with a token of scope `organize`."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from sudare.web.game.accounts import invite
from sudare.web.game.announcements import MOST_TEXT_LETTERS, announce, describe, withdraw
from sudare.web.game.contests import (
    MOST_NAME_LETTERS,
    MOST_RULES_BYTES,
    add_round,
    add_team,
    reset_member,
    retry_job,
    set_original,
    set_rules,
    set_times,
    take_step,
)
from sudare.web.game.phases import TIMES
from sudare.web.game.visibility import check_organizer, visible_round
from sudare.web.http.requests import Credentials, calling, receive_upload, server_of
from sudare.web.http.routes.api_team import ANSWERS, BODY
from sudare.web.views.shown_administration import ShownEntry, ShownJob, ShownMember, show_audit, show_jobs, show_members
from sudare.web.views.shown_contests import ShownAnnouncement, ShownRound, ShownTeam, show_announcement, show_round

router = APIRouter(tags=["organizer"], responses=ANSWERS)
RULES_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/toml": {"schema": {"type": "string", "format": "binary"}}},
    }
}

Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME_LETTERS)]
Moment = Annotated[str, Field(max_length=40, description="ISO 8601; in the contest's time zone if it has no offset.")]


class NewTeam(BaseModel):
    """A team to add."""

    name: Name


class NewInvitation(BaseModel):
    """Whom to invite: an organizer, an observer, or a member of a team."""

    role: Literal["organizer", "team", "observer"]
    team: Annotated[str, Field(pattern="^[a-z0-9]{16}$")] | None = None


class Link(BaseModel):
    """A link to send to one person; it is not shown again."""

    link: str


class NewRound(BaseModel):
    """A round to add."""

    name: Name
    anonymization_opens: Moment
    anonymization_closes: Moment
    reidentification_opens: Moment
    reidentification_closes: Moment


class NewTimes(BaseModel):
    """Times to change; those that are left out stay as they are."""

    anonymization_opens: Moment | None = None
    anonymization_closes: Moment | None = None
    reidentification_opens: Moment | None = None
    reidentification_closes: Moment | None = None


class Step(BaseModel):
    """What to do with a round."""

    step: Literal["freeze", "unfreeze", "allow_preview", "forbid_preview", "go_on", "evaluate", "publish", "close"]
    reason: Annotated[str, Field(max_length=200, description="Why published results are replaced.")] = ""


class NewAnnouncement(BaseModel):
    """What to tell everybody who sees the contest; the text is Markdown."""

    title: Name
    text: Annotated[str, Field(max_length=MOST_TEXT_LETTERS)] = ""


class NewDescription(BaseModel):
    """A description of the contest, in Markdown."""

    text: Annotated[str, Field(max_length=MOST_TEXT_LETTERS)]


@router.put("/description", status_code=204)
def put_description(request: Request, credentials: Credentials, new: NewDescription) -> None:
    """Set the description of the contest."""
    with calling(request, credentials, writes=True) as (session, viewer):
        describe(session, viewer, new.text)


@router.post("/announcements", status_code=201)
def post_announcement(request: Request, credentials: Credentials, new: NewAnnouncement) -> ShownAnnouncement:
    """Announce something to everybody who sees the contest."""
    with calling(request, credentials, writes=True) as (session, viewer):
        return show_announcement(announce(session, viewer, new.title, new.text))


@router.delete("/announcements/{announcement_id}", status_code=204)
def delete_announcement(request: Request, credentials: Credentials, announcement_id: str) -> None:
    """Withdraw an announcement."""
    with calling(request, credentials, writes=True) as (session, viewer):
        withdraw(session, viewer, announcement_id)


@router.post("/teams", status_code=201)
def post_team(request: Request, credentials: Credentials, new: NewTeam) -> ShownTeam:
    """Add a team."""
    with calling(request, credentials, writes=True) as (session, viewer):
        team = add_team(session, viewer, new.name)
        return ShownTeam(id=team.id, name=team.name)


@router.post("/invitations", status_code=201)
def post_invitation(request: Request, credentials: Credentials, new: NewInvitation) -> Link:
    """Create an invitation for one person."""
    server = server_of(request)
    with calling(request, credentials, writes=True) as (session, viewer):
        check_organizer(viewer)
        token = invite(
            session, viewer.actor, server.settings, contest_id=viewer.contest.id, role=new.role, team_id=new.team
        )
        return Link(link=server.link(f"/invitations/{token}"))


@router.get("/members")
def get_members(request: Request, credentials: Credentials) -> list[ShownMember]:
    """List the members of the contest."""
    with calling(request, credentials) as (session, viewer):
        return show_members(session, viewer)


@router.post("/members/{user_id}/reset", status_code=201)
def post_reset(request: Request, credentials: Credentials, user_id: str) -> Link:
    """Create a link with which a member sets a new password."""
    server = server_of(request)
    with calling(request, credentials, writes=True) as (session, viewer):
        token = reset_member(session, viewer, server.settings, user_id)
        return Link(link=server.link(f"/resets/{token}"))


@router.put("/rules", status_code=204, openapi_extra=RULES_BODY)
async def put_rules(request: Request, credentials: Credentials) -> None:
    """Set the contest's own rules: the body is a TOML file. Not possible once there is data."""

    def check() -> None:
        with calling(request, credentials) as (_, viewer):
            check_organizer(viewer)

    def accept() -> None:
        with calling(request, credentials, writes=True) as (session, viewer):
            set_rules(session, viewer, server_of(request).files, stored)

    await run_in_threadpool(check)
    stored = await receive_upload(server_of(request), request, MOST_RULES_BYTES)
    await run_in_threadpool(accept)


@router.post("/rounds", status_code=201)
def post_round(request: Request, credentials: Credentials, new: NewRound) -> ShownRound:
    """Add a round."""
    with calling(request, credentials, writes=True) as (session, viewer):
        found = add_round(session, viewer, new.name, {name: getattr(new, name) for name in TIMES})
        session.refresh(found)
        return show_round(session, viewer, found)


@router.patch("/rounds/{round_id}/times")
def patch_times(request: Request, credentials: Credentials, round_id: str, new: NewTimes) -> ShownRound:
    """Change the times of a round, to open phases earlier or to extend them."""
    with calling(request, credentials, writes=True) as (session, viewer):
        times = {name: getattr(new, name) or "" for name in TIMES}
        return show_round(session, viewer, set_times(session, viewer, round_id, times))


@router.post("/rounds/{round_id}/steps")
def post_step(request: Request, credentials: Credentials, round_id: str, new: Step) -> ShownRound:
    """Pause or resume a round, show teams the built-in attacks or not, evaluate, publish the results, or close it."""
    with calling(request, credentials, writes=True) as (session, viewer):
        take_step(session, viewer, round_id, new.step, new.reason)
        return show_round(session, viewer, visible_round(session, viewer, round_id))


@router.put("/rounds/{round_id}/data", status_code=202, openapi_extra=BODY)
async def put_original(request: Request, credentials: Credentials, round_id: str) -> ShownRound:
    """Upload the T of a round: the body is the file itself."""

    def check() -> None:
        with calling(request, credentials) as (session, viewer):
            check_organizer(viewer)
            visible_round(session, viewer, round_id)

    def accept() -> ShownRound:
        with calling(request, credentials, writes=True) as (session, viewer):
            set_original(session, viewer, round_id, stored)
            found = visible_round(session, viewer, round_id)
            session.refresh(found)
            return show_round(session, viewer, found)

    await run_in_threadpool(check)
    stored = await receive_upload(server_of(request), request)
    return await run_in_threadpool(accept)


@router.get("/jobs")
def get_jobs(request: Request, credentials: Credentials) -> list[ShownJob]:
    """List the jobs of the contest: failed ones, then the others, newest first."""
    with calling(request, credentials) as (session, viewer):
        return show_jobs(session, viewer)


@router.post("/jobs/{job_id}/retry", status_code=204)
def post_retry(request: Request, credentials: Credentials, job_id: Annotated[int, Path(ge=1, lt=1 << 31)]) -> None:
    """Try a failed job again."""
    with calling(request, credentials, writes=True) as (session, viewer):
        retry_job(session, viewer, job_id)


@router.get("/audit")
def get_audit(
    request: Request,
    credentials: Credentials,
    before: Annotated[int | None, Query(ge=1, lt=1 << 31, description="Only entries older than this one.")] = None,
) -> list[ShownEntry]:
    """List the audit log of the contest, newest first."""
    with calling(request, credentials) as (session, viewer):
        return show_audit(session, viewer, before=before)
