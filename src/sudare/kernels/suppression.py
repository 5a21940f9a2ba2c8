"""Supports of all sets of items that occur together, kept up to date while items are suppressed.

Every set of items of some record has a number. A set is found from the set without its last item by a hash table of
(number, item), so that the sets of a record are found by adding items in rising order; the empty set has the number 0.
Since records only lose items, no new sets appear.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import njit

from sudare.kernels.adversaries import sensitive_to

# Keys (-1: free) and numbers of the hash table; for each set its size, its last item and the set without it.
Sets = namedtuple("Sets", "keys numbers sizes last before")
# Rules Q -> e by Q: rules[begins[Q] : begins[Q + 1]] are the items e and the sets Q + e.
Rules = namedtuple("Rules", "begins items sets")
# The records: starts, items, which occurrences are kept, the owner of each; places[begins[i] : begins[i + 1]] are the
# occurrences of item i, and `owners` are theirs.
Records = namedtuple("Records", "starts items kept owner begins places owners")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def number_sets(starts: Any, items: Any, most: Any) -> Any:
    """Return all sets of at most `most` items that occur in records, numbered, and how many records contain each."""
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
        while True:
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def members(sets: Any, number: Any, into: Any) -> Any:
    """Write the items of a set in rising order; return how many."""
    size = sets.sizes[number]
    for k in range(size - 1, -1, -1):
        into[k] = sets.last[number]
        number = sets.before[number]
    return size


@njit(cache=True, nogil=True)
def without(sets: Any, items: Any, size: Any, left_out: Any) -> Any:
    """Return the number of a set of items without the one at a place."""
    number = np.int64(0)
    for k in range(size):
        if k != left_out:
            number = find(sets, number, items[k])
    return number


@njit(cache=True, nogil=True)
def list_rules(sets: Any) -> Any:
    """Return all rules Q -> e with Q of at least one item, by Q."""
    n = len(sets.sizes)
    longest = max(sets.sizes.max(), 1)
    items = np.empty(longest, np.int64)
    begins = np.zeros(n + 1, np.int64)
    for r in range(1, n):
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
        size = members(sets, r, items)
        if size > 1:
            for k in range(size):
                q = without(sets, items, size, k)
                inferred[place[q]], whole[place[q]] = items[k], r
                place[q] += 1
    return Rules(begins, inferred, whole)


@njit(cache=True, nogil=True)
def change(sets: Any, records: Any, support: Any, occurrence: Any, most: Any, by: Any, chosen: Any, at: Any) -> None:
    """Add `by` to the support of all sets of a record that contain the item of an occurrence, which must be kept."""
    u = records.owner[occurrence]
    end = records.starts[u + 1]
    depth = 0
    at[0] = 0
    o = records.starts[u]
    while True:
        if o < end and depth < most:
            if not records.kept[o]:
                o += 1
                continue
            chosen[depth] = o
            depth += 1
            at[depth] = find(sets, at[depth - 1], records.items[o])
            if _has(chosen, depth, occurrence):
                support[at[depth]] += by
            o += 1
            continue
        if depth == 0:
            break
        depth -= 1
        o = chosen[depth] + 1
        if chosen[depth] == occurrence:
            # All sets that would come now lack it.
            o = end


@njit(cache=True, nogil=True)
def _has(chosen: Any, depth: Any, occurrence: Any) -> Any:
    found = False
    for k in range(depth):
        found |= chosen[k] == occurrence
    return found


@njit(cache=True, nogil=True)
def containing(records: Any, items: Any, size: Any, found: Any) -> Any:
    """Write the records that are published with all of some items, in rising order; return how many.

    The owners of each item are merged, those of the rarest first; whether the items are still kept is asked last.
    """
    begins, owners = records.begins, records.owners
    order = np.empty(size, np.int64)
    for k in range(size):
        place = k
        while place > 0 and _spread(begins, order[place - 1]) > _spread(begins, items[k]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = items[k]
    count = 0
    for p in range(begins[order[0]], begins[order[0] + 1]):
        if size > 1 or records.kept[records.places[p]]:
            found[count] = owners[p]
            count += 1
    for k in range(1, size):
        p, end = begins[order[k]], begins[order[k] + 1]
        left = 0
        for c in range(count):
            u = found[c]
            while p < end and owners[p] < u:
                p += 1
            if p == end:
                break
            if owners[p] == u:
                found[left] = u
                left += 1
        count = left
    if size == 1:
        return count
    left = 0
    for c in range(count):
        there = True
        for k in range(size):
            if occurrence_of(records, found[c], items[k]) < 0:
                there = False
                break
        if there:
            found[left] = found[c]
            left += 1
    return left


@njit(cache=True, nogil=True)
def _spread(begins: Any, item: Any) -> Any:
    return begins[item + 1] - begins[item]


@njit(cache=True, nogil=True)
def occurrence_of(records: Any, u: Any, item: Any) -> Any:
    """Return the occurrence of an item in a published record, or -1."""
    low, high = records.starts[u], records.starts[u + 1]
    while low < high:
        middle = (low + high) // 2
        if records.items[middle] < item:
            low = middle + 1
        else:
            high = middle
    if low == records.starts[u + 1] or records.items[low] != item or not records.kept[low]:
        return np.int64(-1)
    return np.int64(low)


@njit(cache=True, nogil=True)
def needed(both: Any, alone: Any, numerator: Any, denominator: Any, inferred: Any) -> Any:
    """Return N_s, formula (4): how many records must lose the inferred item, or else a known one."""
    excess = both * denominator - alone * numerator
    by = denominator if inferred else denominator - numerator
    return (excess + by - 1) // by


@njit(cache=True, nogil=True)
def choose(candidates: Any, known: Any, size: Any, alone: Any, frequencies: Any, rule: Any, fewest: Any) -> Any:
    """Return the item to suppress, the inferred one, and N_s of them: those with the largest F, formula (5).

    `candidates` are rows of inferred items and the records that have them with all that is known, of `alone` that have
    what is known. With `fewest` the least N_s counts instead, then the rarest item, which tells most. Of equal ones
    that with the least N_s is taken, then the first.
    """
    item_support, item_before, totals = frequencies
    best, best_item, best_inferred, best_needed = -np.inf, np.int64(-1), np.int64(-1), np.int64(0)
    for c in range(len(candidates)):
        inferred, both = candidates[c, 0], candidates[c, 1]
        for k in range(size + 1):
            item = inferred if k == size else known[k]
            number = needed(both, alone, rule[0], rule[1], k == size)
            now = item_support[item] / totals[1]
            score = -number - now if fewest else now * np.log(now / (item_before[item] / totals[0])) / number
            if score > best or (score == best and number < best_needed):
                best, best_item, best_inferred, best_needed = score, item, inferred, number
    return best_item, best_inferred, best_needed


@njit(cache=True, nogil=True)
def repair_users(
    first: Any, end: Any, size: Any, sets: Any, rules: Any, records: Any, support: Any, lists: Any, frequencies: Any,
    rule: Any, most: Any, of_published: Any, rng: Any, found: Any,
) -> Any:  # fmt: skip
    """Repair all unsafe adversaries who know `size` items of users from `first` to before `end` (Algorithm 1).

    Returns how many were unsafe and how many occurrences were suppressed.
    """
    words, rows = lists
    numerator, denominator = rule
    chosen = np.empty(size + 1, np.int64)
    at = np.empty(size + 2, np.int64)
    known = np.empty(size, np.int64)
    space = (np.empty(most + 1, np.int64), np.empty(most + 2, np.int64))
    unsafe = suppressed = 0
    for u in range(first, end):
        row = rows[u]
        depth = 0
        at[0] = 0
        o = records.starts[u]
        while True:
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
                while support[q] > 0:
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
                    suppressed += _suppress(
                        candidates, known, size, support[q], sets, records, support, frequencies, rule, most, rng,
                        found, space,
                    )  # fmt: skip
                    if of_published and not _all_kept(records, chosen, size):
                        break
                unsafe += met
                if of_published and not _all_kept(records, chosen, size):
                    # The record has lost an item that was known: go on from the first that it lost.
                    while depth > 0 and not _all_kept(records, chosen, depth):
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
    return unsafe, suppressed


@njit(cache=True, nogil=True)
def _all_kept(records: Any, chosen: Any, depth: Any) -> Any:
    kept = True
    for k in range(depth):
        kept &= records.kept[chosen[k]]
    return kept


@njit(cache=True, nogil=True)
def _suppress(
    candidates: Any, known: Any, size: Any, alone: Any, sets: Any, records: Any, support: Any, frequencies: Any,
    rule: Any, most: Any, rng: Any, found: Any, space: Any,
) -> Any:  # fmt: skip
    """Suppress an item in randomly chosen records, as many as one rule needs; return how many."""
    item_support, _, totals = frequencies
    item, inferred, number = choose(candidates, known, size, alone, frequencies, rule, False)
    wanted = np.empty(size + 1, np.int64)
    wanted[:size] = known
    wanted[size] = inferred
    count = containing(records, wanted, size + 1, found)
    for i in range(number):
        other = i + rng.integers(0, count - i)
        found[i], found[other] = found[other], found[i]
        occurrence = occurrence_of(records, found[i], item)
        change(sets, records, support, occurrence, most, -1, space[0], space[1])
        records.kept[occurrence] = False
        item_support[item] -= 1
        totals[1] -= 1
    return number


@njit(cache=True, nogil=True)
def find_unsafe(users: Any, drawn: Any, records: Any, lists: Any, rule: Any, of_published: Any, unsafe: Any) -> None:
    """Say which drawn adversaries, who know the occurrences `drawn[i]` of the records of `users[i]`, are unsafe.

    Adversaries who know the same items should follow each other: what can be inferred is then found once.
    """
    words, rows = lists
    items, size = len(records.begins) - 1, drawn.shape[1]
    scratch = (np.zeros(items, np.int64), np.empty(items + 1, np.int64))
    found = np.empty(len(records.starts), np.int64)
    known = np.full(size, -1, np.int64)
    strong = 0
    for i in range(len(users)):
        unsafe[i] = False
        if of_published and not _all_kept(records, drawn[i], size):
            continue
        same = True
        for k in range(size):
            same &= known[k] == records.items[drawn[i, k]]
            known[k] = records.items[drawn[i, k]]
        if not same:
            _, strong = _strong(known, records, rule, found, scratch)
            _clear(scratch)
        for f in range(strong):
            if sensitive_to(words, rows[users[i]], scratch[1][f]):
                unsafe[i] = True
                break


@njit(cache=True, nogil=True)
def repair_drawn(
    users: Any, drawn: Any, records: Any, lists: Any, frequencies: Any, rule: Any, of_published: Any, rng: Any,
    found: Any, fewest: Any, touched: Any, streak: Any,
) -> None:  # fmt: skip
    """Suppress items until drawn adversaries are safe, one after another (Algorithm 2).

    Where one is unsafe, others who know as many items of the same record are likely to be: further ones are drawn from
    it and repaired until `streak` in a row are safe. The items of all records that lost one are marked in `touched`.
    """
    size = drawn.shape[1]
    scratch = (np.zeros(len(frequencies[0]), np.int64), np.empty(len(frequencies[0]) + 1, np.int64))
    chosen = np.empty(size, np.int64)
    wanted = np.empty(size + 1, np.int64)
    for i in range(len(users)):
        u = users[i]
        chosen[:] = drawn[i]
        safe = 0
        while safe < streak:
            for k in range(size):
                wanted[k] = records.items[chosen[k]]
            met = False
            while not of_published or _all_kept(records, chosen, size):
                if not _suppress_for(
                    u, wanted, records, lists, frequencies, rule, rng, found, fewest, touched, scratch
                ):
                    break
                met = True
            safe = 0 if met else safe + 1
            if not _draw_known(records, u, of_published, rng, chosen):
                break


@njit(cache=True, nogil=True)
def _suppress_for(
    u: Any, wanted: Any, records: Any, lists: Any, frequencies: Any, rule: Any, rng: Any, found: Any, fewest: Any,
    touched: Any, scratch: Any,
) -> Any:  # fmt: skip
    """Suppress one item against an adversary who knows all of `wanted` but its last; say whether that was needed."""
    words, rows = lists
    item_support, _, totals = frequencies
    counted, met = scratch
    size = len(wanted) - 1
    known = wanted[:size]
    alone, strong = _strong(known, records, rule, found, scratch)
    candidates = np.empty((strong, 2), np.int64)
    count = 0
    for f in range(strong):
        if sensitive_to(words, rows[u], met[f]):
            candidates[count, 0], candidates[count, 1] = met[f], counted[met[f]]
            count += 1
    _clear(scratch)
    if count == 0:
        return False
    item, wanted[size], number = choose(candidates[:count], known, size, alone, frequencies, rule, fewest)
    count = containing(records, wanted, size + 1, found)
    for n in range(number):
        other = n + rng.integers(0, count - n)
        found[n], found[other] = found[other], found[n]
        records.kept[occurrence_of(records, found[n], item)] = False
        for o in range(records.starts[found[n]], records.starts[found[n] + 1]):
            touched[records.items[o]] = True
    item_support[item] -= number
    totals[1] -= number
    return True


@njit(cache=True, nogil=True)
def _draw_known(records: Any, u: Any, of_published: Any, rng: Any, chosen: Any) -> Any:
    """Draw as many occurrences of a record as `chosen` has room for, uniformly; say whether it has so many."""
    size = len(chosen)
    left = 0
    for o in range(records.starts[u], records.starts[u + 1]):
        left += records.kept[o] or not of_published
    if left < size:
        return False
    taken = 0
    for o in range(records.starts[u], records.starts[u + 1]):
        if records.kept[o] or not of_published:
            if rng.integers(0, left) < size - taken:
                chosen[taken] = o
                taken += 1
                if taken == size:
                    break
            left -= 1
    return True


@njit(cache=True, nogil=True)
def _strong(known: Any, records: Any, rule: Any, found: Any, scratch: Any) -> Any:
    """Put the items that can be inferred from known ones first in `scratch`, with the counts of all.

    Returns how many published records have what is known, and how many items can be inferred.
    """
    counted, met = scratch
    alone = containing(records, known, len(known), found)
    different = _count_items(records, found, alone, counted, met)
    met[-1] = different
    for k in range(len(known)):
        counted[known[k]] = 0
    count = 0
    for f in range(different):
        item = met[f]
        if counted[item] * rule[1] > alone * rule[0]:
            met[count], met[f] = item, met[count]
            count += 1
    return alone, count


@njit(cache=True, nogil=True)
def _clear(scratch: Any) -> None:
    counted, met = scratch
    for f in range(met[-1]):
        counted[met[f]] = 0


@njit(cache=True, nogil=True)
def _count_items(records: Any, found: Any, count: Any, counted: Any, met: Any) -> Any:
    """Count the items of some published records; return how many are different."""
    different = 0
    for c in range(count):
        for o in range(records.starts[found[c]], records.starts[found[c] + 1]):
            if records.kept[o]:
                item = records.items[o]
                if counted[item] == 0:
                    met[different] = item
                    different += 1
                counted[item] += 1
    return different
