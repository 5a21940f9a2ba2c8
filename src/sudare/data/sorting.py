"""Sorting whole numbers in a time that grows as they do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGIT_BITS = 16


def sorted_places(values: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return the places of numbers in rising order, equal ones as they stand.

    NumPy sorts numbers of 16 bits by counting them and longer ones by comparing. So it is done 16 bits at a time, the
    lowest first. Places are short: arrays with more of them than 2^31 are far beyond what is held in memory here.
    """
    if not len(values):
        return np.empty(0, np.int32)
    digits = values - values.min()
    digits = digits.astype(np.min_scalar_type(int(digits.max())))
    order = np.argsort(digits.astype(np.uint16), kind="stable").astype(np.int32)
    for shift in range(_DIGIT_BITS, int(digits.max()).bit_length(), _DIGIT_BITS):
        digit = (digits >> shift).astype(np.uint16)[order]
        order = order[np.argsort(digit, kind="stable")]
    return order
