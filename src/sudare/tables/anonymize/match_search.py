"""The search for safe levels where classes can overlap, count persons or have criteria about sensitive values.

Raising a level never makes a class smaller here either: values that were equal stay so, and a missing one stays equal
to any. So safe nodes have only safe ones above. The search goes up from a node that is not known yet to the top, finds
by halves where the way becomes safe, and marks all that follows from it.

l-diverse and t-close classes stay so when they are united. But when records may be suppressed, a class that satisfies
an entropy, a recursive l or a t can be united with one that does not, and fail; the same happens where classes overlap.
Then nothing follows from a safe node. What every such class needs, k records and l different values, still rules out
nodes as before, and each node that is left is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.anonymize.losses import ColumnLevel, LeveledRows, Loss
from sudare.tables.anonymize.search import Levels, minimal_nodes
from sudare.tables.classes.class_criteria import ClassCriteria
from sudare.tables.classes.partitions import list_classes, safe_rows, valued_rows
from sudare.tables.classes.rows import Rows, distinct_rows, rows_of
from sudare.tables.hierarchies.model import Hierarchy, number_texts
from sudare.tables.model import Table

# A level for each attribute that has several.
Node = tuple[int, ...]
UNKNOWN, SAFE, UNSAFE = range(3)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a node costs."""

    suppressed: int
    loss: float
    classes: int
    smallest: int


