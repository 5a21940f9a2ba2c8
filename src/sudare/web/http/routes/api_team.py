"""The API for teams and readers: the same rules as on the pages."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from sudare.web.game.leaderboards import visible_leaderboard
from sudare.web.game.refusals import not_there
from sudare.web.game.submissions import (
    MOST_NOTE_LETTERS,
    check_may_guess,
    check_may_submit,
    choose_final,
    most_guess_bytes,
    submit,
    submit_guesses,
)
from sudare.web.game.visibility import (
    may_download_original,
    visible_guess,
    visible_round,
    visible_submission,
    visible_target,
)
from sudare.web.http.requests import Credentials, calling, receive_upload, server_of
from sudare.web.http.routes.contest_pages import Version, send_file, send_rules_file, send_table
from sudare.web.storage.models import GuessFile, Submission
from sudare.web.views.csv_files import attacks_csv, standings_csv
from sudare.web.views.results import ShownResults, show_results
from sudare.web.views.shown_contests import (
    ShownContest,
    ShownLeaderboard,
    ShownRound,
    show_contest,
    show_leaderboard,
    show_round,
)
from sudare.web.views.shown_submissions import ShownSubmission, ShownSubmissions, show_submission, show_submissions
from sudare.web.views.shown_targets import ShownGuesses, ShownTarget, show_guesses, show_targets


class Problem(BaseModel):
    """What went wrong: a code for programs, and a message for people in their language."""

    code: str
    message: str


class Problems(BaseModel):
    """The shape of all errors."""

    error: Problem


STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503, 507)
ANSWERS: dict[int | str, dict[str, Any]] = {status: {"model": Problems} for status in STATUSES}
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}, "description": "The file."}}
RULES_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/toml": {}}, "description": "The file."}}
BODY = {
    "requestBody": {
        "required": True,
        "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}},
    }
}

router = APIRouter(tags=["contest"], responses=ANSWERS)


@router.get("/contest")
def get_contest(request: Request, credentials: Credentials) -> ShownContest:
    """Return the contest that the token is for, with its rounds and teams."""
    with calling(request, credentials) as (session, viewer):
        return show_contest(session, viewer)


@router.get("/rules", response_class=Response, responses=RULES_FILE)
def get_rules(request: Request, credentials: Credentials) -> Response:
    """Download the rules of the contest, a TOML file that the commands take."""
    with calling(request, credentials) as (_, viewer):
        viewer.need("read")
        return send_rules_file(server_of(request), viewer.contest)


@router.get("/rounds/{round_id}")
def get_round(request: Request, credentials: Credentials, round_id: str) -> ShownRound:
    """Return a round: its phase, its times and figures about T."""
    with calling(request, credentials) as (session, viewer):
        return show_round(session, viewer, visible_round(session, viewer, round_id))


@router.get("/rounds/{round_id}/leaderboard")
def get_leaderboard(request: Request, credentials: Credentials, round_id: str) -> ShownLeaderboard:
    """Return the best U of each team, if the organizers show it."""
    with calling(request, credentials) as (session, viewer):
        found = visible_leaderboard(session, viewer, visible_round(session, viewer, round_id))
        return show_leaderboard(found)


@router.get("/rounds/{round_id}/data", response_class=FileResponse, responses=FILE)
def get_original(request: Request, credentials: Credentials, round_id: str) -> FileResponse:
    """Download T, if the organizers allow it."""
    with calling(request, credentials) as (session, viewer):
        found = visible_round(session, viewer, round_id)
        if not may_download_original(viewer, found) or found.dataset is None:
            raise not_there()
        return send_file(server_of(request), found.dataset.file_hash, f"T-{found.position}.csv")


@router.get("/rounds/{round_id}/submissions")
def get_submissions(request: Request, credentials: Credentials, round_id: str) -> ShownSubmissions:
    """List your team's submissions, newest first, and how many more you may submit today."""
    with calling(request, credentials) as (session, viewer):
        return show_submissions(session, viewer, visible_round(session, viewer, round_id))


@router.post("/rounds/{round_id}/submissions", status_code=201, openapi_extra=BODY)
async def post_submission(
    request: Request,
    credentials: Credentials,
    round_id: str,
    note: Annotated[str, Query(max_length=MOST_NOTE_LETTERS)] = "",
) -> ShownSubmission:
    """Submit an A: the body is the file itself. It is checked at once; get the submission to see the result."""

    def check() -> None:
        with calling(request, credentials) as (session, viewer):
            check_may_submit(session, viewer, round_id)

    def accept() -> ShownSubmission:
        with calling(request, credentials, writes=True) as (session, viewer):
            found = submit(session, viewer, round_id, stored, note.replace("\0", ""))
            return show_submission(session, viewer, found)

    await run_in_threadpool(check)
    stored = await receive_upload(server_of(request), request)
    return await run_in_threadpool(accept)


