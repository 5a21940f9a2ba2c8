"""What larger data would cost: lines fitted to the runs of scale.py, and checked on runs they were not fitted to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from measuring import exponent

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "scale.md"
BEGIN, END = "<!-- measured: written by ./dev bench scale -->", "<!-- end of what was measured -->"
SETS = 511
# The plan: rows, what a machine of the cluster has, and how long a run may take.
PLANNED_ROWS = 10_000_000_000
CORES_A_MACHINE, HOURS = 16, 1.0
MEASURED_CORES = 2

# Which runs the model of a work on an engine is fitted to, in millions of rows; the others check it.
Fitted = dict[tuple[str, str], tuple[int, ...]]


@dataclass(frozen=True)
class Point:
    """A run: what was done where, on how many rows, and what it took."""

    work: str
    engine: str
    millions: int
    rows: int
    gigabytes: float
    parts: dict[str, float]
    numbers: Any
    distinct: int
    java_gigabytes: float
    shuffled: float
    error: float | None = None
    # When and at which commit; runs are kept, so that those of a section may differ in it.
    measured: str = "before stamps at an unknown commit"

    @property
    def memory(self) -> float:
        """The peak of the process and of Java beside it."""
        return self.gigabytes + self.java_gigabytes

    @property
    def seconds(self) -> float:
        """The time without that of starting the engine."""
        return sum(seconds for part, seconds in self.parts.items() if part != "start")


def load(part: str, rows: float, distinct: float) -> float:
    """Return what the time of a part grows with: the distinct rows of all sets for a walk, else the rows."""
    return distinct * SETS if part == "walk" else rows


@dataclass(frozen=True)
class Model:
    """For each part of a run, seconds = fixed + slope * load; and the bytes between tasks for each row."""

    lines: dict[str, tuple[float, float]]
    shuffled: float

    def seconds(self, rows: float, distinct: float) -> float:
        """Return the time of a run without the start of the engine."""
        return sum(fixed + slope * load(part, rows, distinct) for part, (fixed, slope) in self.lines.items())


def fit(points: list[Point]) -> Model:
    """Fit a line to each part; bytes grow with the rows, so the largest run says how many a row has."""
    parts = [part for part in points[0].parts if part != "start"]
    lines = {
        part: fit_line([load(part, p.rows, p.distinct) for p in points], [p.parts[part] for p in points])
        for part in parts
    }
    largest = max(points, key=lambda p: p.rows)
    return Model(lines, largest.shuffled / largest.rows)


def fit_line(loads: list[float], seconds: list[float]) -> tuple[float, float]:
    """Return the fixed part and the slope, neither below 0, with the least relative errors; one point has no fixed."""
    x, y = np.array(loads), np.array(seconds)
    fixed, slope = np.linalg.lstsq(np.column_stack([1 / y, x / y]), np.ones(len(y)), rcond=None)[0]
    if len(y) == 1 or fixed < 0:
        fixed, slope = 0.0, np.sum(x / y) / np.sum((x / y) ** 2)
    if slope < 0:
        fixed, slope = len(y) / np.sum(1 / y), 0.0
    return float(fixed), float(slope)


def exponents(points: list[Point]) -> tuple[float, float] | None:
    """Return how time and memory grow with the rows, from the smallest to the largest run; None if there is one."""
    if len(points) == 1:
        return None
    first, last = min(points, key=lambda p: p.rows), max(points, key=lambda p: p.rows)
    time = exponent((first.rows, first.seconds), (last.rows, last.seconds))
    return time, exponent((first.rows, first.memory), (last.rows, last.memory))


def models(points: list[Point], fitted: Fitted) -> Iterator[tuple[tuple[str, str], Model, list[Point], list[Point]]]:
    """Yield work and engine, the model, the runs that it is fitted to and the others."""
    for key, sizes in fitted.items():
        mine = sorted((p for p in points if (p.work, p.engine) == key), key=lambda p: p.rows)
        used = [p for p in mine if p.millions in sizes]
        if used:
            yield key, fit(used), used, [p for p in mine if p not in used]


def growth(points: list[Point], fitted: Fitted) -> list[str]:
    """Return how the times grow, the fitted lines, and how far they are off where they were not fitted."""
    lines = ["| work | engine | time grows as | memory grows as | fitted time in seconds |", "|---|---|---:|---:|---|"]
    checks = ["| work | engine | fitted to | checked at | predicted | took |", "|---|---|---:|---:|---:|---:|"]
    for (work, engine), model, used, others in models(points, fitted):
        said = "; ".join(line_text(part, *line) for part, line in model.lines.items())
        grows = " | ".join(f"rows^{e:.2f}" for e in exponents([*used, *others]) or ()) or " | "
        lines.append(f"| {work} | {engine} | {grows} | {said} |")
        checks += [
            f"| {work} | {engine} | {millions(used)} | {p.millions} M | {model.seconds(p.rows, p.distinct):.0f} s "
            f"| {p.seconds:.0f} s |"
            for p in others
        ]
    lines.append("")
    lines += checks
    lines.append("")
    lines.append(
        "Times are without the start of the engine; rows^1 is linear. Each part has a line of its own, in millions (M) "
        f"of rows n or of distinct rows d times {SETS} sets; predicted is by these lines alone."
    )
    return lines


def line_text(part: str, fixed: float, slope: float) -> str:
    return f"{part} {fixed:.1f} + {slope * 1e6:.3g} {'d' if part == 'walk' else 'n'}"


def millions(points: list[Point]) -> str:
    return ", ".join(str(p.millions) for p in points) + " M"


def plan(points: list[Point], fitted: Fitted) -> list[str]:
    """Return what ten billion rows would take by the fitted lines of Spark.

    All of them are taken to be distinct, but those of a table whose rows repeat. One size alone does not tell what is
    fixed and what grows.
    """
    lines = [
        f"| {PLANNED_ROWS:,} rows on Spark | core hours | machines of {CORES_A_MACHINE} cores for an hour | shuffled |",
        "|---|---:|---:|---:|",
    ]
    for (work, engine), model, used, _ in models(points, fitted):
        if engine != "duckdb" and len(used) > 1:
            distinct = used[-1].distinct if work == "repeating" else PLANNED_ROWS
            hours = model.seconds(PLANNED_ROWS, distinct) * MEASURED_CORES / 3600
            machines = math.ceil(hours / HOURS / CORES_A_MACHINE)
            lines.append(f"| {work} | {hours:,.0f} | {machines:,} | {model.shuffled * PLANNED_ROWS / 1e12:,.1f} TB |")
    return lines


def write_page(points: list[Point], fitted: Fitted) -> None:
    """Put the model and the plan into docs/explanation/scale.md, between its two marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    measured = "\n".join([*growth(points, fitted), "", *plan(points, fitted)])
    PAGE.write_text(f"{before}{BEGIN}\n\n{measured}\n\n{END}{after}", encoding="utf-8")
