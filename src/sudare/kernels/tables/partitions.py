"""Splitting partitions of the distinct rows by one attribute at a time, for searches that choose their own way.

A partition is `rows`, the numbers of the distinct rows in the order of their classes, and `starts`, where each class
begins, with the end of the last. Scratch arrays are zero between calls, so that a split costs what it touches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.entry import entry, inner

_LARGE = np.int64(2**62)


@entry
def count_below(column: Any, weights: Any, rows: Any, starts: Any, scratch: Any, bound: Any, allowed: Any) -> Any:
    """Return the records in classes smaller than `bound` after a split by a column; stop when over `allowed`."""
    _, summed, touched = scratch
    below = np.int64(0)
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
    column: Any, weights: Any, rows: Any, starts: Any, scratch: Any, bound: Any, new_rows: Any, new_starts: Any
) -> Any:
    """Split each class by a column; classes of two rows and more go to `new_rows` and `new_starts`.

    Returns how many rows and classes go on, the smallest of these classes, their records below the bound, and of the
    classes of one row, which never split again: how many, the smallest, their records below the bound, their uniques.
    """
    counted, summed, touched = scratch
    kept = classes = settled = settled_below = uniques = below = np.int64(0)
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
    return kept, classes, smallest, below, (settled, settled_smallest, settled_below, uniques)


@entry
def smallest_first(rows: Any, starts: Any, new_rows: Any, new_starts: Any) -> None:
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
def _divide(column: Any, rows: Any, starts: Any, classes: Any, counted: Any, touched: Any, new: Any) -> Any:
    """Split each class by a column and keep all rows; return the number of new classes."""
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
    column: Any, alone: Any, rows: Any, held: Any, starts: Any, tops: Any, scratch: Any, factor: Any
) -> Any:
    """Return the records whose risk a split by a column raises by more than the factor, and the largest gain.

    `held` are the records of `rows`, and `tops` the largest number of records with one of the values of a class.
    """
    summed, touched = scratch
    records = np.int64(0)
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
    codes: Any, weights: Any, alone: Any, first: Any, size: Any, factor: Any, records: Any, gains: Any
) -> None:
    """Fill records and largest gains for the sets of `size` attributes whose first is `first`, in their order.

    `alone[a, v]` is the number of records with value v of attribute a. The gain of a record is the largest `alone` of
    its values divided by the number of records equal to it on the whole set.
    """
    attributes, n = codes.shape
    counted = np.zeros(alone.shape[1], np.int64)
    summed = np.zeros(alone.shape[1], np.int64)
    touched = np.empty(alone.shape[1], np.int64)
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
            found = _largest_gain(codes[a], alone[a], rows[depth], held, bounds, tops[depth], (summed, touched), factor)
            records[done], gains[done] = found
            done += 1
        else:
            new = (rows[depth + 1], starts[depth + 1], parents)
            made = _divide(codes[a], rows[depth], starts[depth], classes[depth], counted, touched, new)
            depth += 1
            classes[depth] = made
            tried[depth] = a + 1
            for c in range(made):
                code = codes[a, rows[depth, starts[depth, c]]]
                tops[depth, c] = max(tops[depth - 1, parents[c]], alone[a, code])
            for i in range(n):
                held[i] = weights[rows[depth, i]]


@inner
def _inside_any(family: Any, count: Any, mask: Any) -> Any:
    """Say whether one of the first `count` masks of a family contains a mask."""
    for f in range(count):
        outside = np.uint64(0)
        for word in range(len(mask)):
            outside |= mask[word] & ~family[f, word]
        if outside == 0:
            return True
    return False


@inner
def _around_any(family: Any, count: Any, mask: Any) -> Any:
    """Say whether one of the first `count` masks of a family is contained in a mask."""
    for f in range(count):
        outside = np.uint64(0)
        for word in range(len(mask)):
            outside |= family[f, word] & ~mask[word]
        if outside == 0:
            return True
    return False


@entry
def sort_candidates(
    base: Any, candidates: Any, safe: Any, safe_count: Any, unsafe: Any, unsafe_count: Any, verdicts: Any
) -> None:
    """Judge a base mask with one more bit for each candidate: 1 if inside a safe mask, -1 if around an unsafe one.

    The verdict 0 is that neither is known.
    """
    mask = base.copy()
    for c in range(len(candidates)):
        word = candidates[c] // 64
        mask[word] |= np.uint64(1) << np.uint64(candidates[c] % 64)
        if _inside_any(safe, safe_count, mask):
            verdicts[c] = 1
        elif _around_any(unsafe, unsafe_count, mask):
            verdicts[c] = -1
        else:
            verdicts[c] = 0
        mask[word] = base[word]


@entry
def adds_nothing(safe: Any, count: Any, chosen: Any, scope: Any, more: Any) -> Any:
    """Say whether each safe mask around `chosen`, cut down to `scope`, lies in a safe mask with the bit `more` too."""
    mask = np.empty_like(chosen)
    for f in range(count):
        outside = np.uint64(0)
        lacking = np.uint64(0)
        for word in range(len(chosen)):
            outside |= chosen[word] & ~safe[f, word]
            lacking |= more[word] & ~safe[f, word]
            mask[word] = (safe[f, word] & scope[word]) | more[word]
        if outside == 0 and lacking != 0 and not _inside_any(safe, count, mask):
            return False
    return True


@entry
def inside_any(family: Any, count: Any, mask: Any) -> Any:
    """Say whether one of the first `count` masks of a family contains a mask."""
    return _inside_any(family, count, mask)


@entry
def around_any(family: Any, count: Any, mask: Any) -> Any:
    """Say whether one of the first `count` masks of a family is contained in a mask."""
    return _around_any(family, count, mask)
