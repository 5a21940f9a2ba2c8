"""Suppressing items against unsafe adversaries, with the supports of all sets of items kept up to date.

Since records only lose items, no new sets appear.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from sudare.kernels.baskets.adversaries import sensitive_to
from sudare.kernels.baskets.item_sets import Rules, Sets, find
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner

# The records: starts, items, which occurrences are kept, the owner of each; places[begins[i] : begins[i + 1]] are the
# occurrences of item i, and `owners` are theirs.
Records = namedtuple("Records", "starts items kept owner begins places owners")


@inner
def sets_with(sets: Sets, records: Records, occurrence: int, most: int, space: Any) -> int:
    """Write the sets of a record that contain an occurrence, with all others that are kept; return how many.

    `space` is room for the occurrences of a set, the sets on the way to it, and the answer.
    """
    chosen, at, out = space
    u = records.owner[occurrence]
    end = records.starts[u + 1]
    depth = count = 0
    inside = False
    at[0] = 0
    o = records.starts[u]
    while True:
        if o < end and depth < most:
            if not records.kept[o] and o != occurrence:
                o += 1
                continue
            chosen[depth] = o
            depth += 1
            at[depth] = find(sets, at[depth - 1], records.items[o])
            inside |= o == occurrence
            if inside:
                out[count] = at[depth]
                count += 1
            o += 1
            continue
        if depth == 0:
            return count
        depth -= 1
        o = chosen[depth] + 1
        if chosen[depth] == occurrence:
            # All sets that would come now lack it.
            inside = False
            o = end


@inner
def containing(records: Records, items: Ints, size: int, found: Ints) -> int:
    """Write the records that are published with all of some items, in rising order; return how many.

    Those with the rarest item are looked at; records are short, and other items are soon found in them.
    """
    begins, rarest = records.begins, items[0]
    for k in range(1, size):
        if begins[items[k] + 1] - begins[items[k]] < begins[rarest + 1] - begins[rarest]:
            rarest = items[k]
    count = 0
    for p in range(begins[rarest], begins[rarest + 1]):
        if not records.kept[records.places[p]]:
            continue
        u = records.owners[p]
        there = True
        for k in range(size):
            if items[k] != rarest and occurrence_of(records, u, items[k]) < 0:
                there = False
                break
        if there:
            found[count] = u
            count += 1
    return count


@inner
def occurrence_of(records: Records, u: int, item: int) -> int:
    """Return the occurrence of an item in a published record, or -1."""
    low: int = records.starts[u]
    high = records.starts[u + 1]
    while low < high:
        middle = (low + high) // 2
        if records.items[middle] < item:
            low = middle + 1
        else:
            high = middle
    if low == records.starts[u + 1] or records.items[low] != item or not records.kept[low]:
        return -1
    return low


@inner
def needed(both: int, alone: int, numerator: int, denominator: int, inferred: bool) -> int:
    """Return N_s, formula (4): how many records must lose the inferred item, or else a known one."""
    excess = both * denominator - alone * numerator
    by = denominator if inferred else denominator - numerator
    return (excess + by - 1) // by


@inner
def choose(candidates: Ints, known: Ints, size: int, alone: int, frequencies: Any, rule: Any) -> tuple[int, int, int]:
    """Return the item to suppress, the inferred one, and N_s of them: those with the largest F, formula (5).

    `candidates` are rows of inferred items and the records that have them with all that is known, of `alone` that have
    what is known. Of equal ones that with the least N_s is taken, then the first.
    """
    item_support, item_before, totals = frequencies
    best, best_item, best_inferred, best_needed = -np.inf, -1, -1, 0
    for c in range(len(candidates)):
        inferred, both = candidates[c, 0], candidates[c, 1]
        for k in range(size + 1):
            item = inferred if k == size else known[k]
            number = needed(both, alone, rule[0], rule[1], k == size)
            now = item_support[item] / totals[1]
            score = now * np.log(now / (item_before[item] / totals[0])) / number
            if score > best or (score == best and number < best_needed):
                best, best_item, best_inferred, best_needed = score, item, inferred, number
    return best_item, best_inferred, best_needed


@entry
def repair_users(
    first: int,
    end: int,
    size: int,
    sets: Sets,
    rules: Rules,
    records: Records,
    support: Ints,
    lists: Any,
    frequencies: Any,
    rule: Any,
    most: int,
    room: int,
    of_published: bool,
    rng: np.random.Generator,
    found: Ints,
    halt: Bools,
) -> int:
    """Repair all unsafe adversaries who know `size` items of users from `first` to before `end` (Algorithm 1).

    `room` is the largest number of sets of a record that contain an item. Returns how many were unsafe.
    """
    words, rows = lists
    numerator, denominator = rule
    chosen = np.empty(size + 1, np.int64)
    at = np.empty(size + 2, np.int64)
    known = np.empty(size, np.int64)
    space = (np.empty(most + 1, np.int64), np.empty(most + 2, np.int64), np.empty(room, np.int64))
    unsafe = 0
    for u in range(first, end):
        row = rows[u]
        depth = 0
        at[0] = 0
        o = records.starts[u]
        while not halt[0]:
            if o < records.starts[u + 1] and depth < size:
                if of_published and not records.kept[o]:
                    o += 1
                    continue
                chosen[depth] = o
                depth += 1
                at[depth] = find(sets, at[depth - 1], records.items[o])
                if depth < size:
                    o += 1
                    continue
                q = at[depth]
                met = False
                while support[q] > 0 and not halt[0]:
                    count = 0
                    for r in range(rules.begins[q], rules.begins[q + 1]):
                        both = support[rules.sets[r]]
                        if both * denominator > support[q] * numerator and sensitive_to(words, row, rules.items[r]):
                            count += 1
                    if count == 0:
                        break
                    met = True
                    for k in range(size):
                        known[k] = records.items[chosen[k]]
                    candidates = np.empty((count, 2), np.int64)
                    count = 0
                    for r in range(rules.begins[q], rules.begins[q + 1]):
                        both = support[rules.sets[r]]
                        if both * denominator > support[q] * numerator and sensitive_to(words, row, rules.items[r]):
                            candidates[count, 0], candidates[count, 1] = rules.items[r], both
                            count += 1
                    _suppress(
                        candidates, known, size, support[q], sets, records, support, frequencies, rule, most, rng,
                        found, space,
                    )  # fmt: skip
                    if of_published and not all_kept(records, chosen, size):
                        break
                unsafe += met
                if of_published and not all_kept(records, chosen, size):
                    # The record has lost an item that was known: go on from the first that it lost.
                    while depth > 0 and not all_kept(records, chosen, depth):
                        depth -= 1
                    o = chosen[depth] + 1
                    continue
                depth -= 1
                o = chosen[depth] + 1
                continue
            if depth == 0:
                break
            depth -= 1
            o = chosen[depth] + 1
    return unsafe


@inner
def all_kept(records: Records, chosen: Ints, depth: int) -> bool:
    """Say whether the first of some occurrences are all kept."""
    kept = True
    for k in range(depth):
        kept &= records.kept[chosen[k]]
    return kept


@inner
def _suppress(
    candidates: Ints,
    known: Ints,
    size: int,
    alone: int,
    sets: Sets,
    records: Records,
    support: Ints,
    frequencies: Any,
    rule: Any,
    most: int,
    rng: np.random.Generator,
    found: Ints,
    space: Any,
) -> None:
    """Suppress an item in randomly chosen records, as many as one rule needs."""
    item_support, _, totals = frequencies
    item, inferred, number = choose(candidates, known, size, alone, frequencies, rule)
    wanted = np.empty(size + 1, np.int64)
    wanted[:size] = known
    wanted[size] = inferred
    count = containing(records, wanted, size + 1, found)
    for i in range(number):
        other = i + rng.integers(0, count - i)
        found[i], found[other] = found[other], found[i]
        occurrence = occurrence_of(records, found[i], item)
        changed = sets_with(sets, records, occurrence, most, space)
        for c in range(changed):
            support[space[2][c]] -= 1
        records.kept[occurrence] = False
        item_support[item] -= 1
        totals[1] -= 1
