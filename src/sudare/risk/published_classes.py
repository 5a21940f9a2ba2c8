"""The classes of pseudonyms that nobody can tell apart in a published history."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudare.data.cells import CellHistory, Column, ItemColumn, Kind, OrderedColumn


@dataclass(frozen=True, slots=True, eq=False)
class PublishedClasses:
    """The pseudonyms of a history, rising, the number of each one's class, and the size of each class."""

    pids: NDArray[np.int64]
    classes: NDArray[np.int64]
    sizes: NDArray[np.int64]


def published_classes(history: CellHistory) -> PublishedClasses:
    """Return the classes of pseudonyms whose rows are the same, each as often.

    Cells are the same if they stand for the same values: `[x;x]`, `{x}` and x are, and sets in any order. Deleted rows
    are left out; the order of rows does not matter. Hamada et al.: Report on the anonymization and re-identification
    contest PWSCUP 2018, section 4.1.1, calls them equivalence classes.
    """
    kept = np.flatnonzero(~history.deleted)
    persons = history.persons[kept]
    rows = _numbered([values[kept] for column in history.columns for values in _values(column)], len(kept))
    order = np.lexsort((rows, persons))
    pids, starts = np.unique(persons[order], return_index=True)
    rows = rows[order]
    numbers: dict[bytes, int] = {}
    classes = np.array(
        [
            numbers.setdefault(rows[start:end].tobytes(), len(numbers))
            for start, end in pairwise([*starts.tolist(), len(rows)])
        ],
        np.int64,
    )
    return PublishedClasses(pids, classes, np.bincount(classes, minlength=len(numbers)).astype(np.int64))


def _numbered(columns: list[NDArray[np.int64]], rows: int) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows that are the same in all columns."""
    found = np.zeros(rows, np.int64)
    for column in columns:
        _, values = np.unique(column, return_inverse=True)
        _, found = np.unique(found * (values.max(initial=0) + 1) + values, return_inverse=True)
    return found.astype(np.int64)


def _values(column: Column) -> list[NDArray[np.int64]]:
    """Return numbers that are the same where cells stand for the same values."""
    if isinstance(column, ItemColumn):
        return [_set_numbers(column)[column.sets]]
    return _ends(column)


def _ends(column: OrderedColumn) -> list[NDArray[np.int64]]:
    return [(column.kinds == Kind.DELETED).astype(np.int64), column.low, column.high]


def _set_numbers(column: ItemColumn) -> NDArray[np.int64]:
    """Return a number for each set, the same for sets of the same items; the last one, for index -1, is no set."""
    of_set = np.repeat(np.arange(len(column.starts) - 1), column.sizes)
    members = column.members[np.lexsort((column.members, of_set))]
    numbers: dict[bytes, int] = {}
    found = [
        numbers.setdefault(members[start:end].tobytes(), len(numbers))
        for start, end in pairwise(column.starts.tolist())
    ]
    return np.array([*found, len(numbers)], np.int64)
