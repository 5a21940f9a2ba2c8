"""Repairing all adversaries who know few items: sets are visited depth first with the records that have them."""

from __future__ import annotations

import numpy as np

from sudare.kernels.baskets.item_groups import divide, first_group, no_groups
from sudare.kernels.baskets.records import (
    Counting,
    Question,
    Records,
    count_published,
    forget,
    new_counting,
    sensitive_in,
)
from sudare.kernels.baskets.suppression import Choice, Repair, choose, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner


@entry
def sweep_sets(
    firsts: Ints, size: int, question: Question, repair: Repair, longest: int, changed: Bools, touched: Bools
) -> int:
    """Repair all adversaries who know `size` items, the first of them one of `firsts`; return how many were unsafe.

    Adversaries of records with more than `longest` items are left out. Only sets of items marked in `changed` are
    looked at, and the items of all records that lose one are marked in `touched`.
    """
    records = question.records
    counting = new_counting(len(records.begins) - 1)
    alive = np.empty(len(records.starts), np.bool_)
    known = np.empty(size, np.int64)
    # The next group at each depth, and the first behind those of the depth.
    turn, stop = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    groups = no_groups()
    unsafe = 0
    for item in firsts:
        if not changed[item]:
            continue
        groups = first_group(records, item, groups)
        turn[1], stop[1] = 0, 1
        depth = 1
        while depth > 0 and not repair.halt[0]:
            if turn[depth] == stop[depth]:
                depth -= 1
                continue
            g = turn[depth]
            turn[depth] += 1
            known[depth - 1] = groups.item_of[g]
            entries = groups.entries[groups.begins_at[g] : groups.begins_at[g + 1]]
            if depth == size:
                unsafe += _repair_set(entries, known, question, repair, longest, touched, counting, alive)
            elif _published(records, entries, known[:depth]):
                top = stop[depth]
                groups, different = divide(records, groups, g, top, counting, changed)
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
    question: Question,
    repair: Repair,
    longest: int,
    touched: Bools,
    counting: Counting,
    alive: Bools,
) -> int:
    """Suppress items until all adversaries who know a set of a record that is not too long are safe.

    Returns how many were not. `entries` are the occurrences of its last item in the records that have all of it,
    published or not; `alive` is room to say which are published with it.
    """
    records, _, rule, of_published = question
    support = different = 0
    for i in range(len(entries)):
        alive[i] = _has_all(records, entries[i], known)
        if alive[i]:
            support += 1
            different = count_published(records, records.owner[entries[i]], counting, different)
    for item in known:
        counting.counted[item] = 0
    unsafe = 0
    for i in range(len(entries)):
        u = records.owner[entries[i]]
        if records.starts[u + 1] - records.starts[u] > longest:
            continue
        bad = False
        while support and (alive[i] or not of_published):
            candidates = _inferred(question, u, support, counting, different)
            if not len(candidates):
                break
            bad = True
            choice = choose(candidates, known, support, repair.frequencies, rule)
            support -= _suppress(choice, entries, records, repair, alive, counting.counted, touched)
        unsafe += bad
    forget(counting, different)
    return unsafe


@inner
def _inferred(question: Question, u: int, support: int, counting: Counting, different: int) -> Ints:
    """Return the items that can be inferred of a user with too much confidence, and how often each was counted."""
    counted, met = counting
    rule, words, row = question.rule, question.lists.words, question.lists.rows[u]
    count = 0
    for f in range(different):
        strong = counted[met[f]] * rule.denominator > support * rule.numerator
        count += strong and sensitive_in(words, row, met[f])
    candidates = np.empty((count, 2), np.int64)
    if count == 0:
        return candidates
    count = 0
    for f in range(different):
        item = met[f]
        if counted[item] * rule.denominator > support * rule.numerator and sensitive_in(words, row, item):
            candidates[count, 0], candidates[count, 1] = item, counted[item]
            count += 1
    return candidates


@inner
def _suppress(
    choice: Choice, entries: Ints, records: Records, repair: Repair, alive: Bools, counted: Ints, touched: Bools
) -> int:
    """Suppress an item in records drawn from those with the inferred one; return how many lost a known item."""
    item, inferred, number = choice
    left = number
    having = counted[inferred]
    lost = 0
    for i in range(len(entries)):
        u = records.owner[entries[i]]
        if left == 0 or not alive[i] or occurrence_of(records, u, inferred) < 0:
            continue
        # Each record is taken with the share of those still wanted among those still to come.
        take = repair.rng.integers(0, having) < left
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
    repair.frequencies.now[item] -= number
    repair.frequencies.totals[1] -= number
    return lost
