"""Choosing which item occurrences to suppress so that few are, and which can be restored.

A rule Q -> e is guarded if some user of whom Q can be known wants e to stay secret. What a rule lacks to be safe is the
number of records with Q and e that would have to lose e. Suppressing one occurrence of an item changes all rules among
the items of its record, so what all of them lack together falls by more than one, or rises; the occurrence with the
largest fall goes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.item_sets import Rules, Sets, find, members
from sudare.kernels.baskets.records import Question, Rule, sensitive_to
from sudare.kernels.baskets.suppression import Frequencies, Space, Supports, containing, occurrence_of, sets_with
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.common.ordered import first_from
from sudare.kernels.entry import entry, inner

# Worths are whole numbers of this part of what is gained.
_UNIT = 1024


class State(NamedTuple):
    """The rules while occurrences are suppressed and restored."""

    question: Question
    supports: Supports
    guards: Ints  # of each rule: the users who need it to be safe
    mark: Bools  # of each item, False between uses
    frequencies: Frequencies
    space: Space


class Effect(NamedTuple):
    """What a change does to all rules: how much more they lack, and how many lack something that lacked nothing."""

    more: int
    broken: int


@inner
def lacking(both: int, alone: int, guards: int, rule: Rule) -> int:
    """Return how many records must lose the inferred item until a rule is safe."""
    excess = both * rule.denominator - alone * rule.numerator
    if excess <= 0 or guards <= 0 or alone <= 0:
        return 0
    return (excess + rule.denominator - 1) // rule.denominator


@entry
def count_guards(question: Question, supports: Supports, most_known: int, guards: Ints, halt: Bools) -> None:
    """Count for each rule the users of whom its left side can be known and to whom its right side is sensitive.

    If halted, not all of them.
    """
    records, lists, _, of_published = question
    sets, rules = supports.sets, supports.rules
    chosen = np.empty(most_known + 1, np.int64)
    at = np.empty(most_known + 2, np.int64)
    for u in range(len(records.starts) - 1):
        depth = 0
        at[0] = 0
        o = records.starts[u]
        while not halt[0]:
            if o < records.starts[u + 1] and depth < most_known:
                if of_published and not records.kept[o]:
                    o += 1
                    continue
                chosen[depth] = o
                depth += 1
                q = find(sets, at[depth - 1], records.items[o])
                at[depth] = q
                for r in range(rules.begins[q], rules.begins[q + 1]):
                    guards[r] += sensitive_to(lists, u, rules.items[r])
                o += 1
                continue
            if depth == 0:
                break
            depth -= 1
            o = chosen[depth] + 1


@inner
def _rule_of(rules: Rules, q: int, whole: int) -> int:
    """Return the rule from a set to a larger one."""
    return first_from(rules.sets, rules.begins[q], rules.begins[q + 1], whole)


@inner
def _less(sets: Sets, number: int, item: int, items: Ints) -> int:
    """Return a set without one of its items."""
    size = sets.sizes[number]
    walk = number
    for k in range(size - 1, -1, -1):
        items[k] = sets.last[walk]
        walk = sets.before[walk]
    found = 0
    for k in range(size):
        if items[k] != item:
            found = find(sets, found, items[k])
    return found


@inner
def effect(state: State, occurrence: int, by: int) -> Effect:
    """Return what it does to all rules if an occurrence is suppressed (`by` -1) or restored (1)."""
    question, supports, guards, mark, _, space = state
    records, lists, rule, of_published = question
    sets, rules, support = supports.sets, supports.rules, supports.counts
    u, item = records.owner[occurrence], records.items[occurrence]
    count = sets_with(supports, records, occurrence, space)
    out, items = space.sets, space.items
    for o in range(records.starts[u], records.starts[u + 1]):
        if records.kept[o] or o == occurrence:
            mark[records.items[o]] = True
    more = broken = 0
    for c in range(count):
        s = out[c]
        alone = support[s]
        for r in range(rules.begins[s], rules.begins[s + 1]):
            if guards[r] == 0 and not (of_published and by > 0):
                continue
            both, e = support[rules.sets[r]], rules.items[r]
            old = lacking(both, alone, guards[r], rule)
            held = guards[r] + by * (of_published and sensitive_to(lists, u, e))
            new = lacking(both + by * mark[e], alone + by, held, rule)
            more += new - old
            broken += old == 0 and new > 0
        if sets.sizes[s] > 1:
            q = _less(sets, s, item, items)
            r = _rule_of(rules, q, s)
            if guards[r]:
                old = lacking(alone, support[q], guards[r], rule)
                new = lacking(alone + by, support[q], guards[r], rule)
                more += new - old
                broken += old == 0 and new > 0
    for o in range(records.starts[u], records.starts[u + 1]):
        mark[records.items[o]] = False
    return Effect(more, broken)


@inner
def apply(state: State, occurrence: int, by: int) -> None:
    """Suppress an occurrence (`by` -1) or restore it (1)."""
    question, supports, guards, _, frequencies, space = state
    records, lists, _, of_published = question
    rules, support = supports.rules, supports.counts
    u = records.owner[occurrence]
    count = sets_with(supports, records, occurrence, space)
    out = space.sets
    for c in range(count):
        s = out[c]
        support[s] += by
        if of_published:
            for r in range(rules.begins[s], rules.begins[s + 1]):
                guards[r] += by * sensitive_to(lists, u, rules.items[r])
    records.kept[occurrence] = by > 0
    frequencies.now[records.items[occurrence]] += by


@entry
def total_lacking(state: State) -> int:
    """Return what all rules lack together."""
    rules, support, guards, rule = state.supports.rules, state.supports.counts, state.guards, state.question.rule
    total = 0
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            total += lacking(support[rules.sets[r]], support[q], guards[r], rule)
    return total


@inner
def touched_by_lacking(state: State, wanted: Bools, halt: Bools) -> None:
    """Mark the occurrences whose suppression could help: those in sets of rules that lack something."""
    question, supports, guards, _, _, space = state
    records, rule = question.records, question.rule
    rules, support = supports.rules, supports.counts
    bad = np.zeros(len(support), np.bool_)
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            if lacking(support[rules.sets[r]], support[q], guards[r], rule):
                bad[rules.sets[r]] = True
    for o in range(len(records.items)):
        wanted[o] = False
        if records.kept[o] and not halt[0]:
            count = sets_with(supports, records, o, space)
            for c in range(count):
                if bad[space.sets[c]]:
                    wanted[o] = True
                    break


@inner
def _push(heap: Ints, size: int, gain: int, occurrence: int) -> int:
    """Put an occurrence on a heap with the largest gain on top; return the new size."""
    place = size
    while place > 0:
        parent = (place - 1) // 2
        if heap[parent, 0] >= gain:
            break
        heap[place, 0], heap[place, 1] = heap[parent, 0], heap[parent, 1]
        place = parent
    heap[place, 0], heap[place, 1] = gain, occurrence
    return size + 1


@inner
def _pop(heap: Ints, size: int) -> tuple[int, int, int]:
    """Take the top off a heap; return its gain, its occurrence and the new size."""
    gain, occurrence = heap[0, 0], heap[0, 1]
    size -= 1
    last_gain, last = heap[size, 0], heap[size, 1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1, 0] > heap[child, 0]:
            child += 1
        if heap[child, 0] <= last_gain:
            break
        heap[place, 0], heap[place, 1] = heap[child, 0], heap[child, 1]
        place = child
    heap[place, 0], heap[place, 1] = last_gain, last
    return gain, occurrence, size


@inner
def _worth(gain: int, item: int, frequencies: Frequencies, balance: float) -> int:
    """Return how much an occurrence is worth suppressing: what it gains, less for an item that lost much already.

    The weight is the share of the item that is left to the power of `balance`; items that lost alike keep their shares
    of all, and so the KL divergence low.
    """
    if gain <= 0 or balance == 0:
        return gain * _UNIT
    return int(gain * _UNIT * (frequencies.now[item] / frequencies.before[item]) ** balance)


@entry
def fill(state: State, order: Ints, heap: Ints, wanted: Bools, balance: float, halt: Bools) -> int:
    """Put all occurrences that would help on the heap, ties in a given order; return how many."""
    touched_by_lacking(state, wanted, halt)
    items = state.question.records.items
    size = 0
    for occurrence in order:
        if wanted[occurrence] and not halt[0]:
            worth = _worth(-effect(state, occurrence, -1).more, items[occurrence], state.frequencies, balance)
            size = _push(heap, size, worth, occurrence)
    return size


@entry
def suppress_greedily(
    state: State, heap: Ints, size: int, left: int, most_steps: int, balance: float, halt: Bools
) -> tuple[int, int]:
    """Suppress the occurrences that help most, until nothing is lacking, nothing helps or the steps are over.

    Worths on the heap can be out of date: the top is looked at again, and goes back if another is better now. Returns
    the size of the heap and what is lacking.
    """
    records = state.question.records
    steps = 0
    while size and left > 0 and steps < most_steps and not halt[0]:
        steps += 1
        _, occurrence, size = _pop(heap, size)
        if not records.kept[occurrence]:
            continue
        more = effect(state, occurrence, -1).more
        worth = _worth(-more, records.items[occurrence], state.frequencies, balance)
        if size and worth < heap[0, 0]:
            if more < 0:
                size = _push(heap, size, worth, occurrence)
            continue
        if more >= 0:
            continue
        apply(state, occurrence, -1)
        left += more
    return size, left


@entry
def force(state: State, found: Ints, halt: Bools) -> int:
    """For each rule that lacks something, suppress the occurrence that does least harm elsewhere.

    For when nothing helps on the whole. Returns by how much less is lacking.
    """
    records, rule, supports, guards = state.question.records, state.question.rule, state.supports, state.guards
    sets, rules, support = supports.sets, supports.rules, supports.counts
    items = np.empty(max(sets.sizes.max(), 1), np.int64)
    less = 0
    for q in range(len(rules.begins) - 1):
        for r in range(rules.begins[q], rules.begins[q + 1]):
            if lacking(support[rules.sets[r]], support[q], guards[r], rule) == 0:
                continue
            size = members(sets, rules.sets[r], items)
            count = containing(records, items[:size], found)
            best, best_more = -1, 0
            for c in range(count):
                if halt[0]:
                    return less
                for k in range(size):
                    occurrence = occurrence_of(records, found[c], items[k])
                    more = effect(state, occurrence, -1).more
                    if best < 0 or more < best_more:
                        best, best_more = occurrence, more
            apply(state, best, -1)
            less -= best_more
    return less


@entry
def restore(state: State, order: Ints, halt: Bools) -> int:
    """Restore suppressed occurrences, in a given order, as long as no rule lacks anything; return how many."""
    kept, restored = state.question.records.kept, 0
    for occurrence in order:
        if not kept[occurrence] and not halt[0] and effect(state, occurrence, 1).broken == 0:
            apply(state, occurrence, 1)
            restored += 1
    return restored


@entry
def even_out(state: State, order: Ints, share: float, halt: Bools) -> int:
    """Suppress occurrences of items of which more than a share is left, if no rule lacks anything then.

    Occurrences are visited in a given order. Returns how many were suppressed.
    """
    records, frequencies = state.question.records, state.frequencies
    gone = 0
    for occurrence in order:
        item = records.items[occurrence]
        left = frequencies.now[item] - 1 >= share * frequencies.before[item]
        if records.kept[occurrence] and not halt[0] and left and effect(state, occurrence, -1).broken == 0:
            apply(state, occurrence, -1)
            gone += 1
    return gone
