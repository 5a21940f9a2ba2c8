"""Customers by recency, frequency and monetary value (RFM).

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, section 6.1.2: ten ranks each of
the last day (R), the number of visits (F) and the money spent (M) make a table of a thousand cells, whose mean squared
error is normalized. How the contest cut the ranks, and by what it normalized, is not published; what is here was
inferred from the values of the report. The values of a table's own n customers are sorted and cut at the places
floor(n k / 10), k = 1..9; a rank is the number of cuts that a value reaches. Rows drawn from wide ranges have more
visits than the original, so cuts of the original would put most customers into one rank.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.histories.utility.drawn_rows import PlainRows

RANKS = 10


class RfmTable:
    """The table of the original's customers, and how far that of other rows is from it."""

    def __init__(self, rows: PlainRows) -> None:
        self.counts = _counted(rows)

    def error(self, rows: PlainRows) -> float:
        """Return the root of the mean squared error of all cells, in parts of the original's largest cell."""
        squares = (self.counts - _counted(rows)) ** 2
        return float(np.sqrt(squares.mean())) / int(self.counts.max())


def _counted(rows: PlainRows) -> NDArray[np.int64]:
    """Return how many customers have each combination of ranks."""
    ranks = tuple(np.searchsorted(_cuts(column), column, side="right") for column in rfm_values(rows))
    return np.bincount(np.ravel_multi_index(ranks, (RANKS, RANKS, RANKS)), minlength=RANKS**3)


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
