"""What the criteria promise about the share of a sensitive value in a class."""

from __future__ import annotations

from math import log

import numpy as np

from sudare.tables.attack.class_values import ClassValues
from sudare.tables.classes.criteria import Criteria


def share_limit(criteria: Criteria, values: ClassValues) -> float | None:
    """Return the largest share of a value that l-diversity allows in any of the classes, None if it was not asked for.

    Distinct l leaves at most n - l + 1 of n records for one value, recursive (c, l) less than c / (1 + c) of them, and
    entropy l what makes the entropy log(l) if all other values of the table are equally frequent.
    """
    if criteria.l is None:
        return None
    if criteria.diversity == "distinct":
        sizes = values.sizes
        return float(np.max((sizes - criteria.l + 1) / sizes, initial=0.0))
    if criteria.diversity == "recursive":
        c = criteria.c or 1.0
        return c / (1 + c)
    return _entropy_limit(criteria.l, int(np.count_nonzero(values.totals)))


def _entropy_limit(least: float, different: int) -> float:
    """Return the largest share p with H(p, rest spread evenly) >= log(least), by bisection."""
    low, high = 1 / max(different, 1), 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _entropy(middle, different) >= log(least) else (low, middle)
    return high


def _entropy(share: float, different: int) -> float:
    rest = 1 - share
    if different < 2 or not rest:
        return 0.0
    return -share * log(share) - rest * log(rest / (different - 1))


def keeps_diversity(criteria: Criteria, values: ClassValues) -> bool:
    """Return whether no class has a value with a larger share than l-diversity allows there."""
    if criteria.diversity == "distinct":
        return bool(np.all(values.different >= (criteria.l or 1)))
    limit = share_limit(criteria, values)
    return limit is None or bool(np.all(values.shares <= limit + 1e-9))
