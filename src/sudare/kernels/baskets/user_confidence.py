"""How sure the surest adversary of each user can be: all sets that can be known are gone through, or some are drawn.

Records lie one after another: record u is `items[starts[u] : starts[u + 1]]` as adversaries may know it, and `kept[o]`
says whether occurrence o of an item is published. Those who know a set of items look at its crowd, the records that are
published with all of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.baskets.adversaries import sensitive_to
from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32, Items
from sudare.kernels.entry import entry, inner


@inner
def _look(
    data: Any,
    lists: Any,
    rule: Any,
    crowd: Ints,
    users: Ints,
    known: Items,
    scratch: Any,
    greatest: Floats,
    at_risk: Bools,
    unsafe: Ints,
) -> None:
    """Let all `users` of whom `known` is known be looked at in the light of a crowd.

    `greatest` is raised to the highest confidence in a sensitive item of each user; unsafe adversaries are added to
    `unsafe` at the length of the user's record.
    """
    starts, items, kept, _ = data
    words, rows = lists
    counted, found = scratch
    different = 0
    for u in crowd:
        for o in range(starts[u], starts[u + 1]):
            if kept[o]:
                if counted[items[o]] == 0:
                    found[different] = items[o]
                    different += 1
                counted[items[o]] += 1
    for item in known:
        counted[item] = 0
    support = len(crowd)
    order = found[:different][counted[found[:different]] > 0]
    if support > 1:
        order = order[np.argsort(-counted[order])]
    for u in users:
        for item in order:
            share = counted[item] / support
            strong = counted[item] * rule[1] > support * rule[0]
            # The surest items come first: no later one is surer.
            if share <= greatest[u] and not strong:
                break
            if sensitive_to(words, rows[u], item):
                greatest[u] = max(greatest[u], share)
                if strong:
                    at_risk[u] = True
                    unsafe[starts[u + 1] - starts[u]] += 1
                break
    for item in order:
        counted[item] = 0


@inner
def _larger(array: Bools | Ints, size: int) -> Any:
    """Return the array, or one of at least `size` that begins with it."""
    if size <= len(array):
        return array
    found = np.empty(max(size, 2 * len(array)), array.dtype)
    found[: len(array)] = array
    return found


@entry
def look_from(
    data: Any,
    lists: Any,
    rule: Any,
    postings: Any,
    first_item: int,
    end_item: int,
    largest: int,
    greatest: Floats,
    at_risk: Bools,
) -> Ints:
    """Look at all users in the light of what can be known of them: up to `largest` items.

    The first item known is one from `first_item` to before `end_item`. Returns how many adversaries of each size, and
    of users with records of each length, are unsafe. A set that is in no published record tells nothing, nor do its
    supersets.
    """
    starts, items, kept, owner = data
    begins, postings_places = postings
    distinct = len(begins) - 1
    scratch = (np.zeros(distinct, np.int64), np.empty(distinct, np.int64))
    counts, touched = np.zeros(distinct, np.int64), np.empty(distinct, np.int64)
    longest = np.max(starts[1:] - starts[:-1]) if len(starts) > 1 else 0
    unsafe, known = np.zeros((largest + 1, longest + 1), np.int64), np.empty(largest, np.int64)
    # Sets that are still to be looked at, the next one last: its last item, size and records. In the pool lie the
    # places of the last item in these records, and whether they are published with the whole set.
    stack = np.empty((largest * distinct + 1, 4), np.int64)
    places, alive = np.empty(1024, np.int64), np.empty(1024, np.bool_)
    for start in range(first_item, end_item):
        records = begins[start + 1] - begins[start]
        places, alive = _larger(places, records), _larger(alive, records)
        places[:records] = postings_places[begins[start] : begins[start + 1]]
        alive[:records] = kept[places[:records]]
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = start, 1, 0, records
        waiting = 1
        while waiting > 0:
            waiting -= 1
            item, size, first, end = stack[waiting]
            known[size - 1] = item
            users = owner[places[first:end]]
            crowd = users[alive[first:end]]
            if len(crowd) == 0:
                continue
            _look(data, lists, rule, crowd, users, known[:size], scratch, greatest, at_risk, unsafe[size])
            if size == largest:
                continue
            found = total = 0
            for n in range(first, end):
                for o in range(places[n] + 1, starts[owner[places[n]] + 1]):
                    if counts[items[o]] == 0:
                        touched[found] = items[o]
                        found += 1
                    counts[items[o]] += 1
                    total += 1
            places, alive = _larger(places, end + total), _larger(alive, end + total)
            # Later ones lie above earlier ones in the pool and on the stack, so that what is above is always done.
            begin = end
            for n in range(found):
                chosen = touched[n]
                stack[waiting, 0], stack[waiting, 1] = chosen, size + 1
                stack[waiting, 2], stack[waiting, 3] = begin, begin + counts[chosen]
                waiting += 1
                begin += counts[chosen]
                counts[chosen] = begin - counts[chosen]
            for n in range(first, end):
                for o in range(places[n] + 1, starts[owner[places[n]] + 1]):
                    slot = counts[items[o]]
                    places[slot], alive[slot] = o, alive[n] and kept[o]
                    counts[items[o]] += 1
            for n in range(found):
                counts[touched[n]] = 0
    return unsafe


@entry
def look_at_drawn(data: Any, lists: Any, rule: Any, postings: Any, users: Ints, drawn: Ints) -> int:
    """Return how many drawn adversaries are unsafe; they know the occurrences `drawn[i]` of the records `users[i]`."""
    starts, items, kept, owner = data
    begins, places = postings
    distinct = len(begins) - 1
    scratch = (np.zeros(distinct, np.int64), np.empty(distinct, np.int64))
    greatest, at_risk = np.zeros(len(starts) - 1), np.zeros(len(starts) - 1, np.bool_)
    longest = np.max(starts[1:] - starts[:-1]) if len(starts) > 1 else 0
    unsafe = np.zeros(longest + 1, np.int64)
    for i in range(len(users)):
        known = items[drawn[i]]
        rarest = known[0]
        for item in known:
            if begins[item + 1] - begins[item] < begins[rarest + 1] - begins[rarest]:
                rarest = item
        candidates = owner[places[begins[rarest] : begins[rarest + 1]]]
        crowd = candidates[_have(starts, items, kept, candidates, known)]
        if len(crowd):
            _look(data, lists, rule, crowd, users[i : i + 1], known, scratch, greatest, at_risk, unsafe)
    return int(unsafe.sum())


@inner
def _have(starts: Ints, items: Ints32, kept: Bools, records: Ints, known: Ints32) -> Bools:
    """Say which records are published with all known items."""
    found = np.zeros(len(records), np.bool_)
    for n in range(len(records)):
        first, end = starts[records[n]], starts[records[n] + 1]
        there = 0
        for item in known:
            place = first + np.searchsorted(items[first:end], item)
            if place < end and items[place] == item and kept[place]:
                there += 1
        found[n] = there == len(known)
    return found
