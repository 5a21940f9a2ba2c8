"""Mining frequent itemsets by intersecting bitmaps of records, depth first (Zaki: Eclat, 2000).

Items are numbered by rising support. The itemsets that begin with an item lie in its records only, so these are
numbered anew and the bitmaps of one beginning have a bit for each of them: a rare item has bitmaps of a few words,
however many records there are. Bitmaps of the sets on the way to the current one lie on a stack that grows as needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Ints, Ints32, Words
from sudare.kernels.common.hashing import as_int
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import entry, inner


@inner
def _ones(word: np.uint64) -> int:
    """Return the number of bits that are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return as_int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


class Index(NamedTuple):
    """Record u has the items from starts[u] to before starts[u + 1], in rising order; item i stands at some places."""

    starts: Ints
    items: Ints32
    places: Ints  # item i stands at places[bounds[i] : bounds[i + 1]]
    owners: Ints  # the records of these places
    bounds: Ints


class Mined(NamedTuple):
    """Itemsets: their items one after another, their sizes and supports, and whether these are all."""

    items: Ints32
    sizes: Ints32
    supports: Ints
    complete: bool


@inner
def _tails(first: int, index: Index, counts: Ints) -> None:
    """Count, for each later item, the records that have it and the first one."""
    starts, items, places, owners, bounds = index
    for n in range(bounds[first], bounds[first + 1]):
        for place in range(places[n] + 1, starts[owners[n] + 1]):
            counts[items[place]] += 1


@inner
def _fill(first: int, index: Index, slots: Ints, words: int, pool: Words) -> None:
    """Set, in the bitmap of each item that has a slot, the bits of the first item's records that have it."""
    starts, items, places, owners, bounds = index
    for n in range(bounds[first], bounds[first + 1]):
        number = n - bounds[first]
        word, bit = number // 64, np.uint64(1) << np.uint64(number % 64)
        for place in range(places[n] + 1, starts[owners[n] + 1]):
            slot = slots[items[place]]
            if slot >= 0:
                pool[slot * words + word] |= bit


@entry
def mine(index: Index, least: int, longest: int, most: int) -> Mined:
    """Return all itemsets in `least` records or more. Every item must be frequent.

    Itemsets have up to `longest` items. With more than `most` itemsets the work stops before all are found.
    """
    bounds = index.bounds
    distinct = len(bounds) - 1
    flat, sizes, supports = np.empty(1024, np.int32), np.empty(256, np.int32), np.empty(256, np.int64)
    used = found = 0
    counts, slots = np.zeros(distinct, np.int64), np.full(distinct, -1, np.int64)
    pool = np.zeros(1024, np.uint64)
    # What the sets of the current beginning can be extended by, all levels on one stack.
    extension, together = np.empty(distinct + 1, np.int32), np.empty(distinct + 1, np.int64)
    level_end, cursor = np.empty(distinct + 2, np.int64), np.empty(distinct + 2, np.int64)
    prefix = np.empty(distinct + 1, np.int32)
    for first in range(distinct):
        records = bounds[first + 1] - bounds[first]
        words = (records + 63) // 64
        prefix[0] = first
        depth, top = 1, 0
        if longest > 1:
            _tails(first, index, counts)
            for item in range(first + 1, distinct):
                if counts[item] >= least:
                    slots[item] = top
                    extension[top], together[top] = item, counts[item]
                    top += 1
                counts[item] = 0
            pool = room_for(pool, top * words)
            pool[: top * words] = 0
            _fill(first, index, slots, words, pool)
            for n in range(top):
                slots[extension[n]] = -1
        cursor[1], level_end[1] = 0, top
        size, support = 1, records
        while True:
            if found == most:
                return Mined(flat[:used], sizes[:found], supports[:found], False)
            flat, sizes, supports = (
                room_for(flat, used + size),
                room_for(sizes, found + 1),
                room_for(supports, found + 1),
            )
            flat[used : used + size] = prefix[:size]
            sizes[found], supports[found] = size, support
            used += size
            found += 1
            while depth > 0 and cursor[depth] == level_end[depth]:
                depth -= 1
            if depth == 0:
                break
            chosen, end = cursor[depth], level_end[depth]
            cursor[depth] += 1
            prefix[depth] = extension[chosen]
            size, support = depth + 1, together[chosen]
            top = end
            if size < longest:
                # Room for the whole next level, so that nothing moves while it is made.
                room = end + (end - chosen)
                pool = room_for(pool, room * words)
                extension, together = room_for(extension, room), room_for(together, room)
                for other in range(chosen + 1, end):
                    common = 0
                    for word in range(words):
                        joined = pool[chosen * words + word] & pool[other * words + word]
                        pool[top * words + word] = joined
                        common += _ones(joined)
                    if common >= least:
                        extension[top], together[top] = extension[other], common
                        top += 1
            depth += 1
            cursor[depth], level_end[depth] = end, top
    return Mined(flat[:used], sizes[:found], supports[:found], True)
