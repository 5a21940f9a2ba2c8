"""Pages that all members see: the list of contests, a contest, a round, its data and its results."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy import or_, select
from starlette.responses import FileResponse, Response

from sudare.web.models import Contest, Membership, Round
from sudare.web.pages import render
from sudare.web.refusals import not_there
from sudare.web.requests import Server, Visit, visiting
from sudare.web.shown import show_contest, show_results, show_round, show_submissions, show_targets
from sudare.web.visibility import Viewer, may_download_original, visible_round

router = APIRouter()


def find_round(visit: Visit, round_id: str) -> tuple[Viewer, Round]:
    """Return a round that the visitor may see, and who the visitor is in its contest."""
    found = visit.session.get(Round, round_id)
    if found is None:
        raise not_there()
    viewer = visit.viewer(found.contest_id)
    return viewer, visible_round(visit.session, viewer, round_id)


def send_file(server: Server, hash: str, name: str) -> FileResponse:
    """Send a kept file under a name of ours, never to be shown as a page."""
    return FileResponse(server.files.path(hash), media_type="text/csv; charset=utf-8", filename=name)


@router.get("/")
def show_contests(request: Request) -> Response:
    """Show the contests of the visitor and the public ones."""
    with visiting(request) as visit:
        own = select(Membership.contest_id).where(Membership.user_id == (visit.login.user.id if visit.login else ""))
        wanted = select(Contest).where(or_(Contest.public, Contest.id.in_(own))).order_by(Contest.created_at.desc())
        return render(visit, "contests.html", contests=visit.session.scalars(wanted).all())


@router.get("/contests/{contest_id}")
def show_one_contest(request: Request, contest_id: str) -> Response:
    """Show a contest with its rounds and teams."""
    with visiting(request) as visit:
        return render(visit, "contest.html", contest=show_contest(visit.session, visit.viewer(contest_id)))


@router.get("/rounds/{round_id}")
def show_one_round(request: Request, round_id: str) -> Response:
    """Show a round: its times, T in numbers, and what the visitor can do in its phase."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        member = viewer.role in ("organizer", "team")
        return render(
            visit,
            "round.html",
            contest=viewer.contest,
            role=viewer.role,
            round=show_round(visit.session, viewer, found),
            handed_in=show_submissions(visit.session, viewer, found) if member else None,
            targets=show_targets(visit.session, viewer, found),
        )


@router.get("/rounds/{round_id}/data")
def send_original(request: Request, round_id: str) -> Response:
    """Send T to those who may have it."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        if not may_download_original(viewer, found) or found.dataset is None:
            raise not_there()
        return send_file(visit.server, found.dataset.file_hash, f"T-{found.position}.csv")


@router.get("/rounds/{round_id}/results")
def show_outcome(request: Request, round_id: str) -> Response:
    """Show standings and the matrix of attacks."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        results = show_results(visit.session, viewer, found)
        matrix = {(attack.target, attack.attacker): attack for attack in results.attacks}
        return render(
            visit,
            "results.html",
            contest=viewer.contest,
            role=viewer.role,
            round=show_round(visit.session, viewer, found),
            results=results,
            matrix=matrix,
            attackers=sorted({attack.attacker for attack in results.attacks}),
        )
