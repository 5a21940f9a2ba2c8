"""Repairing drawn adversaries with few suppressions: the losses of a record and of a rule are compared first.

Where only the record of the target itself has what is known, the adversary can be stopped in two ways: the record loses
an item that is known, which stops those who know it, or all that is sensitive to its user, which stops everybody. The
first is cheaper for a few adversaries, the second for a long record, most of whose subsets are unique. Where more
records have it, they lose either the inferred items or one that is known, whichever is less, the longest records first:
their own adversaries are those that are hardest to stop.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.records import Counting, Question, Records, new_counting, sensitive_to
from sudare.kernels.baskets.sampled_suppression import clear, draw_known, strong_items
from sudare.kernels.baskets.suppression import Frequencies, Repair, all_kept, containing, needed, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner

# Adversaries of a record that are drawn to estimate how many of them are unsafe, and the share that may stay so.
_DRAWN = 10
_LEFT = 0.1


class _State(NamedTuple):
    """What all steps of a repair share."""

    question: Question
    repair: Repair
    touched: Bools
    counting: Counting


@entry
def repair_cheaply(users: Ints, drawn: Ints, question: Question, repair: Repair, touched: Bools) -> None:
    """Suppress items until drawn adversaries are safe, one after another.

    The items of all records that lost one are marked in `touched`.
    """
    records, frequencies, found = question.records, repair.frequencies, repair.found
    size = drawn.shape[1]
    wanted = np.empty(size + 1, np.int64)
    state = _State(question, repair, touched, new_counting(len(records.begins) - 1))
    for i in range(len(users)):
        while not repair.halt[0] and (not question.of_published or all_kept(records, drawn[i])):
            for k in range(size):
                wanted[k] = records.items[drawn[i, k]]
            alone = _look(users[i], wanted, state)
            if alone == 0:
                break
            if alone > 1:
                _repair_rule(users[i], wanted, state)
            elif found[0] != users[i] or not _suppress_secrets(users[i], size, state):
                containing(records, wanted[:size], found)
                _drop(occurrence_of(records, found[0], _rarest(wanted, frequencies)), state)


@inner
def _look(u: int, wanted: Ints, state: _State) -> int:
    """Return in how many published records all of `wanted` but its last is, 0 if nothing can be inferred of a user."""
    records, lists, rule, _ = state.question
    counting = state.counting
    alone, strong = strong_items(wanted[:-1], records, rule, state.repair.found, counting)
    unsafe = False
    for f in range(strong):
        unsafe = unsafe or sensitive_to(lists, u, counting.met[f])
    clear(counting)
    return alone if unsafe else 0


@inner
def _rarest(wanted: Ints, frequencies: Frequencies) -> int:
    """Return the rarest of the items that are known."""
    rarest: int = wanted[0]
    for item in wanted[1:-1]:
        if frequencies.now[item] < frequencies.now[rarest]:
            rarest = item
    return rarest


@inner
def _drop(occurrence: int, state: _State) -> None:
    """Suppress one occurrence, and mark the items of its record."""
    records, frequencies = state.question.records, state.repair.frequencies
    records.kept[occurrence] = False
    frequencies.now[records.items[occurrence]] -= 1
    frequencies.totals[1] -= 1
    u = records.owner[occurrence]
    for o in range(records.starts[u], records.starts[u + 1]):
        state.touched[records.items[o]] = True


@inner
def _suppress_secrets(u: int, size: int, state: _State) -> bool:
    """Suppress all that is sensitive to a user in her record, if that is less than single items; say whether it was."""
    records, lists, _, _ = state.question
    kept = secrets = 0
    for o in range(records.starts[u], records.starts[u + 1]):
        kept += records.kept[o]
        secrets += records.kept[o] and sensitive_to(lists, u, records.items[o])
    if secrets > _single_items(u, kept, size, state):
        return False
    for o in range(records.starts[u], records.starts[u + 1]):
        if records.kept[o] and sensitive_to(lists, u, records.items[o]):
            _drop(o, state)
    return True


@inner
def _single_items(u: int, kept: int, size: int, state: _State) -> int:
    """Estimate how many items a record has to lose until few adversaries who know `size` of them are unsafe.

    Of k items, one that goes is in the share size / k of what they know; what is left of the others are unsafe still.
    """
    records, rng = state.question.records, state.repair.rng
    chosen, wanted = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    unsafe = 1
    for _ in range(_DRAWN):
        if draw_known(records, u, True, rng, chosen):
            for k in range(size):
                wanted[k] = records.items[chosen[k]]
            unsafe += _look(u, wanted, state) > 0
    share = unsafe / (_DRAWN + 1)
    lost = 0
    while share > _LEFT and kept - lost >= size:
        share *= (kept - lost - size) / (kept - lost)
        lost += 1
    return lost


@inner
def _repair_rule(u: int, wanted: Ints, state: _State) -> None:
    """Suppress the rarest item that can be inferred, or the rarest that is known if that is less for all of them."""
    records, lists, rule, _ = state.question
    frequencies, found, counting = state.repair.frequencies, state.repair.found, state.counting
    counted, met = counting
    alone, strong = strong_items(wanted[:-1], records, rule, found, counting)
    inferred = worst = -1
    all_inferred = number = 0
    for f in range(strong):
        item = met[f]
        if sensitive_to(lists, u, item):
            one = needed(counted[item], alone, rule, True)
            all_inferred += one
            if inferred < 0 or frequencies.now[item] < frequencies.now[inferred]:
                inferred, number = item, one
            if worst < 0 or counted[item] > counted[worst]:
                worst = item
    most = needed(counted[worst], alone, rule, False)
    clear(counting)
    item = inferred
    wanted[-1] = inferred
    if all_inferred > most:
        item, wanted[-1], number = _rarest(wanted, frequencies), worst, most
    _suppress_longest(item, number, containing(records, wanted, found), state)


@inner
def _suppress_longest(item: int, number: int, count: int, state: _State) -> None:
    """Suppress an item in the longest of the first `count` records that were found."""
    records, found = state.question.records, state.repair.found
    for n in range(number):
        longest = n
        for c in range(n + 1, count):
            if _length(records, found[c]) > _length(records, found[longest]):
                longest = c
        found[n], found[longest] = found[longest], found[n]
        _drop(occurrence_of(records, found[n], item), state)


@inner
def _length(records: Records, u: int) -> int:
    length: int = records.starts[u + 1] - records.starts[u]
    return length
