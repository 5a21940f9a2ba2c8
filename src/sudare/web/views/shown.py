"""What pages and the API show of the things in the database, to one viewer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.web.game.phases import Phase, deadline_at, phase_at
from sudare.web.game.submissions import left_today
from sudare.web.game.visibility import (
    Viewer,
    check_organizer,
    may_download_original,
    may_see_name,
    newest_evaluation,
    results_open,
    shown_result,
    targets_open,
    team_names,
    visible_guesses,
    visible_preview,
    visible_submissions,
    visible_targets,
    visible_teams,
)
from sudare.web.storage.models import (
    AuditEntry,
    Dataset,
    Final,
    GuessFile,
    Job,
    Membership,
    Preview,
    Round,
    Submission,
    Target,
    Team,
    User,
)


class ShownData(BaseModel):
    """T in numbers; its hash, and what is wrong with it, for those who may have it."""

    status: str
    size: int | None = None
    sha256: str | None = None
    rows: int | None = None
    customers: int | None = None
    columns: list[dict[str, Any]] = Field(default_factory=list)
    message: str | None = None
    failure: str | None = None


class ShownRound(BaseModel):
    """A round at a moment."""

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
    results_open: bool


class ShownTeam(BaseModel):
    """A team."""

    id: str
    name: str


class ShownContest(BaseModel):
    """A contest, and what the viewer is in it."""

    id: str
    name: str
    time_zone: str
    rules: str
    submissions_per_day: int
    teams_may_download: bool
    hide_names: bool
    guesses_replaceable: bool
    public: bool
    role: str | None
    team: ShownTeam | None
    teams: list[ShownTeam]
    rounds: list[ShownRound]


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
    """The submissions of a round, and how many more a team may hand in today."""

    submissions: list[ShownSubmission]
    left_today: int | None


class ShownGuesses(BaseModel):
    """A file of guesses, and when it was checked, what is wrong with it; never how many are right."""

    id: str
    round: str
    target: int
    team: str
    number: int
    sha256: str
    size: int
    created_at: dt.datetime
    status: str
    result: dict[str, Any] | None = None


class ShownTarget(BaseModel):
    """A target: what was published of a final submission, and the viewer's own guesses on it."""

    id: str
    number: int
    team: str | None
    own: bool
    rows: int
    size: int
    sha256: str
    guesses: list[ShownGuesses]


class ShownEntry(BaseModel):
    """An entry of the audit log."""

    id: int
    at: dt.datetime
    actor: str
    action: str
    subject: str
    details: str
    hash: str


class ShownJob(BaseModel):
    """A job, for organizers."""

    id: int
    kind: str
    status: str
    attempts: int
    failure: str | None
    team: str | None
    created_at: dt.datetime
    finished_at: dt.datetime | None


class ShownMember(BaseModel):
    """A member of a contest, for organizers."""

    login: str
    user: str
    role: str
    team: str | None


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
        role=viewer.role,
        team=next((team for team in teams if team.id == viewer.team_id), None),
        teams=teams,
        rounds=[show_round(session, viewer, round) for round in rounds],
    )


def show_round(session: Session, viewer: Viewer, round: Round) -> ShownRound:
    """Show a round as it is at the viewer's moment."""
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
        results_open=results_open(viewer, round) and newest_evaluation(session, round) is not None,
    )


