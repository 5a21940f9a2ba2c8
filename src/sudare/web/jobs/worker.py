"""The worker: leases jobs, runs each in its own process, and stores the results."""

from __future__ import annotations

import math
import os
import secrets
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from sqlalchemy.exc import DBAPIError

from sudare.showing import dataclass
from sudare.web.game.refusals import Refused
from sudare.web.http.faults import described, is_away
from sudare.web.jobs.outcomes import enqueue_due, keep_failure, keep_result, parameters
from sudare.web.jobs.process import JobProcess
from sudare.web.jobs.queue import finish, give_back, lease_next, next_job, prolong, take_back
from sudare.web.jobs.registry import KINDS, UNHURRIED
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


@dataclass(slots=True)
class _Running:
    job: Job
    process: JobProcess
    folder: Path
    cleanup: ExitStack


class Worker:
    """Runs jobs until it is told to stop."""

    def __init__(self, settings: ServerSettings, database: Database, files: FileStore) -> None:
        self._settings, self._database, self._files = settings, database, files
        self.name = f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}"
        self._running: dict[int, _Running] = {}
        self._stopping = False
        self._told = ""
        self._looked = self._prolonged = self._tidied = -math.inf

    def run(self, parent: int | None = None) -> None:
        """Work until SIGTERM or SIGINT, or until the parent is another; jobs that are not done then are given back."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping and parent in (None, os.getppid()):
            try:
                busy = self.turn()
            except Exception as error:
                # What was leased is begun again: the database may be back by then, or the disk have room.
                self._log(error)
                busy = False
                time.sleep(ROUND_SECONDS)
            if not busy:
                time.sleep(POLL_SECONDS)
        self.close()

    def turn(self) -> bool:
        """Do whatever is due and say whether something was."""
        now = time.monotonic()
        if now - self._looked >= ROUND_SECONDS:
            self._look_around()
            self._looked = now
        if now - self._tidied >= TIDY_SECONDS:
            remove_orphans(self._database, self._files)
            self._tidied = now
        if now - self._prolonged >= self._settings.lease_seconds / 3:
            self._prolong()
            self._prolonged = now
        ended = [job_id for job_id in list(self._running) if self._collect(job_id)]
        return self._begin() or bool(ended)

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
        except DBAPIError:
            return  # the leases run out by themselves

    def _log(self, error: Exception) -> None:
        """Say why nothing is done: in a word if it may be well in a minute, else where it failed, once."""
        if is_away(error) or isinstance(error, OSError | Refused):
            told = type(error).__name__
        elif (told := described(error)) == self._told:
            return
        self._told = told
        os.write(2, f"sudare: worker waits: {told.rstrip()}\n".encode())

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _look_around(self) -> None:
        with self._database.writing() as session:
            for job in take_back(session, self._settings.job_attempts):
                keep_failure(session, job)
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
        previews = self._room_for_previews()
        # Looking costs no lock, leasing does.
        with self._database.reading() as session:
            if next_job(session, previews=previews) is None:
                return False
        with self._database.writing() as session:
            job = lease_next(session, self.name, self._settings.lease_seconds, previews=previews)
        if job is None:
            return False
        with ExitStack() as cleanup:
            folder = cleanup.enter_context(self._files.working_folder())
            with self._database.reading() as session:
                given = parameters(session, self._files, job, folder)
            process = JobProcess(
                job.kind,
                KINDS[job.kind].work,
                given,
                memory_bytes=self._settings.job_memory_bytes,
                seconds=self._settings.job_seconds,
            )
            self._running[job.id] = _Running(job, process, folder, cleanup.pop_all())
        return True

    def _room_for_previews(self) -> bool:
        """Keep a slot for checks, unless there is only one."""
        running = sum(found.job.kind in UNHURRIED for found in self._running.values())
        return running < max(1, self._settings.worker_slots - 1)

    def _collect(self, job_id: int) -> bool:
        running = self._running[job_id]
        found = running.process.outcome()
        if found is None:
            return False
        failure = found if isinstance(found, str) else None
        published = {} if failure else self._keep_files(running.folder)
        with self._database.writing() as session:
            job = finish(session, job_id, self.name, failure=failure)
            if job and isinstance(found, dict):
                keep_result(session, job, found, published)
            elif job:
                keep_failure(session, job)
        self._drop(job_id)
        return True

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
    files.tidy(2 * max(settings.upload_seconds, settings.job_seconds))
    return Worker(settings, Database(settings.database_url), files)
