"""The sets of items that occur together in some record, numbered, and the rules among them.

A set is found from the set without its last item by a hash table of (number, item), so that the sets of a record are
found by adding items in rising order; the empty set has the number 0.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from sudare.kernels.entry import entry, inner

# Keys (-1: free) and numbers of the hash table; for each set its size, its last item and the set without it.
Sets = namedtuple("Sets", "keys numbers sizes last before")
# Rules Q -> e by Q: rules[begins[Q] : begins[Q + 1]] are the items e and the sets Q + e.
Rules = namedtuple("Rules", "begins items sets")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@inner
def find(sets: Any, before: Any, item: Any) -> Any:
    """Return the number of a set with one more item, later than its own, or -1."""
    size = len(sets.keys)
    key = (np.int64(before) << 32) | np.int64(item)
    mixed = np.uint64(key) * _MIX
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(size - 1))
    while sets.keys[slot] >= 0:
        if sets.keys[slot] == key:
            return np.int64(sets.numbers[slot])
        slot = (slot + 1) & (size - 1)
    return np.int64(-1)


@entry
def number_sets(starts: Any, items: Any, most: Any, halt: Any) -> Any:
    """Return all sets of at most `most` items that occur in records, numbered, and how many records contain each.

    If halted, not all of them.
    """
    slots = 1024
    keys = np.full(slots, -1, np.int64)
    numbers = np.zeros(slots, np.int32)
    sizes = np.zeros(1024, np.int32)
    last = np.full(1024, -1, np.int32)
    before = np.zeros(1024, np.int32)
    support = np.zeros(1024, np.int64)
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
                key = (np.int64(at[depth]) << 32) | np.int64(items[o])
                mixed = np.uint64(key) * _MIX
                slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(slots - 1))
                while keys[slot] >= 0 and keys[slot] != key:
                    slot = (slot + 1) & (slots - 1)
                if keys[slot] < 0:
                    if found == len(sizes):
                        sizes = np.concatenate((sizes, np.zeros_like(sizes)))
                        last = np.concatenate((last, np.zeros_like(last)))
                        before = np.concatenate((before, np.zeros_like(before)))
                        support = np.concatenate((support, np.zeros_like(support)))
                    keys[slot], numbers[slot] = key, found
                    sizes[found], last[found], before[found] = depth + 1, items[o], at[depth]
                    number = found
                    found += 1
                    if 2 * found > slots:
                        keys, numbers = _grown(keys, numbers)
                        slots = len(keys)
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
    return Sets(keys, numbers, sizes[:found].copy(), last[:found].copy(), before[:found].copy()), support[:found].copy()


@inner
def _grown(keys: Any, numbers: Any) -> Any:
    """Return the hash table with twice the slots."""
    slots = 2 * len(keys)
    more = np.full(slots, -1, np.int64)
    new = np.zeros(slots, np.int32)
    for i in range(len(keys)):
        if keys[i] >= 0:
            mixed = np.uint64(keys[i]) * _MIX
            slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(slots - 1))
            while more[slot] >= 0:
                slot = (slot + 1) & (slots - 1)
            more[slot], new[slot] = keys[i], numbers[i]
    return more, new


@inner
def members(sets: Any, number: Any, into: Any) -> Any:
    """Write the items of a set in rising order; return how many."""
    size = sets.sizes[number]
    for k in range(size - 1, -1, -1):
        into[k] = sets.last[number]
        number = sets.before[number]
    return size


@inner
def without(sets: Any, items: Any, size: Any, left_out: Any) -> Any:
    """Return the number of a set of items without the one at a place."""
    number = np.int64(0)
    for k in range(size):
        if k != left_out:
            number = find(sets, number, items[k])
    return number


@entry
def list_rules(sets: Any, halt: Any) -> Any:
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
