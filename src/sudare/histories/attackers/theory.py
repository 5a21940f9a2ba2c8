"""The theoretical identification probability of Ito, Kikuchi, Nakagawa (Theorems 4.1 to 4.3), and better ones.

The paper: if as many customers as occurrences have each value, and parts are independent, then the mean identification
probability is the number of possible values divided by the number of rows. Two things make it large where it should be
at most 1: combinations that never occur are counted, and occurrences are taken for rows. The paper leaves a better
theory to future work (section 5); both here keep its first assumption, that every occurrence is another customer's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, prod

import numpy as np

from sudare.engine.protocol import Row
from sudare.histories.attackers.knowledge import Knowledge
from sudare.kernels.common.arrays import Floats

# Shares that differ by less than a factor of e^(1/STEPS) are told by their mean once there are more than MOST_SHARES of
# them. What is added up is smooth in the share, so this changes the sum by less than one part in 100,000.
MOST_SHARES = 1000
STEPS = 128


def possible_values(knowledge: Knowledge, sizes: Mapping[str, int]) -> int:
    """Count the values the knowledge could have if its parts were independent.

    `sizes` gives the number of distinct values of each part. Known things of one kind are unordered: two different
    items are one of comb(items, 2) pairs, two visits on different days one of comb(days, 2) pairs of days.
    """
    rows: int = comb(prod(sizes[part] for part in knowledge.row_parts), knowledge.rows) if knowledge.row_parts else 1
    beside_day = rows * prod(sizes[part] for part in knowledge.visit_parts if part != "day")
    if "day" in knowledge.visit_parts:
        visits = comb(sizes["day"], knowledge.visits) * beside_day**knowledge.visits
    else:
        visits = comb(beside_day + knowledge.visits - 1, knowledge.visits)
    return int(visits * prod(sizes[part] for part in knowledge.customer_parts))


def theoretical_probability(knowledge: Knowledge, sizes: Mapping[str, int], *, records: int, customers: int) -> float:
    """Return possible values / records; without knowledge, 1 / customers. It can exceed 1."""
    if not knowledge.parts:
        return 1 / customers
    return possible_values(knowledge, sizes) / records


def occurring_probability(values: int, occurrences: int) -> float | None:
    """Return occurring values / occurrences: Theorem 4.1 without independence; None where nothing occurs.

    If each value occurs once a customer, sum over x of o_x / O * 1 / o_x is the number of values / O.
    """
    return values / occurrences if occurrences else None


def has_marginals(knowledge: Knowledge) -> bool:
    """Tell whether a knowledge is of one row or visit, so that the marginals of its parts say how likely a value is."""
    return knowledge.rows == knowledge.visits == 1 and not knowledge.customer_parts and bool(knowledge.parts)


def marginal_probability(parts: Sequence[Sequence[Row]]) -> float:
    """Return the expected number of different values / occurrences if the parts are independent of each other.

    `parts` has for each part how often (1st, not read) how many of its values (2nd) occur, and how often in all (3rd),
    in occurrences of the knowledge. Of O occurrences, which take independent values of each part, a combination with
    the share p is the value of at least one with probability 1 - (1 - p)^O; the paper's product has 1 in its place. Of
    a single part it is known which values occur. Never above 1.
    """
    occurrences = sum(int(whole) for _, _, whole in parts[0])
    counts = [np.array([(times, whole / times) for _, times, whole in part], np.float64) for part in parts]
    if len(counts) == 1:
        return float(counts[0][:, 0].sum()) / occurrences
    shares, values = np.ones(1), np.ones(1)
    for times, often in (part.T for part in counts):
        products = np.outer(shares, often / occurrences), np.outer(values, times)
        shares, values = _merged(*(product.ravel() for product in products))
    with np.errstate(divide="ignore"):  # a share of 1 surely occurs
        occurring = -np.expm1(occurrences * np.log1p(-np.minimum(shares, 1.0)))
    return float(values @ occurring) / occurrences


def _merged(shares: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Tell many shares by fewer: those that are nearly equal by their mean."""
    if len(shares) <= MOST_SHARES:
        return shares, values
    places = np.floor(np.log(shares) * STEPS).astype(np.int64)
    places -= places.min()
    merged: Floats = np.bincount(places, values).astype(np.float64)
    means: Floats = np.bincount(places, values * shares).astype(np.float64)
    there = merged > 0
    return means[there] / merged[there], merged[there]
