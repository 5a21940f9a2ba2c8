"""Runs commands in processes of their own and interrupts them at work: python -m tests.cli.interrupting.

Each line of stdin is a request: {"warm": words} runs a command here, so that all it needs is loaded, and {"trials":
[...]} runs one in processes that are forked from this one. So a trial is little more than its work, and what is
interrupted is the work. Each request is answered by a line. Nothing else runs here: no fork loses a thread.
"""

import atexit
import contextlib
import gc
import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main

from sudare.cli import main, signals

# The commands are built once, not by each of hundreds of processes: that is no part of the work.
typer.main.get_command = cache(typer.main.get_command)

# Seconds after which a process that does not end is killed; then the trial has failed.
PATIENCE = 120
CRASHED = 99


def run(words: list[str]) -> int:
    """Run a command in this process and return its exit code."""
    sys.argv = ["sudare", *words]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return CRASHED
    return 0


def warm(words: list[str]) -> dict[str, Any]:
    """Run a command here, without drawings; tell how it ended and how many threads there are then."""
    # What draws keeps threads for good, which a forked process would not have.
    without_drawings = mock.patch("vl_convert.vegalite_to_svg", return_value='<svg viewBox="0 0 1 1"></svg>')
    silent = contextlib.redirect_stdout(io.StringIO())
    with without_drawings, silent, contextlib.redirect_stderr(io.StringIO()) as said:
        code = run(words)
    gc.collect()
    # What is here is not collected by forked processes, which would copy all of it.
    gc.freeze()
    return {"code": code, "stderr": said.getvalue(), "threads": threads_left()}


def threads_left() -> int:
    """Return how many threads there are when those that are about to end have ended."""
    end = time.monotonic() + PATIENCE
    while (found := len(list(Path("/proc/self/task").iterdir()))) > 1 and time.monotonic() < end:
        time.sleep(0.001)
    return found


class Trial:
    """A command in a process of its own, with its output in files of a folder, interrupted after some seconds."""

    def __init__(self, words: list[str], folder: str, seconds: float) -> None:
        self._folder, self._seconds = Path(folder), seconds
        (self._folder / "temporary").mkdir(parents=True)
        self._number = os.fork()
        if not self._number:
            self._work(words)

    def _work(self, words: list[str]) -> None:
        """Run the command in the forked process."""
        for handle, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(self._folder / name, os.O_WRONLY | os.O_CREAT), handle)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ["TMPDIR"] = tempfile.tempdir = str(self._folder / "temporary")
        with mock.patch.object(signals._Running, "run", interrupted(signals._Running.run, self._seconds)):
            code = run(words)
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(code)

    def result(self) -> dict[str, Any]:
        """Wait for the end; return the exit code (below 0: the signal that ended it), what was said, what was left."""
        code = self._wait()
        left = [str(path.relative_to(self._folder)) for path in sorted(self._folder.rglob("*"))]
        said = (self._folder / "stderr").read_text()
        return {
            "code": code, "seconds": self._seconds, "folder": str(self._folder), "left": left, "stderr": said,
        }  # fmt: skip

    def _wait(self) -> int:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            gone, status = os.waitpid(self._number, os.WNOHANG)
            if gone:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        os.kill(self._number, signal.SIGKILL)
        os.waitpid(self._number, 0)
        return -signal.SIGKILL


def interrupted(work: Callable[[Any], None], seconds: float) -> Callable[[Any], None]:
    """Return work during which the process gets a signal; when it has ended, no signal comes any more."""

    def run(self: Any) -> None:
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        work(self)
        timer.cancel()
        timer.join()

    return run


def interrupt_all(trials: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Do trials, as many at a time as there are cores."""
    cores = os.cpu_count() or 1
    found = []
    for first in range(0, len(trials), cores):
        running = [Trial(**one) for one in trials[first : first + cores]]
        found += [trial.result() for trial in running]
    return found


def serve() -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        answer = warm(request["warm"]) if "warm" in request else interrupt_all(request["trials"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    gc.unfreeze()


if __name__ == "__main__":
    serve()
