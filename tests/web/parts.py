"""Parts of a server: processes of their own, forked from a clean one that has everything loaded.

A command takes a second of computing before it serves or works, a fork a hundredth of that. Jobs of all workers are
forked from that same process. A part may be killed, as by kill -9, at a given step: a function, `module:name` or
`module:Class.name`, before it is called or after it has returned.
"""

from __future__ import annotations

import os
import signal
from importlib import import_module
from multiprocessing import forkserver, get_context
from multiprocessing.process import BaseProcess
from typing import Any

from argon2 import PasswordHasher

from sudare.web.http import security
from sudare.web.jobs import worker
from sudare.web.jobs.process import LOADED
from sudare.web.serve import run_web, run_worker
from sudare.web.settings import ServerSettings
from sudare.web.views import templating

# Passwords of tests need no protection.
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

_context = get_context("forkserver")


def load() -> None:
    """Begin the process that is forked; it loads while tests go on."""
    _context.set_forkserver_preload([*LOADED, "sudare.web.serve"])
    forkserver.ensure_running()


def start(part: str, settings: ServerSettings, dies: tuple[str, str] | None = None) -> BaseProcess:
    """Begin to serve pages or to work; `dies` is the step and the moment at which the part is killed."""
    process = _context.Process(target=_run, args=(part, settings, dies))
    process.start()
    return process


def _run(part: str, settings: ServerSettings, dies: tuple[str, str] | None) -> None:
    # Where a worker is forked from, its jobs are too: the process that it would begin for them runs already.
    server: Any = forkserver._forkserver  # type: ignore[attr-defined]
    server.ensure_running = lambda: None
    security._hasher = CHEAP
    worker.ROUND_SECONDS = 0.2
    templating.WATCH_SECONDS["waiting"] = 0.1
    if dies:
        _die_at(*dies)
    (run_web if part == "web" else run_worker)(settings)


def _die_at(step: str, moment: str) -> None:
    module, _, path = step.partition(":")
    owner: Any = import_module(module)
    *outer, last = path.split(".")
    for name in outer:
        owner = getattr(owner, name)
    function = getattr(owner, last)

    def dying(*arguments: Any, **options: Any) -> None:
        if moment == "after":
            function(*arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, last, dying)
