"""Covering knowledge about visits by different rows of one pseudonym."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.cells.pseudonyms import ALL, ANY, BEGIN, NO_VALUE, CellRows, Pseudonym, part_of
from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import inner
from sudare.kernels.histories.attack_pairs import match_rows


class KnownVisits(NamedTuple):
    """What is known. Values stand in groups, those of a group all with one item."""

    visits: Ints  # [value, place]: its observations
    days_known: Ints  # on how many days the customer of a value came; 0: not known
    day_list: Ints  # of an observation: the list of days it can be of
    rows_known: Ints  # of an observation: the number of rows; 0: not known
    demand_list: Ints  # of an observation: the list of its demands
    day_starts: Ints
    days: Ints
    demand_starts: Ints
    items: Ints  # of a demand: an item, -1: not known; the last of all demands is covered by every row
    values: Ints  # of a demand: values of other columns, NO_VALUE: not known
    whole: bool  # the demands have all items of the visit
    group_items: Ints  # the item of a group, -1: no item
    group_starts: Ints  # the values of group g are grouped[group_starts[g] : group_starts[g + 1]]
    grouped: Ints


class Room(NamedTuple):
    """Numbers of rows in a matching, and marks of items that are known; `ticket` tells old numbers from new ones."""

    number: Ints
    ticket_of: Ints
    ticket: Ints
    in_set: Bools


@inner
def slots_of(known: KnownVisits, seen: int, counted: bool) -> int:
    """Return the number of demands of an observation, or (`counted`) of the rows that it must have at least."""
    demands: int = known.demand_starts[known.demand_list[seen] + 1] - known.demand_starts[known.demand_list[seen]]
    return max(demands, known.rows_known[seen], 1) if counted else demands


@inner
def match_demands(
    rows: CellRows,
    known: KnownVisits,
    visits: Ints,
    days: Ints,
    counted: bool,
    surely: bool,
    pseudonym: Pseudonym,
    room: Room,
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
        slots += slots_of(known, seen, counted)
        most += (slots_of(known, seen, counted) - (end - begin)) * sizes[ALL]
        for demand in range(begin, end):
            for part in range(2):
                start, stop = part_of(items[demand], part, item_first, item_count, sizes)
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
        for slot in range(slots_of(known, visits[place], counted)):
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
    for place in range(sizes[ALL], sizes[ALL] + sizes[ANY]):
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
        begin, end = part_of(items[demand], part, item_first, item_count, sizes)
        for place in range(begin, end):
            row = pool[place]
            if first[row] > last[row] or (surely and first[row] < last[row]):
                continue
            if (day >= 0 and not first[row] <= day <= last[row]) or not meets(values, demand, low, high, row):
                continue
            if ticket_of[row - sizes[BEGIN]] != ticket:
                ticket_of[row - sizes[BEGIN]] = ticket
                number[row - sizes[BEGIN]] = numbered
                numbered += 1
            edges[filled] = number[row - sizes[BEGIN]]
            filled += 1
    return filled, numbered


@inner
def meets(values: Ints, demand: int, low: Ints, high: Ints, row: int) -> bool:
    """Tell whether a row covers what a demand says beyond the item."""
    for column in range(values.shape[1]):
        value = values[demand, column]
        if value != NO_VALUE and not low[row, column] <= value <= high[row, column]:
            return False
    return True
