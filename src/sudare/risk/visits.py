"""The visits of a history as arrays: the crowds of the ten attackers, counted in memory.

What the attackers know of a visit are whole numbers. Rows are put in their order by one stable pass for every 16 bits,
and begin in an order that serves all: a fraction of the time that the same groupings take on an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.data.history import PurchaseHistory
from sudare.engine import DuckDBEngine
from sudare.risk.crowds import Crowds, CrowdSize
from sudare.risk.knowledge import Knowledge

Numbers = NDArray[np.integer[Any]]

# Groupings that are made at the same time, and what a row of the history takes at most with what they make of it.
AT_ONCE = 2
ROW_BYTES = 120
# Packed numbers are not negative, and numpy sorts numbers of so many bits by counting.
_MOST_BITS = 63
_PASS_BITS = 16


class Visits:
    """Visits in the order of customers and days, and their lines, the different items, in the order of the items."""

    def __init__(self, rows: NDArray[np.int64], widths: tuple[int, int]) -> None:
        """Take the rows of a history, customer, day and item packed into one number; days and items have the widths."""
        rows.sort()
        lines = np.flatnonzero(_changes(rows))
        self._times = _lengths(lines, len(rows)).astype(np.int32)
        packed = rows[lines]
        items = (packed & _mask(widths[1])).astype(np.int32)
        packed >>= widths[1]
        new = _changes(packed)
        firsts = np.flatnonzero(new)
        self._rows = np.add.reduceat(self._times, firsts, dtype=np.int32)
        packed = packed[firsts]
        self._customer = (packed >> widths[0]).astype(np.int32)
        self._day = (packed & _mask(widths[0])).astype(np.int32)
        self._set = _number_sets(items, firsts)
        # Customers and days stay in order within an item.
        order = _order([items])
        self._item, self._times = items[order], self._times[order]
        self._visit = (np.cumsum(new, dtype=np.int32) - np.int32(1))[order]

    def each(self, known: Sequence[Knowledge]) -> Iterator[Crowds]:
        """Count the crowds of several of the ten attackers, in their order."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self.crowds, known)

    def crowds(self, knowledge: Knowledge) -> Crowds:
        """Count how many customers share each value of the knowledge of one of the ten attackers."""
        if not knowledge.parts:
            everybody, rows = int(np.count_nonzero(_changes(self._customer))), int(self._rows.sum())
            return Crowds((CrowdSize(everybody, 1, everybody, rows, everybody**2),))
        parts = [self._part(part) for part in knowledge.key_visit_parts]
        customers, weights = self._customer, self._rows
        values = []
        if knowledge.row_parts:
            parts = [part[self._visit] for part in parts]
            customers, weights, values = customers[self._visit], self._times, [self._item]
        order = _order(parts)
        new = _changes(*(part[order] for part in (*values, *parts)))
        # Customers are in order within a value.
        people = new | _changes(customers[order])
        starts = np.flatnonzero(new)
        records = np.add.reduceat(weights[order], starts, dtype=np.int64)
        occurrences = records if knowledge.row_parts else _lengths(starts, len(new))
        return _counted(np.add.reduceat(people, starts, dtype=np.int64), occurrences, records)

    def sizes(self, parts: Sequence[str]) -> dict[str, int]:
        """Count the different values of each part."""
        return {part: int(np.count_nonzero(self._occurrences(part))) for part in parts}

    def frequencies(self, part: str) -> list[tuple[int, int, int]]:
        """Return how many values of a part occur how often, and how often in all, the rarest first."""
        often = self._occurrences(part)
        found, values = np.unique(often[often > 0], return_counts=True)
        return [(int(n), int(times), int(n * times)) for n, times in zip(found, values, strict=True)]

    def _occurrences(self, part: str) -> Numbers:
        """Return how often each value of a part occurs, in rows or in visits."""
        if part == "item":
            return np.add.reduceat(self._times, np.flatnonzero(_changes(self._item)), dtype=np.int64)
        return np.bincount(self._part(part))

    def _part(self, part: str) -> Numbers:
        return {"day": self._day, "count": self._rows, "items": self._set}[part]


def fetch_visits(history: PurchaseHistory) -> Visits | None:
    """Fetch the visits of a history from an engine in this process; None if they are too many or may not leave it."""
    purchase, engine = history.table("purchase"), history.engine
    if not isinstance(engine, DuckDBEngine) or engine.min_cell > 1:
        return None
    # The engine holds the rows as well, in the other half of the memory.
    if history.records * ROW_BYTES > engine.memory_bytes // 2:
        return None
    first, most, items = engine.rows(f"SELECT min(day), max(day) - min(day), max(item) FROM {purchase}")[0]
    widths = int(most).bit_length(), int(items).bit_length()
    if history.customers.bit_length() + sum(widths) > _MOST_BITS:
        return None
    day = f"(CAST(customer AS BIGINT) << {widths[0]}) + (day - DATE '{first}')"
    return Visits(engine.columns(f"SELECT (({day}) << {widths[1]}) + item AS row FROM {purchase}")["row"], widths)


def _counted(customers: Numbers, occurrences: Numbers, records: Numbers) -> Crowds:
    """Return the crowds of values, each by how many customers have it."""
    sums = [np.bincount(customers), _summed(customers, occurrences)]
    sums.append(sums[1] if records is occurrences else _summed(customers, records))
    sums.append(_summed(customers, occurrences * occurrences))
    sizes = np.flatnonzero(sums[0])
    return Crowds(tuple(CrowdSize(int(size), *(int(part[size]) for part in sums)) for size in sizes))


def _summed(numbers: Numbers, counts: Numbers) -> Numbers:
    """Return the sum of the counts of each number from 0 on."""
    sums = np.zeros(int(numbers.max()) + 1, np.int64)
    np.add.at(sums, numbers, counts)
    return sums


def _number_sets(items: Numbers, starts: Numbers) -> Numbers:
    """Give equal runs of items the same number."""
    text, ends = items.tobytes(), [*(starts * items.itemsize).tolist(), items.nbytes]
    numbers: dict[bytes, int] = {}
    found = (numbers.setdefault(text[first:end], len(numbers)) for first, end in pairwise(ends))
    return np.fromiter(found, np.int32, len(starts))


def _order(columns: Sequence[Numbers]) -> NDArray[np.intp] | slice:
    """Return the order of rows by columns, the last first; of equal rows the first stays first."""
    order: NDArray[np.intp] | slice = slice(None)
    for column in columns:
        for shift in range(0, int(column.max()).bit_length(), _PASS_BITS):
            piece = (column >> shift).astype(np.uint16)[order]
            found = np.argsort(piece, kind="stable")
            order = found if isinstance(order, slice) else order[found]
    return order


def _changes(*columns: Numbers) -> NDArray[np.bool_]:
    """Return which rows are other than the one before in some of the columns."""
    new = np.zeros(len(columns[0]), np.bool_)
    new[0] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _lengths(starts: Numbers, end: int) -> NDArray[np.int64]:
    return np.diff(starts, append=end)


def _mask(width: int) -> int:
    return (1 << width) - 1
