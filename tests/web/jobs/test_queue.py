"""Jobs: order, leases, workers that die."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from sudare.web.jobs.orders import enqueue
from sudare.web.jobs.queue import finish, give_back, lease_next, prolong, take_back
from sudare.web.jobs.worker import Worker
from sudare.web.storage.database import database_now
from sudare.web.storage.models import Dataset, Job, Submission
from tests.web.small_contest import SmallContest, anonymized


def drain(small: SmallContest) -> None:
    """Take away the job of T."""
    with small.database.writing() as session:
        session.execute(update(Job).values(status="done"))


def add(small: SmallContest, *teams: str | None) -> None:
    with small.database.writing() as session:
        for number, team in enumerate(teams):
            team_id = small.teams[team] if team else None
            enqueue(session, "anonymized", f"s{number}", small.contest, team_id=team_id)


def lease(small: SmallContest, worker: str = "w", seconds: float = 60) -> Job | None:
    with small.database.writing() as session:
        return lease_next(session, worker, seconds)


def served(small: SmallContest, times: int) -> list[str]:
    """Lease and finish jobs one after another and return their subjects."""
    found = []
    for _ in range(times):
        job = lease(small)
        assert job is not None
        found.append(job.subject_id)
        with small.database.writing() as session:
            finish(session, job.id, "w")
    return found


def test_teams_take_turns_and_jobs_of_no_team_come_first(small: SmallContest) -> None:
    drain(small)
    add(small, "blue", "blue", "blue", "green", None, "red")
    assert served(small, 6) == ["s4", "s0", "s3", "s5", "s1", "s2"]


def test_a_team_has_one_job_running_at_a_time(small: SmallContest) -> None:
    drain(small)
    add(small, "blue", "blue", "green")
    first, second = lease(small), lease(small)
    assert first and second
    assert (first.subject_id, second.subject_id) == ("s0", "s2")
    assert lease(small) is None
    with small.database.writing() as session:
        finish(session, first.id, "w")
    third = lease(small)
    assert third and third.subject_id == "s1"


def test_a_job_of_a_dead_worker_is_begun_again_and_fails_at_last(small: SmallContest) -> None:
    drain(small)
    add(small, "blue")
    for attempt in (1, 2):
        job = lease(small, "dead", seconds=-1)
        assert job and job.attempts == attempt
        with small.database.writing() as session:
            failed = take_back(session, attempts=2)
    assert [job.failure for job in failed] == ["worker_lost"]
    assert lease(small) is None


def test_a_worker_that_lost_its_lease_cannot_finish_the_job(small: SmallContest) -> None:
    drain(small)
    add(small, "blue")
    job = lease(small, "slow", seconds=-1)
    assert job
    with small.database.writing() as session:
        take_back(session, attempts=3)
    again = lease(small, "quick")
    assert again and again.id == job.id
    with small.database.writing() as session:
        assert prolong(session, "slow", [job.id], 60) == set()
        assert finish(session, job.id, "slow") is None
        assert finish(session, job.id, "quick") is not None
        assert finish(session, job.id, "quick") is None


def test_a_heartbeat_keeps_a_lease(small: SmallContest) -> None:
    drain(small)
    add(small, "blue")
    job = lease(small, seconds=-1)
    assert job
    with small.database.writing() as session:
        assert prolong(session, "w", [job.id], 60) == {job.id}
        assert take_back(session, attempts=1) == []
        assert session.scalar(select(Job.leased_until)) is None or session.get_one(Job, job.id).status == "running"


def test_jobs_that_are_given_back_count_no_attempt(small: SmallContest) -> None:
    drain(small)
    add(small, "blue")
    lease(small)
    with small.database.writing() as session:
        give_back(session, "w")
    job = lease(small)
    assert job and job.attempts == 1


def test_a_worker_checks_an_upload(small: SmallContest) -> None:
    good, bad = small.submit("blue", anonymized()), small.submit("blue", anonymized()[:-10])
    small.work()
    with small.database.reading() as session:
        valid, invalid = session.get_one(Submission, good), session.get_one(Submission, bad)
        assert (valid.status, valid.utility) == ("valid", 0.0)
        assert valid.result and valid.result["classes"]["k"] == 1
        assert (invalid.status, invalid.utility) == ("invalid", None)
        assert invalid.result
        assert [invalid.result["errors"][language][0]["row"] for language in ("ja", "en")] == [24, 24]


# It may take until the time is over; which database it is makes no difference.
@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_a_job_without_enough_memory_fails_and_says_so(small: SmallContest) -> None:
    submission = small.submit("blue", anonymized())
    # With no memory at all even threads cannot start, so that it may be time that ends the job.
    small.settings = replace(small.settings, job_memory_bytes=1, job_seconds=3, job_retries=0)
    small.work()
    with small.database.reading() as session:
        found = session.get_one(Submission, submission)
        assert found.status == "failed"
        assert found.result and found.result["failure"] in ("memory", "error", "crashed", "time")


def test_a_job_that_takes_too_long_fails_and_says_so(small: SmallContest) -> None:
    submission = small.submit("blue", anonymized())
    small.settings = replace(small.settings, job_seconds=0, job_retries=0)
    small.work()
    with small.database.reading() as session:
        found = session.get_one(Submission, submission)
        assert (found.status, found.result) == ("failed", {"failure": "time"})


def test_what_a_job_found_is_kept_later_if_the_database_is_away(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.submit("blue", anonymized())
    worker = Worker(small.settings, small.database, small.files)

    def away(*_: object, **__: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patched, pytest.raises(ConnectionError):
        patched.setattr("sudare.web.jobs.worker.finish", away)
        worker.work_off()
    worker.work_off()
    worker.close()
    assert small.statuses() == ["valid"]


def test_what_deadlines_ask_for_is_enqueued_once(small: SmallContest) -> None:
    small.submit("blue", anonymized())
    small.work()
    small.move(anonymization_closes=0, reidentification_opens=1)
    worker = Worker(small.settings, small.database, small.files)
    worker.work_off()
    worker.work_off()
    worker.close()
    with small.database.reading() as session:
        kinds = list(session.scalars(select(Job.kind).order_by(Job.id)))
        assert kinds == ["original", "anonymized", "targets"]
        assert small.found_round().targets_at is not None
        assert database_now(session) - session.scalars(select(Job.created_at)).all()[-1] < dt.timedelta(minutes=5)


def test_what_has_failed_before_waits_for_the_others_and_leaves_them_a_slot(small: SmallContest) -> None:
    drain(small)
    add(small, "blue", None, "green", "red")
    with small.database.writing() as session:
        session.execute(update(Job).where(Job.subject_id.in_(("s0", "s1"))).values(failures=1))
        assert lease_next(session, "w", 60, previews=False).subject_id == "s2"  # type: ignore[union-attr]
        assert lease_next(session, "w", 60, previews=False).subject_id == "s3"  # type: ignore[union-attr]
        assert lease_next(session, "w", 60, previews=False) is None
        assert lease_next(session, "w", 60).subject_id == "s1"  # type: ignore[union-attr]
        assert lease_next(session, "w", 60).subject_id == "s0"  # type: ignore[union-attr]


def test_a_lease_from_before_the_clock_was_set_back_is_over(small: SmallContest) -> None:
    drain(small)
    add(small, "blue", "blue")
    assert lease(small, "dead", seconds=3600)
    assert lease(small) is None
    with small.database.writing() as session:
        assert take_back(session, attempts=3, longest=300) == []
    again = lease(small)
    assert again and again.subject_id == "s0"
    with small.database.writing() as session:
        take_back(session, attempts=3, longest=300)
    assert lease(small) is None


def test_deviations_are_in_the_units_of_the_column(small: SmallContest) -> None:
    small.work()
    with small.database.reading() as session:
        result = session.scalars(select(Dataset)).one().result
    assert result
    found = {column["name"]: column.get("deviation") for column in result["columns"]}
    # Prices 1.50 to 12.50, each twice: the deviation of 1 to 12 is the root of 143 / 12. Quantities are 1 and 2.
    assert found["price"] == pytest.approx((143 / 12) ** 0.5)
    assert found["quantity"] == pytest.approx(0.5)