@router.get("/submissions/{submission_id}")
def get_submission(request: Request, credentials: Credentials, submission_id: str) -> ShownSubmission:
    """Return a submission: its errors, or U, where U comes from and how safe its classes are."""
    with calling(request, credentials) as (session, viewer):
        return show_submission(session, viewer, visible_submission(session, viewer, submission_id))


@router.get("/submissions/{submission_id}/file", response_class=FileResponse, responses=FILE)
def get_submission_file(request: Request, credentials: Credentials, submission_id: str) -> FileResponse:
    """Download an A as it was submitted."""
    with calling(request, credentials) as (session, viewer):
        found: Submission = visible_submission(session, viewer, submission_id)
        return send_file(server_of(request), found.file_hash, f"A-{found.number}.csv")


@router.put("/submissions/{submission_id}/final")
def put_final(request: Request, credentials: Credentials, submission_id: str) -> ShownSubmission:
    """Choose the submission that counts; if none is chosen, the last valid one counts."""
    with calling(request, credentials, writes=True) as (session, viewer):
        choose_final(session, viewer, submission_id)
        return show_submission(session, viewer, visible_submission(session, viewer, submission_id))


@router.get("/rounds/{round_id}/targets")
def get_targets(request: Request, credentials: Credentials, round_id: str) -> list[ShownTarget]:
    """List the published finals with your own guesses; empty before re-identification opens."""
    with calling(request, credentials) as (session, viewer):
        return show_targets(session, viewer, visible_round(session, viewer, round_id))


@router.get("/targets/{target_id}/file", response_class=FileResponse, responses=FILE)
def get_target_file(request: Request, credentials: Credentials, target_id: str) -> FileResponse:
    """Download an A'."""
    with calling(request, credentials) as (session, viewer):
        found, _ = visible_target(session, viewer, target_id)
        return send_file(server_of(request), found.file_hash, f"published-{found.number}.csv")


@router.post("/targets/{target_id}/guesses", status_code=201, openapi_extra=BODY)
async def post_guesses(request: Request, credentials: Credentials, target_id: str) -> ShownGuesses:
    """Submit guesses on a target: the body is the file, with lines `pseudonym,customer`."""

    def check() -> int:
        with calling(request, credentials) as (session, viewer):
            return most_guess_bytes(check_may_guess(session, viewer, target_id)[1])

    def accept() -> ShownGuesses:
        with calling(request, credentials, writes=True) as (session, viewer):
            return show_guesses(session, viewer, submit_guesses(session, viewer, target_id, stored))

    most = await run_in_threadpool(check)
    stored = await receive_upload(server_of(request), request, most)
    return await run_in_threadpool(accept)


@router.get("/guesses/{guess_id}")
def get_guesses(request: Request, credentials: Credentials, guess_id: str) -> ShownGuesses:
    """Return a file of guesses and its errors."""
    with calling(request, credentials) as (session, viewer):
        return show_guesses(session, viewer, visible_guess(session, viewer, guess_id))


@router.get("/guesses/{guess_id}/file", response_class=FileResponse, responses=FILE)
def get_guesses_file(request: Request, credentials: Credentials, guess_id: str) -> FileResponse:
    """Download guesses as they were submitted."""
    with calling(request, credentials) as (session, viewer):
        found: GuessFile = visible_guess(session, viewer, guess_id)
        return send_file(server_of(request), found.file_hash, f"guesses-{found.number}.csv")


@router.get("/rounds/{round_id}/results")
def get_results(request: Request, credentials: Credentials, round_id: str, version: Version = None) -> ShownResults:
    """Return standings, attacks, where U comes from and the errors of use cases, once they are published."""
    with calling(request, credentials) as (session, viewer):
        return show_results(session, viewer, visible_round(session, viewer, round_id), version)


@router.get("/rounds/{round_id}/standings.csv", response_class=Response, responses=FILE)
def get_standings_file(request: Request, credentials: Credentials, round_id: str) -> Response:
    """Download the standings as CSV, once they are published."""
    with calling(request, credentials) as (session, viewer):
        found = visible_round(session, viewer, round_id)
        return send_table(standings_csv(show_results(session, viewer, found)), f"standings-{found.position}.csv")


@router.get("/rounds/{round_id}/attacks.csv", response_class=Response, responses=FILE)
def get_attacks_file(request: Request, credentials: Credentials, round_id: str) -> Response:
    """Download all attacks as CSV, once they are published."""
    with calling(request, credentials) as (session, viewer):
        found = visible_round(session, viewer, round_id)
        return send_table(attacks_csv(show_results(session, viewer, found)), f"attacks-{found.position}.csv")
