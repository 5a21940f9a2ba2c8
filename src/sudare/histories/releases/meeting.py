"""Rows of the same purchases in two releases, matched, and the cells that both allow.

What one recipient is told as 1 to 3 and another as 2 to 5 is 2 or 3 for whoever has both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.releases.cells import item_column
from sudare.kernels.common.arrays import Bools, Floats, Ints

# What a pair of rows that cannot be the same purchase costs.
_NEVER = 1e6


def match_rows(cells: CellHistory, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Match rows of one release with rows of another: as many as possible, those that leave least room first.

    Returns the rows of both that are the same purchases. Rows match if all their cells have a value in common.
    """
    from scipy.optimize import linear_sum_assignment

    if not len(first) or not len(second):
        return first[:0], second[:0]
    possible, room = np.ones((len(first), len(second)), np.bool_), np.zeros((len(first), len(second)))
    for column in cells.columns:
        if isinstance(column, ItemColumn):
            common = _common_items(column, first, second)
            possible &= common > 0
            room += np.log(np.maximum(common, 1))
        else:
            meets, width = _common_range(column, first, second)
            possible &= meets
            room += np.log(width)
    rows, columns = linear_sum_assignment(np.where(possible, room, _NEVER))
    kept = possible[rows, columns]
    return first[rows[kept]], second[columns[kept]]


def _common_items(column: ItemColumn, first: Ints, second: Ints) -> Floats:
    """Return how many items the cells of each pair have in common."""
    one, other = _members(column, first), _members(column, second)
    common = np.asarray((one @ other.T).toarray(), np.float64)
    gone = column.sets[first] < 0, column.sets[second] < 0
    sizes = np.append(column.sizes, len(column.names)).astype(np.float64)
    common[gone[0]] = sizes[column.sets[second]]
    common[:, gone[1]] = sizes[column.sets[first]][:, None]
    return common


def _members(column: ItemColumn, rows: Ints) -> Any:
    """Return which items the cells of rows can be, as a sparse matrix."""
    from scipy import sparse

    there = rows[column.sets[rows] >= 0]
    place = np.flatnonzero(column.sets[rows] >= 0)
    sets = column.sets[there]
    sizes = column.sizes[sets]
    starts = np.repeat(column.starts[sets] - np.cumsum(sizes) + sizes, sizes)
    items = column.members[starts + np.arange(int(sizes.sum()))]
    ones = np.ones(len(items), np.int32)
    return sparse.csr_array((ones, (np.repeat(place, sizes), items)), (len(rows), len(column.names)))


def _common_range(column: OrderedColumn, first: Ints, second: Ints) -> tuple[Bools, Floats]:
    """Return whether the cells of each pair meet, and how many values they have in common."""
    ends = [_ends(column, rows) for rows in (first, second)]
    low = np.maximum(ends[0][0][:, None], ends[1][0][None])
    high = np.minimum(ends[0][1][:, None], ends[1][1][None])
    return np.asarray(high >= low), np.maximum(high - low + 1, 1).astype(np.float64)


def _ends(column: OrderedColumn, rows: Ints) -> tuple[Ints, Ints]:
    """Return the ends of cells; a deleted one goes from the least to the greatest of its column."""
    gone = column.kinds[rows] == Kind.DELETED
    there = column.kinds != Kind.DELETED
    least, greatest = (int(column.low[there].min()), int(column.high[there].max())) if there.any() else (0, 0)
    return np.where(gone, least, column.low[rows]), np.where(gone, greatest, column.high[rows])


def narrowed(cells: CellHistory, first: Ints, second: Ints) -> CellHistory:
    """Return the cells with those of the rows `first` reduced to what the rows `second`, each to each, allow too."""
    columns: list[Column] = []
    for column in cells.columns:
        if isinstance(column, ItemColumn):
            columns.append(_narrowed_items(column, first, second))
        else:
            columns.append(_narrowed_range(column, first, second))
    return replace(cells, columns=tuple(columns))


def _narrowed_range(column: OrderedColumn, first: Ints, second: Ints) -> OrderedColumn:
    kinds, low, high = column.kinds.copy(), column.low.copy(), column.high.copy()
    gone = [column.kinds[rows] == Kind.DELETED for rows in (first, second)]
    known = ~gone[1]
    low[first] = np.where(gone[0], column.low[second], np.maximum(low[first], np.where(known, low[second], low[first])))
    high[first] = np.where(
        gone[0], column.high[second], np.minimum(high[first], np.where(known, high[second], high[first]))
    )
    left = ~(gone[0] & gone[1])
    kinds[first[left]] = np.where(low[first[left]] < high[first[left]], Kind.RANGE, Kind.EXACT)
    return replace(column, kinds=kinds, low=low, high=high)


def _narrowed_items(column: ItemColumn, first: Ints, second: Ints) -> ItemColumn:
    kinds, sets = column.kinds.copy(), column.sets.copy()
    several: dict[tuple[int, ...], int] = {}
    size = len(column.names)
    for number in range(size, len(column.sizes)):
        several.setdefault(tuple(sorted(_set(column, number))), len(several))
    numbers = {number: several[tuple(sorted(_set(column, number)))] + size for number in range(size, len(column.sizes))}
    sets = np.array([numbers.get(number, number) for number in sets.tolist()], np.int32)
    known = {number: members for members, number in several.items()}

    def members(number: int) -> frozenset[int]:
        return frozenset((number,) if number < size else known[number - size])

    for row, other in zip(first.tolist(), second.tolist(), strict=True):
        if sets[other] < 0:
            continue
        both = members(sets[other]) if sets[row] < 0 else members(sets[row]) & members(sets[other])
        found = tuple(sorted(both))
        if len(found) == 1:
            sets[row], kinds[row] = found[0], Kind.EXACT
        else:
            number = several.setdefault(found, len(several))
            known[number] = found
            sets[row], kinds[row] = number + size, Kind.SET
    return item_column(column.names, list(several), sets, kinds)


def _set(column: ItemColumn, number: int) -> list[int]:
    found: list[int] = column.members[column.starts[number] : column.starts[number + 1]].tolist()
    return found
