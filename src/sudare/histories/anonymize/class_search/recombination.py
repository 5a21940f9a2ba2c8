"""Choosing the cheapest partition among all classes computed so far."""

from __future__ import annotations

import numpy as np

from sudare.histories.anonymize.choice import Members, cheapest_division
from sudare.histories.anonymize.class_search.model import ClassSearch, estimated_cost

# Computed classes among which is chosen: those that cost least compared with the shares of their members now.
_MOST_COMPUTED = 10_000
# The share of the time left that the choice may take.
_CHOICE_SHARE = 0.3
# What the members of a class may seem to cost in other classes, over its own cost.
_MOST_GROWTH = 1.1


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
    now = [estimated_cost(search, key) for key in keys]
    class_of = {customer: number for number, key in enumerate(keys) for customer in key}
    found: dict[int, dict[Members, float]] = {}
    for customer, near in enumerate(search.near.tolist()):
        numbers = {class_of[other] for other in near} - {class_of[customer]}
        grown = {number: tuple(sorted((*keys[number], customer))) for number in sorted(numbers)}
        found[customer] = {
            key: estimated_cost(search, key) - now[number] for number, key in grown.items() if len(key) < 2 * search.k
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
        # A result that depends on the time does not end the search by itself.
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
