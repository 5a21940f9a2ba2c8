"""Choosing the customers that the rows of each pseudonym cover, by pairwise costs alone; and what rows cover.

Line p of `sets` has the customers of pseudonym p, line j of `holders` the pseudonyms that cover customer j; every
customer is in as many sets as a set has members.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.attack_pairs import match_rows
from sudare.kernels.histories.attack_rows import find_fitting
from sudare.kernels.histories.linked_rows import KnownRows, PublishedRows


@inner
def set_cost(members: Ints, leaves: int, enters: int, pairs: Floats, lengths: Ints, terms: Floats) -> float:
    """Return about what rows cost that cover all members, together for all of them.

    The member at the place `leaves` (-1: none) is replaced by `enters`. `pairs` are the costs of two customers' aligned
    rows, `terms` what a set costs of its pairs and what a deleted row costs: all have as many rows as the shortest.
    """
    size = len(members)
    least, total = 1 << 60, 0
    for x in range(size):
        one = enters if x == leaves else members[x]
        least = min(least, lengths[one])
        total += lengths[one]
    aligned = 0.0
    for x in range(size):
        one = enters if x == leaves else members[x]
        for y in range(x):
            other = enters if y == leaves else members[y]
            aligned += pairs[one, other] * least / min(lengths[one], lengths[other])
    cost: float = terms[0] * aligned + terms[1] * (total - size * least)
    return cost


@inner
def _meetings(members: Ints, place: int, enters: int, together: Ints32) -> int:
    """Return how many more times members meet again if one is replaced."""
    found = 0
    for x in range(len(members)):
        if x != place:
            found += together[enters, members[x]] - (together[members[place], members[x]] - 1)
    return found


@inner
def _replace(sets: Ints, holders: Ints, together: Ints32, p: int, place: int, enters: int, other: int) -> None:
    """Replace a member of the set of p; the one who leaves goes to the set of another pseudonym."""
    leaves = sets[p, place]
    for x in range(sets.shape[1]):
        if x != place:
            member = sets[p, x]
            together[leaves, member] -= 1
            together[member, leaves] -= 1
            together[enters, member] += 1
            together[member, enters] += 1
    sets[p, place] = enters
    for x in range(holders.shape[1]):
        if holders[leaves, x] == p:
            holders[leaves, x] = other
            break


@inner
def _place(members: Ints, customer: int) -> int:
    """Return where a customer is among the members, -1 if nowhere."""
    for x in range(len(members)):
        if members[x] == customer:
            return x
    return -1


@entry
def anneal_sets(
    sets: Ints,
    holders: Ints,
    together: Ints32,
    pairs: Floats,
    lengths: Ints,
    near: Ints,
    terms: Floats,
    spread: float,
    steps: int,
    heat: tuple[float, float],
    rng: np.random.Generator,
    halt: Bools,
) -> float:
    """Swap members of two sets, at first also for the worse, by exp(-loss / heat); return about what the sets cost.

    `together` says in how many sets two customers are. Each time that two meet again costs `spread` of the two sets
    that are changed. `heat` are the first and last temperatures. Sets are changed in place.
    """
    count, size = sets.shape
    costs = np.empty(count)
    for p in range(count):
        costs[p] = set_cost(sets[p], -1, -1, pairs, lengths, terms)
    temperature, cooling = heat[0], (heat[1] / heat[0]) ** (1 / steps)
    for _ in range(steps):
        if halt[0]:
            break
        temperature *= cooling
        p, place, beside = int(rng.integers(0, count)), int(rng.integers(0, size)), int(rng.integers(0, size))
        leaves, enters = sets[p, place], near[sets[p, beside], rng.integers(0, near.shape[1])]
        other = holders[enters, rng.integers(0, size)]
        if beside == place or _place(sets[p], enters) >= 0 or _place(sets[other], leaves) >= 0:
            continue
        there = _place(sets[other], enters)
        first = set_cost(sets[p], place, enters, pairs, lengths, terms)
        second = set_cost(sets[other], there, leaves, pairs, lengths, terms)
        loss = first + second - costs[p] - costs[other]
        if spread > 0:
            again = _meetings(sets[p], place, enters, together) + _meetings(sets[other], there, leaves, together)
            loss += spread * again * (costs[p] + costs[other])
        if loss > 0 and rng.random() >= np.exp(-loss / temperature):
            continue
        _replace(sets, holders, together, p, place, enters, other)
        _replace(sets, holders, together, other, there, leaves, p)
        costs[p], costs[other] = first, second
    return float(costs.sum())


@entry
def covered_customers(published: PublishedRows, starts: Ints, known: KnownRows, found: Bools) -> None:
    """Tell whose rows the rows of some histories cover, different rows each: line h of `found` is history h.

    The rows of history h are starts[h] to starts[h + 1] - 1 of the published ones.
    """
    firsts = known.starts
    room = np.empty(1024, np.int64)
    for h in range(found.shape[0]):
        first, last = starts[h], starts[h + 1]
        edge_starts = np.zeros(last - first + 1, np.int64)
        for customer in range(found.shape[1]):
            rows = firsts[customer + 1] - firsts[customer]
            found[h, customer] = False
            if rows < last - first:
                continue
            filled = 0
            for row in range(first, last):
                if filled + rows > len(room):
                    grown = np.empty(2 * (filled + rows), np.int64)
                    grown[:filled] = room[:filled]
                    room = grown
                filled = find_fitting(published, row, known, customer, room, filled)
                edge_starts[row - first + 1] = filled
                if edge_starts[row - first] == filled:
                    break
            else:
                found[h, customer] = match_rows(room[:filled], edge_starts, rows, True) == last - first
