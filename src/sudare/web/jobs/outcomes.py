"""The input of jobs, from the database, and how their results are stored."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.web.game.audit import record
from sudare.web.jobs.orders import enqueue, unfinished
from sudare.web.jobs.registry import KINDS, Published
from sudare.web.storage.database import database_now
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Contest, GuessFile, Job, Round, Submission


def parameters(session: Session, files: FileStore, job: Job, folder: Path) -> dict[str, Any]:
    """Return what the process of a job is told: paths and rules, no more."""
    contest = session.get_one(Contest, job.contest_id)
    rules = contest.rules if contest.rules in BUILT_IN else str(files.path(contest.rules))
    return {"rules": rules, **KINDS[job.kind].tell(session, files, job, folder)}


def keep_result(session: Session, job: Job, result: dict[str, Any], published: Published) -> None:
    """Keep what a job found; `published` are the files that it made, by the identity of the submission."""
    KINDS[job.kind].keep(session, job, result, published)


def keep_failure(session: Session, job: Job) -> None:
    """Say that a job has failed where its team and the organizers see it; why in one word, without any data."""
    followed = KINDS[job.kind].followed(session, job)
    if followed:
        followed.status, followed.result = "failed", {"failure": job.failure}
    record(session, None, "job_failed", job.kind, contest_id=job.contest_id, job=job.id, failure=job.failure)


def retry(session: Session, job: Job) -> None:
    """Queue a failed job anew, with what it is about."""
    job.status, job.failure, job.attempts, job.finished_at = "queued", None, 0, None
    followed = KINDS[job.kind].followed(session, job)
    if followed:
        followed.status, followed.result = "queued", None


def enqueue_due(session: Session) -> None:
    """Enqueue what deadlines ask for: A' when all A are checked, the evaluation when all guesses are.

    The key of the job contains the deadline: a phase that was extended gets a job of its own.
    """
    now = database_now(session)
    rounds = session.scalars(select(Round).where(Round.frozen.is_(False), Round.anonymization_closes <= now)).all()
    for round in rounds:
        if round.targets_at is None:
            checked = select(Submission.id).where(Submission.round_id == round.id)
            _enqueue_once(session, round, "targets", round.anonymization_closes, "anonymized", checked)
        elif round.reidentification_closes <= now:
            checked = select(GuessFile.id).where(GuessFile.round_id == round.id)
            _enqueue_once(session, round, "evaluate", round.reidentification_closes, "guesses", checked)


def _enqueue_once(
    session: Session, round: Round, kind: str, deadline: datetime, before: str, checked: Select[str]
) -> None:
    """Enqueue a job for a deadline once all jobs of the kind `before` are finished."""
    key = f"{kind}:{round.id}:{deadline.isoformat()}"
    if round.dataset is None or round.dataset.status != "valid":
        return
    if session.scalars(select(Job.id).where(Job.key == key)).first() or unfinished(
        session, before, list(session.scalars(checked))
    ):
        return
    enqueue(session, kind, round.id, round.contest_id, key=key)
