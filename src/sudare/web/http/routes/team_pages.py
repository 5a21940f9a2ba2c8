"""Team pages: submissions and guesses."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from sudare.web.game.refusals import not_there
from sudare.web.game.submissions import (
    check_may_guess,
    check_may_submit,
    choose_final,
    most_guess_bytes,
    submit,
    submit_guesses,
)
from sudare.web.game.visibility import Viewer, visible_guess, visible_submission, visible_target
from sudare.web.http.requests import Posted, PostedForm, Visit, keep_upload, server_of, uploading, visiting
from sudare.web.http.routes.contest_pages import News, find_round, send_file
from sudare.web.storage.models import GuessFile, Round, Submission, Target
from sudare.web.views.pages import go, render
from sudare.web.views.shown_contests import show_round
from sudare.web.views.shown_submissions import ShownSubmission, show_submission
from sudare.web.views.shown_targets import show_guesses

router = APIRouter()


def _may_submit(visit: Visit) -> None:
    round_id = visit.request.path_params["round_id"]
    check_may_submit(visit.session, find_round(visit, round_id)[0], round_id)


@router.post("/rounds/{round_id}/submissions")
def do_submit(
    request: Request, round_id: str, form: Annotated[PostedForm, Depends(uploading(_may_submit))]
) -> Response:
    """Take in an A."""
    stored = keep_upload(server_of(request), form.file("file"))
    with visiting(request, writes=True) as visit:
        viewer, _ = find_round(visit, round_id)
        found = submit(visit.session, viewer, round_id, stored, form.text("note"))
    return go(f"/submissions/{found.id}")


@router.get("/submissions/{submission_id}")
def show_one_submission(request: Request, submission_id: str) -> Response:
    """Show a submission: its errors, or U and what it is made of."""
    with visiting(request) as visit:
        viewer, found, round = _submission(visit, submission_id)
        shown = show_submission(visit.session, viewer, found)
        return render(
            visit,
            "submission.html",
            contest=viewer.contest,
            role=viewer.role,
            round=show_round(visit.session, viewer, round),
            submission=shown,
            stamp=_submission_news(shown).stamp,
        )


@router.get("/submissions/{submission_id}/status")
def send_submission_status(request: Request, submission_id: str) -> News:
    """Tell the page of a submission whether there is something new."""
    with visiting(request) as visit:
        viewer, found, _ = _submission(visit, submission_id)
        return _submission_news(show_submission(visit.session, viewer, found))


@router.get("/submissions/{submission_id}/file")
def send_submission(request: Request, submission_id: str) -> Response:
    """Send an A to its team or the organizers."""
    with visiting(request) as visit:
        _, found, _ = _submission(visit, submission_id)
        return send_file(visit.server, found.file_hash, f"A-{found.number}.csv")


@router.post("/submissions/{submission_id}/final")
def do_choose(request: Request, submission_id: str, form: Posted) -> Response:  # noqa: ARG001
    """Choose the submission that counts."""
    with visiting(request, writes=True) as visit:
        viewer, found, _ = _submission(visit, submission_id)
        choose_final(visit.session, viewer, submission_id)
        return go(f"/rounds/{found.round_id}")


@router.get("/targets/{target_id}/file")
def send_target(request: Request, target_id: str) -> Response:
    """Send an A'."""
    with visiting(request) as visit:
        found, _ = visible_target(visit.session, _target_viewer(visit, target_id), target_id)
        return send_file(visit.server, found.file_hash, f"published-{found.number}.csv")


def _may_guess(visit: Visit) -> int:
    target_id = visit.request.path_params["target_id"]
    _, round = check_may_guess(visit.session, _target_viewer(visit, target_id), target_id)
    return most_guess_bytes(round)


@router.post("/targets/{target_id}/guesses")
def do_guess(request: Request, target_id: str, form: Annotated[PostedForm, Depends(uploading(_may_guess))]) -> Response:
    """Take in guesses on a target."""
    stored = keep_upload(server_of(request), form.file("file"))
    with visiting(request, writes=True) as visit:
        found = submit_guesses(visit.session, _target_viewer(visit, target_id), target_id, stored)
    return go(f"/guesses/{found.id}")


@router.get("/guesses/{guess_id}")
def show_one_guess(request: Request, guess_id: str) -> Response:
    """Show a file of guesses and what is wrong with it."""
    with visiting(request) as visit:
        viewer, found, round = _guess(visit, guess_id)
        return render(
            visit,
            "guesses.html",
            contest=viewer.contest,
            role=viewer.role,
            round=show_round(visit.session, viewer, round),
            guesses=show_guesses(visit.session, viewer, found),
        )


@router.get("/guesses/{guess_id}/status")
def send_guess_status(request: Request, guess_id: str) -> News:
    """Tell the page of guesses whether they are checked."""
    with visiting(request) as visit:
        _, found, _ = _guess(visit, guess_id)
        return News(stamp=found.status, waiting=found.status == "queued")


@router.get("/guesses/{guess_id}/file")
def send_guess(request: Request, guess_id: str) -> Response:
    """Send guesses to their team or the organizers."""
    with visiting(request) as visit:
        _, found, _ = _guess(visit, guess_id)
        return send_file(visit.server, found.file_hash, f"guesses-{found.number}.csv")


def _submission_news(shown: ShownSubmission) -> News:
    statuses = [shown.status, shown.preview.status if shown.preview else ""]
    return News(stamp=" ".join(statuses), waiting="queued" in statuses)


def _submission(visit: Visit, identity: str) -> tuple[Viewer, Submission, Round]:
    found = visit.session.get(Submission, identity)
    if found is None:
        raise not_there()
    round = visit.session.get_one(Round, found.round_id)
    viewer = visit.viewer(round.contest_id)
    return viewer, visible_submission(visit.session, viewer, identity), round


def _guess(visit: Visit, identity: str) -> tuple[Viewer, GuessFile, Round]:
    found = visit.session.get(GuessFile, identity)
    if found is None:
        raise not_there()
    round = visit.session.get_one(Round, found.round_id)
    viewer = visit.viewer(round.contest_id)
    return viewer, visible_guess(visit.session, viewer, identity), round


def _target_viewer(visit: Visit, identity: str) -> Viewer:
    found = visit.session.get(Target, identity)
    if found is None:
        raise not_there()
    return visit.viewer(visit.session.get_one(Round, found.round_id).contest_id)
