"""Sorting integers in linear time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.common.places import sort_places

# This number of places is counted at once: what is written goes to as many parts of memory, which a cache can hold.
_DIGIT_BITS = 18
# Numbers that are made digits of at once.
_AT_ONCE = 1 << 16


def sorted_places(values: NDArray[np.integer[Any]], among: NDArray[np.integer[Any]] | None = None) -> NDArray[np.int32]:
    """Return the places of numbers in rising order, equal ones as they stand; or some different ones in their order.

    Numbers of up to 18 bits are counted once, longer ones 18 bits at a time, the lowest first. Places are short: arrays
    with more of them than 2^31 are far beyond what is held in memory here.
    """
    order = (np.arange(len(values)) if among is None else among).astype(np.int32)
    if not len(order):
        return order
    least = values.min()
    span, room = int(values.max()) - int(least), np.empty_like(order)
    for shift in range(0, max(span.bit_length(), 1), _DIGIT_BITS):
        most = min(span >> shift, (1 << _DIGIT_BITS) - 1)
        sort_places(_digits(values, least, shift), most + 1, order, room)
        order, room = room, order
    return order


def _digits(values: NDArray[np.integer[Any]], least: Any, shift: int) -> NDArray[np.int32]:
    """Return 18 bits of how far numbers are above the least, made piece by piece: none is held at full length."""
    digits = np.empty(len(values), np.int32)
    for first in range(0, len(values), _AT_ONCE):
        piece = values[first : first + _AT_ONCE].astype(np.int64) - int(least)
        digits[first : first + _AT_ONCE] = (piece >> shift) & ((1 << _DIGIT_BITS) - 1)
    return digits
