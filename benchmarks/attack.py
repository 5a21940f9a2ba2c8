"""The attack on richly generalized histories of generated customers, and how it grows."""

from __future__ import annotations

import tempfile
from datetime import date
from pathlib import Path

import duckdb
import numpy as np

import contest
import sudare
from measuring import Clock, exponent, in_child
from results import Found, Line
from sudare.histories.attack.duel import with_pseudonyms
from sudare.histories.generalized.model import CellHistory

TITLE = "Attack: guesses on a richly generalized history"
PACKAGES = ()
CUSTOMERS = (1_000, 10_000, 100_000)
SEED = 1


def make(clock: Clock, folder: str, customers: int) -> int:
    """Write a generated history as T, and the same generalized under pseudonyms as A."""
    made = Path(folder) / "made.parquet"
    sudare.generate_history(made, customers=customers, seed=SEED, first_day=date(2010, 12, 1), days=365)
    columns = "customer, strftime(day, '%Y/%-m/%-d'), item, price, quantity"
    query = f"SELECT {columns} FROM '{made}' WHERE price > 0 AND quantity > 0"
    duckdb.sql(f"COPY ({query}) TO '{Path(folder) / 'T.csv'}' (HEADER false)")
    original = sudare.histories.read_original(Path(folder) / "T.csv")
    anonymized = contest.generalized(original, sudare.histories.load_rules())
    persons = np.where(anonymized.deleted, 0, with_pseudonyms(original, seed=SEED).persons)
    sudare.histories.write_cells(CellHistory(persons, anonymized.columns), Path(folder) / "A.csv")
    clock.lap("make")
    return len(original)


def warm_up(folder: str) -> None:
    """Compile before the clock starts, or load what is compiled."""
    target = Path(folder) / "small.csv"
    target.write_text("1,2010/12/1,a,1,1\n2,2010/12/2,b,1,1\n")
    original = sudare.histories.read_original(target)
    sudare.histories.attack_history(sudare.histories.know_history(original), original)


def attack(clock: Clock, folder: str) -> dict[str, float]:
    warm_up(folder)
    clock.restart()
    original = sudare.histories.read_original(Path(folder) / "T.csv")
    anonymized = sudare.histories.read_anonymized(Path(folder) / "A.csv", original).history
    clock.lap("read")
    found = sudare.histories.attack_history(sudare.histories.know_history(original), anonymized, seed=SEED)
    clock.lap("attack")
    pids, customers = sudare.contest.true_customers(original, anonymized)
    hits = int((customers[np.searchsorted(pids, found.pids)] == found.customers).sum())
    return {"guesses": len(found), "hits": hits, "needed": found.needed, "expected": found.expected}


def run() -> Found:
    """Measure and return the section of the results."""
    lines = [
        "| customers | rows | read | attack | memory | guesses | right | expected | needed |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    points = []
    for customers in CUSTOMERS:
        with tempfile.TemporaryDirectory() as folder:
            rows = in_child("attack", "make", folder, customers).answer
            done = in_child("attack", "attack", folder)
        points.append((rows, done.parts["attack"]))
        answer = done.answer
        numbers = " | ".join(f"{answer[name]:,.0f}" for name in ("guesses", "hits", "expected", "needed"))
        times = f"{done.parts['read']:.1f} s | {done.parts['attack']:.1f} s | {done.gigabytes:.2f} GB"
        lines.append(f"| {customers:,} | {rows:,} | {times} | {numbers} |")
    (rows_1, _), (rows_2, seconds) = points[-2:]
    growth = exponent(*points[-2:])
    lines.append("")
    lines.append(
        "Of ten rows one is deleted, of ten cells four are ranges or sets and one is deleted. The attacker knows T and "
        f"uses the method best. From {rows_1:,} to {rows_2:,} rows the time grows as rows^{growth:.2f} (1 is linear)."
    )
    return Found("\n".join(lines), (Line(f"Attack, {rows_2:,} rows", seconds, exponent=growth),))
