"""The visits of a history as arrays: the crowds of the ten attackers, counted in memory.

What the attackers know of a visit are whole numbers. Knowledge and customer are packed into one number, and sorted
numbers are counted in one pass: a fraction of the time that the same groupings take on an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sudare.engine import DuckDBEngine
from sudare.histories.attackers.crowds import Crowds, CrowdSize
from sudare.histories.attackers.knowledge import Knowledge
from sudare.histories.model import History
from sudare.kernels.common.arrays import Ints
from sudare.kernels.histories.visits import count_crowds, count_visits, find_visits, number_sets, pack_rows
from sudare.messages import message

# Groupings that are made at the same time, and what a row of the history takes at most with what they make of it.
AT_ONCE = 2
ROW_BYTES = 120
# What an engine that shows no people does not show.
PEOPLE = message("errors.people.visits")
# Packed numbers are not negative.
_MOST_BITS = 63


class Visits:
    """Visits in the order of customers and days, and the rows of each in the order of the items."""

    def __init__(self, rows: Ints, widths: tuple[int, int]) -> None:
        """Take the rows of a history, customer, day and item packed into one number; days and items have the widths."""
        self._day_bits, self._item_bits = widths
        rows.sort()
        self._packed = rows
        self._starts = np.empty(count_visits(rows, self._item_bits) + 1, np.int64)
        find_visits(rows, self._item_bits, self._starts)
        visits = rows[self._starts[:-1]] >> self._item_bits
        self._customer = visits >> self._day_bits
        self._parts = {"day": visits & _mask(self._day_bits), "count": np.diff(self._starts), "items": self._sets()}

    def _sets(self) -> Ints:
        """Return the number of each visit's set of items."""
        visits = len(self._starts) - 1
        table, numbers = np.full(2 << visits.bit_length(), -1), np.empty(visits, np.int64)
        number_sets(self._packed, self._starts, self._item_bits, table, numbers)
        return numbers

    @property
    def packable(self) -> bool:
        """Whether whatever the ten attackers know fits into one number with the customer and the number of rows."""
        bits = {part: _bits(values) for part, values in self._parts.items()}
        last = max(self._item_bits, bits["items"])
        return bits["day"] + bits["count"] + last + _bits(self._customer) <= _MOST_BITS

    def each(self, known: Sequence[Knowledge]) -> Iterator[Crowds]:
        """Count the crowds of several of the ten attackers, in their order."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self.crowds, known)

    def crowds(self, knowledge: Knowledge) -> Crowds:
        """Count how many customers share each value of the knowledge of one of the ten attackers."""
        if not knowledge.parts:
            everybody, rows = len(np.unique(self._customer)), len(self._packed)
            return Crowds((CrowdSize(everybody, 1, everybody, rows, everybody**2, int(rows == everybody), 1),))
        keys = np.zeros(len(self._customer), np.int64)
        for part in knowledge.key_visit_parts:
            keys = (keys << _bits(self._parts[part])) | self._parts[part]
        customer_bits = _bits(self._customer)
        if knowledge.row_parts:
            weight_bits, packed = 0, np.empty_like(self._packed)
            widths = self._item_bits, self._day_bits, customer_bits
            pack_rows(self._packed, self._starts, keys, *widths, packed)
        else:
            weight_bits = _bits(self._parts["count"])
            packed = (((keys << customer_bits) | self._customer) << weight_bits) | self._parts["count"]
        packed.sort()
        sums = np.zeros((6, int(self._customer.max()) + 2), np.int64)
        count_crowds(packed, customer_bits, weight_bits, sums)
        sizes = np.flatnonzero(sums[0])
        return Crowds(tuple(CrowdSize(int(size), *sums[:, size].tolist()) for size in sizes))

    def sizes(self, parts: Sequence[str]) -> dict[str, int]:
        """Count the different values of each part."""
        return {part: int(np.count_nonzero(self._occurrences(part))) for part in parts}

    def frequencies(self, part: str, *, by_rows: bool = False) -> list[tuple[int, int, int]]:
        """Return how many values of a part occur how often, and how often in all, the rarest first."""
        often = self._occurrences(part, by_rows=by_rows)
        found, values = np.unique(often[often > 0], return_counts=True)
        return [(int(n), int(times), int(n * times)) for n, times in zip(found, values, strict=True)]

    def _occurrences(self, part: str, *, by_rows: bool = False) -> Ints:
        """Return how often each value of a part occurs, in rows or in visits."""
        if part == "item":
            return np.bincount(self._packed & _mask(self._item_bits))
        often = np.bincount(self._parts[part], self._parts["count"] if by_rows else None)
        return often.astype(np.int64)


def fetch_visits(history: History) -> Visits | None:
    """Fetch the visits of a history from an engine in this process; None if they are too many or may not leave it."""
    purchase, engine = history.table("purchase"), history.engine
    if not (isinstance(engine, DuckDBEngine) and engine.shows_people) or engine.min_cell > 1:
        return None
    # The engine holds the rows as well, in the other half of the memory.
    if history.records * ROW_BYTES > engine.memory_bytes // 2:
        return None
    ends = f"SELECT min(day), max(day) - min(day), max(item) FROM {purchase}"
    ((first, most, items),) = engine.people(ends, PEOPLE)
    widths = int(most).bit_length(), int(items).bit_length()
    if history.customers.bit_length() + sum(widths) > _MOST_BITS:
        return None
    day = f"(CAST(customer AS BIGINT) << {widths[0]}) + (day - DATE '{first}')"
    rows = f"SELECT (({day}) << {widths[1]}) + item AS row FROM {purchase}"
    visits = Visits(engine.people_columns(rows, PEOPLE)["row"], widths)
    return visits if visits.packable else None


def _bits(values: Ints) -> int:
    return int(values.max()).bit_length()


def _mask(width: int) -> int:
    return (1 << width) - 1
