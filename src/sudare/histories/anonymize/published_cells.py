"""The published history of aligned classes: the cheapest cells of each group, under pseudonyms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.histories.anonymize.class_search.model import AlignedClass
from sudare.histories.anonymize.rows import SearchRows
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.kernels.histories import groups as kernels


def publish_classes(
    original: CellHistory, rows: SearchRows, classes: Sequence[AlignedClass], rng: np.random.Generator
) -> CellHistory:
    """Return the history in which the members of each class have the same rows.

    Rows in no group are deleted. Pseudonyms are 1 to the number of customers, in random order.
    """
    group = np.full(len(rows), -1, np.int64)
    first = 0
    for found in classes:
        group[found.rows] = first + np.arange(len(found.rows))[:, None]
        first += len(found.rows)
    return publish_groups(original, rows, classes, group, rng)


def publish_groups(
    original: CellHistory,
    rows: SearchRows,
    classes: Sequence[AlignedClass],
    group: NDArray[np.int64],
    rng: np.random.Generator,
) -> CellHistory:
    """Return the history in which each row has the cells of its group, -1 if it is deleted.

    The groups of all classes are numbered one after another. Pseudonyms are 1 to the number of customers, in random
    order.
    """
    of_row = np.empty(len(rows), np.int64)
    of_row[rows.order] = group
    pids = 1 + rng.permutation(len(rows.customers))
    persons = pids[np.searchsorted(rows.customers, original.persons)]
    cells = [kernels.group_cells(rows.data, found.rows) for found in classes]
    low, high, deleted = (np.concatenate([part[place] for part in cells]) for place in range(3))
    columns: list[Column] = []
    place = 0
    for column in original.columns:
        if isinstance(column, ItemColumn):
            columns.append(_items(column, rows, classes, of_row))
        else:
            least = rows.least[place]
            ends = (low[:, place] + least, high[:, place] + least, deleted[:, place])
            columns.append(_ordered(column, *ends, of_row))
            place += 1
    return CellHistory(np.where(of_row < 0, 0, persons), tuple(columns), original.sources)


def _ordered(
    column: OrderedColumn,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    deleted: NDArray[np.bool_],
    of_row: NDArray[np.int64],
) -> OrderedColumn:
    kinds = np.where(deleted, Kind.DELETED, np.where(low < high, Kind.RANGE, Kind.EXACT))
    # The last line is that of rows in no group, which have the number -1.
    kinds = np.append(kinds, Kind.DELETED).astype(np.uint8)[of_row]
    gone = kinds == Kind.DELETED
    ends = (np.where(gone, 0, np.append(values, 0)[of_row]).astype(np.int64) for values in (low, high))
    return OrderedColumn(column.name, column.form, kinds, *ends)


def _items(
    column: ItemColumn, rows: SearchRows, classes: Sequence[AlignedClass], of_row: NDArray[np.int64]
) -> ItemColumn:
    numbers: dict[tuple[int, ...], int] = {(item,): item for item in range(len(column.names))}
    sets, kinds = [], []
    for found in classes:
        for items in rows.data.items[found.rows].tolist():
            different = tuple(sorted(set(items)))
            if len(different) > rows.most_items:
                sets.append(-1)
                kinds.append(Kind.DELETED)
            else:
                sets.append(numbers.setdefault(different, len(numbers)))
                kinds.append(Kind.EXACT if len(different) == 1 else Kind.SET)
    members = np.fromiter((item for found in numbers for item in found), np.int32)
    starts = np.concatenate([[0], np.cumsum([len(found) for found in numbers])]).astype(np.int64)
    return ItemColumn(
        column.name, np.append(kinds, Kind.DELETED).astype(np.uint8)[of_row],
        np.append(sets, -1).astype(np.int32)[of_row], starts, members, column.names,
    )  # fmt: skip
