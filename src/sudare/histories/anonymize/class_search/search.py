"""The complete search for classes."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from sudare.histories.anonymize.class_search.alignment import realign_all, realigned
from sudare.histories.anonymize.class_search.exchanges import cool, exchange
from sudare.histories.anonymize.class_search.model import ClassSearch
from sudare.histories.anonymize.class_search.recombination import grow, recombine
from sudare.histories.anonymize.class_search.start import start

# If so few classes are possible, all of them are computed, and the best division is found.
_FEW_CLASSES = 500
# The share of all the time that is kept for the alignment of rows in the end.
_ALIGNING_SHARE = 0.1


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
