"""Suppressing fewer items for the same guarantee.

The paper repairs one unsafe adversary after another. Here all rules are seen at once: the occurrence whose suppression
lessens most what all of them lack goes first, and what turns out not to be needed comes back at the end. The paper's
way is gone first, and the answer with fewer suppressed occurrences is taken: so it is never worse than the paper's with
the same seed, and if the time is over before all is tried, there is mostly an answer that is finished.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.anonymize.suppression import Supports, Work, repair_all
from sudare.deadline import TimeOver
from sudare.interruption import settle
from sudare.kernels import best_suppression as kernels

# Steps between two looks at the clock.
_STEPS = 20_000
# The types of compiled functions hide what they take.
_count_guards: Any = kernels.count_guards
_total_lacking: Any = kernels.total_lacking
_fill: Any = kernels.fill
_suppress_greedily: Any = kernels.suppress_greedily
_force: Any = kernels.force
_restore: Any = kernels.restore


def suppress_best(work: Work) -> None:
    """Go the paper's way, then suppress what helps most, restore what can be after each, and keep the better."""
    whole = work.supports()
    first = replace(whole, counts=whole.counts.copy())
    repair_all(work, first)
    kept = work.kept.copy()
    try:
        _Search(work, first).restore(kept)
        work.reset()
        search = _Search(work, whole)
        search.suppress()
        search.restore(kept)
    except (TimeOver, KeyboardInterrupt):
        # There is a finished answer.
        settle()
    finally:
        work.kept[:] = kept


class _Search:
    """The state of the rules while occurrences are suppressed and restored."""

    def __init__(self, work: Work, supports: Supports) -> None:
        self._work = work
        guards = np.zeros(len(supports.rules.items), np.int64)
        _count_guards(
            supports.sets, supports.rules, work.records, work.lists, work.most_known, work.of_published, guards,
            work.halt,
        )  # fmt: skip
        work.check_time()
        self._state = (
            supports.sets, supports.rules, work.records, supports.counts, guards, work.lists, work.rule, supports.most,
            work.of_published, np.zeros(len(work.original.names), np.bool_),
        )  # fmt: skip
        lengths = (supports.most + 1, supports.most + 2, supports.room, supports.most + 1)
        self._space = tuple(np.empty(length, np.int64) for length in lengths)

    def suppress(self) -> None:
        """Suppress what helps most, until no rule lacks anything."""
        work = self._work
        heap, wanted = np.empty((len(work.kept) + 1, 2), np.int64), np.empty(len(work.kept), np.bool_)
        left = whole = int(_total_lacking(self._state))
        while left:
            work.passes += 1
            order = work.rng.permutation(len(work.kept))
            size, before = _fill(self._state, order, heap, self._space, wanted, work.halt), left
            work.check_time()
            while size and left:
                size, left = _suppress_greedily(self._state, heap, size, left, _STEPS, self._space, work.halt)
                work.check_time()
                gone = len(work.kept) - int(np.count_nonzero(work.kept))
                work.progress(f"pass {work.passes}: {left:,} lacking, {gone:,} suppressed", whole - left, whole)
            if left == before:
                left -= int(_force(self._state, work.found, self._space, work.halt))
                work.check_time()

    def restore(self, best: NDArray[np.bool_]) -> None:
        """Restore what can be restored, until nothing can; what is kept then is put into `best` if it is more.

        What is restored when the time is over is safe too.
        """
        work, restored = self._work, 1
        try:
            while restored:
                gone = np.flatnonzero(~work.kept)
                restored = _restore(self._state, work.rng.permutation(gone), self._space, work.halt)
                work.check_time()
        finally:
            if np.count_nonzero(work.kept) > np.count_nonzero(best):
                best[:] = work.kept
