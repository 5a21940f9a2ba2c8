"""Compiling kernels ahead of time: python -m sudare.kernels.ahead.

`ahead.json` lists the kernels and the kinds of arguments that sudare calls them with, the longest to compile first;
tests refuse calls with others. What is not on the list is compiled when it is called.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FunctionType

from sudare.kernels import store
from sudare.kernels.entry import plain
from sudare.kernels.kinds import Kind, as_kinds
from sudare.kernels.loading import Compiler
from sudare.messages import Message, message
from sudare.progress import Progress, silent

LIST = Path(__file__).with_name("ahead.json")
SECONDS_BETWEEN = 5


def lines() -> Iterator[tuple[str, tuple[Kind, ...]]]:
    """Return the names of the kernels on the list, each with the kinds of its arguments."""
    for kernel, given in json.loads(LIST.read_text(encoding="utf-8")):
        yield kernel, as_kinds(given)


def listed() -> Iterator[tuple[FunctionType, tuple[Kind, ...]]]:
    """Return the kernels on the list, each with the kinds of its arguments."""
    for kernel, given in lines():
        module, _, name = kernel.rpartition(".")
        yield plain(getattr(importlib.import_module(f"sudare.kernels.{module}"), name)), given


def compile_missing(progress: Progress = silent) -> None:
    """Compile all listed kernels that are not there, as many at a time as there are processors."""
    missing = [one for one in listed() if store.find(*one) is None]
    left, done = iter(missing), itertools.count(1)

    def work() -> None:
        compiler = Compiler()
        try:
            # Taking the next one is a single step of Python: no two threads get the same.
            for function, given in left:
                with store.locked(function, given):  # somebody who needs it may be compiling it
                    if store.find(function, given) is None:
                        compiler.compile(function, given)
                progress(message("progress.compiling"), next(done), len(missing))
        finally:
            compiler.end()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for finished in [pool.submit(work) for _ in range(min(os.cpu_count() or 1, len(missing)))]:
            finished.result()


def main() -> int:
    """Compile all listed kernels into the user's folder, and tell how far it is now and then."""
    last = time.monotonic()

    def tell(step: Message, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_BETWEEN or done == total:
            last = time.monotonic()
            print(f"{step}: {done} of {total}", file=sys.stderr, flush=True)  # noqa: T201

    compile_missing(tell)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
