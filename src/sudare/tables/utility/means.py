"""What becomes of the mean and the standard deviation of columns whose cells are means."""

from __future__ import annotations

import numpy as np

from sudare.tables.utility.estimates import Column, Compared, Counts, Shares
from sudare.tables.utility.model import MeanMoved
from sudare.tables.utility.orders import plain_numbers, value_numbers


def means_moved(sides: Compared) -> tuple[MeanMoved, ...]:
    """Return the moments of the columns of means; records without a number are left out on both sides."""
    found = (_moved(sides, column) for column in sides.columns if column.cells_of is not None and column.cells_of.mean)
    return tuple(moved for moved in found if moved is not None)


def _moved(sides: Compared, column: Column) -> MeanMoved | None:
    numbers = value_numbers(column.values)
    if numbers is None:
        return None
    before = _moments(numbers[column.codes], sides.original)
    after = _moments(written_means(column)[column.cells], sides.published)
    if before is None or after is None:
        return None
    return MeanMoved(column.attribute, before[0], after[0], before[1], after[1])


def written_means(column: Column) -> Shares:
    """Return the numbers that the cells of a column of means say; nan where a cell says none."""
    return plain_numbers(column.cells_of.texts if column.cells_of is not None else ())


def _moments(numbers: Shares, counts: Counts) -> tuple[float, float] | None:
    """Return the mean and the standard deviation of numbers with counts; None if there are none."""
    there = ~np.isnan(numbers)
    if not counts[there].sum():
        return None
    mean = float(np.average(numbers[there], weights=counts[there]))
    return mean, float(np.sqrt(np.average((numbers[there] - mean) ** 2, weights=counts[there])))
