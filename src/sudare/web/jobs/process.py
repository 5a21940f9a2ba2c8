"""A process for one job, forked from a preloaded one, with memory and time limits."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# Loading the library takes longer than most jobs; a clean process loads it once and is forked for each.
LOADED = ("sudare.web.jobs.warm_up",)
# Jobs take all that pages leave of the machine, and no more.
NICENESS = 10
SAFE_PATH = "PYTHONSAFEPATH"
# What a job says that could not be done for now: nothing is wrong with it.
WAITS = "waits"
# Why a job fails whose files were changed on the disk.
CORRUPT = "corrupt"


class JobProcess:
    """A job at work in a process of its own, done by the function of that name in `sudare.web.jobs.work`.

    `outcome()` is None as long as it runs, then what it found, or in one word why it failed: memory, time, crashed,
    error; or that it waits for room on the disk.
    """

    def __init__(
        self,
        kind: str,
        work: str,
        given: Mapping[str, Any],
        *,
        folder: Path,
        memory_bytes: int,
        seconds: float,
        log_format: str = "text",
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(LOADED))
        self._deadline = time.monotonic() + seconds
        self._outcome: dict[str, Any] | str | None = None
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_work,
            args=(kind, work, dict(given), folder, memory_bytes, int(seconds) + 1, log_format, sender),
            daemon=True,
        )
        with _bare_environment():
            self._process.start()
        sender.close()

    def outcome(self) -> dict[str, Any] | str | None:
        """Return what became of the job, as far as it has ended; again, if it could not be kept the first time."""
        if self._outcome is None:
            self._outcome = self._look()
        return self._outcome

    def _look(self) -> dict[str, Any] | str | None:
        if self._receiver.poll():
            found: dict[str, Any] | str
            try:
                found = self._receiver.recv()
            except (EOFError, OSError):
                found = "crashed"
            self.stop()
            return found
        if time.monotonic() > self._deadline:
            self.stop()
            return "time"
        return None

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self._receiver.close()


@contextmanager
def _bare_environment() -> Iterator[None]:
    """Begin the process that is forked, with the first job, without the server's passwords in its environment.

    Nor does it load modules from the current folder.
    """
    from sudare.web.jobs.confinement import prune_environment

    before = dict(os.environ)
    prune_environment(os.environ)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _work(
    kind: str,
    function: str,
    given: dict[str, Any],
    folder: Path,
    memory_bytes: int,
    seconds: int,
    log_format: str,
    sender: Connection,
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    # Should the worker die, nobody else ends this process. Kernels use all cores.
    most = seconds * (os.cpu_count() or 1)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    from sudare.errors import MemoryNotEnough
    from sudare.web.http.faults import described, may_pass
    from sudare.web.jobs import work
    from sudare.web.jobs.confinement import confine
    from sudare.web.operation.log import Log

    log = Log(log_format)
    confine([path for path in work.paths(given) if Path(path).exists()], folder)
    try:
        whole, corrupt = work.whole_files(given)
        sender.send({**getattr(work, function)(whole), "corrupt": corrupt})
    except work.CorruptFile as error:
        log.warning("job_failed", f"job {kind} failed: the file {error} is damaged", kind=kind, file=str(error))
        sender.send({"failure": CORRUPT, "corrupt": [str(error)]})
    except (MemoryError, MemoryNotEnough):
        sender.send("memory")
    except Exception as error:
        outcome = WAITS if may_pass(error) else "error"
        event, places = "waits" if outcome == WAITS else "failed", described(error)
        log.warning(f"job_{event}", f"job {kind} {event}: {places}", kind=kind, places=places)
        sender.send(outcome)