class MatchJudge:
    """Judges levels of one table, like `sudare.tables.anonymize.search.Judge`."""

    def __init__(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        known: Sequence[str],
        *,
        size: int,
        allowed: int,
        loss: Loss,
        values: ClassCriteria | None = None,
    ) -> None:
        self._known, self._size, self._allowed, self._loss, self._values = known, size, allowed, loss, values
        places = table.positions(known)
        if values is None:
            self._rows = rows_of(table, places)
        else:
            self._rows, self._values = valued_rows(table, places, values)
        self._columns = [
            _Column(hierarchies.get(name), table, place, loss) for name, place in zip(known, places, strict=True)
        ]
        self._records = int(self._rows.counts.sum())
        self.names, self.top = list(known), [len(column.codes) - 1 for column in self._columns]
        share = loss.share(len(known))
        self.base = [[loss.of_level(level) / share for level in column.levels] for column in self._columns]

    def judge(self, levels: Sequence[int], depth: int | None = None) -> tuple[int, float]:
        """Return the suppressed records at some levels, and the loss of the first `depth` attributes (None: of all).

        Of fewer attributes, discernibility is not known, and 0 here.
        """
        at = list(levels) if depth is None else [*levels[:depth], *self.top[depth:]]
        suppressed = self._suppressed_at(at)
        if suppressed > self._allowed:
            return suppressed, float("inf")
        return suppressed, self._loss_of(at, len(at) if depth is None else depth)

    def least_crowding(self, _levels: Sequence[int], _depth: int) -> float:
        """Return a discernibility that no safe levels fall below: each record is in a class of the right size."""
        return float(self._records * min(self._size, self._records))

    def details(self, levels: Sequence[int]) -> dict[str, Any]:
        """Return what becomes of the table at some safe levels, by the names of LevelsFound."""
        rows = self._raised(levels)
        kept = self._kept(rows)
        sizes = list_classes(rows.only(kept)).sizes
        return {"suppressed": int(rows.counts[~kept].sum()), "classes": len(sizes), "smallest": int(sizes.min())}

    def named(self, levels: Sequence[int]) -> Levels:
        """Return levels by attribute."""
        return dict(zip(self._known, map(int, levels), strict=True))

    @property
    def monotone(self) -> bool:
        """Whether all levels above safe ones are safe."""
        if self._values is None or self._values.lasting:
            return True
        return not self._allowed and all(max(column.wildcards) < 0 for column in self._columns)

    def _kept(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which of the rows, put at some levels, are not suppressed."""
        return safe_rows(rows, self._size, self._values)

    def _suppressed_at(self, levels: Sequence[int]) -> int:
        rows = self._raised(levels)
        # Rows that have become equal differ in their sensitive values, if these matter.
        rows = distinct_rows(rows) if self._values is None else rows
        return int(rows.counts[~self._kept(rows)].sum())

    def _raised(self, levels: Sequence[int]) -> Rows:
        """Return the rows at some levels, in their order."""
        at = list(zip(self._columns, levels, strict=True))
        codes = [column.codes[level][row] for (column, level), row in zip(at, self._rows.codes, strict=True)]
        wildcards = [column.wildcards[level] for column, level in at]
        return Rows(np.vstack(codes), self._rows.counts, np.asarray(wildcards, np.int32), self._rows.persons)

    def _least(self, levels: Sequence[int], depth: int) -> float:
        """Return the loss of the first attributes without suppression, as far as it adds up over attributes."""
        return sum(self.base[a][levels[a]] for a in range(depth))

    def _loss_of(self, levels: Sequence[int], depth: int) -> float:
        rows = self._raised(levels)
        kept = self._kept(rows)

        def penalties() -> NDArray[np.float64]:
            at = zip(self._columns[:depth], levels[:depth], self._rows.codes[:depth], strict=True)
            lost: NDArray[np.float64] = np.sum([column.penalty[level][row] for column, level, row in at], axis=0)
            return lost / self._loss.share(len(self.top))

        base, share = self._least(levels, depth), depth / len(self.top)
        return self._loss.of_rows(LeveledRows(rows, kept, base, share, penalties))


class MatchSearch(MatchJudge):
    """The search for one table; it answers like `sudare.tables.anonymize.search.Search`."""

    def __init__(self, *asked: Any, **options: Any) -> None:
        super().__init__(*asked, **options)
        self._asked = asked, options
        self._status = np.zeros([levels for c in self._columns if (levels := len(c.codes)) > 1], np.int8)
        self._seen: dict[Node, int] = {}
        self._best: tuple[float, int, Node, Evaluated] | None = None

    def run(self, progress: Progress) -> None:
        """Find the safe nodes, then the best one."""
        if not self.monotone:
            self._rule_out(progress)
        self._settle(progress)
        # Without suppression no loss falls when a level is raised; with it, a higher level may save records.
        safe = self._status == SAFE
        candidates = [tuple(map(int, node)) for node in np.argwhere(safe if self._allowed else minimal_nodes(safe))]
        bounds = {node: self._least(self._levels(node), len(self.top)) for node in candidates}
        for done, node in enumerate(sorted(candidates, key=lambda node: bounds[node])):
            progress(message("progress.least_loss"), done, len(candidates))
            if self._best is not None and bounds[node] > self._best[0] * (1 + 1e-12):
                break
            found = self._evaluate(node)
            new = (found.loss, found.suppressed, node, found)
            self._best = new if self._best is None else min(self._best, new, key=lambda best: best[:3])
        progress(message("progress.least_loss"), len(candidates), len(candidates))

    def _rule_out(self, progress: Progress) -> None:
        """Mark the nodes as unsafe that do not even satisfy what is necessary, as far as that is lasting."""
        asked, options = self._asked
        values = self._values.necessary if self._values else None
        first = MatchSearch(*asked, **{**options, "values": values})
        first._settle(progress)
        unsafe = first._status == UNSAFE
        self._status[unsafe] = UNSAFE
        self._seen |= {node: suppressed for node, suppressed in first._seen.items() if unsafe[node]}

    def _settle(self, progress: Progress) -> None:
        """Find out of all nodes whether they are safe."""
        step = message("progress.safe_levels")
        for number, node in enumerate(np.ndindex(self._status.shape)):
            if self._status[node] == UNKNOWN:
                if self.monotone:
                    self._decide(node)
                else:
                    self._status[node] = SAFE if self._suppressed(node) <= self._allowed else UNSAFE
                progress(step, number, self._status.size)
        progress(step, self._status.size, self._status.size)

    def _decide(self, node: Node) -> None:
        """Find where the way from a node to the top becomes safe."""
        way = [node]
        top = tuple(levels - 1 for levels in self._status.shape)
        while way[-1] != top:
            lower = way[-1]
            raised = min((a for a in range(len(top)) if lower[a] < top[a]), key=lambda a: (lower[a] - node[a], a))
            way.append(tuple(level + (a == raised) for a, level in enumerate(lower)))
        first, end = 0, len(way)
        while first < end:
            middle = (first + end) // 2
            if self._is_safe(way[middle]):
                end = middle
            else:
                first = middle + 1

    def _is_safe(self, node: Node) -> bool:
        if self._status[node] == UNKNOWN:
            if self._suppressed(node) <= self._allowed:
                self._status[tuple(slice(level, None) for level in node)] = SAFE
            else:
                self._status[tuple(slice(None, level + 1) for level in node)] = UNSAFE
        return bool(self._status[node] == SAFE)

    def _suppressed(self, node: Node) -> int:
        if node not in self._seen:
            self._seen[node] = self._suppressed_at(self._levels(node))
        return self._seen[node]

    def _evaluate(self, node: Node) -> Evaluated:
        levels = self._levels(node)
        found = self.details(levels)
        self._seen[node] = found["suppressed"]
        return Evaluated(found["suppressed"], self._loss_of(levels, len(levels)), found["classes"], found["smallest"])

    def answer(self) -> dict[str, Any]:
        """Return what was found, by the names of LevelsFound."""
        safe = self._status == SAFE
        best = self._best[3] if self._best else None
        return {
            "nodes": self._status.size,
            "evaluated": len(self._seen),
            "safe_choices": int(safe.sum()),
            "highest": self.named(self.top),
            "minimal": tuple(self.named(self._levels(node)) for node in np.argwhere(minimal_nodes(safe)).tolist()),
            "best": self.named(self._levels(self._best[2])) if self._best else None,
            "loss": best.loss if best else None,
            "suppressed": best.suppressed if best else None,
            "classes": best.classes if best else None,
            "smallest": best.smallest if best else None,
        }

    @property
    def least(self) -> float:
        """The least loss found, infinite if there are no safe levels."""
        return self._best[0] if self._best else float("inf")

    def _levels(self, node: Sequence[int]) -> list[int]:
        """Return the level of every attribute."""
        levels = iter(node)
        return [next(levels) if len(column.codes) > 1 else 0 for column in self._columns]


class _Column:
    """What a search needs of an attribute, for each level.

    `codes` are the numbers of the generalized values, `wildcards` that of a missing one which is equal to any (or -1),
    `levels` how many records have each value and those equal to it, and `penalty` what a record with a value loses more
    there if it is suppressed.
    """

    def __init__(self, hierarchy: Hierarchy | None, table: Table, place: int, loss: Loss) -> None:
        values, self.codes = table.values[place], list[NDArray[np.int32]]()
        self.wildcards, self.penalty = list[int](), list[NDArray[np.float64]]()
        self.levels = list[ColumnLevel]()
        count = sum_by(table.codes[place], table.counts, len(values))
        levels = hierarchy.levels if hierarchy else 1
        for level in range(levels):
            texts = hierarchy.generalize(values, level, missing=table.missing) if hierarchy else list(values)
            numbers = number_texts(texts)
            self.codes.append(numbers)
            self.wildcards.append(int(numbers[-1]) if table.missing == "any" and texts[-1] is None else -1)
            self.levels.append(ColumnLevel.of(numbers, count, level, levels - 1))
            self.penalty.append(loss.penalty(self.levels[-1]))
