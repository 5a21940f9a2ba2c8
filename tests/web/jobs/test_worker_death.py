"""Workers and web processes that are killed at work: nothing acknowledged is lost, nothing is counted twice."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from sudare.web.game.audit import first_broken
from sudare.web.settings import ServerSettings
from sudare.web.storage.models import AuditEntry, Job, Submission
from tests.web.conftest import COMMAND, RunningServer, wait_for_port
from tests.web.small_contest import SmallContest, anonymized


def wait_for(small: SmallContest, *statuses: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and small.statuses() != list(statuses):
        time.sleep(0.05)
    assert small.statuses() == list(statuses)


def test_a_job_of_a_killed_worker_is_done_by_the_next(small: SmallContest, running: RunningServer) -> None:
    small.work()
    small.submit("blue", anonymized())
    worker = running.start("worker")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with small.database.reading() as session:
            if session.scalars(select(Job.status).where(Job.kind == "anonymized")).one() == "running":
                break
        time.sleep(0.002)
    worker.kill()
    worker.join()
    small.pass_leases()
    running.start("worker")
    wait_for(small, "valid")
    with small.database.reading() as session:
        job = session.scalars(select(Job).where(Job.kind == "anonymized")).one()
    assert job.status == "done"
    assert job.attempts >= 1


def test_a_killed_web_process_loses_nothing_that_it_acknowledged(small: SmallContest, running: RunningServer) -> None:
    token = small.token("blue", "read", "submit")
    acknowledged: list[str] = []
    for _ in range(2):
        web = running.start("web")
        with running.client(token) as client:
            try:
                sent = client.post(f"/api/v1/rounds/{small.round}/submissions", content=anonymized())
                acknowledged.append(sent.json()["id"])
            except httpx.TransportError:
                pass
            web.kill()
            web.join()
    small.work()
    with small.database.reading() as session:
        found = {submission.id: submission.status for submission in session.scalars(select(Submission))}
        assert first_broken(session.scalars(select(AuditEntry).order_by(AuditEntry.id))) is None
    assert len(acknowledged) == 2
    assert found == dict.fromkeys(acknowledged, "valid")


# Which database it is makes no difference here.
@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_a_worker_ends_with_the_server_that_began_it(settings: ServerSettings) -> None:
    for end in ("terminate", "kill"):
        server = subprocess.Popen([*COMMAND, "server", "run", str(settings.folder)])
        wait_for_port(settings.port)
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children")
        workers = [
            int(pid) for task in children.parents[1].iterdir() for pid in (task / "children").read_text().split()
        ]
        assert workers
        getattr(server, end)()
        server.wait(30)
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
