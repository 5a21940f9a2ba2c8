"""Choosing the classes of customers that are published alike, at the least cost.

First by the costs of pairs alone: a class of c customers costs about 2/c of the summed costs of its pairs, which is
mostly right to a few percent, and simulated annealing finds a good division in seconds. Then by the rows: customers are
exchanged between two classes at a time, at first also for the worse (annealing again, now on true costs), then as long
as that is better, and of all classes that were ever computed those are chosen that together cost least (set
partitioning, an integer program; for classes of two it is the optimal matching). Rows are aligned to the end once the
classes stand.

Work is done in rounds whose parts do not depend on each other, so that the result depends on the seed and, if the time
ends first, on the time, but not on threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from itertools import combinations, cycle, islice
from math import comb, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.histories.anonymize.choice import Members, cheapest_division
from sudare.histories.anonymize.pairs import PairCosts, estimated_costs
from sudare.histories.anonymize.rows import HistoryRows
from sudare.kernels.histories import classes as annealing
from sudare.kernels.histories import search as kernels
from sudare.showing import dataclass

# The types of compiled functions hide what they take.
_anneal: Any = annealing.anneal
_new_class: Any = kernels.new_class
_blind_class: Any = kernels.blind_class
_exchange_two: Any = kernels.exchange_two
_align_anew: Any = kernels.align_anew

# A class is dearer than 2/c of its pairs by about this share for each member above two (measured on PWSCUP 2018).
_RATE_GROWTH = 0.0115
# First and last temperatures, over the mean cost of the cheapest pairs.
_HEAT = (0.08, 0.0008)
# The last temperature of exchanges, over the cost of the two classes.
_LAST_HEAT = 0.0005
# Classes of more groups than this take part in fewer rounds of exchanges, as their rows take long to align.
_MANY_GROUPS = 150
# Groups of a class for each second that trying its exchanges can take.
_GROUPS_A_SECOND = 20
# Customers whose classes a customer may enter.
_NEAR = 40
# And while exchanges may be for the worse: exchanges that promise something are mostly between such classes.
_NEAREST = 8
# If so few classes are possible, all of them are computed, and the best division is found.
_FEW_CLASSES = 500
# Computed classes among which is chosen: those that cost least compared with the shares of their members now.
_MOST_COMPUTED = 10_000
# And the shares of the time left that the choice and the exchanges for the worse may take.
_CHOICE_SHARE = 0.3
_COOLING_SHARE = 0.6
# And the share of all the time that is kept for the alignment of rows in the end.
_ALIGNING_SHARE = 0.1
# And the share of the time left that the division by the costs of pairs may take, and steps for each customer without
# heat if it takes longer.
_ANNEALING_SHARE = 0.3
COLD_STEPS = 200
# What the members of a class may seem to cost in other classes, over its own cost.
_MOST_GROWTH = 1.1
# Members of a class whose rows are aligned exactly in the end.
_MOST_EXACT = 3
# Ways to divide a class in two that are tried in the end.
_MOST_DIVISIONS = 64
# For what has to be done after the time too.
_NEVER = np.zeros(1, np.bool_)


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
    def parts(self) -> tuple[Any, ...]:
        """The class as kernels take it."""
        return self.members, self.rows, self.cost


def aligned_class(rows: HistoryRows, members: NDArray[np.int64], deadline: Deadline) -> AlignedClass:
    """Align the rows of some customers; when the time is over, take them as they come."""
    shortest_first = members[np.argsort(rows.lengths[members], kind="stable")]
    if not deadline.over:
        found = AlignedClass(*_new_class(rows.until(deadline.halt), shortest_first))
        if not deadline.halt[0]:
            return found
    return AlignedClass(*_blind_class(rows.until(_NEVER), shortest_first))


@dataclass(slots=True, eq=False)
class ClassSearch:
    """The best classes so far, and what is needed to find better ones."""

    rows: HistoryRows
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
        self.near = np.argsort(far, axis=1, kind="stable")[:, : min(_NEAR, len(far) - 1)]
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


def search_classes(search: ClassSearch, steps: int, rounds: int, heat: float) -> None:
    """Find classes of k to 2 k - 1 customers; those in `search` are the best so far at any time.

    `steps` of annealing go by the costs of pairs, `rounds` by the rows, with exchanges that make two classes dearer by
    about the share `heat` at first.
    """
    whole = search.deadline
    with whole.part(1 - _ALIGNING_SHARE) as search.deadline:
        find_classes(search, steps, rounds, heat)
    search.deadline = whole
    realign_all(search)


def find_classes(search: ClassSearch, steps: int, rounds: int, heat: float) -> None:
    """Find classes until nothing is better or the time is over."""
    start(search, steps)
    if search.k == 2:
        one, other = np.nonzero(np.triu(search.pairs.known, 1))
        for pair in zip(one.tolist(), other.tolist(), strict=True):
            search.remember(pair, float(search.costs[pair]))
    else:
        cool(search, rounds, heat)
    if _possible_classes(len(search.near), search.k) <= _FEW_CLASSES:
        sizes = range(search.k, 2 * search.k)
        possible = (key for size in sizes for key in combinations(range(len(search.near)), size))
        realigned(search, search.make(possible, needed=False))
    better, done = recombine(search), 0
    while better or not search.converged:
        exchange(search)
        done += 1
        if search.deadline.over or done >= search.most_rounds:
            return
        grow(search)
        better = recombine(search)
        if not better:
            return


def _possible_classes(customers: int, k: int) -> int:
    return sum(comb(customers, size) for size in range(k, 2 * k))


def start(search: ClassSearch, steps: int) -> None:
    """Divide the customers by the costs of pairs, and align the rows of the classes."""
    customers, k = len(search.rows.lengths), search.k
    count = customers // k
    seeds = search.rng.spawn(2)
    tries = list(search.pool.map(lambda rng: _annealed(search, count, steps, rng), seeds))
    classes = min(tries, key=lambda found: sum(_estimate(search, key) for key in found))
    search.classes = search.make(classes)
    search.tell(search.cost)


def _annealed(search: ClassSearch, count: int, steps: int, rng: np.random.Generator) -> list[Members]:
    k, lengths = search.k, search.rows.lengths
    classes, sizes = np.full((count, 2 * k - 1), -1, np.int64), np.zeros(count, np.int64)
    class_of = np.empty(len(lengths), np.int64)
    for place, customer in enumerate(np.argsort(-lengths, kind="stable")):
        # What is left over goes to the customers with the fewest rows.
        found = min(place // k, count - 1) if place < count * k else count - 1 - (place - count * k) % count
        classes[found, sizes[found]] = customer
        sizes[found] += 1
        class_of[customer] = found
    if count > 1:
        heat = float(search.costs[np.arange(len(lengths)), search.near[:, 0]].mean()) or 1.0
        hot, cold = (heat * share for share in _HEAT)
        given = search.costs, search.near, classes, sizes, class_of, search.rates, (k, 2 * k - 1)
        with search.deadline.part(_ANNEALING_SHARE) as deadline:
            _anneal(*given, steps, (hot, cold), rng, deadline.halt)
            if deadline.halt[0]:
                # What was done while it was hot must not stay as it is.
                search.hurried = True
                _anneal(*given, min(steps, COLD_STEPS * len(lengths)), (cold, cold), rng, _NEVER)
    return [tuple(members[:size].tolist()) for members, size in zip(classes, sizes, strict=True)]


def _estimate(search: ClassSearch, key: Members) -> float:
    chosen = np.asarray(key)
    return float(search.rates[len(key)] * search.costs[np.ix_(chosen, chosen)].sum() / 2)


def cool(search: ClassSearch, rounds: int, heat: float) -> None:
    """Exchange customers between neighbouring classes, at first also for the worse, for some rounds.

    If these turn out to take too long, classes cool down faster.
    """
    best = search.classes.copy()
    started, seconds = time.monotonic(), _COOLING_SHARE * search.time_left
    done, cooled = 0, 0.0
    while cooled < 1 and not search.deadline.over:
        batch = [two for two in _disjoint(search, set(), _NEAREST) if search.rng.random() < _patience(search, two)]
        _exchange_all(search, batch, heat * (_LAST_HEAT / heat) ** cooled)
        if search.cost < sum(found.cost for found in best):
            best = search.classes.copy()
        search.tell(sum(found.cost for found in best))
        done += 1
        # Half of the time goes by before it matters.
        forced = 2 * (time.monotonic() - started) / seconds - 1
        search.hurried |= forced > done / rounds
        cooled = max(done / rounds, forced)
    search.classes = best


def _patience(search: ClassSearch, two: tuple[int, int]) -> float:
    """Return how often two classes take part in exchanges."""
    return _MANY_GROUPS / max(*(len(search.classes[number].rows) for number in two), 1)


def exchange(search: ClassSearch) -> None:
    """Exchange customers between neighbouring classes, in rounds, until no two classes can be made better."""
    looked_at: set[tuple[Members, Members]] = set()
    done = 0
    while not search.deadline.over and done < search.most_rounds:
        done += 1
        batch = _disjoint(search, looked_at, _NEAR)
        if not batch:
            search.converged = not search.hurried
            return
        before = [tuple(search.classes[number].key for number in two) for two in batch]
        _exchange_all(search, batch, 0.0)
        after = [tuple(search.classes[number].key for number in two) for two in batch]
        looked_at |= {(one, other) for one, other in before if (one, other) in after}
        search.tell(search.cost)


def _exchange_all(search: ClassSearch, batch: list[tuple[int, int]], heat: float) -> None:
    """Exchange customers between pairs of classes that have none in common."""

    def task(two: tuple[int, int], rng: np.random.Generator) -> tuple[AlignedClass, AlignedClass]:
        one, other = (search.classes[number] for number in two)
        # Exchanges are not begun that may not end in time.
        if search.time_left <= max(len(one.rows), len(other.rows)) / _GROUPS_A_SECOND:
            search.hurried = True
            return one, other
        first, second, tried, costs = _exchange_two(
            search.rows.until(search.deadline.halt), one.parts, other.parts, search.costs, search.rates,
            (search.k, 2 * search.k - 1), heat * (one.cost + other.cost), rng,
        )  # fmt: skip
        for members, cost in zip(tried.tolist(), costs.tolist(), strict=True):
            search.remember(tuple(sorted(member for member in members if member >= 0)), cost)
        search.hurried |= bool(search.deadline.halt[0])
        return AlignedClass(*first), AlignedClass(*second)

    found = list(search.pool.map(task, batch, search.rng.spawn(len(batch))))
    for (one, other), new in zip(batch, found, strict=True):
        search.classes[one], search.classes[other] = search.keep(new)


def _disjoint(search: ClassSearch, looked_at: set[tuple[Members, Members]], most: int) -> list[tuple[int, int]]:
    """Return pairs of neighbouring classes, no class twice, that were not looked at as they are.

    Neighbours have a customer among the `most` nearest of a customer of the other.
    """
    near = search.near[:, :most]
    class_of = np.empty(len(near), np.int64)
    for number, found in enumerate(search.classes):
        class_of[found.members] = number
    here, there = np.repeat(class_of, near.shape[1]), class_of[near.ravel()]
    pairs = np.unique(np.stack([np.minimum(here, there), np.maximum(here, there)])[:, here != there], axis=1)
    keys = [found.key for found in search.classes]
    used = np.zeros(len(keys), np.bool_)
    batch = []
    for one, other in search.rng.permutation(pairs.T).tolist():
        if not (used[one] or used[other] or (keys[one], keys[other]) in looked_at):
            used[one] = used[other] = True
            batch.append((one, other))
    return batch


def grow(search: ClassSearch) -> None:
    """Compute classes with one customer more, so that a bad class can be divided among others.

    Only where that seems to cost little more than the class, with all its other members where they seem cheapest.
    """
    growth = _growth(search)
    least = {customer: min(found.values(), default=np.inf) for customer, found in growth.items()}
    keys: set[Members] = set()
    for own in search.classes:
        others = sum(least[member] for member in own.key)
        for member in own.key if others < np.inf else ():
            most = _MOST_GROWTH * own.cost - (others - least[member])
            keys |= {key for key, cost in growth[member].items() if cost < most}
    search.make(sorted(keys - search.computed.keys()), needed=False)


def _growth(search: ClassSearch) -> dict[int, dict[Members, float]]:
    """Return for each customer the neighbouring classes with it added, and by how much they seem dearer then."""
    keys = [found.key for found in search.classes]
    now = [_estimate(search, key) for key in keys]
    class_of = {customer: number for number, key in enumerate(keys) for customer in key}
    found: dict[int, dict[Members, float]] = {}
    for customer, near in enumerate(search.near.tolist()):
        numbers = {class_of[other] for other in near} - {class_of[customer]}
        grown = {number: tuple(sorted((*keys[number], customer))) for number in sorted(numbers)}
        found[customer] = {
            key: _estimate(search, key) - now[number] for number, key in grown.items() if len(key) < 2 * search.k
        }
    return found


def recombine(search: ClassSearch) -> bool:
    """Choose the cheapest division among all classes that were computed; return whether it is better than the best."""
    if search.deadline.over:
        return False
    keys = _cheapest(search)
    costs = np.asarray([search.computed[key] for key in keys])
    with search.deadline.part(_CHOICE_SHARE) as part:
        seconds = part.left
        chosen = cheapest_division(keys, costs, customers=len(search.near), most=search.cost, deadline=part)
        # What depends on the time is no end by itself.
        search.hurried |= seconds is not None and part.left is not None and part.left < seconds / 2
    return bool(chosen) and _adopt(search, chosen)


def _cheapest(search: ClassSearch) -> list[Members]:
    """Return the computed classes that cost least compared with what their members cost in the classes of now."""
    shares = np.zeros(len(search.near))
    for found in search.classes:
        pairs = search.costs[np.ix_(found.members, found.members)].sum(axis=1, dtype=np.float64)
        shares[found.members] = found.cost * pairs / (pairs.sum() or 1)
    ratios = {key: search.computed[key] / (shares[list(key)].sum() or 1) for key in sorted(search.computed)}
    present = {found.key for found in search.classes}
    chosen = sorted(ratios, key=lambda key: (key not in present, ratios[key]))[:_MOST_COMPUTED]
    return sorted(chosen)


def _adopt(search: ClassSearch, chosen: list[Members]) -> bool:
    """Take other classes if their rows, aligned, cost less; those that stay are as they were."""
    present = {found.key: found for found in search.classes}
    made = search.make(key for key in chosen if key not in present)
    classes = [present[key] for key in chosen if key in present] + made
    if sum(found.cost for found in classes) >= search.cost - 1e-6:
        return False
    search.classes, search.converged = classes, False
    search.tell(search.cost)
    return True


def realign_all(search: ClassSearch) -> None:
    """Align the rows of every class anew in more ways, those with few rows first: they gain most in a time."""
    search.classes = realigned(search, sorted(search.classes, key=lambda found: found.rows.size))
    search.converged = search.converged and not search.hurried and not search.deadline.over
    search.tell(search.cost)


def realigned(search: ClassSearch, classes: Iterable[AlignedClass]) -> list[AlignedClass]:
    """Return classes with their rows divided and joined anew until nothing is better, or the time is over."""

    def task(found: AlignedClass) -> AlignedClass:
        divisions = _divisions(len(found.members))
        # Large classes have so many divisions that the last thousandth is left.
        exact = len(found.members) <= _MOST_EXACT
        failed = 0
        for division in cycle(divisions):
            if failed == len(divisions) or search.deadline.over:
                break
            better = AlignedClass(*_align_anew(search.rows.until(search.deadline.halt), found.parts, division, exact))
            failed = 0 if better.cost < found.cost - 1e-9 else failed + 1
            found = min(found, better, key=lambda one: one.cost)
        return found

    return search.keep(search.pool.map(task, classes))


def _divisions(size: int) -> NDArray[np.bool_]:
    """Return ways to divide a class in two, the smallest parts first."""
    parts = (
        part
        for few in range(1, size // 2 + 1)
        for part in combinations(range(size), few)
        if 2 * few < size or 0 in part
    )
    found = [np.isin(np.arange(size), part) for part in islice(parts, _MOST_DIVISIONS)]
    return np.stack(found)
