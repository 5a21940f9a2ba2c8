"""The distinct rows of some attributes of a table, in the form that walks and searches take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import Codes, Counts, collapse
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Distinct rows of some attributes (and of the person, if there is one) with the records of each.

    `wildcards[a]` is the value of attribute a that is equal to any other, or -1. `persons` is empty where every record
    is of another person; else the rows are in the order of the persons.
    """

    codes: Codes
    counts: Counts
    wildcards: NDArray[np.int32]
    persons: NDArray[np.int32]

    @property
    def plain(self) -> bool:
        """Whether records are in one class exactly if they are equal, and a class counts its records."""
        return not len(self.persons) and bool((self.wildcards < 0).all())

    def only(self, kept: NDArray[np.bool_]) -> Rows:
        """Return some of the rows."""
        persons = self.persons[kept] if len(self.persons) else self.persons
        return Rows(np.ascontiguousarray(self.codes[:, kept]), self.counts[kept], self.wildcards, persons)


def table_rows(table: Table, positions: Sequence[int]) -> Rows:
    """Return the distinct rows of the table with some of its attributes only; they can be equal on these."""
    places = list(positions)
    persons = np.zeros(0, np.int32) if table.persons is None else table.persons
    return Rows(np.ascontiguousarray(table.codes[places]), table.counts, table.wildcards[places], persons)


def rows_of(table: Table, positions: Sequence[int]) -> Rows:
    """Return the distinct rows of some attributes; those that are equal on them become one."""
    rows = table_rows(table, positions)
    # With all attributes, no two rows of a table are equal.
    return rows if len(set(positions)) == len(table.codes) else distinct_rows(rows)


def distinct_rows(rows: Rows) -> Rows:
    """Return rows without repetition."""
    if not len(rows.persons):
        return Rows(*collapse(rows.codes, rows.counts), rows.wildcards, rows.persons)
    stacked, counts = collapse(np.vstack([rows.codes, rows.persons[None, :]]), rows.counts)
    return Rows(np.ascontiguousarray(stacked[:-1]), counts, rows.wildcards, stacked[-1])
