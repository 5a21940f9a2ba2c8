"""The rows of a purchase history in the form that the search for classes takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
from sudare.kernels.histories.groups import HistoryData
from sudare.messages import Joined
from sudare.showing import dataclass

# Items that the sets of published cells have at most.
MOST_ITEMS = 100
# What makes any distance dearer than a deleted cell.
_NO_RANGE = 1e12


@dataclass(frozen=True, slots=True, eq=False)
class SearchRows:
    """Rows in the order of their customers: those of `customers[c]` are starts[c] to starts[c + 1] - 1.

    `order` says which row of the history each was. Ordered values are held less `least`, the least of their column.
    """

    customers: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    least: NDArray[np.int64]
    columns: int
    data: HistoryData

    def __len__(self) -> int:
        return len(self.order)

    def until(self, halt: NDArray[np.bool_]) -> HistoryData:
        """Return the arrays for kernels of a search, which end early when `halt` turns True."""
        return self.data._replace(halt=halt)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of rows of each customer."""
        return np.diff(self.starts)

    @property
    def most_items(self) -> int:
        """The number of items that a set has at most."""
        return self.data.most_items

    @property
    def item_price(self) -> float:
        """What a deleted cell of items costs."""
        return float(self.data.prices[-1])

    @property
    def row_cost(self) -> float:
        """What a deleted row costs."""
        return self.data.row_cost

    @property
    def cells(self) -> int:
        """The number of cells of the history."""
        return len(self) * self.columns


def history_rows(original: CellHistory, *, most_items: int = MOST_ITEMS, ranges: bool = True) -> SearchRows:
    """Return the rows of a history whose cells are all exact, with at most one column of items.

    Sets are allowed of at most `most_items`, and ranges if so said: with one item and no ranges, values that differ
    are always deleted.
    """
    items = [column for column in original.columns if isinstance(column, ItemColumn)]
    ordered = [column for column in original.columns if isinstance(column, OrderedColumn)]
    _check(original, items)
    if most_items < 1:
        raise OptionNotUsable("errors.anonymize.most_items", most_items=most_items)
    order = np.argsort(original.persons, kind="stable")
    customers, counts = np.unique(original.persons, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    values = np.stack([column.low[order] for column in ordered] or [np.zeros(len(order), np.int64)], axis=1)
    deviations = values.astype(np.float64).std(axis=0)
    unit = 1.0 if ranges else _NO_RANGE
    weights = np.divide(unit, deviations, out=np.zeros(len(deviations)), where=deviations > 0)
    least = values.min(axis=0)
    values = (values - least).astype(np.float64)
    limits = np.stack([np.zeros(values.shape[1]), values.max(axis=0)])
    numbers = items[0].sets[order] if items else np.zeros(len(order), np.int32)
    columns = len(original.columns)
    prices = np.ones(len(weights) + 1)
    never = np.zeros(1, np.bool_)
    data = HistoryData(values, numbers, starts, weights, limits, float(columns), most_items, prices, never)
    return SearchRows(customers, order, starts, least, columns, data)


def _check(original: CellHistory, items: list[ItemColumn]) -> None:
    if not len(original):
        raise OptionNotUsable("errors.anonymize.no_rows")
    if original.deleted.any() or any((column.kinds != Kind.EXACT).any() for column in original.columns):
        raise OptionNotUsable("errors.anonymize.generalized")
    if len(items) > 1:
        names = [column.name for column in items]
        raise OptionNotUsable("errors.anonymize.item_columns", number=len(items), columns=Joined(names))


def some_customers(rows: SearchRows, chosen: NDArray[np.int64]) -> tuple[SearchRows, NDArray[np.int64]]:
    """Return the rows of some customers, given by their places, and where these rows are among all."""
    places = np.concatenate([np.arange(rows.starts[c], rows.starts[c + 1]) for c in chosen.tolist()])
    starts = np.concatenate([[0], np.cumsum(rows.lengths[chosen])]).astype(np.int64)
    values, items = np.ascontiguousarray(rows.data.values[places]), rows.data.items[places]
    data = rows.data._replace(values=values, items=items, starts=starts)
    return SearchRows(rows.customers[chosen], rows.order[places], starts, rows.least, rows.columns, data), places
