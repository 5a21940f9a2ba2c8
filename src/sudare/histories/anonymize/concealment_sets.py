"""The customers that the rows of each pseudonym will cover: k each, with every customer in k sets.

Classes of k are one such choice, each class k times; any other has members that are together in some sets only. Sets
are chosen by simulated annealing on the costs of pairs. `spread` keeps customers from meeting again and again: then
sets differ more and cost more.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.histories.anonymize.class_search.start import COLD_STEPS
from sudare.histories.anonymize.pairs import PairCosts, pair_costs, pair_terms
from sudare.histories.anonymize.rows import SearchRows
from sudare.interruption import answer_found
from sudare.kernels.histories import concealment as kernels
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass

# A set of c customers costs 2/c of its pairs, and more by about this share for each member above two (measured on
# PWSCUP 2018).
_RATE_GROWTH = 0.0115
# Two rows that nobody compared cost about this if aligned.
_USUAL_ROW_COST = 1.8
# First and last temperatures, over the mean cost of a set.
_HEAT = (0.1, 0.001)
# The share of the time that the costs of pairs may take.
_PAIRS_SHARE = 0.6
# Customers that may come to a customer's set, and rounds of cooling.
_NEAR = 40
_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class SetSearch:
    """How hard to search for sets: cheapest pairs of each customer, the precision of costs, steps of annealing.

    The steps are those of forty `rounds` of cooling; fewer rounds cool down faster.
    """

    wanted: int
    last_step: float
    steps_per_customer: int
    rounds: int = _ROUNDS


THOROUGH = SetSearch(wanted=32, last_step=0.02, steps_per_customer=30_000)
FAST = SetSearch(wanted=16, last_step=0.05, steps_per_customer=5_000)


def choose_sets(
    rows: SearchRows,
    k: int,
    spread: float,
    effort: SetSearch,
    *,
    pool: ThreadPoolExecutor,
    deadline: Deadline,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[NDArray[np.int64], bool]:
    """Return a set of k customers in each line, every customer in k sets, and whether the time was enough."""
    sets = _first_sets(rows.lengths, k)
    if len(sets) == k:
        return sets, True
    with deadline.part(_PAIRS_SHARE) as part:
        pairs = pair_costs(
            rows, max(effort.wanted, 2 * k), terms=pair_terms(rows), last_step=effort.last_step, pool=pool,
            deadline=part, progress=progress, step=message("progress.pair_costs"),
        )  # fmt: skip
    # The sets can be published from the beginning; by these costs they get better.
    answer_found()
    aligned = _aligned_costs(rows, pairs)
    far = 0.5 * aligned + rows.row_cost * np.abs(rows.lengths[:, None] - rows.lengths)
    np.fill_diagonal(far, np.inf)
    near = np.argsort(far, axis=1, kind="stable")[:, : min(_NEAR, len(far) - 1)]
    terms = np.array([2 / k * (1 + _RATE_GROWTH * (k - 2)), rows.row_cost])
    together, holders = _meetings(sets)
    steps = max(1, effort.steps_per_customer * len(sets) // _ROUNDS)

    def anneal(count: int, heat: tuple[float, float], halt: NDArray[np.bool_]) -> float:
        arguments = sets, holders, together, aligned, rows.lengths, near, terms, spread
        return kernels.anneal_sets(*arguments, count, heat, rng, halt)

    never = np.zeros(1, np.bool_)
    mean = anneal(1, (1e-9, 1e-9), never) / len(sets) or 1.0
    heats = mean * np.geomspace(*_HEAT, effort.rounds + 1)
    for done in range(effort.rounds):
        progress(message("progress.customer_sets"), done, effort.rounds)
        anneal(steps, (heats[done], heats[done + 1]), deadline.halt)
        if deadline.over:
            # What was done while it was hot must not stay as it is.
            anneal(min(steps, COLD_STEPS * len(sets)), (heats[-1], heats[-1]), never)
            return sets, False
    return sets, pairs.complete


def _first_sets(lengths: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return classes of k customers with similar numbers of rows, k times each; the last turn among more."""
    order = np.argsort(-lengths, kind="stable")
    whole = (len(order) // k - 1) * k
    left = len(order) - whole
    classes = np.repeat(order[:whole].reshape(-1, k), k, axis=0)
    turned = order[whole + (np.arange(left)[:, None] + np.arange(k)) % left]
    return np.concatenate([classes, turned])


def _aligned_costs(rows: SearchRows, pairs: PairCosts) -> NDArray[np.float64]:
    """Return what the aligned rows of each pair cost; those not computed as much as the dearest of either."""
    lengths = rows.lengths
    shorter = np.minimum(lengths[:, None], lengths)
    known = pairs.costs - rows.row_cost * np.abs(lengths[:, None] - lengths)
    dearest = np.where(pairs.known, known / shorter, _USUAL_ROW_COST).max(axis=1)
    found = np.where(pairs.known, known, np.maximum(dearest[:, None], dearest) * shorter)
    np.fill_diagonal(found, 0)
    both: NDArray[np.float64] = np.maximum(found, found.T).astype(np.float64)
    return both


def _meetings(sets: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return in how many sets two customers are together, and the sets of each customer."""
    together = np.zeros((len(sets), len(sets)), np.int32)
    for one in sets.T:
        for other in sets.T:
            np.add.at(together, (one, other), 1)
    np.fill_diagonal(together, 0)
    holders = np.argsort(sets.ravel(), kind="stable").reshape(len(sets), -1) // sets.shape[1]
    return together, holders
