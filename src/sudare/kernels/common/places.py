"""The sorted positions of numbers, found by counting."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Ints, Ints32
from sudare.kernels.entry import entry


@entry
def sort_places(digits: Ints32, size: int, before: Ints32, after: Ints32) -> None:
    """Write different places in the order of their digits, from 0 to below `size`, equal ones as they stand."""
    ends = np.zeros(size + 1, np.int32)
    if len(before) == len(digits):
        # All places: counted as the digits lie.
        for digit in digits:
            ends[digit + 1] += 1
    else:
        for place in before:
            ends[digits[place] + 1] += 1
    for digit in range(size):
        ends[digit + 1] += ends[digit]
    for place in before:
        digit = digits[place]
        after[ends[digit]] = place
        ends[digit] += 1


@entry
def find_runs(places: Ints32, values: Ints, column: int, items: Ints32, item_column: int, starts: Ints) -> int:
    """Write where among sorted places a new value or item begins; return how many do.

    They are those of one column of `values` and one of `items`; -1 is none.
    """
    found = 0
    for number in range(len(places)):
        place, last = places[number], places[max(number - 1, 0)]
        new = number == 0
        if column >= 0:
            new |= values[place, column] != values[last, column]
        if item_column >= 0:
            new |= items[place, item_column] != items[last, item_column]
        if new:
            starts[found] = number
            found += 1
    return found
