"""Records whose quasi-identifiers are cells: each cell says which values the record can have.

A cell is a node of a hierarchy, a range, a set of values or a single value. Records with the same cells in all
quasi-identifiers are an equivalence class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import first_rows, number_rows, sum_by
from sudare.tables.model import Table
from sudare.tables.roles import Roles

Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CellColumn:
    """The different cells of a quasi-identifier: cell i covers the values `listed[begins[i] : ends[i]]`.

    `values` are those of the column by number; `texts[i]` is what is written of cell i, None where that is nothing. If
    the column has a `mean`, its cells say the mean of their class: a cell covers the values from the least to the
    greatest of its class, but its text does not name them. Where cells are ranges or means, `amounts` are the numbers
    or days of the values by number, NaN for a missing one, and the values are `listed` in their order.
    """

    attribute: str
    values: tuple[str | None, ...]
    texts: tuple[str | None, ...]
    listed: Numbers
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    mean: bool = False
    amounts: NDArray[np.float64] | None = None

    @property
    def widths(self) -> NDArray[np.int64]:
        """How many values each cell covers."""
        return self.ends - self.begins

    @property
    def stars(self) -> NDArray[np.bool_]:
        """Which cells cover all values, and so tell nothing; in a column with one value none does."""
        return np.asarray((self.widths == len(self.values)) & (len(self.values) > 1))

    def covered(self, cell: int) -> Numbers:
        """Return the numbers of the values that a cell covers."""
        return self.listed[self.begins[cell] : self.ends[cell]]

    def sums(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each cell the sum of the weights of the values that it covers."""
        before = np.append(0.0, np.cumsum(weights[self.listed]))
        return np.asarray(before[self.ends] - before[self.begins])

    def covers(self, cells: NDArray[np.integer], codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for each pair of a cell and a value whether the cell covers the value."""
        if self._one_order is not None:
            places = self._one_order[codes]
            return np.asarray((self.begins[cells] <= places) & (places < self.ends[cells]))
        wanted = cells.astype(np.int64) * len(self.values) + codes
        found = np.searchsorted(self._pairs, wanted)
        return np.asarray(self._pairs[np.minimum(found, len(self._pairs) - 1)] == wanted)

    @cached_property
    def _one_order(self) -> NDArray[np.int64] | None:
        """The place of each value in an order that makes every cell a range; None if each cell is listed by itself."""
        if len(self.listed) != len(self.values):
            return None
        places = np.full(len(self.values), -1, np.int64)
        places[self.listed] = np.arange(len(self.listed))
        return None if (places < 0).any() else places

    @cached_property
    def _pairs(self) -> NDArray[np.int64]:
        """Each cell with each of its values, as one number, in order."""
        widths = self.widths
        cells = np.repeat(np.arange(len(widths), dtype=np.int64), widths)
        within = np.arange(len(cells)) - np.repeat(np.cumsum(widths) - widths, widths)
        return np.sort(cells * len(self.values) + self.listed[self.begins[cells] + within])


@dataclass(frozen=True, eq=False)
class RecodedTable:
    """A table whose records are in equivalence classes with cells of their own.

    Record i is one of the records of the distinct row `rows[i]` of the original `table`, in no particular order;
    `owner[i]` is the number of its class, -1 if it is suppressed. `cells[a, c]` is the number of the cell that class c
    has in the quasi-identifier `columns[a]`. No two classes have the same cells.
    """

    table: Table
    roles: Roles
    columns: tuple[CellColumn, ...]
    rows: Numbers
    owner: Numbers
    cells: Numbers

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(column.attribute for column in self.columns)

    @property
    def published(self) -> NDArray[np.bool_]:
        """Which records are not suppressed."""
        return self.owner >= 0

    @property
    def classes(self) -> int:
        """The number of equivalence classes."""
        return int(self.cells.shape[1])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records in each class."""
        return np.bincount(self.owner[self.published], minlength=self.classes)

    @cached_property
    def persons(self) -> NDArray[np.int64]:
        """The number of persons in each class: of records, where the table has no person column."""
        if self.table.persons is None:
            return self.sizes
        kept = self.published
        person = self.table.persons[self.rows[kept]].astype(np.int64)
        pairs = np.unique(self.owner[kept] * (int(person.max(initial=0)) + 1) + person)
        return np.bincount(pairs // (int(person.max(initial=0)) + 1), minlength=self.classes)

    def codes(self, attribute: str) -> Numbers:
        """Return the number of the original value of an attribute in each record."""
        (place,) = self.table.positions([attribute])
        return np.asarray(self.table.codes[place][self.rows])

    def counts(self, attribute: str) -> NDArray[np.int64]:
        """Return how many records of the original have each value of an attribute."""
        (place,) = self.table.positions([attribute])
        return sum_by(self.table.codes[place], self.table.counts, len(self.table.values[place]))


def recoded(
    table: Table, roles: Roles, columns: Sequence[CellColumn], rows: Numbers, owner: Numbers, cells: Numbers
) -> RecodedTable:
    """Make a recoded table of classes that may be empty or have the same cells; these become one."""
    used, inverse = np.unique(owner[owner >= 0], return_inverse=True)
    numbers, found = number_rows(np.ascontiguousarray(cells[:, used]))
    joined = np.full(len(owner), -1, np.int32)
    joined[owner >= 0] = numbers[inverse]
    kept = cells[:, used[first_rows(numbers, found)]]
    named = [_only_used(column, kept[a]) for a, column in enumerate(columns)]
    stacked = np.vstack([cells for _, cells in named]).astype(np.int32)
    return RecodedTable(table, roles, tuple(column for column, _ in named), rows, joined, stacked)


def _only_used(column: CellColumn, cells: Numbers) -> tuple[CellColumn, NDArray[np.int64]]:
    """Return a column without the cells that no class has, and the new numbers of the cells of the classes."""
    used, renumbered = np.unique(cells, return_inverse=True)
    texts = tuple(column.texts[cell] for cell in used)
    return replace(column, texts=texts, begins=column.begins[used], ends=column.ends[used]), renumbered


def record_rows(table: Table) -> Numbers:
    """Return the distinct row of each record of a table."""
    return np.repeat(np.arange(len(table.counts), dtype=np.int32), table.counts)
