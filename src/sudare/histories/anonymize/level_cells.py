"""The levels of the columns of a history: which values share a published cell, and which cell.

The same level holds for a whole column (full-domain generalization, Samarati: Protecting respondents' identities in
microdata release). Dates become weeks, months, quarters and years, items sets of those that begin alike, prices and
quantities ranges between powers. A cell that would cost more than `*` is `*`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.rows import MOST_ITEMS
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.utility.cost import cell_errors
from sudare.messages import Joined
from sudare.showing import dataclass

# The level of a column whose cells are all deleted.
ALL = "all"
# The level of exact cells, by what the column has.
EXACT = {"date": "day", "item": "full", "decimal": "exact", "integer": "exact"}
_PERIODS = ("week", "month", "quarter", "year")
# Ranges lie between the powers of these, so that they grow with the values, of which few are large.
_POWERS = (2, 4, 16, 256)
# Day 0, 1 January 1970, was a Thursday.
_DAYS_FROM_MONDAY = 3


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLevel:
    """A column at one level: the number of each row's cell, these cells, and the error of each row's.

    All deleted cells have one number.
    """

    name: str
    codes: NDArray[np.int64]
    cells: Column
    errors: NDArray[np.float64]

    @property
    def published(self) -> Column:
        """The column as it is at this level."""
        return cells_of(self.cells, self.codes)


def level_names(column: Column) -> tuple[str, ...]:
    """Return the names of the levels of a column, from exact to deleted cells."""
    if isinstance(column, ItemColumn):
        longest = max(map(len, column.names), default=1)
        return (EXACT["item"], *(f"prefix{letters}" for letters in range(longest - 1, 0, -1)), ALL)
    between = _PERIODS if column.form == "date" else tuple(f"powers{base}" for base in _POWERS)
    return (EXACT[column.form], *between, ALL)


def column_level(original: CellHistory, name: str, level: str, *, most_items: int = MOST_ITEMS) -> ColumnLevel:
    """Return a column of a history of exact cells at a level.

    A set of more than `most_items` is `*`, and so is a cell that costs its rows as much as `*` would.
    """
    column = original.column(name)
    check_level(column, level)
    if isinstance(column, ItemColumn):
        return _settled(original, level, *_item_level(column, level, most_items))
    return _settled(original, level, *_ordered_level(column, level))


def different_levels(original: CellHistory, name: str, *, most_items: int = MOST_ITEMS) -> Iterator[ColumnLevel]:
    """Return the levels of a column from exact to deleted cells, without those that are like the one before."""
    last: NDArray[np.int64] | None = None
    for level in level_names(original.column(name)):
        found = column_level(original, name, level, most_items=most_items)
        if last is None or level == ALL or not np.array_equal(found.codes, last):
            last = found.codes
            yield found


def check_level(column: Column, level: str) -> None:
    """Raise OptionNotUsable unless a column has a level."""
    names = level_names(column)
    if level not in names:
        raise OptionNotUsable(
            "errors.anonymize.no_level", column=column.name, level=level, levels=Joined(names, "comma")
        )


def cells_of(cells: Column, codes: NDArray[np.int64]) -> Column:
    """Return a column of given cells by their numbers; -1 is a deleted cell."""
    gone = codes < 0
    kinds = np.where(gone, Kind.DELETED, cells.kinds[codes]).astype(np.uint8)
    if isinstance(cells, ItemColumn):
        sets = np.where(gone, -1, cells.sets[codes]).astype(np.int32)
        return ItemColumn(cells.name, kinds, sets, cells.starts, cells.members, cells.names)
    low, high = (np.where(gone, 0, ends[codes]) for ends in (cells.low, cells.high))
    return OrderedColumn(cells.name, cells.form, kinds, low, high)


def _settled(original: CellHistory, level: str, codes: NDArray[np.int64], cells: Column) -> ColumnLevel:
    """Return a level in which cells that cost as much as `*` are `*`, of one number."""
    errors = _errors(original, cells_of(cells, codes))
    counts, sums = np.bincount(codes, minlength=len(cells.kinds)), np.bincount(codes, errors, len(cells.kinds))
    gone = (cells.kinds == Kind.DELETED) | ((counts > 0) & (sums >= counts))
    if gone.any():
        numbers = np.where(gone, -1, np.arange(len(gone)))
        codes = np.where(gone[codes], int(np.flatnonzero(gone)[0]), codes)
        cells = cells_of(cells, numbers)
        errors = _errors(original, cells_of(cells, codes))
    return ColumnLevel(level, codes, cells, errors)


def _errors(original: CellHistory, column: Column) -> NDArray[np.float64]:
    return cell_errors(original, CellHistory(original.persons, (column,)), column.name)


def _item_level(column: ItemColumn, level: str, most_items: int) -> tuple[NDArray[np.int64], ItemColumn]:
    """Return the number of each row's set and the sets, those of the items that begin with the same letters."""
    count = len(column.names)
    letters = None if level == EXACT["item"] else 0 if level == ALL else int(level.removeprefix("prefix"))
    starts = [name[:letters] for name in column.names]
    numbers: dict[str, int] = {}
    of_item = np.fromiter((numbers.setdefault(start, len(numbers)) for start in starts), np.int64, count)
    members = np.argsort(of_item, kind="stable").astype(np.int32)
    sizes = np.bincount(of_item, minlength=len(numbers))
    kinds = np.where(sizes > most_items, Kind.DELETED, np.where(sizes > 1, Kind.SET, Kind.EXACT)).astype(np.uint8)
    if level == ALL:
        kinds[:] = Kind.DELETED
    several = kinds == Kind.SET
    # The sets of a column begin with the single items.
    starts_of_sets = np.concatenate([np.arange(count + 1), count + np.cumsum(sizes[several])]).astype(np.int64)
    sets = np.where(several, count + np.cumsum(several) - 1, members[np.cumsum(sizes) - sizes])
    sets = np.where(kinds == Kind.DELETED, -1, sets).astype(np.int32)
    listed = np.append(np.arange(count, dtype=np.int32), members[several[of_item[members]]])
    cells = ItemColumn(column.name, kinds, sets, starts_of_sets, listed, column.names)
    return of_item[column.sets], cells


