"""Histories anonymized by levels or by suppression, to compare with classes that generalize each cell.

By levels, each column has one level for all rows (dates as weeks, items by their first letters, ...) and customers are
put in classes by what is equal then; cells that are not equal in all rows of a group are `*`. With groups of rows
given, the best level of each column does not depend on the others; steps to finer and coarser levels are tried besides.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.classes import AnonymizedHistory, anonymize_history, search_history, time_for
from sudare.histories.anonymize.level_cells import ColumnLevel, cells_of, check_level, column_level, different_levels
from sudare.histories.anonymize.rows import MOST_ITEMS, SearchRows, history_rows, some_customers
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, OrderedColumn
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.cost import cell_utility
from sudare.messages import Joined
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# The share of the time that the choice of levels may take, and the customers on whom it is made.
_CHOICE_SHARE = 0.5
SAMPLE = 200
FAST_SAMPLE = 80
# What a deleted cell costs at least in the search: a column that is deleted anyway must not make all classes equal.
_LEAST_PRICE = 1e-3
# Rows that are in no group because their customers were not looked at.
_LEFT_OUT = -2


@dataclass(frozen=True, slots=True)
class LeveledHistory(AnonymizedHistory):
    """A history in equivalence classes made by levels, and the level of each column."""

    levels: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain values."""
        return {**AnonymizedHistory.to_dict(self), "levels": dict(self.levels)}


@checked
def suppress_history(
    original: CellHistory,
    k: int,
    *,
    seed: int = 0,
    seconds: float | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    progress: Progress = silent,
) -> AnonymizedHistory:
    """Publish the same rows for every customer and at least k - 1 others, by suppression only.

    Cells are exact or `*`.
    """
    found = anonymize_history(
        original, k, seed=seed, seconds=seconds, rounds=rounds, fast=fast, threads=threads, most_items=1, ranges=False,
        progress=progress,
    )  # fmt: skip
    return replace(found, model="suppression")


def parse_levels(text: str) -> dict[str, str]:
    """Read levels of columns as they are given on the command line: date=week,item=prefix2."""
    levels: dict[str, str] = {}
    for part in text.split(","):
        column, equals, level = (word.strip() for word in part.partition("="))
        if not (column and equals and level) or column in levels:
            raise OptionNotUsable("errors.anonymize.levels", text=text)
        levels[column] = level
    return levels


def check_levels(original: CellHistory, levels: Mapping[str, str]) -> None:
    """Raise OptionNotUsable unless each column exists and has the level that is given."""
    names = [column.name for column in original.columns]
    for name, level in levels.items():
        if name not in names:
            raise OptionNotUsable("errors.cells.no_column", column=name, columns=Joined(names, "comma"))
        check_level(original.column(name), level)


@checked
def anonymize_by_levels(
    original: CellHistory,
    k: int,
    *,
    levels: Mapping[str, str] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    rounds: int | None = None,
    fast: bool = False,
    threads: int | None = None,
    most_items: int = MOST_ITEMS,
    progress: Progress = silent,
) -> LeveledHistory:
    """Publish the same rows for every customer and at least k - 1 others, each column at one level, at the least U.

    Levels of columns that are not given are chosen. What still differs at these levels is suppressed: cells that differ
    within a group of rows, and rows without a counterpart. U is the least that was found. The same seed gives the same
    history unless time ended the search; `rounds` ends it as in `anonymize_history`. There is no bound (0).
    """
    started = time.perf_counter()
    check_levels(original, levels or {})
    how = {"fast": fast, "rounds": rounds, "threads": threads, "progress": progress}
    with Deadline(time_for(seconds, rounds, fast=fast)) as deadline:
        work = _Work.of(original, k, seed, levels or {}, most_items, **how)
        with deadline.part(_CHOICE_SHARE) as part:
            chosen, settled = work.choose(part)
        groups, converged = work.groups(coded_rows(original, chosen), work.customers, deadline, final=True)
    # The groups may suit other levels better than those for which they were sought.
    chosen = work.best(groups)
    history = publish_levels(original, chosen, groups, np.random.default_rng(seed))
    sizes = published_classes(history).sizes
    if sizes.min(initial=len(original)) < k:
        raise AssertionError(f"A class has {sizes.min()} members, fewer than {k}.")
    return LeveledHistory(
        history, k, seed, len(work.customers), len(original), int(history.deleted.sum()),
        tuple(np.sort(sizes).tolist()), cell_utility(original, history, most=0).utility, 0.0, settled and converged,
        time.perf_counter() - started, "levels", {name: level.name for name, level in chosen.items()},
    )  # fmt: skip


