"""The sets of items that occur together in some record, numbered, and the rules among them.

A set is found from the set without its last item by a hash table of (number, item), so that the sets of a record are
found by adding items in rising order; the empty set has the number 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints, Ints32
from sudare.kernels.common.hashing import FREE, slot_of
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import entry, inner


class Sets(NamedTuple):
    """Numbered sets: the keys and numbers of a hash table; of each set its size, last item and the set without it.

    The number in a free slot is -1.
    """

    keys: Ints
    numbers: Ints32
    sizes: Ints32
    last: Ints32
    before: Ints32


class Numbered(NamedTuple):
    """All sets that occur, and how many records contain each."""

    sets: Sets
    supports: Ints


class Rules(NamedTuple):
    """Rules Q -> e by Q: those from begins[Q] to begins[Q + 1] have the items e and the sets Q + e."""

    begins: Ints
    items: Ints32
    sets: Ints32


@inner
def find(sets: Sets, before: int, item: int) -> int:
    """Return the number of a set with one more item, later than its own, or -1."""
    number: int = sets.numbers[slot_of(sets.keys, (before << 32) | item, FREE)]
    return number


@entry
def number_sets(starts: Ints, items: Ints32, most: int, halt: Bools) -> Numbered:
    """Return all sets of at most `most` items that occur in records, numbered, and how many records contain each.

    If halted, not all of them.
    """
    keys, numbers = np.full(1024, FREE, np.int64), np.full(1024, -1, np.int32)
    sizes, last, before = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.int32)
    support = np.empty(1024, np.int64)
    sizes[0], last[0], before[0] = 0, -1, 0
    found = 1
    # The way to the set at hand: occurrences chosen, and the number of the set after each.
    chosen = np.empty(most + 1, np.int64)
    at = np.empty(most + 2, np.int64)
    for u in range(len(starts) - 1):
        depth = 0
        at[0] = 0
        o = starts[u]
        while not halt[0]:
            if o < starts[u + 1] and depth < most:
                key = (at[depth] << 32) | items[o]
                slot = slot_of(keys, key, FREE)
                if keys[slot] == FREE:
                    if found == len(sizes):
                        sizes, last = room_for(sizes, found + 1), room_for(last, found + 1)
                        before, support = room_for(before, found + 1), room_for(support, found + 1)
                    keys[slot], numbers[slot] = key, found
                    sizes[found], last[found], before[found] = depth + 1, items[o], at[depth]
                    support[found] = 0
                    number = found
                    found += 1
                    if 2 * found > len(keys):
                        keys, numbers = _grown(keys, numbers)
                else:
                    number = numbers[slot]
                support[number] += 1
                chosen[depth] = o
                depth += 1
                at[depth] = number
                o += 1
                continue
            if depth == 0:
                break
            depth -= 1
            o = chosen[depth] + 1
    support[0] = len(starts) - 1
    sets = Sets(keys, numbers, sizes[:found].copy(), last[:found].copy(), before[:found].copy())
    return Numbered(sets, support[:found].copy())


@inner
def _grown(keys: Ints, numbers: Ints32) -> tuple[Ints, Ints32]:
    """Return the hash table with twice the slots."""
    more, new = np.full(2 * len(keys), FREE, np.int64), np.full(2 * len(keys), -1, np.int32)
    for i in range(len(keys)):
        if keys[i] != FREE:
            slot = slot_of(more, keys[i], FREE)
            more[slot], new[slot] = keys[i], numbers[i]
    return more, new


@inner
def members(sets: Sets, number: int, into: Ints) -> int:
    """Write the items of a set in rising order; return how many."""
    size: int = sets.sizes[number]
    for k in range(size - 1, -1, -1):
        into[k] = sets.last[number]
        number = sets.before[number]
    return size


@inner
def without(sets: Sets, items: Ints, size: int, left_out: int) -> int:
    """Return the number of a set of items without the one at a place."""
    number = 0
    for k in range(size):
        if k != left_out:
            number = find(sets, number, items[k])
    return number


@entry
def list_rules(sets: Sets, halt: Bools) -> Rules:
    """Return all rules Q -> e with Q of at least one item, by Q; if halted, not all of them."""
    n = len(sets.sizes)
    longest = max(sets.sizes.max(), 1)
    items = np.empty(longest, np.int64)
    begins = np.zeros(n + 1, np.int64)
    for r in range(1, n):
        if halt[0]:
            break
        size = members(sets, r, items)
        if size > 1:
            for k in range(size):
                begins[without(sets, items, size, k) + 1] += 1
    for q in range(n):
        begins[q + 1] += begins[q]
    inferred = np.empty(begins[n], np.int32)
    whole = np.empty(begins[n], np.int32)
    place = begins[:-1].copy()
    for r in range(1, n):
        if halt[0]:
            break
        size = members(sets, r, items)
        if size > 1:
            for k in range(size):
                q = without(sets, items, size, k)
                inferred[place[q]], whole[place[q]] = items[k], r
                place[q] += 1
    return Rules(begins, inferred, whole)
