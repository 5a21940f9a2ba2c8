"""The published rows of one pseudonym, by their items and days."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Ints
from sudare.kernels.entry import inner

# What a demand or a row does not know.
NO_VALUE = -(2**62)
# Places in the sizes of a pseudonym: its first row, all rows, rows with any item, items, least and most days.
BEGIN, ALL, ANY, TOUCHED, LEAST_DAYS, MOST_DAYS = range(6)


class CellRows(NamedTuple):
    """The published rows, those of pseudonym p from starts[p] to starts[p + 1], by `last`."""

    starts: Ints
    first: Ints  # the days a row may be on
    last: Ints
    sets: Ints  # of items; -1: any item
    low: Ints  # the ends of other columns [row, column]
    high: Ints
    set_starts: Ints  # set s is members[set_starts[s] : set_starts[s + 1]]
    members: Ints


class Pseudonym(NamedTuple):
    """What is worked out for one pseudonym."""

    pool: Ints  # its rows: all, those that may have any item, and for each item those that have it in their sets
    item_first: Ints
    item_count: Ints
    touched: Ints
    may: Ints  # how many rows may be on each day, and surely are
    sure: Ints
    sure_starts: Ints  # where the rows that are surely on a day begin among `sure_rows`
    sure_rows: Ints
    sizes: Ints


@inner
def new_pseudonym(rows: CellRows, items: int, days: int) -> Pseudonym:
    """Return room for whatever pseudonym has most rows and items."""
    longest, most = 0, 0
    for pid in range(len(rows.starts) - 1):
        begin, end, members = rows.starts[pid], rows.starts[pid + 1], 0
        for number in rows.sets[begin:end]:
            if number >= 0:
                members += rows.set_starts[number + 1] - rows.set_starts[number]
        longest, most = max(longest, end - begin), max(most, members)
    return Pseudonym(
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
def work_out(rows: CellRows, pid: int, count_days: bool, pseudonym: Pseudonym) -> None:
    """Index the rows of a pseudonym by their items and days."""
    begin, end = rows.starts[pid], rows.starts[pid + 1]
    pool, sizes = pseudonym.pool, pseudonym.sizes
    sizes[BEGIN], sizes[ALL], sizes[ANY] = begin, end - begin, 0
    for row in range(begin, end):
        pool[row - begin] = row
        if rows.sets[row] < 0:
            pool[end - begin + sizes[ANY]] = row
            sizes[ANY] += 1
    _index_items(rows.sets, rows.set_starts, rows.members, pseudonym)
    _index_days(rows.first, rows.last, begin, end, pseudonym)
    if count_days:
        _count_days(rows.first, rows.last, begin, end, pseudonym)


@inner
def _index_items(sets: Ints, set_starts: Ints, members: Ints, pseudonym: Pseudonym) -> None:
    pool, first, count, touched, sizes = (
        pseudonym.pool,
        pseudonym.item_first,
        pseudonym.item_count,
        pseudonym.touched,
        pseudonym.sizes,
    )
    count[touched[: sizes[TOUCHED]]] = 0
    sizes[TOUCHED] = 0
    begin, end = sizes[BEGIN], sizes[BEGIN] + sizes[ALL]
    for row in range(begin, end):
        if sets[row] >= 0:
            for item in members[set_starts[sets[row]] : set_starts[sets[row] + 1]]:
                if count[item] == 0:
                    touched[sizes[TOUCHED]] = item
                    sizes[TOUCHED] += 1
                count[item] += 1
    place = sizes[ALL] + sizes[ANY]
    for item in touched[: sizes[TOUCHED]]:
        first[item] = place
        place += count[item]
        count[item] = 0
    for row in range(begin, end):
        if sets[row] >= 0:
            for item in members[set_starts[sets[row]] : set_starts[sets[row] + 1]]:
                pool[first[item] + count[item]] = row
                count[item] += 1


@inner
def _index_days(first: Ints, last: Ints, begin: int, end: int, pseudonym: Pseudonym) -> None:
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
def _count_days(first: Ints, last: Ints, begin: int, end: int, pseudonym: Pseudonym) -> None:
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
    pseudonym.sizes[LEAST_DAYS], pseudonym.sizes[MOST_DAYS] = least, most


@inner
def part_of(item: int, part: int, item_first: Ints, item_count: Ints, sizes: Ints) -> tuple[int, int]:
    """Return where the pool has the rows with an item in their sets (part 0), or with any item (1); -1: all rows."""
    if item < 0:
        return 0, 0 if part else sizes[ALL]
    if part:
        return sizes[ALL], sizes[ALL] + sizes[ANY]
    return item_first[item], item_first[item] + item_count[item]
