"""Small tables for properties, made without an engine, and the risks of their records counted one by one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies

from sudare.data.history import Reading
from sudare.data.table import Table

Records = list[tuple[int, ...]]


def table_of(records: Sequence[tuple[int, ...]]) -> Table:
    """Return a table of records whose attributes are named a, b, c and so on."""
    counted = Counter(records)
    rows = sorted(counted)
    codes = np.ascontiguousarray(np.asarray(rows, dtype=np.int32).T)
    counts = np.asarray([counted[row] for row in rows], dtype=np.int64)
    names = tuple("abcdefghijklmnopqrstuvwxyz"[: len(codes)])
    values = tuple(tuple(str(v) for v in range(int(column.max()) + 1)) for column in codes)
    engine: Any = None
    return Table(engine, Reading("records", "test", {}, (), len(records), ()), names, codes, counts, values, "records")


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
