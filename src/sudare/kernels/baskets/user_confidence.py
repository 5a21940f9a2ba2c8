"""The highest confidence of any adversary about each user: all sets that can be known are checked, or some are drawn.

Those who know a set of items look at its crowd, the records that are published with all of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.adversaries import has_all, rarest_of
from sudare.kernels.baskets.item_groups import divide, first_group, no_groups
from sudare.kernels.baskets.records import (
    Counting,
    Lists,
    Records,
    Rule,
    count_published,
    new_counting,
    sensitive_to,
)
from sudare.kernels.common.arrays import Bools, Floats, Ints, Items
from sudare.kernels.entry import entry, inner


class Surest(NamedTuple):
    """Of each user the highest confidence in a sensitive item, and whether it is above what is safe."""

    greatest: Floats
    at_risk: Bools


@inner
def _look(
    records: Records,
    lists: Lists,
    rule: Rule,
    crowd: Ints,
    users: Ints,
    known: Items,
    counting: Counting,
    surest: Surest,
    unsafe: Ints,
) -> None:
    """Let all `users` of whom `known` is known be looked at in the light of a crowd.

    Unsafe adversaries are added to `unsafe` at the length of the user's record.
    """
    counted, found = counting
    greatest, at_risk = surest
    starts, different = records.starts, 0
    for u in crowd:
        different = count_published(records, u, counting, different)
    for item in known:
        counted[item] = 0
    support = len(crowd)
    order = found[:different][counted[found[:different]] > 0]
    if support > 1:
        order = order[np.argsort(-counted[order])]
    for u in users:
        for item in order:
            share = counted[item] / support
            strong = counted[item] * rule.denominator > support * rule.numerator
            # The surest items come first: no later one is surer.
            if share <= greatest[u] and not strong:
                break
            if sensitive_to(lists, u, item):
                greatest[u] = max(greatest[u], share)
                if strong:
                    at_risk[u] = True
                    unsafe[starts[u + 1] - starts[u]] += 1
                break
    for item in order:
        counted[item] = 0


@inner
def _longest(records: Records) -> int:
    """Return the length of the longest record."""
    starts = records.starts
    return int(np.max(starts[1:] - starts[:-1])) if len(starts) > 1 else 0


@entry
def look_from(
    records: Records, lists: Lists, rule: Rule, most_known: int, first: int, end: int, surest: Surest
) -> Ints:
    """Look at all users in the light of what can be known of them: up to `most_known` items.

    The first item known is one from `first` to before `end`. Returns how many adversaries of each size, and of users
    with records of each length, are unsafe. A set that is in no published record tells nothing, nor do its supersets.
    """
    counting = new_counting(len(records.begins) - 1)
    unsafe, known = np.zeros((most_known + 1, _longest(records) + 1), np.int64), np.empty(most_known + 1, np.int64)
    # The next group at each depth, and the first behind those of the depth.
    turn, stop = np.zeros(most_known + 2, np.int64), np.zeros(most_known + 2, np.int64)
    groups = no_groups()
    for item in range(first, end):
        groups = first_group(records, item, groups)
        turn[1], stop[1] = 0, 1
        depth = 1
        while depth > 0:
            if turn[depth] == stop[depth]:
                depth -= 1
                continue
            g = turn[depth]
            turn[depth] += 1
            known[depth - 1] = groups.item_of[g]
            low, high = groups.begins_at[g], groups.begins_at[g + 1]
            users = records.owner[groups.entries[low:high]]
            crowd = users[groups.alive[low:high]]
            if len(crowd) == 0:
                continue
            _look(records, lists, rule, crowd, users, known[:depth], counting, surest, unsafe[depth])
            if depth < most_known:
                top = stop[depth]
                groups, different = divide(records, groups, g, top, counting, None)
                depth += 1
                turn[depth], stop[depth] = top, top + different
    return unsafe


@entry
def look_at_drawn(records: Records, lists: Lists, rule: Rule, users: Ints, drawn: Ints) -> int:
    """Return how many drawn adversaries are unsafe; they know the occurrences `drawn[i]` of the records `users[i]`."""
    counting = new_counting(len(records.begins) - 1)
    number = len(records.starts) - 1
    surest = Surest(np.zeros(number), np.zeros(number, np.bool_))
    unsafe = np.zeros(_longest(records) + 1, np.int64)
    crowd = np.empty(number, np.int64)
    for i in range(len(users)):
        known, size = records.items[drawn[i]], 0
        rarest = rarest_of(records, known)
        for p in range(records.begins[rarest], records.begins[rarest + 1]):
            if has_all(records, records.owners[p], known):
                crowd[size] = records.owners[p]
                size += 1
        if size:
            _look(records, lists, rule, crowd[:size], users[i : i + 1], known, counting, surest, unsafe)
    return int(unsafe.sum())
