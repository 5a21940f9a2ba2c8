"""What any safe suppression has to lose, whatever its algorithm: the paper's question about a theory of performance.

An unsafe rule Q -> e that somebody wants to be safe from has `a` records with Q and `c` with Q and e. A published data
set in which it is safe has lost an item of Q or e in at least c - rho a of these c records: if k of them did, c - k of
at most a records are left that have Q, and c - k <= rho a; if no record has Q any more, all c lost one. Rules are
counted one after another, each for the records in which no occurrence was counted for another one: so no suppression is
counted twice, and the sum is at most the size of every safe suppression.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.baskets.suppress.work import Supports, Work
from sudare.kernels.baskets import best_suppression, loss_bound

# The types of compiled functions hide what they take.
_count_guards: Any = best_suppression.count_guards
_unsafe_rules: Any = loss_bound.unsafe_rules
_count_disjoint: Any = loss_bound.count_disjoint


def least_suppressed(work: Work, supports: Supports) -> int:
    """Return a number of occurrences that every suppression has to remove that is safe from all adversaries.

    Asked before anything is suppressed. Two orders of the rules are tried: those that use the fewest occurrences for
    each that has to go first, and small sets first.
    """
    guards = np.zeros(len(supports.rules.items), np.int64)
    _count_guards(
        supports.sets, supports.rules, work.records, work.lists, work.most_known, work.of_published, guards, work.halt
    )
    work.check_time()
    unsafe = _unsafe_rules(supports.rules, supports.counts, guards, work.rule, work.of_published)
    sizes = supports.sets.sizes[unsafe[:, 1]]
    used = supports.counts[unsafe[:, 0] if work.of_published else unsafe[:, 1]] * sizes
    given = supports.sets, work.records, work.of_published, work.found, work.halt
    best = 0
    for order in (np.argsort(-unsafe[:, 2] / used, kind="stable"), np.lexsort((-unsafe[:, 2], sizes))):
        best = max(best, int(_count_disjoint(unsafe, order, *given)))
        work.check_time()
    return best
