"""Handing in: phases, deadlines and quotas hold, also for uploads at the same time."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from sudare.web.game.contests import set_frozen, set_times
from sudare.web.game.refusals import Refused
from sudare.web.game.submissions import choose_final, final_submission
from sudare.web.storage.database import ROUND_LOCK, database_now, wait_for_turn
from sudare.web.storage.models import Contest, Final, Job, Submission
from tests.web.small_contest import SmallContest, anonymized, guesses


def code(action: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        action()
    return refused.value.code


def count(small: SmallContest, table: type[Submission] | type[Job]) -> int:
    with small.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_submission_and_its_job_are_there_together(small: SmallContest) -> None:
    identity = small.submit("blue", anonymized())
    with small.database.reading() as session:
        jobs = session.scalars(select(Job).where(Job.subject_id == identity)).all()
    assert [(job.kind, job.team_id, job.status) for job in jobs] == [("anonymized", small.teams["blue"], "queued")]


def test_nothing_is_taken_in_outside_the_phase_or_by_others(small: SmallContest) -> None:
    assert code(lambda: small.submit("organizer", "x")) == "not_yours"
    assert code(lambda: small.submit("observer", "x")) == "not_yours"
    small.move(anonymization_opens=1)
    assert code(lambda: small.submit("blue", "x")) == "not_anonymization"
    small.move(anonymization_opens=-2, anonymization_closes=0)
    assert code(lambda: small.submit("blue", "x")) == "not_anonymization"
    assert count(small, Submission) == 0


def test_a_frozen_round_takes_nothing(small: SmallContest) -> None:
    for frozen in (True, False):
        with small.database.writing() as session:
            set_frozen(session, small.viewer(session, "organizer"), small.round, frozen)
        if frozen:
            assert code(lambda: small.submit("blue", "x")) == "frozen"
    small.submit("blue", "x")


def test_the_quota_of_a_day_holds_for_uploads_at_the_same_time(small: SmallContest) -> None:
    codes: list[str] = []

    def upload() -> None:
        try:
            small.submit("blue", anonymized())
            codes.append("taken")
        except Refused as refused:
            codes.append(refused.code)

    threads = [threading.Thread(target=upload) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["quota_used"] * 7 + ["taken"] * 3
    with small.database.reading() as session:
        assert sorted(session.scalars(select(Submission.number))) == [1, 2, 3]
    small.submit("green", anonymized())


def test_what_the_server_failed_to_check_does_not_count(small: SmallContest) -> None:
    for _ in range(3):
        small.submit("blue", "x")
    assert code(lambda: small.submit("blue", "x")) == "quota_used"
    with small.database.writing() as session:
        session.scalars(select(Submission)).first().status = "failed"  # type: ignore[union-attr]
    small.submit("blue", "x")


def test_uploads_around_the_deadline_are_taken_before_and_refused_from_it_on(small: SmallContest) -> None:
    with small.database.writing() as session:
        session.get_one(Contest, small.contest).submissions_per_day = 1000
    refused: list[str] = []
    taken = threading.Semaphore(0)

    def upload() -> None:
        while not refused:
            try:
                small.submit("blue", "x")
                taken.release()
            except Refused as error:
                refused.append(error.code)

    threads = [threading.Thread(target=upload) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert taken.acquire(timeout=60)
    with small.database.writing() as session:
        wait_for_turn(session, ROUND_LOCK, small.round)
        deadline = database_now(session) + dt.timedelta(seconds=0.1)
        times = {"anonymization_closes": deadline.isoformat()}
        set_times(session, small.viewer(session, "organizer"), small.round, times)
    for thread in threads:
        thread.join()
    with small.database.reading() as session:
        moments = list(session.scalars(select(Submission.created_at)))
        assert database_now(session) >= deadline
    assert set(refused) == {"not_anonymization"}
    assert moments and max(moments) < deadline


def test_a_submission_cannot_be_changed_or_deleted(small: SmallContest) -> None:
    small.submit("blue", "x")
    for statement in ("UPDATE submissions SET file_hash = 'x'", "DELETE FROM submissions"):
        with pytest.raises(DBAPIError), small.database.writing() as session:
            session.execute(text(statement))


def test_the_chosen_submission_counts_else_the_last_valid_one(small: SmallContest) -> None:
    first, second = small.submit("blue", anonymized()), small.submit("blue", anonymized(dates=False))
    third = small.submit("blue", "broken")
    small.work()
    round = small.found_round()
    with small.database.writing() as session:
        found = final_submission(session, round, small.teams["blue"])
        assert found is not None and found.id == second
        choose_final(session, small.viewer(session, "blue"), first)
        found = final_submission(session, round, small.teams["blue"])
        assert found is not None and found.id == first
        assert final_submission(session, round, small.teams["green"]) is None

    def choose(name: str, identity: str) -> Final:
        with small.database.writing() as session:
            return choose_final(session, small.viewer(session, name), identity)

    assert code(lambda: choose("blue", third)) == "not_valid"
    assert code(lambda: choose("green", first)) == "not_there"
    small.move(anonymization_closes=0)
    assert code(lambda: choose("blue", second)) == "not_anonymization"


def test_guesses_are_on_others_and_replaced_only_if_so_set(small: SmallContest) -> None:
    small.to_reidentification()
    assert code(lambda: small.guess("blue", "blue", "")) == "own_target"
    small.guess("blue", "green", "")
    small.guess("blue", "green", guesses(right=3))
    with small.database.writing() as session:
        session.get_one(Contest, small.contest).guesses_replaceable = False
    assert code(lambda: small.guess("blue", "green", "")) == "guesses_fixed"
    small.guess("red", "green", "not,valid\n")
    small.work()
    small.guess("red", "green", "")
    small.move(reidentification_closes=0)
    assert code(lambda: small.guess("green", "red", "")) == "not_reidentification"


def test_anonymization_stays_closed_when_targets_are_made(small: SmallContest) -> None:
    small.to_reidentification()
    assert code(lambda: small.move(anonymization_closes=1, reidentification_opens=2)) == "targets_made"


def test_an_extension_before_targets_are_made_reopens_the_phase(small: SmallContest) -> None:
    small.submit("blue", anonymized())
    small.work()
    small.move(anonymization_closes=0)
    small.move(anonymization_closes=1)
    small.submit("blue", anonymized(dates=False))
    small.work()
    assert small.found_round().targets_at is None
    small.move(anonymization_closes=0)
    small.work()
    assert small.found_round().targets_at is not None
