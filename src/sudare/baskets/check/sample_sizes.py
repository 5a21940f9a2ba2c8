"""How many adversaries a check draws, and what a sample without an unsafe one proves.

What a sample proves is derived in docs/explanation/baskets.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sudare.errors import OptionNotUsable
from sudare.messages import message

# Items known by all drawn adversaries that are in memory at once: some 2 GB.
MOST_POINTS = 50_000_000
# Looks that the best strategy shares delta among.
SHARED_LOOKS = 20_000
# More looks are not counted: nobody has the time.
MOST_LOOKS = 1_000_000_000
# Above this number of draws, a sample size that rounding could decide is not found exactly, but has one draw more.
_EXACT_DRAWS = 10_000


def look_delta(delta: float, look: int | None, looks: int | None = None) -> float:
    """Return with which probability one look may be wrong, so that all looks of a procedure are with delta at most.

    The looks 1, 2, 3, ... have delta / 2, delta / 6, delta / 12, ..., which add up to delta however many there are; if
    there are `looks` at most, each has an equal share. A look that is the only one (None) has all of it.
    """
    if looks is not None:
        return delta / max(looks, 1)
    return delta if look is None else delta / (look * (look + 1))


def paper_sample_size(epsilon: float, delta: float) -> int:
    """Return how many adversaries of each size Algorithm 2 draws in a pass: n_S of its line 2, by Theorem 1."""
    check_sampling(epsilon, delta)
    return math.ceil(math.log(1 / delta) / (2 * epsilon * epsilon))


def shared_sample_size(epsilon: float, delta: float) -> int:
    """Return how many adversaries of each size SHARED_LOOKS looks draw that are together wrong with delta at most."""
    return sample_size(epsilon, delta / SHARED_LOOKS)


def most_looks(epsilon: float, delta: float, draws: int) -> int:
    """Return how many looks of `draws` draws are together wrong with probability delta at most.

    That is delta / (1 - epsilon)^draws.

    Rounded down; 0 if not even one is.
    """
    power = math.log(delta) - draws * math.log1p(-epsilon)
    if power > math.log(MOST_LOOKS):
        return MOST_LOOKS
    if draws > _EXACT_DRAWS:
        # A little less than rounding errors could make of it.
        return math.floor(math.exp(power) * (1 - 1e-6))
    return math.floor(Fraction(str(delta)) / (1 - Fraction(str(epsilon))) ** draws)


def sample_bound(
    epsilon: float | None, delta: float | None, draws: int | None, look: int | None = None, looks: int | None = None
) -> float | None:
    """Return the share of unsafe adversaries that `draws` safe draws exclude; None without a sample."""
    if epsilon is None or delta is None or draws is None:
        return None
    return min(epsilon, -math.expm1(math.log(look_delta(delta, look, looks)) / draws))


def sample_size(epsilon: float, delta: float, look: int | None = None) -> int:
    """Return how many drawn adversaries have to be safe: the least n with (1 - epsilon)^n <= delta.

    If a drawn one is unsafe with the probability epsilon or more, n draws meet none with at most this probability.
    Theorem 1 of the paper, by Hoeffding's inequality, asks for many times as many. For a look of a procedure that looks
    until it is content, delta is that of the look (`look_delta`).
    """
    if not 0 < epsilon < 1:
        raise OptionNotUsable("errors.adversaries.epsilon", epsilon=epsilon)
    if not 0 < delta < 1:
        raise OptionNotUsable("errors.adversaries.delta", delta=delta)
    if look is not None and look < 1:
        raise OptionNotUsable("errors.adversaries.look", look=look)
    wanted = math.log(look_delta(delta, look)) / math.log1p(-epsilon)
    refuse_large_sample(wanted, 1)
    whole = round(wanted)
    # Where rounding could decide, whole numbers do.
    if abs(wanted - whole) < 1e-6:
        if whole > _EXACT_DRAWS:
            return whole + 1
        exact = Fraction(str(delta)) / (look * (look + 1) if look else 1)
        return max(1, whole if (1 - Fraction(str(epsilon))) ** whole <= exact else whole + 1)
    return math.ceil(wanted)


def refuse_large_sample(draws: float, known: int) -> None:
    """Refuse a sample whose adversaries, each with `known` items that are in memory at once, would fill it."""
    if draws * known > MOST_POINTS:
        items = "" if known == 1 else message("errors.adversaries.known_items", known=known)
        raise OptionNotUsable("errors.adversaries.large_sample", draws=draws, known=items, most=MOST_POINTS)


def check_sampling(epsilon: float | None, delta: float | None, look: int | None = None) -> int | None:
    """Return the sample size, or None if everything is to be checked; one of the two alone says nothing."""
    if (epsilon is None) != (delta is None):
        raise OptionNotUsable("errors.adversaries.sampling")
    return None if epsilon is None or delta is None else sample_size(epsilon, delta, look)
