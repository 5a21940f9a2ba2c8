"""Suppressing items against unsafe adversaries, with the supports of all item sets kept up to date.

Since records only lose items, no new sets appear.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.baskets.item_sets import Rules, Sets, find
from sudare.kernels.baskets.records import Question, Records, Rule, sensitive_in
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.common.ordered import first_from
from sudare.kernels.entry import entry, inner


class Supports(NamedTuple):
    """The sets of items that occur together, the rules among them, and how many published records have each set."""

    sets: Sets
    rules: Rules
    counts: Ints
    most: int  # items of a set
    room: int  # the most sets of a record that contain a given item


class Frequencies(NamedTuple):
    """How many records have each item, published now and before; and how many occurrences there were and are."""

    now: Ints
    before: Ints
    totals: Ints


class Repair(NamedTuple):
    """What suppression works with: frequencies, random numbers, room for numbers of records, and whether to halt."""

    frequencies: Frequencies
    rng: np.random.Generator
    found: Ints
    halt: Bools


class Space(NamedTuple):
    """Room for the occurrences of a set, the sets on the way to it, the sets that are found, and the items of one."""

    chosen: Ints
    at: Ints
    sets: Ints
    items: Ints


class Choice(NamedTuple):
    """What to suppress against a rule: an item, and in how many of the records with all items of the rule."""

    item: int
    inferred: int
    number: int


@inner
def new_space(supports: Supports) -> Space:
    """Return room for the sets of a record."""
    most = supports.most
    return Space(
        np.empty(most + 1, np.int64),
        np.empty(most + 2, np.int64),
        np.empty(supports.room, np.int64),
        np.empty(most + 1, np.int64),
    )


@inner
def sets_with(supports: Supports, records: Records, occurrence: int, space: Space) -> int:
    """Write the sets of a record that contain an occurrence, with all others that are kept; return how many."""
    sets, most = supports.sets, supports.most
    chosen, at, out, _ = space
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
def containing(records: Records, items: Ints, found: Ints) -> int:
    """Write the records that are published with all of some items, in rising order; return how many.

    Those with the rarest item are looked at; records are short, and other items are soon found in them.
    """
    begins, rarest = records.begins, items[0]
    for k in range(1, len(items)):
        if begins[items[k] + 1] - begins[items[k]] < begins[rarest + 1] - begins[rarest]:
            rarest = items[k]
    count = 0
    for p in range(begins[rarest], begins[rarest + 1]):
        if not records.kept[records.places[p]]:
            continue
        u = records.owners[p]
        there = True
        for k in range(len(items)):
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
    end = records.starts[u + 1]
    place = first_from(records.items, records.starts[u], end, item)
    return place if place < end and records.items[place] == item and records.kept[place] else -1


@inner
def needed(both: int, alone: int, rule: Rule, inferred: bool) -> int:
    """Return N_s, formula (4): how many records must lose the inferred item, or else a known one."""
    excess = both * rule.denominator - alone * rule.numerator
    by = rule.denominator if inferred else rule.denominator - rule.numerator
    return (excess + by - 1) // by


@inner
def choose(candidates: Ints, known: Ints, alone: int, frequencies: Frequencies, rule: Rule) -> Choice:
    """Return what to suppress: that with the largest F, formula (5).

    `candidates` are rows of inferred items and the records that have them with all that is known, of `alone` that have
    what is known. Of equal ones that with the least N_s is taken, then the first.
    """
    now, before, totals = frequencies
    best, chosen = -np.inf, Choice(-1, -1, 0)
    for c in range(len(candidates)):
        inferred, both = candidates[c, 0], candidates[c, 1]
        for k in range(len(known) + 1):
            item = inferred if k == len(known) else known[k]
            number = needed(both, alone, rule, k == len(known))
            share = now[item] / totals[1]
            score = share * np.log(share / (before[item] / totals[0])) / number
            if score > best or (score == best and number < chosen.number):
                best, chosen = score, Choice(item, inferred, number)
    return chosen


@entry
def repair_users(first: int, end: int, size: int, question: Question, supports: Supports, repair: Repair) -> int:
    """Repair all unsafe adversaries who know `size` items of users from `first` to before `end` (Algorithm 1).

    Returns how many were unsafe.
    """
    records, lists, rule, of_published = question
    sets, rules, support = supports.sets, supports.rules, supports.counts
    halt = repair.halt
    chosen = np.empty(size + 1, np.int64)
    at = np.empty(size + 2, np.int64)
    known = np.empty(size, np.int64)
    space = new_space(supports)
    unsafe = 0
    for u in range(first, end):
        row = lists.rows[u]
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
                        strong = both * rule.denominator > support[q] * rule.numerator
                        if strong and sensitive_in(lists.words, row, rules.items[r]):
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
                        strong = both * rule.denominator > support[q] * rule.numerator
                        if strong and sensitive_in(lists.words, row, rules.items[r]):
                            candidates[count, 0], candidates[count, 1] = rules.items[r], both
                            count += 1
                    _suppress(candidates, known, support[q], question, supports, repair, space)
                    if of_published and not all_kept(records, chosen[:size]):
                        break
                unsafe += met
                if of_published and not all_kept(records, chosen[:size]):
                    # The record has lost an item that was known: go on from the first that it lost.
                    while depth > 0 and not all_kept(records, chosen[:depth]):
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
def all_kept(records: Records, chosen: Ints) -> bool:
    """Say whether some occurrences are all kept."""
    kept = True
    for o in chosen:
        kept &= records.kept[o]
    return kept


@inner
def _suppress(
    candidates: Ints,
    known: Ints,
    alone: int,
    question: Question,
    supports: Supports,
    repair: Repair,
    space: Space,
) -> None:
    """Suppress an item in randomly chosen records, as many as one rule needs."""
    records, found, frequencies = question.records, repair.found, repair.frequencies
    item, inferred, number = choose(candidates, known, alone, frequencies, question.rule)
    wanted = np.empty(len(known) + 1, np.int64)
    wanted[:-1] = known
    wanted[-1] = inferred
    count = containing(records, wanted, found)
    for i in range(number):
        other = i + repair.rng.integers(0, count - i)
        found[i], found[other] = found[other], found[i]
        occurrence = occurrence_of(records, found[i], item)
        changed = sets_with(supports, records, occurrence, space)
        for c in range(changed):
            supports.counts[space.sets[c]] -= 1
        records.kept[occurrence] = False
        frequencies.now[item] -= 1
        frequencies.totals[1] -= 1