def level_cost(level: ColumnLevel, groups: NDArray[np.int64]) -> float:
    """Return the summed errors of a column at a level if rows of the same group are published alike.

    `groups` are the numbers of the groups of the rows. Rows whose cells are not the same in the whole group cost 1, and
    so do deleted rows (-1); rows without a number (-2) are left out.
    """
    same = alike(level, groups)
    return float(level.errors[same].sum()) + int(((groups > _LEFT_OUT) & ~same).sum())


def alike(level: ColumnLevel, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say of each row whether it has a group, and all rows of the group the same cell."""
    in_group = np.flatnonzero(groups >= 0)
    count = int(groups.max(initial=-1)) + 1
    least, greatest = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(least, groups[in_group], level.codes[in_group])
    np.maximum.at(greatest, groups[in_group], level.codes[in_group])
    found = np.zeros(len(groups), np.bool_)
    found[in_group] = (least == greatest)[groups[in_group]]
    return found


def publish_levels(
    original: CellHistory, levels: Mapping[str, ColumnLevel], groups: NDArray[np.int64], rng: np.random.Generator
) -> CellHistory:
    """Return the history in which rows of a group have the same cells, under pseudonyms in random order.

    Cells that differ at their levels are deleted, and so are rows without a group.
    """
    customers, number = np.unique(original.persons, return_inverse=True)
    pids = 1 + rng.permutation(len(customers))
    columns = (
        cells_of(level.cells, np.where(alike(level, groups), level.codes, -1))
        for level in (levels[column.name] for column in original.columns)
    )
    return CellHistory(np.where(groups < 0, 0, pids[number]), tuple(columns), original.sources)


@dataclass(frozen=True, slots=True)
class _Work:
    """One search for levels and classes; `levels` are those that each column may have."""

    original: CellHistory
    rows: SearchRows
    k: int
    seed: int
    levels: Mapping[str, Sequence[ColumnLevel]]
    how: Mapping[str, Any]

    @classmethod
    def of(
        cls, original: CellHistory, k: int, seed: int, given: Mapping[str, str], most_items: int, **how: Any
    ) -> _Work:
        rows = history_rows(original, most_items=most_items)
        levels = {}
        for name in (column.name for column in original.columns):
            if name in given:
                levels[name] = [column_level(original, name, given[name], most_items=most_items)]
            else:
                levels[name] = list(different_levels(original, name, most_items=most_items))
        return cls(original, rows, k, seed, levels, how)

    @property
    def customers(self) -> NDArray[np.int64]:
        """The places of all customers."""
        return np.arange(len(self.rows.customers))

    def best(self, groups: NDArray[np.int64]) -> dict[str, ColumnLevel]:
        """Return the level of each column that costs least for given groups, of equal ones the finest."""
        return {name: min(levels, key=lambda level: level_cost(level, groups)) for name, levels in self.levels.items()}

    def choose(self, deadline: Deadline) -> tuple[dict[str, ColumnLevel], bool]:
        """Return levels of which none is better one step finer or coarser, and whether the time sufficed to say so.

        The first ones suit best the groups of cells of any kind. Many customers are represented by some of them.
        """
        if all(len(levels) == 1 for levels in self.levels.values()):
            return {name: levels[0] for name, levels in self.levels.items()}, True
        most = max(FAST_SAMPLE if self.how["fast"] else SAMPLE, 2 * self.k)
        some = np.sort(np.random.default_rng(self.seed).permutation(self.customers)[:most])
        groups, _ = self.groups(self.rows, some, deadline)
        best = _Choice.of(self.best(groups), groups)
        tried: set[tuple[str, ...]] = set()
        while step := next((levels for levels in self.steps(best.levels) if _names(levels) not in tried), None):
            if deadline.over or len(tried) >= (self.how["rounds"] or inf):
                return best.levels, False
            tried.add(_names(step))
            groups, _ = self.groups(coded_rows(self.original, step), some, deadline)
            best = min(best, _Choice.of(self.best(groups), groups), key=lambda choice: choice.cost)
        return best.levels, True

    def steps(self, levels: Mapping[str, ColumnLevel]) -> Iterator[dict[str, ColumnLevel]]:
        """Return the levels themselves and those with one column one step coarser or finer."""
        yield dict(levels)
        for name, chain in self.levels.items():
            place = [level.name for level in chain].index(levels[name].name)
            for other in (place + 1, place - 1):
                if 0 <= other < len(chain):
                    yield {**levels, name: chain[other]}

    def groups(
        self, rows: SearchRows, customers: NDArray[np.int64], deadline: Deadline, *, final: bool = False
    ) -> tuple[NDArray[np.int64], bool]:
        """Return the groups of the best classes of some customers, and whether the search converged."""
        part, places = some_customers(rows, customers)
        rng = np.random.default_rng(self.seed)
        found = search_history(part, self.k, rng=rng, deadline=deadline, final=final, **self.how)
        group = np.full(len(rows), _LEFT_OUT, np.int64)
        group[places] = -1
        first = 0
        for one in found.classes:
            group[places[one.rows]] = first + np.arange(len(one.rows))[:, None]
            first += len(one.rows)
        of_row = np.empty(len(rows), np.int64)
        of_row[rows.order] = group
        return of_row, found.converged


@dataclass(frozen=True, slots=True)
class _Choice:
    """Levels and what they cost with some groups."""

    levels: dict[str, ColumnLevel]
    cost: float

    @classmethod
    def of(cls, levels: dict[str, ColumnLevel], groups: NDArray[np.int64]) -> _Choice:
        return cls(levels, sum(level_cost(level, groups) for level in levels.values()))


def _names(levels: Mapping[str, ColumnLevel]) -> tuple[str, ...]:
    return tuple(level.name for level in levels.values())


def coded_rows(original: CellHistory, levels: Mapping[str, ColumnLevel]) -> SearchRows:
    """Return the rows of a history at given levels: cells are equal or not, and cost what deleting adds to U."""
    columns: list[Column] = []
    prices = []
    for column in original.columns:
        codes = levels[column.name].codes
        kinds = np.zeros(len(codes), np.uint8)
        if isinstance(column, ItemColumn):
            single = np.arange(codes.max() + 2)
            names = tuple(map(str, single[:-1].tolist()))
            numbers = (codes.astype(np.int32), single, single[:-1].astype(np.int32))
            columns.append(ItemColumn(column.name, kinds, *numbers, names))
        else:
            columns.append(OrderedColumn(column.name, "integer", kinds, codes, codes))
        prices.append(max(1 - float(levels[column.name].errors.mean()), _LEAST_PRICE))
    rows = history_rows(CellHistory(original.persons, tuple(columns)), most_items=1, ranges=False)
    of_items = [isinstance(column, ItemColumn) for column in columns]
    ordered = [price for price, item in zip(prices, of_items, strict=True) if not item]
    items = [price for price, item in zip(prices, of_items, strict=True) if item] or [1.0]
    data = rows.data._replace(row_cost=sum(prices), prices=np.asarray(ordered + items))
    return replace(rows, data=data)
