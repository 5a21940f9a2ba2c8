"""Enumerating attribute sets on the engine, for tables whose distinct rows do not fit in memory.

The classes of a set are those of any larger set, grouped again. So each set is grouped from a parent with one more
attribute, the one of fewest values, because that parent has the fewest classes (the smallest parent of Agarwal et al.:
On the computation of multidimensional aggregates, 1996, by the numbers of values). The numbers of a row are packed into
words, of which a set takes the bits of its members: then one query groups several sets, as many as the engine groups at
a time. Nearly all children share the member of most values with their parent: an engine of several tasks puts classes
with the same value of it together, once, and each task groups its own. Depth first, at most as many tables are kept as
a set has attributes, and of each set only how many classes of which size there are leaves the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from sudare.engine.protocol import is_worth_gathering
from sudare.engine.small_counts import Merge
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.statistics.class_sizes import Sizes
from sudare.tables.collapsed import CollapsedTable
from sudare.tables.walks.memory import Walked
from sudare.tables.walks.packed_rows import PackedRows, Part

# Sets that one query names at most.
MOST_AT_ONCE = 1000


def walk_engine(
    table: CollapsedTable, places: Sequence[int], *, most: int, bound: int, class_sizes: bool, progress: Progress
) -> Walked:
    """Measure all sets of at most `most` of the attributes at some positions; the answer is that of `walk_rows`.

    Where small counts must not leave the engine, classes of neighbouring sizes are told as the smallest of them: then
    no risk is told too low.
    """
    return _EngineWalk(table, places, most, bound, class_sizes, progress).run()


@dataclass(frozen=True, slots=True)
class _Child:
    """A set of attributes, by its bits, and the larger one that it is grouped from, with the number of its classes."""

    members: int
    parent: int
    classes: int


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
        self._engine, self._most, self._progress = table.engine, most, progress
        self._rows, self._distinct, self._name = table.numbered, table.distinct, f"{table.name}_set"
        # Whether the rows are the classes of all attributes already.
        self._whole = len(places) == len(table.attributes)
        self._packed = PackedRows.of(table, places)
        self._bound = bound
        self._sets = sum(comb(len(places), size) for size in range(1, most + 1))
        self._done = 0
        self._walked = Walked.nothing(len(places), class_sizes=class_sizes)

    def run(self) -> Walked:
        """Group the largest sets from the distinct rows, and from these the smaller sets that they are parents of."""
        order = self._packed.order
        largest = [sum(members) for members in combinations(order, self._most)]
        if self._whole and largest == [sum(order)]:
            gathered = self._is_spread(largest, self._distinct)
            self._visit_kept(self._packed.rows(self._rows, gathered=gathered), largest, gathered=gathered)
        else:
            rows = f"({self._packed.rows(self._rows, gathered=False)})"
            self._visit(rows, [_Child(members, sum(order), self._distinct) for members in largest], Part.NEW)
        return self._walked

    def _visit(self, parents: str, children: Sequence[_Child], part: Part) -> None:
        """Group sets from a table of their parents, and all smaller ones from them."""
        for some in self._at_once([child for child in children if not self._children(child.members)]):
            leaves = self._grouped(parents, some, Part.NONE if part is Part.NEW else part)
            self._measure(f"({leaves})", len(some))
        for some in self._at_once([child for child in children if self._children(child.members)]):
            sets = [child.members for child in some]
            spread = self._is_spread(sets, sum(child.classes for child in some))
            own = part if part is not Part.NEW or spread else Part.NONE
            self._visit_kept(self._grouped(parents, some, own), sets, gathered=own is not Part.NONE)

    def _grouped(self, parents: str, children: Sequence[_Child], part: Part) -> str:
        return self._packed.grouped(parents, [(child.parent, child.members) for child in children], part)

    def _at_once(self, sets: Sequence[_Child]) -> Iterator[list[_Child]]:
        """Divide sets so that each part has no more classes than the engine groups at a time, if it is not one set."""
        some: list[_Child] = []
        rows = 0
        for child in sets:
            if some and (rows + child.classes > self._engine.grouped_rows or len(some) == MOST_AT_ONCE):
                yield some
                some, rows = [], 0
            some.append(child)
            rows += child.classes
        if some:
            yield some

    def _visit_kept(self, classes: str, sets: Sequence[int], *, gathered: bool) -> None:
        """Keep the classes of sets and measure them, then the sets that they are the parents of."""
        kept = f"{self._name}{sets[0].bit_count()}"
        self._engine.keep(kept, classes, near="part" if gathered else "")
        try:
            counted = self._measure(kept, len(sets))
            further = [_Child(child, parent, counted[parent]) for parent in sets for child in self._children(parent)]
            if gathered:
                self._visit(kept, [child for child in further if not self._is_moved(child)], Part.SAME)
                further = [child for child in further if self._is_moved(child)]
            self._visit(kept, further, Part.NEW)
        finally:
            self._engine.drop(kept)

    def _is_moved(self, child: _Child) -> bool:
        """Say whether the classes of a set lie elsewhere than those of its parent: by the values of another member."""
        return self._packed.last(child.members) != self._packed.last(child.parent)

    def _is_spread(self, sets: Sequence[int], classes: int) -> bool:
        """Say whether sets have classes, and their last members values, enough to occupy all tasks of an engine."""
        values = min(self._packed.values(self._packed.last(members)) for members in sets)
        return is_worth_gathering(self._engine, classes, values)

    def _children(self, members: int) -> list[int]:
        """Return the sets without one member that have no parent with fewer values: those before it are members too."""
        if members.bit_count() == 1:
            return []
        order = self._packed.order
        common = next((n for n, bit in enumerate(order) if not members & bit), len(order))
        return [members ^ bit for bit in order[:common]]

    def _measure(self, classes: str, sets: int) -> dict[int, int]:
        """Record the class sizes of some sets; return how many classes each set has."""
        lines = (
            "SELECT members, size, count(*) AS classes, size * count(*) AS records "
            f"FROM (SELECT members, records AS size FROM {classes}) GROUP BY members, size"
        )
        merge = Merge("size", ("classes", "records"), of="members", questions=sets)
        found = self._engine.counts(lines, cell="records", small=merge)
        told = np.asarray(found, np.int64)
        counts = {}
        for part in np.split(told, np.flatnonzero(np.diff(told[:, 0])) + 1):
            members, (size, counted, records) = int(part[0, 0]), part[:, 1:].T
            self._walked.put(members, Sizes(size, counted, records), self._bound)
            counts[members] = int(counted.sum())
        self._done += len(counts)
        self._progress(message("progress.attribute_sets"), self._done, self._sets)
        return counts
