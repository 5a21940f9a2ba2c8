"""Anonymizing purchase histories: U, bound, time and memory by k, and how time grows with customers."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import sudare
from measuring import Clock, in_child

TITLE = "Anonymizing purchase histories (preliminary data of PWSCUP 2018)"
FILE = Path(os.environ.get("SUDARE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "pwscup2018-T.csv"


def read(customers: int | None) -> sudare.CellHistory:
    history = sudare.read_original(FILE)
    if customers is None:
        return history
    people = np.random.default_rng(1).permutation(np.unique(history.persons))[:customers]
    kept = np.isin(history.persons, people)
    columns = []
    for column in history.columns:
        fields = {name: getattr(column, name) for name in column.__slots__}
        own = {name: value[kept] for name, value in fields.items() if name in ("kinds", "low", "high", "sets")}
        columns.append(type(column)(**{**fields, **own}))
    return sudare.CellHistory(history.persons[kept], tuple(columns))


def anonymize(clock: Clock, k: int, fast: bool, customers: int | None) -> list[float]:
    small = read(20)
    sudare.anonymize_history(small, 2, fast=True)
    history = read(customers)
    clock.restart()
    found = sudare.anonymize_history(history, k, fast=fast)
    clock.lap("anonymize")
    return [found.utility, found.bound, float(found.converged), len(history)]


def run() -> str:
    """Measure and return the section of the results."""
    if not FILE.exists():
        return f"Not run: {FILE} is missing (set SUDARE_DATA)."
    return "\n\n".join([by_k(), growth()])


def by_k() -> str:
    lines = ["| k | search | U | bound | time | peak memory | ended by itself |", "|---:|---|---:|---:|---:|---:|---|"]
    for k in (2, 3, 7):
        for fast in (False, True):
            done = in_child("anonymize_histories", "anonymize", k, fast, None)
            utility, bound, converged, _ = done.answer
            lines.append(
                f"| {k} | {'fast' if fast else 'thorough'} | {utility:.5f} | {bound:.5f} | "
                f"{done.parts['anonymize']:.0f} s | {done.gigabytes:.2f} GB | {'yes' if converged else 'no'} |"
            )
    return "\n".join(lines)


def growth() -> str:
    lines = ["| growth, k = 3, fast | rows | U | time |", "|---:|---:|---:|---:|"]
    for customers in (125, 250, 500, 1000):
        done = in_child("anonymize_histories", "anonymize", 3, True, customers)
        utility, _, _, rows = done.answer
        lines.append(f"| {customers} customers | {rows:,.0f} | {utility:.4f} | {done.parts['anonymize']:.1f} s |")
    return "\n".join(lines)
