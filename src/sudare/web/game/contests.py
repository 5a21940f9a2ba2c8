"""What organizers do: contests, teams, rounds, their times and data. Everything is recorded in the audit log."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from sudare.errors import InputError
from sudare.histories.generalized.rule_sets import BUILT_IN, DEFAULT, RuleSet, built_in_text, load_rules
from sudare.messages import Joined
from sudare.showing import dataclass
from sudare.web.game.accounts import make_reset, may_reset
from sudare.web.game.audit import record, result_hash
from sudare.web.game.phases import TIMES, check_times, check_zone, phase_at, read_moment
from sudare.web.game.refusals import Refused, Retold, not_there
from sudare.web.game.submissions import final_submissions
from sudare.web.game.visibility import Viewer, check_organizer, newest_evaluation
from sudare.web.jobs.orders import enqueue, order_preview
from sudare.web.jobs.outcomes import go_on_without, retry
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import ROUND_LOCK, database_now, wait_for_turn
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import (
    SUBJECT_LETTERS,
    Contest,
    Dataset,
    Evaluation,
    Job,
    Membership,
    Round,
    Submission,
    Team,
)
from sudare.web.storage.people import User

MOST_NAME_LETTERS = 80
MOST_PER_DAY = 1000
# Rules are a page of text; they are read while nothing else can be written.
MOST_RULES_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class ContestPlan:
    """What is decided when a contest is made."""

    name: str
    time_zone: str = "Asia/Tokyo"
    rules: str = DEFAULT
    submissions_per_day: int = 10
    teams_may_download: bool = True
    hide_names: bool = True
    guesses_replaceable: bool = True
    public: bool = False


def make_contest(session: Session, actor: User, plan: ContestPlan) -> Contest:
    """Make a contest, whose maker organizes it."""
    if not actor.admin:
        raise Refused("errors.requests.not_yours", 403)
    if plan.rules not in BUILT_IN:
        raise Refused("errors.contests.no_rules", 422, rules=Joined(list(BUILT_IN), "or"))
    if not 1 <= plan.submissions_per_day <= MOST_PER_DAY:
        raise Refused("errors.contests.per_day", 422, most=MOST_PER_DAY)
    contest = Contest(
        name=checked_name(plan.name),
        time_zone=check_zone(plan.time_zone),
        rules=plan.rules,
        submissions_per_day=plan.submissions_per_day,
        teams_may_download=plan.teams_may_download,
        hide_names=plan.hide_names,
        guesses_replaceable=plan.guesses_replaceable,
        public=plan.public,
        created_at=database_now(session),
    )
    session.add(contest)
    session.flush()
    session.add(Membership(user_id=actor.id, contest_id=contest.id, role="organizer"))
    record(session, actor, "make_contest", contest.name, contest_id=contest.id)
    return contest


def set_rules(session: Session, viewer: Viewer, files: FileStore, stored: StoredFile) -> None:
    """Give a contest rules of its own, from a TOML file; too late when there are data."""
    check_organizer(viewer)
    if session.scalars(select(Dataset).where(Dataset.contest_id == viewer.contest.id).limit(1)).first():
        raise Refused("errors.contests.rules_fixed", 409)
    if stored.size > MOST_RULES_BYTES:
        raise Refused("errors.requests.too_large", 413, most=MOST_RULES_BYTES)
    path = files.path(stored.hash)
    try:
        name = checked_name(load_rules(path).name, SUBJECT_LETTERS)
    except RecursionError:
        raise Refused("errors.contests.rules_nested", 422) from None
    except InputError as error:
        raise Refused("errors.contests.bad_rules", 422, problem=Retold(error, path, "TOML")) from None
    session.get_one(Contest, viewer.contest.id).rules = stored.hash
    record(session, viewer.actor, "set_rules", name, contest_id=viewer.contest.id, sha256=stored.hash)


def contest_rules(files: FileStore, contest: Contest) -> RuleSet:
    """Return the rules of a contest: built-in ones, or those of its own file, which is checked."""
    return load_rules(contest.rules if contest.rules in BUILT_IN else files.whole(contest.rules))


def rules_text(files: FileStore, contest: Contest) -> str:
    """Return the rules of a contest as the text of their file."""
    if contest.rules in BUILT_IN:
        return built_in_text(contest.rules)
    return files.whole(contest.rules).read_text(encoding="utf-8-sig")


def add_team(session: Session, viewer: Viewer, name: str) -> Team:
    """Add a team; Refused if the name is taken."""
    check_organizer(viewer)
    team = Team(contest_id=viewer.contest.id, name=checked_name(name), created_at=database_now(session))
    try:
        with session.begin_nested():
            session.add(team)
    except IntegrityError:
        raise Refused("errors.contests.team_taken", 409, name=team.name) from None
    record(session, viewer.actor, "add_team", team.name, contest_id=viewer.contest.id, team=team.id)
    return team


def add_round(session: Session, viewer: Viewer, name: str, times: dict[str, str]) -> Round:
    """Add a round after those that are there; times without a zone are in the contest's."""
    check_organizer(viewer)
    moments = {key: read_moment(times[key], viewer.contest.time_zone) for key in TIMES}
    check_times(moments)
    session.execute(select(Contest.id).where(Contest.id == viewer.contest.id).with_for_update())
    count = select(func.count()).select_from(Round).where(Round.contest_id == viewer.contest.id)
    position = (session.scalar(count) or 0) + 1
    found = Round(contest_id=viewer.contest.id, position=position, name=checked_name(name), **moments)
    session.add(found)
    session.flush()
    record(session, viewer.actor, "add_round", found.name, contest_id=viewer.contest.id, round=found.id, **moments)
    return found


