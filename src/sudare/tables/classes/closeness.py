"""How far the sensitive values of an equivalence class are from those of the whole table.

Li, Li, Venkatasubramanian: t-Closeness (2007). The earth mover's distance of two distributions is the least work of
turning one into the other, where a value moves to another at the cost of their ground distance, 0 to 1. `equal`: all
different values are at distance 1. `ordered`: numbers and dates, whose distance is that of their ranks. `hierarchical`:
the distance of two values is the height of the lowest node of a hierarchy above both.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.classes.criteria import DistanceKind
from sudare.tables.hierarchies.model import Hierarchy, number_texts
from sudare.tables.identifiers import NEARLY_ALL
from sudare.tables.model import Table
from sudare.tables.value_kinds import date_of, number_of

Histograms = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveColumn:
    """A sensitive attribute: its value in each distinct row of the table, and how the values are distributed.

    `overall[v]` is the share of the records of the whole table that have value v; a missing value is a value of its
    own. `order` are the values that occur, so that those of a node lie side by side, or numbers one after the other;
    `starts` says for each level of nodes where each begins. The distance of two distributions is `scale` times the sum
    of how much they differ in each node, or up to each number. `hierarchy` is that of the nodes, if there are any.
    """

    attribute: str
    codes: NDArray[np.int32]
    values: tuple[str | None, ...]
    overall: Floats
    distance: DistanceKind
    order: NDArray[np.int64]
    starts: tuple[NDArray[np.int64], ...]
    scale: float
    hierarchy: Hierarchy | None = None

    @property
    def different(self) -> int:
        """How many different values the table has."""
        return int(np.count_nonzero(self.overall))

    def histograms(
        self, rows: NDArray[np.integer], owner: NDArray[np.integer], classes: int, weights: Histograms
    ) -> Histograms:
        """Return how many records with each value each class has: row `rows[i]` adds `weights[i]` to `owner[i]`."""
        places = owner.astype(np.int64) * len(self.values) + self.codes[rows]
        return sum_by(places, weights, classes * len(self.values)).reshape(classes, len(self.values))

    def distances(self, histograms: Histograms) -> Floats:
        """Return how far each of some classes is from the whole table, 0 to 1; one line per class."""
        sizes = np.maximum(histograms.sum(axis=1, keepdims=True), 1)
        extra = (histograms / sizes - self.overall)[:, self.order]
        if self.distance == "ordered":
            return np.asarray(np.abs(np.cumsum(extra, axis=1)[:, :-1]).sum(axis=1) * self.scale)
        sums = [np.abs(np.add.reduceat(extra, starts, axis=1)).sum(axis=1) for starts in self.starts]
        return np.asarray(np.sum(sums, axis=0) * self.scale if sums else np.zeros(len(histograms)))


def sensitive_column(table: Table, attribute: str, hierarchy: Hierarchy | None = None) -> SensitiveColumn:
    """Return a sensitive attribute of a table with its distance.

    That is `hierarchical` if there is a hierarchy, `ordered` if nearly all values are numbers or dates, and `equal`
    otherwise. In the order of numbers or dates, other values come after them, and a missing one last.
    """
    (place,) = table.positions([attribute])
    values, codes = table.values[place], table.codes[place]
    counts = sum_by(codes, table.counts, len(values))
    used = np.flatnonzero(counts)
    kind: DistanceKind = "hierarchical" if hierarchy else default_distance(values)
    if hierarchy:
        measured = _nodes(hierarchy, values, used)
    elif kind == "ordered":
        measured = _ranks(values, used), (), 1 / max(len(used) - 1, 1)
    else:
        measured = used, (np.arange(len(used)),), 0.5
    return SensitiveColumn(attribute, codes, values, counts / table.records, kind, *measured, hierarchy)


def default_distance(values: Sequence[str | None]) -> DistanceKind:
    """Return `ordered` if nearly all values are numbers or nearly all are dates, else `equal`."""
    present = [value for value in values if value is not None]
    enough = NEARLY_ALL * len(present)
    ordered = any(sum(of(value) is not None for value in present) >= enough for of in (number_of, date_of))
    return "ordered" if present and ordered else "equal"


def _ranks(values: Sequence[str | None], used: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the used values in their order: dates or numbers, then others, then the missing one."""
    present = [value for value in values if value is not None]
    dates = sum(date_of(value) is not None for value in present) >= NEARLY_ALL * len(present)

    def key(code: int) -> tuple[int, Decimal | int, str]:
        value = values[code]
        if value is None:
            return 2, 0, ""
        place = _day(value) if dates else number_of(value)
        return (1, 0, value) if place is None else (0, place, value)

    return np.asarray(sorted(used.tolist(), key=key), np.int64)


def _day(value: str) -> int | None:
    found = date_of(value)
    return date(found[0], found[1], found[2] or 1).toordinal() if found else None


def _nodes(
    hierarchy: Hierarchy, values: Sequence[str | None], used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], ...], float]:
    """Return an order of the used values in which nodes lie together, where the nodes of each level begin, and scale.

    A value moves up to the lowest node above both and down again; each of the H levels of the tree costs 1/(2H) up and
    1/(2H) down, so that what must cross the edge above a node is what the node has too much or too little. That is the
    cost of Li et al. Values that the highest level does not join have a root above it.
    """
    joined = (level for level, step in enumerate(hierarchy.steps) if level and len(set(step.values())) == 1)
    height = next(joined, hierarchy.levels)
    texts = [hierarchy.generalize(values, level) for level in range(1, height)]
    levels = [
        np.arange(len(used), dtype=np.int32),
        *(number_texts([column[code] for code in used]) for column in texts),
    ]
    order = np.lexsort(levels)
    starts = tuple(np.flatnonzero(np.diff(numbers[order], prepend=-1)) for numbers in levels)
    return used[order], starts, 0.5 / height


__all__ = ["Histograms", "SensitiveColumn", "default_distance", "sensitive_column"]
