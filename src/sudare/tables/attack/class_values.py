"""The sensitive values of each class, and the classes that tell much about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.tables.covering import SLACK
from sudare.showing import dataclass
from sudare.tables.attack.results import TellingClass

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
# A class is skewed if a value's share is SKEW_FACTOR times its share in the table, and SKEW_ABOVE larger.
SKEW_FACTOR = 2.0
SKEW_ABOVE = 0.4
MOST_EXAMPLES = 10


@dataclass(frozen=True, eq=False)
class ClassValues:
    """How many records of each class have each value: class c has `values[i]` from `starts[c]` to before the next."""

    starts: Counts
    values: NDArray[np.int32]
    numbers: Counts
    totals: Counts

    @property
    def owner(self) -> Counts:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @property
    def sizes(self) -> Counts:
        """The number of records in each class."""
        return np.bincount(self.owner, weights=self.numbers, minlength=len(self.starts) - 1).astype(np.int64)

    @property
    def different(self) -> Counts:
        """The number of different values in each class."""
        return np.diff(self.starts)

    @property
    def shares(self) -> Floats:
        """The share of each entry in its class."""
        return np.asarray(self.numbers / self.sizes[self.owner])

    @property
    def table_shares(self) -> Floats:
        """The share of each entry's value in the whole file."""
        return np.asarray((self.totals / self.totals.sum())[self.values])

    @property
    def skewed(self) -> NDArray[np.bool_]:
        """Which entries make their class skewed."""
        shares, whole = self.shares, self.table_shares
        return np.asarray((shares >= SKEW_FACTOR * whole - SLACK) & (shares - whole >= SKEW_ABOVE - SLACK))

    def skewed_classes(self) -> Counts:
        """Return the numbers of the skewed classes."""
        return np.unique(self.owner[self.skewed])

    def homogeneous_classes(self) -> Counts:
        """Return the numbers of the classes with one value."""
        return np.flatnonzero(self.different == 1)

    def examples(self) -> tuple[TellingClass, ...]:
        """Return the skewed and homogeneous classes whose shares are furthest above the table's, larger ones first."""
        owner, shares, whole, sizes = self.owner, self.shares, self.table_shares, self.sizes
        telling = np.flatnonzero(self.skewed | (self.different[owner] == 1))
        order = telling[np.lexsort((owner[telling], -sizes[owner[telling]], (whole - shares)[telling].round(12)))]
        return tuple(
            TellingClass(int(owner[i]), int(sizes[owner[i]]), float(shares[i]), float(whole[i]))
            for i in order[:MOST_EXAMPLES]
        )


def class_values(owner: NDArray[np.int32], codes: NDArray[np.int32], classes: int, different: int) -> ClassValues:
    """Count the values of the records of each class; `owner` and `codes` are those of published records."""
    keys, numbers = np.unique(owner.astype(np.int64) * different + codes, return_counts=True)
    starts = np.searchsorted(keys // different, np.arange(classes + 1))
    totals = np.bincount(codes, minlength=different)
    return ClassValues(starts.astype(np.int64), (keys % different).astype(np.int32), numbers, totals)
