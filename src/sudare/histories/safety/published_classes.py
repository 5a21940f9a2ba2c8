"""The classes of indistinguishable pseudonyms in a published history."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind
from sudare.kernels.common.arrays import Bools
from sudare.results import Result, Row
from sudare.showing import dataclass
from sudare.statistics.sorting import sorted_places

# Gives numbers of some rows.
Values = Callable[[NDArray[np.int32]], NDArray[np.int64]]

# Numbers of rows are below.
_MOST = 2**62
# Persons whose rows are added up at once, by each core.
_PERSONS_AT_ONCE = 256


@dataclass(frozen=True, slots=True, eq=False)
class PublishedClasses(Result):
    """The pseudonyms of a history, ascending, the class number of each, and the size of each class."""

    _row = ("pid", "class", "size")

    pids: NDArray[np.int64]
    classes: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def to_rows(self) -> list[Row]:
        """Return one row per pseudonym: its class, and the size of that class."""
        found = zip(self.pids.tolist(), self.classes.tolist(), self.sizes[self.classes].tolist(), strict=True)
        return [{"pid": pid, "class": number, "size": size} for pid, number, size in found]


@dataclass(frozen=True, slots=True, eq=False)
class PersonRows:
    """The rows of a history that are not deleted, by persons, rising: those of `pids[p]` begin at `starts[p]`."""

    pids: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]

    @classmethod
    def of(cls, history: CellHistory) -> PersonRows:
        """Sort the rows of a history by persons."""
        rows = sorted_places(history.persons, np.flatnonzero(~history.deleted))
        persons = history.persons[rows]
        new = np.ones(len(rows), np.bool_)
        new[1:] = persons[1:] != persons[:-1]
        starts = np.append(np.flatnonzero(new), len(rows))
        return cls(persons[starts[:-1]], starts, rows)


@checked
def published_classes(history: CellHistory) -> PublishedClasses:
    """Return the equivalence classes of pseudonyms, which have the same rows, each equally often.

    Cells are the same if they stand for the same values: `[x;x]`, `{x}` and x are the same, and sets in any order.
    Deleted rows are left out; the order of rows does not matter. The term is that of Hamada et al.: Report on the
    anonymization and re-identification contest PWSCUP 2018, section 4.1.1.
    """
    return classes_of(history, PersonRows.of(history))


def classes_of(history: CellHistory, of_persons: PersonRows) -> PublishedClasses:
    """Return the classes of pseudonyms whose rows are the same, given the rows of each."""
    values = [found for column in history.columns for found in _values(column)]
    alike = _with_equal_sums(values, of_persons)
    sizes = np.diff(of_persons.starts)
    compared = of_persons.rows[np.repeat(alike, sizes)]
    persons = np.repeat(np.flatnonzero(alike), sizes[alike])
    rows = _numbered([value(compared) for value in values], len(compared))
    rows = rows[np.lexsort((rows, persons))]
    ends = np.cumsum(sizes * alike)
    numbers: dict[bytes | int, int] = {}
    classes = np.array(
        [
            numbers.setdefault(rows[start:end].tobytes() if start < end else place, len(numbers))
            for place, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
        ],
        np.int64,
    )
    return PublishedClasses(of_persons.pids, classes, np.bincount(classes, minlength=len(numbers)).astype(np.int64))


def _with_equal_sums(values: list[Values], of_persons: PersonRows) -> Bools:
    """Return which persons have the same sums of all values as somebody else: only they can have the same rows."""
    starts, rows = of_persons.starts, of_persons.rows
    persons = len(of_persons.pids)
    sums = np.empty((len(values), persons), np.int64)

    def add(first: int) -> None:
        here = starts[first : first + _PERSONS_AT_ONCE + 1]
        for place, value in enumerate(values):
            found = value(rows[here[0] : here[-1]])
            sums[place, first : first + _PERSONS_AT_ONCE] = np.add.reduceat(found, here[:-1] - here[0])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(add, range(0, persons, _PERSONS_AT_ONCE)))
    _, of_person, counts = np.unique(_numbered(list(sums), persons), return_inverse=True, return_counts=True)
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


def _values(column: Column) -> list[Values]:
    """Return functions that give numbers of rows, the same where cells stand for the same values."""
    if isinstance(column, ItemColumn):
        numbers = _set_numbers(column)
        return [lambda rows: numbers[column.sets[rows]]]
    return [
        lambda rows: (column.kinds[rows] == Kind.DELETED).astype(np.int64),
        lambda rows: column.low[rows],
        lambda rows: column.high[rows],
    ]


def _set_numbers(column: ItemColumn) -> NDArray[np.int64]:
    """Return a number for each set, the same for sets of the same items; the last one, for index -1, is for no set."""
    of_set = np.repeat(np.arange(len(column.starts) - 1), column.sizes)
    members = column.members[np.lexsort((column.members, of_set))]
    numbers: dict[bytes, int] = {}
    found = [
        numbers.setdefault(members[start:end].tobytes(), len(numbers))
        for start, end in pairwise(column.starts.tolist())
    ]
    return np.array([*found, len(numbers)], np.int64)
