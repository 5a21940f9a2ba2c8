"""The cost of giving two customers the same published rows, for all promising pairs.

The costs of pairs are all that the search for classes looks at first; for classes of two they are the answer.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline
from sudare.histories.anonymize.rows import SearchRows
from sudare.kernels.histories import groups as kernels
from sudare.messages import Message
from sudare.progress import Progress
from sudare.showing import dataclass

# A row of a customer whom nobody is like costs about this with a row of another.
_USUAL_ROW_COST = 1.8


@dataclass(frozen=True, slots=True, eq=False)
class PairCosts:
    """The cost of each pair of customers: computed where `known`, else a bound below it, zero at worst.

    `wanted` cheapest pairs of each customer are known if all were computed (`complete`).
    """

    costs: NDArray[np.float32]
    known: NDArray[np.bool_]
    wanted: int
    complete: bool


def pair_terms(rows: SearchRows) -> NDArray[np.float64]:
    """Return what pairs cost in classes of two: items that differ, distances, a deleted cell, a deleted row."""
    return np.asarray([1.0 if rows.most_items > 1 else 2 * rows.item_price, 1.0, 2.0, rows.row_cost])


def pair_costs(
    rows: SearchRows,
    wanted: int,
    *,
    terms: NDArray[np.float64],
    last_step: float,
    pool: ThreadPoolExecutor,
    deadline: Deadline,
    progress: Progress,
    step: Message,
) -> PairCosts:
    """Compute the `wanted` cheapest pairs of each customer, the customers with most rows first, until the time ends.

    Each cost is at most `last_step` a row above the least.
    """
    lengths = rows.lengths
    order = np.argsort(lengths, kind="stable")
    found = np.zeros((len(lengths), len(lengths)), np.float32)
    wanted = max(1, min(wanted, len(lengths) - 1))
    done = 0

    def task(place: int) -> bool:
        nonlocal done
        if deadline.over:
            return False
        kernels.nearest(rows.until(deadline.halt), order, place, wanted, terms, last_step, found)
        done += 1
        progress(step, done, len(lengths))
        return not deadline.halt[0]

    complete = all(list(pool.map(task, range(len(lengths) - 1, -1, -1))))
    known = (found > 0) | (found.T > 0)
    costs = np.where(known, np.maximum(found, found.T), np.maximum(-found, -found.T))
    return PairCosts(costs, known, wanted, complete)


def estimated_costs(rows: SearchRows, pairs: PairCosts) -> NDArray[np.float32]:
    """Return a cost for each pair: those not computed are at least what a usual pair of such lengths costs."""
    lengths = rows.lengths.astype(np.float32)
    usual = rows.row_cost * np.abs(lengths[:, None] - lengths) + _USUAL_ROW_COST * np.minimum(lengths[:, None], lengths)
    dearest = np.where(pairs.known, pairs.costs, 0).max(axis=1)
    found = np.where(pairs.known, pairs.costs, np.maximum(np.maximum(usual, pairs.costs), dearest[:, None]))
    found = np.maximum(found, found.T).astype(np.float32)
    np.fill_diagonal(found, 0)
    return found
