"""Growth on generated data: ten attackers and all 511 sets of nine attributes, on DuckDB and on Spark, and its costs.

Sets are measured for two tables: a member list in which nearly all rows differ, in three ways (memory, engine,
sample), and one with coarser values, whose rows repeat (repeating).

Every run is kept in data/scale.json as soon as it is done, so that hours of work can be interrupted and go on; delete
the file to measure everything anew. SUDARE_SCALE=1,3 measures these millions of rows only, SUDARE_WORK=attackers,engine
these works.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cost_model
import machine
import sudare
from cost_model import Point
from measuring import Clock, Measured, in_child
from results import Found, Line
from sudare.engine import Engine, open_engine

TITLE = "Growth from 1 to 100 million generated rows on DuckDB, to 10 million on Spark (Parquet)"
PACKAGES = ("pyspark",)
KEPT = Path(__file__).parent / "data" / "scale.json"
MILLION = 1_000_000
ROWS_A_CUSTOMER = 96
# What the engine may use; with Python and the kernels the process stays below 4 GB.
MEMORY = "3GB"
SPARK = "local[2]"
# The member list with so few values that rows repeat: 100 million have 6.7 million different ones.
COARSE = (
    "SELECT sex, age // 20 AS age, left(prefecture, 1) AS area, occupation, least(household, 3) AS household, "
    "education, left(income, 1) AS income, CAST(left(joined, 4) AS INTEGER) // 4 AS joined, favourite FROM {}"
)
# A bound on the risk, so that all four columns of the walk are computed.
BOUND = 0.2


@dataclass(frozen=True)
class Job:
    """What is measured on an engine: at which millions of rows, and at which to check what the others predict."""

    work: str
    engine: str
    fitted: tuple[int, ...]
    checked: tuple[int, ...]


JOBS = (
    Job("attackers", "duckdb", (1, 10, 100), (30,)),
    Job("attackers", SPARK, (1, 10), (3,)),
    Job("repeating", "duckdb", (1, 10, 100), (30,)),
    Job("repeating", SPARK, (1, 10), (3,)),
    Job("memory", "duckdb", (1,), (3,)),
    Job("memory", SPARK, (1,), ()),
    Job("engine", "duckdb", (1, 10), (3,)),
    Job("engine", SPARK, (1,), ()),
    Job("sample", "duckdb", (1, 10), (3,)),
)


def generate(clock: Clock, kind: str, path: str, rows: int) -> int:
    if kind == "history":
        made = sudare.generate_history(path, customers=rows // ROWS_A_CUSTOMER, seed=1).rows
    elif kind == "table":
        made = sudare.generate_table(path, records=rows, seed=1).records
    else:
        fine = Path(f"{path}.fine.parquet")
        made = sudare.generate_table(fine, records=rows, seed=1).records
        with sudare.DuckDBEngine(memory=MEMORY) as engine:
            engine.write(COARSE.format(engine.parquet(fine)), Path(path))
        fine.unlink()
    clock.lap("generate")
    return made


def attackers(clock: Clock, path: str, name: str, spill: str) -> dict[str, Any]:
    with started(clock, name, spill) as engine, sudare.read_history(path, engine=engine) as history:
        clock.lap("read")
        found = sudare.histories.assess_attackers(history)
        clock.lap("attackers")
        numbers = [risk.measured for risk in found.attackers]
        return {"numbers": numbers, "distinct": 0, **spark_side(engine)}


def sets(clock: Clock, path: str, name: str, spill: str, walk: str) -> dict[str, Any]:
    with started(clock, name, spill) as engine, sudare.tables.collapse_table(path, engine=engine) as table:
        clock.lap("collapse")
        found = sudare.tables.assess_subsets(table, limit=BOUND, walk=walk)  # type: ignore[arg-type]
        clock.lap("walk")
        distinct = {"distinct": table.distinct, "error": found.walk.error}
        return {"numbers": found.results.tolist(), **distinct, **spark_side(engine)}


@contextmanager
def started(clock: Clock, name: str, spill: str) -> Iterator[Engine]:
    with open_engine(name, memory=MEMORY, spill=spill) as engine:
        clock.lap("start")
        yield engine
    if isinstance(engine, sudare.SparkEngine):
        end_java()


def end_java() -> None:
    """Wait for the end of Java, which would outlive this process: its time would count as load by others."""
    from pyspark import SparkContext

    java = SparkContext._gateway.proc  # type: ignore[union-attr]
    java.stdin.close()
    java.wait()


def spark_side(engine: Engine) -> dict[str, float]:
    """Return the peak memory of Java and what was sent between tasks."""
    if not isinstance(engine, sudare.SparkEngine):
        return {"java_gigabytes": 0.0, "shuffled": 0.0}
    store = engine.session.sparkContext._jsc.sc().statusStore()  # type: ignore[attr-defined]
    executors = store.executorList(False)
    shuffled = sum(executors.apply(i).totalShuffleWrite() for i in range(executors.size()))
    return {"java_gigabytes": java_peak(), "shuffled": float(shuffled)}


def java_peak() -> float:
    """Return the peak memory of the processes that this one started."""
    own, peak = os.getpid(), 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        text = status.read_text()
        if f"\nPPid:\t{own}\n" in text and "VmHWM:" in text:
            peak += int(text.split("VmHWM:")[1].split()[0]) / 1e6
    return peak


def run() -> Found:
    """Measure what is not kept yet and return the section of the results."""
    only = os.environ.get("SUDARE_SCALE")
    wanted = [int(word) for word in only.split(",")] if only else None
    works = os.environ.get("SUDARE_WORK", ",".join(job.work for job in JOBS)).split(",")
    jobs = [job for job in JOBS if job.work in works and (job.engine == "duckdb" or shutil.which("java"))]
    points = kept()
    for millions in sorted({size for job in jobs for size in (*job.fitted, *job.checked)}):
        if wanted is None or millions in wanted:
            measure(millions, [job for job in jobs if millions in (*job.fitted, *job.checked)], points)
    check_same_numbers(points)
    fitted = {(job.work, job.engine): job.fitted for job in jobs}
    cost_model.write_page(points, fitted)
    text = "\n".join([*tables(points), "", *cost_model.growth(points, fitted)])
    return Found(text, tuple(summary(points)))


def kept() -> list[Point]:
    return [Point(**entry) for entry in json.loads(KEPT.read_text())] if KEPT.exists() else []


def measure(millions: int, jobs: list[Job], points: list[Point]) -> None:
    """Make the data of a size, run what has not been run on them, and remove them."""
    known = {(point.work, point.engine, point.millions) for point in points}
    for kind in ("history", "coarse", "table"):
        missing = [job for job in jobs if kind_of(job.work) == kind and (job.work, job.engine, millions) not in known]
        if not missing:
            continue
        with tempfile.TemporaryDirectory(prefix="sudare-scale-") as folder:
            path = str(Path(folder) / f"{kind}.parquet")
            made = in_child("scale", "generate", kind, path, millions * MILLION)
            for job in missing:
                words = (path, job.engine, folder)
                walk = () if kind == "history" else ("memory",) if kind == "coarse" else (job.work,)
                done = in_child("scale", "attackers" if kind == "history" else "sets", *words, *walk)
                points.append(point_of(job, millions, made.answer, done))
                KEPT.parent.mkdir(exist_ok=True)
                KEPT.write_text(json.dumps([asdict(point) for point in points]))
                print(f"{job.work} on {job.engine}, {millions} million: {done.parts}", flush=True)


def kind_of(work: str) -> str:
    """Return the kind of data that a work is done on."""
    return {"attackers": "history", "repeating": "coarse"}.get(work, "table")


def point_of(job: Job, millions: int, rows: int, done: Measured) -> Point:
    measured = f"on {datetime.now(UTC):%Y-%m-%d} at {machine.commit()}"
    return Point(job.work, job.engine, millions, rows, done.gigabytes, done.parts, **done.answer, measured=measured)


def check_same_numbers(points: list[Point]) -> None:
    """Raise an error unless the exact walks agree, and DuckDB and Spark do, at every size that both have."""
    for one in points:
        for other in points:
            exact = {one.work, other.work} <= {"memory", "engine"}
            if one.millions == other.millions and (exact or one.work == other.work) and one.numbers != other.numbers:
                raise AssertionError(f"{one.work} on {one.engine} and {other.work} on {other.engine} differ")


def tables(points: list[Point]) -> list[str]:
    """Return the measurements as tables."""
    lines = ["Ten attackers:", "", "| engine | rows | start | read | attackers | memory | Java | shuffled |"]
    lines += ["|---|---:|---:|---:|---:|---:|---:|---:|"]
    lines += [row(point, "read", "attackers") for point in ordered(points) if point.work == "attackers"]
    lines += ["", "All 511 sets of nine attributes:", ""]
    lines += ["| engine | walk | rows | distinct | start | collapse | walk | memory | Java | shuffled | error |"]
    lines += ["|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    lines += [set_row(point) for point in ordered(points) if point.work != "attackers"]
    lines += [
        "",
        f"The engine may use {MEMORY}. Memory is the peak of the process, Java that of Spark's beside it; shuffled is "
        "what tasks sent to each other. Data are generated, in one Parquet file. Every number is the same on DuckDB "
        "and Spark, and walks in memory and on the engine agree (checked). The error of a sample is that of its "
        "widest interval.",
        "",
        f"Runs are kept as they are done: {measured_when(points)}.",
    ]
    return lines


def measured_when(points: list[Point]) -> str:
    counts = Counter(point.measured for point in points)
    return ", ".join(f"{runs} {when}" for when, runs in counts.items())


def summary(points: list[Point]) -> Iterator[Line]:
    """Yield for each work on each engine what the largest run took, and how the time grows."""
    for work, engine in dict.fromkeys((point.work, point.engine) for point in ordered(points)):
        mine = [point for point in ordered(points) if (point.work, point.engine) == (work, engine)]
        grows = cost_model.exponents(mine)
        name = f"Scale: {work} on {engine}, {mine[-1].rows:,} rows"
        yield Line(name, mine[-1].seconds, exponent=grows and grows[0])


def ordered(points: list[Point]) -> list[Point]:
    return sorted(points, key=lambda point: (point.work, point.engine, point.millions))


def row(point: Point, *parts: str) -> str:
    return f"| {point.engine} | {point.rows:,} | {costs(point, *parts)} |"


def set_row(point: Point) -> str:
    error = f"{point.error:.2%}" if point.error else "exact"
    counts = f"{point.rows:,} | {point.distinct:,}"
    return f"| {point.engine} | {point.work} | {counts} | {costs(point, 'collapse', 'walk')} | {error} |"


def costs(point: Point, *parts: str) -> str:
    seconds = " | ".join(f"{point.parts[part]:.1f} s" for part in ("start", *parts))
    java = f"{point.java_gigabytes:.2f} GB" if point.java_gigabytes else ""
    shuffled = f"{point.shuffled / 1e9:.2f} GB" if point.shuffled else ""
    return f"{seconds} | {point.gigabytes:.2f} GB | {java} | {shuffled}"
