"""Enqueuing jobs, in the transaction that they belong to."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sudare.web.storage.database import database_now
from sudare.web.storage.models import Job, Preview, Submission


def enqueue(
    session: Session,
    kind: str,
    subject_id: str,
    contest_id: str,
    *,
    team_id: str | None = None,
    key: str | None = None,
) -> Job:
    """Add a job in the running transaction; two jobs with one key cannot be."""
    job = Job(
        kind=kind,
        subject_id=subject_id,
        contest_id=contest_id,
        team_id=team_id,
        key=key,
        created_at=database_now(session),
    )
    session.add(job)
    session.flush()
    return job


def order_preview(session: Session, submission: Submission, contest_id: str) -> None:
    """Have the built-in attacks run on a valid submission, once."""
    if session.get(Preview, submission.id) is None:
        session.add(Preview(submission_id=submission.id, status="queued", created_at=database_now(session)))
        enqueue(session, "preview", submission.id, contest_id, team_id=submission.team_id)


def unfinished(session: Session, kind: str, subjects: list[str]) -> int:
    """Return how many jobs of a kind about some subjects are not finished."""
    wanted = select(func.count()).select_from(Job)
    return (
        session.scalar(
            wanted.where(Job.kind == kind, Job.subject_id.in_(subjects), Job.status.in_(("queued", "running")))
        )
        or 0
    )
