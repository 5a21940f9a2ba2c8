"""What a recipient estimates from the cells of an anonymized table.

A recipient has the published rows and knows which values of the column a cell covers. Each record is spread over these
values in proportion to how often they are published exactly in that column, each counted once more: evenly, where no
value that the cell covers is published. The columns of a record are spread independently of each other. This needs
nothing but the file. Suppressed records are missing: shares are of what is published, and counts are not scaled.

Other recipients estimate otherwise, so all distances and errors are those of this rule. It was compared with two others
on twelve local recodings of Adult (nine and fifteen columns, k = 5 and 50, nodes, sets and ranges) by the mean distance
of the marginals. Spreading evenly is worse in eleven, often by a factor of two or three, and better in one (fifteen
columns, k = 5, sets: 0.039 instead of 0.064). Twenty steps of expectation maximization are a little better in nine, and
worse in three (k = 50).

The cells of a column of means are taken as the ranges of their classes, which is more than a recipient of the means
alone knows; what becomes of the mean and the standard deviation is measured by the means themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import collapse, sum_by
from sudare.tables.recoded.model import CellColumn, Numbers, RecodedTable

Counts = NDArray[np.int64]
Shares = NDArray[np.float64]

# Combinations that are counted in an array with a place for each; beyond, only those that occur are numbered.
MOST_PLACES = 4_000_000


@dataclass(frozen=True, eq=False)
class Column:
    """A published column: the values of the distinct rows of the original, and the cells of the published ones.

    Without `cells_of` it is published unchanged: its cells are its values.
    """

    attribute: str
    values: tuple[str | None, ...]
    codes: Numbers
    counts: Counts
    cells: Numbers
    cells_of: CellColumn | None
    weights: Shares

    @property
    def width(self) -> int:
        """The number of different cells."""
        return len(self.values) if self.cells_of is None else len(self.cells_of.texts)

    def shares(self, chosen: NDArray[np.bool_]) -> Shares:
        """Return the share of each cell that falls on the chosen values."""
        if self.cells_of is None:
            return chosen.astype(np.float64)
        # Weights are whole numbers, so that the sums are exact: a cell of one value has a share of just 0 or 1.
        return self.cells_of.sums(self.weights * chosen) / self.cells_of.sums(self.weights)


@dataclass(frozen=True, eq=False)
class Compared:
    """The original and what is published of it, column by column, both as distinct rows with counts."""

    columns: tuple[Column, ...]
    original: Counts
    published: Counts

    @property
    def records(self) -> int:
        """The number of records of the original."""
        return int(self.original.sum())


def compared(found: RecodedTable) -> Compared:
    """Return the published columns of a table next to the original."""
    cells_of = {column.attribute: column for column in found.columns}
    names = found.roles.published
    kept = [name for name in names if name not in cells_of]
    owner, codes, published = _published_rows(found, kept)
    unchanged = dict(zip(kept, codes, strict=True))
    cells = {name: found.cells[a][owner] for a, name in enumerate(found.quasi)} | unchanged
    columns = [_column(found, name, cells_of.get(name), cells[name], published) for name in names]
    return Compared(tuple(columns), found.table.counts, published)


def _column(found: RecodedTable, name: str, cells_of: CellColumn | None, cells: Numbers, published: Counts) -> Column:
    """Return a column; its values are followed by those that only cells cover, which come from a population."""
    (place,) = found.table.positions([name])
    values = found.table.values[place] if cells_of is None else cells_of.values
    counts = sum_by(found.table.codes[place], found.table.counts, len(values))
    weights = _weights(cells_of, cells, published)
    return Column(name, values, found.table.codes[place], counts, cells, cells_of, weights)


def _published_rows(found: RecodedTable, kept: Sequence[str]) -> tuple[Numbers, NDArray[np.int32], Counts]:
    """Return the class, the unchanged values and the number of records of each distinct published row."""
    if not kept:
        return np.arange(found.classes, dtype=np.int32), np.zeros((0, found.classes), np.int32), found.sizes
    there = found.published
    stacked = np.vstack([found.owner[there], *(found.codes(name)[there] for name in kept)]).astype(np.int32)
    rows, counts = collapse(stacked, np.ones(stacked.shape[1], np.int64))
    return rows[0], rows[1:], counts


def _weights(column: CellColumn | None, cells: Numbers, published: Counts) -> Shares:
    """Return how much each value of a column weighs where a cell is spread: its exact records, and one."""
    if column is None:
        return np.ones(0)
    sizes = sum_weights(cells, published, len(column.texts)).astype(np.int64)
    exact = column.widths == 1
    values = column.listed[column.begins[exact]]
    return sum_weights(values, sizes[exact], len(column.values)) + 1.0


def combined(
    codes: Sequence[NDArray[np.integer]], sizes: Sequence[int], counts: Counts
) -> tuple[NDArray[np.int64], Shares]:
    """Return the combinations of several columns that occur, a column each, and the number of records of each."""
    room = prod(sizes)
    if room > MOST_PLACES:
        rows, summed = collapse(np.vstack(codes).astype(np.int32), counts)
        return rows.astype(np.int64), summed.astype(np.float64)
    keys = np.zeros(len(counts), np.int64)
    for column, size in zip(codes, sizes, strict=True):
        keys = keys * size + column
    sums = sum_weights(keys, counts, room)
    found = np.flatnonzero(sums)
    return np.vstack(np.unravel_index(found, tuple(sizes))), sums[found]


def sum_weights(numbers: NDArray[np.integer], counts: Counts, found: int) -> Shares:
    """Return the sum of the counts of each number from 0 to below `found`, as floating point."""
    return np.asarray(np.bincount(numbers, counts, minlength=found), np.float64)
