"""The input of jobs, from the database, and how their results are stored."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.web.game.audit import record
from sudare.web.game.refusals import Refused
from sudare.web.game.submissions import failed_checks
from sudare.web.jobs.orders import enqueue, unfinished
from sudare.web.jobs.queue import put_off
from sudare.web.jobs.registry import KINDS, Published
from sudare.web.storage.database import database_now
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import (
    SUBJECT_LETTERS,
    Contest,
    Dataset,
    GuessFile,
    Job,
    Round,
    Submission,
    Target,
    Team,
)


def parameters(session: Session, files: FileStore, job: Job, folder: Path) -> dict[str, Any]:
    """Return what the process of a job is told: paths and rules, no more."""
    contest = session.get_one(Contest, job.contest_id)
    rules = contest.rules if contest.rules in BUILT_IN else str(files.path(contest.rules))
    return {"rules": rules, **KINDS[job.kind].tell(session, files, job, folder)}


def keep_result(session: Session, job: Job, result: dict[str, Any], published: Published) -> None:
    """Keep what a job found; `published` are the files that it made, by the identity of the submission."""
    KINDS[job.kind].keep(session, job, result, published)


def keep_failure(session: Session, job: Job, retries: int = 0) -> None:
    """Say that a job has failed where its team and the organizers see it; why in one word, without any data.

    If it has not failed more often than that, it is tried again by itself, unless nobody waits for it; until then it
    still counts as being done.
    """
    job.failures += 1
    if job.failures <= retries and KINDS[job.kind].waited_for:
        put_off(session, job)
        return
    followed = KINDS[job.kind].followed(session, job)
    if followed:
        followed.status, followed.result = "failed", {"failure": job.failure}
    record(session, None, "job_failed", job.kind, contest_id=job.contest_id, job=job.id, failure=job.failure)


def keep_corrupt(session: Session, job: Job, hashes: list[str]) -> None:
    """Record which files that a job used were changed on the disk, and whose they are."""
    for hash in hashes:
        record(
            session,
            None,
            "file_corrupt",
            ", ".join(_named(session, job.contest_id, hash))[:SUBJECT_LETTERS] or hash,
            contest_id=job.contest_id,
            job=job.id,
            sha256=hash,
        )


def _named(session: Session, contest_id: str, hash: str) -> list[str]:
    """Return what a file is in a contest: T, an A' by its number, or what teams handed in."""
    names = []
    if session.scalars(select(Dataset.id).where(Dataset.file_hash == hash, Dataset.contest_id == contest_id)).first():
        names.append("T")
    targets = select(Target.number).join(Team, Team.id == Target.team_id)
    targets = targets.where(Target.file_hash == hash, Team.contest_id == contest_id)
    names += [f"A' {number}" for number in session.scalars(targets)]
    for table in (Submission, GuessFile):
        wanted = select(Team.name, table.number).join(Team, Team.id == table.team_id)
        wanted = wanted.where(table.file_hash == hash, Team.contest_id == contest_id).order_by(Team.name, table.number)
        names += [f"{name} {number}" for name, number in session.execute(wanted)]
    return names


def retry(session: Session, job: Job) -> None:
    """Queue a failed job anew, with what it is about."""
    job.status, job.failure, job.attempts, job.finished_at = "queued", None, 0, None
    job.failures, job.not_before = 0, None
    followed = KINDS[job.kind].followed(session, job)
    if followed:
        followed.status, followed.result = "queued", None


def enqueue_due(session: Session) -> None:
    """Enqueue what deadlines ask for: A' when all A are checked, the evaluation when all guesses are.

    A check that the server has failed is waited for too, until it is made or an organizer goes on without it.
    """
    now = database_now(session)
    rounds = session.scalars(select(Round).where(Round.frozen.is_(False), Round.anonymization_closes <= now)).all()
    for round in rounds:
        if _is_ready(session, round, now) and not failed_checks(session, round):
            _enqueue_due(session, round)


def go_on_without(session: Session, round: Round) -> list[Submission] | list[GuessFile]:
    """Enqueue what the deadline asks for although checks have failed, and return what is left out."""
    left_out = failed_checks(session, round)
    if not left_out or not _is_ready(session, round, database_now(session)):
        raise Refused("errors.contests.not_waiting", 409)
    _enqueue_due(session, round)
    return left_out


def _is_ready(session: Session, round: Round, now: datetime) -> bool:
    """Say whether a deadline has passed whose job is not there yet, and all that was handed in before was tried."""
    table, before = (Submission, "anonymized") if round.targets_at is None else (GuessFile, "guesses")
    if round.dataset is None or round.dataset.status != "valid" or now < _due(round)[1]:
        return False
    if session.scalars(select(Job.id).where(Job.key == _due_key(round))).first():
        return False
    checked = select(table.id).where(table.round_id == round.id)
    return not unfinished(session, before, list(session.scalars(checked)))


def _enqueue_due(session: Session, round: Round) -> None:
    enqueue(session, _due(round)[0], round.id, round.contest_id, key=_due_key(round))


def _due(round: Round) -> tuple[str, datetime]:
    if round.targets_at is None:
        return "targets", round.anonymization_closes
    return "evaluate", round.reidentification_closes


def _due_key(round: Round) -> str:
    """Return the key of the job, which has the deadline in it: a phase that was extended gets a job of its own."""
    kind, deadline = _due(round)
    return f"{kind}:{round.id}:{deadline.isoformat()}"
