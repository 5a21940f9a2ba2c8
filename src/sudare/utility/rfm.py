"""Customers by how recently, how often and for how much they buy.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 6.1.2: ten ranks each of
the last day (R), the number of visits (F) and the money spent (M) make a table of a thousand cells. How the contest cut
the ranks is not published. Here the values of the original's n customers are sorted and cut at the places
floor(n k / 10), k = 1..9; a rank is the number of cuts that a value reaches, in both tables.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.utility.cell_sampling import PlainRows

RANKS = 10


class RfmTable:
    """The table of the original's customers, and how far that of other rows is from it."""

    def __init__(self, rows: PlainRows) -> None:
        values = rfm_values(rows)
        self._cuts = [_cuts(column) for column in values]
        self.counts = self._counted(values)

    def error(self, rows: PlainRows) -> float:
        """Return the Euclidean distance of the tables in parts of the original's length; 0 without customers."""
        length = float(np.linalg.norm(self.counts))
        return float(np.linalg.norm(self.counts - self._counted(rfm_values(rows)))) / length if length else 0.0

    def _counted(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = [np.searchsorted(cuts, column, side="right") for cuts, column in zip(self._cuts, values, strict=True)]
        cells = np.ravel_multi_index(tuple(ranks), (RANKS, RANKS, RANKS))
        return np.bincount(cells, minlength=RANKS**3)


def rfm_values(rows: PlainRows) -> NDArray[np.int64]:
    """Return for each customer the last day, the number of different days, and the sum of price times quantity."""
    if not len(rows):
        return np.empty((3, 0), np.int64)
    order = np.lexsort((rows.days, rows.customers))
    customers, days = rows.customers[order], rows.days[order]
    first = np.flatnonzero(np.diff(customers, prepend=customers[0] - 1))
    last = np.append(first[1:], len(customers)) - 1
    new_day = np.append(True, (np.diff(customers) != 0) | (np.diff(days) != 0))
    visits = np.add.reduceat(new_day.astype(np.int64), first)
    return np.stack([days[last], visits, np.add.reduceat((rows.prices * rows.quantities)[order], first)])


def _cuts(values: NDArray[np.int64]) -> NDArray[np.int64]:
    places = len(values) * np.arange(1, RANKS) // RANKS
    return np.sort(values)[places] if len(values) else values
