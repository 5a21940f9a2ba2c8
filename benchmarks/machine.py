"""The machine that benchmarks run on: how busy others keep it, and the stamp of what was measured."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
# Cores that others may use. An idle machine uses some hundredths of one; the kernel's work for a benchmark that reads
# and writes a lot counts as that of others, too.
QUIET = 0.2
# What sudare computes with; a benchmark names in PACKAGES what else it uses.
ALWAYS = ("sudare", "duckdb", "numba", "numpy")
# What benchmarks write themselves does not change what is measured.
WRITTEN = ("benchmarks/RESULTS.md", "docs/explanation/scale.md")


class Watch:
    """Tells how many cores other processes have used on average since it was made.

    The time of a process that was started here counts as ours once it has ended and was waited for.
    """

    def __init__(self) -> None:
        self._busy, self._own, self._since = busy_seconds(), own_seconds(), time.monotonic()

    def others(self) -> float:
        used = busy_seconds() - self._busy - (own_seconds() - self._own)
        return max(0.0, used / (time.monotonic() - self._since))


def busy_seconds() -> float:
    """Return the time all cores have worked since the machine started, that for other machines (steal) included."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _, _, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Return the time that this process and those it has waited for have worked."""
    return sum(os.times()[:4])


def cores_of_others() -> float:
    """Return how many cores other processes use just now."""
    watch = Watch()
    time.sleep(1)
    return watch.others()


def stamp(packages: Sequence[str]) -> str:
    """Return when, of what and where something is measured from now on."""
    versions = ", ".join(f"{name} {version_of(name)}" for name in (*ALWAYS, *packages))
    return (
        f"Measured {datetime.now(UTC):%Y-%m-%d %H:%M} UTC at {commit()}; Python {platform.python_version()}, "
        f"{versions}; {os.cpu_count()} cores, load average {os.getloadavg()[0]:.2f} before it began"
    )


def load_remark(before: float, during: float) -> str:
    """Return what others used, and what that means."""
    said = f"other processes used {before:.2f} cores before it began and {during:.2f} while it ran."
    if before > QUIET:
        return f"{said} **Measured on a loaded machine.**"
    return f"{said} **Load arose while it ran.**" if during > QUIET else said


def is_loaded(*cores: float) -> bool:
    return max(cores) > QUIET


def version_of(name: str) -> str:
    """Return the version of a package here, or in the environment that measuring.py makes of rivals.txt."""
    try:
        return version(name)
    except PackageNotFoundError:
        pins = dict(line.split("==") for line in (HERE / "rivals.txt").read_text().split())
        return pins.get(name, "not installed")


def commit() -> str:
    """Return the commit that is measured, and whether anything was changed since."""
    try:
        short = git("rev-parse", "--short", "HEAD")
        changes = git("status", "--porcelain", "--", ".", *(f":(exclude){path}" for path in WRITTEN))
    except (OSError, subprocess.CalledProcessError):
        return "an unknown commit"
    return f"commit {short}{' with changes' if changes else ''}"


def git(*words: str) -> str:
    command = ["git", "-C", str(HERE.parent), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
