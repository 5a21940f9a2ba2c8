"""From generalized cells back to ordinary rows.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 6.3.1: what can be done
with an anonymized history is measured on rows drawn from it, each cell uniformly from the values that it stands for.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.utility.cost import check_same_rows
from sudare.showing import dataclass

C = TypeVar("C", bound=Column)


@dataclass(frozen=True, slots=True, eq=False)
class PlainRows:
    """Rows of a purchase history: who bought how many of what, when and for which price.

    Days are counted from 1970, prices in hundredths; items are numbers of `names`.
    """

    customers: NDArray[np.int64]
    days: NDArray[np.int64]
    items: NDArray[np.int64]
    prices: NDArray[np.int64]
    quantities: NDArray[np.int64]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.customers)


def plain_rows(history: CellHistory) -> PlainRows:
    """Return the rows of an original history, whose cells are all exact."""
    ordered, items = _ordered_columns(history), _item_column(history)
    days, prices, quantities = (column.low for column in ordered)
    return PlainRows(history.persons, days, items.sets.astype(np.int64), prices, quantities, items.names)


class CellSampler:
    """Draws rows from an anonymized history; draw n of a seed is always the same, whatever else is drawn.

    A range gives each of its whole numbers (days, hundredths, units) with the same chance, a set each of its items. A
    deleted cell gives any number from the least to the greatest of its column in the original, or any item of the
    original. Deleted rows stay out.
    """

    def __init__(self, original: CellHistory, anonymized: CellHistory) -> None:
        check_same_rows(original, anonymized)
        left = np.flatnonzero(~anonymized.deleted)
        self._persons = anonymized.persons[left]
        self._bounds = [
            _bounds(before, after, left)
            for before, after in zip(_ordered_columns(original), _ordered_columns(anonymized), strict=True)
        ]
        self._names = _item_column(original).names
        self._first, self._sizes, self._members = _choices(_item_column(anonymized), self._names, left)

    def draw(self, seed: int, number: int) -> PlainRows:
        """Return the rows of one draw."""
        rng = np.random.default_rng([seed, number])
        days, prices, quantities = (rng.integers(low, high, endpoint=True) for low, high in self._bounds)
        items = self._members[self._first + rng.integers(0, self._sizes)]
        return PlainRows(self._persons, days, items, prices, quantities, self._names)


def _bounds(
    before: OrderedColumn, after: OrderedColumn, left: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and greatest value of each cell that is left."""
    deleted = after.kinds[left] == Kind.DELETED
    least, greatest = (int(before.low.min()), int(before.low.max())) if len(before.low) else (0, 0)
    return np.where(deleted, least, after.low[left]), np.where(deleted, greatest, after.high[left])


def _choices(
    column: ItemColumn, names: tuple[str, ...], left: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return where the items of each cell that is left begin, how many they are, and all items."""
    if column.names != names:
        raise OptionNotUsable("errors.use_cases.other_items")
    # All items once more at the end are the set of deleted cells, whose number is -1.
    starts = np.append(column.starts[:-1], len(column.members))
    sizes = np.append(column.sizes, len(names))
    members = np.append(column.members, np.arange(len(names))).astype(np.int64)
    sets = column.sets[left]
    return starts[sets], sizes[sets], members


def _ordered_columns(history: CellHistory) -> list[OrderedColumn]:
    """Return the columns of days, prices and quantities."""
    return [
        _only([column for column in history.columns if isinstance(column, OrderedColumn) and column.form == form], what)
        for form, what in (("date", "dates"), ("decimal", "prices"), ("integer", "quantities"))
    ]


def _item_column(history: CellHistory) -> ItemColumn:
    return _only([column for column in history.columns if isinstance(column, ItemColumn)], "items")


def _only(columns: list[C], what: str) -> C:
    if len(columns) != 1:
        raise OptionNotUsable(f"errors.use_cases.{what}", number=len(columns))
    return columns[0]
