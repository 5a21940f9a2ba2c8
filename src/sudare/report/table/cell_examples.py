"""What became of the columns of an anonymized table, with an example of each: a value, and its cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.recoded.model import CellColumn, Numbers, RecodedTable


@dataclass(frozen=True, slots=True)
class CellExample:
    """A generalized column: its different values and cells, and a value with the cell that became of it.

    Of the cells, the example is the one with most records among those that join some but not all values; without any,
    it is a single value, or `*` if most records have that. Of its values, it is the most common. None is a missing
    value, or an empty cell. A value is `rare` if fewer persons have it than a class must have; it is not told, since it
    may be one person's.
    """

    attribute: str
    values: int
    cells: int
    value: str | None
    cell: str | None
    rare: bool = False


def cell_examples(found: RecodedTable, *, k: int) -> tuple[CellExample, ...]:
    """Return what became of each quasi-identifier; one without published records has no cells and is left out."""
    return tuple(
        _example(found, column, cells, k)
        for column, cells in zip(found.columns, found.cells, strict=True)
        if len(column.texts)
    )


def _example(found: RecodedTable, column: CellColumn, cells: Numbers, k: int) -> CellExample:
    records = sum_by(cells, found.sizes, len(column.texts))
    joined = (column.widths > 1) & ~column.stars
    # Cells that join some values come first; then single values or cells that tell nothing, whichever are more.
    starred = bool(2 * records[column.stars].sum() > records.sum())
    place = np.lexsort((-records, column.stars != starred, ~joined))[0]
    # Cells can cover values that only a population has: nobody here has these.
    persons = np.zeros(len(column.values), np.int64)
    found_here = _persons_of_values(found, column.attribute)
    persons[: len(found_here)] = found_here
    covered = column.covered(int(place))
    value = covered[np.argmax(persons[covered])]
    rare = bool(persons[value] < k)
    told = None if rare else column.values[value]
    return CellExample(column.attribute, len(found_here), len(column.texts), told, column.texts[place], rare)


def _persons_of_values(found: RecodedTable, attribute: str) -> NDArray[np.int64]:
    """Return how many persons have each value of an attribute: records, where the table has no person column."""
    table = found.table
    if table.persons is None:
        return found.counts(attribute)
    (place,) = table.positions([attribute])
    pairs = np.unique(np.vstack([table.codes[place], table.persons]), axis=1)
    return np.bincount(pairs[0], minlength=len(table.values[place]))
