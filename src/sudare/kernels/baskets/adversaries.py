"""Going through adversaries against published sets: what they know, and what the published records tell them.

Records lie one after another: record u is `items[starts[u] : starts[u + 1]]` as the adversaries may know it, and
`kept[o]` says whether occurrence o of an item is published. The records that contain a set Q are found depth first:
those that contain Q and a later item are among those that contain Q.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints, Items, Words
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import entry, inner


@inner
def sensitive_to(words: Words, row: int, item: int) -> bool:
    """Say whether an item is sensitive in a row of lists."""
    word: np.uint64 = words[row, item >> 6]
    return bool((word >> np.uint64(item & 63)) & np.uint64(1) != 0)


@inner
def _check(
    data: Any, lists: Any, rule: Any, entries: Ints, alive: Bools, known: Ints, size: int, scratch: Any
) -> tuple[int, int]:
    """Check all adversaries who know `known[:size]`; return the support of that, and how many are unsafe.

    `entries` are the occurrences of the last item known, one for each record that has all of them, and `alive` says
    which of these records are published with all of them.
    """
    starts, items, kept, owner = data
    words, rows = lists
    counted, found, worst, noted = scratch
    support = different = 0
    for i in range(len(entries)):
        if alive[i]:
            support += 1
            u = owner[entries[i]]
            for o in range(starts[u], starts[u + 1]):
                if kept[o]:
                    if counted[items[o]] == 0:
                        found[different] = items[o]
                        different += 1
                    counted[items[o]] += 1
    for k in range(size):
        counted[known[k]] = 0
    strong = 0
    for f in range(different):
        if counted[found[f]] * rule[1] > support * rule[0]:
            found[strong], found[f] = found[f], found[strong]
            strong += 1
    unsafe = 0
    if strong:
        for i in range(len(entries)):
            u = owner[entries[i]]
            best = -1
            for s in range(strong):
                item = found[s]
                if (best < 0 or counted[item] > counted[best]) and sensitive_to(words, rows[u], item):
                    best = item
            if best >= 0:
                unsafe += 1
                _note(worst, noted, u, known, size, best, counted[best], support)
    for f in range(different):
        counted[found[f]] = 0
    return support, unsafe


@inner
def _note(worst: Ints, noted: Ints, u: int, known: Ints, size: int, item: int, hits: int, support: int) -> None:
    """Keep an unsafe adversary if it is among the worst: the most confident, then those with the largest support.

    A row of `worst` has the user, the inferred item, its hits, the support, the number of known items and these.
    """
    n = noted[0]
    place = n
    while place > 0:
        row = worst[place - 1]
        other, own = row[2] * support, hits * row[3]
        if other > own or (other == own and row[3] >= support):
            break
        place -= 1
    if place == len(worst):
        return
    last = min(n, len(worst) - 1)
    for i in range(last, place, -1):
        worst[i] = worst[i - 1]
    worst[place, 0], worst[place, 1], worst[place, 2] = u, item, hits
    worst[place, 3], worst[place, 4] = support, size
    for k in range(size):
        worst[place, 5 + k] = known[k]
    noted[0] = min(n + 1, len(worst))


@inner
def _count_alone(data: Any, lists: Any, rule: Any, entry: int, alive: bool, known: Ints, size: int) -> int:
    """Count the unsafe adversaries who know `known[:size]` of the only record that has it, and perhaps later items.

    If they know what is published, they can infer all else that is: they are unsafe unless they know all of the user's
    sensitive items in it.
    """
    starts, items, kept, owner = data
    words, rows = lists
    if not alive:
        return 0
    u = owner[entry]
    secrets = later = later_secrets = 0
    for o in range(starts[u], starts[u + 1]):
        if kept[o]:
            secret = sensitive_to(words, rows[u], items[o])
            secrets += secret
            later += o > entry
            later_secrets += secret and o > entry
    for k in range(size):
        secrets -= sensitive_to(words, rows[u], known[k])
    if secrets == 0:
        return 0
    room = rule[2] - size
    if secrets > later_secrets:
        return _subsets(later, room)
    return _subsets(later, room) - _subsets(later - secrets, room - secrets)


@inner
def _subsets(number: int, most: int) -> int:
    """Return how many subsets of a number of things have at most `most` of them."""
    total, term = 0, 1
    for size in range(min(number, most) + 1):
        total += term
        term = term * (number - size) // (size + 1)
    return total


@entry
def check_from(
    data: Any,
    lists: Any,
    rule: Any,
    postings: Any,
    first: int,
    end: int,
    worst: Ints,
    noted: Ints,
    largest: int,
    halt: Bools,
) -> int:
    """Check all adversaries whose first known item is one from `first` to before `end`; return how many are unsafe.

    Sets that begin alike lie on a stack: at each depth the groups of records by the item added there. Group g has the
    item `item_of[g]` and the entries from `begins_at[g]` to before `begins_at[g + 1]`.
    """
    starts, items, kept, owner = data
    begins, places = postings
    counted = np.zeros(len(begins) - 1, np.int64)
    scratch = (counted, np.empty(len(begins) - 1, np.int64), worst, noted)
    found = scratch[1]
    known = np.empty(largest, np.int64)
    # The next group at each depth, and the first behind those of the depth.
    turn = np.zeros(largest + 2, np.int64)
    stop = np.zeros(largest + 2, np.int64)
    entries = np.empty(1024, np.int64)
    alive = np.empty(1024, np.bool_)
    item_of = np.empty(1024, np.int64)
    begins_at = np.empty(1025, np.int64)
    unsafe = 0
    for item in range(first, end):
        n = begins[item + 1] - begins[item]
        entries, alive = room_for(entries, n), room_for(alive, n)
        for i in range(n):
            entries[i] = places[begins[item] + i]
            alive[i] = kept[entries[i]]
        item_of[0], begins_at[0], begins_at[1] = item, 0, n
        turn[1], stop[1] = 0, 1
        depth = 1
        while depth > 0 and not halt[0]:
            if turn[depth] == stop[depth]:
                depth -= 1
                continue
            g = turn[depth]
            turn[depth] += 1
            known[depth - 1] = item_of[g]
            low, high = begins_at[g], begins_at[g + 1]
            if low == high:
                continue
            if high - low == 1:
                alone = _count_alone(data, lists, rule, entries[low], alive[low], known, depth)
                if alone == 0 or (noted[0] == len(worst) and worst[-1, 2] == worst[-1, 3]):
                    unsafe += alone
                    continue
            support, bad = _check(data, lists, rule, entries[low:high], alive[low:high], known, depth, scratch)
            unsafe += bad
            if support == 0 or depth == rule[2]:
                continue
            different = total = 0
            for i in range(low, high):
                for o in range(entries[i] + 1, starts[owner[entries[i]] + 1]):
                    if counted[items[o]] == 0:
                        found[different] = items[o]
                        different += 1
                    counted[items[o]] += 1
                    total += 1
            top = stop[depth]
            place = begins_at[top]
            item_of, begins_at = room_for(item_of, top + different), room_for(begins_at, top + different + 1)
            entries, alive = room_for(entries, place + total), room_for(alive, place + total)
            for f in range(different):
                item_of[top + f] = found[f]
                begins_at[top + f] = place
                place += counted[found[f]]
                counted[found[f]] = begins_at[top + f]
            begins_at[top + different] = place
            for i in range(low, high):
                for o in range(entries[i] + 1, starts[owner[entries[i]] + 1]):
                    at = counted[items[o]]
                    counted[items[o]] = at + 1
                    entries[at] = o
                    alive[at] = alive[i] and kept[o]
            for f in range(different):
                counted[found[f]] = 0
            depth += 1
            turn[depth], stop[depth] = top, top + different
    return unsafe


@entry
def check_drawn(
    data: Any, lists: Any, rule: Any, postings: Any, users: Ints, drawn: Ints, worst: Ints, noted: Ints, halt: Bools
) -> int:
    """Check drawn adversaries, who know the occurrences `drawn[i]` of the records of `users[i]`; return the unsafe."""
    items = data[1]
    words, rows = lists
    numerator, denominator, _ = rule
    begins = postings[0]
    size = drawn.shape[1]
    counted = np.zeros(len(begins) - 1, np.int64)
    found = np.empty(len(begins) - 1, np.int64)
    known = np.empty(size, np.int64)
    unsafe = 0
    for i in range(len(users)):
        if halt[0]:
            break
        for k in range(size):
            known[k] = items[drawn[i, k]]
        support, different = _count_with(data, postings, known, counted, found)
        best = -1
        for f in range(different):
            item = found[f]
            surer = best < 0 or counted[item] > counted[best]
            if (
                surer
                and counted[item] * denominator > support * numerator
                and sensitive_to(words, rows[users[i]], item)
            ):
                best = item
        if best >= 0:
            unsafe += 1
            _note(worst, noted, users[i], known, size, best, counted[best], support)
        for f in range(different):
            counted[found[f]] = 0
    return unsafe


@entry
def count_known(data: Any, postings: Any, bounds: Ints, known: Ints) -> tuple[Ints, Ints, Ints]:
    """Count for sets of items, `known[bounds[i] : bounds[i + 1]]`, the published records that have them.

    Returned are three arrays of equal length: the number of the set, an item, and how many of the records with the set
    have the item too; the item is -1 for the records themselves. Items of the set, and counts of 0, are left out.
    """
    counted = np.zeros(len(postings[0]) - 1, np.int64)
    found = np.empty(len(postings[0]) - 1, np.int64)
    sets, others, records = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    size = 0
    for i in range(len(bounds) - 1):
        support, different = _count_with(data, postings, known[bounds[i] : bounds[i + 1]], counted, found)
        if support == 0:
            continue
        room = size + different + 1
        sets, others, records = room_for(sets, room), room_for(others, room), room_for(records, room)
        sets[size], others[size], records[size] = i, -1, support
        size += 1
        for f in range(different):
            if counted[found[f]] > 0:
                sets[size], others[size], records[size] = i, found[f], counted[found[f]]
                size += 1
            counted[found[f]] = 0
    return sets[:size], others[:size], records[:size]


@inner
def _count_with(data: Any, postings: Any, known: Ints, counted: Ints, found: Ints) -> tuple[int, int]:
    """Count in `counted` what the published records with all known items have beside these.

    Returned are how many such records there are, and how many items `found` has; the counts of known ones are 0.
    """
    starts, items, kept, owner = data
    begins, places = postings
    rarest = -1
    for k in range(len(known)):
        if rarest < 0 or begins[known[k] + 1] - begins[known[k]] < begins[rarest + 1] - begins[rarest]:
            rarest = known[k]
    different = support = 0
    for p in range(begins[rarest], begins[rarest + 1]):
        u = owner[places[p]]
        if not _contains(starts, items, kept, u, known):
            continue
        support += 1
        for o in range(starts[u], starts[u + 1]):
            if kept[o]:
                if counted[items[o]] == 0:
                    found[different] = items[o]
                    different += 1
                counted[items[o]] += 1
    for k in range(len(known)):
        counted[known[k]] = 0
    return support, different


@inner
def _contains(starts: Ints, items: Items, kept: Bools, u: int, known: Ints) -> bool:
    """Say whether the published record of a user has all known items, in any order."""
    for k in range(len(known)):
        low, high = starts[u], starts[u + 1]
        while low < high:
            middle = (low + high) // 2
            if items[middle] < known[k]:
                low = middle + 1
            else:
                high = middle
        if low == starts[u + 1] or items[low] != known[k] or not kept[low]:
            return False
    return True
