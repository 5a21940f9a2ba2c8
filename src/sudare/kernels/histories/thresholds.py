"""Computing success thresholds r(n) for one n after another, while floating point is certain of each step.

Both walks hold one product, a bound divided by alpha, and change it by a factor for each step of n and of r. Every
rounding adds at most half of `ROUNDING` to its relative error; the other half is for products of errors. What is
nearer to 1 than the errors allow is left to the caller, who settles it in whole numbers.
"""

from __future__ import annotations

from sudare.kernels.common.arrays import Ints
from sudare.kernels.entry import entry, inner

ROUNDING = 2.0**-52
NEGLIGIBLE = 2.0**-60

UNSETTLED, NOT_BELOW, BELOW = -1, 0, 1


@inner
def _compared(value: float, roundings: int) -> int:
    """Return whether a value with a number of rounding errors is below 1, or `UNSETTLED`."""
    error = (roundings + 4) * ROUNDING
    if value * (1 + error) < 1:
        return BELOW
    return NOT_BELOW if value * (1 - error) > 1 else UNSETTLED


@inner
def _sum_below(n: int, s: int, product: float, roundings: int, p: float) -> int:
    """Return whether the sum over k = s..n of C(n,k) p^k is below alpha, where `product` is its first term / alpha."""
    term, total, k = 1.0, 1.0, s
    while k < n:
        ratio = (n - k) * p / (k + 1)
        term *= ratio
        total += term
        k += 1
        # Ratios fall, so that what follows is less than this term.
        if ratio < 0.5 and term < total * NEGLIGIBLE:
            break
    return _compared(product * total, roundings + 5 * (k - s) + 1)


@entry
def walk_sums(
    found: Ints, n: int, s: int, product: float, roundings: int, p: float, answer: int
) -> tuple[int, int, float, int]:
    """Fill `found[n:]` with the least s whose sum is below alpha; `product` is C(n,s) p^s / alpha.

    Return n, s, product and roundings where the walk ended: n is the length of `found`, or (n, s) is to be settled by
    the caller, who calls again with the `answer`.
    """
    while True:
        below = answer if answer != UNSETTLED else _sum_below(n, s, product, roundings, p)
        answer = UNSETTLED
        if below == UNSETTLED:
            return n, s, product, roundings
        if below == BELOW:
            found[n] = s
            n += 1
            if n == len(found):
                return n, s, product, roundings
            product *= n / (n - s)
            roundings += 2
        else:
            product *= (n - s) * p / (s + 1)
            s += 1
            roundings += 4


@entry
def walk_products(
    found: Ints, n: int, s: int, j: int, product: float, roundings: int, p: float, answer: int
) -> tuple[int, int, int, float, int]:
    """Fill `found[n:]` with the least s for which the least of C(n,j) p^j / C(s,j) over j is below alpha.

    `product` is that quotient for the given j, divided by alpha. It is least where the factors (n-i) p / (s-i), which
    rise with i, cross 1. Factors so near to 1 that they are taken for the wrong side change the product by no more than
    their own roundings, which are counted for every i < s. The end is as in `walk_sums`.
    """
    while True:
        while j < s and (n - j) * p < s - j:
            product *= (n - j) * p / (s - j)
            j += 1
            roundings += 4
        while j > 0 and (n - j + 1) * p > s - j + 1:
            j -= 1
            product *= (s - j) / ((n - j) * p)
            roundings += 4
        below = answer if answer != UNSETTLED else _compared(product, roundings + 4 * s)
        answer = UNSETTLED
        if below == UNSETTLED:
            return n, s, j, product, roundings
        if below == BELOW:
            found[n] = s
            n += 1
            if n == len(found):
                return n, s, j, product, roundings
            product *= n / (n - j)
            roundings += 2
        else:
            product *= (s + 1 - j) / (s + 1)
            s += 1
            roundings += 2
