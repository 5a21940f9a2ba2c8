"""An anonymized history packed by pseudonym, to compare with knowledge about its original."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.purchases import HUNDREDTHS, role_columns, unit
from sudare.kernels.cells.pseudonyms import NO_VALUE, CellRows
from sudare.kernels.common.arrays import Ints
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCells:
    """The published rows by pseudonym, and who is behind each: the customer with the number `owners[i]`.

    Days are numbered by `days`, those on which anybody came. Without pseudonyms everything was deleted.
    """

    owners: Ints
    days: Ints
    deleted_rows: int
    _rows: CellRows
    _ordered: dict[str, tuple[Ints, Ints]]

    @property
    def pseudonyms(self) -> int:
        """The number of pseudonyms."""
        return len(self.owners)

    def rows(self, parts: Sequence[str]) -> CellRows:
        """Return the rows with the ends of some ordered parts."""
        ends = [self._ordered[part] for part in parts]
        empty = np.zeros((len(self._rows.first), 0), np.int64)
        low, high = (np.column_stack([empty, *(pair[end] for pair in ends)]) for end in (0, 1))
        return CellRows(*self._rows[:4], low, high, *self._rows[6:])


def pack_cells(original: CellHistory, anonymized: CellHistory, customers: Ints, days: Ints) -> PublishedCells:
    """Pack an anonymized history, row i of which belongs to row i of the original, without its deleted rows.

    `customers` are the persons of the original in the order of their numbers, `days` those on which anybody came.
    """
    check_rows(original, anonymized)
    columns, kept = role_columns(anonymized), np.flatnonzero(~anonymized.deleted)
    low, high = _ends(columns.day, kept)
    first, last = np.searchsorted(days, low), np.searchsorted(days, high, "right") - 1
    order = np.lexsort((last, anonymized.persons[kept]))
    rows = kept[order]
    starts = np.unique(anonymized.persons[rows], return_index=True)[1]
    sets, set_starts, members = _sets(columns.item, role_columns(original).item, rows)
    packed = CellRows(np.append(starts, len(rows)), first[order], last[order], sets, low, high, set_starts, members)
    by_person = np.argsort(customers)
    owners = by_person[np.searchsorted(customers[by_person], original.persons[rows[starts]])]
    ordered = {part: _ends(column, rows, HUNDREDTHS // unit(column)) for part, column in columns.ordered.items()}
    return PublishedCells(owners, days, len(anonymized) - len(kept), packed, ordered)


def check_rows(original: CellHistory, anonymized: CellHistory) -> None:
    """Raise OptionNotUsable unless both have the same number of rows and columns, and a pseudonym one customer each."""
    described = [[(c.name, type(c)) for c in history.columns] for history in (original, anonymized)]
    if len(original) != len(anonymized) or described[0] != described[1]:
        raise OptionNotUsable("errors.attackers.other_rows")
    kept = ~anonymized.deleted
    pairs = np.unique(np.column_stack([anonymized.persons[kept], original.persons[kept]]), axis=0)
    if any(len(np.unique(column)) < len(pairs) for column in pairs.T):
        raise OptionNotUsable("errors.attackers.not_one_to_one")


def _ends(column: OrderedColumn, rows: Ints, factor: int = 1) -> tuple[Ints, Ints]:
    """Return the ends of cells, multiplied; those of deleted cells are beyond all values."""
    deleted, low, high = column.kinds[rows] == Kind.DELETED, column.low[rows] * factor, column.high[rows] * factor
    return np.where(deleted, NO_VALUE, low), np.where(deleted, -NO_VALUE, high)


def _sets(column: ItemColumn, original: ItemColumn, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the sets of rows, where the members of each begin, and the members as numbers of the original's items.

    An item that the original has not is left out: nobody can know it.
    """
    numbers = {name: number for number, name in enumerate(original.names)}
    known = np.array([numbers.get(name, -1) for name in column.names], np.int64)
    members = known[column.members]
    of_set = np.repeat(np.arange(len(column.sizes)), column.sizes)[members >= 0]
    sizes = np.bincount(of_set, minlength=len(column.sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return column.sets[rows].astype(np.int64), starts, members[members >= 0]
