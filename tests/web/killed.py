"""A part of a server that is killed, as by kill -9, at a given step: python -m tests.web.killed PART DIR STEP MOMENT.

A step is a function, `module:name` or `module:Class.name`; the moment is before it is called or after it has returned.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Any

from sudare.web.serve import run_web, run_worker
from sudare.web.settings import load_settings


def die_at(step: str, moment: str) -> None:
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


def main(part: str, folder: str, step: str, moment: str) -> None:
    die_at(step, moment)
    (run_web if part == "web" else run_worker)(load_settings(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
