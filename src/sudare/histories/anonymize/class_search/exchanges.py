"""Exchanging customers between two classes at a time, at first even if that costs more."""

from __future__ import annotations

import time

import numpy as np

from sudare.histories.anonymize.choice import Members
from sudare.histories.anonymize.class_search.model import NEAR, AlignedClass, ClassSearch
from sudare.kernels.histories import search as kernels

# The last temperature of exchanges, over the cost of the two classes.
_LAST_HEAT = 0.0005
# Classes of more groups than this take part in fewer rounds of exchanges, as their rows take long to align.
_MANY_GROUPS = 150
# Groups of a class for each second that trying its exchanges can take.
_GROUPS_A_SECOND = 20
# Customers whose classes a customer may enter while exchanges may be for the worse: exchanges that promise something
# are mostly between such classes.
_NEAREST = 8
# The share of the time left that exchanges for the worse may take.
_COOLING_SHARE = 0.6


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
        batch = _disjoint(search, looked_at, NEAR)
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
        found = kernels.exchange_two(
            search.rows.until(search.deadline.halt), one.parts, other.parts, search.costs, search.rates,
            (search.k, 2 * search.k - 1), heat * (one.cost + other.cost), rng,
        )  # fmt: skip
        for members, cost in zip(found.tried.tolist(), found.costs.tolist(), strict=True):
            search.remember(tuple(sorted(member for member in members if member >= 0)), cost)
        search.hurried |= bool(search.deadline.halt[0])
        return AlignedClass(*found.one), AlignedClass(*found.other)

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
