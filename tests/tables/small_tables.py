"""Small tables for properties, made without an engine, and the risks of their records counted one by one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies

from sudare.sources.cell_text import MissingRule
from sudare.sources.readings import Reading
from sudare.tables.model import Table

Records = list[tuple[int, ...]]
Record = tuple[int | None, ...]


def table_of(
    records: Sequence[tuple[int | None, ...]],
    *,
    missing: MissingRule = "value",
    persons: Sequence[int] | None = None,
) -> Table:
    """Return a table of records (None is a missing value) whose attributes are named a, b, c and so on."""
    width = len(records[0])
    largest = [max((r[a] for r in records if r[a] is not None), default=-1) for a in range(width)]
    blank = [any(r[a] is None for r in records) for a in range(width)]
    coded = [tuple(largest[a] + 1 if (v := r[a]) is None else v for a in range(width)) for r in records]
    counted = Counter(zip(persons or [0] * len(coded), coded, strict=True))
    rows = sorted(counted)
    codes = np.ascontiguousarray(np.asarray([row for _, row in rows], dtype=np.int32).T)
    counts = np.asarray([counted[row] for row in rows], dtype=np.int64)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[:width])
    values = tuple((*map(str, range(largest[a] + 1)), *([None] if blank[a] else [])) for a in range(width))
    engine: Any = None
    reading = Reading("records", "test", {}, (), len(records), ())
    numbers = None if persons is None else np.asarray([person for person, _ in rows], np.int32)
    return Table(engine, reading, names, codes, counts, values, "records", missing=missing, persons=numbers)


def sizes_of(records: Sequence[tuple[int, ...]], subset: Iterable[int]) -> Counter[tuple[int, ...]]:
    """Return the classes a set of attributes makes."""
    places = list(subset)
    return Counter(tuple(record[a] for a in places) for record in records)


def subsets(attributes: Iterable[int]) -> Iterator[frozenset[int]]:
    """Yield all subsets."""
    items = list(attributes)
    for size in range(len(items) + 1):
        yield from map(frozenset, itertools.combinations(items, size))


def names(subset: Iterable[int]) -> tuple[str, ...]:
    """Return the names of attributes."""
    return tuple("abcdefghijklmnopqrstuvwxyz"[a] for a in sorted(subset))


@strategies.composite
def record_lists(draw: strategies.DrawFn, most_attributes: int = 5, most_records: int = 24) -> Records:
    """Draw records with few attributes of few values."""
    attributes = draw(strategies.integers(2, most_attributes))
    row = strategies.tuples(*[strategies.integers(0, draw(strategies.integers(0, 3))) for _ in range(attributes)])
    return draw(strategies.lists(row, min_size=1, max_size=most_records))


@dataclass(frozen=True)
class Case:
    """Records, whose they are (None: each of somebody else), and what a missing value is equal to."""

    records: list[Record]
    persons: list[int] | None
    missing: MissingRule

    @property
    def table(self) -> Table:
        return table_of(self.records, missing=self.missing, persons=self.persons)

    @property
    def width(self) -> int:
        return len(self.records[0])

    def same(self, one: Record, other: Record, attributes: Iterable[int]) -> bool:
        any_ = self.missing == "any"
        return all(one[a] == other[a] or (any_ and None in (one[a], other[a])) for a in attributes)

    def matches(self, record: Record, attributes: Iterable[int]) -> list[int]:
        places = list(attributes)
        return [i for i, other in enumerate(self.records) if self.same(record, other, places)]

    def sizes(self, attributes: Iterable[int]) -> list[int]:
        """Count for each record those (or whose) it cannot be told from."""
        whose = self.persons or list(range(len(self.records)))
        places = list(attributes)
        return [len({whose[i] for i in self.matches(record, places)}) for record in self.records]

    def classes(self, attributes: Sequence[int]) -> int:
        return len({tuple(record[a] for a in attributes) for record in self.records})


@strategies.composite
def cases(draw: strategies.DrawFn, most_attributes: int = 4) -> Case:
    width = draw(strategies.integers(2, most_attributes))
    values = [
        strategies.one_of(strategies.none(), strategies.integers(0, draw(strategies.integers(0, 2))))
        for _ in range(width)
    ]
    records = draw(strategies.lists(strategies.tuples(*values), min_size=1, max_size=16))
    owners = strategies.lists(strategies.integers(0, 5), min_size=len(records), max_size=len(records))
    return Case(
        records, draw(strategies.one_of(strategies.none(), owners)), draw(strategies.sampled_from(["value", "any"]))
    )
