"""The worker: leases jobs, runs each in its own process, and stores the results."""

from __future__ import annotations

import errno
import math
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy.exc import DBAPIError

from sudare.showing import dataclass
from sudare.web.game.refusals import Refused
from sudare.web.http.faults import described, is_away, may_pass
from sudare.web.jobs.outcomes import enqueue_due, keep_corrupt, keep_failure, keep_result, parameters
from sudare.web.jobs.process import WAITS, JobProcess
from sudare.web.jobs.queue import (
    finish,
    give_back,
    lease_next,
    next_job,
    prolong,
    sign,
    sign_off,
    take_back,
)
from sudare.web.jobs.registry import KINDS, UNHURRIED
from sudare.web.operation.log import Log
from sudare.web.settings import ServerSettings
from sudare.web.storage.database import Database
from sudare.web.storage.files import FileStore, StoredFile
from sudare.web.storage.models import Job
from sudare.web.storage.orphans import remove_orphans

POLL_SECONDS = 0.1
# How often deadlines and dead workers are looked for.
ROUND_SECONDS = 1.0
# How often files that nothing refers to are looked for, the first time at once.
TIDY_SECONDS = 24 * 3600.0
# How often keeping what a job found is tried, a round apart, before the job is given back; and how long this worker
# then leaves it to others.
KEEP_TRIES = 5
REST_SECONDS = 30.0


@dataclass(slots=True)
class _Running:
    job: Job
    process: JobProcess
    folder: Path
    cleanup: ExitStack
    tries: int = 0
    again: float = -math.inf
    begun: float = field(default_factory=time.monotonic)


