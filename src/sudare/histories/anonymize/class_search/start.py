"""The first partition into classes, from pairwise costs alone, by simulated annealing."""

from __future__ import annotations

import numpy as np

from sudare.histories.anonymize.choice import Members
from sudare.histories.anonymize.class_search.model import NEVER, ClassSearch, estimated_cost
from sudare.kernels.histories import classes as annealing

# First and last temperatures, over the mean cost of the cheapest pairs.
_HEAT = (0.08, 0.0008)
# The share of the time left that the division by the costs of pairs may take, and steps for each customer without
# heat if it takes longer.
_ANNEALING_SHARE = 0.3
COLD_STEPS = 200


def start(search: ClassSearch, steps: int) -> None:
    """Divide the customers by the costs of pairs, and align the rows of the classes."""
    customers, k = len(search.rows.lengths), search.k
    count = customers // k
    seeds = search.rng.spawn(2)
    tries = list(search.pool.map(lambda rng: _annealed(search, count, steps, rng), seeds))
    classes = min(tries, key=lambda found: sum(estimated_cost(search, key) for key in found))
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
            annealing.anneal(*given, steps, (hot, cold), rng, deadline.halt)
            if deadline.halt[0]:
                # What was done while it was hot must not stay as it is.
                search.hurried = True
                annealing.anneal(*given, min(steps, COLD_STEPS * len(lengths)), (cold, cold), rng, NEVER)
    return [tuple(members[:size].tolist()) for members, size in zip(classes, sizes, strict=True)]
