"""Long sums of smooth functions and differences of log-gammas, to full precision at any length.

Estimates for populations need sums over as many terms as there are records, and ratios of factorials of the size of
the population; neither may cost more with size, nor lose digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.common.arrays import Floats

# Terms that are added one by one. The error of the rest is about 1e-3 times the third derivative at its beginning.
_HEAD = 512
# In the logarithm of the place, the functions are analytic within pi of the axis: 64 nodes give 15 digits up to 1e12.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
# Below this, Stirling's series with three terms has fewer than 12 digits.
_STIRLING_FROM = 16.0


def sum_rule(terms: int) -> tuple[Floats, Floats]:
    """Return places x and weights w such that the sum of f(0), ..., f(terms - 1) is that of w f(x) for smooth f.

    Smooth are functions like 1 / (a + b i) with a, b >= 0. The first terms stand as they are; for the others stands
    the integral by Gauss and Legendre, with the first correction of Euler and Maclaurin.
    """
    if terms <= _HEAD + 1:
        return np.arange(terms, dtype=np.float64), np.ones(terms)
    begin, end = _HEAD - 0.5, terms - 0.5
    half = math.log(end / begin) / 2
    inner = begin * np.exp(half * (_NODES + 1))
    # The derivatives at both ends as differences of neighbouring terms.
    ends = np.array([terms, terms - 1, _HEAD, _HEAD - 1], dtype=np.float64)
    places = np.concatenate([np.arange(_HEAD), inner, ends])
    weights = np.concatenate([np.ones(_HEAD), half * _WEIGHTS * inner, np.array([-1, 1, 1, -1]) / 24])
    return places, weights


def joint_sum_rule(terms: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return one rule for several sums over the same function, each counted some times."""
    short = terms <= _HEAD + 1
    longest = int(terms[short].max(initial=0))
    # How many of the short sums have each term.
    having = np.cumsum(np.bincount(terms[short], weights=times[short], minlength=longest + 1)[::-1])[::-1][1:]
    places, weights = [np.arange(longest, dtype=np.float64)], [having]
    for length, number in zip(terms[~short].tolist(), times[~short].tolist(), strict=True):
        rule = sum_rule(length)
        places.append(rule[0])
        weights.append(rule[1] * number)
    return np.concatenate(places), np.concatenate(weights)


def log_gamma_fall(z: float, d: float) -> float:
    """Return ln Gamma(z) - ln Gamma(z - d) for z > d >= 0, without the loss of digits that large z would bring."""
    low = z - d
    if low < _STIRLING_FROM:
        return math.lgamma(z) - math.lgamma(low)
    return d * math.log(z) - (low - 0.5) * math.log1p(-d / z) - d + _stirling_rest(z) - _stirling_rest(low)


def _stirling_rest(z: float) -> float:
    return (1 - (1 / 30 - 1 / (105 * z * z)) / (z * z)) / (12 * z)


def find_root(
    function: Callable[[float], tuple[float, float]], low: float, high: float, *, tolerance: float = 1e-13
) -> float:
    """Return where a function that is positive at `low` and negative at `high` is zero.

    The function returns its value and slope. Newton's steps are taken as long as they stay within the bracket and the
    bracket shrinks; else it is halved.
    """
    place = (low + high) / 2
    last = high - low
    for _ in range(200):
        value, slope = function(place)
        if value > 0:
            low = place
        else:
            high = place
        step = -value / slope if slope else math.inf
        if not (low < place + step < high and abs(step) < last / 2):
            step = (low + high) / 2 - place
        last = abs(step)
        place += step
        if last <= tolerance * max(1.0, abs(place)):
            break
    return place
