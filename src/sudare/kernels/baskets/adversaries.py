"""Enumerating adversaries against published sets: what they know, and what the published records tell them.

The records that contain a set Q are found depth first: those that contain Q and a later item are among those that
contain Q. Those who only suppress items use none of this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.item_groups import divide, first_group, no_groups
from sudare.kernels.baskets.records import (
    Counting,
    Lists,
    Records,
    Rule,
    count_published,
    forget,
    new_counting,
    sensitive_to,
)
from sudare.kernels.common.arrays import Bools, Ints, Items
from sudare.kernels.common.ordered import first_from
from sudare.kernels.common.rooms import room_for
from sudare.kernels.entry import entry, inner


class Worst(NamedTuple):
    """The worst unsafe adversaries so far, as many as there are lines, and how many there are.

    A line has the user, the inferred item, its hits, the support, the number of known items and these.
    """

    lines: Ints
    noted: Ints


class Counts(NamedTuple):
    """Counts of records: the number of a set, an item, and how many of the records with the set have the item too."""

    sets: Ints
    items: Ints
    records: Ints


@inner
def _check(
    records: Records,
    lists: Lists,
    rule: Rule,
    entries: Ints,
    alive: Bools,
    known: Ints,
    counting: Counting,
    worst: Worst,
) -> tuple[int, int]:
    """Check all adversaries who know some items; return the support of that, and how many are unsafe.

    `entries` are the occurrences of the last item known, one for each record that has all of them, and `alive` says
    which of these records are published with all of them.
    """
    owner = records.owner
    counted, found = counting
    support = different = 0
    for i in range(len(entries)):
        if alive[i]:
            support += 1
            different = count_published(records, owner[entries[i]], counting, different)
    for item in known:
        counted[item] = 0
    strong = 0
    for f in range(different):
        if counted[found[f]] * rule.denominator > support * rule.numerator:
            found[strong], found[f] = found[f], found[strong]
            strong += 1
    unsafe = 0
    if strong:
        for i in range(len(entries)):
            u = owner[entries[i]]
            best = -1
            for s in range(strong):
                item = found[s]
                if (best < 0 or counted[item] > counted[best]) and sensitive_to(lists, u, item):
                    best = item
            if best >= 0:
                unsafe += 1
                _note(worst, u, known, best, counted[best], support)
    forget(counting, different)
    return support, unsafe


@inner
def _note(worst: Worst, u: int, known: Ints, item: int, hits: int, support: int) -> None:
    """Keep an unsafe adversary if it is among the worst: the most confident, then those with the largest support."""
    lines, noted = worst
    n = noted[0]
    place = n
    while place > 0:
        row = lines[place - 1]
        other, own = row[2] * support, hits * row[3]
        if other > own or (other == own and row[3] >= support):
            break
        place -= 1
    if place == len(lines):
        return
    last = min(n, len(lines) - 1)
    for i in range(last, place, -1):
        lines[i] = lines[i - 1]
    lines[place, 0], lines[place, 1], lines[place, 2] = u, item, hits
    lines[place, 3], lines[place, 4] = support, len(known)
    for k in range(len(known)):
        lines[place, 5 + k] = known[k]
    noted[0] = min(n + 1, len(lines))


@inner
def _count_alone(records: Records, lists: Lists, most_known: int, entry: int, alive: bool, known: Ints) -> int:
    """Count the unsafe adversaries who know some items of the only record that has them, and perhaps later items.

    If they know what is published, they can infer all else that is: they are unsafe unless they know all of the user's
    sensitive items in it.
    """
    if not alive:
        return 0
    u = records.owner[entry]
    secrets = later = later_secrets = 0
    for o in range(records.starts[u], records.starts[u + 1]):
        if records.kept[o]:
            secret = sensitive_to(lists, u, records.items[o])
            secrets += secret
            later += o > entry
            later_secrets += secret and o > entry
    for item in known:
        secrets -= sensitive_to(lists, u, item)
    if secrets == 0:
        return 0
    room = most_known - len(known)
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
    records: Records,
    lists: Lists,
    rule: Rule,
    most_known: int,
    first: int,
    end: int,
    worst: Worst,
    halt: Bools,
) -> int:
    """Check all adversaries whose first known item is one from `first` to before `end`; return how many are unsafe.

    They know `most_known` items or fewer.
    """
    counting = new_counting(len(records.begins) - 1)
    known = np.empty(most_known + 1, np.int64)
    # The next group at each depth, and the first behind those of the depth.
    turn, stop = np.zeros(most_known + 2, np.int64), np.zeros(most_known + 2, np.int64)
    groups = no_groups()
    unsafe = 0
    for item in range(first, end):
        groups = first_group(records, item, groups)
        turn[1], stop[1] = 0, 1
        depth = 1
        while depth > 0 and not halt[0]:
            if turn[depth] == stop[depth]:
                depth -= 1
                continue
            g = turn[depth]
            turn[depth] += 1
            known[depth - 1] = groups.item_of[g]
            low, high = groups.begins_at[g], groups.begins_at[g + 1]
            if low == high:
                continue
            if high - low == 1:
                alone = _count_alone(records, lists, most_known, groups.entries[low], groups.alive[low], known[:depth])
                if alone == 0 or _has_no_worse(worst):
                    unsafe += alone
                    continue
            entries, alive = groups.entries[low:high], groups.alive[low:high]
            support, bad = _check(records, lists, rule, entries, alive, known[:depth], counting, worst)
            unsafe += bad
            if support and depth < most_known:
                top = stop[depth]
                groups, different = divide(records, groups, g, top, counting, None)
                depth += 1
                turn[depth], stop[depth] = top, top + different
    return unsafe


@inner
def _has_no_worse(worst: Worst) -> bool:
    """Say whether no adversary of a single record can be worse than those noted: all places are taken by sure ones."""
    lines, noted = worst
    return bool(noted[0] == len(lines) and lines[-1, 2] == lines[-1, 3])


@entry
def check_drawn(records: Records, lists: Lists, rule: Rule, users: Ints, drawn: Ints, worst: Worst, halt: Bools) -> int:
    """Check drawn adversaries, who know the occurrences `drawn[i]` of the records of `users[i]`; return the unsafe."""
    counting = new_counting(len(records.begins) - 1)
    counted, found = counting
    known = np.empty(drawn.shape[1], np.int64)
    unsafe = 0
    for i in range(len(users)):
        if halt[0]:
            break
        for k in range(len(known)):
            known[k] = records.items[drawn[i, k]]
        support, different = _count_with(records, known, counting)
        best = -1
        for f in range(different):
            item = found[f]
            surer = best < 0 or counted[item] > counted[best]
            strong = counted[item] * rule.denominator > support * rule.numerator
            if surer and strong and sensitive_to(lists, users[i], item):
                best = item
        if best >= 0:
            unsafe += 1
            _note(worst, users[i], known, best, counted[best], support)
        forget(counting, different)
    return unsafe


@entry
def count_known(records: Records, bounds: Ints, known: Ints) -> Counts:
    """Count for sets of items, `known[bounds[i] : bounds[i + 1]]`, the published records that have them.

    The item is -1 for the records themselves. Items of the set, and counts of 0, are left out.
    """
    counting = new_counting(len(records.begins) - 1)
    counted, found = counting
    sets, items, numbers = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    size = 0
    for i in range(len(bounds) - 1):
        support, different = _count_with(records, known[bounds[i] : bounds[i + 1]], counting)
        if support == 0:
            continue
        room = size + different + 1
        sets, items, numbers = room_for(sets, room), room_for(items, room), room_for(numbers, room)
        sets[size], items[size], numbers[size] = i, -1, support
        size += 1
        for f in range(different):
            if counted[found[f]] > 0:
                sets[size], items[size], numbers[size] = i, found[f], counted[found[f]]
                size += 1
            counted[found[f]] = 0
    return Counts(sets[:size], items[:size], numbers[:size])


@inner
def rarest_of(records: Records, known: Items) -> int:
    """Return the item, of those known, that the fewest records have."""
    begins, rarest = records.begins, -1
    for item in known:
        if rarest < 0 or begins[item + 1] - begins[item] < begins[rarest + 1] - begins[rarest]:
            rarest = item
    return rarest


@inner
def _count_with(records: Records, known: Ints, counting: Counting) -> tuple[int, int]:
    """Count what the published records with all known items have beside these.

    Returned are how many such records there are, and how many items were met; the counts of known ones are 0.
    """
    rarest = rarest_of(records, known)
    different = support = 0
    for p in range(records.begins[rarest], records.begins[rarest + 1]):
        if has_all(records, records.owners[p], known):
            support += 1
            different = count_published(records, records.owners[p], counting, different)
    for item in known:
        counting.counted[item] = 0
    return support, different


@inner
def has_all(records: Records, u: int, known: Items) -> bool:
    """Say whether the published record of a user has all known items, in any order."""
    starts, items, kept = records.starts, records.items, records.kept
    for item in known:
        place = first_from(items, starts[u], starts[u + 1], item)
        if place == starts[u + 1] or items[place] != item or not kept[place]:
            return False
    return True