def _ordered_level(column: OrderedColumn, level: str) -> tuple[NDArray[np.int64], OrderedColumn]:
    """Return the number of each row's range and the ranges, each from the least to the greatest value in it."""
    values, of_row = np.unique(column.low, return_inverse=True)
    if level == EXACT[column.form]:
        parts = np.arange(len(values))
    elif level == ALL:
        parts = np.zeros(len(values), np.int64)
    elif column.form == "date":
        parts = _periods(values, level)
    else:
        parts = _powers(values, int(level.removeprefix("powers")))
    _, first, of_value, sizes = np.unique(parts, return_index=True, return_inverse=True, return_counts=True)
    low, high = values[first], values[first + sizes - 1]
    kinds = np.full(len(low), Kind.DELETED) if level == ALL else np.where(low < high, Kind.RANGE, Kind.EXACT)
    cells = OrderedColumn(column.name, column.form, kinds.astype(np.uint8), low, high)
    return of_value[of_row].astype(np.int64), cells


def _periods(days: NDArray[np.int64], level: str) -> NDArray[np.int64]:
    """Return the week (from Monday), month, quarter or year of days since 1970."""
    if level == "week":
        return (days + _DAYS_FROM_MONDAY) // 7
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months // {"month": 1, "quarter": 3, "year": 12}[level]


def _powers(values: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Return for each value the number of powers of the base that are not above it; they begin with 1."""
    powers = [1]
    while powers[-1] <= values[-1]:
        powers.append(powers[-1] * base)
    return np.searchsorted(powers, values, side="right").astype(np.int64)