def show_data(viewer: Viewer, round: Round, dataset: Dataset) -> ShownData:
    """Show T in numbers; before it is valid, only organizers learn more than that."""
    result = dataset.result or {}
    if dataset.status != "valid":
        own = viewer.organizes
        return ShownData(
            status=dataset.status,
            size=dataset.size if own else None,
            sha256=dataset.file_hash if own else None,
            message=result.get("message") if own else None,
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


def show_submissions(session: Session, viewer: Viewer, round: Round) -> ShownSubmissions:
    """Show the submissions of a round that the viewer may see, without what was found of each."""
    found = visible_submissions(session, viewer, round)
    changes, names, finals = _changes(found), team_names(session, round.contest_id), _finals(session, round.id)
    listed = [_submission(submission, names[submission.team_id], changes, finals) for submission in found]
    left = left_today(session, round, viewer.own_team, viewer.now) if viewer.role == "team" else None
    return ShownSubmissions(submissions=listed, left_today=left)


def show_submission(session: Session, viewer: Viewer, found: Submission) -> ShownSubmission:
    """Show a submission with what was found of it."""
    wanted = select(Submission).where(Submission.round_id == found.round_id, Submission.team_id == found.team_id)
    changes, finals = _changes(session.scalars(wanted).all()), _finals(session, found.round_id)
    shown = _submission(found, session.get_one(Team, found.team_id).name, changes, finals)
    preview = visible_preview(session, viewer, found)
    return shown.model_copy(
        update={
            "result": shown_result(viewer, found.result),
            "preview": _preview(preview) if preview else None,
        }
    )


def _changes(submissions: Sequence[Submission]) -> dict[str, float]:
    """Return by how much U of submissions differs from that of the valid one of the same team before."""
    changes: dict[str, float] = {}
    before: dict[str, float] = {}
    for found in sorted(submissions, key=lambda found: found.number):
        if found.utility is not None:
            if found.team_id in before:
                changes[found.id] = found.utility - before[found.team_id]
            before[found.team_id] = found.utility
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


def show_targets(session: Session, viewer: Viewer, round: Round) -> list[ShownTarget]:
    """Show the targets of a round, and on each the guesses that the viewer may see."""
    targets = visible_targets(session, viewer, round)
    if not targets:
        return []
    names, numbers = team_names(session, round.contest_id), {target.id: target.number for target in targets}
    guesses: dict[str, list[ShownGuesses]] = {target.id: [] for target in targets}
    for guess in visible_guesses(session, viewer, round):
        guesses[guess.target_id].append(_guesses(guess, numbers[guess.target_id], names[guess.team_id]))
    return [
        ShownTarget(
            id=target.id,
            number=target.number,
            team=names[target.team_id] if may_see_name(viewer, round, target) else None,
            own=target.team_id == viewer.team_id,
            rows=target.rows,
            size=target.size,
            sha256=target.file_hash,
            guesses=guesses[target.id],
        )
        for target in targets
    ]


def show_guesses(session: Session, found: GuessFile) -> ShownGuesses:
    """Show a file of guesses with what is wrong with it."""
    target, team = session.get_one(Target, found.target_id), session.get_one(Team, found.team_id)
    return _guesses(found, target.number, team.name).model_copy(update={"result": found.result})


def _guesses(found: GuessFile, target: int, team: str) -> ShownGuesses:
    return ShownGuesses(
        id=found.id,
        round=found.round_id,
        target=target,
        team=team,
        number=found.number,
        sha256=found.file_hash,
        size=found.size,
        created_at=found.created_at,
        status=found.status,
    )


def show_audit(session: Session, viewer: Viewer, most: int = 500, before: int | None = None) -> list[ShownEntry]:
    """Show the entries of a contest's audit log, the newest first; with `before`, those older than that number."""
    check_organizer(viewer)
    wanted = select(AuditEntry).where(AuditEntry.contest_id == viewer.contest.id)
    if before is not None:
        wanted = wanted.where(AuditEntry.id < before)
    names = ("id", "at", "actor", "action", "subject", "details", "hash")
    return [
        ShownEntry(**{name: getattr(entry, name) for name in names})
        for entry in session.scalars(wanted.order_by(AuditEntry.id.desc()).limit(most))
    ]


def show_jobs(session: Session, viewer: Viewer, most: int = 100) -> list[ShownJob]:
    """Show the jobs of a contest: those that failed, then the others, the newest first."""
    check_organizer(viewer)
    names = team_names(session, viewer.contest.id)
    wanted = select(Job).where(Job.contest_id == viewer.contest.id)
    newest = wanted.order_by((Job.status == "failed").desc(), Job.id.desc()).limit(most)
    return [
        ShownJob(
            id=job.id,
            kind=job.kind,
            status=job.status,
            attempts=job.attempts,
            failure=job.failure,
            team=names.get(job.team_id or ""),
            created_at=job.created_at,
            finished_at=job.finished_at,
        )
        for job in session.scalars(newest)
    ]


def show_members(session: Session, viewer: Viewer) -> list[ShownMember]:
    """Show the members of a contest by name."""
    check_organizer(viewer)
    names = team_names(session, viewer.contest.id)
    members = session.scalars(select(Membership).where(Membership.contest_id == viewer.contest.id)).all()
    found = [(session.get_one(User, member.user_id), member) for member in members]
    return [
        ShownMember(login=user.login, user=user.id, role=member.role, team=names.get(member.team_id or ""))
        for user, member in sorted(found, key=lambda pair: pair[0].login)
    ]
