"""Final alignment of the rows of classes, once the classes are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, cycle, islice

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.histories.anonymize.class_search.model import AlignedClass, ClassSearch, aligned_class
from sudare.histories.anonymize.rows import SearchRows
from sudare.interruption import answer_found
from sudare.kernels.histories import search as kernels
from sudare.messages import message
from sudare.progress import Progress

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
    return search.keep(search.pool.map(lambda found: _realigned(search.rows, found, search.deadline), classes))


def align_given(
    rows: SearchRows,
    classes: Sequence[NDArray[np.int64]],
    *,
    pool: ThreadPoolExecutor,
    deadline: Deadline,
    final: bool,
    progress: Progress,
) -> list[AlignedClass]:
    """Align the rows of classes whose members are given, those with few rows first; no costs of pairs are needed.

    `final` classes are an answer by themselves: who may stop the search gets the best so far.
    """
    made = list(pool.map(lambda members: aligned_class(rows, members, deadline), classes))
    if final:
        answer_found()
    done = 0

    def task(found: AlignedClass) -> AlignedClass:
        nonlocal done
        found = _realigned(rows, found, deadline)
        done += 1
        progress(message("progress.alignment"), done, len(made))
        return found

    return list(pool.map(task, sorted(made, key=lambda found: found.rows.size)))


def _realigned(rows: SearchRows, found: AlignedClass, deadline: Deadline) -> AlignedClass:
    divisions = _divisions(len(found.members))
    # Large classes have very many divisions: the last thousandth is left.
    exact = len(found.members) <= _MOST_EXACT
    failed = 0
    for division in cycle(divisions):
        if failed == len(divisions) or deadline.over:
            break
        better = AlignedClass(*kernels.align_anew(rows.until(deadline.halt), found.parts, division, exact))
        failed = 0 if better.cost < found.cost - 1e-9 else failed + 1
        found = min(found, better, key=lambda one: one.cost)
    return found


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
