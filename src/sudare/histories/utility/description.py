"""An anonymized history in numbers: how much is deleted, how wide ranges and sets are, who is untouched.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 5.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind
from sudare.histories.utility.cost import check_same_rows
from sudare.results import Result
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class SizeCount(Result):
    """The number of cells that stand for `least` to `most` values.

    `most` is a power of two, `least` the power before plus 1.
    """

    least: int
    most: int
    cells: int


@dataclass(frozen=True, slots=True)
class ColumnDescription(Result):
    """The cells of a column in the remaining rows, by kind and by the number of values they stand for.

    The number of values counts days, hundredths, units or items; `sizes` and `median_size` cover ranges and sets only.
    `median_size` is None if there are none.
    """

    name: str
    exact: int
    ranges: int
    sets: int
    deleted: int
    median_size: float | None
    sizes: tuple[SizeCount, ...]


@dataclass(frozen=True, slots=True)
class CellDescription(Result):
    """An anonymized history in numbers.

    A customer is untouched if all rows remain and every cell holds one value, and gone if all rows are deleted.
    """

    _rows = ("columns",)
    _row = ColumnDescription

    rows: int
    deleted_rows: int
    columns: tuple[ColumnDescription, ...]
    customers: int
    untouched_customers: int
    gone_customers: int


@checked
def describe_cells(original: CellHistory, anonymized: CellHistory) -> CellDescription:
    """Describe an anonymized history in comparison with the original."""
    check_same_rows(original, anonymized)
    customers, deleted = len(np.unique(original.persons)), anonymized.deleted
    return CellDescription(
        rows=len(original),
        deleted_rows=int(deleted.sum()),
        columns=tuple(_describe(column, ~deleted) for column in anonymized.columns),
        customers=customers,
        untouched_customers=customers - len(np.unique(original.persons[~untouched_rows(anonymized)])),
        gone_customers=customers - len(np.unique(original.persons[~deleted])),
    )


def untouched_rows(anonymized: CellHistory) -> NDArray[np.bool_]:
    """Say which rows are left with one value in every cell."""
    found = ~anonymized.deleted
    for column in anonymized.columns:
        found &= (column.kinds != Kind.DELETED) & (value_counts(column) == 1)
    return found


def value_counts(column: Column) -> NDArray[np.int64]:
    """Return how many values each cell stands for; 0 for deleted cells."""
    if isinstance(column, ItemColumn):
        return np.append(column.sizes, 0)[column.sets]
    return np.where(column.kinds == Kind.DELETED, 0, column.high - column.low + 1)


def _describe(column: Column, left: NDArray[np.bool_]) -> ColumnDescription:
    kinds = column.kinds[left]
    exact, ranges, sets, deleted = np.bincount(kinds, minlength=len(Kind)).tolist()
    counts = value_counts(column)[left][(kinds == Kind.RANGE) | (kinds == Kind.SET)]
    median = float(np.median(counts)) if len(counts) else None
    return ColumnDescription(column.name, exact, ranges, sets, deleted, median, _sizes(counts))


def _sizes(counts: NDArray[np.int64]) -> tuple[SizeCount, ...]:
    """Count numbers of values in steps of powers of two: 1, 2, 3 to 4, 5 to 8, ..."""
    steps = 2 ** np.arange(int(counts.max(initial=1) - 1).bit_length() + 1) if len(counts) else np.empty(0, np.int64)
    cells = np.bincount(np.searchsorted(steps, counts), minlength=len(steps))
    return tuple(SizeCount(int(most) // 2 + 1, int(most), int(count)) for most, count in zip(steps, cells, strict=True))
