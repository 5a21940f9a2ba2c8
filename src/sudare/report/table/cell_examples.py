"""What became of the columns of an anonymized table, with an example of each: a value, and its cell."""

from __future__ import annotations

import numpy as np

from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.recoded.model import CellColumn, Numbers, RecodedTable


@dataclass(frozen=True, slots=True)
class CellExample:
    """A generalized column: its different values and cells, and a value with the cell that became of it.

    Of the cells, the example is the one with most records among those that join values without telling nothing; of its
    values, the most common. None is a missing value, or an empty cell.
    """

    attribute: str
    values: int
    cells: int
    value: str | None
    cell: str | None


def cell_examples(found: RecodedTable) -> tuple[CellExample, ...]:
    """Return what became of each quasi-identifier; one without published records has no cells and is left out."""
    return tuple(
        _example(found, column, cells)
        for column, cells in zip(found.columns, found.cells, strict=True)
        if len(column.texts)
    )


def _example(found: RecodedTable, column: CellColumn, cells: Numbers) -> CellExample:
    records = sum_by(cells, found.sizes, len(column.texts))
    joined = (column.widths > 1) & ~column.stars
    # Cells that join values come first, then single values, then cells that tell nothing.
    place = np.lexsort((-records, column.stars, ~joined))[0]
    covered = column.covered(int(place))
    value = covered[np.argmax(found.counts(column.attribute)[covered])]
    return CellExample(
        column.attribute, len(column.values), len(column.texts), column.values[value], column.texts[place]
    )
