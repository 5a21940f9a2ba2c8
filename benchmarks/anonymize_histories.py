"""Anonymizing purchase histories: U, bound, time and memory by k, against simpler ways, and how time grows."""

from __future__ import annotations

import math
import os
from dataclasses import replace

import numpy as np

import sudare
from measuring import Clock, Measured, exponent, in_child, real_data
from results import Found, Line

TITLE = "Anonymizing purchase histories (preliminary data of PWSCUP 2018)"
PACKAGES = ("scipy",)
FILE = "pwscup2018-T.csv"


def read(customers: int | None, most_rows: int | None = None) -> sudare.histories.CellHistory:
    """Return the history, or some customers of it, or the first rows of each."""
    history = sudare.histories.read_original(real_data(FILE))
    kept = np.ones(len(history), np.bool_)
    if customers is not None:
        people = np.random.default_rng(1).permutation(np.unique(history.persons))[:customers]
        kept = np.isin(history.persons, people)
    if most_rows is not None:
        order = np.argsort(history.persons, kind="stable")
        _, starts, counts = np.unique(history.persons[order], return_index=True, return_counts=True)
        kept[order] &= np.arange(len(order)) - np.repeat(starts, counts) < most_rows
    columns = []
    for column in history.columns:
        fields = {name: getattr(column, name) for name in column.__slots__}
        own = {name: value[kept] for name, value in fields.items() if name in ("kinds", "low", "high", "sets")}
        columns.append(type(column)(**{**fields, **own}))
    return sudare.histories.CellHistory(history.persons[kept], tuple(columns))


def anonymize(clock: Clock, k: int, fast: bool, customers: int | None, most_rows: int | None = None) -> list[float]:
    sudare.histories.anonymize_history(read(20), k, fast=True)
    history = read(customers, most_rows)
    clock.restart()
    found = sudare.histories.anonymize_history(history, k, fast=fast)
    clock.lap("anonymize")
    return [found.utility, found.bound, float(found.converged), len(history)]


def blind(clock: Clock, k: int) -> list[float]:
    """Customers with similar numbers of rows, rows in the order of the file."""
    return _simple(clock, k, aligned=False)


def greedy(clock: Clock, k: int) -> list[float]:
    """The customer with most rows and those who make the cheapest pairs with it, again and again; rows assigned."""
    return _simple(clock, k, aligned=True)


def _simple(clock: Clock, k: int, *, aligned: bool) -> list[float]:
    from concurrent.futures import ThreadPoolExecutor

    from sudare.deadline import Deadline
    from sudare.histories.anonymize.pairs import estimated_costs, pair_costs, pair_terms
    from sudare.histories.anonymize.rows import history_rows
    from sudare.kernels.histories.search import blind_class, new_class
    from sudare.progress import silent

    rows = history_rows(read(None))
    align = new_class if aligned else blind_class
    never = Deadline(None)
    data = rows.until(never.halt)
    align(data, np.argsort(rows.lengths)[:k])
    clock.restart()
    left = np.argsort(-rows.lengths, kind="stable").tolist()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        costs = np.zeros((len(left), len(left)), np.float32)
        if aligned:
            terms = pair_terms(rows)
            pairs = pair_costs(
                rows, 32, terms=terms, last_step=0.05, pool=pool, deadline=never, progress=silent,
                step="costs of pairs",
            )  # fmt: skip
            costs = estimated_costs(rows, pairs)
        classes = []
        while left:
            first = left[0]
            size = k if len(left) >= 2 * k else len(left)
            chosen = [first, *sorted(left[1:], key=lambda other: costs[first, other])[: size - 1]]
            left = [one for one in left if one not in chosen]
            classes.append(np.asarray(chosen[::-1], np.int64))
        total = sum(pool.map(lambda members: align(data, members)[2], classes))
    clock.lap("anonymize")
    return [total / rows.cells, math.nan, 1.0, len(rows)]


def run() -> Found:
    """Measure and return the section of the results."""
    real_data(FILE)
    costs, (three, seven) = by_k()
    more_customers, grows = growth("customers", [[250, None], [500, None], [1000, None]])
    more_rows, _ = growth("rows of each customer at most", [[500, 20], [500, 80], [500, None]])
    return Found("\n\n".join([costs, more_customers, more_rows]), (replace(three, exponent=grows), seven))


def by_k() -> tuple[str, list[Line]]:
    found = []
    lines = ["| k | search | U | bound | time | peak memory |", "|---:|---|---:|---:|---:|---:|"]
    for k in (3, 7):
        ways = {
            "blind: rows in their order": in_child("anonymize_histories", "blind", k),
            "greedy classes, rows assigned": in_child("anonymize_histories", "greedy", k),
            "sudare, fast": in_child("anonymize_histories", "anonymize", k, True, None),
        }
        lines += [_line(k, name, done) for name, done in ways.items()]
        *others, ours = ((name, done.answer[0]) for name, done in ways.items())
        found.append(Line(f"Loss of an anonymized history, k = {k}", ours[1], dict(others), unit="U"))
    return "\n".join(lines), found


def _line(k: int, name: str, done: Measured) -> str:
    utility, bound, _, _ = done.answer
    shown = "" if math.isnan(bound) else f"{bound:.4f}"
    seconds, memory = done.parts["anonymize"], done.gigabytes
    return f"| {k} | {name} | {utility:.4f} | {shown} | {seconds:.0f} s | {memory:.2f} GB |"


def growth(what: str, sizes: list[list[int | None]]) -> tuple[str, float]:
    lines = [f"| {what}, k = 3, fast | rows | U | time |", "|---:|---:|---:|---:|"]
    measured = []
    for customers, most_rows in sizes:
        done = in_child("anonymize_histories", "anonymize", 3, True, customers, most_rows)
        utility, _, _, rows = done.answer
        seconds = done.parts["anonymize"]
        measured.append((rows, seconds))
        shown = customers if what == "customers" else most_rows or "all"
        lines.append(f"| {shown} | {rows:,.0f} | {utility:.4f} | {seconds:.1f} s |")
    grows = exponent(measured[0], measured[-1])
    return "\n".join([*lines, "", f"The time grows as rows^{grows:.2f} (1 is linear)."]), grows
