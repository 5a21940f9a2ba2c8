"""Repairing drawn adversaries with few suppressions: what one record or one rule loses is compared before it does.

Where only the record of the target itself has what is known, the adversary can be stopped in two ways: the record loses
an item that is known, which stops those who know it, or all that is sensitive to its user, which stops everybody. The
first is cheaper for a few adversaries, the second for a long record, most of whose subsets are unique. Where more
records have it, they lose either the inferred items or one that is known, whichever is less, the longest records first:
their own adversaries are those that are hardest to stop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.baskets.adversaries import sensitive_to
from sudare.kernels.baskets.sampled_suppression import clear, draw_known, strong_items
from sudare.kernels.baskets.suppression import Records, all_kept, containing, needed, occurrence_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner

# Adversaries of a record that are drawn to estimate how many of them are unsafe, and the share that may stay so.
_DRAWN = 10
_LEFT = 0.1


@entry
def repair_cheaply(
    users: Ints,
    drawn: Ints,
    records: Records,
    lists: Any,
    frequencies: Any,
    rule: Any,
    of_published: bool,
    rng: np.random.Generator,
    found: Ints,
    touched: Bools,
    halt: Bools,
) -> None:
    """Suppress items until drawn adversaries are safe, one after another.

    The items of all records that lost one are marked in `touched`.
    """
    size = drawn.shape[1]
    scratch = (np.zeros(len(frequencies[0]), np.int64), np.empty(len(frequencies[0]) + 1, np.int64))
    wanted = np.empty(size + 1, np.int64)
    state = (records, lists, frequencies, rule, of_published, rng, found, touched)
    for i in range(len(users)):
        while not halt[0] and (not of_published or all_kept(records, drawn[i], size)):
            for k in range(size):
                wanted[k] = records.items[drawn[i, k]]
            alone = _look(users[i], wanted, state, scratch)
            if alone == 0:
                break
            if alone > 1:
                _repair_rule(users[i], wanted, state, scratch)
            elif found[0] != users[i] or not _suppress_secrets(users[i], size, state, scratch):
                containing(records, wanted, size, found)
                _drop(occurrence_of(records, found[0], _rarest(wanted, frequencies)), state)


@inner
def _look(u: int, wanted: Ints, state: Any, scratch: Any) -> int:
    """Return in how many published records all of `wanted` but its last is, 0 if nothing can be inferred of a user."""
    records, lists, _, rule, _, _, found, _ = state
    words, rows = lists
    alone, strong = strong_items(wanted[:-1], records, rule, found, scratch)
    unsafe = False
    for f in range(strong):
        unsafe = unsafe or sensitive_to(words, rows[u], scratch[1][f])
    clear(scratch)
    return alone if unsafe else 0


@inner
def _rarest(wanted: Ints, frequencies: Any) -> int:
    """Return the rarest of the items that are known."""
    rarest: int = wanted[0]
    for k in range(1, len(wanted) - 1):
        if frequencies[0][wanted[k]] < frequencies[0][rarest]:
            rarest = wanted[k]
    return rarest


@inner
def _drop(occurrence: int, state: Any) -> None:
    """Suppress one occurrence, and mark the items of its record."""
    records, _, frequencies, _, _, _, _, touched = state
    records.kept[occurrence] = False
    frequencies[0][records.items[occurrence]] -= 1
    frequencies[2][1] -= 1
    u = records.owner[occurrence]
    for o in range(records.starts[u], records.starts[u + 1]):
        touched[records.items[o]] = True


@inner
def _suppress_secrets(u: int, size: int, state: Any, scratch: Any) -> bool:
    """Suppress all that is sensitive to a user in her record, if that is less than single items; say whether it was."""
    records, lists = state[0], state[1]
    words, rows = lists
    kept = secrets = 0
    for o in range(records.starts[u], records.starts[u + 1]):
        kept += records.kept[o]
        secrets += records.kept[o] and sensitive_to(words, rows[u], records.items[o])
    if secrets > _single_items(u, kept, size, state, scratch):
        return False
    for o in range(records.starts[u], records.starts[u + 1]):
        if records.kept[o] and sensitive_to(words, rows[u], records.items[o]):
            _drop(o, state)
    return True


@inner
def _single_items(u: int, kept: int, size: int, state: Any, scratch: Any) -> int:
    """Estimate how many items a record has to lose until few adversaries who know `size` of them are unsafe.

    Of k items, one that goes is in the share size / k of what they know; what is left of the others are unsafe still.
    """
    records, rng = state[0], state[5]
    chosen, wanted = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    unsafe = 1
    for _ in range(_DRAWN):
        if draw_known(records, u, True, rng, chosen):
            for k in range(size):
                wanted[k] = records.items[chosen[k]]
            unsafe += _look(u, wanted, state, scratch) > 0
    share = unsafe / (_DRAWN + 1)
    lost = 0
    while share > _LEFT and kept - lost >= size:
        share *= (kept - lost - size) / (kept - lost)
        lost += 1
    return lost


@inner
def _repair_rule(u: int, wanted: Ints, state: Any, scratch: Any) -> None:
    """Suppress the rarest item that can be inferred, or the rarest that is known if that is less for all of them."""
    records, lists, frequencies, rule, _, _, found, _ = state
    words, rows = lists
    counted, met = scratch
    alone, strong = strong_items(wanted[:-1], records, rule, found, scratch)
    inferred = worst = -1
    all_inferred = number = 0
    for f in range(strong):
        item = met[f]
        if sensitive_to(words, rows[u], item):
            one = needed(counted[item], alone, rule[0], rule[1], True)
            all_inferred += one
            if inferred < 0 or frequencies[0][item] < frequencies[0][inferred]:
                inferred, number = item, one
            if worst < 0 or counted[item] > counted[worst]:
                worst = item
    most = needed(counted[worst], alone, rule[0], rule[1], False)
    clear(scratch)
    item = inferred
    wanted[-1] = inferred
    if all_inferred > most:
        item, wanted[-1], number = _rarest(wanted, frequencies), worst, most
    _suppress_longest(item, number, containing(records, wanted, len(wanted), found), state)


@inner
def _suppress_longest(item: int, number: int, count: int, state: Any) -> None:
    """Suppress an item in the longest of the first `count` records that were found."""
    records, found = state[0], state[6]
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
