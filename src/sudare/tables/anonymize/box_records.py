"""The records of a table by the boxes that hold them, as the kernels of bounds take them.

A box is a product of nodes, one of a tree over the values of each quasi-identifier. What a record loses by its cells is
no less than what it costs in the smallest box around its class. Three kinds of trees say so:

- If cells are nodes of a hierarchy, the tree is that hierarchy, and a record costs in a node what it loses by it.
- If cells are ranges, each node of the tree halves a range of values. A class whose smallest node is this one has
  values on both sides, so that its cell has the two values in the middle and all up to the record's own.
- If cells are sets, the tree has the values and all of them. A class with several values has a cell with the record's
  own value and another one, the rarest at least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.table_bounds.costs import Crowd, Trees, Walk
from sudare.showing import dataclass
from sudare.statistics.distinct import first_rows, number_rows, sum_by
from sudare.tables.anonymize.class_search.columns import SearchColumn
from sudare.tables.recoded.losses import spread_of

Numbers = NDArray[np.int32]
Costs = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BoxColumn:
    """A tree over the places of values: node i covers those from `begin[i]` to before `end[i]`, depth first.

    `weights` has what each place of a node costs there, node by node, and `leaf` the node of each place alone.
    """

    begin: Numbers
    end: Numbers
    parent: Numbers
    leaf: Numbers
    weights: Costs

    @property
    def own(self) -> Costs:
        """What each place costs alone."""
        widths = self.end - self.begin
        return np.asarray(self.weights[(np.cumsum(widths, dtype=np.int64) - widths)[self.leaf]])

    @property
    def highest(self) -> Costs:
        """What each place costs in the root, which comes first."""
        return self.weights[: len(self.leaf)]


def box_column(column: SearchColumn) -> BoxColumn:
    """Return the tree of a column by the kind of its cells."""
    if column.tree is not None:
        tree = column.tree
        weights = np.repeat(tree.node_weights(column.loss), tree.widths)
        return BoxColumn(tree.begin, tree.end, tree.parent, tree.leaf[tree.order], weights)
    return _set_column(column) if column.sets else _range_column(column)


def _own_costs(column: SearchColumn) -> Costs:
    """Return what values cost alone, by place."""
    counts = column.counts[column.order]
    return np.asarray(np.log2(np.maximum(counts, 1)) if column.loss == "entropy" else np.zeros(len(counts)))


def _set_column(column: SearchColumn) -> BoxColumn:
    own, n = _own_costs(column), len(column.values)
    places = np.arange(n, dtype=np.int32)
    if n < 2:
        return BoxColumn(places, places + 1, places - 1, places, own)
    root = _with_the_rarest(column) if column.loss == "entropy" else np.full(n, 1 / (n - 1))
    begin, end = np.append(np.int32(0), places), np.append(np.int32(n), places + 1)
    parent = np.append(np.int32(-1), np.zeros(n, np.int32))
    return BoxColumn(begin, end, parent, places + 1, np.append(root, own))


def _with_the_rarest(column: SearchColumn) -> Costs:
    """Return what values cost in a set with the rarest other value, by place."""
    counts = column.counts[column.order]
    rarest, second = np.partition(counts, 1)[:2]
    others = np.where(np.arange(len(counts)) == np.argmin(counts), second, rarest)
    return np.asarray(np.log2(np.maximum(counts + others, 1)))


def _range_column(column: SearchColumn) -> BoxColumn:
    """Return a tree that halves the places; nodes cost no more than those above, as the kernels need it."""
    own, cost = _own_costs(column), _range_costs(column)
    nodes = [*_halves(0, len(column.values), -1)]
    weights: list[Costs] = []
    for begin, end, parent in nodes:
        found = own[begin:end]
        if end - begin > 1:
            middle, places = (begin + end) // 2, np.arange(begin, end)
            found = cost(np.minimum(places, middle - 1), np.maximum(places, middle))
        if parent >= 0:
            above = nodes[parent][0]
            found = np.minimum(found, weights[parent][begin - above : end - above])
        weights.append(found)
    begin, end, parent = np.asarray(nodes, np.int32).T.copy()
    return BoxColumn(begin, end, parent, np.flatnonzero(end - begin == 1).astype(np.int32), np.concatenate(weights))


def _halves(begin: int, end: int, parent: int, node: int = 0) -> Iterator[tuple[int, int, int]]:
    """Return a range, its halves, their halves and so on, each with the number of the range it is a half of."""
    yield begin, end, parent
    if end - begin > 1:
        middle = (begin + end) // 2
        yield from _halves(begin, middle, node, node + 1)
        # A range of n places has 2 n - 1 nodes.
        yield from _halves(middle, end, node, node + 2 * (middle - begin))


def _range_costs(column: SearchColumn) -> Callable[[Places, Places], Costs]:
    """Return what a range between two places costs."""
    if column.loss == "entropy":
        before = np.append(0, np.cumsum(column.counts[column.order]))
        return lambda low, high: np.asarray(np.log2(np.maximum(before[high + 1] - before[low], 1)))
    spread = spread_of(np.zeros(len(column.values)) if column.amounts is None else column.amounts)
    return lambda low, high: np.minimum(spread[high] - spread[low], 1.0)


@dataclass(frozen=True, eq=False)
class BoxRecords:
    """The rows of a table by the places of their values, and what a class must have: k persons, l values.

    `persons` is empty if every record is of another person. Blocks of attributes are slices of `columns`.
    """

    columns: tuple[BoxColumn, ...]
    places: Numbers
    counts: NDArray[np.int64]
    persons: Numbers
    sensitive: Numbers
    k: int
    l: int  # noqa: E741

    @cached_property
    def own(self) -> Costs:
        """What rows cost that keep their values."""
        costs = [column.own[places] for column, places in zip(self.columns, self.places, strict=True)]
        return np.asarray(sum(costs, np.zeros(len(self.counts))))

    def highest(self, block: slice) -> Costs:
        """Return what rows cost in the box of all records."""
        whole = zip(self.columns[block], self.places[block], strict=True)
        return np.asarray(sum((column.highest[places] for column, places in whole), np.zeros(len(self.counts))))

    def crowd(self, block: slice) -> tuple[Crowd, NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows that differ in a block or in whom they are about, the number of each row, and first rows."""
        persons = self.persons.reshape(-1, len(self.counts)) if len(self.persons) else self.sensitive[:0]
        numbers, found = number_rows(np.vstack([self.places[block], self.sensitive, persons]))
        firsts = first_rows(numbers, found)
        sensitive = np.ascontiguousarray(self.sensitive[:, firsts])
        whose = self.persons[firsts] if len(self.persons) else self.persons
        most = max(int(sensitive.max(initial=0)), int(whose.max(initial=0))) + 1
        places, counts = np.ascontiguousarray(self.places[block, firsts]), sum_by(numbers, self.counts, found)
        seen, moments = np.zeros(most, np.int64), np.zeros(1, np.int64)
        return Crowd(places, counts, whose, self.k, sensitive, self.l, seen, moments), numbers, firsts

    def trees(self, block: slice) -> Trees:
        """Return the trees of a block as arrays."""
        columns = self.columns[block]
        first = np.append(0, np.cumsum([len(column.begin) for column in columns])).astype(np.int64)
        begin, end = _joined([column.begin for column in columns]), _joined([column.end for column in columns])
        leaf = np.zeros((len(columns), max(len(column.leaf) for column in columns)), np.int32)
        for a, column in enumerate(columns):
            leaf[a, : len(column.leaf)] = column.leaf + first[a]
        return Trees(
            first=first,
            begin=begin,
            end=end,
            parent=_joined([column.parent + np.int32(first[a]) for a, column in enumerate(columns)]),
            leaf=leaf,
            at=np.cumsum(end - begin, dtype=np.int64) - end,
            weight=np.concatenate([column.weights for column in columns]),
        )


def _joined(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts)


def new_walk(crowd: Crowd, trees: Trees) -> Walk:
    """Return room for a walk through the boxes of a crowd."""
    shape = crowd.places.shape
    starts = np.zeros((shape[0], trees.leaf.shape[1] + 1), np.int32)
    return Walk(np.zeros(shape, np.int32), np.zeros(shape, np.float64), starts, np.zeros(shape[0], np.int64))
