"""Classes in which a record can match several others: they can overlap, or count persons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.kernels.tables import matches
from sudare.showing import dataclass
from sudare.statistics.class_sizes import Sizes
from sudare.statistics.distinct import Counts
from sudare.tables.classes.rows import Rows

# Rows in all classes, guests included, that are held at once: a gigabyte.
MOST_MATCHES = 2**28


@dataclass(frozen=True, slots=True, eq=False)
class MatchPartition:
    """Classes with their own rows and guests, as `sudare.kernels.tables.matches` lists them.

    `alone` are the rows that match no other; `settled` are their numbers, `sizes` those of all classes.
    """

    entries: NDArray[np.int32]
    starts: NDArray[np.int64]
    alone: NDArray[np.int32]
    settled: Sizes
    sizes: Sizes
    bound: int

    @property
    def classes(self) -> int:
        """How many there are."""
        return len(self.starts) - 1 + len(self.alone)

    @property
    def smallest(self) -> int:
        """The size of the smallest."""
        return self.sizes.smallest

    @property
    def below(self) -> int:
        """The records in classes smaller than the bound of the splitter."""
        return self.sizes.below(self.bound)

    @property
    def uniques(self) -> int:
        """The records in classes of size 1."""
        return self.sizes.uniques

    @property
    def expected(self) -> float:
        """The sum of the risks of the records."""
        return self.sizes.expected

    @property
    def final(self) -> bool:
        """Whether no class can split any more."""
        return not len(self.entries)


class MatchSplitter:
    """Splits classes that can overlap, or that count persons."""

    def __init__(self, rows: Rows, bound: int = 0) -> None:
        self.rows, self.bound = rows, bound
        values = int(rows.codes.max(initial=0)) + 1
        self._scratch = matches.Scratch(*(np.zeros(values, np.int64) for _ in range(4)))

    def whole(self) -> MatchPartition:
        """Return the partition of no attributes: one class."""
        n = len(self.rows.counts)
        rows = np.arange(n, dtype=np.int32)
        if n == 1:
            return self._partition(rows[:0], np.zeros(1, np.int64), rows, _NONE)
        return self._partition(rows, np.asarray([0, n]), rows[:0], _NONE)

    def split(self, partition: MatchPartition, attribute: int) -> MatchPartition:
        """Return the partition with one more attribute."""
        old = (self.rows.codes[attribute], self.rows.wildcards[attribute], partition.entries, partition.starts)
        made = matches.count_split(*old, self._scratch)
        if made.entries > MOST_MATCHES:
            raise OptionNotUsable("errors.tables.too_many_matches", pairs=made.entries, most=MOST_MATCHES)
        entries, starts = np.empty(made.entries, np.int32), np.empty(made.classes + 1, np.int64)
        alone = np.empty(made.alone, np.int32)
        matches.split(*old, self._scratch, entries, starts, alone)
        return self._partition(entries, starts, alone, partition)

    def stays_within(self, partition: MatchPartition, attribute: int, allowed: int) -> bool:
        """Say whether at most `allowed` records are in classes below the bound with one more attribute."""
        return self.split(partition, attribute).below <= allowed

    def list_classes(self, partition: MatchPartition) -> ClassList:
        """Return the classes one by one, with all rows that match each."""
        rows, (_, sizes) = partition.alone, self._measures(partition.entries, partition.starts)
        holder = np.repeat(np.arange(len(sizes)), np.diff(partition.starts))
        own = partition.entries >= 0
        return ClassList(
            np.concatenate([sizes, self._alone(rows)]),
            np.concatenate([np.where(own, partition.entries, ~partition.entries), rows]),
            np.concatenate([holder, len(sizes) + np.arange(len(rows))]),
            np.concatenate([own, np.ones(len(rows), np.bool_)]),
        )

    def _partition(
        self, entries: NDArray[np.int32], starts: NDArray[np.int64], alone: NDArray[np.int32], old: MatchPartition
    ) -> MatchPartition:
        settled = old.settled + Sizes.of(self._alone(alone), self.rows.counts[alone])
        owned, sizes = self._measures(entries, starts)
        return MatchPartition(
            entries, starts, np.concatenate([old.alone, alone]), settled, settled + Sizes.of(sizes, owned), self.bound
        )

    def _alone(self, rows: NDArray[np.int32]) -> Counts:
        """Return the sizes of classes of a single row."""
        return np.ones(len(rows), np.int64) if len(self.rows.persons) else self.rows.counts[rows]

    def _measures(self, entries: NDArray[np.int32], starts: NDArray[np.int64]) -> tuple[Counts, Counts]:
        """Return the own records and the size of each class."""
        owned, sizes = np.empty(len(starts) - 1, np.int64), np.empty(len(starts) - 1, np.int64)
        matches.measure(entries, starts, self.rows.counts, self.rows.persons, owned, sizes)
        return owned, sizes


@dataclass(frozen=True, slots=True, eq=False)
class ClassList:
    """Classes one by one: the size of each, and the rows that match it, `owner` being the number of the class.

    A row is `own` to one class, and a guest in others.
    """

    sizes: Counts
    rows: NDArray[np.int32]
    owner: NDArray[np.int64]
    own: NDArray[np.bool_]


_NOTHING = Sizes(*(np.zeros(0, np.int64) for _ in range(3)))
_NONE = MatchPartition(
    np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32), _NOTHING, _NOTHING, 0
)  # fmt: skip
