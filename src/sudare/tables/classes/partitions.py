"""The equivalence classes of attribute sets, refined by one attribute after another.

There are two ways to split them, with the same answers where both can be used: `Splitter` for classes of equal records,
and `MatchSplitter` for classes that count persons or in which missing values are equal to any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.tables import partitions as kernels
from sudare.showing import dataclass
from sudare.statistics.distinct import Codes, Counts, collapse, number_rows, sum_by
from sudare.tables.classes.class_criteria import ClassCriteria
from sudare.tables.classes.match_partitions import ClassList, MatchSplitter
from sudare.tables.classes.rows import Rows
from sudare.tables.model import Table

_LARGE = 2**62


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


def narrow(codes: Codes) -> NDArray[np.uint16] | Codes:
    """Return codes in half the memory where they fit: a column is read out of order, so it should stay in the cache."""
    return codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes


class Splitter:
    """Splits classes of equal records."""

    def __init__(self, rows: Rows, bound: int = 0) -> None:
        self.codes, self.counts, self.bound = narrow(rows.codes), rows.counts, bound
        values = int(rows.codes.max(initial=0)) + 1
        self._scratch = kernels.Scratch(*(np.zeros(values, np.int64) for _ in range(3)))

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
        found = kernels.refine(
            self.codes[attribute],
            self.counts,
            partition.rows,
            partition.starts,
            self._scratch,
            self.bound,
            rows,
            starts,
        )
        old, new = partition.settled, found.settled
        settled = Settled(
            old.classes + new.classes, min(old.smallest, new.smallest), old.below + new.below, old.uniques + new.uniques
        )
        # New arrays: only what is used shall stay in memory.
        ordered_rows, ordered_starts = np.empty(found.rows, np.int32), np.empty(found.classes + 1, np.int32)
        kernels.smallest_first(rows[: found.rows], starts[: found.classes + 1], ordered_rows, ordered_starts)
        return Partition(
            ordered_rows,
            ordered_starts,
            found.classes + settled.classes,
            min(found.smallest, settled.smallest),
            found.below + settled.below,
            settled,
        )

    def stays_within(self, partition: Partition, attribute: int, allowed: int) -> bool:
        """Say whether at most `allowed` records are in classes below the bound with one more attribute."""
        left = allowed - partition.settled.below
        below = kernels.count_below(
            self.codes[attribute], self.counts, partition.rows, partition.starts, self._scratch, self.bound, left
        )
        return below <= left


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


def safe_rows(rows: Rows, k: int, values: ClassCriteria | None = None) -> NDArray[np.bool_]:
    """Return which rows stay if those in classes smaller than `k`, or that break the criteria `values`, are left out.

    Where classes overlap, rows that are left out can make other classes too small: then these go too, until none is.
    What stays are the most rows that can, if the criteria are lasting. `values` are those of these rows.
    """
    kept = np.ones(len(rows.counts), np.bool_)
    while kept.any():
        numbers = np.flatnonzero(kept)
        unsafe = ~_in_safe_classes(rows if kept.all() else rows.only(kept), k, values, numbers)
        kept[numbers[unsafe]] = False
        # Classes of equal records do not change when others are left out.
        if not unsafe.any() or (rows.wildcards < 0).all():
            break
    return kept


def _in_safe_classes(rows: Rows, k: int, values: ClassCriteria | None, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows are in classes that are large enough and satisfy criteria about the values of row `numbers`."""
    classes = list_classes(rows)
    safe = classes.sizes >= k
    if values is not None and safe.any():
        large = np.flatnonzero(safe[classes.owner])
        owner, held = (np.cumsum(safe) - 1)[classes.owner[large]], classes.rows[large]
        safe[safe] = values.holds_for(numbers[held], owner, int(safe.sum()), rows.counts[held])
    kept = np.empty(len(rows.counts), np.bool_)
    kept[classes.rows[classes.own]] = safe[classes.owner[classes.own]]
    return kept


def valued_rows(table: Table, positions: Sequence[int], values: ClassCriteria) -> tuple[Rows, ClassCriteria]:
    """Return the distinct rows of some attributes and the sensitive ones, without these, and the criteria for them."""
    sensitive = [np.asarray(column.codes) for column in values.columns]
    persons = [] if table.persons is None else [table.persons]
    known = len(positions)
    stacked, counts = collapse(np.vstack([table.codes[list(positions)], *sensitive, *persons]), table.counts)
    whose = np.zeros(0, np.int32) if table.persons is None else stacked[-1]
    rows = Rows(np.ascontiguousarray(stacked[:known]), counts, table.wildcards[list(positions)], whose)
    return rows, values.of_rows(list(stacked[known : known + len(sensitive)]))
