"""The visits of a purchase history, and how many customers share knowledge about them.

A row of a history is one number: customer, day and item, from the highest bits to the lowest. Sorted, rows of a visit
stand together, and its items are in their order.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Ints
from sudare.kernels.common.hashing import as_int, mix
from sudare.kernels.entry import entry, inner


@entry
def count_visits(rows: Ints, item_bits: int) -> int:
    """Return how many visits sorted rows are of."""
    visits = 0
    for i in range(len(rows)):
        if i == 0 or rows[i] >> item_bits != rows[i - 1] >> item_bits:
            visits += 1
    return visits


@entry
def find_visits(rows: Ints, item_bits: int, starts: Ints) -> None:
    """Put down where each visit begins, and the end of the last."""
    visits = 0
    for i in range(len(rows)):
        if i == 0 or rows[i] >> item_bits != rows[i - 1] >> item_bits:
            starts[visits] = i
            visits += 1
    starts[visits] = len(rows)


@entry
def number_sets(rows: Ints, starts: Ints, item_bits: int, table: Ints, numbers: Ints) -> int:
    """Give visits with equal sets of items the same number, from 0 in the order of their first visits; return how many.

    `table` is all -1 and has more places than there are visits, a power of two: an open hash of first visits.
    """
    found = 0
    for visit in range(len(numbers)):
        place = as_int(_hash(rows, starts[visit], starts[visit + 1], item_bits) & np.uint64(len(table) - 1))
        while table[place] >= 0 and not _is_same_set(rows, starts, item_bits, table[place], visit):
            place = (place + 1) & (len(table) - 1)
        if table[place] < 0:
            table[place] = visit
            numbers[visit] = found
            found += 1
        else:
            numbers[visit] = numbers[table[place]]
    return found


@entry
def pack_rows(
    rows: Ints, starts: Ints, keys: Ints, item_bits: int, day_bits: int, customer_bits: int, packed: Ints
) -> None:
    """Make of each row one number: the key of its visit, its item and its customer."""
    for visit in range(len(starts) - 1):
        customer = rows[starts[visit]] >> (item_bits + day_bits)
        for i in range(starts[visit], starts[visit + 1]):
            item = rows[i] & ((1 << item_bits) - 1)
            packed[i] = (((keys[visit] << item_bits) | item) << customer_bits) | customer


@entry
def count_crowds(packed: Ints, customer_bits: int, weight_bits: int, sums: Ints) -> None:
    """Add up the values that each number of customers has: their count, occurrences, weights, squares.

    After these come how many of the values have as much weight as customers, and how many as many occurrences.
    `packed` is sorted: a value, a customer and, where it has bits, the weight of the occurrence; else that is 1.
    """
    bits = customer_bits + weight_bits
    first = 0
    customers = weights = 0
    for i in range(len(packed)):
        if i == 0 or packed[i] >> weight_bits != packed[i - 1] >> weight_bits:
            customers += 1
        weights += packed[i] & ((1 << weight_bits) - 1) if weight_bits else 1
        if i + 1 == len(packed) or packed[i + 1] >> bits != packed[i] >> bits:
            occurrences = i + 1 - first
            sums[0, customers] += 1
            sums[1, customers] += occurrences
            sums[2, customers] += weights
            sums[3, customers] += occurrences * occurrences
            sums[4, customers] += weights == customers
            sums[5, customers] += occurrences == customers
            first = i + 1
            customers = weights = 0


@inner
def _hash(rows: Ints, first: int, end: int, item_bits: int) -> np.uint64:
    """Return a number of the different items of a visit."""
    mixed = np.uint64(0)
    for i in range(first, end):
        if i == first or rows[i] != rows[i - 1]:
            mixed = mix(mixed, np.uint64(rows[i] & ((1 << item_bits) - 1)))
    return mixed


@inner
def _is_same_set(rows: Ints, starts: Ints, item_bits: int, one: int, other: int) -> bool:
    """Tell whether two visits have the same different items."""
    i, j = starts[one], starts[other]
    mask = (1 << item_bits) - 1
    while i < starts[one + 1] and j < starts[other + 1]:
        if rows[i] & mask != rows[j] & mask:
            return False
        i = _next_item(rows, i, starts[one + 1])
        j = _next_item(rows, j, starts[other + 1])
    return bool(i == starts[one + 1] and j == starts[other + 1])


@inner
def _next_item(rows: Ints, i: int, end: int) -> int:
    """Return the place of the next different item of a visit, or its end."""
    item = rows[i]
    while i < end and rows[i] == item:
        i += 1
    return i
