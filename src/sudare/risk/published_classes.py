"""The classes of pseudonyms that nobody can tell apart in a published history."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.data.cells import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.data.sorting import sorted_places
from sudare.showing import dataclass

Flags = NDArray[np.bool_]

# Numbers of rows are below.
_MOST = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class PublishedClasses:
    """The pseudonyms of a history, rising, the number of each one's class, and the size of each class."""

    pids: NDArray[np.int64]
    classes: NDArray[np.int64]
    sizes: NDArray[np.int64]


@checked
def published_classes(history: CellHistory) -> PublishedClasses:
    """Return the classes of pseudonyms whose rows are the same, each as often.

    Cells are the same if they stand for the same values: `[x;x]`, `{x}` and x are, and sets in any order. Deleted rows
    are left out; the order of rows does not matter. Hamada et al.: Report on the anonymization and re-identification
    contest PWSCUP 2018, section 4.1.1, calls them equivalence classes.
    """
    order = np.flatnonzero(~history.deleted)
    order = order[sorted_places(history.persons[order])]
    pids, starts = np.unique(history.persons[order], return_index=True)
    ends = np.append(starts, len(order))
    values = [found for column in history.columns for found in _values(column)]
    alike = _with_equal_sums(values, order, starts)
    chosen = np.repeat(alike, np.diff(ends))
    persons, compared = np.repeat(np.arange(len(pids)), np.diff(ends))[chosen], order[chosen]
    rows = _numbered([value[compared] for value in values], len(compared))
    rows = rows[np.lexsort((rows, persons))]
    ends = np.cumsum(np.diff(ends) * alike)
    numbers: dict[bytes | int, int] = {}
    classes = np.array(
        [
            numbers.setdefault(rows[start:end].tobytes() if start < end else place, len(numbers))
            for place, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
        ],
        np.int64,
    )
    return PublishedClasses(pids, classes, np.bincount(classes, minlength=len(numbers)).astype(np.int64))


def _with_equal_sums(values: list[NDArray[np.int64]], order: NDArray[np.int64], starts: NDArray[np.int64]) -> Flags:
    """Return which persons have the same sums of all values as somebody else: only they can have the same rows.

    The rows of person p are `order[starts[p] : starts[p + 1]]`.
    """
    sums = [np.add.reduceat(value[order], starts) if len(starts) else starts for value in values]
    _, of_person, counts = np.unique(_numbered(sums, len(starts)), return_inverse=True, return_counts=True)
    return np.asarray(counts[of_person] > 1)


def _numbered(columns: list[NDArray[np.int64]], rows: int) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows that are the same in all columns."""
    found, room = np.zeros(rows, np.int64), _MOST
    for column in columns:
        values = column - column.min(initial=0)
        size = int(values.max(initial=0)) + 1
        if size > room:
            found, values = (np.unique(part, return_inverse=True)[1] for part in (found, values))
            size, room = int(values.max(initial=0)) + 1, _MOST // (int(found.max(initial=0)) + 1)
        found = found * size + values
        room //= size
    return found


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
