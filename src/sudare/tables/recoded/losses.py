"""What the records of a recoded table lose: entropy, certainty, discernibility, and what is suppressed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.recoded.model import CellColumn, RecodedTable


@dataclass(frozen=True, slots=True)
class ColumnLoss(Result):
    """What a quasi-identifier loses, in the measures of `TableLoss`.

    `highest_entropy` is the entropy that is lost where every cell is `*`: the entropy of the column.
    """

    attribute: str
    entropy: float
    highest_entropy: float
    ncp: float
    suppressed_cells: int


@dataclass(frozen=True, slots=True)
class TableLoss(Result):
    """What the records of a table lose by their cells; suppressed records have `*` in every quasi-identifier.

    `entropy`, in bits a record, is the mean over the records of the sum over the quasi-identifiers of log2(a / b): the
    cell covers the values of a records of the original, and b of them have the record's own value.

    `ncp`, the normalized certainty penalty (Xu et al. 2006), is a mean over the records and the quasi-identifiers. For
    a node or a set of n of the N values of the column it is (n - 1) / (N - 1), for a range or a mean the distance of
    its ends as a share of that of the least and the greatest value (1 if it covers missing values too): 0 for one
    value, and 1 for all.

    `discernibility` is the sum of the squared sizes of the classes, and the number of all records for each suppressed
    one (Bayardo and Agrawal 2005). `suppressed_cells` are cells of published records that are `*`: they cover all
    values, and these are more than one.
    """

    _rows = ("columns",)
    _row = ColumnLoss

    entropy: float
    highest_entropy: float
    ncp: float
    discernibility: int
    suppressed_records: int
    suppressed_cells: int
    columns: tuple[ColumnLoss, ...]


@checked
def table_loss(found: RecodedTable) -> TableLoss:
    """Measure what the records of a recoded table lose; a table without records loses nothing."""
    sizes = found.sizes
    suppressed = int((~found.published).sum())
    columns = tuple(
        _column_loss(column, found.counts(column.attribute), sum_by(cells, sizes, len(column.texts)), suppressed)
        for column, cells in zip(found.columns, found.cells, strict=True)
    )
    return TableLoss(
        entropy=sum(column.entropy for column in columns),
        highest_entropy=sum(column.highest_entropy for column in columns),
        ncp=sum(column.ncp for column in columns) / max(len(columns), 1),
        discernibility=sum(size * size for size in sizes.tolist()) + suppressed * len(found.rows),
        suppressed_records=suppressed,
        suppressed_cells=sum(column.suppressed_cells for column in columns),
        columns=columns,
    )


def _column_loss(
    column: CellColumn, counts: NDArray[np.int64], records: NDArray[np.int64], suppressed: int
) -> ColumnLoss:
    """Return the loss of a column whose values have `counts` records and whose cells are in `records` records."""
    everything = float(counts.sum())
    own = float((counts * _log2(counts)).sum())
    # A column can have values that only a population has.
    counts = np.append(counts, np.zeros(len(column.values) - len(counts), np.int64))
    bits = float((records * _log2(column.sums(counts.astype(np.float64)))).sum())
    certainty = float((records * _penalties(column)).sum()) + suppressed * (len(column.values) > 1)
    return ColumnLoss(
        attribute=column.attribute,
        entropy=max(bits + suppressed * float(_log2(everything)) - own, 0.0) / max(everything, 1),
        highest_entropy=max(everything * float(_log2(everything)) - own, 0.0) / max(everything, 1),
        ncp=certainty / max(everything, 1),
        suppressed_cells=int(records[column.stars].sum()),
    )


def _penalties(column: CellColumn) -> NDArray[np.float64]:
    """Return the certainty penalty of each cell."""
    if column.amounts is None:
        return np.asarray((column.widths - 1) / max(len(column.values) - 1, 1))
    spread = spread_of(column.amounts)[column.listed]
    return np.minimum(spread[column.ends - 1] - spread[column.begins], 1.0)


def spread_of(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where numbers lie between the least (0) and the greatest (1); a missing one is at 2."""
    least, most = np.nanmin(amounts, initial=np.inf), np.nanmax(amounts, initial=-np.inf)
    return np.nan_to_num((amounts - least) / (most - least) if most > least else amounts * 0, nan=2.0)


def _log2(records: NDArray[np.generic] | float) -> NDArray[np.float64]:
    """Return logarithms; values that no record has count for nothing, and have 0."""
    return np.asarray(np.log2(np.maximum(records, 1.0)))
