"""Sets of items stored end to end, as integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import check_place, checked
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class ItemRecords:
    """Records as sets of items, stored end to end: record u is `items[starts[u] : starts[u + 1]]`, ascending.

    Items are numbers; `names[i]` is the name of item i.
    """

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items in each record."""
        return np.diff(self.starts)

    @checked
    def record(self, u: int) -> NDArray[np.int32]:
        """Return the items of a record."""
        check_place("u", u, len(self.starts) - 1)
        return self.items[self.starts[u] : self.starts[u + 1]]

    def supports(self) -> NDArray[np.int64]:
        """Return the number of records that contain each item."""
        return np.bincount(self.items, minlength=len(self.names)).astype(np.int64)

    def kept(self, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the starts and items of the records with only some of the item occurrences."""
        owner = np.repeat(np.arange(len(self)), self.lengths)
        counts = np.bincount(owner[chosen], minlength=len(self))
        return np.append(0, np.cumsum(counts)), self.items[chosen]
