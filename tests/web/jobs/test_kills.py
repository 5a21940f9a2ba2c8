"""Processes that are killed at every step: nothing acknowledged is lost, nothing is scored twice, work resumes."""

from __future__ import annotations

import signal
from dataclasses import replace

import httpx
import pytest
from sqlalchemy import func, select

from sudare.web.game.audit import first_broken
from sudare.web.settings import ServerSettings
from sudare.web.storage.models import AuditEntry, Evaluation, Job, Submission, Target
from tests.web.conftest import RunningServer
from tests.web.small_contest import TEAMS, SmallContest, anonymized, guesses

# Of an upload, in their order: the step, and whether the submission is there afterwards. The last two are before and
# after the commit.
UPLOAD_STEPS = [
    ("sudare.web.storage.files:Incoming.finish", "before", False),
    ("sudare.web.storage.files:Path.replace", "before", False),
    ("sudare.web.storage.files:Path.replace", "after", False),
    ("sudare.web.game.submissions:enqueue", "before", False),
    ("sudare.web.game.submissions:record", "after", False),
    ("sudare.web.http.routes.api_team:show_submission", "after", False),
    ("fastapi.routing:serialize_response", "before", True),
]
KEEPING = ("sudare.web.jobs.worker:keep_result", "after")
# Of a job: leased, begun, ended, its files kept, its result in the transaction, committed.
JOB_STEPS = [
    ("sudare.web.jobs.worker:JobProcess", "before"),
    ("sudare.web.jobs.process:JobProcess.outcome", "before"),
    ("sudare.web.jobs.worker:Worker._keep_files", "before"),
    ("sudare.web.jobs.worker:finish", "after"),
    KEEPING,
    ("sudare.web.jobs.worker:Worker._drop", "before"),
]


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    """Settings with which a job survives as many deaths as there are steps."""
    return replace(settings, job_attempts=100)


def kill_worker(running: RunningServer, small: SmallContest, step: str, moment: str) -> None:
    """Have a worker begin and die at a step, and its leases run out."""
    worker = running.start("worker", (step, moment))
    worker.join(120)
    assert worker.exitcode == -signal.SIGKILL
    small.pass_leases()


@pytest.mark.parametrize(("step", "moment", "there"), UPLOAD_STEPS)
def test_an_upload_whose_server_is_killed_is_there_as_a_whole_or_not_at_all(
    small: SmallContest, running: RunningServer, step: str, moment: str, there: bool
) -> None:
    small.work()
    acknowledged = small.submit("red", anonymized())
    web = running.start("web", (step, moment))
    path = f"/api/v1/rounds/{small.round}/submissions"
    with running.client(small.token("blue", "read", "submit")) as client, pytest.raises(httpx.TransportError):
        client.post(path, content=anonymized(shift=2))
    web.join(60)
    assert web.exitcode == -signal.SIGKILL
    small.work()
    with small.database.reading() as session:
        found = {submission.id: submission for submission in session.scalars(select(Submission))}
        assert first_broken(session.scalars(select(AuditEntry).order_by(AuditEntry.id))) is None
    assert len(found) == 1 + there
    assert acknowledged in found
    assert {submission.status for submission in found.values()} == {"valid"}
    for submission in found.values():
        assert small.files.path(submission.file_hash).stat().st_size == submission.size
    # The server goes on, and what dead processes left is cleared away.
    small.submit("blue", anonymized())
    small.files.tidy(-1)
    assert list((small.settings.files / "incoming").iterdir()) == []


def test_a_round_whose_worker_is_killed_at_every_step_is_scored_once(
    small: SmallContest, running: RunningServer
) -> None:
    for number, name in enumerate(TEAMS):
        small.submit(name, anonymized(dates=number > 0, shift=number))
    for step, moment in JOB_STEPS:
        kill_worker(running, small, step, moment)
    small.work()
    assert small.statuses() == ["valid"] * 3

    small.move(anonymization_closes=0, reidentification_opens=0)
    kill_worker(running, small, *KEEPING)
    small.work()
    small.guess("blue", "red", guesses(right=12, shift=2))
    small.work()

    small.move(reidentification_closes=0)
    kill_worker(running, small, *KEEPING)
    small.work()
    with small.database.reading() as session:
        jobs = session.scalars(select(Job).order_by(Job.id)).all()
        assert session.scalar(select(func.count()).select_from(Target)) == 3
        attacks = [found.result["attacks"] for found in session.scalars(select(Evaluation))]
        entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    kinds = ["original", *["anonymized"] * 3, "targets", "guesses", "evaluate"]
    assert [(job.kind, job.status) for job in jobs] == [(kind, "done") for kind in kinds]
    assert [[attack["hits"] for attack in listed] for listed in attacks] == [[12]]
    actions = [entry.action for entry in entries]
    assert (actions.count("make_targets"), actions.count("evaluate"), actions.count("job_failed")) == (1, 1, 0)
    assert first_broken(entries) is None


def test_a_job_that_kills_every_worker_fails_and_says_so(small: SmallContest, running: RunningServer) -> None:
    small.work()
    submission = small.submit("blue", anonymized())
    small.settings = replace(small.settings, job_attempts=2, job_retries=0)
    for _ in range(2):
        kill_worker(running, small, "sudare.web.jobs.worker:JobProcess", "before")
    small.work()
    assert small.statuses() == ["failed"]
    with small.database.reading() as session:
        found = session.get_one(Submission, submission).result
        failures = [entry.details for entry in session.scalars(select(AuditEntry)) if entry.action == "job_failed"]
    assert found == {"failure": "worker_lost"}
    assert len(failures) == 1