def set_times(session: Session, viewer: Viewer, round_id: str, times: dict[str, str]) -> Round:
    """Move the times of a round, to open a phase earlier or to extend it.

    What has been published stays so: when there are targets, anonymization is over.
    """
    found = own_round(session, viewer, round_id)
    given = {key: text for key, text in times.items() if key in TIMES and text.strip()}
    moments = {key: read_moment(text, viewer.contest.time_zone) for key, text in given.items()}
    after: dict[str, dt.datetime] = {key: moments.get(key, getattr(found, key)) for key in TIMES}
    check_times(after)
    if found.targets_at and any(after[key] != getattr(found, key) for key in TIMES[:2]):
        raise Refused("errors.contests.targets_made", 409)
    if found.published_at and any(after[key] != getattr(found, key) for key in TIMES):
        raise Refused("errors.contests.results_made", 409)
    for key, moment in after.items():
        setattr(found, key, moment)
    record(session, viewer.actor, "set_times", found.name, contest_id=found.contest_id, round=found.id, **moments)
    return found


def set_frozen(session: Session, viewer: Viewer, round_id: str, frozen: bool) -> Round:
    """Stop a round, so that nothing is taken in whatever the phase, or let it go on."""
    found = own_round(session, viewer, round_id)
    found.frozen = frozen
    record(session, viewer.actor, "freeze" if frozen else "unfreeze", found.name, contest_id=found.contest_id)
    return found


def set_preview(session: Session, viewer: Viewer, round_id: str, allowed: bool) -> Round:
    """Let teams see what the built-in attacks do to their submissions, or no longer.

    As long as anonymization is open, what would count of each team is attacked at once.
    """
    found = own_round(session, viewer, round_id)
    found.preview = allowed
    if allowed and phase_at(found, viewer.now) == "anonymization":
        for submission in final_submissions(session, found):
            order_preview(session, submission, found.contest_id)
    record(
        session,
        viewer.actor,
        "allow_preview" if allowed else "forbid_preview",
        found.name,
        contest_id=found.contest_id,
    )
    return found


def set_original(session: Session, viewer: Viewer, round_id: str, stored: StoredFile) -> Dataset:
    """Give a round its T, to be checked by a worker; too late when something was handed in."""
    found = own_round(session, viewer, round_id)
    if session.scalars(select(Submission.id).where(Submission.round_id == found.id).limit(1)).first():
        raise Refused("errors.contests.data_fixed", 409)
    dataset = Dataset(
        contest_id=found.contest_id,
        file_hash=stored.hash,
        size=stored.size,
        status="queued",
        created_by=viewer.actor.id,
        created_at=database_now(session),
    )
    session.add(dataset)
    session.flush()
    found.dataset_id = dataset.id
    enqueue(session, "original", dataset.id, found.contest_id)
    record(
        session,
        viewer.actor,
        "upload_original",
        found.name,
        contest_id=found.contest_id,
        sha256=stored.hash,
        bytes=stored.size,
    )
    return dataset


def order_evaluation(session: Session, viewer: Viewer, round_id: str) -> None:
    """Have a round evaluated, or once more; it is done when re-identification is over."""
    found = own_round(session, viewer, round_id)
    if phase_at(found, viewer.now) != "evaluation" or found.targets_at is None:
        raise Refused("errors.contests.not_over", 409)
    enqueue(session, "evaluate", found.id, found.contest_id)
    record(session, viewer.actor, "order_evaluation", found.name, contest_id=found.contest_id)


def go_on(session: Session, viewer: Viewer, round_id: str) -> None:
    """Make the targets, or evaluate, without what the server could not check; who that is stays in the audit log."""
    found = own_round(session, viewer, round_id)
    left_out = go_on_without(session, found)
    names = {team.id: team.name for team in session.scalars(select(Team).where(Team.contest_id == found.contest_id))}
    without = [f"{names[entry.team_id]} {entry.number}" for entry in left_out]
    record(session, viewer.actor, "go_on", found.name, contest_id=found.contest_id, without=without)


