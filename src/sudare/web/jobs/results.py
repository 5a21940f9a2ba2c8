"""What jobs are told, from the database, and what becomes of what they found, back in it."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.histories.generalized.rule_sets import BUILT_IN
from sudare.web.game.audit import record
from sudare.web.game.submissions import final_submissions, standing_guesses
from sudare.web.jobs.queue import enqueue, unfinished
from sudare.web.storage.database import ROUND_LOCK, database_now, wait_for_turn
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import Contest, Dataset, Evaluation, GuessFile, Job, Preview, Round, Submission, Target

Upload = Dataset | Submission | GuessFile


def parameters(session: Session, files: FileStore, job: Job, folder: Path) -> dict[str, Any]:
    """Return what the process of a job is told: paths and rules, no more."""
    contest = session.get_one(Contest, job.contest_id)
    rules = contest.rules if contest.rules in BUILT_IN else str(files.path(contest.rules))
    if job.kind == "original":
        return {"rules": rules, "path": str(files.path(session.get_one(Dataset, job.subject_id).file_hash))}
    if job.kind in ("anonymized", "preview"):
        submission = session.get_one(Submission, job.subject_id)
        return {
            "rules": rules,
            "original": _original(session, files, submission.round_id),
            "path": str(files.path(submission.file_hash)),
        }
    if job.kind == "guesses":
        return {"rules": rules, **_guessing(session, files, session.get_one(GuessFile, job.subject_id))}
    round = session.get_one(Round, job.subject_id)
    if job.kind == "targets":
        finals = {found.id: str(files.path(found.file_hash)) for found in final_submissions(session, round)}
        return {"rules": rules, "folder": str(folder), "finals": finals}
    return {
        "rules": rules,
        "original": _original(session, files, round.id),
        "finals": _attacked(session, files, round),
    }


def keep_result(session: Session, job: Job, result: dict[str, Any], published: dict[str, StoredFile]) -> None:
    """Keep what a job found; `published` are the files that it made, by the identity of the submission."""
    upload = find_upload(session, job)
    if upload:
        upload.status = "valid" if result["valid"] else "invalid"
        upload.result = result
        if isinstance(upload, Submission) and result.get("utility"):
            upload.utility = result["utility"]["utility"]
            if session.get_one(Round, upload.round_id).preview:
                order_preview(session, upload, job.contest_id)
    elif job.kind == "preview":
        preview = session.get_one(Preview, job.subject_id)
        preview.status, preview.result = "done", result
    elif job.kind == "targets":
        _make_targets(session, job, result, published)
    else:
        round = session.get_one(Round, job.subject_id)
        session.add(Evaluation(round_id=round.id, created_at=database_now(session), result=result))
        record(session, None, "evaluate", round.name, contest_id=job.contest_id)


def keep_failure(session: Session, job: Job) -> None:
    """Say that a job has failed where its team and the organizers see it; why in one word, without any data."""
    upload = find_upload(session, job)
    if upload:
        upload.status, upload.result = "failed", {"failure": job.failure}
    elif job.kind == "preview":
        preview = session.get_one(Preview, job.subject_id)
        preview.status, preview.result = "failed", {"failure": job.failure}
    record(session, None, "job_failed", job.kind, contest_id=job.contest_id, job=job.id, failure=job.failure)


def find_upload(session: Session, job: Job) -> Upload | None:
    """Return the upload that a job is to check, if it is about one."""
    if job.kind == "original":
        return session.get_one(Dataset, job.subject_id)
    if job.kind == "anonymized":
        return session.get_one(Submission, job.subject_id)
    return session.get_one(GuessFile, job.subject_id) if job.kind == "guesses" else None


def retry(session: Session, job: Job) -> None:
    """Queue a failed job anew, with the upload that it is about."""
    job.status, job.failure, job.attempts, job.finished_at = "queued", None, 0, None
    upload = find_upload(session, job)
    if upload:
        upload.status, upload.result = "queued", None
    elif job.kind == "preview":
        preview = session.get_one(Preview, job.subject_id)
        preview.status, preview.result = "queued", None


def order_preview(session: Session, submission: Submission, contest_id: str) -> None:
    """Have the built-in attacks run on a valid submission, once."""
    if session.get(Preview, submission.id) is None:
        session.add(Preview(submission_id=submission.id, status="queued", created_at=database_now(session)))
        enqueue(session, "preview", submission.id, contest_id, team_id=submission.team_id)


def enqueue_due(session: Session) -> None:
    """Enqueue what deadlines ask for: A' when all A are checked, the evaluation when all guesses are.

    The key of such a job has the deadline in it: a phase that was extended gets a job of its own.
    """
    now = database_now(session)
    rounds = session.scalars(select(Round).where(Round.frozen.is_(False), Round.anonymization_closes <= now)).all()
    for round in rounds:
        if round.targets_at is None:
            checked = select(Submission.id).where(Submission.round_id == round.id)
            _enqueue_once(session, round, "targets", "anonymized", list(session.scalars(checked)))
        elif round.reidentification_closes <= now:
            checked = select(GuessFile.id).where(GuessFile.round_id == round.id)
            _enqueue_once(session, round, "evaluate", "guesses", list(session.scalars(checked)))


def _enqueue_once(session: Session, round: Round, kind: str, before: str, subjects: list[str]) -> None:
    deadline = round.anonymization_closes if kind == "targets" else round.reidentification_closes
    key = f"{kind}:{round.id}:{deadline.isoformat()}"
    if round.dataset is None or round.dataset.status != "valid":
        return
    if session.scalars(select(Job.id).where(Job.key == key)).first() or unfinished(session, before, subjects):
        return
    enqueue(session, kind, round.id, round.contest_id, key=key)


def _make_targets(session: Session, job: Job, result: dict[str, Any], published: dict[str, StoredFile]) -> None:
    wait_for_turn(session, ROUND_LOCK, job.subject_id)
    round = session.get_one(Round, job.subject_id, populate_existing=True)
    now = database_now(session)
    if round.targets_at or now < round.anonymization_closes:
        return  # extended meanwhile: the next deadline has a job of its own
    numbers = list(range(1, len(published) + 1))
    # In an order that tells nobody whose they are.
    secrets.SystemRandom().shuffle(numbers)
    for number, (identity, stored) in zip(numbers, sorted(published.items()), strict=True):
        submission = session.get_one(Submission, identity)
        session.add(
            Target(
                round_id=round.id,
                team_id=submission.team_id,
                submission_id=submission.id,
                number=number,
                file_hash=stored.hash,
                size=stored.size,
                rows=result["rows"][identity],
            )
        )
    round.targets_at = now
    hashes = {identity: stored.hash for identity, stored in published.items()}
    record(session, None, "make_targets", round.name, contest_id=job.contest_id, sha256=hashes)


def _guessing(session: Session, files: FileStore, guess: GuessFile) -> dict[str, str]:
    target = session.get_one(Target, guess.target_id)
    return {
        "original": _original(session, files, guess.round_id),
        "published": str(files.path(target.file_hash)),
        "path": str(files.path(guess.file_hash)),
    }


def _attacked(session: Session, files: FileStore, round: Round) -> list[dict[str, Any]]:
    guesses = standing_guesses(session, round)
    targets = session.scalars(select(Target).where(Target.round_id == round.id).order_by(Target.number)).all()
    return [
        {
            "team": target.team_id,
            "path": str(files.path(session.get_one(Submission, target.submission_id).file_hash)),
            "guesses": {
                guess.team_id: str(files.path(guess.file_hash)) for guess in guesses if guess.target_id == target.id
            },
        }
        for target in targets
    ]


def _original(session: Session, files: FileStore, round_id: str) -> str:
    dataset = session.get_one(Round, round_id).dataset
    if dataset is None:
        raise ValueError("a round without data")
    return str(files.path(dataset.file_hash))
