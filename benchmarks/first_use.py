"""How long commands take when they are first used, while their kernels are compiled, and afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import in_child
from results import Found, Line

TITLE = "First use of commands: kernels compiled, then loaded"
PACKAGES = ("scipy", "typer")
RUNS = 3
# Exit code 3 means that the work was done and the answer is no.
DONE = (0, 3)
CUSTOMERS = 60

# The first two make what others read; T.csv and A.csv are made before. {run} is the number of the run.
COMMANDS = (
    "generate table members.csv --hierarchies hierarchies --force",
    f"generate history history.csv --customers {CUSTOMERS}",
    "risk record members.csv",
    "risk subsets members.csv",
    "risk disclosable members.csv --limit 0.2",
    "risk levels members.csv --hierarchies hierarchies --limit 0.2 --known sex,age,prefecture,occupation",
    "hierarchy suggest members.csv -o suggested --force",
    "attackers history.csv",
    "knowledge history.csv item*2",
    "baskets check history.csv --per visit --sensitive random:0.01 --rho 0.5 --max-known 1",
    "baskets suppress history.csv --per visit --sensitive random:0.01 --rho 0.5 --max-known 1 -o baskets.csv",
    "baskets itemsets history.csv --per visit --support 3",
    "contest check T.csv A.csv",
    "contest utility T.csv A.csv",
    "contest publish A.csv -o published.csv",
    "attack T.csv published.csv -o guesses.csv",
    "anonymize T.csv --k 3 --fast --rounds 1 -o anonymized.csv",
    "demo demo-{run}",
)


def run() -> Found:
    """Measure and return the section of the results."""
    lines = ["| command | first run | second | third |", "|---|---:|---:|---:|"]
    firsts = {}
    with tempfile.TemporaryDirectory() as folder:
        in_child("attack", "make", folder, CUSTOMERS)
        for number, command in enumerate(COMMANDS):
            times = timed(command, Path(folder), Path(folder) / f"cache-{number}")
            firsts[command] = times[0]
            lines.append(f"| `sudare {command}` | {' | '.join(f'{seconds:.2f} s' for seconds in times)} |")
            print(lines[-1], flush=True)
    lines.append("")
    lines.append(
        "Every command begins with an empty cache of compiled kernels; the second and third run find what the first "
        f"compiled. Data are generated and small: {CUSTOMERS} customers, a member list of 2,000."
    )
    demo = COMMANDS[-1]
    slowest = max((command for command in COMMANDS if command != demo), key=lambda command: firsts[command])
    found = (
        Line("First `sudare demo`", firsts[demo]),
        Line(f"Slowest other first use, `sudare {slowest.split(' -')[0]}`", firsts[slowest]),
    )
    return Found("\n".join(lines), found)


def timed(command: str, folder: Path, cache: Path) -> list[float]:
    """Return the seconds of each run of a command; the first finds no compiled kernels."""
    environment = {**os.environ, "SUDARE_CACHE_DIR": str(cache)}
    times = []
    for number in range(RUNS):
        words = [sys.executable, "-c", "from sudare.cli import main; main()", *command.format(run=number).split()]
        started = time.perf_counter()
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
        times.append(time.perf_counter() - started)
        if done.returncode not in DONE:
            raise RuntimeError(f"sudare {command} ended with {done.returncode}: {done.stderr[-500:]}")
    return times
