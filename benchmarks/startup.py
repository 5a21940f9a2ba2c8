"""How long `sudare --help` takes beyond bare Python."""

from __future__ import annotations

import subprocess
import sys
import time

from results import Found, Line

TITLE = "Start of the command line"
PACKAGES = ()
RUNS = 15


def median(*words: str) -> float:
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    return sorted(times)[RUNS // 2]


def run() -> Found:
    """Measure and return the section of the results."""
    bare = median("-c", "pass")
    helped = median("-c", "import sys; sys.argv = ['sudare', '--help']; from sudare.cli import main; main()")
    text = (
        f"`sudare --help` takes {helped:.2f} s, bare Python {bare:.2f} s: {helped - bare:.2f} s more "
        f"(median of {RUNS} runs)."
    )
    return Found(text, (Line("`sudare --help`", helped),))
