"""l-diversity and t-closeness of the classes of a published file, counted from its lines.

Machanavajjhala et al.: l-Diversity (2006); Li, Li, Venkatasubramanian: t-Closeness (2007), whose recursion over the
nodes of a hierarchy is used here as they state it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.tables.classes.criteria import Criteria, DistanceKind
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.recoded.checks.meanings import Order, order_of

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
# Shares of values that are held at once.
_MOST_CELLS = 2_000_000


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Values of classes: `count[i]` lines of class `owner[i]` have value `value[i]`.

    They are sorted by class, and in each class the most frequent value comes first.
    """

    classes: int
    owner: Numbers
    value: Numbers
    count: Numbers

    @property
    def firsts(self) -> Numbers:
        """Where each class begins."""
        return np.searchsorted(self.owner, np.arange(self.classes))

    @property
    def sizes(self) -> Numbers:
        """The number of lines in each class."""
        return np.add.reduceat(self.count, self.firsts)


def count_values(owner: Numbers, values: NDArray[np.integer], cardinality: int) -> ValueCounts:
    """Count the values of each class, of which there is at least one."""
    pairs, counts = np.unique(owner * cardinality + values, return_counts=True)
    classes, value = pairs // cardinality, pairs % cardinality
    order = np.lexsort((-counts, classes))
    return ValueCounts(int(classes[-1]) + 1, classes[order], value[order], counts[order])


def distinct_l(counted: ValueCounts) -> int:
    """Return the smallest number of different values in a class."""
    return int(np.bincount(counted.owner).min())


def entropy_l(counted: ValueCounts) -> float:
    """Return the smallest effective number of values in a class: e to the power of the entropy."""
    share = counted.count / counted.sizes[counted.owner]
    return float(np.exp(np.add.reduceat(-share * np.log(share), counted.firsts).min()))


def recursive_c(counted: ValueCounts, l: int) -> float:  # noqa: E741
    """Return the c above which every class is recursively (c, l)-diverse; infinite if a class has too few values."""
    firsts = counted.firsts
    place = np.arange(len(counted.owner)) - firsts[counted.owner]
    tails = np.add.reduceat(np.where(place >= l - 1, counted.count, 0), firsts)
    return float("inf") if (tails == 0).any() else float((counted.count[firsts] / tails).max())


def recursive_l(counted: ValueCounts, c: float) -> int:
    """Return the largest l for which every class is recursively (c, l)-diverse, 0 if there is none."""
    found = 0
    while recursive_c(counted, found + 1) < c:
        found += 1
    return found


def measured_l(counted: ValueCounts, criteria: Criteria) -> float:
    """Return the l of the classes in the sense that is asked for."""
    if criteria.diversity == "entropy":
        return entropy_l(counted)
    if criteria.diversity == "recursive":
        return recursive_l(counted, criteria.c or 0)
    return distinct_l(counted)


def farthest(
    counted: ValueCounts,
    overall: Numbers,
    values: Sequence[str | None],
    *,
    distance: DistanceKind,
    hierarchy: Hierarchy | None,
) -> float:
    """Return the largest distance of a class from the distribution of the whole original, `overall` by value."""
    measure = _measure(values, distance, hierarchy)
    return max(float(measure(extra).max()) for extra in _extras(counted, overall / overall.sum()))


def _extras(counted: ValueCounts, overall: Floats) -> Iterator[Floats]:
    """Yield, for some classes at a time, how much larger the share of each value is than in the whole original."""
    step = max(1, _MOST_CELLS // len(overall))
    share = counted.count / counted.sizes[counted.owner]
    for begin in range(0, counted.classes, step):
        end = min(counted.classes, begin + step)
        part = slice(*np.searchsorted(counted.owner, [begin, end]))
        extra = np.tile(-overall, (end - begin, 1))
        extra[counted.owner[part] - begin, counted.value[part]] += share[part]
        yield extra


def _measure(
    values: Sequence[str | None], distance: DistanceKind, hierarchy: Hierarchy | None
) -> Callable[[Floats], Floats]:
    """Return the cost of moving extra shares to where they lack, with the ground distance of one kind."""
    if distance == "ordered":
        order = ranked(values)
        return lambda extra: np.abs(np.cumsum(extra[:, order], axis=1)).sum(axis=1) / max(len(order) - 1, 1)
    if distance == "hierarchical" and hierarchy is not None:
        parents = _parents(values, hierarchy)
        return lambda extra: _tree_cost(extra, parents)
    return lambda extra: np.maximum(extra, 0).sum(axis=1)


def _tree_cost(extra: Floats, parents: Sequence[Numbers]) -> Floats:
    """Return the cost of moving, within each node, what one child has too much to where it lacks: the node's height."""
    cost = np.zeros(len(extra))
    for height, parent in enumerate(parents, start=1):
        order = np.argsort(parent, kind="stable")
        firsts = np.flatnonzero(np.diff(parent[order], prepend=-1))
        more = np.add.reduceat(np.maximum(extra, 0)[:, order], firsts, axis=1)
        less = np.add.reduceat(np.maximum(-extra, 0)[:, order], firsts, axis=1)
        cost += np.minimum(more, less).sum(axis=1) * height / len(parents)
        extra = more - less
    return cost


def ranked(values: Sequence[str | None]) -> Numbers:
    """Return the values in their order: numbers (or dates, if there are more of them), others, the missing one."""
    orders = [order_of(value) if value is not None else None for value in values]
    kinds = [order[0] for order in orders if order is not None]
    main = int(2 * sum(kinds) > len(kinds))

    def key(place: int) -> tuple[int, Decimal | int, str]:
        value, order = values[place], orders[place]
        if value is None:
            return 2, 0, ""
        return (0, _comparable(order), value) if order is not None and order[0] == main else (1, 0, value)

    return np.array(sorted(range(len(values)), key=key), np.int64)


def _comparable(order: Order) -> Decimal | int:
    """Return the number, or a number of the day of a date; a month is its first day."""
    found: Decimal | int = order[1] if not order[0] else (order[1] * 12 + order[2]) * 31 + (order[3] or 1)
    return found


def _parents(values: Sequence[str | None], hierarchy: Hierarchy) -> list[Numbers]:
    """Return for each level above the values the number of the parent of each node, up to the root.

    The root is the first node that joins all values, or one above the highest level.
    """
    above = hierarchy.steps[1:]
    root = next((level for level, step in enumerate(above) if len(set(step.values())) == 1), len(above))
    # A missing value without a line is a node of its own below the root.
    labels = [[step.get("") if value is None else step[value] for value in values] for step in above[:root]]
    levels = [list(range(len(values))), *map(_numbered, labels), [0] * len(values)]
    return [_lifted(below, parents) for below, parents in pairwise(levels)]


def _numbered(labels: Sequence[str | None]) -> list[int]:
    numbers: dict[str | None, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def _lifted(nodes: Sequence[int], parents: Sequence[int]) -> Numbers:
    """Return the parent of each node, given both of each value; nodes are numbered from 0 without a gap."""
    found = dict(zip(nodes, parents, strict=True))
    return np.array([found[node] for node in range(len(found))], np.int64)
