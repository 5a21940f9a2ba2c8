"""Repairing drawn adversaries: their item sets are looked up among the records, one by one."""

from __future__ import annotations

import numpy as np

from sudare.kernels.baskets.records import (
    Counting,
    Question,
    Records,
    Rule,
    forget,
    new_counting,
    sensitive_to,
)
from sudare.kernels.baskets.suppression import Repair, all_kept, choose, containing, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner

# The count of an item that is known: it cannot be inferred, however often it is met.
_KNOWN = -(1 << 60)


@entry
def find_unsafe(users: Ints, drawn: Ints, question: Question, unsafe: Bools, quiet: Bools, halt: Bools) -> None:
    """Say which drawn adversaries, who know the occurrences `drawn[i]` of the records of `users[i]`, are unsafe.

    Adversaries who know the same items should follow each other: what can be inferred is then found once. From items
    marked in `quiet` nothing can be inferred by themselves; more such items are marked.
    """
    records, lists, rule, of_published = question
    size = drawn.shape[1]
    counting = new_counting(len(records.begins) - 1)
    found = np.empty(len(records.starts), np.int64)
    known = np.full(size, -1, np.int64)
    strong = 0
    for i in range(len(users)):
        unsafe[i] = False
        if halt[0]:
            break
        if of_published and not all_kept(records, drawn[i]):
            continue
        same = True
        for k in range(size):
            same &= known[k] == records.items[drawn[i, k]]
            known[k] = records.items[drawn[i, k]]
        if not same:
            strong = 0
            if size > 1 or not quiet[known[0]]:
                _, strong = strong_items(known, records, rule, found, counting)
                clear(counting)
            if size == 1:
                quiet[known[0]] = strong == 0
        for f in range(strong):
            if sensitive_to(lists, users[i], counting.met[f]):
                unsafe[i] = True
                break


@entry
def repair_drawn(users: Ints, drawn: Ints, question: Question, repair: Repair, touched: Bools, streak: int) -> None:
    """Suppress items until drawn adversaries are safe, one after another (Algorithm 2).

    Where one is unsafe, others who know as many items of the same record are likely to be: further ones are drawn from
    it and repaired until `streak` in a row are safe; none if it is 0, as the paper has it. The items of all records
    that lost one are marked in `touched`.
    """
    records, of_published, halt = question.records, question.of_published, repair.halt
    size = drawn.shape[1]
    counting = new_counting(len(records.begins) - 1)
    chosen = np.empty(size, np.int64)
    wanted = np.empty(size + 1, np.int64)
    for i in range(len(users)):
        u = users[i]
        chosen[:] = drawn[i]
        safe = 0
        while (safe < streak or streak == 0) and not halt[0]:
            for k in range(size):
                wanted[k] = records.items[chosen[k]]
            met = False
            while not halt[0] and (not of_published or all_kept(records, chosen)):
                if not _suppress_for(u, wanted, question, repair, touched, counting):
                    break
                met = True
            safe = 0 if met else safe + 1
            if streak == 0 or not draw_known(records, u, of_published, repair.rng, chosen):
                break


@inner
def _suppress_for(u: int, wanted: Ints, question: Question, repair: Repair, touched: Bools, counting: Counting) -> bool:
    """Suppress one item against an adversary who knows all of `wanted` but its last; say whether that was needed."""
    records, lists, rule, _ = question
    frequencies, rng, found, _ = repair
    counted, met = counting
    known = wanted[:-1]
    alone, strong = strong_items(known, records, rule, found, counting)
    candidates = np.empty((strong, 2), np.int64)
    count = 0
    for f in range(strong):
        if sensitive_to(lists, u, met[f]):
            candidates[count, 0], candidates[count, 1] = met[f], counted[met[f]]
            count += 1
    clear(counting)
    if count == 0:
        return False
    item, wanted[-1], number = choose(candidates[:count], known, alone, frequencies, rule)
    count = containing(records, wanted, found)
    for n in range(number):
        other = n + rng.integers(0, count - n)
        found[n], found[other] = found[other], found[n]
        records.kept[occurrence_of(records, found[n], item)] = False
        for o in range(records.starts[found[n]], records.starts[found[n] + 1]):
            touched[records.items[o]] = True
    frequencies.now[item] -= number
    frequencies.totals[1] -= number
    return True


@inner
def draw_known(records: Records, u: int, of_published: bool, rng: np.random.Generator, chosen: Ints) -> bool:
    """Draw as many occurrences of a record as `chosen` has room for, uniformly; return whether it has that many."""
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


@inner
def strong_items(known: Ints, records: Records, rule: Rule, found: Ints, counting: Counting) -> tuple[int, int]:
    """Put the items that can be inferred from known ones first of those met, with the counts of all if any can.

    Returns how many published records have what is known, and how many items can be inferred.
    """
    counted, met = counting
    alone = containing(records, known, found)
    for k in range(len(known)):
        counted[known[k]] = _KNOWN
    different, most = _count_items(records, found[:alone], rule, counting)
    met[-1] = different
    for k in range(len(known)):
        counted[known[k]] = 0
    count = 0
    if most * rule.denominator > alone * rule.numerator:
        for f in range(different):
            item = met[f]
            if counted[item] * rule.denominator > alone * rule.numerator:
                met[count], met[f] = item, met[count]
                count += 1
    return alone, count


@inner
def clear(counting: Counting) -> None:
    """Forget what `strong_items` counted."""
    forget(counting, counting.met[-1])


@inner
def _count_items(records: Records, found: Ints, rule: Rule, counting: Counting) -> tuple[int, int]:
    """Count the items of some published records; return how many are different, and how often the most frequent is.

    Ends as soon as the records that are left can make no item frequent enough to be inferred.
    """
    counted, met = counting
    count = len(found)
    different = most = 0
    for c in range(count):
        if (most + count - c) * rule.denominator <= count * rule.numerator:
            break
        for o in range(records.starts[found[c]], records.starts[found[c] + 1]):
            if records.kept[o]:
                item = records.items[o]
                if counted[item] == 0:
                    met[different] = item
                    different += 1
                counted[item] += 1
                most = max(most, counted[item])
    return different, most
