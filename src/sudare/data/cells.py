"""Generalized histories: rows whose cells may be exact, a range, a set or deleted, held in columns.

The original history T and the anonymized one A are the same type; in T every cell is exact.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import ColumnNotFound
from sudare.showing import dataclass


class Kind(IntEnum):
    """What a cell says of the value it stands for."""

    EXACT = 0
    RANGE = 1
    SET = 2
    DELETED = 3


# How the values of an ordered column are written; they are held as days since 1970, hundredths or units.
OrderedForm = Literal["date", "decimal", "integer"]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedColumn:
    """A column of ordered values: cell i stands for one of `low[i]` to `high[i]`, both included.

    An exact cell has both ends alike, and so has the range [x;x]; `kinds` tells them apart. A deleted cell has zeros.
    """

    name: str
    form: OrderedForm
    kinds: NDArray[np.uint8]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ItemColumn:
    """A column of items: cell i stands for one item of the set `sets[i]`, or is deleted (-1).

    Set s has the members `members[starts[s] : starts[s + 1]]`, numbers of `names`, in the order they are written. The
    first sets are the single items: set s is item s for s < len(names); other sets are held once however often they
    occur. An exact cell and the set {x} both have set x; `kinds` tells them apart.
    """

    name: str
    kinds: NDArray[np.uint8]
    sets: NDArray[np.int32]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    names: tuple[str, ...]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of items of each set."""
        return np.diff(self.starts)


Column = OrderedColumn | ItemColumn


@dataclass(frozen=True, slots=True, eq=False)
class CellHistory:
    """Rows of persons and cells: customers and exact cells in T, pseudonyms and generalized cells in A.

    `persons[i]` is the number written in row i, 0 in a deleted row, whose cells are all deleted. Columns stand in the
    order of the file, without that of the persons.
    """

    persons: NDArray[np.int64]
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.persons)

    @property
    def deleted(self) -> NDArray[np.bool_]:
        """Which rows are deleted."""
        found: NDArray[np.bool_] = self.persons == 0
        return found

    @checked
    def column(self, name: str) -> Column:
        """Return a column by its name."""
        for column in self.columns:
            if column.name == name:
                return column
        known = ", ".join(column.name for column in self.columns)
        raise ColumnNotFound(f"The history has no column {name!r}.\nHint: its columns are {known}.")
