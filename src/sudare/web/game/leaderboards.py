"""Leaderboards: the best U of each team while a round goes on, as far as the organizers open it.

Only what was handed in before one moment counts, whatever becomes of it later: a frozen board does not move when teams
choose other finals.
"""

from __future__ import annotations

import datetime as dt
from typing import Literal, get_args

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sudare.showing import dataclass
from sudare.web.game.phases import phase_at
from sudare.web.game.refusals import not_there
from sudare.web.game.visibility import Viewer, team_names
from sudare.web.storage.models import Round, Submission

# Never; always; standing still before the end of anonymization; only after it.
Opening = Literal["hidden", "public", "frozen", "after"]
OPENINGS: tuple[Opening, ...] = get_args(Opening)
MOST_HOURS = 24 * 30


@dataclass(frozen=True, slots=True)
class Place:
    """Where a team stands; teams with the same U share a rank."""

    rank: int
    team_id: str
    team: str
    utility: float
    valid: int


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The teams by their best U, of what was handed in before a moment; `frozen` as long as it stands still."""

    until: dt.datetime
    frozen: bool
    places: tuple[Place, ...]


def shown_until(opening: str, hours: int, round: Round, now: dt.datetime) -> dt.datetime | None:
    """Return the moment before which something must be handed in to be shown; None where nothing is."""
    phase, closes = phase_at(round, now), round.anonymization_closes
    if opening not in OPENINGS or opening == "hidden" or phase == "registration":
        return None
    if phase != "anonymization":
        return closes
    if opening == "after":
        return None
    return min(now, closes - dt.timedelta(hours=hours)) if opening == "frozen" else now


def leaderboard_open(viewer: Viewer, round: Round) -> bool:
    """Say whether the viewer may see a leaderboard; organizers always may."""
    return _until(viewer, round) is not None


def visible_leaderboard(session: Session, viewer: Viewer, round: Round) -> Leaderboard:
    """Return the leaderboard of a round; not there where it is not shown."""
    viewer.need("read")
    until = _until(viewer, round)
    if until is None:
        raise not_there()
    frozen = until < min(viewer.now, round.anonymization_closes)
    return Leaderboard(until, frozen, _places(session, round, until))


def _until(viewer: Viewer, round: Round) -> dt.datetime | None:
    if viewer.organizes:
        return viewer.now
    contest = viewer.contest
    return shown_until(contest.leaderboard, contest.leaderboard_hours, round, viewer.now)


def _places(session: Session, round: Round, until: dt.datetime) -> tuple[Place, ...]:
    wanted = (
        select(Submission.team_id, func.min(Submission.utility), func.count())
        .where(Submission.round_id == round.id, Submission.status == "valid", Submission.created_at < until)
        .group_by(Submission.team_id)
    )
    names = team_names(session, round.contest_id)
    found = sorted(
        (utility, names[team], team, count)
        for team, utility, count in session.execute(wanted).all()
        if utility is not None
    )
    return tuple(
        Place(1 + sum(other < utility for other, *_ in found), team, name, utility, count)
        for utility, name, team, count in found
    )
