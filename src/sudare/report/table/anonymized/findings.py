"""What the report of an anonymized table shows besides its results: columns, cells, and the risk before and after.

Everything is counted from the classes and their cells; nothing is taken from the search that made them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.class_sizes import Sizes
from sudare.statistics.distinct import number_rows
from sudare.tables.classes.records import RecordsAssessment, assess_records
from sudare.tables.recoded.model import CellColumn, RecodedTable
from sudare.tables.roles import ColumnRole

# Cells of each column that are shown as examples: those that most records have.
MOST_EXAMPLES = 3
# Class sizes from which a row of the table begins.
BANDS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class CellExample:
    """A cell of the file: what is written, how many records have it, and how many values it can stand for."""

    text: str | None
    records: int
    values: int


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Published cells by what became of the value: still exact, one of several, the mean of a class, or anything."""

    exact: int = 0
    coarser: int = 0
    mean: int = 0
    star: int = 0

    @property
    def total(self) -> int:
        """The number of cells."""
        return self.exact + self.coarser + self.mean + self.star

    def __add__(self, other: CellCounts) -> CellCounts:
        return CellCounts(
            self.exact + other.exact, self.coarser + other.coarser, self.mean + other.mean, self.star + other.star
        )


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column of the original and what became of it.

    `values` are its different values, `cells` the different cells of the file; both are None where nothing of the
    column is published. Of a quasi-identifier, `common` is the most common value, `becomes` the cell that most of its
    records have, None if all of them are suppressed, and `examples` are the most common cells of the file. A value is
    `rare` if fewer persons have it than are in the smallest class; then it is not told, since it may be one person's.
    """

    column: ColumnRole
    values: int | None = None
    cells: int | None = None
    counts: CellCounts | None = None
    rare: bool = False
    common: str | None = None
    becomes: CellExample | None = None
    examples: tuple[CellExample, ...] = ()


@dataclass(frozen=True, slots=True)
class SizeBand:
    """The records in classes of `first` to `last` persons, before and after; `last` is None for all larger ones."""

    first: int
    last: int | None
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What is counted for the report: the columns, and the risk for one who knows all quasi-identifiers."""

    records: int
    published: int
    columns: tuple[ColumnChange, ...]
    before: RecordsAssessment
    after: RecordsAssessment | None
    bands: tuple[SizeBand, ...]

    @property
    def suppressed(self) -> int:
        """The records that are not published."""
        return self.records - self.published

    @property
    def counts(self) -> CellCounts:
        """The cells of all quasi-identifiers."""
        return sum((column.counts for column in self.columns if column.counts), CellCounts())

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The direct identifiers that were dropped."""
        return tuple(found.column.attribute for found in self.columns if found.column.role == "identifier")


def gather_findings(recoded: RecodedTable) -> Findings:
    """Count all that the report shows of a recoded table."""
    before = assess_records(recoded.table, recoded.quasi)
    after = published_risk(recoded)
    return Findings(
        records=len(recoded.owner),
        published=int(np.count_nonzero(recoded.published)),
        columns=tuple(_change(recoded, column) for column in recoded.roles.columns),
        before=before,
        after=after,
        bands=_bands(before, after),
    )


def published_risk(recoded: RecodedTable) -> RecordsAssessment | None:
    """Return the risk of the published records for one who knows all quasi-identifiers; None if there are none."""
    if not recoded.classes:
        return None
    return assess_written(recoded)


def assess_written(recoded: RecodedTable) -> RecordsAssessment:
    """Return the risk of the records as they are written: classes whose cells read alike are one to a reader."""
    written = [
        np.unique([text or "" for text in column.texts], return_inverse=True)[1].reshape(-1)[cells]
        for column, cells in zip(recoded.columns, recoded.cells, strict=True)
    ]
    numbers, found = number_rows(np.ascontiguousarray(np.vstack(written).astype(np.int32)))
    owner = numbers.astype(np.int32)[recoded.owner[recoded.published]]
    kept = replace(recoded, rows=recoded.rows[recoded.published], owner=owner, cells=np.zeros((0, found), np.int32))
    sizes = Sizes.of(kept.persons, kept.sizes)
    return RecordsAssessment(recoded.quasi, len(owner), sizes.listed())


def _change(recoded: RecodedTable, column: ColumnRole) -> ColumnChange:
    if column.role in ("identifier", "dropped"):
        return ColumnChange(column)
    (place,) = recoded.table.positions([column.attribute])
    values = recoded.table.values[place]
    if column.role != "quasi":
        kept = np.unique(recoded.codes(column.attribute)[recoded.published])
        return ColumnChange(column, values=len(values), cells=len(kept))
    at = recoded.quasi.index(column.attribute)
    cells, records = recoded.columns[at], _records(recoded, at)
    common = int(recoded.counts(column.attribute).argmax())
    rare = _persons_with(recoded, place, common) < int(recoded.persons.min(initial=len(recoded.rows)))
    its_own = recoded.published & (recoded.codes(column.attribute) == common)
    its_cells = np.bincount(recoded.cells[at][recoded.owner[its_own]], minlength=len(cells.texts))
    return ColumnChange(
        column,
        values=len(values),
        cells=len(cells.texts),
        counts=_counts(cells, records),
        rare=rare,
        common=None if rare else values[common],
        becomes=next(iter(_examples(cells, its_cells)), None) if its_cells.any() else None,
        examples=_examples(cells, records),
    )


def _persons_with(recoded: RecodedTable, place: int, value: int) -> int:
    """Return how many persons have a value: records, where the table has no person column."""
    table = recoded.table
    its_own = table.codes[place] == value
    return int(table.counts[its_own].sum() if table.persons is None else len(np.unique(table.persons[its_own])))


def _records(recoded: RecodedTable, place: int) -> NDArray[np.int64]:
    """Return how many published records have each cell of a quasi-identifier."""
    found = np.zeros(len(recoded.columns[place].texts), np.int64)
    np.add.at(found, recoded.cells[place], recoded.sizes)
    return found


def _counts(column: CellColumn, records: NDArray[np.int64]) -> CellCounts:
    single, star = column.widths == 1, column.stars
    exact, stars = int(records[single].sum()), int(records[star].sum())
    rest = int(records.sum()) - exact - stars
    # Means that stand for several values hide them all the same: none of them is a name of the values.
    return CellCounts(exact, mean=rest + stars) if column.mean else CellCounts(exact, coarser=rest, star=stars)


def _examples(column: CellColumn, records: NDArray[np.int64]) -> tuple[CellExample, ...]:
    """Return the cells that most records have; ties go by what is written."""
    order = sorted(range(len(records)), key=lambda cell: (-records[cell], column.texts[cell] or ""))
    widths = column.widths
    return tuple(
        CellExample(column.texts[cell], int(records[cell]), int(widths[cell])) for cell in order[:MOST_EXAMPLES]
    )


def _bands(before: RecordsAssessment, after: RecordsAssessment | None) -> tuple[SizeBand, ...]:
    """Return the records by the size of their class, as far as there are classes of the size on either side."""
    ends: Sequence[int | None] = [*(later - 1 for _, later in pairwise(BANDS)), None]
    rows = [
        SizeBand(first, last, _within(before, first, last), _within(after, first, last) if after else 0)
        for first, last in zip(BANDS, ends, strict=True)
    ]
    return tuple(row for row in rows if row.before or row.after)


def _within(found: RecordsAssessment, first: int, last: int | None) -> int:
    return sum(part.records for part in found.sizes if part.size >= first and (last is None or part.size <= last))
