"""Every subset of attributes: sudare against a loop over subsets in polars, pandas, DuckDB and pycanon."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars

from measuring import Clock, Measured, exponent, fastest, real_data
from results import Found, Line
from sudare import read_table
from sudare.tables import assess_subsets
from sudare.tables.walks.memory import walk_subsets

TITLE = "Risk of every subset of attributes (classes, uniques, smallest class)"
PACKAGES = ("pandas", "polars", "pyarrow", "pycanon")
MILLION = 1_000_000
ROUNDS = 3


def subsets(columns: list[str]) -> list[list[str]]:
    return [list(found) for size in range(1, len(columns) + 1) for found in combinations(columns, size)]


def ours(clock: Clock, path: str, columns: list[str]) -> list[int]:
    # Compiled before the clock starts, once after installation.
    walk_subsets(np.zeros((7, 2), np.int32), np.ones(2, np.int64))
    clock.restart()
    with read_table(path, attributes=columns) as table:
        clock.lap("read")
        found = assess_subsets(table)
        clock.lap("subsets")
        risks = found.ranked()
        records = table.records
    # In the order of `checksum`; mean risk is classes / records.
    return [
        sum(round(risk.mean_risk * records) for risk in risks),
        sum(risk.uniques for risk in risks),
        sum(round(1 / risk.max_risk) for risk in risks),
    ]


def polars_loop(clock: Clock, path: str, columns: list[str]) -> list[int]:
    frame = polars.read_parquet(path, columns=columns).cast(polars.Categorical)
    clock.lap("read")
    rows = [frame.group_by(names).len()["len"] for names in subsets(columns)]
    clock.lap("subsets")
    return checksum(np.array([(len(n), (n == 1).sum(), n.min()) for n in rows]))


def polars_distinct_loop(clock: Clock, path: str, columns: list[str]) -> list[int]:
    """Group the distinct rows in place of all rows, as one who knows what sudare does would."""
    frame = polars.read_parquet(path, columns=columns).cast(polars.Categorical)
    frame = frame.group_by(columns).len()
    clock.lap("read")
    rows = [frame.group_by(names).agg(polars.col("len").sum())["len"] for names in subsets(columns)]
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


@dataclass(frozen=True)
class Case:
    """A table and the alternatives; those that take minutes run once, or are left out where they take many."""

    name: str
    frame: polars.DataFrame
    columns: list[str]
    rivals: tuple[str, ...]
    once: tuple[str, ...] = ()
    rounds: int = ROUNDS


LOOPS = {
    "polars": "polars_loop",
    "polars, distinct rows": "polars_distinct_loop",
    "pandas": "pandas_loop",
    "DuckDB": "duckdb_loop",
    "pycanon k_anonymity": "rivals.pycanon_loop",
}


def cases() -> list[Case]:
    adult = polars.read_csv(real_data("adult/adult.csv"), separator=";", infer_schema=False)
    full = polars.read_csv(real_data("adult/adult-full.csv"), infer_schema=False).drop("fnlwgt")
    picked = adult.sample(MILLION, with_replacement=True, seed=1)
    thirteen = [name for name in full.columns if name != "salary-class"]
    polars_both = ("polars", "polars, distinct rows")
    every = (*polars_both, "pandas", "DuckDB")
    return [
        Case("Adult, 511 subsets", adult, adult.columns, every, ("pycanon k_anonymity",)),
        Case("Adult full, 8,191 subsets of 13", full, thirteen, polars_both, ("pandas",)),
        Case("Adult full, 16,383 subsets of 14", full, full.columns, (), polars_both),
        Case("a million resampled rows, 511", picked, adult.columns, every, rounds=2),
        Case("a million perturbed rows, 511", shuffled(picked), adult.columns, every, rounds=2),
        Case("a million nearly distinct rows, 511", redrawn(picked), adult.columns, every, rounds=2),
        Case(
            "ten million resampled rows, 511", adult.sample(10 * MILLION, with_replacement=True, seed=1),
            adult.columns, (), polars_both, rounds=2,
        ),
    ]  # fmt: skip


def shuffled(frame: polars.DataFrame) -> polars.DataFrame:
    """Exchange a third of the cells of each column among the rows: a third of the rows become distinct."""
    rng = np.random.default_rng(1)
    return frame.with_columns(
        mixed(frame[name], rng.random(len(frame)) < 0.35, rng.permutation(frame[name].to_numpy()))
        for name in frame.columns
    )


def redrawn(frame: polars.DataFrame) -> polars.DataFrame:
    """Draw three fifths of the cells anew from all values of their column alike: nearly all rows become distinct."""
    rng = np.random.default_rng(1)
    return frame.with_columns(
        mixed(frame[name], rng.random(len(frame)) < 0.6, rng.choice(frame[name].unique().sort(), len(frame)))
        for name in frame.columns
    )


def mixed(column: polars.Series, change: np.ndarray, other: np.ndarray) -> polars.Series:
    return column.zip_with(~polars.Series(change), polars.Series(other)).alias(column.name)


def run() -> Found:
    """Measure and return the section of the results."""
    found: list[Line] = []
    lines = [
        "| table | | reading | subsets | whole | peak memory | sudare is faster | on subsets alone |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            path = Path(folder) / "table.parquet"
            case.frame.select(case.columns).write_parquet(path)
            runs = measured(case, str(path))
            rows = shown(case, runs)
            print("\n".join(rows), flush=True)
            lines += rows
            ours, *others = ((name, sum(done.parts.values())) for name, done in runs.items())
            found.append(Line(f"All subsets, {case.name}", ours[1], dict(others)))
    lines.append("")
    lines.append(
        "Fastest of several runs of all in turns, every run in a process of its own; what takes minutes ran once. Each "
        "alternative groups once a subset, on categorical columns (polars, pandas) or on text (DuckDB, pycanon), and "
        "finds the same classes, uniques and smallest classes (checked; pycanon finds the smallest classes only). "
        "Reading includes for sudare its engine, the hash of the file and the distinct rows, and for the others the "
        "categories. Compiling the kernel, once after installation, is not in the times."
    )
    # The same rows, drawn ten times as often.
    few, many = (next(line for line in found if word in line.work) for word in ("a million resampled", "ten million"))
    grows = exponent((MILLION, few.ours), (10 * MILLION, many.ours))
    return Found("\n".join(lines), tuple(replace(line, exponent=grows) if line is many else line for line in found))


def measured(case: Case, path: str) -> dict[str, Measured]:
    names = ["sudare", *case.rivals]
    functions = ["ours", *(LOOPS[name] for name in case.rivals)]
    found = dict(zip(names, fastest("subsets", functions, path, case.columns, rounds=case.rounds), strict=True))
    for name in case.once:
        [found[name]] = fastest("subsets", [LOOPS[name]], path, case.columns, rounds=1)
    for name, done in found.items():
        expected = found["sudare"].answer[-len(done.answer) :]
        assert done.answer == expected, f"{name} found {done.answer}, sudare {expected}"
    return found


def shown(case: Case, found: dict[str, Measured]) -> list[str]:
    own = found["sudare"]
    distinct = case.frame.select(case.columns).n_unique()
    lines = []
    for name, done in found.items():
        read, walked = done.parts["read"], done.parts["subsets"]
        whole = f"{(read + walked) / sum(own.parts.values()):.1f} x"
        alone = f"{walked / own.parts['subsets']:.1f} x"
        ratios = f"{whole} | {alone}" if done is not own else " | "
        title = f"{case.name} ({distinct:,} distinct)" if done is own else ""
        lines.append(
            f"| {title} | {name} | {read:.2f} s | {walked:.2f} s | {read + walked:.2f} s | {done.gigabytes:.2f} GB | "
            f"{ratios} |"
        )
    return lines
