"""The classes that sets of attributes make, refined by one attribute after another.

There are two ways to split them, with the same answers where both can be used: `Splitter` for classes of equal records,
and `MatchSplitter` for classes that count persons or in which missing values are equal to any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.kernels.tables import matches
from sudare.kernels.tables import partitions as kernels
from sudare.showing import dataclass
from sudare.statistics.class_sizes import Sizes
from sudare.statistics.distinct import Codes, Counts, number_rows, sum_by
from sudare.tables.classes.rows import Rows

_LARGE = 2**62
# Rows in all classes, guests included, that are held at once: a gigabyte.
MOST_MATCHES = 2**28
# The type of a compiled function hides what it takes.
_smallest_first: Any = kernels.smallest_first
_refine: Any = kernels.refine
_count_below: Any = kernels.count_below
_count_split: Any = matches.count_split
_split: Any = matches.split
_measure: Any = matches.measure


class Classes(Protocol):
    """The classes of a set of attributes in numbers."""

    @property
    def classes(self) -> int:
        """How many there are."""

    @property
    def smallest(self) -> int:
        """The size of the smallest."""

    @property
    def below(self) -> int:
        """The records in classes smaller than the bound of the splitter."""

    @property
    def uniques(self) -> int:
        """The records in classes of size 1."""

    @property
    def expected(self) -> float:
        """The sum of the risks of the records."""

    @property
    def final(self) -> bool:
        """Whether no class can split any more."""


P = TypeVar("P", bound=Classes)


class Splitting(Protocol[P]):
    """Splits the classes of one table; it has scratch memory of its own, so each thread needs one."""

    def whole(self) -> P:
        """Return the partition of no attributes: one class."""

    def split(self, partition: P, attribute: int) -> P:
        """Return the partition with one more attribute."""

    def stays_within(self, partition: P, attribute: int, allowed: int) -> bool:
        """Say whether at most `allowed` records are in classes below the bound with one more attribute."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What the classes of a single distinct row, which never split, add to the numbers of a partition."""

    classes: int = 0
    smallest: int = _LARGE
    below: int = 0
    uniques: int = 0


@dataclass(frozen=True, slots=True)
class Partition:
    """The classes of a set of attributes: those that can still split by their rows, the others as numbers.

    `below` are the records in classes smaller than the bound of the splitter.
    """

    rows: NDArray[np.int32]
    starts: NDArray[np.int32]
    classes: int
    smallest: int
    below: int
    settled: Settled

    @property
    def uniques(self) -> int:
        """The records that are like no other; their classes have a single row."""
        return self.settled.uniques

    @property
    def expected(self) -> float:
        """The sum of the risks of the records: one for each class."""
        return float(self.classes)

    @property
    def final(self) -> bool:
        """Whether no class can split any more."""
        return not len(self.rows)


def narrow(codes: Codes) -> NDArray[Any]:
    """Return codes in half the memory where they fit: a column is read out of order, so it should stay in the cache."""
    return codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes


