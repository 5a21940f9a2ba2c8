"""One block of a text of cells while it is read: cells in columns, and what is wrong with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.histories.generalized.model import Kind
from sudare.kernels.common.arrays import Ints
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class Mode:
    """What a text is taken for: whether cells are single values, items are known, and a row covers the original's."""

    exact: bool = False
    known: bool = True
    covering: bool = False
    deletions: bool = False


ORIGINAL = Mode(exact=True, known=False)
ANONYMIZED = Mode(covering=True, deletions=True)
PUBLISHED = Mode()
# An anonymized history without its original at hand.
ALONE = Mode(known=False, deletions=True)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The rows of a block of bytes: persons and cells by row, cells[c] those of column c, and what is wrong.

    Item columns have the number of the set in `low`. `problems` has a column more than there are cells, for the whole
    line; `faults` say where in the bytes the bad part of a cell is, and of whom a person is, `line_faults` the same of
    lines (kernels/cells/text.py).
    """

    cuts: NDArray[np.int32]
    persons: Ints
    kinds: NDArray[np.uint8]
    low: Ints
    high: Ints
    problems: NDArray[np.uint8]
    faults: Ints
    line_faults: Ints

    @classmethod
    def empty(cls, columns: int, rows: int) -> Block:
        """Return a block of deleted rows."""
        return cls(
            cuts=np.zeros((rows, columns + 1), np.int32),
            persons=np.zeros(rows, np.int64),
            kinds=np.full((columns, rows), Kind.DELETED, np.uint8),
            low=np.zeros((columns, rows), np.int64),
            high=np.zeros((columns, rows), np.int64),
            problems=np.zeros((rows, columns + 1), np.uint8),
            faults=np.zeros((rows, columns, 2), np.int64),
            line_faults=np.zeros((rows, 4), np.int64),
        )

    def first(self, rows: int) -> Block:
        """Return a view of the first rows."""
        return Block(
            cuts=self.cuts[:rows],
            persons=self.persons[:rows],
            kinds=self.kinds[:, :rows],
            low=self.low[:, :rows],
            high=self.high[:, :rows],
            problems=self.problems[:rows],
            faults=self.faults[:rows],
            line_faults=self.line_faults[:rows],
        )
