"""Suppressing fewer items for the same guarantee.

The paper repairs one unsafe adversary after another. Here all rules are seen at once: the occurrence whose suppression
lessens most what all of them lack goes first, and what turns out not to be needed comes back at the end. The paper's
way is gone first, and a better answer is taken, by the measure that is to be kept low: so it is never worse by this
than the paper's with the same seed, and if the time is over before all is tried, there is mostly a finished answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.suppress.choice import Choice, KeepLow
from sudare.baskets.suppress.repair import Work, repair_all
from sudare.deadline import TimeOver
from sudare.interruption import settle
from sudare.kernels.baskets import best_suppression as kernels
from sudare.kernels.baskets.suppression import Space, Supports
from sudare.messages import message

# How much an item that lost much is spared (`worth` in the kernel): not at all, a little, and much.
BALANCES = (0.0, 2.0, 16.0)
# To which shares of what is left on the whole items are evened out, one after another.
EVENED = np.linspace(1.03, 0.91, 25)
# Steps between two looks at the clock.
_STEPS = 20_000


def suppress_best(work: Work, whole: Supports, keep_low: KeepLow) -> None:
    """Go the paper's way, then suppress what helps most, restore what can be after each, and keep the better."""
    first = whole._replace(counts=whole.counts.copy())
    repair_all(work, first)
    choice = Choice(work.original, keep_low, work.kept)
    papers = int(np.count_nonzero(work.kept))
    try:
        _Search(work, first, 0.0).restore(choice)
        for balance in BALANCES:
            work.reset()
            search = _Search(work, whole._replace(counts=whole.counts.copy()), balance)
            search.suppress()
            search.restore(choice)
        if keep_low != "items":
            search.even_out(choice, papers)
    except (TimeOver, KeyboardInterrupt):
        # There is a finished answer.
        settle()
    finally:
        work.kept[:] = choice.kept


class _Search:
    """The state of the rules while occurrences are suppressed and restored."""

    def __init__(self, work: Work, supports: Supports, balance: float) -> None:
        self._work, self._balance = work, balance
        guards = np.zeros(len(supports.rules.items), np.int64)
        kernels.count_guards(work.question, supports, work.most_known, guards, work.halt)
        work.check_time()
        lengths = (supports.most + 1, supports.most + 2, supports.room, supports.most + 1)
        space = Space(*(np.empty(length, np.int64) for length in lengths))
        mark = np.zeros(len(work.original.names), np.bool_)
        self._state = kernels.State(work.question, supports, guards, mark, work.frequencies, space)

    def suppress(self) -> None:
        """Suppress what helps most, until no rule lacks anything."""
        work = self._work
        heap, wanted = np.empty((len(work.kept) + 1, 2), np.int64), np.empty(len(work.kept), np.bool_)
        left = whole = kernels.total_lacking(self._state)
        while left:
            work.passes += 1
            order = work.rng.permutation(len(work.kept))
            size, before = kernels.fill(self._state, order, heap, wanted, self._balance, work.halt), left
            work.check_time()
            while size and left:
                size, left = kernels.suppress_greedily(self._state, heap, size, left, _STEPS, self._balance, work.halt)
                work.check_time()
                gone = len(work.kept) - int(np.count_nonzero(work.kept))
                step = message("progress.best_suppression", number=work.passes, lacking=left, suppressed=gone)
                work.progress(step, whole - left, whole)
            if left == before:
                left -= kernels.force(self._state, work.found, work.halt)
                work.check_time()

    def _order(self, gone: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return suppressed occurrences in random order, or those of the items that lost the largest share first."""
        gone = self._work.rng.permutation(gone)
        if not self._balance:
            return gone
        now, before, _ = self._work.frequencies
        items = self._work.original.items[gone]
        return gone[np.argsort(now[items] / before[items], kind="stable")]

    def restore(self, choice: Choice) -> None:
        """Restore what can be restored, until nothing can, and offer what is kept then.

        What is restored when the time is over is safe too.
        """
        work, restored = self._work, 1
        try:
            while restored:
                gone = self._order(np.flatnonzero(~work.kept))
                restored = kernels.restore(self._state, gone, work.halt)
                work.check_time()
        finally:
            choice.offer(work.kept)

    def even_out(self, choice: Choice, least: int) -> None:
        """Suppress some of the items that lost little, where that does no harm, and offer what is kept.

        Items that lost alike keep their shares of all, so the KL divergence falls. Ends before fewer than `least`
        occurrences are left, and if all measures are to be low, when they are.
        """
        work = self._work
        left = np.count_nonzero(work.kept) / max(len(work.kept), 1)
        for share in left * EVENED:
            order = work.rng.permutation(np.flatnonzero(work.kept))
            kernels.even_out(self._state, order, float(share), work.halt)
            work.check_time()
            if np.count_nonzero(work.kept) < least or (choice.offer(work.kept) and choice.keep_low == "all"):
                break
