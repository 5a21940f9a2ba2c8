"""Walking the sets of attributes on the engine, for tables whose distinct rows are too many for memory.

The classes of a set are those of any larger set, grouped again. So each set is grouped from a parent with one more
attribute, the one of fewest values, because that parent has the fewest classes (the smallest parent of Agarwal et al.:
On the computation of multidimensional aggregates, 1996, by the numbers of values). Depth first, at most as many tables
are kept as a set has attributes, and of each set only how many classes of which size there are leaves the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from sudare.data.collapsed import CollapsedTable
from sudare.progress import Progress
from sudare.risk.sizes import Sizes
from sudare.risk.small_counts import fetch_lines
from sudare.risk.walks import Walked


def walk_engine(
    table: CollapsedTable, places: Sequence[int], *, most: int, bound: int, class_sizes: bool, progress: Progress
) -> Walked:
    """Go through all sets of at most `most` of the attributes at some places; the answer is that of `walk_rows`.

    Where small counts must not leave the engine, classes of neighbouring sizes are told as the smallest of them: then
    no risk is told too low.
    """
    return _EngineWalk(table, places, most, bound, class_sizes, progress).run()


class _EngineWalk:
    def __init__(
        self,
        table: CollapsedTable,
        places: Sequence[int],
        most: int,
        bound: int,
        class_sizes: bool,
        progress: Progress,
    ) -> None:
        self._engine, self._rows, self._most, self._progress = table.engine, table.numbered, most, progress
        # Whether the rows are the classes of all attributes already.
        self._whole = len(places) == len(table.attributes)
        self._name = f"{table.name}_set"
        self._bit = {a: bit for bit, a in enumerate(places)}
        self._order = fewest_values_first(table, places)
        self._bound = bound
        self._sets = sum(comb(len(places), size) for size in range(1, most + 1))
        self._done = 0
        self._walked = Walked.nothing(len(places), class_sizes=class_sizes)

    def run(self) -> Walked:
        """Group the largest sets from the distinct rows, and from each the smaller sets that it is the parent of."""
        for members in combinations(self._order, self._most):
            if self._whole and self._most == len(self._order):
                self._visit_kept(self._rows, members)
            else:
                self._visit(self._rows, members)
        return self._walked

    def _visit(self, parent: str, members: Sequence[int]) -> None:
        keys = ", ".join(f"a{a}" for a in members)
        grouped = f"SELECT {keys}, CAST(sum(records) AS BIGINT) AS records FROM {parent} GROUP BY {keys}"
        if not self._children(members):
            self._measure(f"({grouped})", members)
            return
        kept = f"{self._name}{len(members)}"
        self._engine.keep(kept, grouped)
        try:
            self._visit_kept(kept, members)
        finally:
            self._engine.drop(kept)

    def _visit_kept(self, classes: str, members: Sequence[int]) -> None:
        self._measure(classes, members)
        for child in self._children(members):
            self._visit(classes, child)

    def _children(self, members: Sequence[int]) -> list[list[int]]:
        """Return the sets without one member that have no parent with fewer values: those before it are members too."""
        common = [a for a, first in zip(members, self._order, strict=False) if a == first]
        return [[a for a in members if a != left] for left in common] if len(members) > 1 else []

    def _measure(self, classes: str, members: Sequence[int]) -> None:
        lines = (
            "SELECT size, count(*) AS classes, size * count(*) AS records "
            f"FROM (SELECT records AS size FROM {classes}) GROUP BY size"
        )
        found = fetch_lines(self._engine, lines, key="size", cell="records", sums=("classes", "records"))
        size, counted, records = np.asarray(found, np.int64).T
        mask = sum(1 << self._bit[a] for a in members)
        self._walked.put(mask, Sizes(size, counted, records), self._bound)
        self._done += 1
        self._progress("subsets", self._done, self._sets)


def fewest_values_first(table: CollapsedTable, places: Sequence[int]) -> list[int]:
    """Return the places of attributes in the order of their numbers of values."""
    largest = table.engine.rows(f"SELECT {', '.join(f'max(a{a})' for a in places)} FROM {table.numbered}")[0]
    return [a for _, a in sorted(zip(largest, places, strict=True))]
