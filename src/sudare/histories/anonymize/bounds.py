"""A lower bound on the cost of any partition of customers into classes of at least k.

A class of c customers publishes groups of c rows. Any two of its members can be assigned to each other as the groups
say, and the pairs of a group cost together no more than the group if a pair costs

- 2/c for different items: n different items among c rows cost c (1 - 1/n), and at most c^2 (1 - 1/n) / 2 pairs differ
  (without sets they are deleted, as below);
- `distance_rate(c)` a standard deviation of distance, the least ratio of a range's cost to the summed distances;
- at most 2/(c - 1) a column, since deleting the cells of a group costs c, and it has c (c - 1) / 2 pairs;
- columns/(c - 1) for each row that the other lacks, since a deleted row is in c - 1 pairs.

Each term times c - 1 rises with c, so that classes of k are the cheapest. Every customer is in k - 1 pairs at least:
the cheapest graph of that degree (a linear program, edges at most once) bounds all classes.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from sudare.deadline import Deadline
from sudare.histories.anonymize.pairs import PairCosts
from sudare.histories.anonymize.rows import SearchRows

# Rounds in which pairs that the program should not have left out are added.
_MOST_ROUNDS = 12


def distance_rate(size: int) -> float:
    """Return the least ratio of the summed errors of a range to the summed distances of the pairs of its values.

    For values at 0 <= s <= 1 of the range it is sum(s^2 - s + 1/2) over the summed distances, which is least where each
    s is 1/2 + rate (2 i - size - 1) / 2, cut to the range; whole numbers make it only greater.
    """
    ranks = 2 * np.arange(1, size + 1) - size - 1
    rate = 1.0
    for _ in range(100):
        places = np.clip((1 + rate * ranks) / 2, 0, 1)
        rate = float((places**2 - places + 0.5).sum() / (ranks * places).sum())
    return rate


def bound_terms(rows: SearchRows, k: int) -> NDArray[np.float64]:
    """Return what pairs cost at least in classes of k or more: items, distances, a deleted cell, a deleted row."""
    items = 2 / k if rows.most_items > 1 else 2 / (k - 1) * rows.item_price
    return np.asarray([items, distance_rate(k), 2 / (k - 1), rows.row_cost / (k - 1)])


def class_bound(
    rows: SearchRows, k: int, pairs: PairCosts, *, terms: NDArray[np.float64], last_step: float, deadline: Deadline
) -> float:
    """Return a bound below the cost of all divisions into classes of k or more, from the pairs at `bound_terms`.

    Known pairs cost at most `last_step` for each row of the longer customer less than computed; others are bounded.
    When the time ends first, the bound is the best so far, 0 if there is none.
    """
    least = _least_costs(rows, pairs, terms, last_step)
    one, other = np.nonzero(np.triu(pairs.known, 1))
    bound = 0.0
    for _ in range(_MOST_ROUNDS if len(one) else 0):
        solved = _program(least[one, other], one, other, (len(least), k - 1), deadline)
        if solved is None:
            break
        over = solved[:, None] + solved - least
        np.fill_diagonal(over, 0)
        # Each pair is counted twice; what it is above its cost is taken back.
        bound = max(bound, (k - 1) * float(solved.sum()) - float(np.maximum(over, 0).sum()) / 2)
        missing = np.triu(over > 1e-6, 1)
        missing[one, other] = False
        if not missing.any():
            break
        one, other = (np.concatenate(both) for both in zip((one, other), np.nonzero(missing), strict=True))
    return bound


def _least_costs(
    rows: SearchRows, pairs: PairCosts, terms: NDArray[np.float64], last_step: float
) -> NDArray[np.float64]:
    """Return a bound below the cost of each pair."""
    lengths = rows.lengths
    longer = np.maximum(lengths[:, None], lengths)
    known = np.where(pairs.known, pairs.costs.astype(np.float64), 0)
    # A pair that was not computed is dearer than the cheapest of either customer.
    dearest = np.sort(np.where(pairs.known, pairs.costs, np.inf), axis=1)[:, pairs.wanted - 1]
    dearest = np.where(np.isfinite(dearest) & pairs.complete, dearest, 0)
    unknown = np.maximum(np.maximum(dearest[:, None], dearest), pairs.costs)
    found: NDArray[np.float64] = np.maximum(np.where(pairs.known, known, unknown) - last_step * longer, 0)
    # Single precision rounds up by less than this.
    deleted: NDArray[np.float64] = terms[3] * np.abs(lengths[:, None] - lengths)
    return np.maximum(found * (1 - 1e-6), deleted, dtype=np.float64)


def _program(
    costs: NDArray[np.float64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    customers_and_degree: tuple[int, int],
    deadline: Deadline,
) -> NDArray[np.float64] | None:
    """Return the prices of the customers in the cheapest fractional graph of a degree, None if there is no time."""
    if deadline.over:
        return None
    customers, degree = customers_and_degree
    edges = np.arange(len(costs))
    matrix = csr_array(
        (np.ones(2 * len(costs)), (np.concatenate([one, other]), np.concatenate([edges, edges]))),
        shape=(customers, len(costs)),
    )
    found = linprog(
        costs, A_eq=matrix, b_eq=np.full(customers, degree), bounds=(0, 1), method="highs",
        options={"time_limit": inf if deadline.left is None else deadline.left},
    )  # fmt: skip
    return np.asarray(found.eqlin.marginals) if found.status == 0 else None
