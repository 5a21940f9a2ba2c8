"""Generalized histories: rows whose cells are exact, a range, a set or deleted, stored in columns.

The original history T and the anonymized one A are the same type; in T every cell is exact.
"""

from __future__ import annotations

from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import check_places, checked
from sudare.errors import ColumnNotFound
from sudare.histories.generalized.item_names import name_bytes
from sudare.kernels.cells.cell_kinds import Kind as Kind
from sudare.messages import Joined
from sudare.showing import dataclass
from sudare.sources.text import file_hash

if TYPE_CHECKING:
    from hashlib import _Hash as Hash


# How the values of an ordered column are written; they are held as days since 1970, hundredths or units.
OrderedForm = Literal["date", "decimal", "integer"]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedColumn:
    """A column of ordered values: cell i stands for one of `low[i]` to `high[i]`, both included.

    In an exact cell both ends are equal, as in the range [x;x]; `kinds` distinguishes them. A deleted cell has zeros.
    """

    name: str
    form: OrderedForm
    kinds: NDArray[np.uint8]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @checked
    def taken(self, rows: NDArray[np.int64]) -> OrderedColumn:
        """Return the cells of some rows; ends that are held once stay so."""
        check_places("rows", rows, len(self.kinds))
        low = self.low[rows]
        high = low if self.high is self.low else self.high[rows]
        return replace(self, kinds=self.kinds[rows], low=low, high=high)


@dataclass(frozen=True, slots=True, eq=False)
class ItemColumn:
    """A column of items: cell i stands for one item of the set `sets[i]`, or is deleted (-1).

    Set s has the members `members[starts[s] : starts[s + 1]]`, indices into `names`, in the order they are written. The
    first sets are the single items: set s is item s for s < len(names); other sets are stored once however often they
    occur. An exact cell and the set {x} both have set x; `kinds` distinguishes them.
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

    @checked
    def taken(self, rows: NDArray[np.int64]) -> ItemColumn:
        """Return the cells of some rows."""
        check_places("rows", rows, len(self.kinds))
        return replace(self, kinds=self.kinds[rows], sets=self.sets[rows])


Column = OrderedColumn | ItemColumn


@dataclass(frozen=True, slots=True)
class CellFile:
    """A file that holds a history, as it was when the history was read or written."""

    path: Path
    size: int
    changed: int

    @classmethod
    def of(cls, path: str | Path) -> CellFile | None:
        """Return a file as it is now; None of what is none, such as a folder or an address."""
        if not Path(path).is_file():
            return None
        found = Path(path).stat()
        return cls(Path(path), found.st_size, found.st_mtime_ns)

    def sha256(self) -> str | None:
        """Return its hash; None if it is not any more what it was."""
        return file_hash(self.path) if CellFile.of(self.path) == self else None


@dataclass(frozen=True, slots=True, eq=False)
class CellHistory:
    """Rows of persons and cells: customers and exact cells in T, pseudonyms and generalized cells in A.

    `persons[i]` is the number in row i, 0 in a deleted row, whose cells are all deleted. Columns are in file order,
    without the person column. `sources` are the files that the history was read or made from. `file` is the file that
    holds it; a history made from another one (`dataclasses.replace`) has none.
    """

    persons: NDArray[np.int64]
    columns: tuple[Column, ...]
    sources: tuple[str, ...] = field(default=(), repr=False)
    file: CellFile | None = field(default=None, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.persons)

    @checked
    def in_file(self, path: str | Path) -> CellHistory:
        """Return the history with the file that it was read from or written to."""
        found = replace(self)
        object.__setattr__(found, "file", CellFile.of(path))
        return found

    def digest(self) -> str:
        """Return a hash of the content of the history, regardless of how its item sets are numbered."""
        found = sha256(self.persons.tobytes())
        for column in self.columns:
            found.update(f"{column.name}\n".encode())
            found.update(column.kinds.tobytes())
            if isinstance(column, ItemColumn):
                _add_sets(found, column)
            else:
                found.update(column.low.tobytes())
                found.update(column.high.tobytes())
        return found.hexdigest()

    @checked
    def taken(self, rows: NDArray[np.int64]) -> CellHistory:
        """Return some rows, in the given order."""
        check_places("rows", rows, len(self))
        columns = tuple(column.taken(rows) for column in self.columns)
        return replace(self, persons=self.persons[rows], columns=columns)

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
        known = [column.name for column in self.columns]
        raise ColumnNotFound("errors.cells.no_column", column=name, columns=Joined(known, "comma"))


def _add_sets(found: Hash, column: ItemColumn) -> None:
    """Add the sets that occur, sorted, and which of them each cell is."""
    used = np.unique(column.sets[column.sets >= 0])
    members = [column.members[column.starts[s] : column.starts[s + 1]].tolist() for s in used.tolist()]
    texts = [";".join(sorted(column.names[item] for item in items)) for items in members]
    different = sorted(set(texts))
    places = {text: place for place, text in enumerate(different)}
    # A deleted cell is -1, which is the last of these.
    numbers = np.full(len(column.starts), -1, np.int64)
    numbers[used] = [places[text] for text in texts]
    found.update(name_bytes("\n".join(different)))
    found.update(numbers[column.sets].tobytes())
