"""How many occurrences any safe suppression has to remove: rules whose records no other counted rule uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.baskets.best_suppression import lacking
from sudare.kernels.baskets.item_sets import Rules, Sets, members
from sudare.kernels.baskets.suppression import Records, containing, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry


@entry
def unsafe_rules(rules: Rules, support: Ints, guards: Ints, rule: Any, of_published: bool) -> Ints:
    """Return the unsafe rules: the sets on their left and in all, and how many records have to lose an item."""
    count = 0
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            count += lacking(support[rules.sets[r]], support[q], guards[r], rule) > 0
    found = np.empty((count, 3), np.int64)
    count = 0
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            number = lacking(support[rules.sets[r]], support[q], guards[r], rule)
            if number > 0:
                # Adversaries who know what is published are gone too if their users lose a known item.
                number = min(number, guards[r]) if of_published else number
                found[count, 0], found[count, 1], found[count, 2] = q, rules.sets[r], number
                count += 1
    return found


@entry
def count_disjoint(
    unsafe: Ints, order: Ints, sets: Sets, records: Records, of_published: bool, found: Ints, halt: Bools
) -> int:
    """Count what unsafe rules need beyond what may serve rules before them, in a given order.

    A rule needs `unsafe[:, 2]` different records with its items to lose one of these. Records in which an occurrence
    of them was counted for another rule may be among those; in the others no occurrence was. Halted, the count is of
    the rules until then, and so a bound too.
    """
    used = np.zeros(len(records.items), np.bool_)
    items = np.empty(max(sets.sizes.max(), 1), np.int64)
    known = np.empty(len(items), np.int64)
    total = 0
    for i in range(len(order)):
        if halt[0]:
            break
        q, whole, number = unsafe[order[i]]
        size = members(sets, whole, items)
        length = members(sets, q, known) if of_published else size
        count = containing(records, known if of_published else items, length, found)
        free = 0
        for c in range(count):
            taken = False
            for k in range(size):
                o = occurrence_of(records, found[c], items[k])
                taken = taken or (o >= 0 and used[o])
            if not taken:
                found[free] = found[c]
                free += 1
        more = number - (count - free)
        if more <= 0:
            continue
        total += more
        for c in range(free):
            for k in range(size):
                o = occurrence_of(records, found[c], items[k])
                if o >= 0:
                    used[o] = True
    return total
