"""Check, utility and publication of a richly generalized history, against plain Python, and how they grow."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import plain_contest
import sudare
from measuring import Clock, Measured, exponent, fastest, in_child, real_data
from results import Found, Line
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn

TITLE = "Contest: check, utility and publication of a richly generalized history"
PACKAGES = ()
FILE = "pwscup2018-T.csv"
TIMES = (1, 10, 100)
# Of ten rows: one is deleted; of ten cells four are generalized and one is deleted.
DELETED_ROWS, GENERAL_CELLS, DELETED_CELLS = 0.1, 0.4, 0.1
MOST_MEMBERS = 10
WIDEST = {"date": 60, "price": 500, "quantity": 50}
NEW_CUSTOMERS = 100_000


def repeated(history: CellHistory, times: int) -> CellHistory:
    """Return the rows of a history several times, each time for new customers."""
    persons = [history.persons + copy * NEW_CUSTOMERS for copy in range(times)]
    return CellHistory(np.concatenate(persons), tuple(_repeated(column, times) for column in history.columns))


def _repeated(column: Column, times: int) -> Column:
    if isinstance(column, ItemColumn):
        return replace(column, kinds=np.tile(column.kinds, times), sets=np.tile(column.sets, times))
    low = np.tile(column.low, times)
    return replace(column, kinds=np.tile(column.kinds, times), low=low, high=low)


def generalized(original: CellHistory, rules: sudare.histories.RuleSet) -> CellHistory:
    """Return a valid anonymized history with ranges, sets, deleted cells and deleted rows."""
    random = np.random.default_rng(5)
    deleted = random.random(len(original)) < DELETED_ROWS
    domains = {rule.name: (rule.low, rule.high) for rule in rules.columns}
    columns: list[Column] = []
    for column in original.columns:
        draw = random.random(len(original))
        gone = deleted | (draw < DELETED_CELLS)
        general = ~gone & (draw < DELETED_CELLS + GENERAL_CELLS)
        if isinstance(column, ItemColumn):
            columns.append(_with_sets(column, gone, general, random))
        else:
            columns.append(_with_ranges(column, gone, general, domains[column.name], random))
    return CellHistory(np.where(deleted, 0, original.persons), tuple(columns))


def _with_ranges(
    column: OrderedColumn,
    gone: NDArray[np.bool_],
    general: NDArray[np.bool_],
    domain: tuple[int, int],
    random: np.random.Generator,
) -> OrderedColumn:
    least, greatest = domain
    widths = random.integers(0, WIDEST[column.name], (2, len(gone))) * general
    low, high = np.maximum(column.low - widths[0], least), np.minimum(column.low + widths[1], greatest)
    kinds = np.where(gone, Kind.DELETED, np.where(general, Kind.RANGE, Kind.EXACT)).astype(np.uint8)
    return replace(column, kinds=kinds, low=np.where(gone, 0, low), high=np.where(gone, 0, high))


def _with_sets(
    column: ItemColumn, gone: NDArray[np.bool_], general: NDArray[np.bool_], random: np.random.Generator
) -> ItemColumn:
    """Give each generalized cell a set of neighbouring items, with its own somewhere in it."""
    items, rows = len(column.names), np.flatnonzero(general)
    sizes = random.integers(2, MOST_MEMBERS + 1, len(rows))
    before = (random.random(len(rows)) * sizes).astype(np.int64)
    firsts = np.repeat(column.sets[rows] - before, sizes)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    starts = np.concatenate([np.arange(items), items + np.cumsum(np.concatenate([[0], sizes]))]).astype(np.int64)
    members = np.concatenate([np.arange(items), (firsts + within) % items]).astype(np.int32)
    sets = np.where(gone, -1, column.sets).astype(np.int32)
    sets[rows] = items + np.arange(len(rows))
    kinds = np.where(gone, Kind.DELETED, np.where(general, Kind.SET, Kind.EXACT)).astype(np.uint8)
    return replace(column, kinds=kinds, sets=sets, starts=starts, members=members)


def make(clock: Clock, folder: str, times: int) -> int:
    rules = sudare.histories.load_rules()
    original = repeated(sudare.histories.read_original(real_data(FILE), rules), times)
    sudare.histories.write_cells(original, Path(folder) / "T.csv", rules)
    sudare.histories.write_cells(generalized(original, rules), Path(folder) / "A.csv", rules)
    clock.lap("make")
    return len(original)


def warm_up(folder: str) -> None:
    """Compile before the clock starts, or load what is compiled."""
    row, target = "1,2010/12/1,a,1,1\n", Path(folder) / "small.csv"
    target.write_text(row)
    original = sudare.histories.read_original(target)
    sudare.histories.cell_utility(original, sudare.histories.read_anonymized(target, original).history)
    sudare.contest.publish_anonymized(target, target.with_name("small-published.csv"))


def ours(clock: Clock, folder: str) -> list[float]:
    warm_up(folder)
    original, path = str(Path(folder) / "T.csv"), str(Path(folder) / "A.csv")
    clock.restart()
    truth = sudare.histories.read_original(original)
    found = sudare.histories.read_anonymized(path, truth)
    clock.lap("check")
    utility = sudare.histories.cell_utility(truth, found.history).utility
    clock.lap("utility")
    published = sudare.contest.publish_anonymized(path, Path(folder) / "P.csv")
    clock.lap("publish")
    return [found.complaints.total, utility, published]


def plain(clock: Clock, folder: str) -> list[float]:
    original, path = str(Path(folder) / "T.csv"), str(Path(folder) / "A.csv")
    clock.restart()
    truth, rows = plain_contest.read_rows(original), plain_contest.read_rows(path)
    wrong = plain_contest.check(truth, rows)
    clock.lap("check")
    utility = plain_contest.utility(truth, rows)
    clock.lap("utility")
    published = plain_contest.publish(str(Path(folder) / "Q.csv"), plain_contest.read_rows(path))
    clock.lap("publish")
    return [len(wrong), utility, published]


def run() -> Found:
    """Measure and return the section of the results."""
    real_data(FILE)
    lines = [
        "| rows | check | utility | publish | all | memory | plain Python |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    points = []
    for times in TIMES:
        with tempfile.TemporaryDirectory() as folder:
            rows = in_child("contest", "make", folder, times).answer
            if times == 1:
                done, other = fastest("contest", ["ours", "plain"], folder, rounds=5)
                agree(done, other)
                compared = ratios(done, other)
                work = f"Contest: check, utility and publication, {rows:,} rows"
                line = Line(work, seconds(done), {"plain Python": seconds(other)})
            else:
                [done] = fastest("contest", ["ours"], folder, rounds=2)
                compared = ""
        points.append((rows, seconds(done)))
        parts = " | ".join(f"{done.parts[part]:.3f} s" for part in ("check", "utility", "publish"))
        lines.append(f"| {rows:,} | {parts} | {seconds(done):.3f} s | {done.gigabytes:.2f} GB | {compared} |")
    (rows_1, _), (rows_2, _) = points[-2:]
    growth = exponent(*points[-2:])
    lines.append("")
    lines.append(
        "Plain Python: how many times as long the same rules and formulas take cell by cell, with the same answers "
        "(checked). Check has the reading of both files, publish that of A and the check of its form. From "
        f"{rows_1:,} to {rows_2:,} rows the time grows as rows^{growth:.2f} (1 is linear)."
    )
    return Found("\n".join(lines), (replace(line, exponent=growth),))


def seconds(run: Measured) -> float:
    return sum(run.parts.values())


def agree(done: Measured, other: Measured) -> None:
    assert done.answer[0] == other.answer[0] == 0, (done.answer, other.answer)
    assert math.isclose(done.answer[1], other.answer[1], rel_tol=1e-9), (done.answer, other.answer)
    assert done.answer[2] == other.answer[2], (done.answer, other.answer)


def ratios(done: Measured, other: Measured) -> str:
    each = ", ".join(f"{part} {other.parts[part] / done.parts[part]:.0f} x" for part in done.parts)
    return f"{seconds(other):.2f} s ({seconds(other) / seconds(done):.0f} x: {each})"
