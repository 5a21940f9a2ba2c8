"""Final alignment of the rows of classes, once the classes are fixed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, cycle, islice

import numpy as np
from numpy.typing import NDArray

from sudare.histories.anonymize.class_search.model import AlignedClass, ClassSearch
from sudare.kernels.histories import search as kernels

# Members of a class whose rows are aligned exactly in the end.
_MOST_EXACT = 3
# Ways to divide a class in two that are tried in the end.
_MOST_DIVISIONS = 64


def realign_all(search: ClassSearch) -> None:
    """Align the rows of every class anew in more ways, those with few rows first: they gain most in a time."""
    search.classes = realigned(search, sorted(search.classes, key=lambda found: found.rows.size))
    search.converged = search.converged and not search.hurried and not search.deadline.over
    search.tell(search.cost)


def realigned(search: ClassSearch, classes: Iterable[AlignedClass]) -> list[AlignedClass]:
    """Return classes with their rows divided and joined anew until nothing is better, or the time is over."""

    def task(found: AlignedClass) -> AlignedClass:
        divisions = _divisions(len(found.members))
        # Large classes have very many divisions: the last thousandth is left.
        exact = len(found.members) <= _MOST_EXACT
        failed = 0
        for division in cycle(divisions):
            if failed == len(divisions) or search.deadline.over:
                break
            better = AlignedClass(
                *kernels.align_anew(search.rows.until(search.deadline.halt), found.parts, division, exact)
            )
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
