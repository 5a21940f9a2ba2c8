"""How far the distributions of columns and of pairs of columns moved.

Columns with more than `MOST_GROUPS` different values are compared in groups, so that a distance is not one merely
because every record has a value of its own, and so that a pair costs no more than `MOST_GROUPS` squared places:
numbers and dates in ranges of about equally many records, others by their most common values and the rest together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from sudare.showing import dataclass
from sudare.tables.utility.estimates import Column, Compared, Counts, Shares, combined, sum_weights
from sudare.tables.utility.model import MarginalMoved, PairMoved
from sudare.tables.utility.orders import value_numbers

MOST_GROUPS = 100


@dataclass(frozen=True, eq=False)
class Grouped:
    """A column in groups of values: those of the original's rows, and the shares of each cell.

    Without `shares` the cells are the groups themselves.
    """

    column: Column
    groups: int
    codes: NDArray[np.int64]
    cells: NDArray[np.int64]
    shares: Shares | None

    @property
    def width(self) -> int:
        """The number of different cells."""
        return self.groups if self.shares is None else len(self.shares)


def grouped(column: Column) -> Grouped:
    """Return a column in groups: of one value each, unless there are too many."""
    group = value_groups(column)
    groups = int(group.max(initial=0)) + 1
    if column.cells_of is None:
        return Grouped(column, groups, group[column.codes], group[column.cells], None)
    shares = np.column_stack([column.shares(group == g) for g in range(groups)])
    return Grouped(column, groups, group[column.codes], column.cells.astype(np.int64), shares)


def value_groups(column: Column) -> NDArray[np.int64]:
    """Return the group of each value."""
    if len(column.values) <= MOST_GROUPS:
        return np.arange(len(column.values))
    numbers = value_numbers(column.values)
    return _common(column.counts) if numbers is None else _ranges(numbers, column.counts)


def _ranges(numbers: Shares, counts: Counts) -> NDArray[np.int64]:
    """Return groups of neighbouring numbers with about equally many records; what has no number is the last."""
    order = np.argsort(numbers, kind="stable")
    held = np.where(np.isnan(numbers), 0, counts)[order]
    # A number that very many records have (no capital gain) would else leave few groups to the others.
    held = np.minimum(held, max(held.sum() // (MOST_GROUPS - 1), 1))
    middle = np.cumsum(held) - held / 2
    cut = np.empty(len(numbers), np.int64)
    cut[order] = middle * (MOST_GROUPS - 1) / max(held.sum(), 1)
    cut[np.isnan(numbers)] = MOST_GROUPS
    return np.unique(cut, return_inverse=True)[1]


def _common(counts: Counts) -> NDArray[np.int64]:
    """Return a group for each of the most common values and one for the rest."""
    group = np.full(len(counts), MOST_GROUPS - 1)
    group[np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1]] = np.arange(MOST_GROUPS - 1)
    return group


def marginals_moved(sides: Compared, columns: Sequence[Grouped]) -> tuple[MarginalMoved, ...]:
    """Return how far the distribution of each column moved."""
    return tuple(_marginal(sides, column) for column in columns)


def _marginal(sides: Compared, column: Grouped) -> MarginalMoved:
    before = sum_weights(column.codes, sides.original, column.groups)
    cells = sum_weights(column.cells, sides.published, column.width)
    after = cells if column.shares is None else cells @ column.shares
    cut = column.groups if column.groups < len(column.column.values) else None
    return MarginalMoved(column.column.attribute, total_variation(before, after), cut)


def pairs_moved(
    sides: Compared, columns: Sequence[Grouped], each: Callable[[], None] = lambda: None
) -> tuple[PairMoved, ...]:
    """Return how far the joint distribution of each pair of columns moved; `each` is called after each pair."""
    found = []
    for one, other in combinations(columns, 2):
        distance = total_variation(_original(sides, one, other), _estimated(sides, one, other))
        found.append(PairMoved(one.column.attribute, other.column.attribute, distance))
        each()
    return tuple(found)


def _original(sides: Compared, one: Grouped, other: Grouped) -> Shares:
    keys = one.codes * other.groups + other.codes
    return sum_weights(keys, sides.original, one.groups * other.groups)


def _estimated(sides: Compared, one: Grouped, other: Grouped) -> Shares:
    """Return the joint counts of two columns: those of pairs of cells, each spread over both columns."""
    (first, second), counts = combined((one.cells, other.cells), (one.width, other.width), sides.published)
    cells = coo_array((counts, (first, second)), shape=(one.width, other.width)).tocsr()
    spread = cells.toarray() if other.shares is None else cells @ other.shares
    return np.asarray(spread if one.shares is None else one.shares.T @ spread).ravel()


def total_variation(before: Shares, after: Shares) -> float:
    """Return half the sum of the differences of two distributions given by counts; 1 if nothing is published."""
    if not after.sum():
        return 1.0
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)
