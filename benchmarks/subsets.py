"""Every subset of attributes: sudare against a loop over subsets in polars, pandas, DuckDB and pycanon."""

from __future__ import annotations

import math
import os
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars

import sudare
from measuring import Clock, Measured, in_child
from sudare.risk.subsets import collapse, walk_subsets

TITLE = "Risk of every subset of attributes (classes, uniques, smallest class)"
ADULT = Path(os.environ.get("SUDARE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "adult"
FOLDER = Path(__file__).parent / "data"
MILLION = 1_000_000


def subsets(columns: list[str]) -> list[list[str]]:
    return [list(found) for size in range(1, len(columns) + 1) for found in combinations(columns, size)]


def ours(clock: Clock, path: str, columns: list[str]) -> list[int]:
    # Compiled before the clock starts; RESULTS.md says what the first call costs.
    walk_subsets(*collapse(np.zeros((7, 2), np.int32), np.ones(2, np.int64)))
    clock.restart()
    with sudare.read_table(path, attributes=columns) as table:
        clock.lap("read")
        found = sudare.assess_subsets(table)
        clock.lap("subsets")
    return checksum(found.results[1:])


def polars_loop(clock: Clock, path: str, columns: list[str]) -> list[int]:
    frame = polars.read_parquet(path, columns=columns).cast(polars.Categorical)
    clock.lap("read")
    rows = [frame.group_by(names).len()["len"] for names in subsets(columns)]
    clock.lap("subsets")
    return checksum(np.array([(len(n), (n == 1).sum(), n.min()) for n in rows]))


def pandas_loop(clock: Clock, path: str, columns: list[str]) -> list[int]:
    frame = pandas.read_parquet(path, columns=columns).astype("category")
    clock.lap("read")
    rows = [frame.groupby(names, observed=True, sort=False).size().to_numpy() for names in subsets(columns)]
    clock.lap("subsets")
    return checksum(np.array([(len(n), (n == 1).sum(), n.min()) for n in rows]))


def duckdb_loop(clock: Clock, path: str, columns: list[str]) -> list[int]:
    con = duckdb.connect()
    quoted = ", ".join(f'"{name}"' for name in columns)
    con.execute(f"CREATE TABLE t AS SELECT {quoted} FROM read_parquet(?)", [path])
    clock.lap("read")
    rows = []
    for names in subsets(columns):
        keys = ", ".join(f'"{name}"' for name in names)
        inner = f"SELECT count(*) AS n FROM t GROUP BY {keys}"
        rows.append(con.execute(f"SELECT count(*), count(*) FILTER (n = 1), min(n) FROM ({inner})").fetchone())
    clock.lap("subsets")
    con.close()
    return checksum(np.array(rows))


def checksum(results: np.ndarray) -> list[int]:
    """Return sums that agree if all subsets do: of classes, uniques and smallest classes."""
    return [int(results[:, column].sum()) for column in range(3)]


def write_data() -> dict[str, tuple[Path, list[str]]]:
    FOLDER.mkdir(exist_ok=True)
    adult = polars.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    full = polars.read_csv(ADULT / "adult-full.csv", infer_schema=False)
    picked = adult.sample(MILLION, with_replacement=True, seed=1)
    rng = np.random.default_rng(1)
    mixed = picked.with_columns(
        polars.when(polars.Series(rng.random(MILLION) < 0.35))
        .then(polars.Series(rng.permutation(picked[name].to_numpy())))
        .otherwise(polars.col(name))
        .alias(name)
        for name in picked.columns
    )
    fourteen = [name for name in full.columns if name != "fnlwgt"]
    tables = {
        "Adult, 511 subsets of 9": (adult, adult.columns),
        "Adult full, 8,191 subsets of 13": (full, [name for name in fourteen if name != "salary-class"]),
        "Adult full, 16,383 subsets of 14": (full, fourteen),
        "a million resampled rows, 511": (picked, adult.columns),
        "a million perturbed rows, 511": (mixed, adult.columns),
    }
    found = {}
    for number, (name, (frame, columns)) in enumerate(tables.items()):
        path = FOLDER / f"subsets-{number}.parquet"
        frame.select(columns).write_parquet(path)
        found[name] = (path, columns)
    return found


# The slow alternatives are left out where one run would take many minutes.
LOOPS = {"polars": "polars_loop", "pandas": "pandas_loop", "DuckDB": "duckdb_loop"}
SMALL_ONLY = {"DuckDB": 511, "pandas": 8191}


def run() -> str:
    """Measure and return the section of the results."""
    if not ADULT.exists():
        return f"Not run: {ADULT} is missing (set SUDARE_DATA)."
    lines = ["| table | sudare | its peak memory | polars | pandas | DuckDB |", "|---|---:|---:|---:|---:|---:|"]
    for name, (path, columns) in write_data().items():
        best = min((in_child("subsets", "ours", str(path), columns) for _ in range(3)), key=lambda run: run.seconds)
        cells = [compared(loop, best, str(path), columns) for loop in LOOPS]
        seconds = sum(best.parts.values())
        lines.append(f"| {name} | {seconds:.2f} s | {best.gigabytes:.2f} GB | {' | '.join(cells)} |")
        path.unlink()
    lines.append("")
    lines.append(
        "In brackets: how many times as long as sudare, reading and collapsing included. Each alternative groups "
        "once a subset, on categorical columns (polars, pandas) or on text (DuckDB), and finds the same classes, "
        "uniques and smallest classes (checked). Compiling the kernel, once after installation, is not in the times."
    )
    return "\n".join(lines)


def compared(loop: str, best: Measured, path: str, columns: list[str]) -> str:
    if 2 ** len(columns) - 1 > SMALL_ONLY.get(loop, math.inf):
        return "not run"
    done = in_child("subsets", LOOPS[loop], path, columns)
    assert done.answer == best.answer, f"{loop} found {done.answer}, sudare {best.answer}"
    ratio = sum(done.parts.values()) / sum(best.parts.values())
    return f"{sum(done.parts.values()):.2f} s ({ratio:.0f} x)"
