"""Whether anonymized rows cover the original ones row by row, which identifies a file in original order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn


def is_row_by_row(original: CellHistory, anonymized: CellHistory) -> bool:
    """Say whether row i of the anonymized history covers row i of the original for all i; deleted cells cover all."""
    if (len(original), len(original.columns)) != (len(anonymized), len(anonymized.columns)):
        return False
    pairs = zip(original.columns, anonymized.columns, strict=True)
    return all(bool(_covered(one, other).all()) for one, other in pairs)


def _covered(original: Column, anonymized: Column) -> NDArray[np.bool_]:
    deleted: NDArray[np.bool_] = anonymized.kinds == Kind.DELETED
    if isinstance(original, ItemColumn) and isinstance(anonymized, ItemColumn):
        return deleted | _has_item(anonymized, original.sets)
    if isinstance(original, OrderedColumn) and isinstance(anonymized, OrderedColumn):
        return deleted | ((anonymized.low <= original.low) & (original.low <= anonymized.high))
    return np.zeros(len(deleted), np.bool_)


def _has_item(column: ItemColumn, items: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say of each cell whether its set has the item of that row; both number items alike."""
    owners = np.repeat(np.arange(len(column.sizes), dtype=np.int64), column.sizes)
    members = np.sort(owners * len(column.names) + column.members)
    wanted = column.sets.astype(np.int64) * len(column.names) + items
    places = np.minimum(np.searchsorted(members, wanted), len(members) - 1)
    return np.asarray((column.sets >= 0) & (members[places] == wanted), np.bool_)
