"""Submissions: anonymized histories and guesses, each accepted in one transaction with the job that checks it."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sudare.histories.generalized.rule_sets import MOST_PERSON_DIGITS
from sudare.web.game.audit import record
from sudare.web.game.phases import day_start, phase_at
from sudare.web.game.refusals import Refused, not_there
from sudare.web.game.visibility import Viewer, visible_round, visible_submission, visible_target
from sudare.web.jobs.orders import enqueue
from sudare.web.storage.database import ROUND_LOCK, database_now, wait_for_turn
from sudare.web.storage.files import StoredFile
from sudare.web.storage.models import Final, GuessFile, Round, Submission, Target, Team

MOST_NOTE_LETTERS = 200
# Files of guesses on one target in a day: enough for every try, few enough for the disk.
GUESS_FILES_PER_DAY = 100
# A guess: two numbers of at most 18 digits, a comma, and an end of line; and a little for what breaks the rules.
GUESS_BYTES = 2 * MOST_PERSON_DIGITS + 3
SPARE_BYTES = 4096


def check_may_submit(session: Session, viewer: Viewer, round_id: str, now: dt.datetime | None = None) -> Round:
    """Refuse early what `submit` would refuse: before a file is taken in; `now` defaults to this moment."""
    viewer.need("submit")
    team = viewer.own_team
    round = visible_round(session, viewer, round_id)
    now = now or database_now(session)
    _check_phase(round, "anonymization", now)
    if round.dataset is None or round.dataset.status != "valid":
        raise Refused("errors.submissions.no_data", 409)
    _check_quota(session, round, team, now)
    return round


def submit(session: Session, viewer: Viewer, round_id: str, stored: StoredFile, note: str = "") -> Submission:
    """Accept an A, complete and on disk, if at this moment the phase is open and the day's quota is not used up.

    The team's row is locked first: of several uploads at the same time each sees those before it.
    """
    team = _locked_team(session, viewer.own_team)
    _lock_round(session, round_id)
    # One moment for all: what is taken in is never later than the deadline it was checked against.
    now = database_now(session)
    round = check_may_submit(session, viewer, round_id, now)
    numbers = select(func.max(Submission.number)).where(Submission.round_id == round.id, Submission.team_id == team.id)
    found = Submission(
        round_id=round.id,
        team_id=team.id,
        number=(session.scalar(numbers) or 0) + 1,
        file_hash=stored.hash,
        size=stored.size,
        note=note.strip()[:MOST_NOTE_LETTERS],
        created_by=viewer.actor.id,
        created_at=now,
        status="queued",
    )
    session.add(found)
    session.flush()
    enqueue(session, "anonymized", found.id, round.contest_id, team_id=team.id)
    record(
        session,
        viewer.actor,
        "submit",
        f"{team.name} {found.number}",
        contest_id=round.contest_id,
        sha256=stored.hash,
        bytes=stored.size,
    )
    return found


def choose_final(session: Session, viewer: Viewer, submission_id: str) -> Final:
    """Choose a valid submission as the one that counts; as long as anonymization is open."""
    viewer.need("submit")
    team = _locked_team(session, viewer.own_team)
    found = visible_submission(session, viewer, submission_id)
    round = _lock_round(session, found.round_id)
    now = database_now(session)
    _check_phase(round, "anonymization", now)
    if found.status != "valid":
        raise Refused("errors.submissions.not_valid", 409)
    final = session.get(Final, (round.id, team.id)) or Final(round_id=round.id, team_id=team.id)
    final.submission_id, final.chosen_by, final.chosen_at = found.id, viewer.actor.id, now
    session.add(final)
    record(session, viewer.actor, "choose_final", f"{team.name} {found.number}", contest_id=round.contest_id)
    return final


def final_submission(session: Session, round: Round, team_id: str) -> Submission | None:
    """Return the submission of a team that counts: the chosen one, else the last valid one."""
    chosen = session.get(Final, (round.id, team_id))
    if chosen:
        return session.get_one(Submission, chosen.submission_id)
    return session.scalars(
        select(Submission)
        .where(Submission.round_id == round.id, Submission.team_id == team_id, Submission.status == "valid")
        .order_by(Submission.number.desc())
        .limit(1)
    ).first()


def final_submissions(session: Session, round: Round) -> list[Submission]:
    """Return the submissions of all teams that count."""
    teams = session.scalars(select(Team.id).where(Team.contest_id == round.contest_id)).all()
    found = [final_submission(session, round, team) for team in teams]
    return [submission for submission in found if submission is not None]


def check_may_guess(
    session: Session, viewer: Viewer, target_id: str, now: dt.datetime | None = None
) -> tuple[Target, Round]:
    """Refuse early what `submit_guesses` would refuse; `now` defaults to this moment."""
    viewer.need("guess")
    team = viewer.own_team
    target, round = visible_target(session, viewer, target_id)
    now = now or database_now(session)
    _check_phase(round, "reidentification", now)
    if target.team_id == team:
        raise Refused("errors.submissions.own_target", 409)
    own = select(func.count()).select_from(GuessFile).where(GuessFile.target_id == target.id, GuessFile.team_id == team)
    standing = own.where(GuessFile.status.in_(("queued", "valid")))
    if not viewer.contest.guesses_replaceable and session.scalar(standing):
        raise Refused("errors.submissions.guesses_fixed", 409)
    since = day_start(viewer.contest.time_zone, now)
    if (session.scalar(own.where(GuessFile.created_at >= since)) or 0) >= GUESS_FILES_PER_DAY:
        raise Refused("errors.submissions.quota_used", 429, count=GUESS_FILES_PER_DAY)
    return target, round


def most_guess_bytes(round: Round) -> int:
    """Return how large a file of guesses can be: a pseudonym for each customer of T, one line for each pseudonym."""
    result = (round.dataset.result if round.dataset else None) or {}
    return SPARE_BYTES + GUESS_BYTES * int(result.get("customers", 0))


def submit_guesses(session: Session, viewer: Viewer, target_id: str, stored: StoredFile) -> GuessFile:
    """Accept guesses on a target, in place of earlier ones if the contest allows it."""
    team = _locked_team(session, viewer.own_team)
    target = session.get(Target, target_id)
    if target is None:
        raise not_there()
    _lock_round(session, target.round_id)
    now = database_now(session)
    target, round = check_may_guess(session, viewer, target_id, now)
    if stored.size > most_guess_bytes(round):
        raise Refused("errors.requests.too_large", 413, most=most_guess_bytes(round))
    numbers = select(func.max(GuessFile.number)).where(GuessFile.target_id == target.id, GuessFile.team_id == team.id)
    found = GuessFile(
        round_id=round.id,
        target_id=target.id,
        team_id=team.id,
        number=(session.scalar(numbers) or 0) + 1,
        file_hash=stored.hash,
        size=stored.size,
        created_by=viewer.actor.id,
        created_at=now,
        status="queued",
    )
    session.add(found)
    session.flush()
    enqueue(session, "guesses", found.id, round.contest_id, team_id=team.id)
    record(
        session,
        viewer.actor,
        "submit_guesses",
        f"{team.name}: {target.number}",
        contest_id=round.contest_id,
        sha256=stored.hash,
        bytes=stored.size,
    )
    return found


def standing_guesses(session: Session, round: Round) -> list[GuessFile]:
    """Return the files that count: of each team on each target the last valid one."""
    wanted = select(GuessFile).where(GuessFile.round_id == round.id, GuessFile.status == "valid")
    found = {(file.target_id, file.team_id): file for file in session.scalars(wanted.order_by(GuessFile.number))}
    return list(found.values())


def failed_checks(session: Session, round: Round) -> list[Submission] | list[GuessFile]:
    """Return what the server failed to check and what could count: A before there are targets, then guesses.

    An A cannot count if its team has chosen another one, and nothing can for which a later one is valid.
    """
    if round.targets_at is not None:
        guesses = select(GuessFile).where(GuessFile.round_id == round.id)
        failed = session.scalars(guesses.where(GuessFile.status == "failed").order_by(GuessFile.created_at)).all()
        if not failed:
            return []
        standing = {(file.target_id, file.team_id): file.number for file in standing_guesses(session, round)}
        return [file for file in failed if file.number > standing.get((file.target_id, file.team_id), 0)]
    found: list[Submission] = []
    wanted = select(Submission).where(Submission.round_id == round.id, Submission.status == "failed")
    for submission in session.scalars(wanted.order_by(Submission.created_at)):
        final = final_submission(session, round, submission.team_id)
        chosen = session.get(Final, (round.id, submission.team_id))
        if chosen is None and (final is None or final.number < submission.number):
            found.append(submission)
    return found


def left_today(session: Session, round: Round, team_id: str, now: dt.datetime) -> int:
    """Return how many more submissions a team may hand in on the day of a moment, in the contest's time zone.

    What the server itself failed to check does not count.
    """
    since = day_start(round.contest.time_zone, now)
    today = (
        select(func.count())
        .select_from(Submission)
        .where(
            Submission.round_id == round.id,
            Submission.team_id == team_id,
            Submission.created_at >= since,
            Submission.status != "failed",
        )
    )
    return max(0, round.contest.submissions_per_day - (session.scalar(today) or 0))


def _check_quota(session: Session, round: Round, team_id: str, now: dt.datetime) -> None:
    if not left_today(session, round, team_id, now):
        raise Refused("errors.submissions.quota_used", 429, count=round.contest.submissions_per_day)


def _check_phase(round: Round, wanted: Literal["anonymization", "reidentification"], now: dt.datetime) -> None:
    """Refuse unless a phase is open at a moment."""
    if round.frozen:
        raise Refused("errors.submissions.frozen", 409)
    if phase_at(round, now) != wanted:
        if wanted == "anonymization":
            raise Refused("errors.submissions.not_anonymization", 409)
        raise Refused("errors.submissions.not_reidentification", 409)


def _locked_team(session: Session, team_id: str) -> Team:
    return session.get_one(Team, team_id, with_for_update=True)


def _lock_round(session: Session, round_id: str) -> Round:
    """Keep organizers from changing the round until the end of the transaction."""
    wait_for_turn(session, ROUND_LOCK, round_id, shared=True)
    found = session.get(Round, round_id, populate_existing=True)
    if found is None:
        raise not_there()
    return found
