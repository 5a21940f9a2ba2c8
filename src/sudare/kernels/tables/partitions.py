"""Splitting partitions of the distinct rows by one attribute at a time, for searches with their own order.

A partition is `rows`, the numbers of the distinct rows in the order of their classes, and `starts`, where each class
begins, with the end of the last. Scratch arrays are zero between calls, so that a split costs what it touches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Codes, Floats, Ints, Ints32
from sudare.kernels.entry import entry, inner

_LARGE = 2**62


class Scratch(NamedTuple):
    """Rows and records of each value, zero between calls, and the values that a class has."""

    counted: Ints
    summed: Ints
    touched: Ints


class Settled(NamedTuple):
    """What classes of one row, which never split again, add: how many, the smallest, records below, uniques."""

    classes: int
    smallest: int
    below: int
    uniques: int


class Refined(NamedTuple):
    """What a split leaves: rows and classes that go on, the smallest of these, their records below the bound."""

    rows: int
    classes: int
    smallest: int
    below: int
    settled: Settled


class _Classes(NamedTuple):
    """Classes that a split makes: their rows, where each begins, and the class that it is a part of."""

    rows: Ints32
    starts: Ints32
    parents: Ints32


@entry
def count_below(
    column: Codes, weights: Ints, rows: Ints32, starts: Ints32, scratch: Scratch, bound: int, allowed: int
) -> int:
    """Return the records in classes smaller than `bound` after a split by a column; stop when over `allowed`."""
    _, summed, touched = scratch
    below = 0
    for c in range(len(starts) - 1):
        found = 0
        for i in range(starts[c], starts[c + 1]):
            row = rows[i]
            code = column[row]
            if summed[code] == 0:
                touched[found] = code
                found += 1
            summed[code] += weights[row]
        for t in range(found):
            size = summed[touched[t]]
            summed[touched[t]] = 0
            if size < bound:
                below += size
        if below > allowed:
            return below
    return below


@entry
def refine(
    column: Codes,
    weights: Ints,
    rows: Ints32,
    starts: Ints32,
    scratch: Scratch,
    bound: int,
    new_rows: Ints32,
    new_starts: Ints32,
) -> Refined:
    """Split each class by a column; classes of two rows and more go to `new_rows` and `new_starts`."""
    counted, summed, touched = scratch
    kept = classes = settled = settled_below = uniques = below = 0
    settled_smallest = smallest = _LARGE
    for c in range(len(starts) - 1):
        first, end = starts[c], starts[c + 1]
        found = 0
        for i in range(first, end):
            code = column[rows[i]]
            if counted[code] == 0:
                touched[found] = code
                found += 1
            counted[code] += 1
            summed[code] += weights[rows[i]]
        for t in range(found):
            code = touched[t]
            size = summed[code]
            summed[code] = 0
            if counted[code] == 1:
                settled += 1
                uniques += size == 1
                settled_smallest = min(settled_smallest, size)
                settled_below += size * (size < bound)
                counted[code] = -1
            else:
                smallest = min(smallest, size)
                below += size * (size < bound)
                new_starts[classes] = kept
                classes += 1
                more = counted[code]
                counted[code] = kept
                kept += more
        for i in range(first, end):
            code = column[rows[i]]
            if counted[code] >= 0:
                new_rows[counted[code]] = rows[i]
                counted[code] += 1
        for t in range(found):
            counted[touched[t]] = 0
    new_starts[classes] = kept
    return Refined(kept, classes, smallest, below, Settled(settled, settled_smallest, settled_below, uniques))


@entry
def smallest_first(rows: Ints32, starts: Ints32, new_rows: Ints32, new_starts: Ints32) -> None:
    """Put the classes of few rows first: a class that becomes too small is found there sooner."""
    order = np.argsort(starts[1:] - starts[:-1], kind="mergesort")
    kept = 0
    for c in range(len(order)):
        new_starts[c] = kept
        for i in range(starts[order[c]], starts[order[c] + 1]):
            new_rows[kept] = rows[i]
            kept += 1
    new_starts[len(order)] = kept


@inner
def _divide(column: Codes, rows: Ints32, starts: Ints32, classes: int, scratch: Scratch, new: _Classes) -> int:
    """Split each class by a column and keep all rows; return the number of new classes."""
    counted, _, touched = scratch
    new_rows, new_starts, new_parents = new
    kept = made = 0
    for c in range(classes):
        first, end = starts[c], starts[c + 1]
        found = 0
        for i in range(first, end):
            code = column[rows[i]]
            if counted[code] == 0:
                touched[found] = code
                found += 1
            counted[code] += 1
        for t in range(found):
            code = touched[t]
            new_starts[made] = kept
            new_parents[made] = c
            made += 1
            more = counted[code]
            counted[code] = kept
            kept += more
        for i in range(first, end):
            code = column[rows[i]]
            new_rows[counted[code]] = rows[i]
            counted[code] += 1
        for t in range(found):
            counted[touched[t]] = 0
    new_starts[made] = kept
    return made


@inner
def _largest_gain(
    column: Codes, alone: Ints, rows: Ints32, held: Ints, starts: Ints32, tops: Ints, scratch: Scratch, factor: float
) -> tuple[int, float]:
    """Return the records whose risk a split by a column raises by more than the factor, and the largest gain.

    `held` are the records of `rows`, and `tops` the largest number of records with one of the values of a class.
    """
    _, summed, touched = scratch
    records = 0
    largest = 0.0
    for c in range(len(starts) - 1):
        first, end = starts[c], starts[c + 1]
        if end - first == 1:
            gain = max(tops[c], alone[column[rows[first]]]) / held[first]
            largest = max(largest, gain)
            records += held[first] * (gain > factor)
            continue
        found = 0
        for i in range(first, end):
            code = column[rows[i]]
            if summed[code] == 0:
                touched[found] = code
                found += 1
            summed[code] += held[i]
        for t in range(found):
            code = touched[t]
            size = summed[code]
            summed[code] = 0
            gain = max(tops[c], alone[code]) / size
            largest = max(largest, gain)
            records += size * (gain > factor)
    return records, largest


@entry
def combination_gains(
    codes: Codes, weights: Ints, alone: Ints, first: int, size: int, factor: float, records: Ints, gains: Floats
) -> None:
    """Fill records and largest gains for the sets of `size` attributes whose first is `first`, in their order.

    `alone[a, v]` is the number of records with value v of attribute a. The gain of a record is the largest `alone` of
    its values divided by the number of records equal to it on the whole set.
    """
    attributes, n = codes.shape
    values = alone.shape[1]
    scratch = Scratch(np.zeros(values, np.int64), np.zeros(values, np.int64), np.empty(values, np.int64))
    rows = np.empty((size, n), np.int32)
    starts = np.empty((size, n + 1), np.int32)
    parents = np.empty(n, np.int32)
    tops = np.zeros((size, n), np.int64)
    held = weights.copy()
    classes = np.ones(size, np.int64)
    tried = np.full(size, first)
    rows[0] = np.arange(n)
    starts[0, 0], starts[0, 1] = 0, n
    depth = 0
    done = 0
    while depth >= 0:
        a = tried[depth]
        tried[depth] += 1
        if a > attributes - size + depth or (depth == 0 and a > first):
            depth -= 1
        elif depth == size - 1:
            bounds = starts[depth, : classes[depth] + 1]
            found = _largest_gain(codes[a], alone[a], rows[depth], held, bounds, tops[depth], scratch, factor)
            records[done], gains[done] = found
            done += 1
        else:
            new = _Classes(rows[depth + 1], starts[depth + 1], parents)
            made = _divide(codes[a], rows[depth], starts[depth], classes[depth], scratch, new)
            depth += 1
            classes[depth] = made
            tried[depth] = a + 1
            for c in range(made):
                code = codes[a, rows[depth, starts[depth, c]]]
                tops[depth, c] = max(tops[depth - 1, parents[c]], alone[a, code])
            for i in range(n):
                held[i] = weights[rows[depth, i]]
