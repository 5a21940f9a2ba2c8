"""What a classifier learns from: the values of the original, or values drawn from the cells of published records.

Numbers and dates are numbers, everything else is a category; of columns with many different names, the rare ones are
one category. A recipient who wants to train on cells fills them in: each record gets one of the values that its cell
covers, drawn as the cell is spread (`estimates.py`). Rows filled in so have the form of original records, which the
classifier is asked about later. A cell that is a mean is taken as that number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.tables.recoded.model import Numbers, RecodedTable
from sudare.tables.utility.distances import value_groups
from sudare.tables.utility.estimates import Column, Shares
from sudare.tables.utility.means import written_means
from sudare.tables.utility.orders import value_numbers


@dataclass(frozen=True, eq=False)
class Features:
    """The features of records, a column each: of the original and as published; which of them are categories.

    Suppressed records have no published features (nan).
    """

    original: Shares
    published: Shares
    categories: tuple[bool, ...]


def make_features(
    found: RecodedTable, columns: Sequence[Column], records: NDArray[np.int64], rng: np.random.Generator
) -> Features:
    """Return the features of some records."""
    original, published = np.empty((2, len(records), len(columns)))
    categories = []
    for place, column in enumerate(columns):
        numbers = value_numbers(column.values)
        coded = value_groups(column).astype(np.float64) if numbers is None else numbers
        codes = column.codes[found.rows[records]]
        original[:, place] = coded[codes]
        published[:, place] = _published(found, column, records, codes, coded, rng)
        categories.append(numbers is None)
    return Features(original, published, tuple(categories))


def _published(
    found: RecodedTable,
    column: Column,
    records: NDArray[np.int64],
    codes: Numbers,
    coded: Shares,
    rng: np.random.Generator,
) -> Shares:
    """Return what stands for the cells of records in a column."""
    owner = found.owner[records]
    features = np.full(len(records), np.nan)
    there = owner >= 0
    if column.cells_of is None:
        features[there] = coded[codes[there]]
        return features
    cells = found.cells[found.quasi.index(column.attribute)][owner[there]]
    features[there] = written_means(column)[cells] if column.cells_of.mean else coded[draw_values(column, cells, rng)]
    return features


def draw_values(column: Column, cells: Numbers, rng: np.random.Generator) -> Numbers:
    """Return for each cell one of the values that it covers, drawn by their weights."""
    if column.cells_of is None:
        return cells
    ends = np.cumsum(column.weights[column.cells_of.listed])
    before = np.append(0.0, ends)
    low, high = before[column.cells_of.begins[cells]], before[column.cells_of.ends[cells]]
    drawn = np.searchsorted(ends, low + rng.random(len(cells)) * (high - low), side="right")
    # Rounding may carry a draw to the end of its cell.
    return np.asarray(column.cells_of.listed[np.minimum(drawn, column.cells_of.ends[cells] - 1)])
