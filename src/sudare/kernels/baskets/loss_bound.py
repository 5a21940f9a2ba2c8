"""How many occurrences any safe suppression must remove: rules with disjoint records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.best_suppression import lacking
from sudare.kernels.baskets.item_sets import Sets, members
from sudare.kernels.baskets.records import Question
from sudare.kernels.baskets.suppression import Supports, containing, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry


class UnsafeRules(NamedTuple):
    """Unsafe rules: the sets on their left and in all, and how many records have to lose an item."""

    left: Ints
    whole: Ints
    needed: Ints


@entry
def unsafe_rules(question: Question, supports: Supports, guards: Ints) -> UnsafeRules:
    """Return the rules that are unsafe for somebody who guards them."""
    rules, support, rule = supports.rules, supports.counts, question.rule
    count = 0
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            count += lacking(support[rules.sets[r]], support[q], guards[r], rule) > 0
    left, whole, needed = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    count = 0
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            number = lacking(support[rules.sets[r]], support[q], guards[r], rule)
            if number > 0:
                # Adversaries who know what is published are gone too if their users lose a known item.
                number = min(number, guards[r]) if question.of_published else number
                left[count], whole[count], needed[count] = q, rules.sets[r], number
                count += 1
    return UnsafeRules(left, whole, needed)


@entry
def count_disjoint(question: Question, sets: Sets, unsafe: UnsafeRules, order: Ints, found: Ints, halt: Bools) -> int:
    """Count what unsafe rules need beyond what may serve rules before them, in a given order.

    A rule needs a number of different records with its items to lose one of these. Records in which an occurrence of
    them was counted for another rule may be among those; in the others no occurrence was. Halted, the count is of the
    rules until then, and so a bound too.
    """
    records, of_published = question.records, question.of_published
    used = np.zeros(len(records.items), np.bool_)
    items = np.empty(max(sets.sizes.max(), 1), np.int64)
    known = np.empty(len(items), np.int64)
    total = 0
    for n in order:
        if halt[0]:
            break
        size = members(sets, unsafe.whole[n], items)
        length = members(sets, unsafe.left[n], known) if of_published else size
        count = containing(records, known[:length] if of_published else items[:length], found)
        free = 0
        for c in range(count):
            taken = False
            for k in range(size):
                o = occurrence_of(records, found[c], items[k])
                taken = taken or (o >= 0 and used[o])
            if not taken:
                found[free] = found[c]
                free += 1
        more = unsafe.needed[n] - (count - free)
        if more <= 0:
            continue
        total += more
        for c in range(free):
            for k in range(size):
                o = occurrence_of(records, found[c], items[k])
                if o >= 0:
                    used[o] = True
    return total
