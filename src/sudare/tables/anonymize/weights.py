"""The nodes of the hierarchies over the values of a table, as arrays, and what a record loses by each node.

The values of a column are put into an order in which every node is a range of places, so that a search looks at two
numbers to see what a node covers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.sources.cell_text import MissingRule
from sudare.tables.hierarchies.model import Hierarchy, number_texts
from sudare.tables.recoded.model import CellColumn

LocalLoss = Literal["entropy", "ncp"]
STAR = "*"

Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TreeColumn:
    """The tree of the nodes of a column: node i covers the values `order[begin[i] : end[i]]`.

    `values` are those of the column by number, `counts` their records, and `place` is where each stands in `order`.
    Nodes are in depth-first order: node 0 is the root, which covers everything, and a node follows its `parent` (the
    root's is -1). `leaf` is the node of each value alone, by number. No two nodes cover the same values.
    """

    attribute: str
    values: tuple[str | None, ...]
    counts: NDArray[np.int64]
    order: Numbers
    place: Numbers
    begin: Numbers
    end: Numbers
    parent: Numbers
    leaf: Numbers
    texts: tuple[str | None, ...]

    @property
    def widths(self) -> Numbers:
        """How many values each node covers."""
        return self.end - self.begin

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """The number of records that each node covers."""
        before = np.append(0, np.cumsum(self.counts[self.order]))
        return np.asarray(before[self.end] - before[self.begin])

    def node_weights(self, loss: LocalLoss) -> NDArray[np.float64]:
        """Return a weight of each node: a record loses the weight of its node without that of its leaf.

        For `entropy` it is the logarithm (base 2) of the records that the node covers. For `ncp` it is the share of
        the other values that it covers beside one; the loss of a table is the mean over its columns.
        """
        if loss == "entropy":
            return np.asarray(np.log2(np.maximum(self.records, 1)))
        return np.asarray((self.widths - 1) / max(len(self.values) - 1, 1))

    @property
    def cells(self) -> CellColumn:
        """The nodes as cells, by the same numbers."""
        ranges = self.begin.astype(np.int64), self.end.astype(np.int64)
        return CellColumn(self.attribute, self.values, self.texts, self.order, *ranges)


def tree_column(
    attribute: str,
    values: Sequence[str | None],
    counts: NDArray[np.int64],
    hierarchy: Hierarchy | None = None,
    missing: MissingRule = "value",
) -> TreeColumn:
    """Make the tree of a column by its hierarchy; without one, each value becomes `*`.

    A root `*` is added unless the hierarchy ends in one value. Nodes that cover the same values of the column become
    one with the text of the lowest level; a node whose text one above it has too is left out, since no reader could
    tell them apart. A missing value without a line in the hierarchy stays missing below the root,
    also where missing values equal `any` value: whoever reads a cell learns no less from a missing value than from
    another. Values that the hierarchy lacks are refused.
    """
    levels = _level_texts(values, hierarchy, missing)
    numbers = np.asarray([number_texts(texts) for texts in levels]).reshape(len(levels), len(values))
    order = np.lexsort(numbers).astype(np.int32)
    nodes = _readable(_intervals(numbers[:, order], [[texts[code] for code in order] for texts in levels]))
    begin, end = np.asarray([*nodes], np.int32).reshape(-1, 2).T
    place = np.argsort(order).astype(np.int32)
    single = np.flatnonzero(end - begin == 1)
    return TreeColumn(
        attribute=attribute,
        values=tuple(values),
        counts=counts,
        order=order,
        place=place,
        begin=begin,
        end=end,
        parent=_parents(begin, end),
        leaf=single[place].astype(np.int32),
        texts=tuple(nodes.values()),
    )


def _level_texts(
    values: Sequence[str | None], hierarchy: Hierarchy | None, missing: MissingRule
) -> list[list[str | None]]:
    """Return what the values become, level by level; at the last all are one."""
    root: list[str | None] = [STAR] * len(values)
    if hierarchy is None:
        return [list(values), root]
    return [*(hierarchy.generalize(values, level, missing=missing) for level in range(hierarchy.levels)), root]


def _intervals(numbers: NDArray[np.int32], texts: Sequence[Sequence[str | None]]) -> dict[tuple[int, int], str | None]:
    """Return the texts of the ranges of equal numbers of all levels, from the widest at each place on.

    A range that several levels have keeps the text of the lowest.
    """
    found: dict[tuple[int, int], str | None] = {}
    for level, named in zip(numbers, texts, strict=True):
        begins = np.flatnonzero(np.append(True, level[1:] != level[:-1])[: len(level)])
        for begin, end in itertools.pairwise([*begins.tolist(), len(level)]):
            found.setdefault((begin, end), named[begin])
    return dict(sorted(found.items(), key=lambda node: (node[0][0], -node[0][1])))


def _readable(nodes: Mapping[tuple[int, int], str | None]) -> dict[tuple[int, int], str | None]:
    """Return the nodes without those of several values that lie in another of the same text; they come after it."""
    kept: dict[tuple[int, int], str | None] = {}
    widest: dict[str | None, int] = {}
    for (begin, end), text in nodes.items():
        if end - begin == 1 or end > widest.get(text, 0):
            kept[begin, end] = text
            widest[text] = max(widest.get(text, 0), end)
    return kept


def _parents(begin: Numbers, end: Numbers) -> Numbers:
    """Return for each range in depth-first order the narrowest one around it."""
    parents = np.full(len(begin), -1, np.int32)
    around: list[int] = []
    for node in range(len(begin)):
        while around and end[around[-1]] <= begin[node]:
            around.pop()
        parents[node] = around[-1] if around else -1
        around.append(node)
    return parents
