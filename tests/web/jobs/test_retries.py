"""Checks that the server failed: tried again by themselves, waited for by deadlines, told to organizers."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import select, update

from sudare.web.game.contests import retry_job, take_step
from sudare.web.game.refusals import Refused
from sudare.web.game.submissions import choose_final
from sudare.web.jobs import queue, worker as workers
from sudare.web.jobs.outcomes import keep_failure
from sudare.web.jobs.queue import finish, lease_next
from sudare.web.storage.database import database_now
from sudare.web.storage.models import AuditEntry, GuessFile, Job, Round, Submission, Target
from sudare.web.views.shown_contests import show_round
from tests.web.conftest import RunningServer, log_in
from tests.web.small_contest import SmallContest, anonymized, guesses

pytestmark = pytest.mark.slow


def fail(small: SmallContest, kind: str = "anonymized") -> None:
    """Let the newest job of a kind fail for lack of time, as often as it is tried."""
    with small.database.writing() as session:
        job = lease_next(session, "w", 60)
        assert job and job.kind == kind
        failed = finish(session, job.id, "w", failure="time")
        assert failed
        keep_failure(session, failed)
    assert newest(small, kind).status == "failed"


def newest(small: SmallContest, kind: str) -> Job:
    with small.database.reading() as session:
        return session.scalars(select(Job).where(Job.kind == kind).order_by(Job.id.desc()).limit(1)).one()


def told(small: SmallContest, name: str) -> list[tuple[str, int]]:
    with small.database.reading() as session:
        shown = show_round(session, small.viewer(session, name), session.get_one(Round, small.round))
        return [(check.team, check.number) for check in shown.failed_checks]


def step(small: SmallContest, name: str = "go_on") -> None:
    with small.database.writing() as session:
        take_step(session, small.viewer(session, "organizer"), small.round, name)


def targets(small: SmallContest) -> set[str]:
    with small.database.reading() as session:
        return set(session.scalars(select(Target.team_id)))


def test_a_job_that_failed_is_tried_again_later_with_more_time(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[float] = []
    started = workers.JobProcess

    def note(*arguments: object, seconds: float, **options: object) -> object:
        times.append(seconds)
        process = started(*arguments, seconds=seconds, **options)  # type: ignore[arg-type]
        process.stop()
        process._outcome = "time"
        return process

    small.work()
    monkeypatch.setattr(workers, "JobProcess", note)
    small.submit("blue", anonymized())
    small.work()
    job = newest(small, "anonymized")
    assert (job.status, job.failures, job.attempts, job.failure) == ("queued", 1, 0, "time")
    assert small.statuses() == ["queued"]
    with small.database.writing() as session:
        assert job.not_before and job.not_before > database_now(session)
        session.execute(update(Job).values(not_before=database_now(session)))
    monkeypatch.setattr(queue, "RETRY_SECONDS", 0.0)
    small.work()
    assert small.statuses() == ["failed"]
    assert times == [60, 120, 180]


def test_a_job_that_succeeds_when_it_is_tried_again_is_valid(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.work()
    monkeypatch.setattr(queue, "RETRY_SECONDS", 0.0)
    small.submit("blue", anonymized())
    with small.database.writing() as session:
        session.execute(update(Job).values(failures=1, not_before=database_now(session) - dt.timedelta(seconds=1)))
    small.work()
    assert small.statuses() == ["valid"]


def test_a_clock_that_was_set_back_leaves_no_job_waiting(small: SmallContest) -> None:
    small.work()
    small.submit("blue", anonymized())
    with small.database.writing() as session:
        later = database_now(session) + dt.timedelta(minutes=2)
        session.execute(update(Job).where(Job.status == "queued").values(not_before=later))
        assert lease_next(session, "w", 60) is None
        session.execute(update(Job).where(Job.status == "queued").values(not_before=later + dt.timedelta(days=1)))
        job = lease_next(session, "w", 60)
        assert job is not None and finish(session, job.id, "w")


def test_a_deadline_waits_for_a_failed_check_that_could_count(small: SmallContest) -> None:
    small.submit("green", anonymized(shift=2))
    small.work()
    small.submit("blue", anonymized())
    fail(small)
    assert told(small, "organizer") == [("blue", 1)]
    assert told(small, "green") == told(small, "blue") == []
    small.move(anonymization_closes=0, reidentification_opens=0)
    small.work()
    assert small.found_round().targets_at is None
    with small.database.writing() as session:
        retry_job(session, small.viewer(session, "organizer"), newest(small, "anonymized").id)
    assert told(small, "organizer") == []
    small.work()
    assert targets(small) == {small.teams["blue"], small.teams["green"]}


def test_an_organizer_may_go_on_without_and_that_is_recorded(small: SmallContest) -> None:
    small.submit("green", anonymized(shift=2))
    small.work()
    small.submit("blue", anonymized())
    with pytest.raises(Refused):
        step(small)
    fail(small)
    with pytest.raises(Refused):
        step(small)
    small.move(anonymization_closes=0, reidentification_opens=0)
    step(small)
    small.work()
    assert targets(small) == {small.teams["green"]}
    with small.database.reading() as session:
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "go_on")).one()
    assert entry.details == '{"without": ["blue 1"]}'
    with pytest.raises(Refused):
        step(small)


def test_what_cannot_count_is_not_waited_for(small: SmallContest) -> None:
    first = small.submit("blue", anonymized())
    small.work()
    small.submit("blue", anonymized(dates=False))
    fail(small)
    assert told(small, "organizer") == [("blue", 2)]
    with small.database.writing() as session:
        choose_final(session, small.viewer(session, "blue"), first)
    assert told(small, "organizer") == []
    small.submit("green", anonymized())
    fail(small)
    assert told(small, "organizer") == [("green", 1)]
    small.submit("green", anonymized())
    small.work()
    assert told(small, "organizer") == []
    small.move(anonymization_closes=0, reidentification_opens=0)
    small.work()
    assert targets(small) == {small.teams["blue"], small.teams["green"]}


def test_the_evaluation_waits_for_guesses_that_could_not_be_checked(small: SmallContest) -> None:
    small.to_reidentification()
    small.guess("blue", "red", guesses(right=1, shift=2))
    fail(small, "guesses")
    assert told(small, "organizer") == [("blue", 1)]
    small.move(reidentification_closes=0)
    small.work()
    with small.database.reading() as session:
        assert "evaluate" not in set(session.scalars(select(Job.kind)))
        assert session.scalars(select(GuessFile.status)).all() == ["failed"]
        assert set(session.scalars(select(Submission.status))) == {"valid"}
    step(small)
    small.work()
    assert newest(small, "evaluate").status == "done"


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_the_page_of_the_round_tells_organizers_in_both_languages(small: SmallContest, running: RunningServer) -> None:
    small.work()
    small.submit("green", anonymized(shift=2))
    path = small.files.path(small.keep(anonymized(shift=2)).hash)
    path.write_bytes(b"")
    small.work()
    small.submit("blue", anonymized())
    fail(small)
    small.move(anonymization_closes=0, reidentification_opens=0)
    running.start("web")
    texts = {
        "en": ("could not check", "Go on without them", "were changed on the server"),
        "ja": ("検査できなかった", "これらを除いて進める", "ディスク上で変更された"),
    }
    for language, wanted in texts.items():
        page = log_in(running, "organizer").get(f"/rounds/{small.round}", params={"lang": language}).text
        assert [text in page for text in wanted] == [True] * 3
        assert "<li>blue 1</li>" in page and "<li>green 1</li>" in page
        assert not any(text in log_in(running, "red").get(f"/rounds/{small.round}").text for text in wanted)
        audit = log_in(running, "organizer").get(f"/contests/{small.contest}/audit", params={"lang": language})
        assert audit.status_code == 200
