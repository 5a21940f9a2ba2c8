"""Running a piece of work in a process of its own and measuring its time and memory."""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
# Packages that insist on old versions of what sudare uses live in an environment of their own.
RIVALS = HERE / "data" / "rivals"
DATA = Path(os.environ.get("SUDARE_DATA", HERE.parents[1] / "shared" / "data"))


class NotRun(Exception):
    """Something that a benchmark needs is not there."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run took; `parts` are the seconds of its named steps, `answer` what it found."""

    seconds: float
    gigabytes: float
    parts: dict[str, float]
    answer: Any


class Clock:
    """Takes the time of the steps of a run."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self._last = time.perf_counter()

    def restart(self) -> None:
        # What was prepared before should not be cleaned up on the clock.
        gc.collect()
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.parts[name] = now - self._last
        self._last = now


def in_child(module: str, function: str, *arguments: Any) -> Measured:
    """Run a function of a benchmark module in a fresh process.

    The function takes a Clock first and returns its answer. Time starts after imports; memory is the peak of the
    process. The module `rivals` runs with the packages of rivals.txt.
    """
    python = rivals_python() if module == "rivals" else sys.executable
    command = [python, str(HERE / "measuring.py"), module, function, json.dumps(arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def fastest(module: str, functions: Sequence[str], *arguments: Any, rounds: int) -> list[Measured]:
    """Run functions in turns, so that a slow moment of the machine meets all; of each the fastest run counts.

    A function is named alone or as `module.function`.
    """
    named = [(name if "." in name else f"{module}.{name}").split(".") for name in functions]
    runs = [[in_child(*words, *arguments) for words in named] for _ in range(rounds)]
    return [min(of_one, key=lambda run: sum(run.parts.values())) for of_one in zip(*runs, strict=True)]


def real_data(name: str) -> Path:
    """Return where a file or folder of the real data is."""
    if not (DATA / name).exists():
        raise NotRun(f"{DATA / name} is missing (set SUDARE_DATA; tools/fetch_data.py says where it comes from)")
    return DATA / name


def exponent(first: tuple[float, float], last: tuple[float, float]) -> float:
    """Return e of a cost that grows as rows^e, from (rows, cost) of two runs."""
    return math.log(last[1] / first[1]) / math.log(last[0] / first[0])


def rivals_python() -> str:
    """Return the interpreter that has the packages of rivals.txt; they are installed when it is first asked for."""
    python, wanted = RIVALS / "bin" / "python", HERE / "rivals.txt"
    mark = RIVALS / "installed"
    if not mark.exists() or mark.read_text() != wanted.read_text():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(RIVALS)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(wanted)], check=True)
        mark.write_text(wanted.read_text())
    return str(python)


def main(module: str, function: str, arguments: str) -> None:
    work: Callable[..., Any] = getattr(__import__(module), function)
    clock = Clock()
    started = time.perf_counter()
    answer = work(clock, *json.loads(arguments))
    seconds = time.perf_counter() - started
    # Not getrusage: its peak can be that of the process this one was started from.
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1e6
    print(json.dumps({"seconds": seconds, "gigabytes": peak, "parts": clock.parts, "answer": answer}))


if __name__ == "__main__":
    main(*sys.argv[1:])
