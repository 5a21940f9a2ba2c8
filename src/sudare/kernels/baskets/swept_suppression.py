"""Repairing all adversaries who know few items: sets are gone through depth first with the records that have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.baskets.adversaries import sensitive_to
from sudare.kernels.baskets.suppression import Records, choose, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints, Words
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import entry, inner


@entry
def sweep_sets(
    firsts: Ints,
    size: int,
    records: Records,
    lists: Any,
    frequencies: Any,
    rule: Any,
    of_published: bool,
    rng: np.random.Generator,
    longest: int,
    changed: Bools,
    touched: Bools,
    halt: Bools,
) -> int:
    """Repair all adversaries who know `size` items, the first of them one of `firsts`.

    Adversaries of records with more than `longest` items are left out. Only sets of items marked in `changed` are
    looked at, and the items of all records that lose one are marked in `touched`. Sets that begin alike lie on a stack:
    at each depth the groups of records by the item added there, group g with the item `item_of[g]` and the occurrences
    from `begins_at[g]` to before `begins_at[g + 1]`. Returns how many adversaries were unsafe.
    """
    items = len(records.begins) - 1
    counted = np.zeros(items, np.int64)
    scratch = (counted, np.empty(items, np.int64), np.empty(len(records.starts), np.bool_))
    met = scratch[1]
    known = np.empty(size, np.int64)
    turn, stop = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    entries, item_of, begins_at = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1025, np.int64)
    unsafe = 0
    for item in firsts:
        if not changed[item]:
            continue
        n = records.begins[item + 1] - records.begins[item]
        entries = room_for(entries, n)
        entries[:n] = records.places[records.begins[item] : records.begins[item + 1]]
        item_of[0], begins_at[0], begins_at[1] = item, 0, n
        turn[0], stop[0] = 0, 1
        depth = 0
        while depth >= 0 and not halt[0]:
            if turn[depth] == stop[depth]:
                depth -= 1
                continue
            g = turn[depth]
            turn[depth] += 1
            known[depth] = item_of[g]
            low, high = begins_at[g], begins_at[g + 1]
            if depth + 1 == size:
                unsafe += _repair_set(
                    entries[low:high], known, records, lists, frequencies, rule, of_published, rng, longest,
                    touched, scratch,
                )  # fmt: skip
                continue
            if not _published(records, entries[low:high], known[: depth + 1]):
                continue
            different = total = 0
            for i in range(low, high):
                for o in range(entries[i] + 1, records.starts[records.owner[entries[i]] + 1]):
                    other = records.items[o]
                    if changed[other]:
                        if counted[other] == 0:
                            met[different] = other
                            different += 1
                        counted[other] += 1
                        total += 1
            top = stop[depth]
            place = begins_at[top]
            item_of, begins_at = room_for(item_of, top + different), room_for(begins_at, top + different + 1)
            entries = room_for(entries, place + total)
            for f in range(different):
                item_of[top + f] = met[f]
                begins_at[top + f] = place
                place += counted[met[f]]
                counted[met[f]] = begins_at[top + f]
            begins_at[top + different] = place
            for i in range(low, high):
                for o in range(entries[i] + 1, records.starts[records.owner[entries[i]] + 1]):
                    other = records.items[o]
                    if changed[other]:
                        entries[counted[other]] = o
                        counted[other] += 1
            for f in range(different):
                counted[met[f]] = 0
            depth += 1
            turn[depth], stop[depth] = top, top + different
    return unsafe


@inner
def _published(records: Records, entries: Ints, known: Ints) -> bool:
    """Say whether some record is published with all that is known."""
    found = False
    for i in range(len(entries)):
        found = found or _has_all(records, entries[i], known)
    return found


@inner
def _has_all(records: Records, last: int, known: Ints) -> bool:
    """Say whether the record of the occurrence of the last known item is published with all of them."""
    there: bool = records.kept[last]
    for k in range(len(known) - 1):
        there = there and occurrence_of(records, records.owner[last], known[k]) >= 0
    return there


@inner
def _repair_set(
    entries: Ints,
    known: Ints,
    records: Records,
    lists: Any,
    frequencies: Any,
    rule: Any,
    of_published: bool,
    rng: np.random.Generator,
    longest: int,
    touched: Bools,
    scratch: Any,
) -> int:
    """Suppress items until all adversaries who know a set of a record that is not too long are safe.

    Returns how many were not.

    `entries` are the occurrences of its last item in the records that have all of it, published or not.
    """
    words, rows = lists
    counted, met, alive = scratch
    support = different = 0
    for i in range(len(entries)):
        alive[i] = _has_all(records, entries[i], known)
        if alive[i]:
            support += 1
            different = _add(records, records.owner[entries[i]], counted, met, different)
    for k in range(len(known)):
        counted[known[k]] = 0
    unsafe = 0
    for i in range(len(entries)):
        u = records.owner[entries[i]]
        if records.starts[u + 1] - records.starts[u] > longest:
            continue
        bad = False
        while support and (alive[i] or not of_published):
            candidates = _inferred(support, counted, met, different, rule, words, rows[u])
            if not len(candidates):
                break
            bad = True
            item, inferred, number = choose(candidates, known, len(known), support, frequencies, rule)
            support -= _suppress(
                item, inferred, number, entries, records, frequencies, rng, alive, counted, touched
            )  # fmt: skip
        unsafe += bad
    for f in range(different):
        counted[met[f]] = 0
    return unsafe


@inner
def _add(records: Records, u: int, counted: Ints, met: Ints, different: int) -> int:
    """Count the published items of a record; return how many different ones were met so far."""
    for o in range(records.starts[u], records.starts[u + 1]):
        if records.kept[o]:
            item = records.items[o]
            if counted[item] == 0:
                met[different] = item
                different += 1
            counted[item] += 1
    return different


@inner
def _inferred(support: int, counted: Ints, met: Ints, different: int, rule: Any, words: Words, row: int) -> Ints:
    """Return the items that can be inferred of a user with too much confidence, and how often each was counted."""
    count = 0
    for f in range(different):
        if counted[met[f]] * rule[1] > support * rule[0] and sensitive_to(words, row, met[f]):
            count += 1
    candidates = np.empty((count, 2), np.int64)
    if count == 0:
        return candidates
    count = 0
    for f in range(different):
        item = met[f]
        if counted[item] * rule[1] > support * rule[0] and sensitive_to(words, row, item):
            candidates[count, 0], candidates[count, 1] = item, counted[item]
            count += 1
    return candidates


@inner
def _suppress(
    item: int,
    inferred: int,
    number: int,
    entries: Ints,
    records: Records,
    frequencies: Any,
    rng: np.random.Generator,
    alive: Bools,
    counted: Ints,
    touched: Bools,
) -> int:
    """Suppress an item in records drawn from those with the inferred one; return how many lost a known item."""
    item_support, _, totals = frequencies
    left = number
    having = counted[inferred]
    lost = 0
    for i in range(len(entries)):
        u = records.owner[entries[i]]
        if left == 0 or not alive[i] or occurrence_of(records, u, inferred) < 0:
            continue
        # Each record is taken with the share of those still wanted among those still to come.
        take = rng.integers(0, having) < left
        having -= 1
        if not take:
            continue
        left -= 1
        if item != inferred:
            alive[i] = False
            lost += 1
        for o in range(records.starts[u], records.starts[u + 1]):
            touched[records.items[o]] = True
            if records.kept[o] and (item != inferred or records.items[o] == item):
                counted[records.items[o]] -= 1
        records.kept[occurrence_of(records, u, item)] = False
    item_support[item] -= number
    totals[1] -= number
    return lost
