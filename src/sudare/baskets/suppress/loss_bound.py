"""A lower bound on the loss of any safe suppression, whatever its algorithm: an open question of the paper.

An unsafe rule Q -> e that somebody wants to be safe from has `a` records with Q and `c` with Q and e. A published data
set in which it is safe has lost an item of Q or e in at least c - rho a of these c records: if k of them did, c - k of
at most a records are left that have Q, and c - k <= rho a; if no record has Q any more, all c lost one. Rules are
counted one after another, each for the records in which no occurrence was counted for another one: so no suppression is
counted twice, and the sum is at most the size of every safe suppression.
"""

from __future__ import annotations

import numpy as np

from sudare.baskets.suppress.repair import Work
from sudare.kernels.baskets import best_suppression, loss_bound
from sudare.kernels.baskets.suppression import Supports


def least_suppressed(work: Work, supports: Supports) -> int:
    """Return a number of occurrences that every suppression has to remove that is safe from all adversaries.

    Asked before anything is suppressed. Two orders of the rules are tried: those that use the fewest occurrences for
    each that has to go first, and small sets first.
    """
    guards = np.zeros(len(supports.rules.items), np.int64)
    best_suppression.count_guards(work.question, supports, work.most_known, guards, work.halt)
    work.check_time()
    unsafe = loss_bound.unsafe_rules(work.question, supports, guards)
    sizes = supports.sets.sizes[unsafe.whole]
    used = supports.counts[unsafe.left if work.question.of_published else unsafe.whole] * sizes
    best = 0
    for order in (np.argsort(-unsafe.needed / used, kind="stable"), np.lexsort((-unsafe.needed, sizes))):
        found = loss_bound.count_disjoint(work.question, supports.sets, unsafe, order, work.found, work.halt)
        best = max(best, found)
        work.check_time()
    return best
