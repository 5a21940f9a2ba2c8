"""Drawing assignments of different customers to pseudonyms, and guesses that are often right together.

The customers that pseudonym p can have are `edges[starts[p] : starts[p + 1]]`; `match[p]` is the one it has, and
`owner[j]` the pseudonym that has customer j, -1 if none does.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints, Ints32
from sudare.kernels.entry import entry, inner


@inner
def _change(starts: Ints, edges: Ints, p: int, match: Ints, owner: Ints, rng: np.random.Generator) -> int:
    """Take the customer of one pseudonym away and let it choose anew; return the number of choices.

    Whoever has the customer that is chosen chooses next, until one is chosen that nobody has. Every choice is as
    probable as the one that takes it back, so that all ways are equally probable in the end.
    """
    owner[match[p]] = -1
    choices = 0
    while True:
        choices += 1
        chosen = edges[starts[p] + rng.integers(0, starts[p + 1] - starts[p])]
        before = owner[chosen]
        match[p], owner[chosen] = chosen, p
        if before < 0:
            return choices
        p = before


@entry
def draw_matchings(
    starts: Ints,
    edges: Ints,
    pids: Ints,
    match: Ints,
    owner: Ints,
    changes: int,
    rng: np.random.Generator,
    found: Ints32,
    halt: Bools,
) -> tuple[int, int]:
    """Write a drawn matching of some pseudonyms to each line of `found`, a number of changes apart.

    Returns how many lines were written before it was halted, one at least, and how many choices there were in all.
    """
    choices = 0
    for line in range(found.shape[0]):
        if line and halt[0]:
            return line, choices
        for _ in range(changes):
            choices += _change(starts, edges, pids[rng.integers(0, len(pids))], match, owner, rng)
        for place in range(len(pids)):
            found[line, place] = match[pids[place]]
    return found.shape[0], choices


@inner
def _best_edge(drawn: Ints32, alive: Ints, starts: Ints, edges: Ints, near: Ints, counts: Ints) -> tuple[int, int, int]:
    """Return the pseudonym near the guesses, and its customer, that most of the drawn matchings have."""
    best, pid, customer = 0, -1, -1
    for p in range(len(near)):
        if near[p] != 1:
            continue
        for place in range(starts[p], starts[p + 1]):
            counts[edges[place]] = 0
        for line in alive:
            counts[drawn[line, p]] += 1
        for place in range(starts[p], starts[p + 1]):
            if counts[edges[place]] > best:
                best, pid, customer = counts[edges[place]], p, edges[place]
    return best, pid, customer


@entry
def grow_guesses(
    drawn: Ints32, starts: Ints, edges: Ints, holder_starts: Ints, holders: Ints, order: Ints, stay: bool, found: Ints
) -> int:
    """Add to a first guess, `found[0]`, those that are most often right with all before; return how many there are.

    Looked at are the pseudonyms that share a customer with one guessed, and the first guess of `order` (pseudonym,
    customer) whose pseudonym is none of these; with `stay` only where there are no others: the last guesses of a
    closed group are certain, which its first ones do not show.
    """
    near = np.zeros(len(starts) - 1, np.int64)
    counts = np.zeros(len(holder_starts) - 1, np.int64)
    alive = np.arange(drawn.shape[0])
    pid, customer, next_place = found[0, 0], found[0, 1], 0
    for depth in range(found.shape[0]):
        found[depth, 0], found[depth, 1] = pid, customer
        alive = alive[drawn[alive, pid] == customer]
        if not len(alive):
            return depth
        near[pid] = 2
        for place in range(starts[pid], starts[pid + 1]):
            shared = edges[place]
            for other in holders[holder_starts[shared] : holder_starts[shared + 1]]:
                near[other] = max(near[other], 1)
        best, pid, customer = _best_edge(drawn, alive, starts, edges, near, counts)
        while next_place < len(order) and near[order[next_place, 0]]:
            next_place += 1
        if next_place < len(order) and not (stay and best > 0):
            other, wanted = order[next_place]
            right = 0
            for line in alive:
                right += drawn[line, other] == wanted
            if right > best:
                best, pid, customer = right, other, wanted
        if best == 0:
            return depth + 1
    return len(found)
