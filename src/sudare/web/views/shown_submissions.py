"""What pages and the API show of submissions to one viewer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.submissions import left_today
from sudare.web.game.visibility import Viewer, shown_result, team_names, visible_preview, visible_submissions
from sudare.web.storage.models import Final, Preview, Round, Submission, Team


class ShownTry(BaseModel):
    """What one built-in attack did to a submission, and to T itself, which it must break to prove anything."""

    method: str
    outcome: str
    guesses: int | None
    hits: int | None
    threshold: int | None
    margin: int | None
    control_hits: int | None
    control_threshold: int | None


class ShownPreview(BaseModel):
    """What the built-in attacks did to a submission; that it was not broken does not make it safe."""

    status: str
    verdict: str | None = None
    broken_by: list[str] = Field(default_factory=list)
    attacks: list[ShownTry] = Field(default_factory=list)
    same_numbers: int | None = None
    failure: str | None = None


class ShownSubmission(BaseModel):
    """A submission, and when it was checked, what was found.

    `change` is by how much U differs from that of the team's valid submission before it; `preview` is for its team.
    """

    id: str
    round: str
    team: str
    number: int
    note: str
    sha256: str
    size: int
    created_at: dt.datetime
    status: str
    utility: float | None
    change: float | None
    final: bool
    result: dict[str, Any] | None = None
    preview: ShownPreview | None = None


class ShownSubmissions(BaseModel):
    """The submissions of a round, or a page of them, of how many, and how many more a team may hand in today."""

    submissions: list[ShownSubmission]
    left_today: int | None
    total: int


def show_submissions(
    session: Session, viewer: Viewer, round: Round, *, most: int | None = None, page: int = 1
) -> ShownSubmissions:
    """Show the submissions of a round that the viewer may see, without what was found of each; `most` on a page."""
    found = visible_submissions(session, viewer, round, most=most, after=(page - 1) * (most or 0))
    own = None if viewer.organizes else viewer.own_team
    known = _known_utilities(session, round.id, own)
    changes, names, finals = _changes(known), team_names(session, round.contest_id), _finals(session, round.id)
    listed = [_submission(submission, names[submission.team_id], changes, finals) for submission in found]
    left = left_today(session, round, viewer.own_team, viewer.now) if viewer.role == "team" else None
    return ShownSubmissions(submissions=listed, left_today=left, total=len(known))


def show_submission(session: Session, viewer: Viewer, found: Submission) -> ShownSubmission:
    """Show a submission with what was found of it."""
    known = _known_utilities(session, found.round_id, found.team_id)
    changes, finals = _changes(known), _finals(session, found.round_id)
    shown = _submission(found, session.get_one(Team, found.team_id).name, changes, finals)
    preview = visible_preview(session, viewer, found)
    return shown.model_copy(
        update={
            "result": shown_result(viewer, found.result),
            "preview": _preview(preview) if preview else None,
        }
    )


def _known_utilities(session: Session, round_id: str, team_id: str | None) -> list[tuple[str, str, float | None]]:
    """Return identity, team and U of all submissions of a round, or of a team in it, by number."""
    wanted = select(Submission.id, Submission.team_id, Submission.utility).where(Submission.round_id == round_id)
    if team_id is not None:
        wanted = wanted.where(Submission.team_id == team_id)
    return [(row.id, row.team_id, row.utility) for row in session.execute(wanted.order_by(Submission.number))]


def _changes(known: Sequence[tuple[str, str, float | None]]) -> dict[str, float]:
    """Return by how much U of submissions differs from that of the valid one of the same team before."""
    changes: dict[str, float] = {}
    before: dict[str, float] = {}
    for identity, team, utility in known:
        if utility is not None:
            if team in before:
                changes[identity] = utility - before[team]
            before[team] = utility
    return changes


def _preview(found: Preview) -> ShownPreview:
    result = found.result or {}
    return ShownPreview(
        status=found.status,
        verdict=result.get("verdict"),
        broken_by=result.get("broken_by", []),
        attacks=[_try(attack) for attack in result.get("attacks", [])],
        same_numbers=result.get("same_numbers"),
        failure=result.get("failure"),
    )


def _try(attack: dict[str, Any]) -> ShownTry:
    judged, control = attack["judgement"] or {}, attack["control"] or {}
    return ShownTry(
        method=attack["method"],
        outcome=attack["outcome"],
        **{name: judged.get(name) for name in ("guesses", "hits", "threshold", "margin")},
        control_hits=control.get("hits"),
        control_threshold=control.get("threshold"),
    )


def _finals(session: Session, round_id: str) -> set[str]:
    """Return the submissions of a round that teams have chosen."""
    return set(session.scalars(select(Final.submission_id).where(Final.round_id == round_id)))


def _submission(found: Submission, team: str, changes: dict[str, float], finals: set[str]) -> ShownSubmission:
    return ShownSubmission(
        id=found.id,
        round=found.round_id,
        team=team,
        number=found.number,
        note=found.note,
        sha256=found.file_hash,
        size=found.size,
        created_at=found.created_at,
        status=found.status,
        utility=found.utility,
        change=changes.get(found.id),
        final=found.id in finals,
    )
