"""Counts of random queries over two and three attributes, true and estimated from the cells.

A query asks how many records have one of some values in each of its attributes. It is made around a record drawn at
random, so that it counts at least one. Of numbers and dates it takes the range between the value of this record and
that of another; of other values, and of columns with two values, it takes the value of the record and others drawn at
random, from none to all but one. A range that has all values is narrowed to the value of the record, since it would ask
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil, comb, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from sudare.tables.utility.estimates import Column, Compared, Counts, Shares, combined
from sudare.tables.utility.model import QueriesError
from sudare.tables.utility.orders import value_numbers

# Counts below this share of the records are as hard to hit as this share itself.
FLOOR = 0.001
# Rows that are grouped at most, some seconds: a set of attributes is grouped once for all its queries.
MOST_GROUPED = 60_000_000
# However large the table is, queries are about this many different sets of attributes, if there are.
LEAST_SETS = 60
# The normal quantile of an interval of 95 %.
_NORMAL = 1.96

Chosen = list[NDArray[np.bool_]]


def query_errors(
    sides: Compared, *, attributes: int, queries: int, seed: int, each: Callable[[], None] = lambda: None
) -> QueriesError | None:
    """Return the errors of random queries over a number of attributes; None if there are too few attributes.

    Columns with a single value are not asked for. In a table of more than a million rows, queries share 60 sets of
    attributes drawn at random. `each` is called after each query.
    """
    columns = [column for column in sides.columns if len(column.values) > 1]
    if len(columns) < attributes or not sides.records:
        return None
    errors: list[float] = []
    rng = np.random.default_rng([seed, attributes])
    numbers = {column.attribute: value_numbers(column.values) for column in columns}
    most = max(MOST_GROUPED // len(sides.original), LEAST_SETS)
    ends = np.cumsum(sides.original)
    for asked, places in _asked(rng, len(columns), attributes, queries, most):
        group = [columns[place] for place in places]
        drawn = [_draw(rng, ends, group, numbers) for _ in range(asked)]
        for true, estimate in count_queries(sides, group, drawn):
            errors.append(abs(estimate - true) / max(true, FLOOR * sides.records))
            each()
    return _summary(np.sort(np.asarray(errors)), attributes, FLOOR * sides.records)


def _asked(
    rng: np.random.Generator, columns: int, size: int, queries: int, most: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield sets of attributes, by their places, and how many queries are asked about each."""
    if comb(columns, size) <= most:
        sets = list(combinations(range(columns), size))
    else:
        drawn = min(most, queries)
        sets = [tuple(sorted(rng.choice(columns, size, replace=False).tolist())) for _ in range(drawn)]
    times = np.bincount(rng.integers(len(sets), size=queries), minlength=len(sets))
    yield from ((int(asked), places) for asked, places in zip(times, sets, strict=True) if asked)


def _draw(
    rng: np.random.Generator, ends: Counts, columns: Sequence[Column], numbers: Mapping[str, Shares | None]
) -> Chosen:
    """Return the values that a query asks for in each of its attributes."""
    centre, other = np.searchsorted(ends, rng.integers(ends[-1], size=2), side="right")
    return [
        _chosen(rng, numbers[column.attribute], len(column.values), int(column.codes[centre]), int(column.codes[other]))
        for column in columns
    ]


def _chosen(rng: np.random.Generator, numbers: Shares | None, size: int, one: int, other: int) -> NDArray[np.bool_]:
    chosen = np.zeros(size, np.bool_)
    if numbers is None or size == 2:
        further = np.delete(np.arange(size), one)
        chosen[rng.choice(further, rng.integers(size - 1), replace=False)] = True
    elif not np.isnan(numbers[[one, other]]).any():
        low, high = np.sort(numbers[[one, other]])
        chosen = (low <= numbers) & (numbers <= high)
    if chosen.all():
        chosen = np.zeros(size, np.bool_)
    chosen[one] = True
    return chosen


def count_queries(
    sides: Compared, columns: Sequence[Column], queries: Sequence[Chosen]
) -> Iterator[tuple[float, float]]:
    """Yield for each query about the same columns the true count and the one estimated from the cells."""
    sizes, widths = [len(column.values) for column in columns], [column.width for column in columns]
    codes, counts = combined([column.codes for column in columns], sizes, sides.original)
    cells, published = combined([column.cells for column in columns], widths, sides.published)
    for chosen in queries:
        true, estimate = counts.copy(), published.copy()
        for a, (column, values) in enumerate(zip(columns, chosen, strict=True)):
            true *= values[codes[a]]
            estimate *= column.shares(values)[cells[a]]
        yield float(true.sum()), float(estimate.sum())


def _summary(errors: Shares, attributes: int, least: float) -> QueriesError | None:
    """Return median, mean and 90 % quantile of sorted errors; the interval of the median is that of its ranks."""
    n = len(errors)
    if not n:
        return None
    low = max(floor((n - _NORMAL * sqrt(n)) / 2) - 1, 0)
    high = min(ceil((n + _NORMAL * sqrt(n)) / 2), n - 1)
    return QueriesError(
        attributes, n, float(np.median(errors)), float(errors[low]), float(errors[high]), float(errors.mean()),
        float(np.quantile(errors, 0.9)), least,
    )  # fmt: skip
