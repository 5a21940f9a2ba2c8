"""The distinct rows of arrays of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.common.hashing import number_keys
from sudare.statistics.sorting import sorted_places

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]


def collapse(codes: Codes, weights: Counts) -> tuple[Codes, Counts]:
    """Return the distinct rows and their summed weights, in the order in which they first stand there."""
    numbers, found = number_rows(codes)
    if found == len(numbers):
        return codes, weights
    firsts = first_rows(numbers, found)
    return np.ascontiguousarray(codes[:, firsts]), sum_by(numbers, weights, found)


def sum_by(numbers: NDArray[Any], counts: NDArray[np.int64], found: int) -> Counts:
    """Return the sum of the counts of each number from 0 to below `found`: exact, which `bincount` is up to 2^53."""
    sums = np.zeros(found, np.int64)
    np.add.at(sums, numbers, counts)
    return sums


def number_rows(codes: Codes) -> tuple[NDArray[np.int64], int]:
    """Give equal rows the same number, in the order in which they first stand there; also return how many there are."""
    attributes, n = codes.shape
    numbers = np.zeros(n, np.int64)
    found = min(n, 1)
    a = 0
    while a < attributes:
        # As many columns at once as fit into one 63-bit key beside the number so far.
        keys = numbers.copy()
        room = (2**63 - 1) // max(found, 1)
        while a < attributes and (size := int(codes[a].max(initial=0)) + 1) <= room:
            keys *= size
            keys += codes[a]
            room //= size
            a += 1
        found = number_keys(keys, numbers)
    return numbers, found


def first_rows(numbers: NDArray[np.int64], found: int) -> NDArray[np.int64]:
    """Return for each number the first row that has it."""
    firsts = np.empty(found, np.int64)
    firsts[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return firsts


def row_order(codes: Codes) -> NDArray[np.int32]:
    """Return the places of rows in the order of their first column, then of the second, and so on."""
    order = np.arange(codes.shape[1], dtype=np.int32)
    a = len(codes)
    while a:
        # As many columns at once as fit into one 63-bit key, the last ones first.
        keys, size = np.zeros(codes.shape[1], np.int64), 1
        while a and size * (more := int(codes[a - 1].max(initial=0)) + 1) < 2**63:
            a -= 1
            keys += codes[a].astype(np.int64) * size
            size *= more
        order = sorted_places(keys, order)
    return order
