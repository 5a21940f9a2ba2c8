"""Jobs in the database: leased, extended, finished, reclaimed from dead workers.

A job belongs to a worker as long as its lease lasts, which the worker's heartbeat prolongs. What a worker reports after
it has lost its lease is dropped, so that nothing is counted twice.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection

from sqlalchemy import delete, func, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session, aliased

from sudare.web.jobs.registry import UNHURRIED
from sudare.web.storage.database import database_now
from sudare.web.storage.models import Job, WorkerSign

# A worker that dies with a job again and again takes the job for the reason.
WORKER_LOST = "worker_lost"
# How long a job that failed waits, times the number of its failures.
RETRY_SECONDS = 60.0
LONGEST_WAIT = dt.timedelta(hours=1)
# How long the sign of a worker that was killed is kept.
FORGOTTEN = dt.timedelta(days=1)


def next_job(session: Session, *, previews: bool = True, without: Collection[int] = ()) -> int | None:
    """Return the job that is to be begun next: of the team that was served longest ago, its first.

    Of each team one job runs at a time, and one preview beside it; jobs of no team come first, then teams in turn, then
    what has failed before, and previews last. Without `previews`, those and what has failed are left out, and so are
    those `without` which a worker does. One that failed is not begun again before its time.
    """
    other, running = aliased(Job), aliased(Job)
    preview = Job.kind.in_(UNHURRIED)
    unhurried = preview | (Job.failures > 0)
    served = select(func.max(other.started_at)).where(other.team_id == Job.team_id).correlate(Job).scalar_subquery()
    same = (running.team_id == Job.team_id) & (running.kind.in_(UNHURRIED) == preview)
    busy = select(running.id).where(same, running.status == "running").correlate(Job).exists()
    now = database_now(session)
    # One that waits longer than any does was put off by a clock that was set back since.
    waits = (Job.not_before > now) & (Job.not_before < now + LONGEST_WAIT)
    wanted = select(Job.id).where(Job.status == "queued", ~busy, Job.not_before.is_(None) | ~waits)
    if not previews:
        wanted = wanted.where(~unhurried)
    if without:
        wanted = wanted.where(Job.id.not_in(without))
    order = (preview, Job.failures > 0, Job.team_id.is_not(None), served.asc().nulls_first(), Job.id)
    return session.scalar(wanted.order_by(*order).limit(1))


def lease_next(
    session: Session, worker: str, seconds: float, *, previews: bool = True, without: Collection[int] = ()
) -> Job | None:
    """Lease the next job to a worker; without `previews` any other than those."""
    identity = next_job(session, previews=previews, without=without)
    if identity is None:
        return None
    now = database_now(session)
    changed = _changed(
        session,
        update(Job)
        .where(Job.id == identity, Job.status == "queued")
        .values(
            status="running",
            worker=worker,
            attempts=Job.attempts + 1,
            started_at=now,
            leased_until=now + dt.timedelta(seconds=seconds),
        ),
    )
    # On PostgreSQL another worker may have been quicker; the next turn finds another job.
    return session.get_one(Job, identity, populate_existing=True) if changed else None


def prolong(session: Session, worker: str, jobs: list[int], seconds: float) -> set[int]:
    """Prolong the leases of a worker's jobs and return those that it still has."""
    until = database_now(session) + dt.timedelta(seconds=seconds)
    held = Job.id.in_(jobs) & (Job.status == "running") & (Job.worker == worker)
    session.execute(update(Job).where(held).values(leased_until=until))
    return set(session.scalars(select(Job.id).where(held)))


def take_back(session: Session, attempts: int, longest: float = math.inf) -> list[Job]:
    """Queue jobs of dead workers again; return those that were begun too often, which have failed.

    A lease that lasts more than `longest` seconds was given before the clock was set back, and is over too.
    """
    now = database_now(session)
    over = Job.leased_until < now
    if longest < math.inf:
        over |= Job.leased_until > now + dt.timedelta(seconds=longest)
    lost = session.scalars(select(Job).where(Job.status == "running", over).with_for_update(skip_locked=True)).all()
    for job in lost:
        job.worker = job.leased_until = None
        if job.attempts >= attempts:
            job.status, job.failure, job.finished_at = "failed", WORKER_LOST, now
        else:
            job.status = "queued"
    session.flush()
    return [job for job in lost if job.status == "failed"]


def give_back(session: Session, worker: str, job_id: int | None = None, *, counts: bool = False) -> None:
    """Queue the jobs of a worker that stops, or one of them, as if they had not been begun, unless that `counts`."""
    held = (Job.status == "running") & (Job.worker == worker)
    if job_id is not None:
        held &= Job.id == job_id
    attempts = Job.attempts if counts else Job.attempts - 1
    session.execute(update(Job).where(held).values(status="queued", worker=None, leased_until=None, attempts=attempts))


def finish(session: Session, job_id: int, worker: str, *, failure: str | None = None) -> Job | None:
    """Mark a job as done or failed and return it; None if the worker has lost it."""
    changed = _changed(
        session,
        update(Job)
        .where(Job.id == job_id, Job.status == "running", Job.worker == worker)
        .values(
            status="failed" if failure else "done",
            failure=failure,
            leased_until=None,
            finished_at=database_now(session),
        ),
    )
    return session.get_one(Job, job_id, populate_existing=True) if changed else None


def put_off(session: Session, job: Job) -> None:
    """Queue a job that has failed to be tried again, later each time."""
    wait = min(job.failures * dt.timedelta(seconds=RETRY_SECONDS), LONGEST_WAIT / 2)
    job.status, job.worker, job.attempts, job.finished_at = "queued", None, 0, None
    job.not_before = database_now(session) + wait


def sign(session: Session, worker: str) -> None:
    """Leave a worker's sign of life, and remove those of workers that have long been gone."""
    now = database_now(session)
    session.merge(WorkerSign(name=worker, seen_at=now))
    session.execute(delete(WorkerSign).where(WorkerSign.seen_at < now - FORGOTTEN))


def sign_off(session: Session, worker: str) -> None:
    """Remove the sign of a worker that stops."""
    session.execute(delete(WorkerSign).where(WorkerSign.name == worker))


def last_sign(session: Session) -> float | None:
    """Return the seconds since a worker was last heard of; none if there is no sign of any.

    A sign from the future was left before the clock was set back.
    """
    seen = session.scalar(select(func.max(WorkerSign.seen_at)).where(WorkerSign.seen_at <= database_now(session)))
    return (database_now(session) - seen).total_seconds() if seen else None


def _changed(session: Session, statement: object) -> bool:
    done = session.execute(statement)  # type: ignore[call-overload]
    assert isinstance(done, CursorResult)  # noqa: S101
    return done.rowcount == 1
