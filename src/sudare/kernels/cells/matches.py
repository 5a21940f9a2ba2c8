"""Which pseudonyms of a generalized history fit what an attacker knows of visits.

A row may be on the days `first` to `last` (numbers of days on which anybody came) and is surely on a day if that is the
only one. A pseudonym fits a visit on a day if different rows of its own cover what is known of rows (the demands), as
many rows as are known may be on that day and no more are surely there, and, if all items are known, every row that is
surely there may have one of them.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.attack_pairs import match_rows

# The published rows, those of pseudonym p from starts[p] to starts[p + 1], by `last`: the days they may be on, sets of
# items (-1: any item), the ends of other columns [row, column]; set s is members[set_starts[s] : set_starts[s + 1]].
CellRows = namedtuple("CellRows", "starts first last sets low high set_starts members")
# What is known. Value v: the observations visits[v], and on how many days the customer came (0: not known).
# Observation o: the days it can be of, list day_list[o]; the number of rows (0: not known); its demands, list
# demand_list[o]. A demand: an item (-1: not known) and values of other columns (NO_VALUE: not known); the last of all
# is covered by every row. `whole`: the demands have all items of the visit. Values stand in groups: those of group g,
# grouped[group_starts[g] : group_starts[g + 1]], have all the item group_items[g] (-1: no item).
KnownVisits = namedtuple(
    "KnownVisits",
    "visits days_known day_list count demand_list day_starts days demand_starts items values whole group_items "
    "group_starts grouped",
)
NO_VALUE = -(2**62)
# What is worked out for one pseudonym. `pool` has its rows: all, those that may have any item (`sizes` says how many),
# and for each item those that have it in their sets. `may` and `sure` rows are on each day; `sure_rows` are by day.
_Pseudonym = namedtuple("_Pseudonym", "pool item_first item_count touched may sure sure_starts sure_rows sizes")
_BEGIN, _ALL, _ANY, _TOUCHED, _LEAST_DAYS, _MOST_DAYS = range(6)
# Numbers of rows in a matching, and marks of items that are known; `ticket` tells old numbers from new ones.
_Room = namedtuple("_Room", "number ticket_of ticket in_set")
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
    pseudonym = _new_pseudonym(rows, items, days)
    longest = len(pseudonym.sure_rows)
    room = _Room(
        np.empty(longest, np.int64), np.zeros(longest, np.int64), np.zeros(1, np.int64), np.zeros(items, np.bool_)
    )
    fits = np.full(len(crowds), -1, np.int64)
    for pid in pids:
        _work_out(rows, pid, known.days_known.max() > 0, pseudonym)
        _find_fitting(rows, known, pid, pseudonym, room, fits)
        crowds += fits == pid
        for fact in range(fact_starts[owners[pid]], fact_starts[owners[pid] + 1]):
            own[fact] = fits[fact_values[fact]] == pid


@inner
def _new_pseudonym(rows: CellRows, items: int, days: int) -> _Pseudonym:
    longest, most = 0, 0
    for pid in range(len(rows.starts) - 1):
        begin, end, members = rows.starts[pid], rows.starts[pid + 1], 0
        for number in rows.sets[begin:end]:
            if number >= 0:
                members += rows.set_starts[number + 1] - rows.set_starts[number]
        longest, most = max(longest, end - begin), max(most, members)
    return _Pseudonym(
        np.empty(2 * longest + most, np.int64),
        np.empty(items, np.int64),
        np.zeros(items, np.int64),
        np.empty(items, np.int64),
        np.empty(days + 1, np.int64),
        np.empty(days + 1, np.int64),
        np.empty(days + 2, np.int64),
        np.empty(longest, np.int64),
        np.zeros(6, np.int64),
    )


@inner
def _work_out(rows: CellRows, pid: int, count_days: bool, pseudonym: _Pseudonym) -> None:
    """Index the rows of a pseudonym by their items and days."""
    begin, end = rows.starts[pid], rows.starts[pid + 1]
    pool, sizes = pseudonym.pool, pseudonym.sizes
    sizes[_BEGIN], sizes[_ALL], sizes[_ANY] = begin, end - begin, 0
    for row in range(begin, end):
        pool[row - begin] = row
        if rows.sets[row] < 0:
            pool[end - begin + sizes[_ANY]] = row
            sizes[_ANY] += 1
    _index_items(rows.sets, rows.set_starts, rows.members, pseudonym)
    _index_days(rows.first, rows.last, begin, end, pseudonym)
    if count_days:
        _count_days(rows.first, rows.last, begin, end, pseudonym)


@inner
def _index_items(sets: Ints, set_starts: Ints, members: Ints, pseudonym: _Pseudonym) -> None:
    pool, first, count, touched, sizes = (
        pseudonym.pool,
        pseudonym.item_first,
        pseudonym.item_count,
        pseudonym.touched,
        pseudonym.sizes,
    )
    count[touched[: sizes[_TOUCHED]]] = 0
    sizes[_TOUCHED] = 0
    begin, end = sizes[_BEGIN], sizes[_BEGIN] + sizes[_ALL]
    for row in range(begin, end):
        if sets[row] >= 0:
            for item in members[set_starts[sets[row]] : set_starts[sets[row] + 1]]:
                if count[item] == 0:
                    touched[sizes[_TOUCHED]] = item
                    sizes[_TOUCHED] += 1
                count[item] += 1
    place = sizes[_ALL] + sizes[_ANY]
    for item in touched[: sizes[_TOUCHED]]:
        first[item] = place
        place += count[item]
        count[item] = 0
    for row in range(begin, end):
        if sets[row] >= 0:
            for item in members[set_starts[sets[row]] : set_starts[sets[row] + 1]]:
                pool[first[item] + count[item]] = row
                count[item] += 1


@inner
def _index_days(first: Ints, last: Ints, begin: int, end: int, pseudonym: _Pseudonym) -> None:
    may, sure, starts, sure_rows = pseudonym.may, pseudonym.sure, pseudonym.sure_starts, pseudonym.sure_rows
    may[:], sure[:], starts[:] = 0, 0, 0
    for row in range(begin, end):
        if first[row] <= last[row]:
            may[first[row]] += 1
            may[last[row] + 1] -= 1
        if first[row] == last[row]:
            sure[first[row]] += 1
            starts[first[row] + 2] += 1
    for day in range(1, len(may)):
        may[day] += may[day - 1]
        starts[day + 1] += starts[day]
    for row in range(begin, end):
        if first[row] == last[row]:
            sure_rows[starts[first[row] + 1]] = row
            starts[first[row] + 1] += 1


@inner
def _count_days(first: Ints, last: Ints, begin: int, end: int, pseudonym: _Pseudonym) -> None:
    """Find the least and the most different days that the rows of a pseudonym can be on.

    The least: always the last day of the row that ends first. The most: each row, by its end, takes its first free day.
    """
    least, most, day = 0, 0, -1
    free = np.arange(len(pseudonym.may) + 1)
    for row in range(begin, end):
        if first[row] > last[row]:
            continue
        if first[row] > day:
            day = last[row]
            least += 1
        taken = first[row]
        while free[taken] != taken:
            free[taken] = free[free[taken]]
            taken = free[taken]
        if taken <= last[row]:
            free[taken] = taken + 1
            most += 1
    pseudonym.sizes[_LEAST_DAYS], pseudonym.sizes[_MOST_DAYS] = least, most


@inner
def _find_fitting(rows: CellRows, known: KnownVisits, pid: int, pseudonym: _Pseudonym, room: _Room, fits: Ints) -> None:
    """Write a pseudonym to those of `fits` whose values it fits."""
    visits, days_known, day_list, count, demand_list, day_starts, days = known[:7]
    demand_starts, items, values, whole, group_items, group_starts, grouped = known[7:]
    pool, item_first, item_count, _, may, sure, _, _, sizes = pseudonym
    first, last = rows.first, rows.last
    single = visits.shape[1] == 1 and values.shape[1] == 0 and not whole
    single &= (demand_starts[1:] - demand_starts[:-1]).max() <= 1
    cover, numbers = np.empty(len(may), np.int64), np.empty(sizes[_ALL] + 2, np.int64)
    any_day = len(day_starts) == 2
    for group in range(len(group_items)):
        item = group_items[group]
        if item >= 0 and item_count[item] == 0 and sizes[_ANY] == 0:
            continue
        if single:
            _cover_days(item, first, last, pool, item_first, item_count, sizes, cover)
            if any_day:
                _possible_numbers(days, cover, may, sure, numbers)
        for value in grouped[group_starts[group] : group_starts[group + 1]]:
            if days_known[value] > 0 and not sizes[_LEAST_DAYS] <= days_known[value] <= sizes[_MOST_DAYS]:
                continue
            if visits.shape[1] == 0:
                fits[value] = pid
            elif single and any_day:
                if count[visits[value, 0]] <= sizes[_ALL] and numbers[count[visits[value, 0]]]:
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
        begin, end = _part_of(item, part, item_first, item_count, sizes)
        for row in pool[begin:end]:
            if first[row] <= last[row]:
                cover[first[row]] += 1
                cover[last[row] + 1] -= 1
    for day in range(1, len(cover)):
        cover[day] += cover[day - 1]
    for day in range(len(cover)):
        cover[day] = min(cover[day], _MAYBE)
    for part in range(2):
        begin, end = _part_of(item, part, item_first, item_count, sizes)
        for row in pool[begin:end]:
            if first[row] == last[row]:
                cover[first[row]] = _SURELY


@inner
def _part_of(item: int, part: int, item_first: Ints, item_count: Ints, sizes: Ints) -> tuple[int, int]:
    """Return where the pool has the rows with an item in their sets (part 0), or with any item (1); -1: all rows."""
    if item < 0:
        return 0, 0 if part else sizes[_ALL]
    if part:
        return sizes[_ALL], sizes[_ALL] + sizes[_ANY]
    return item_first[item], item_first[item] + item_count[item]


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
    """Tell whether there is a day among those listed on which one demand is covered and so many rows are."""
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
            if items[demand] >= 0 and item_count[items[demand]] + sizes[_ANY] == 0:
                return False
    return True


@inner
def _fits_visits(rows: CellRows, known: KnownVisits, visits: Ints, pseudonym: _Pseudonym, room: _Room) -> bool:
    """Tell whether a pseudonym fits visits on different days, with different rows for all of them."""
    number, slots = len(visits), 0
    found = np.empty((number, len(pseudonym.may) if number > 1 else 1), np.int64)
    sizes = np.empty(number, np.int64)
    for place in range(number):
        slots += _slots(known, visits[place], True)
        sizes[place] = _find_days(rows, known, visits[place : place + 1], pseudonym, room, found[place])
        if sizes[place] == 0:
            return False
    if number == 1:
        return True
    days, chosen = np.full(number, -1, np.int64), np.zeros(number, np.int64)
    if _match(rows, known, visits, days, True, False, pseudonym, room) < slots:
        return False
    while True:
        different = True
        for place in range(number):
            days[place] = found[place, chosen[place]]
            for before in range(place):
                different &= days[place] != days[before]
        if (
            different
            and _match(rows, known, visits, days, True, False, pseudonym, room) == slots
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
def _all_placed(
    rows: CellRows, known: KnownVisits, visits: Ints, days: Ints, slots: int, pseudonym: _Pseudonym
) -> bool:
    """Tell whether all rows that must be on one of these days have a place in the visits.

    If all rows that are known of and all that must be there have partners, then both have at once (Mendelsohn, Dulmage
    1958).
    """
    if not known.whole and known.count[visits[0]] == 0:
        return True
    edges, starts = np.empty(pseudonym.sizes[_ALL] * slots, np.int64), np.zeros(pseudonym.sizes[_ALL] + 1, np.int64)
    filled, forced = 0, 0
    for row in range(pseudonym.sizes[_BEGIN], pseudonym.sizes[_BEGIN] + pseudonym.sizes[_ALL]):
        first, last = rows.first[row], rows.last[row]
        if ((days >= first) & (days <= last)).sum() < last - first + 1 or first > last:
            continue
        before, slot = filled, 0
        for place in range(len(visits)):
            begin = known.demand_starts[known.demand_list[visits[place]]]
            end = known.demand_starts[known.demand_list[visits[place]] + 1]
            for demand in range(begin, begin + _slots(known, visits[place], True)):
                wanted = demand if demand < end else len(known.items) - 1
                there = first <= days[place] <= last and _may_have(rows, row, known.items[wanted])
                if there and (known.whole or _meets(known.values, wanted, rows.low, rows.high, row)):
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
def _find_days(rows: CellRows, known: KnownVisits, visit: Ints, pseudonym: _Pseudonym, room: _Room, found: Ints) -> int:
    """Write to `found` the days on which a pseudonym fits one visit, as many as it has room for; return how many.

    If rows that are surely there can cover at most s of n demands, at least n - s others are there, too.
    """
    demands, count = _slots(known, visit[0], False), known.count[visit[0]]
    begin, end = known.day_starts[known.day_list[visit[0]]], known.day_starts[known.day_list[visit[0]] + 1]
    days, may, sure, on = known.days, pseudonym.may, pseudonym.sure, np.full(1, -1, np.int64)
    # What rows of any day cannot cover need not be tried day by day.
    if end - begin > 1 and _match(rows, known, visit, on, False, False, pseudonym, room) < demands:
        return 0
    filled = 0
    for place in range(begin, end):
        on[0] = day = days[place]
        if may[day] < max(count, demands, 1) or (count > 0 and sure[day] > count):
            continue
        if _match(rows, known, visit, on, False, False, pseudonym, room) < demands:
            continue
        if count > 0 and sure[day] + demands > count:
            covered = _match(rows, known, visit, on, False, True, pseudonym, room)
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
def _explained(rows: CellRows, known: KnownVisits, seen: int, day: int, pseudonym: _Pseudonym, room: _Room) -> bool:
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


@inner
def _slots(known: KnownVisits, seen: int, counted: bool) -> int:
    """Return the number of demands of an observation, or (`counted`) of the rows that it must have at least."""
    demands: int = known.demand_starts[known.demand_list[seen] + 1] - known.demand_starts[known.demand_list[seen]]
    return max(demands, known.count[seen], 1) if counted else demands


@inner
def _match(
    rows: CellRows,
    known: KnownVisits,
    visits: Ints,
    days: Ints,
    counted: bool,
    surely: bool,
    pseudonym: _Pseudonym,
    room: _Room,
) -> int:
    """Return how many demands of visits on such days (-1: on any) different rows can cover.

    `counted`: all rows that visits must have at least are demands, too. `surely`: by rows that are surely on the day;
    else, if not all demands can be covered, some smaller number is returned. Where nothing but items is known, rows
    with any item cover whatever the others do not.
    """
    demand_list, demand_starts, items = known.demand_list, known.demand_starts, known.items
    item_first, item_count, sizes = pseudonym.item_first, pseudonym.item_count, pseudonym.sizes
    slots, most = 0, 0
    for seen in visits:
        begin, end = demand_starts[demand_list[seen]], demand_starts[demand_list[seen] + 1]
        slots += _slots(known, seen, counted)
        most += (_slots(known, seen, counted) - (end - begin)) * sizes[_ALL]
        for demand in range(begin, end):
            for part in range(2):
                start, stop = _part_of(items[demand], part, item_first, item_count, sizes)
                most += stop - start
    parts, free = 2, 0
    if len(visits) == 1 and not counted and known.values.shape[1] == 0:
        parts, free = 1, _count_any(rows.first, rows.last, days[0], surely, slots, pseudonym.pool, sizes)
        if free == slots:
            return slots
    edges, starts = np.empty(most, np.int64), np.zeros(slots + 1, np.int64)
    room.ticket[0] += 1
    filled, numbered, done, uncovered = 0, 0, 0, 0
    for place in range(len(visits)):
        begin, end = demand_starts[demand_list[visits[place]]], demand_starts[demand_list[visits[place]] + 1]
        for slot in range(_slots(known, visits[place], counted)):
            demand = begin + slot if begin + slot < end else len(items) - 1
            filled, numbered = _add_edges(
                demand, days[place], surely, parts, items, known.values, rows.first, rows.last, rows.low, rows.high,
                pseudonym.pool, item_first, item_count, sizes, room.number, room.ticket_of, room.ticket[0], edges,
                filled, numbered,
            )  # fmt: skip
            done += 1
            starts[done] = filled
            uncovered += filled == starts[done - 1]
            if uncovered > free and not surely:
                return 0
    return min(match_rows(edges[:filled], starts, numbered, not surely and free == 0) + free, slots)


@inner
def _count_any(first: Ints, last: Ints, day: int, surely: bool, most: int, pool: Ints, sizes: Ints) -> int:
    """Return how many rows with any item may be, or surely are, on a day (-1: on any), counted up to `most`."""
    found = 0
    for place in range(sizes[_ALL], sizes[_ALL] + sizes[_ANY]):
        if found == most:
            break
        row = pool[place]
        on_day = first[row] <= day <= last[row] if day >= 0 else first[row] <= last[row]
        found += on_day and not (surely and first[row] < last[row])
    return found


@inner
def _add_edges(
    demand: int,
    day: int,
    surely: bool,
    parts: int,
    items: Ints,
    values: Ints,
    first: Ints,
    last: Ints,
    low: Ints,
    high: Ints,
    pool: Ints,
    item_first: Ints,
    item_count: Ints,
    sizes: Ints,
    number: Ints,
    ticket_of: Ints,
    ticket: int,
    edges: Ints,
    filled: int,
    numbered: int,
) -> tuple[int, int]:
    """Append the rows that cover a demand, numbered as they are first met; return how far edges and numbers go."""
    for part in range(parts):
        begin, end = _part_of(items[demand], part, item_first, item_count, sizes)
        for place in range(begin, end):
            row = pool[place]
            if first[row] > last[row] or (surely and first[row] < last[row]):
                continue
            if (day >= 0 and not first[row] <= day <= last[row]) or not _meets(values, demand, low, high, row):
                continue
            if ticket_of[row - sizes[_BEGIN]] != ticket:
                ticket_of[row - sizes[_BEGIN]] = ticket
                number[row - sizes[_BEGIN]] = numbered
                numbered += 1
            edges[filled] = number[row - sizes[_BEGIN]]
            filled += 1
    return filled, numbered


@inner
def _meets(values: Ints, demand: int, low: Ints, high: Ints, row: int) -> bool:
    """Tell whether a row covers what a demand says beyond the item."""
    for column in range(values.shape[1]):
        value = values[demand, column]
        if value != NO_VALUE and not low[row, column] <= value <= high[row, column]:
            return False
    return True
