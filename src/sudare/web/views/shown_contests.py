"""What pages and the API show of a contest, its rounds, its teams and T to one viewer."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.announcements import visible_announcements
from sudare.web.game.leaderboards import Leaderboard, leaderboard_open
from sudare.web.game.phases import Phase, deadline_at, phase_at
from sudare.web.game.submissions import failed_checks
from sudare.web.game.visibility import (
    Viewer,
    may_download_original,
    newest_evaluation,
    results_open,
    targets_open,
    team_names,
    visible_teams,
)
from sudare.web.storage.models import Announcement, AuditEntry, Dataset, Round


class ShownData(BaseModel):
    """T in numbers; its hash, and what is wrong with it in the reader's language, for those who may have it."""

    status: str
    size: int | None = None
    sha256: str | None = None
    rows: int | None = None
    customers: int | None = None
    columns: list[dict[str, Any]] = Field(default_factory=list)
    message: str | None = None
    failure: str | None = None


class ShownCheck(BaseModel):
    """What a team handed in and the server failed to check."""

    team: str
    number: int


class ShownRound(BaseModel):
    """A round at a moment; organizers are told which checks it waits for that the server has failed."""

    id: str
    name: str
    position: int
    phase: Phase
    deadline: dt.datetime | None
    frozen: bool
    preview: bool
    anonymization_opens: dt.datetime
    anonymization_closes: dt.datetime
    reidentification_opens: dt.datetime
    reidentification_closes: dt.datetime
    data: ShownData | None
    data_downloadable: bool
    targets_open: bool
    published: bool
    unpublished: bool
    results_open: bool
    leaderboard_open: bool
    failed_checks: list[ShownCheck] = Field(default_factory=list)
    corrupt_files: list[str] = Field(default_factory=list)


class ShownTeam(BaseModel):
    """A team."""

    id: str
    name: str


class ShownPlace(BaseModel):
    """Where a team stands on the leaderboard: its best U, and how many of its submissions are valid."""

    rank: int
    team: str
    utility: float
    valid: int


class ShownLeaderboard(BaseModel):
    """The leaderboard of a round, of what was handed in before `until`."""

    until: dt.datetime
    frozen: bool
    places: list[ShownPlace]


class ShownAnnouncement(BaseModel):
    """What organizers tell everybody; the text is Markdown."""

    id: str
    title: str
    text: str
    created_at: dt.datetime


class ShownContest(BaseModel):
    """A contest, and what the viewer is in it; the description is Markdown, the newest announcement the first."""

    id: str
    name: str
    time_zone: str
    rules: str
    submissions_per_day: int
    teams_may_download: bool
    hide_names: bool
    guesses_replaceable: bool
    public: bool
    description: str
    leaderboard: str
    leaderboard_hours: int
    announcements: list[ShownAnnouncement]
    role: str | None
    team: ShownTeam | None
    teams: list[ShownTeam]
    rounds: list[ShownRound]


def show_contest(session: Session, viewer: Viewer) -> ShownContest:
    """Show a contest with its rounds and teams."""
    viewer.need("read")
    contest = viewer.contest
    teams = [ShownTeam(id=team.id, name=team.name) for team in visible_teams(session, viewer)]
    rounds = session.scalars(select(Round).where(Round.contest_id == contest.id).order_by(Round.position))
    return ShownContest(
        id=contest.id,
        name=contest.name,
        time_zone=contest.time_zone,
        rules=contest.rules,
        submissions_per_day=contest.submissions_per_day,
        teams_may_download=contest.teams_may_download,
        hide_names=contest.hide_names,
        guesses_replaceable=contest.guesses_replaceable,
        public=contest.public,
        description=contest.description,
        leaderboard=contest.leaderboard,
        leaderboard_hours=contest.leaderboard_hours,
        announcements=[show_announcement(found) for found in visible_announcements(session, viewer)],
        role=viewer.role,
        team=next((team for team in teams if team.id == viewer.team_id), None),
        teams=teams,
        rounds=[show_round(session, viewer, round) for round in rounds],
    )


def show_leaderboard(found: Leaderboard) -> ShownLeaderboard:
    """Show a leaderboard."""
    places = [
        ShownPlace(rank=place.rank, team=place.team, utility=place.utility, valid=place.valid) for place in found.places
    ]
    return ShownLeaderboard(until=found.until, frozen=found.frozen, places=places)


def show_announcement(found: Announcement) -> ShownAnnouncement:
    """Show an announcement."""
    return ShownAnnouncement(id=found.id, title=found.title, text=found.text, created_at=found.created_at)


def show_round(session: Session, viewer: Viewer, round: Round) -> ShownRound:
    """Show a round as it is at the viewer's moment; `unpublished` is whether an evaluation waits for an organizer."""
    newest = newest_evaluation(session, round)
    return ShownRound(
        id=round.id,
        name=round.name,
        position=round.position,
        phase=phase_at(round, viewer.now),
        deadline=deadline_at(round, viewer.now),
        frozen=round.frozen,
        preview=round.preview,
        anonymization_opens=round.anonymization_opens,
        anonymization_closes=round.anonymization_closes,
        reidentification_opens=round.reidentification_opens,
        reidentification_closes=round.reidentification_closes,
        data=show_data(viewer, round, round.dataset) if round.dataset else None,
        data_downloadable=may_download_original(viewer, round),
        targets_open=targets_open(viewer, round),
        published=round.published_at is not None,
        unpublished=viewer.organizes and newest is not None and newest.published_at is None,
        results_open=results_open(viewer, round) and newest is not None,
        leaderboard_open=leaderboard_open(viewer, round),
        failed_checks=_failed_checks(session, round) if viewer.organizes else [],
        corrupt_files=_corrupt_files(session, round) if viewer.organizes else [],
    )


def _corrupt_files(session: Session, round: Round) -> list[str]:
    """Return whose files a job of the round found changed on the disk."""
    wanted = select(AuditEntry).where(AuditEntry.contest_id == round.contest_id, AuditEntry.action == "file_corrupt")
    return sorted({entry.subject for entry in session.scalars(wanted)})


def _failed_checks(session: Session, round: Round) -> list[ShownCheck]:
    failed = failed_checks(session, round) if round.published_at is None else []
    names = team_names(session, round.contest_id) if failed else {}
    return [ShownCheck(team=names[found.team_id], number=found.number) for found in failed]


def show_data(viewer: Viewer, round: Round, dataset: Dataset) -> ShownData:
    """Show T in numbers; before it is valid, only organizers learn more than that."""
    result = dataset.result or {}
    if dataset.status != "valid":
        own = viewer.organizes
        return ShownData(
            status=dataset.status,
            size=dataset.size if own else None,
            sha256=dataset.file_hash if own else None,
            message=result["message"][viewer.language] if own and "message" in result else None,
            failure=result.get("failure") if own else None,
        )
    known = may_download_original(viewer, round)
    return ShownData(
        status=dataset.status,
        size=dataset.size if known else None,
        sha256=dataset.file_hash if known else None,
        rows=result["rows"],
        customers=result["customers"],
        columns=result["columns"],
    )
