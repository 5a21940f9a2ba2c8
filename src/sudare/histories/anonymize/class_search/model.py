"""The best classes so far, and the state needed to find better ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from math import inf

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.histories.anonymize.choice import Members
from sudare.histories.anonymize.pairs import PairCosts, estimated_costs
from sudare.histories.anonymize.rows import SearchRows
from sudare.kernels.histories import search as kernels
from sudare.showing import dataclass

# A class is dearer than 2/c of its pairs by about this share for each member above two (measured on PWSCUP 2018).
_RATE_GROWTH = 0.0115
# Customers whose classes a customer may enter.
NEAR = 40
# For what has to be done after the time too.
NEVER = np.zeros(1, np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class AlignedClass:
    """Customers that are published alike: a line of `rows` for each group, a column for each member."""

    members: NDArray[np.int64]
    rows: NDArray[np.int64]
    cost: float

    @property
    def key(self) -> Members:
        """The members in order."""
        return tuple(sorted(self.members.tolist()))

    @property
    def parts(self) -> kernels.Aligned:
        """The class as kernels take it."""
        return kernels.Aligned(self.members, self.rows, self.cost)


def aligned_class(rows: SearchRows, members: NDArray[np.int64], deadline: Deadline) -> AlignedClass:
    """Align the rows of some customers; when the time is over, take them as they come."""
    shortest_first = members[np.argsort(rows.lengths[members], kind="stable")]
    if not deadline.over:
        found = AlignedClass(*kernels.new_class(rows.until(deadline.halt), shortest_first))
        if not deadline.halt[0]:
            return found
    return AlignedClass(*kernels.blind_class(rows.until(NEVER), shortest_first))


@dataclass(slots=True, eq=False)
class ClassSearch:
    """The best classes so far, and what is needed to find better ones."""

    rows: SearchRows
    k: int
    pairs: PairCosts
    pool: ThreadPoolExecutor
    deadline: Deadline
    rng: np.random.Generator
    tell: Callable[[float], None]
    most_rounds: float = inf
    classes: list[AlignedClass] = field(default_factory=list)
    computed: dict[Members, float] = field(default_factory=dict)
    converged: bool = False
    hurried: bool = False
    costs: NDArray[np.float32] = field(init=False)
    near: NDArray[np.int64] = field(init=False)
    rates: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.costs = estimated_costs(self.rows, self.pairs)
        far = self.costs.copy()
        np.fill_diagonal(far, np.inf)
        self.near = np.argsort(far, axis=1, kind="stable")[:, : min(NEAR, len(far) - 1)]
        sizes = np.arange(2 * self.k, dtype=np.float64)
        self.rates = np.divide(2, sizes, out=np.zeros(2 * self.k), where=sizes > 0)
        self.rates *= 1 + _RATE_GROWTH * (sizes - 2)

    @property
    def cost(self) -> float:
        """The cost of the best classes so far."""
        return sum(found.cost for found in self.classes)

    @property
    def time_left(self) -> float:
        """The seconds until the search has to end."""
        return inf if self.deadline.left is None else self.deadline.left

    def keep(self, found: Iterable[AlignedClass]) -> list[AlignedClass]:
        """Remember the costs of classes that were computed, and return them."""
        classes = list(found)
        for one in classes:
            self.remember(one.key, one.cost)
        return classes

    def remember(self, key: Members, cost: float) -> None:
        """Remember the least cost of a class."""
        self.computed[key] = min(cost, self.computed.get(key, np.inf))

    def make(self, divisions: Iterable[Members], *, needed: bool = True) -> list[AlignedClass]:
        """Align the rows of classes; when the time is over, as they come, or not at all if they are not needed."""
        members = [np.asarray(sorted(key), np.int64) for key in divisions]

        def task(one: NDArray[np.int64]) -> AlignedClass | None:
            return aligned_class(self.rows, one, self.deadline) if needed or not self.deadline.over else None

        return self.keep(found for found in self.pool.map(task, members) if found)


def estimated_cost(search: ClassSearch, key: Members) -> float:
    """Return about what a class costs, by the costs of its pairs."""
    chosen = np.asarray(key)
    return float(search.rates[len(key)] * search.costs[np.ix_(chosen, chosen)].sum() / 2)
