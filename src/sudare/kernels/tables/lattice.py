"""Walking the lattice of attribute subsets by refining partitions of the distinct rows.

The classes of a subset refine those of the subset without its last attribute, so a walk down the tree of subsets
(children add a later attribute) splits classes instead of grouping anew. A class with a single distinct row can never
split: it is settled, and its row leaves the walk for the whole subtree. The rows that are left lie in the order of
their classes, and so do the columns that are still to be added, so that a split reads memory in sequence.

The last attributes, those with the fewest values, are one column of numbers together. Most subsets differ in them only:
with four, fifteen of sixteen. A class is then counted once by this column, and its subsets add up the few counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Codes, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.tables.lattice_ends import (
    BELOW,
    CLASSES,
    LARGE,
    SMALLEST,
    UNIQUES,
    EndScratch,
    count_ends,
    members_of,
    put_ends,
)


class WalkedRows(NamedTuple):
    """The distinct rows of a table."""

    codes: Codes  # [attribute, row]: its value there; the last line is for several attributes
    weights: Ints  # how many records are equal to each row
    cardinalities: Ints  # how many values each line of codes has
    parts: Ints32  # [subset of the last attributes, code]: the value that the subset has where the last code is this


class _Scratch(NamedTuple):
    """For each value of a column, zero between classes: rows and records; where its rows go; and the values met."""

    counted: Ints32
    summed: Ints
    offset: Ints32
    touched: Ints32


class _Split(NamedTuple):
    """What a split leaves: rows and classes that go on, what the settled classes add, and what is left of others."""

    rows: int
    kept: int
    settled: int
    uniques: int
    settled_smallest: int
    settled_below: int
    smallest: int
    below: int


@inner
def _split(
    column: Codes,
    weights: Ints,
    starts: Ints32,
    classes: int,
    scratch: _Scratch,
    place: Ints32,
    new_starts: Ints32,
    copy: bool,
    bound: int,
) -> _Split:
    """Split each class by a column; new classes of two rows and more go to `new_starts` and, with `copy`, `place`."""
    counted, summed, offset, touched = scratch
    rows = kept = settled = uniques = settled_below = below = 0
    settled_smallest = smallest = LARGE
    for c in range(classes):
        first, end = starts[c], starts[c + 1]
        if end - first == 2:
            one, other = weights[first], weights[first + 1]
            if column[first] == column[first + 1]:
                size = one + other
                smallest = min(smallest, size)
                if size < bound:
                    below += size
                new_starts[kept] = rows
                place[rows] = first
                place[rows + 1] = first + 1
                kept += 1
                rows += 2
            else:
                settled += 2
                settled_smallest = min(settled_smallest, one, other)
                uniques += (one == 1) + (other == 1)
                settled_below += one * (one < bound) + other * (other < bound)
            continue
        found = 0
        for i in range(first, end):
            code = column[i]
            touched[found] = code
            found += counted[code] == 0
            counted[code] += 1
            summed[code] += weights[i]
        for t in range(found):
            code = touched[t]
            size = summed[code]
            if counted[code] == 1:
                settled += 1
                settled_smallest = min(settled_smallest, size)
                uniques += size == 1
                settled_below += size * (size < bound)
            else:
                smallest = min(smallest, size)
                below += size * (size < bound)
                new_starts[kept] = rows
                offset[code] = rows
                kept += 1
                rows += counted[code]
        if copy:
            for i in range(first, end):
                code = column[i]
                if counted[code] > 1:
                    place[offset[code]] = i
                    offset[code] += 1
        for t in range(found):
            counted[touched[t]] = 0
            summed[touched[t]] = 0
    new_starts[kept] = rows
    return _Split(rows, kept, settled, uniques, settled_smallest, settled_below, smallest, below)


@inner
def _settle_all(results: Ints, subset: int, first: int, free: int, most: int) -> None:
    """Give every subset that adds to `subset` some of the `free` attributes from `first` on the same result."""
    for more in range(1, 1 << free):
        if members_of(more) <= most:
            for r in range(results.shape[1]):
                results[subset | (more << first), r] = results[subset, r]


@entry
def walk(table: WalkedRows, forced: int, most: int, bound: int, results: Ints) -> None:
    """Fill `results` for every subset of the attributes from `forced` on, each together with those before it.

    A subset is a bit mask over the attributes from `forced` on; none has more than `most` of them. If nothing is
    forced, row 0 stays as it is.
    """
    codes, weights, cardinalities, parts = table
    attributes, n = codes.shape
    lasting = 0
    while 1 << lasting < len(parts):
        lasting += 1
    ends, larger = np.empty((len(parts), 4), np.int64), np.zeros(len(parts), np.int64)
    for one in range(len(parts)):
        for other in range(len(parts)):
            larger[one] |= int(other & one == one) << other
    end_scratch = EndScratch(
        np.zeros(parts.shape[1], np.int64),
        np.zeros(parts.shape[1] + 1, np.int32),
        np.zeros(parts.shape[1], np.int64),
        np.zeros(parts.shape[1] + 1, np.int32),
    )
    largest = max(cardinalities.max(), 1)
    scratch = _Scratch(
        np.zeros(largest, np.int32),
        np.zeros(largest, np.int64),
        np.zeros(largest, np.int32),
        np.zeros(min(largest, n) + 1, np.int32),
    )
    # Address space for the deepest path; only what a path really uses is ever touched.
    columns = np.empty(max(1, attributes * (attributes - 1) // 2 * n), codes.dtype)
    carried = np.empty((attributes + 1) * n, weights.dtype)
    bounds = np.empty((attributes + 2) * (n // 2 + 2), np.int32)
    place = np.empty(n + 1, np.int32)

    depth = 0
    last = np.full(attributes + 1, -1, np.int64)
    tried = np.zeros(attributes + 1, np.int64)
    subset = np.zeros(attributes + 1, np.int64)
    rows = np.zeros(attributes + 1, np.int64)
    classes = np.zeros(attributes + 1, np.int64)
    column_at = np.zeros(attributes + 2, np.int64)
    carried_at = np.zeros(attributes + 2, np.int64)
    bounds_at = np.zeros(attributes + 2, np.int64)
    settled = np.zeros((attributes + 1, 4), np.int64)
    settled[0, SMALLEST] = LARGE
    rows[0], classes[0] = n, 1
    bounds[0], bounds[1] = 0, n
    bounds_at[1] = 2
    carried[:n] = weights
    carried_at[1] = n
    deepest = min(attributes - 1 + lasting, forced + most)
    while depth >= 0:
        a = tried[depth]
        tried[depth] += 1
        if a >= attributes or depth >= deepest or (depth < forced and a > depth):
            depth -= 1
            continue
        m = rows[depth]
        if depth == 0:
            column = codes[a]
        else:
            begin = column_at[depth] + (a - last[depth] - 1) * m
            column = columns[begin : begin + m]
        held = carried[carried_at[depth] : carried_at[depth] + m]
        if a == attributes - 1:
            count_ends(
                column, held, bounds[bounds_at[depth] :], classes[depth], parts, larger, end_scratch, bound, ends
            )
            put_ends(results, subset[depth], a - forced, deepest - depth, settled[depth], ends)
            continue
        copy = depth + 1 < deepest
        found = _split(
            column,
            held,
            bounds[bounds_at[depth] :],
            classes[depth],
            scratch,
            place,
            bounds[bounds_at[depth + 1] :],
            copy,
            bound,
        )
        new = subset[depth] | (1 << (a - forced)) if a >= forced else 0
        uniques = settled[depth, UNIQUES] + found.uniques
        settled_smallest = min(settled[depth, SMALLEST], found.settled_smallest)
        settled_below = settled[depth, BELOW] + found.settled_below
        if depth + 1 >= forced:
            results[new, CLASSES] = settled[depth, CLASSES] + found.settled + found.kept
            results[new, UNIQUES] = uniques
            results[new, SMALLEST] = min(settled_smallest, found.smallest)
            results[new, BELOW] = settled_below + found.below
            if copy and found.rows == 0:
                free = max(a + 1, forced)
                _settle_all(results, new, free - forced, attributes - 1 + lasting - free, deepest - depth - 1)
                continue
        if not copy:
            continue
        depth += 1
        k = found.rows
        rows[depth], classes[depth] = k, found.kept
        last[depth], tried[depth], subset[depth] = a, a + 1, new
        settled[depth, CLASSES] = settled[depth - 1, CLASSES] + found.settled
        settled[depth, UNIQUES] = uniques
        settled[depth, SMALLEST] = settled_smallest
        settled[depth, BELOW] = settled_below
        bounds_at[depth + 1] = bounds_at[depth] + found.kept + 1
        carried_at[depth + 1] = carried_at[depth] + k
        column_at[depth + 1] = column_at[depth] + k * (attributes - 1 - a)
        target = carried[carried_at[depth] : carried_at[depth] + k]
        for i in range(k):
            target[i] = held[place[i]]
        for b in range(a + 1, attributes):
            if depth == 1:
                source = codes[b]
            else:
                begin = column_at[depth - 1] + (b - last[depth - 1] - 1) * m
                source = columns[begin : begin + m]
            begin = column_at[depth] + (b - a - 1) * k
            copied = columns[begin : begin + k]
            for i in range(k):
                copied[i] = source[place[i]]
