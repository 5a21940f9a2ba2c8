"""Which pseudonyms of a generalized history fit what an attacker knows about visits.

A row may be on the days `first` to `last` (numbers of days on which anybody came) and is surely on a day if that is the
only one. A pseudonym fits a visit on a day if different rows of its own cover what is known of rows (the demands), as
many rows as are known may be on that day and no more are surely there, and, if all items are known, every row that is
surely there may have one of them.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.cells.demands import KnownVisits, Room, match_demands, meets, slots_of
from sudare.kernels.cells.pseudonyms import (
    ALL,
    ANY,
    BEGIN,
    LEAST_DAYS,
    MOST_DAYS,
    CellRows,
    Pseudonym,
    new_pseudonym,
    part_of,
    work_out,
)
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.attack_pairs import match_rows

# How a demand is covered on a day: by a row that may be there, by one that surely is.
_MAYBE, _SURELY = 1, 2


# Arrays are taken out of their tuples before loops: each access to a field counts references.
@entry
def count_matches(
    rows: CellRows,
    known: KnownVisits,
    days: int,
    pids: Ints,
    owners: Ints,
    fact_starts: Ints,
    fact_values: Ints,
    crowds: Ints,
    own: Bools,
) -> None:
    """Add to `crowds` how many of some pseudonyms fit each value, and tell which facts of their owners they fit.

    Facts of customer c are fact_starts[c] to fact_starts[c + 1]; the customer behind pseudonym p is owners[p].
    """
    items = max(known.items.max(), rows.members.max() if len(rows.members) else 0) + 1
    pseudonym = new_pseudonym(rows, items, days)
    longest = len(pseudonym.sure_rows)
    room = Room(
        np.empty(longest, np.int64), np.zeros(longest, np.int64), np.zeros(1, np.int64), np.zeros(items, np.bool_)
    )
    fits = np.full(len(crowds), -1, np.int64)
    for pid in pids:
        work_out(rows, pid, known.days_known.max() > 0, pseudonym)
        _find_fitting(rows, known, pid, pseudonym, room, fits)
        crowds += fits == pid
        for fact in range(fact_starts[owners[pid]], fact_starts[owners[pid] + 1]):
            own[fact] = fits[fact_values[fact]] == pid


@inner
def _find_fitting(rows: CellRows, known: KnownVisits, pid: int, pseudonym: Pseudonym, room: Room, fits: Ints) -> None:
    """Write a pseudonym to those of `fits` whose values it fits."""
    visits, days_known, day_list, count, demand_list, day_starts, days = known[:7]
    demand_starts, items, values, whole, group_items, group_starts, grouped = known[7:]
    pool, item_first, item_count, _, may, sure, _, _, sizes = pseudonym
    first, last = rows.first, rows.last
    single = visits.shape[1] == 1 and values.shape[1] == 0 and not whole
    single &= (demand_starts[1:] - demand_starts[:-1]).max() <= 1
    cover, numbers = np.empty(len(may), np.int64), np.empty(sizes[ALL] + 2, np.int64)
    any_day = len(day_starts) == 2
    for group in range(len(group_items)):
        item = group_items[group]
        if item >= 0 and item_count[item] == 0 and sizes[ANY] == 0:
            continue
        if single:
            _cover_days(item, first, last, pool, item_first, item_count, sizes, cover)
            if any_day:
                _possible_numbers(days, cover, may, sure, numbers)
        for value in grouped[group_starts[group] : group_starts[group + 1]]:
            if days_known[value] > 0 and not sizes[LEAST_DAYS] <= days_known[value] <= sizes[MOST_DAYS]:
                continue
            if visits.shape[1] == 0:
                fits[value] = pid
            elif single and any_day:
                if count[visits[value, 0]] <= sizes[ALL] and numbers[count[visits[value, 0]]]:
                    fits[value] = pid
            elif single:
                seen = visits[value, 0]
                begin, end = day_starts[day_list[seen]], day_starts[day_list[seen] + 1]
                if _has_day(days, begin, end, count[seen], cover, may, sure):
                    fits[value] = pid
            elif _has_items(visits, value, demand_list, demand_starts, items, item_count, sizes) and _fits_visits(
                rows, known, visits[value], pseudonym, room
            ):
                fits[value] = pid


@inner
def _cover_days(
    item: int, first: Ints, last: Ints, pool: Ints, item_first: Ints, item_count: Ints, sizes: Ints, cover: Ints
) -> None:
    """Find out how rows that may have an item cover it on each day; if it is not known (-1), it is covered surely."""
    if item < 0:
        cover[:] = _SURELY
        return
    cover[:] = 0
    for part in range(2):
        begin, end = part_of(item, part, item_first, item_count, sizes)
        for row in pool[begin:end]:
            if first[row] <= last[row]:
                cover[first[row]] += 1
                cover[last[row] + 1] -= 1
    for day in range(1, len(cover)):
        cover[day] += cover[day - 1]
    for day in range(len(cover)):
        cover[day] = min(cover[day], _MAYBE)
    for part in range(2):
        begin, end = part_of(item, part, item_first, item_count, sizes)
        for row in pool[begin:end]:
            if first[row] == last[row]:
                cover[first[row]] = _SURELY


@inner
def _possible_numbers(days: Ints, cover: Ints, may: Ints, sure: Ints, numbers: Ints) -> None:
    """Find out how many rows can be on one of the days on which one demand is covered; 0 if it is covered at all."""
    numbers[:] = 0
    covered = False
    for day in days:
        if cover[day] > 0 and may[day] > 0:
            covered = True
            numbers[max(sure[day] + (cover[day] == _MAYBE), 1)] += 1
            numbers[may[day] + 1] -= 1
    for number in range(1, len(numbers)):
        numbers[number] += numbers[number - 1]
    numbers[0] = covered


@inner
def _has_day(days: Ints, begin: int, end: int, count: int, cover: Ints, may: Ints, sure: Ints) -> bool:
    """Tell whether there is a day among those listed on which one demand and a number of rows are covered."""
    for place in range(begin, end):
        day = days[place]
        if cover[day] == 0 or may[day] < max(count, 1):
            continue
        if count == 0 or sure[day] + (cover[day] == _MAYBE) <= count:
            return True
    return False


@inner
def _has_items(
    visits: Ints, value: int, demand_list: Ints, demand_starts: Ints, items: Ints, item_count: Ints, sizes: Ints
) -> bool:
    """Tell whether a pseudonym has rows with each item that is known, of any day."""
    for seen in visits[value]:
        for demand in range(demand_starts[demand_list[seen]], demand_starts[demand_list[seen] + 1]):
            if items[demand] >= 0 and item_count[items[demand]] + sizes[ANY] == 0:
                return False
    return True


@inner
def _fits_visits(rows: CellRows, known: KnownVisits, visits: Ints, pseudonym: Pseudonym, room: Room) -> bool:
    """Tell whether a pseudonym fits visits on different days, with different rows for all of them."""
    number, slots = len(visits), 0
    found = np.empty((number, len(pseudonym.may) if number > 1 else 1), np.int64)
    sizes = np.empty(number, np.int64)
    for place in range(number):
        slots += slots_of(known, visits[place], True)
        sizes[place] = _find_days(rows, known, visits[place : place + 1], pseudonym, room, found[place])
        if sizes[place] == 0:
            return False
    if number == 1:
        return True
    days, chosen = np.full(number, -1, np.int64), np.zeros(number, np.int64)
    if match_demands(rows, known, visits, days, True, False, pseudonym, room) < slots:
        return False
    while True:
        different = True
        for place in range(number):
            days[place] = found[place, chosen[place]]
            for before in range(place):
                different &= days[place] != days[before]
        if (
            different
            and match_demands(rows, known, visits, days, True, False, pseudonym, room) == slots
            and _all_placed(rows, known, visits, days, slots, pseudonym)
        ):
            return True
        place = 0
        while place < number and chosen[place] == sizes[place] - 1:
            chosen[place] = 0
            place += 1
        if place == number:
            return False
        chosen[place] += 1


@inner
def _all_placed(rows: CellRows, known: KnownVisits, visits: Ints, days: Ints, slots: int, pseudonym: Pseudonym) -> bool:
    """Tell whether all rows that must be on one of these days have a place in the visits.

    If all rows that are known of and all that must be there have partners, then both have at once (Mendelsohn, Dulmage
    1958).
    """
    if not known.whole and known.rows_known[visits[0]] == 0:
        return True
    edges, starts = np.empty(pseudonym.sizes[ALL] * slots, np.int64), np.zeros(pseudonym.sizes[ALL] + 1, np.int64)
    filled, forced = 0, 0
    for row in range(pseudonym.sizes[BEGIN], pseudonym.sizes[BEGIN] + pseudonym.sizes[ALL]):
        first, last = rows.first[row], rows.last[row]
        if ((days >= first) & (days <= last)).sum() < last - first + 1 or first > last:
            continue
        before, slot = filled, 0
        for place in range(len(visits)):
            begin = known.demand_starts[known.demand_list[visits[place]]]
            end = known.demand_starts[known.demand_list[visits[place]] + 1]
            for demand in range(begin, begin + slots_of(known, visits[place], True)):
                wanted = demand if demand < end else len(known.items) - 1
                there = first <= days[place] <= last and _may_have(rows, row, known.items[wanted])
                if there and (known.whole or meets(known.values, wanted, rows.low, rows.high, row)):
                    edges[filled] = slot
                    filled += 1
                slot += 1
        if filled == before:
            return False
        forced += 1
        starts[forced] = filled
    # If all items are known but not how many rows, any number of rows can have the same item.
    return known.whole or match_rows(edges[:filled], starts[: forced + 1], slots, True) == forced


@inner
def _may_have(rows: CellRows, row: int, item: int) -> bool:
    """Tell whether a row may have an item; any row may have one that is not known (-1)."""
    if item < 0 or rows.sets[row] < 0:
        return True
    for member in rows.members[rows.set_starts[rows.sets[row]] : rows.set_starts[rows.sets[row] + 1]]:
        if member == item:
            return True
    return False


@inner
def _find_days(rows: CellRows, known: KnownVisits, visit: Ints, pseudonym: Pseudonym, room: Room, found: Ints) -> int:
    """Write to `found` the days on which a pseudonym fits one visit, as many as it has room for; return how many.

    If rows that are surely there can cover at most s of n demands, at least n - s others are there, too.
    """
    demands, count = slots_of(known, visit[0], False), known.rows_known[visit[0]]
    begin, end = known.day_starts[known.day_list[visit[0]]], known.day_starts[known.day_list[visit[0]] + 1]
    days, may, sure, on = known.days, pseudonym.may, pseudonym.sure, np.full(1, -1, np.int64)
    # What rows of any day cannot cover need not be tried day by day.
    if end - begin > 1 and match_demands(rows, known, visit, on, False, False, pseudonym, room) < demands:
        return 0
    filled = 0
    for place in range(begin, end):
        on[0] = day = days[place]
        if may[day] < max(count, demands, 1) or (count > 0 and sure[day] > count):
            continue
        if match_demands(rows, known, visit, on, False, False, pseudonym, room) < demands:
            continue
        if count > 0 and sure[day] + demands > count:
            covered = match_demands(rows, known, visit, on, False, True, pseudonym, room)
            if sure[day] + demands - covered > count:
                continue
        if known.whole and not _explained(rows, known, visit[0], day, pseudonym, room):
            continue
        found[filled] = day
        filled += 1
        if filled == len(found):
            break
    return filled


@inner
def _explained(rows: CellRows, known: KnownVisits, seen: int, day: int, pseudonym: Pseudonym, room: Room) -> bool:
    """Tell whether every row that is surely on a day may have one of the items that are demanded."""
    number = known.demand_list[seen]
    wanted, in_set, explained = (
        known.items[known.demand_starts[number] : known.demand_starts[number + 1]],
        room.in_set,
        True,
    )
    in_set[wanted] = True
    sets, set_starts, members = rows.sets, rows.set_starts, rows.members
    for row in pseudonym.sure_rows[pseudonym.sure_starts[day] : pseudonym.sure_starts[day + 1]]:
        found = sets[row] < 0
        if not found:
            for item in members[set_starts[sets[row]] : set_starts[sets[row] + 1]]:
                found |= in_set[item]
        explained &= found
    in_set[wanted] = False
    return explained
