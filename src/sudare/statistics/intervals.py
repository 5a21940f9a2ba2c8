"""Sample means and shares, and their confidence intervals."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass

CONFIDENCE = 0.95
# The quantile of the normal distribution for an interval of 95 %.
Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean estimated from a sample, with an interval that holds it with the stated confidence."""

    value: float
    low: float
    high: float
    unique_share: float
    sample: int
    confidence: float = CONFIDENCE


def summarize(crowds: NDArray[np.float64], *, customers: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of 1/crowd with the empirical Bernstein interval (Maurer and Pontil 2009), which always holds.

    For n draws in [0, 1] with variance v: |mean - truth| <= sqrt(2 v ln(4/d) / n) + 7 ln(4/d) / (3 (n - 1)), d = 1 -
    confidence (both sides).
    """
    mean, low, high = mean_interval(1.0 / crowds, confidence)
    unique = float(np.mean(crowds == 1))
    return Estimate(mean, max(low, 1 / customers), high, unique, len(crowds), confidence)


def mean_interval(shares: NDArray[np.float64], confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """Return the mean of draws between 0 and 1 and the ends of its empirical Bernstein interval."""
    n, mean = len(shares), float(np.mean(shares))
    slack = log(4 / (1 - confidence))
    variance = float(np.var(shares, ddof=1)) if n > 1 else 0.25
    width = sqrt(2 * variance * slack / n) + 7 * slack / (3 * max(n - 1, 1))
    return mean, max(mean - width, 0.0), min(mean + width, 1.0)


def share_interval(hits: float, number: int) -> tuple[float, float]:
    """Return the ends of the interval of 95 % for a share of which `hits` of `number` were found (Wilson, 1927).

    Hits may be expected ones, and then need not be whole numbers. Of nothing, the share can be anything.
    """
    if not number:
        return 0.0, 1.0
    share, spread = hits / number, Z_95**2 / number
    middle = (share + spread / 2) / (1 + spread)
    width = sqrt(max(share * (1 - share), 0.0) * spread + spread**2 / 4) / (1 + spread)
    return max(middle - width, 0.0), min(middle + width, 1.0)
