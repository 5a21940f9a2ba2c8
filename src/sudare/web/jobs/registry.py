"""The kinds of jobs: input, work, and how the result is stored.

A new kind is an entry of `KINDS`, its work in `sudare.web.jobs.work`, and its words in messages/ (`web.job`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from sudare.showing import dataclass
from sudare.web.game.audit import record
from sudare.web.game.submissions import final_submissions, standing_guesses
from sudare.web.jobs.orders import order_preview
from sudare.web.storage.database import ROUND_LOCK, database_now, wait_for_turn
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import Dataset, Evaluation, GuessFile, Job, Preview, Round, Submission, Target

Told = dict[str, Any]
# Files that a job made, by the identity of the submission.
Published = dict[str, StoredFile]
Followed = Dataset | Submission | GuessFile | Preview


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job.

    `work` is the name of the function that does it, in a process of its own; `tell` returns what that is told, without
    the rules, and `keep` keeps what it found. `follows` is the table whose line has the status of the job that is about
    it, where there is one. Jobs that nobody waits for come last.
    """

    name: str
    work: str
    tell: Callable[[Session, FileStore, Job, Path], Told]
    keep: Callable[[Session, Job, Told, Published], None]
    follows: type[Followed] | None = None
    waited_for: bool = True

    def followed(self, session: Session, job: Job) -> Followed | None:
        """Return the line whose status is that of the job, if there is one."""
        if self.follows is None:
            return None
        return cast(Followed, session.get_one(self.follows, job.subject_id))


def _tell_dataset(session: Session, files: FileStore, job: Job, _folder: Path) -> Told:
    return {"path": str(files.path(session.get_one(Dataset, job.subject_id).file_hash))}


def _tell_submission(session: Session, files: FileStore, job: Job, _folder: Path) -> Told:
    submission = session.get_one(Submission, job.subject_id)
    return {
        "original": _original(session, files, submission.round_id),
        "path": str(files.path(submission.file_hash)),
    }


def _tell_guesses(session: Session, files: FileStore, job: Job, _folder: Path) -> Told:
    guess = session.get_one(GuessFile, job.subject_id)
    target = session.get_one(Target, guess.target_id)
    return {
        "original": _original(session, files, guess.round_id),
        "published": str(files.path(target.file_hash)),
        "path": str(files.path(guess.file_hash)),
    }


def _tell_finals(session: Session, files: FileStore, job: Job, folder: Path) -> Told:
    finals = final_submissions(session, session.get_one(Round, job.subject_id))
    return {"folder": str(folder), "finals": {found.id: str(files.path(found.file_hash)) for found in finals}}


def _tell_attacked(session: Session, files: FileStore, job: Job, _folder: Path) -> Told:
    round = session.get_one(Round, job.subject_id)
    guesses = standing_guesses(session, round)
    targets = session.scalars(select(Target).where(Target.round_id == round.id).order_by(Target.number)).all()
    finals = [
        {
            "team": target.team_id,
            "path": str(files.path(session.get_one(Submission, target.submission_id).file_hash)),
            "guesses": {
                guess.team_id: str(files.path(guess.file_hash)) for guess in guesses if guess.target_id == target.id
            },
        }
        for target in targets
    ]
    return {"original": _original(session, files, round.id), "finals": finals}


def _original(session: Session, files: FileStore, round_id: str) -> str:
    dataset = session.get_one(Round, round_id).dataset
    if dataset is None:
        raise ValueError("a round without data")
    return str(files.path(dataset.file_hash))


def _keep_checked(session: Session, job: Job, result: Told, _published: Published) -> None:
    upload = KINDS[job.kind].followed(session, job)
    if upload:
        upload.status, upload.result = "valid" if result["valid"] else "invalid", result


def _keep_submission(session: Session, job: Job, result: Told, published: Published) -> None:
    _keep_checked(session, job, result, published)
    submission = session.get_one(Submission, job.subject_id)
    if result.get("utility"):
        submission.utility = result["utility"]["utility"]
        if session.get_one(Round, submission.round_id).preview:
            order_preview(session, submission, job.contest_id)


def _keep_preview(session: Session, job: Job, result: Told, _published: Published) -> None:
    preview = session.get_one(Preview, job.subject_id)
    preview.status, preview.result = "done", result


def _keep_targets(session: Session, job: Job, result: Told, published: Published) -> None:
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


def _keep_evaluation(session: Session, job: Job, result: Told, _published: Published) -> None:
    round = session.get_one(Round, job.subject_id)
    session.add(Evaluation(round_id=round.id, created_at=database_now(session), result=result))
    record(session, None, "evaluate", round.name, contest_id=job.contest_id)


KINDS = {
    kind.name: kind
    for kind in (
        JobKind("original", "check_original", _tell_dataset, _keep_checked, follows=Dataset),
        JobKind("anonymized", "check_anonymized", _tell_submission, _keep_submission, follows=Submission),
        JobKind("preview", "preview_attacks", _tell_submission, _keep_preview, follows=Preview, waited_for=False),
        JobKind("guesses", "check_guesses", _tell_guesses, _keep_checked, follows=GuessFile),
        JobKind("targets", "publish_finals", _tell_finals, _keep_targets),
        JobKind("evaluate", "evaluate_round", _tell_attacked, _keep_evaluation),
    )
}
# Checks come first.
UNHURRIED = tuple(kind.name for kind in KINDS.values() if not kind.waited_for)
