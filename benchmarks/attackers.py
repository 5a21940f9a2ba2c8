"""The ten attackers on Online Retail and on a generated history, against the same group-by queries by hand."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import duckdb
import llvmlite.binding  # noqa: F401 (loads compiled kernels; like all imports it is not timed)
import pandas
import polars

from measuring import Clock, fastest, in_child, real_data
from results import Found, Line
from sudare import read_history
from sudare.engine import DuckDBEngine
from sudare.histories import assess_attackers

TITLE = "Ten attackers on Online Retail (397,924 rows, 4,339 customers)"
PACKAGES = ("llvmlite", "pandas", "polars", "pyarrow")

MILLIONS = 10

# What is known of a visit, by attacker 1 to 9: n the number of rows, s the item set.
KEYS = {1: "i", 2: "n", 3: "n, i", 4: "s", 5: "d", 6: "d, i", 7: "d, n", 8: "d, n, i", 9: "d, s"}


def ours(clock: Clock, path: str) -> list[float]:
    with (
        DuckDBEngine(memory="3GB") as engine,
        read_history(path, missing_values={"customer": ["0"]}, bad_rows="drop", engine=engine) as history,
    ):
        clock.lap("read")
        found = assess_attackers(history)
        clock.lap("attackers")
    return [risk.measured for risk in found.attackers]


def duckdb_by_hand(clock: Clock, path: str) -> list[float]:
    con = duckdb.connect(config={"memory_limit": "2GB"})
    con.execute(
        "CREATE TABLE t AS SELECT CustomerID AS c, CAST(InvoiceDate AS DATE) AS d, StockCode AS i "
        "FROM read_parquet(?) WHERE CustomerID > 0",
        [path],
    )
    con.execute("CREATE TABLE v AS SELECT c, d, count(*) AS n, list(DISTINCT i ORDER BY i) AS s FROM t GROUP BY c, d")
    clock.lap("read")
    found = [1 / con.execute("SELECT count(DISTINCT c) FROM t").fetchall()[0][0]]
    for key in KEYS.values():
        parts = key.split(", ")
        source = "v" if "i" not in parts else "t JOIN v USING (c, d)" if "n" in parts else "t"
        counts = f"SELECT count(*) AS w, count(DISTINCT c) AS u FROM {source} GROUP BY {key}"
        found.append(con.execute(f"SELECT sum(w / u) / sum(w) FROM ({counts})").fetchall()[0][0])
    clock.lap("attackers")
    con.close()
    return found


def polars_by_hand(clock: Clock, path: str) -> list[float]:
    t = (
        polars.read_parquet(path)
        .filter(polars.col("CustomerID") > 0)
        .select(c="CustomerID", d=polars.col("InvoiceDate").str.slice(0, 10).str.to_date("%Y-%m-%d"), i="StockCode")
    )
    return polars_attackers(clock, t)


def polars_generated(clock: Clock, path: str) -> list[float]:
    """Do the same for a generated history, whose days are dates."""
    return polars_attackers(clock, polars.read_parquet(path).select(c="customer", d="day", i="item"))


def polars_attackers(clock: Clock, t: polars.DataFrame) -> list[float]:
    v = t.group_by("c", "d").agg(n=polars.len(), s=polars.col("i").unique().sort().str.join("|"))
    clock.lap("read")
    joined = t.join(v, on=["c", "d"])
    found = [1 / t["c"].n_unique()]
    for key in KEYS.values():
        parts = key.split(", ")
        source = v if "i" not in parts else joined
        counts = source.group_by(parts).agg(w=polars.len(), u=polars.col("c").n_unique())
        found.append(counts.select((polars.col("w") / polars.col("u")).sum() / polars.col("w").sum()).item())
    clock.lap("attackers")
    return found


def pandas_by_hand(clock: Clock, path: str) -> list[float]:
    t = pandas.read_parquet(path, columns=["CustomerID", "InvoiceDate", "StockCode"])
    t = t[t.CustomerID > 0].rename(columns={"CustomerID": "c", "StockCode": "i"})
    t["d"] = pandas.to_datetime(t.InvoiceDate.str.slice(0, 10), format="%Y-%m-%d")
    v = t.groupby(["c", "d"]).i.agg(n="size", s=lambda items: "|".join(sorted(set(items)))).reset_index()
    clock.lap("read")
    joined = t.merge(v, on=["c", "d"])
    found = [1 / t.c.nunique()]
    for key in KEYS.values():
        parts = key.split(", ")
        source = v if "i" not in parts else joined
        counts = source.groupby(parts).c.agg(w="size", u="nunique")
        found.append(float((counts.w / counts.u).sum() / counts.w.sum()))
    clock.lap("attackers")
    return found


def run() -> Found:
    """Measure and return the section of the results."""
    path = real_data("online-retail.parquet")
    names = {
        "sudare": "ours",
        "DuckDB by hand": "duckdb_by_hand",
        "polars by hand": "polars_by_hand",
        "pandas by hand": "pandas_by_hand",
    }
    lines, retail = compared("Ten attackers, Online Retail", names, str(path), rounds=7)
    lines += ["", f"Generated history of {MILLIONS} million rows:", ""]
    with tempfile.TemporaryDirectory(prefix="sudare-attackers-") as folder:
        history = str(Path(folder) / "history.parquet")
        in_child("scale", "generate", "history", history, MILLIONS * 1_000_000)
        two = {"sudare": "ours", "polars by hand": "polars_generated"}
        more, generated = compared(f"Ten attackers, {MILLIONS} million rows", two, history, rounds=3)
        lines += more
    lines.append("")
    lines.append(
        "All find the same ten numbers (checked to 1e-9). Fastest of several runs each, in turns, every run in a "
        "process of its own, timed after all imports. Reading of sudare includes checking every row, numbering "
        "customers and items, and the hash of the file; its attackers include ranks, theory, Table 4 and the "
        "correlations. Reading by hand includes the table of visits."
    )
    return Found("\n".join(lines), (retail, generated))


def compared(work: str, names: dict[str, str], path: str, *, rounds: int) -> tuple[list[str], Line]:
    """Return a table of the fastest runs of each way, and its line of the summary; all must find the same."""
    runs = dict(zip(names, fastest("attackers", list(names.values()), path, rounds=rounds), strict=True))
    reference = runs["sudare"]
    lines = ["| | whole | reading | attackers | peak memory | sudare takes |", "|---|---:|---:|---:|---:|---:|"]
    for name, done in runs.items():
        agree = all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(done.answer, reference.answer, strict=True))
        assert agree, f"{name} found {done.answer}, sudare {reference.answer}"
        lines.append(
            f"| {name} | {done.seconds:.2f} s | {done.parts['read']:.2f} s | {done.parts['attackers']:.2f} s | "
            f"{done.gigabytes:.2f} GB | {reference.seconds / done.seconds:.2f} x |"
        )
    return lines, Line(work, reference.seconds, {name: done.seconds for name, done in runs.items() if name != "sudare"})
