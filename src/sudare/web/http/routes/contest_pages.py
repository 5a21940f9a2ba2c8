"""Pages that all members see: the list of contests, a contest, a round, its data and its results."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from sqlalchemy import or_, select
from starlette.responses import FileResponse, Response

from sudare.web.game.contests import contest_rules, rules_text
from sudare.web.game.leaderboards import visible_leaderboard
from sudare.web.game.phases import PHASES, TIMES
from sudare.web.game.refusals import not_there
from sudare.web.game.visibility import Viewer, may_download_original, visible_evaluation, visible_round
from sudare.web.http.requests import Server, Visit, texts_of, visiting
from sudare.web.storage.models import Contest, Membership, Round
from sudare.web.views.csv_files import attacks_csv, standings_csv
from sudare.web.views.pages import render
from sudare.web.views.results import show_results, show_versions
from sudare.web.views.rules_words import rules_columns, rules_sentences
from sudare.web.views.shown_contests import ShownRound, show_contest, show_round
from sudare.web.views.shown_submissions import ShownSubmissions, show_submissions
from sudare.web.views.shown_targets import ShownTarget, show_targets

router = APIRouter()
SUBMISSIONS_ON_PAGE = 100
Page = Annotated[int, Query(ge=1, lt=1 << 20)]
Version = Annotated[
    int | None, Query(ge=1, lt=1 << 31, description="A version of results; the one that stands if left out.")
]


class News(BaseModel):
    """Whether a page is as it was: another stamp, another page; `waiting` as long as something is being checked."""

    stamp: str
    waiting: bool


class _WholeRound(BaseModel):
    """All that the page of a round shows."""

    round: ShownRound
    handed_in: ShownSubmissions | None
    targets: list[ShownTarget]


def find_round(visit: Visit, round_id: str) -> tuple[Viewer, Round]:
    """Return a round that the visitor may see, and who the visitor is in its contest."""
    found = visit.session.get(Round, round_id)
    if found is None:
        raise not_there()
    viewer = visit.viewer(found.contest_id)
    return viewer, visible_round(visit.session, viewer, round_id)


def send_file(server: Server, hash: str, name: str) -> FileResponse:
    """Send a kept file as it was handed in, under a name of ours, never to be shown as a page."""
    return FileResponse(server.files.whole(hash), media_type="text/csv; charset=utf-8", filename=name)


def send_table(text: str, name: str) -> Response:
    """Send a table that was made here."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def send_rules_file(server: Server, contest: Contest) -> Response:
    """Send the rules of a contest."""
    headers = {"Content-Disposition": 'attachment; filename="rules.toml"'}
    return Response(rules_text(server.files, contest), media_type="application/toml", headers=headers)


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
        shown = show_contest(visit.session, visit.viewer(contest_id))
        return render(visit, "contest.html", contest=shown, times=TIMES, now=visit.now)


@router.get("/contests/{contest_id}/rules")
def show_rules(request: Request, contest_id: str) -> Response:
    """Show the rules of a contest in words."""
    with visiting(request) as visit:
        viewer = visit.viewer(contest_id)
        viewer.need("read")
        texts, rules = texts_of(request), contest_rules(visit.server.files, viewer.contest)
        return render(
            visit,
            "rules.html",
            contest=viewer.contest,
            columns=list(rules_columns(texts, rules)),
            sentences=rules_sentences(texts, rules),
        )


@router.get("/contests/{contest_id}/rules.toml")
def send_rules(request: Request, contest_id: str) -> Response:
    """Send the rules of a contest as the file that programs take."""
    with visiting(request) as visit:
        viewer = visit.viewer(contest_id)
        viewer.need("read")
        return send_rules_file(visit.server, viewer.contest)


@router.get("/rounds/{round_id}")
def show_one_round(request: Request, round_id: str, page: Page = 1) -> Response:
    """Show a round: its times, T in numbers, and what the visitor can do in its phase."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        shown = _whole_round(visit, viewer, found, page)
        news = _news(shown)
        return render(
            visit,
            "round.html",
            contest=viewer.contest,
            role=viewer.role,
            phases=PHASES,
            times=TIMES,
            now=visit.now,
            stamp=news.stamp,
            waiting=news.waiting,
            round=shown.round,
            handed_in=shown.handed_in,
            page=page,
            pages=-(-shown.handed_in.total // SUBMISSIONS_ON_PAGE) if shown.handed_in else 1,
            targets=shown.targets,
        )


@router.get("/rounds/{round_id}/status")
def send_round_status(request: Request, round_id: str, page: Page = 1) -> News:
    """Tell the page of a round whether there is something new."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        return _news(_whole_round(visit, viewer, found, page))


def _whole_round(visit: Visit, viewer: Viewer, found: Round, page: int) -> _WholeRound:
    member = viewer.role in ("organizer", "team")
    submissions = partial(show_submissions, most=SUBMISSIONS_ON_PAGE, page=page)
    return _WholeRound(
        round=show_round(visit.session, viewer, found),
        handed_in=submissions(visit.session, viewer, found) if member else None,
        targets=show_targets(visit.session, viewer, found),
    )


def _news(shown: _WholeRound) -> News:
    data = shown.round.data.status if shown.round.data else ""
    handed_in = [entry.status for entry in shown.handed_in.submissions] if shown.handed_in else []
    statuses = [data, *handed_in, *(guess.status for target in shown.targets for guess in target.guesses)]
    stamp = hashlib.sha256(shown.model_dump_json().encode()).hexdigest()[:16]
    return News(stamp=stamp, waiting="queued" in statuses)


@router.get("/rounds/{round_id}/data")
def send_original(request: Request, round_id: str) -> Response:
    """Send T to those who may have it."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        if not may_download_original(viewer, found) or found.dataset is None:
            raise not_there()
        return send_file(visit.server, found.dataset.file_hash, f"T-{found.position}.csv")


@router.get("/rounds/{round_id}/results")
def show_outcome(request: Request, round_id: str, version: Version = None) -> Response:
    """Show standings, the matrix of attacks, where U comes from, and uses; or those of an earlier version."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        evaluation = visible_evaluation(visit.session, viewer, found, version)
        return render(
            visit,
            "results.html",
            contest=viewer.contest,
            role=viewer.role,
            round=show_round(visit.session, viewer, found),
            published=evaluation.published_at is not None,
            versions=show_versions(visit.session, found),
            version=version,
            body=visit.server.results.find(visit.session, viewer, found, texts_of(request).language, version),
        )


@router.get("/rounds/{round_id}/leaderboard")
def show_board(request: Request, round_id: str) -> Response:
    """Show the leaderboard."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        return render(
            visit,
            "leaderboard.html",
            contest=viewer.contest,
            team=viewer.team_id,
            round=show_round(visit.session, viewer, found),
            board=visible_leaderboard(visit.session, viewer, found),
        )


@router.get("/rounds/{round_id}/standings.csv")
def send_standings(request: Request, round_id: str) -> Response:
    """Send the standings for a spreadsheet."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        return send_table(standings_csv(show_results(visit.session, viewer, found)), f"standings-{found.position}.csv")


@router.get("/rounds/{round_id}/attacks.csv")
def send_attacks(request: Request, round_id: str) -> Response:
    """Send all attacks for a spreadsheet."""
    with visiting(request) as visit:
        viewer, found = find_round(visit, round_id)
        return send_table(attacks_csv(show_results(visit.session, viewer, found)), f"attacks-{found.position}.csv")