class Worker:
    """Runs jobs until it is told to stop.

    No job that it cannot finish stays with it: what cannot be begun or kept, for lack of room on the disk or without
    the database, is given back, and everything else goes on.
    """

    def __init__(self, settings: ServerSettings, database: Database, files: FileStore) -> None:
        self._settings, self._database, self._files = settings, database, files
        self._log = Log(settings.log_format, settings.log_level)
        self.name = f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}"
        self._running: dict[int, _Running] = {}
        self._resting: dict[int, float] = {}
        self._stopping = False
        self._told = ""
        self._looked = self._prolonged = self._tidied = self._signed = -math.inf

    def run(self, parent: int | None = None) -> None:
        """Work until SIGTERM or SIGINT, or until the parent is another; jobs that are not done then are given back."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping and parent in (None, os.getppid()):
            try:
                busy = self.turn()
            except Exception as error:
                # What was leased is begun again: the database may be back by then, or the disk have room.
                self._tell(error)
                busy = False
                time.sleep(ROUND_SECONDS)
            if not busy:
                time.sleep(POLL_SECONDS)
        self.close()

    def turn(self) -> bool:
        """Do whatever is due and say whether something was; a step that fails keeps no other one from being done.

        What failed first is raised at the end, at once if the database is away, which all steps need.
        """
        steps: list[Callable[[], bool]] = [
            self._sign_in_time,
            self._look_around_in_time,
            self._tidy_in_time,
            self._prolong_in_time,
        ]
        steps += [partial(self._collect, job_id) for job_id in self._running]
        errors: list[Exception] = []
        busy = False
        for step in (*steps, self._begin):
            try:
                busy = step() or busy
            except Exception as error:
                if is_away(error):
                    raise
                errors.append(error)
        if errors:
            raise errors[0]
        return busy

    def work_off(self, seconds: float = 60.0) -> None:
        """Work until nothing is left to do or the time is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self._running:
                self._look_around()
            if not self.turn():
                if not self._running:
                    return
                time.sleep(POLL_SECONDS / 5)

    def close(self) -> None:
        """End all processes and give their jobs back."""
        for running in self._running.values():
            running.process.stop()
            running.cleanup.close()
        self._running.clear()
        try:
            with self._database.writing() as session:
                give_back(session, self.name)
                sign_off(session, self.name)
        except DBAPIError:
            return  # the leases run out by themselves

    def _tell(self, error: Exception) -> None:
        """Say why nothing is done: in a word if it may be well in a minute, else where it failed, once."""
        if is_away(error) or isinstance(error, OSError | Refused):
            told = type(error).__name__
        elif (told := described(error)) == self._told:
            return
        self._told = told
        self._log.warning("worker_waits", f"worker waits: {told}", error=type(error).__name__, places=told)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _sign_in_time(self) -> bool:
        if self._is_due(self._signed, self._settings.lease_seconds / 3):
            with self._database.writing() as session:
                sign(session, self.name)
            self._signed = time.monotonic()
        return False

    def _look_around_in_time(self) -> bool:
        if self._is_due(self._looked, ROUND_SECONDS):
            self._look_around()
            self._looked = time.monotonic()
        return False

    def _tidy_in_time(self) -> bool:
        if self._is_due(self._tidied, TIDY_SECONDS):
            remove_orphans(self._database, self._files)
            self._tidied = time.monotonic()
        return False

    def _prolong_in_time(self) -> bool:
        if self._is_due(self._prolonged, self._settings.lease_seconds / 3):
            self._prolong()
            self._prolonged = time.monotonic()
        return False

    def _is_due(self, last: float, seconds: float) -> bool:
        return time.monotonic() - last >= seconds

    def _look_around(self) -> None:
        with self._database.writing() as session:
            for job in take_back(session, self._settings.job_attempts, 10 * self._settings.lease_seconds):
                keep_failure(session, job, self._settings.job_retries)
            enqueue_due(session)

    def _prolong(self) -> None:
        if not self._running:
            return
        with self._database.writing() as session:
            held = prolong(session, self.name, list(self._running), self._settings.lease_seconds)
        for job_id in set(self._running) - held:
            self._drop(job_id)

    def _begin(self) -> bool:
        if len(self._running) >= self._settings.worker_slots:
            return False
        previews, resting = self._room_for_previews(), self._still_resting()
        # Looking costs no lock, leasing does.
        with self._database.reading() as session:
            if next_job(session, previews=previews, without=resting) is None:
                return False
        with self._database.writing() as session:
            job = lease_next(session, self.name, self._settings.lease_seconds, previews=previews, without=resting)
        if job is None:
            return False
        try:
            self._running[job.id] = self._started(job)
        except Exception as error:
            self._return(job, error)
            raise
        return True

    def _started(self, job: Job) -> _Running:
        with ExitStack() as cleanup:
            folder = cleanup.enter_context(self._files.working_folder())
            with self._database.reading() as session:
                given = parameters(session, self._files, job, folder)
            process = JobProcess(
                job.kind,
                KINDS[job.kind].work,
                given,
                folder=folder.resolve(),
                memory_bytes=self._settings.job_memory_bytes,
                # What has failed may have been too slow because of the others.
                seconds=self._settings.job_seconds * (1 + job.failures),
                log_format=self._settings.log_format,
            )
            self._log.info("job_begun", job=job.id, kind=job.kind)
            return _Running(job, process, folder, cleanup.pop_all())

    def _still_resting(self) -> set[int]:
        now = time.monotonic()
        self._resting = {job_id: until for job_id, until in self._resting.items() if until > now}
        return set(self._resting)

    def _room_for_previews(self) -> bool:
        """Keep a slot for checks that have not failed yet, unless there is only one."""
        running = sum(found.job.kind in UNHURRIED or found.job.failures > 0 for found in self._running.values())
        return running < max(1, self._settings.worker_slots - 1)

    def _collect(self, job_id: int) -> bool:
        """Keep what a job found, as far as it has ended; if that fails, again from its folder, then give it back."""
        running = self._running[job_id]
        if time.monotonic() < running.again:
            return False
        try:
            found = running.process.outcome()
            if found is None:
                return False
            if found != WAITS:
                self._keep(running, found)
        except Exception as error:
            running.tries += 1
            running.again = time.monotonic() + ROUND_SECONDS
            if running.tries >= KEEP_TRIES:
                self._drop(job_id)
                self._return(running.job, error)
            raise
        self._drop(job_id)
        failure = found if isinstance(found, str) else found.get("failure")
        seconds = round(time.monotonic() - running.begun, 3)
        self._log.info("job_ended", job=job_id, kind=running.job.kind, failure=failure, seconds=seconds)
        if found == WAITS:
            self._return(running.job, OSError(errno.ENOSPC, "no room"))
        return True

    def _keep(self, running: _Running, found: dict[str, Any] | str) -> None:
        failure = found if isinstance(found, str) else found.get("failure")
        corrupt = [] if isinstance(found, str) else found.pop("corrupt", [])
        published = {} if failure else self._keep_files(running.folder)
        with self._database.writing() as session:
            job = finish(session, running.job.id, self.name, failure=failure)
            if job and corrupt:
                keep_corrupt(session, job, corrupt)
            if job and failure:
                keep_failure(session, job, 0 if corrupt else self._settings.job_retries)
            elif job and isinstance(found, dict):
                keep_result(session, job, found, published)

    def _return(self, job: Job, error: Exception) -> None:
        """Give back a job that can be neither begun nor kept; unless that may pass, it counts as an attempt."""
        self._resting[job.id] = time.monotonic() + REST_SECONDS
        passes = may_pass(error)
        with self._database.writing() as session:
            if passes or job.attempts < self._settings.job_attempts:
                give_back(session, self.name, job.id, counts=not passes)
            elif failed := finish(session, job.id, self.name, failure="error"):
                keep_failure(session, failed, self._settings.job_retries)

    def _keep_files(self, folder: Path) -> dict[str, StoredFile]:
        kept: dict[str, StoredFile] = {}
        for path in folder.iterdir():
            with path.open("rb") as file:
                kept[path.stem] = self._files.keep(file, 1 << 40, self._settings.job_seconds)
        return kept

    def _drop(self, job_id: int) -> None:
        running = self._running.pop(job_id)
        running.process.stop()
        running.cleanup.close()


def make_worker(settings: ServerSettings) -> Worker:
    """Return a worker on a server's folder and database."""
    files = FileStore(settings.files)
    files.make()
    files.tidy(2 * max(settings.upload_seconds, settings.job_seconds * (1 + settings.job_retries)))
    return Worker(settings, Database(settings.database_url), files)
