"""Searching in sorted numbers."""

from __future__ import annotations

from sudare.kernels.common.arrays import Items
from sudare.kernels.entry import inner


@inner
def first_from(values: Items, low: int, high: int, value: int) -> int:
    """Return the first place from `low` on with at least a value, or `high`; values rise between the two."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
