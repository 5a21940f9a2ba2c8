"""The quasi-identifiers of a table in the form in which classes are searched, and the cells of the classes found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.kernels.table_classes import boxes
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.anonymize.registry import CellKind
from sudare.tables.anonymize.weights import LocalLoss, TreeColumn, tree_column
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, Numbers
from sudare.tables.recoded.texts import STAR, mean_text, range_text, set_text
from sudare.tables.value_kinds import date_of, number_of

# Pairs of values whose weight is kept in a table: half a megabyte for a column.
_MOST_IN_TABLE = 256
# Columns with more values become ranges, or nodes if they have no order, where sets are asked for.
_MOST_IN_SET = 500


@dataclass(frozen=True, eq=False)
class SearchColumn:
    """A quasi-identifier: `places[code]` is where a value stands in the order in which cells are ranges.

    `amounts` are the numbers or days of the values by place, NaN for a missing one; None if there is no order. A column
    with a `tree` has its nodes as cells, `sets` has sets, and others ranges; `mean` says that means are published.
    """

    attribute: str
    values: tuple[str | None, ...]
    counts: NDArray[np.int64]
    order: Numbers
    loss: LocalLoss
    tree: TreeColumn | None = None
    amounts: NDArray[np.float64] | None = None
    sets: bool = False
    mean: bool = False
    blunt: bool = False

    @cached_property
    def places(self) -> Numbers:
        """The place of each value."""
        return np.argsort(self.order).astype(np.int32)

    @property
    def kind(self) -> int:
        """How the kernels weigh a box of this column."""
        if self.sets:
            return boxes.SET if self.loss == "entropy" else boxes.NUMBER
        if len(self.values) <= _MOST_IN_TABLE:
            return boxes.TABLE
        if self.tree is not None:
            return boxes.TREE
        return boxes.RECORDS if self.loss == "entropy" else boxes.DISTANCE

    @property
    def slots(self) -> int:
        """How many slots a box has of this column."""
        return 1 + -(-len(self.values) // boxes.BITS) if self.sets else 2

    def weights(self) -> NDArray[np.float64]:
        """Return what the kernels look up to weigh a box of this column."""
        by_place = self.counts[self.order].astype(np.float64)
        if self.sets:
            return by_place
        if self.kind == boxes.TABLE:
            return self._table().ravel()
        if self.tree is not None:
            return self.tree.node_weights(self.loss)
        return np.append(0.0, np.cumsum(by_place)) if self.loss == "entropy" else self._spread()

    def _table(self) -> NDArray[np.float64]:
        """Return the weight of the cell around each two places."""
        n = len(self.values)
        found = np.zeros((n, n))
        if self.tree is not None:
            # Nodes come before those below them, which write over a part.
            for begin, end, heavy in zip(
                self.tree.begin, self.tree.end, self.tree.node_weights(self.loss), strict=True
            ):
                found[begin:end, begin:end] = heavy
            return found
        if self.loss == "entropy":
            before = np.append(0, np.cumsum(self.counts[self.order]))
            low, high = np.minimum.outer(np.arange(n), np.arange(n)), np.maximum.outer(np.arange(n), np.arange(n))
            return np.asarray(np.log2(np.maximum(before[high + 1] - before[low], 1)))
        spread = self._spread()
        return np.abs(np.subtract.outer(spread, spread))

    def _spread(self) -> NDArray[np.float64]:
        """Return where each place lies between the least value (0) and the greatest (1); a missing one is at 2."""
        amounts = np.zeros(len(self.values)) if self.amounts is None else self.amounts
        least, most = np.nanmin(amounts), np.nanmax(amounts)
        shares = (amounts - least) / (most - least) if most > least else np.zeros(len(amounts))
        return np.nan_to_num(shares, nan=2.0)

    def cells(self, codes: Numbers, owner: NDArray[np.int64], classes: int) -> tuple[CellColumn, NDArray[np.int64]]:
        """Return the different cells around the values of each class, and the cell of each class."""
        places = self.places[codes]
        if self.sets:
            return self._set_cells(places, owner, classes)
        low, high = np.full(classes, len(self.values)), np.full(classes, -1)
        np.minimum.at(low, owner, places)
        np.maximum.at(high, owner, places)
        if self.mean:
            return self._mean_cells(places, owner, low, high)
        if self.tree is not None:
            return self.tree.cells, _nodes(self.tree, low, high)
        if self.blunt:
            low, high = self._blunted(places, owner, low, high)
        return self._range_cells(low, high)

    @property
    def _amounts_by_code(self) -> NDArray[np.float64] | None:
        return None if self.amounts is None else self.amounts[self.places]

    def _range_cells(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[CellColumn, NDArray[np.int64]]:
        pairs, numbers = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
        texts = tuple(self._range_text(first, last) for first, last in pairs.tolist())
        begins, ends = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64) + 1
        column = CellColumn(self.attribute, self.values, texts, self.order, begins, ends, amounts=self._amounts_by_code)
        return column, numbers.ravel()

    def _range_text(self, low: int, high: int) -> str | None:
        """Write the range between two places; a missing value stands at the last place."""
        if low == 0 and high == len(self.values) - 1 and low != high:
            return STAR
        first, last = self.values[self.order[low]], self.values[self.order[high]]
        if first is None:
            return None
        if last is None:
            return range_text(first, str(self.values[self.order[high - 1]]), missing=True)
        return range_text(first, last)

    def _blunted(
        self, places: Numbers, owner: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Move each end that a single record of a class holds one value out, unless the range is one value."""
        wide = high > low
        alone_low = np.bincount(owner[places == low[owner]], minlength=len(low)) == 1
        alone_high = np.bincount(owner[places == high[owner]], minlength=len(high)) == 1
        last = len(self.values) - 1 - (self.values[self.order[-1]] is None)
        below = np.where(wide & alone_low, np.maximum(low - 1, 0), low)
        above = np.where(wide & alone_high & (high < last), high + 1, high)
        return below, above

    def _mean_cells(
        self, places: Numbers, owner: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]
    ) -> tuple[CellColumn, NDArray[np.int64]]:
        """Return a cell for each class: the mean of its values, missing ones left out."""
        amounts = np.zeros(len(self.values)) if self.amounts is None else self.amounts
        there = ~np.isnan(amounts[places])
        number = np.bincount(owner[there], minlength=len(low))
        total = np.bincount(owner[there], amounts[places[there]], minlength=len(low))
        means = [mean_text(one / n) if n else None for one, n in zip(total.tolist(), number.tolist(), strict=True)]
        column = CellColumn(
            self.attribute, self.values, tuple(means), self.order, low.astype(np.int64), high.astype(np.int64) + 1,
            mean=True, amounts=self._amounts_by_code,
        )  # fmt: skip
        return column, np.arange(len(low))

    def _set_cells(
        self, places: Numbers, owner: NDArray[np.int64], classes: int
    ) -> tuple[CellColumn, NDArray[np.int64]]:
        n = len(self.values)
        pairs = np.unique(owner * n + places)
        members = np.split(self.order[pairs % n], np.searchsorted(pairs // n, np.arange(1, classes)))
        sets: dict[bytes, int] = {}
        listed: list[Numbers] = []
        numbers = np.empty(classes, np.int64)
        for c, codes in enumerate(members):
            numbers[c] = sets.setdefault(codes.tobytes(), len(sets))
            if numbers[c] == len(listed):
                listed.append(codes)
        ends = np.cumsum([len(codes) for codes in listed])
        texts = tuple(self._set_text(codes) for codes in listed)
        begins = ends - [len(codes) for codes in listed]
        return CellColumn(self.attribute, self.values, texts, np.concatenate(listed), begins, ends), numbers

    def _set_text(self, codes: Numbers) -> str | None:
        if len(codes) == len(self.values) > 1:
            return STAR
        return set_text([self.values[code] for code in codes])


def search_column(
    attribute: str,
    values: tuple[str | None, ...],
    counts: NDArray[np.int64],
    *,
    hierarchy: Hierarchy | None,
    cells: CellKind,
    loss: LocalLoss,
    mean: bool = False,
    blunt: bool = False,
) -> SearchColumn:
    """Return a column with the wanted kind of cells.

    Ranges need numbers or dates; other columns have nodes then. Sets have up to 500 values; columns with more have
    ranges, or nodes.
    """
    ordered = ordered_places(values) if mean or cells == "ranges" or len(values) > _MOST_IN_SET else None
    if mean and (ordered is None or not _are_numbers(values)):
        raise OptionNotUsable("errors.local.mean_of_no_numbers", attribute=attribute)
    if cells == "sets" and not mean and len(values) <= _MOST_IN_SET:
        order = np.arange(len(values), dtype=np.int32)
        return SearchColumn(attribute, values, counts, order, loss, sets=True)
    if ordered is not None and (mean or cells != "nodes"):
        order, amounts = ordered
        return SearchColumn(attribute, values, counts, order, loss, amounts=amounts, mean=mean, blunt=blunt)
    tree = tree_column(attribute, values, counts, hierarchy)
    return SearchColumn(attribute, values, counts, tree.order, loss, tree=tree)


def _nodes(tree: TreeColumn, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lowest node of a tree around each two places."""
    node = tree.leaf[tree.order[low]].astype(np.int64)
    while (outside := tree.end[node] <= high).any():
        node[outside] = tree.parent[node[outside]]
    return node


def _are_numbers(values: Sequence[str | None]) -> bool:
    return all(number_of(value) is not None for value in values if value is not None)


def ordered_places(values: Sequence[str | None]) -> tuple[Numbers, NDArray[np.float64]] | None:
    """Return the values in the order of their numbers or days, a missing one last, and these by place.

    None if some value is neither, or if some are numbers and others dates.
    """
    for amount_of in (number_of, _day_of):
        amounts = [amount_of(value) if value is not None else None for value in values]
        if all(amount is not None or value is None for amount, value in zip(amounts, values, strict=True)):
            by_code = np.asarray([np.nan if amount is None else float(amount) for amount in amounts])
            order = np.argsort(by_code, kind="stable").astype(np.int32)
            return order, by_code[order]
    return None


def _day_of(value: str) -> Decimal | None:
    found = date_of(value)
    return Decimal(dt.date(found[0], found[1], found[2] or 1).toordinal()) if found else None


def column_values(
    table: Table, name: str, population: Table | None
) -> tuple[tuple[str | None, ...], NDArray[np.int64]]:
    """Return the values of a column, then those that only the population has, with the records of the table."""
    (place,) = table.positions([name])
    values, counts = table.values[place], sum_by(table.codes[place], table.counts, len(table.values[place]))
    if population is None:
        return values, counts
    (there,) = population.positions([name])
    more = tuple(value for value in population.values[there] if value not in set(values))
    return (*values, *more), np.append(counts, np.zeros(len(more), np.int64))


def kernel_attributes(columns: Sequence[SearchColumn]) -> boxes.Attributes:
    """Return the columns as the kernels take them."""
    weights = [column.weights() for column in columns]
    trees = [column.tree for column in columns]
    nodes = np.cumsum([0, *(len(tree.begin) if tree else 0 for tree in trees)])
    leaves = np.cumsum([0, *(len(tree.leaf) if tree else 0 for tree in trees)])
    return boxes.Attributes(
        kind=np.asarray([column.kind for column in columns], np.int64),
        slot=np.cumsum([0, *(column.slots for column in columns)]),
        values=np.asarray([len(column.values) for column in columns], np.int64),
        first=np.cumsum([0, *map(len, weights)])[:-1],
        weights=np.concatenate(weights),
        node=nodes[:-1],
        begin=_joined([tree.begin for tree in trees if tree]),
        end=_joined([tree.end for tree in trees if tree]),
        parent=_joined([np.where(tree.parent < 0, -1, tree.parent + nodes[a]) for a, tree in enumerate(trees) if tree]),
        leaf=_joined([tree.leaf[tree.order] + nodes[a] for a, tree in enumerate(trees) if tree]),
        place=np.asarray([leaves[a] if tree else -1 for a, tree in enumerate(trees)], np.int64),
    )


def _joined(parts: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *(part.astype(np.int64) for part in parts)])
