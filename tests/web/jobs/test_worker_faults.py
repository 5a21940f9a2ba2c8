"""What fails while a worker keeps what a job found: it is tried again, given back, and holds up nothing else."""

from __future__ import annotations

import errno
import resource
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from sudare.web.game.refusals import Refused
from sudare.web.jobs import worker as workers
from sudare.web.jobs.worker import Worker
from sudare.web.storage.files import FileStore
from sudare.web.storage.models import Job
from tests.web.conftest import Masters, new_settings
from tests.web.small_contest import TEAMS, SmallContest, anonymized

pytestmark = pytest.mark.slow

# The steps from the end of a job to its result.
STEPS = (
    "sudare.web.jobs.process:JobProcess.outcome",
    "sudare.web.jobs.worker:Worker._keep_files",
    "sudare.web.storage.files:FileStore.keep",
    "sudare.web.storage.files:Incoming.finish",
    "sudare.web.jobs.worker:finish",
    "sudare.web.jobs.worker:keep_result",
    "sudare.web.jobs.registry:record",
)


def database_error() -> OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_WRITE"
    return OperationalError("INSERT", {}, error)


FAULTS: dict[str, Callable[[], Exception]] = {
    "disk": lambda: OSError(errno.ENOSPC, "No space left on device"),
    "database": database_error,
    "program": lambda: KeyError("x"),
}


class Broken:
    """A step that fails so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: str, fault: Callable[[], Exception], times: int) -> None:
        module, _, path = step.partition(":")
        owner: Any = import_module(module)
        *outer, last = path.split(".")
        for name in outer:
            owner = getattr(owner, name)
        function = getattr(owner, last)
        self.left = times

        def failing(*arguments: Any, **options: Any) -> Any:
            if self.left:
                self.left -= 1
                raise fault()
            return function(*arguments, **options)

        monkeypatch.setattr(owner, last, failing)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "ROUND_SECONDS", 0.02)
    monkeypatch.setattr(workers, "REST_SECONDS", 0.3)


def turn_until(worker: Worker, found: Callable[[], bool], seconds: float = 30) -> list[Exception]:
    """Take turns, as a worker that runs does, until something is so; return what they raised."""
    errors: list[Exception] = []
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, errors
        try:
            worker.turn()
        except Exception as error:
            errors.append(error)
        time.sleep(0.005)
    return errors


def jobs(small: SmallContest, kind: str) -> list[Job]:
    with small.database.reading() as session:
        return list(session.scalars(select(Job).where(Job.kind == kind).order_by(Job.id)))


def with_finals(small: SmallContest) -> None:
    """Bring a round to where A' are to be made."""
    for number, name in enumerate(TEAMS):
        small.submit(name, anonymized(shift=number))
    small.work()
    small.move(anonymization_closes=0, reidentification_opens=0)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [("sqlite", "disk"), ("sqlite", "program"), ("postgresql", "database")],
    indirect=["settings"],
)
@pytest.mark.parametrize("step", STEPS)
def test_what_cannot_be_kept_is_kept_when_the_fault_is_over(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch, step: str, fault: str
) -> None:
    with_finals(small)
    broken = Broken(monkeypatch, step, FAULTS[fault], 2)
    worker = Worker(small.settings, small.database, small.files)
    errors = turn_until(worker, lambda: small.found_round().targets_at is not None)
    worker.close()
    assert broken.left == 0
    assert len(errors) == 2
    assert [(job.status, job.attempts) for job in jobs(small, "targets")] == [("done", 1)]
    assert list((small.settings.files / "incoming").iterdir()) == []


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize("step", STEPS)
def test_a_job_that_cannot_be_kept_is_given_back_and_the_others_go_on(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with_finals(small)
    broken = Broken(monkeypatch, step, FAULTS["disk"], workers.KEEP_TRIES)
    monkeypatch.setattr(workers, "REST_SECONDS", 3600.0)
    worker = Worker(small.settings, small.database, small.files)
    turn_until(worker, lambda: not broken.left and not worker._running)
    (given_back,) = jobs(small, "targets")
    assert (given_back.status, given_back.attempts, given_back.leased_until) == ("queued", 0, None)
    # It rests, and the same worker does what else there is.
    small.move(anonymization_closes=1, reidentification_opens=2)
    small.submit("blue", anonymized(dates=False))
    turn_until(worker, lambda: small.statuses()[-1] == "valid")
    worker.close()
    small.move(anonymization_closes=0, reidentification_opens=0)
    small.work()
    assert small.found_round().targets_at is not None


def test_a_job_that_the_program_never_keeps_fails_after_some_attempts(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.submit("blue", anonymized())
    small.work()
    monkeypatch.setattr(workers, "REST_SECONDS", 0.0)
    Broken(monkeypatch, "sudare.web.jobs.worker:keep_result", FAULTS["program"], 1000)
    small.submit("green", anonymized())
    worker = Worker(replace(small.settings, job_retries=0), small.database, small.files)
    turn_until(worker, lambda: small.statuses() == ["valid", "failed"])
    worker.close()
    assert [(job.failure, job.attempts) for job in jobs(small, "anonymized")] == [(None, 1), ("error", 3)]


@pytest.mark.parametrize(
    "step",
    [
        "sudare.web.storage.files:FileStore.working_folder",
        "sudare.web.jobs.worker:parameters",
        "sudare.web.jobs.worker:JobProcess",
    ],
)
@pytest.mark.parametrize("fault", ["disk", "program"])
@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_a_job_that_cannot_be_begun_holds_no_lease(
    small: SmallContest, monkeypatch: pytest.MonkeyPatch, step: str, fault: str
) -> None:
    small.work()
    small.submit("blue", anonymized())
    broken = Broken(monkeypatch, step, FAULTS[fault], 1)
    monkeypatch.setattr(workers, "REST_SECONDS", 0.0)
    worker = Worker(small.settings, small.database, small.files)
    turn_until(worker, lambda: not broken.left)
    (job,) = jobs(small, "anonymized")
    assert (job.status, job.attempts, job.leased_until) == ("queued", int(fault == "program"), None)
    turn_until(worker, lambda: small.statuses() == ["valid"])
    worker.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_of_files_that_was_full_is_filled_no_further_and_holds_up_nothing(
    masters: Masters, small_disk: Path, tmp_path: Path
) -> None:
    small = masters.copy_contest(new_settings(tmp_path / "server"))
    files = small.settings.files
    subprocess.run(["cp", "-a", f"{files}/.", str(small_disk)], check=True)
    subprocess.run(["rm", "-r", str(files)], check=True)
    files.symlink_to(small_disk)
    with_finals(small)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(b"\0" * 4096)
    worker = Worker(small.settings, small.database, small.files)
    end = time.monotonic() + 2
    turn_until(worker, lambda: time.monotonic() > end)
    worker.close()
    assert list((files / "incoming").iterdir()) == []
    assert [(job.status, job.attempts, job.leased_until) for job in jobs(small, "targets")] == [("queued", 0, None)]
    filler.unlink()
    small.work()
    small.database.close()
    assert small.found_round().targets_at is not None


def test_a_file_that_cannot_be_written_leaves_nothing_even_when_closing_it_fails(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    store.make()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(Refused) as refused, store.receive(1000, 60) as incoming:
            incoming.write(b"x" * 100)
            incoming.finish()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert refused.value.status == 507
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []
