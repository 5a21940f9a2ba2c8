"""The ten attackers on generated histories of 1 and 10 million rows: time, memory, growth, and Spark beside it."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import sudare
from measuring import Clock, Measured, fastest, in_child
from sudare.engine import Engine, open_engine

TITLE = "Ten attackers on 0.1, 1 and 10 million generated rows (CSV)"
FOLDER = Path(__file__).parent / "data"
# About 96 rows a customer.
CUSTOMERS = (1_050, 10_500, 105_000)
SPARK = "local[2]"


def generate(clock: Clock, path: str, customers: int) -> int:
    made = sudare.generate_history(path, customers=customers, seed=1)
    clock.lap("generate")
    return made.rows


def assess(clock: Clock, path: str, name: str = "duckdb") -> list[float]:
    with open_engine(name) as engine:
        clock.lap("start")
        return attack(clock, path, engine)


def attack(clock: Clock, path: str, engine: Engine) -> list[float]:
    with sudare.read_history(path, engine=engine) as history:
        clock.lap("read")
        found = sudare.assess_attackers(history)
        clock.lap("attackers")
    return [risk.measured for risk in found.attackers]


def run() -> str:
    """Measure and return the section of the results."""
    FOLDER.mkdir(exist_ok=True)
    lines = [
        "| rows | generate | memory | read | attackers | whole | memory |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    points = []
    on_spark: list[tuple[int, Measured]] = []
    for customers in CUSTOMERS:
        path = FOLDER / f"history-{customers}.csv"
        made = in_child("scale", "generate", str(path), customers)
        [done] = fastest("scale", ["assess"], str(path), rounds=3)
        if customers > CUSTOMERS[0] and shutil.which("java"):
            spark = in_child("scale", "assess", str(path), SPARK)
            if spark.answer != done.answer:
                raise AssertionError("Spark found other numbers")
            on_spark.append((made.answer, spark))
        path.unlink()
        points.append((made.answer, done.seconds))
        lines.append(
            f"| {made.answer:,} | {made.seconds:.1f} s | {made.gigabytes:.2f} GB | {done.parts['read']:.2f} s | "
            f"{done.parts['attackers']:.2f} s | {done.seconds:.2f} s | {done.gigabytes:.2f} GB |"
        )
    (rows_1, seconds_1), (rows_2, seconds_2) = points[-2:]
    exponent = math.log(seconds_2 / seconds_1) / math.log(rows_2 / rows_1)
    lines.append("")
    lines.append(
        f"From 1 to 10 million rows the time grows as rows^{exponent:.2f} (1 is linear). The engine may use 2 GB."
    )
    return "\n".join([*lines, *spark_lines(on_spark)])


def spark_lines(measured: list[tuple[int, Measured]]) -> list[str]:
    """Return the table of Spark; the memory of its Java is not ours to see."""
    if not measured:
        return ["", "Spark was not measured: there is no Java."]
    lines = ["", f"The same on Spark ({SPARK}), with the same numbers:", ""]
    lines += ["| rows | start | read | attackers |", "|---:|---:|---:|---:|"]
    for rows, run in measured:
        cells = " | ".join(f"{run.parts[part]:.1f} s" for part in ("start", "read", "attackers"))
        lines.append(f"| {rows:,} | {cells} |")
    return lines
