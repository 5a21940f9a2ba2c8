"""Counting the records of every itemset that occurs, up to a size, without keeping the itemsets.

The records of a set are handed on to the sets with one later item more, so that each step costs one look at each place
of a record and nothing is tried that does not occur. A set in one record only has its supersets in that record only:
these are counted by a formula.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Ints, Ints32
from sudare.kernels.common.eclat import Index
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import entry, inner

# Columns of the results, a row a size: itemsets that occur, those below the bound, the smallest support.
OCCURRING, BELOW, SMALLEST = range(3)


class Rarest(NamedTuple):
    """The rarest itemsets below a bound: size, then items, and their supports; the bound where there are no more."""

    itemsets: Ints
    supports: Ints


class Counted(NamedTuple):
    """A row of results for each size (the first, for none, is empty), the rarest itemsets, and if all were counted."""

    results: Ints
    rarest: Rarest
    complete: bool


@inner
def _note(prefix: Ints, support: int, bound: int, results: Ints, rarest: Rarest) -> None:
    """Count an itemset and, if it is among the rarest so far, keep it; of equal ones the smaller and the first."""
    examples, supports = rarest
    size = len(prefix)
    row = results[size]
    row[OCCURRING] += 1
    row[SMALLEST] = support if row[OCCURRING] == 1 else min(row[SMALLEST], support)
    if support >= bound:
        return
    row[BELOW] += 1
    place = len(supports)
    while place > 0 and (
        supports[place - 1] > support or (supports[place - 1] == support and examples[place - 1, 0] > size)
    ):
        place -= 1
    if place == len(supports):
        return
    for n in range(len(supports) - 1, place, -1):
        supports[n] = supports[n - 1]
        examples[n] = examples[n - 1]
    supports[place] = support
    examples[place, 0] = size
    examples[place, 1 : size + 1] = prefix


@inner
def _count_within(tail: int, size: int, bound: int, results: Ints) -> None:
    """Count the supersets of a set of `size` items in one record only, of which `tail` later items are left."""
    ways = 1
    for added in range(1, min(tail, len(results) - 1 - size) + 1):
        ways = ways * (tail - added + 1) // added
        row = results[size + added]
        row[OCCURRING] += ways
        row[BELOW] += ways if bound > 1 else 0
        row[SMALLEST] = 1


@inner
def _tails(ends: Ints, items: Ints32, places: Ints, owners: Ints, counts: Ints, touched: Ints) -> tuple[int, int]:
    """Count the later items of records; return how many different ones there are, and how many in all."""
    found = total = 0
    for n in range(len(owners)):
        for place in range(places[n] + 1, ends[owners[n]]):
            item = items[place]
            if counts[item] == 0:
                touched[found] = item
                found += 1
            counts[item] += 1
            total += 1
    touched[:found].sort()
    return found, total


@inner
def _hand_on(
    ends: Ints, items: Ints32, first: int, end: int, pool_places: Ints, pool_owners: Ints, slots: Ints
) -> None:
    """Put each later item's place and record where its slot says."""
    for n in range(first, end):
        owner = pool_owners[n]
        for place in range(pool_places[n] + 1, ends[owner]):
            slot = slots[items[place]]
            pool_places[slot], pool_owners[slot] = place, owner
            slots[items[place]] += 1


@entry
def count_subsets(index: Index, largest: int, bound: int, listed: int, steps: int) -> Counted:
    """Count the itemsets of up to `largest` items that occur, and list the rarest `listed` below a bound.

    The work ends before all are counted if it takes more than the allowed number of steps.
    """
    starts, items, places, owners, bounds = index
    results = np.zeros((largest + 1, 3), np.int64)
    rarest = Rarest(np.zeros((listed, largest + 1), np.int64), np.full(listed, bound, np.int64))
    ends, distinct = starts[1:], len(bounds) - 1
    prefix, counts, touched = np.empty(largest, np.int64), np.zeros(distinct, np.int64), np.empty(distinct, np.int64)
    # Sets that are still to be extended, the next one last: its item, size and records; a stack of its own, since
    # compiled functions that call themselves cannot be kept on disk.
    stack = np.empty((largest * distinct + 1, 4), np.int64)
    pool_places, pool_owners = np.empty(1024, np.int64), np.empty(1024, np.int64)
    left = steps
    for item in range(distinct):
        records = bounds[item + 1] - bounds[item]
        if records == 0:
            continue
        prefix[0] = item
        _note(prefix[:1], records, bound, results, rarest)
        if largest == 1:
            continue
        pool_places, pool_owners = room_for(pool_places, records), room_for(pool_owners, records)
        pool_places[:records] = places[bounds[item] : bounds[item + 1]]
        pool_owners[:records] = owners[bounds[item] : bounds[item + 1]]
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = item, 1, 0, records
        waiting = 1
        while waiting > 0:
            waiting -= 1
            last, size, first, end = stack[waiting]
            prefix[size - 1] = last
            if end - first == 1:
                _count_within(ends[pool_owners[first]] - pool_places[first] - 1, size, bound, results)
                continue
            found, total = _tails(ends, items, pool_places[first:end], pool_owners[first:end], counts, touched)
            left -= total
            if left < 0:
                return Counted(results, rarest, False)
            for n in range(found):
                prefix[size] = touched[n]
                _note(prefix[: size + 1], counts[touched[n]], bound, results, rarest)
            if size + 1 < largest:
                pool_places, pool_owners = room_for(pool_places, end + total), room_for(pool_owners, end + total)
                # The first item comes last, on the stack and in the pool, so that what is above is always done.
                begin = end
                for n in range(found - 1, -1, -1):
                    chosen = touched[n]
                    stack[waiting, 0], stack[waiting, 1] = chosen, size + 1
                    stack[waiting, 2], stack[waiting, 3] = begin, begin + counts[chosen]
                    waiting += 1
                    begin += counts[chosen]
                    counts[chosen] = begin - counts[chosen]
                _hand_on(ends, items, first, end, pool_places, pool_owners, counts)
            for n in range(found):
                counts[touched[n]] = 0
    return Counted(results, rarest, True)
