"""How long commands take when they are first used after an installation, and `./dev demo` in a fresh clone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import HERE, NotRun, in_child
from results import Found, Line

TITLE = "First use: commands after an installation, and ./dev demo in a fresh clone"
PACKAGES = ("scipy", "typer")
ROOT = HERE.parent
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
    with tempfile.TemporaryDirectory(prefix="sudare-first-use-") as name:
        folder = Path(name)
        built, installed, sudare = install(folder)
        lines, commands = use(sudare, folder)
        first, second = develop(folder)
    lines += [
        "",
        f"The wheel with compiled kernels was built in {built:.0f} s and installed with all it needs into a new "
        f"environment in {installed:.0f} s. Every command then begins with an empty cache of its own, so that a kernel "
        "that the wheel lacks would be compiled in the first run. Data are generated and small: "
        f"{CUSTOMERS} customers, a member list of 2,000.",
        "",
        f"`./dev demo` in a fresh clone, with installation and an empty cache: {first:.0f} s; "
        f"once more: {second:.1f} s.",
    ]
    slowest = max(commands, key=lambda command: commands[command][0] - commands[command][1])
    over = commands[slowest][0] - commands[slowest][1]
    found = (
        Line("`./dev demo` in a fresh clone, with installation", first),
        Line("`./dev demo` once more", second),
        Line(f"First use above the second, at most (`sudare {slowest.split(' -')[0]}`)", over),
    )
    return Found("\n".join(lines), found)


def install(folder: Path) -> tuple[float, float, Path]:
    """Build a wheel and install it; return the seconds of both, and the command."""
    constraints = ["-c", str(ROOT / "constraints.txt")]
    python = folder / "environment" / "bin" / "python"
    built = seconds(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", str(ROOT), "-w", str(folder / "wheel"))
    made = seconds(sys.executable, "-m", "venv", str(folder / "environment"))
    wheel = next((folder / "wheel").glob("*.whl"))
    return (
        built,
        made + seconds(python, "-m", "pip", "install", "-q", str(wheel), *constraints),
        python.with_name("sudare"),
    )


def use(sudare: Path, folder: Path) -> tuple[list[str], dict[str, list[float]]]:
    """Run every command several times; return a table, and the seconds by command."""
    lines = ["| command | first run | second | third |", "|---|---:|---:|---:|"]
    found = {}
    in_child("attack", "make", str(folder), CUSTOMERS)
    for number, command in enumerate(COMMANDS):
        cache = {"SUDARE_CACHE_DIR": str(folder / f"cache-{number}")}
        found[command] = [
            seconds(sudare, *command.format(run=n).split(), cwd=folder, environment=cache) for n in range(RUNS)
        ]
        lines.append(f"| `sudare {command}` | {' | '.join(f'{part:.2f} s' for part in found[command])} |")
        print(lines[-1], flush=True)
    return lines, found


def develop(folder: Path) -> tuple[float, float]:
    """Return the seconds of `./dev demo` in a fresh clone, and once more."""
    clone = folder / "clone"
    seconds("git", "clone", "-q", str(ROOT), str(clone))
    cache = {"SUDARE_CACHE_DIR": str(folder / "cache-clone")}
    first, second = (seconds("./dev", "demo", f"demo-{n}", cwd=clone, environment=cache) for n in range(2))
    return first, second


def seconds(*words: str | Path, cwd: Path = ROOT, environment: dict[str, str] | None = None) -> float:
    """Return how long a command takes."""
    started = time.perf_counter()
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **(environment or {})}, capture_output=True, text=True)
    if done.returncode not in DONE:
        raise NotRun(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr[-500:]}")
    return time.perf_counter() - started