class Splitter:
    """Splits classes of equal records."""

    def __init__(self, rows: Rows, bound: int = 0) -> None:
        self.codes, self.counts, self.bound = narrow(rows.codes), rows.counts, bound
        # Rows and records of each value, zero between calls, and the values that a class has.
        self._scratch = tuple(np.zeros(int(rows.codes.max(initial=0)) + 1, np.int64) for _ in range(3))

    def whole(self) -> Partition:
        """Return the partition of no attributes: one class."""
        n, records = len(self.counts), int(self.counts.sum())
        below = records * (records < self.bound)
        if n == 1:
            nothing = np.zeros(0, np.int32)
            return Partition(
                nothing, np.zeros(1, np.int32), 1, records, below, Settled(1, records, below, int(records == 1))
            )
        rows, starts = np.arange(n, dtype=np.int32), np.asarray([0, n], np.int32)
        return Partition(rows, starts, 1, records, below, Settled())

    def split(self, partition: Partition, attribute: int) -> Partition:
        """Return the partition with one more attribute."""
        rows = np.empty(len(partition.rows), np.int32)
        starts = np.empty(len(partition.rows) // 2 + 1, np.int32)
        kept, classes, smallest, below, new = _refine(
            self.codes[attribute],
            self.counts,
            partition.rows,
            partition.starts,
            self._scratch,
            self.bound,
            rows,
            starts,
        )
        old = partition.settled
        settled = Settled(old.classes + new[0], min(old.smallest, new[1]), old.below + new[2], old.uniques + new[3])
        # New arrays: only what is used shall stay in memory.
        ordered_rows, ordered_starts = np.empty(kept, np.int32), np.empty(classes + 1, np.int32)
        _smallest_first(rows[:kept], starts[: classes + 1], ordered_rows, ordered_starts)
        return Partition(
            ordered_rows,
            ordered_starts,
            classes + settled.classes,
            min(smallest, settled.smallest),
            below + settled.below,
            settled,
        )

    def stays_within(self, partition: Partition, attribute: int, allowed: int) -> bool:
        """Say whether at most `allowed` records are in classes below the bound with one more attribute."""
        left = allowed - partition.settled.below
        below = _count_below(
            self.codes[attribute], self.counts, partition.rows, partition.starts, self._scratch, self.bound, left
        )
        return bool(below <= left)


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
        # Rows of each value, own and all, zero between calls; the values that a class has; where their rows go.
        self._scratch = tuple(np.zeros(int(rows.codes.max(initial=0)) + 1, np.int64) for _ in range(4))

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
        kept, classes, single = _count_split(*old, self._scratch)
        if kept > MOST_MATCHES:
            raise OptionNotUsable(
                f"Missing values that match any value make {kept:,} pairs of records that could be the same, more than "
                f"{MOST_MATCHES:,}.\nHint: look at fewer attributes, or take a missing value as a value of its own."
            )
        entries, starts = np.empty(kept, np.int32), np.empty(classes + 1, np.int64)
        alone = np.empty(single, np.int32)
        _split(*old, self._scratch, entries, starts, alone)
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
        _measure(entries, starts, self.rows.counts, self.rows.persons, owned, sizes)
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


def splitter(rows: Rows, bound: int = 0) -> Splitting[Any]:
    """Return what splits the classes of these rows."""
    return Splitter(rows, bound) if rows.plain else MatchSplitter(rows, bound)


def split_all(splitting: Splitting[P], attributes: Iterable[int]) -> P:
    """Return the partition of several attributes."""
    return reduce(splitting.split, attributes, splitting.whole())


def list_classes(rows: Rows) -> ClassList:
    """Return the classes of all attributes of some rows, with the rows that match each."""
    if not rows.plain:
        splitting = MatchSplitter(rows)
        return splitting.list_classes(split_all(splitting, range(len(rows.codes))))
    numbers, found = number_rows(rows.codes)
    sizes = sum_by(numbers, rows.counts, found)
    return ClassList(sizes, np.arange(len(numbers), dtype=np.int32), numbers, np.ones(len(numbers), np.bool_))


def row_sizes_of(rows: Rows) -> Counts:
    """Return the size of the class of each row."""
    classes = list_classes(rows)
    sizes = np.empty(len(rows.counts), np.int64)
    sizes[classes.rows[classes.own]] = classes.sizes[classes.owner[classes.own]]
    return sizes


def safe_rows(rows: Rows, k: int) -> NDArray[np.bool_]:
    """Return which rows stay if those in classes smaller than `k` are left out.

    Where classes overlap, rows that are left out can make other classes too small: then these go too, until none is.
    What stays are the most rows that can.
    """
    kept = np.ones(len(rows.counts), np.bool_)
    while kept.any():
        small = row_sizes_of(rows.only(kept)) < k
        if not small.any():
            break
        kept[np.flatnonzero(kept)[small]] = False
    return kept


__all__ = [
    "ClassList",
    "Classes",
    "MatchPartition",
    "MatchSplitter",
    "P",
    "Partition",
    "Settled",
    "Splitter",
    "Splitting",
    "list_classes",
    "narrow",
    "row_sizes_of",
    "safe_rows",
    "split_all",
    "splitter",
]
