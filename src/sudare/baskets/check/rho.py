"""Rho, the highest confidence that adversaries may have, as an exact number."""

from __future__ import annotations

import re
from fractions import Fraction

from sudare.errors import OptionNotUsable
from sudare.statistics.shares import Share

# Exponents are short: 1e-999999999 would fill the memory.
_LONG_EXPONENT = re.compile(r"[eE][+-]?\d{4}")


def exact_rho(rho: Share) -> Fraction:
    """Return rho exactly as it is written: 0.1 is a tenth, 0.4999999999 is less than a half, "1/3" is a third.

    A floating-point number is the decimal one that Python writes for it: 1 / 3 is 0.3333333333333333, a little less
    than a third.
    """
    text = str(rho)
    try:
        if _LONG_EXPONENT.search(text):
            raise ValueError
        found = Fraction(text)
        if not 0 < found <= 1:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise OptionNotUsable("errors.adversaries.rho", rho=text[:40]) from None
    return found


def plain_rho(rho: Fraction) -> float | str:
    """Return rho for people and JSON: a number if one is exactly that as it is written, else a quotient as text."""
    return float(rho) if Fraction(str(float(rho))) == rho else str(rho)


def comparable_rho(rho: Fraction, records: int) -> Fraction:
    """Return the largest fraction that is not above rho and whose denominator is at most the number of records.

    A confidence is a quotient of two numbers of records. So it is above rho if and only if it is above this fraction,
    and products of its numbers with numbers of records fit into 64 bits, however many digits rho has.
    """
    most = max(records, 1)
    near = rho.limit_denominator(most)
    if near <= rho:
        return near
    # The fraction before it in the Farey sequence: their cross products differ by 1.
    inverse = pow(near.numerator, -1, near.denominator)
    denominator = inverse + near.denominator * ((most - inverse) // near.denominator)
    return Fraction((near.numerator * denominator - 1) // near.denominator, denominator)