def publishable_evaluation(session: Session, viewer: Viewer, round: Round) -> Evaluation:
    """Return the evaluation that would be published; Refused if there is none, or if it is published already."""
    check_organizer(viewer)
    evaluation = newest_evaluation(session, round)
    over = phase_at(round, viewer.now) in ("evaluation", "closed")
    if not over or evaluation is None or evaluation.created_at < round.reidentification_closes:
        raise Refused("errors.contests.not_evaluated", 409)
    if evaluation.published_at is not None:
        raise Refused("errors.contests.published_already", 409)
    return evaluation


def publish_results(
    session: Session, viewer: Viewer, round_id: str, reason: str = "", confirmed: int | None = None
) -> Round:
    """Show hits, safety and standings to all members; there is no way back.

    What is published stays. A later evaluation is another version of the results, with its date and the reason. Another
    one than the evaluation that was `confirmed` is not published.
    """
    found = own_round(session, viewer, round_id)
    evaluation = publishable_evaluation(session, viewer, found)
    if confirmed is not None and evaluation.id != confirmed:
        raise Refused("errors.contests.evaluated_again", 409)
    if found.published_at is not None and not reason.strip():
        raise Refused("errors.contests.reason_needed", 422)
    evaluation.published_at, evaluation.reason = database_now(session), reason.strip()
    found.published_at = found.published_at or evaluation.published_at
    record(
        session,
        viewer.actor,
        "publish_results",
        found.name,
        contest_id=found.contest_id,
        reason=evaluation.reason or None,
        sha256=result_hash(evaluation.result),
    )
    return found


def close_round(session: Session, viewer: Viewer, round_id: str) -> Round:
    """Close a round for good, when its results are published."""
    found = own_round(session, viewer, round_id)
    if found.published_at is None:
        raise Refused("errors.contests.not_evaluated", 409)
    found.closed_at = found.closed_at or database_now(session)
    record(session, viewer.actor, "close_round", found.name, contest_id=found.contest_id)
    return found


def reset_member(session: Session, viewer: Viewer, settings: ServerSettings, user_id: str) -> str:
    """Return the token of a link with which a member chooses a new password."""
    check_organizer(viewer)
    user = session.get(User, user_id)
    if user is None or not may_reset(session, viewer.actor, user):
        raise Refused("errors.requests.not_yours", 403)
    return make_reset(session, viewer.actor, settings, user, viewer.contest.id)


def take_step(
    session: Session, viewer: Viewer, round_id: str, step: str, reason: str = "", confirmed: int | None = None
) -> None:
    """Do with a round what a button or a program says; a `reason` is for results that replace others.

    `confirmed` is the evaluation whose publication was confirmed.
    """
    steps: dict[str, Callable[[], object]] = {
        "freeze": lambda: set_frozen(session, viewer, round_id, True),
        "unfreeze": lambda: set_frozen(session, viewer, round_id, False),
        "allow_preview": lambda: set_preview(session, viewer, round_id, True),
        "forbid_preview": lambda: set_preview(session, viewer, round_id, False),
        "go_on": lambda: go_on(session, viewer, round_id),
        "evaluate": lambda: order_evaluation(session, viewer, round_id),
        "publish": lambda: publish_results(session, viewer, round_id, reason, confirmed),
        "close": lambda: close_round(session, viewer, round_id),
    }
    if step not in steps:
        raise not_there()
    steps[step]()


def retry_job(session: Session, viewer: Viewer, job_id: int) -> None:
    """Have a job that failed done again."""
    check_organizer(viewer)
    job = session.get(Job, job_id, with_for_update=True)
    if job is None or job.contest_id != viewer.contest.id or job.status != "failed":
        raise not_there()
    retry(session, job)
    record(session, viewer.actor, "retry_job", job.kind, contest_id=job.contest_id, job=job.id)


def checked_name(text: str, most: int = MOST_NAME_LETTERS) -> str:
    """Return a name without blanks around it; Refused if it is empty, too long, or has signs that do not print."""
    name = text.strip()
    if not 1 <= len(name) <= most:
        raise Refused("errors.contests.name_length", 422, most=most)
    if not name.isprintable():
        raise Refused("errors.contests.name_letters", 422)
    return name


def own_round(session: Session, viewer: Viewer, identity: str) -> Round:
    """Return a round of the organizer's contest, which nobody else changes until the end of the transaction."""
    check_organizer(viewer)
    wait_for_turn(session, ROUND_LOCK, identity)
    found = session.get(Round, identity, populate_existing=True)
    if found is None or found.contest_id != viewer.contest.id:
        raise not_there()
    return found
