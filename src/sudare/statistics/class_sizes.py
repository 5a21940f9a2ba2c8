"""The sizes of equivalence classes, from which every risk measure follows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by


@dataclass(frozen=True, slots=True)
class ClassSize(Result):
    """All equivalence classes of one size and the records in them, each with risk 1 / `size`."""

    size: int
    classes: int
    records: int


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Classes and records by the size of the classes, which rises; `size` is what a class counts.

    A class of equal records counts them. It counts persons where a person can have several records, and the records of
    others too where a missing value is equal to any other.
    """

    size: NDArray[np.int64]
    classes: NDArray[np.int64]
    records: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[Any], records: NDArray[Any], classes: NDArray[Any] | None = None) -> Sizes:
        """Return the numbers of classes (or of as many alike as `classes` says) with their sizes and records."""
        different, place = np.unique(sizes, return_inverse=True)
        counted = np.ones(len(sizes), np.int64) if classes is None else classes
        parts = len(different)
        return cls(different.astype(np.int64), sum_by(place, counted, parts), sum_by(place, records, parts))

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes.of(
            np.concatenate([self.size, other.size]),
            np.concatenate([self.records, other.records]),
            np.concatenate([self.classes, other.classes]),
        )

    @property
    def smallest(self) -> int:
        """The size of the smallest class."""
        return int(self.size[0])

    @property
    def expected(self) -> float:
        """The sum of the risks of the records: how many an attacker is expected to recognize if all are looked for."""
        return float((self.records / self.size).sum())

    @property
    def uniques(self) -> int:
        """The records that are like no other."""
        return int(self.records[self.size == 1].sum())

    def below(self, bound: int) -> int:
        """Return the records in classes smaller than a bound."""
        return int(self.records[self.size < bound].sum())

    def listed(self) -> tuple[ClassSize, ...]:
        """Return the numbers one by one, the smallest classes first."""
        return tuple(
            ClassSize(*numbers)
            for numbers in zip(self.size.tolist(), self.classes.tolist(), self.records.tolist(), strict=True)
        )
