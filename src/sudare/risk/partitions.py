"""The classes that sets of attributes make, refined by one attribute after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.kernels import partitions as kernels
from sudare.risk.subsets import Codes, Counts

_LARGE = 2**62
# The type of a compiled function hides what it takes.
_smallest_first: Any = kernels.smallest_first
_refine: Any = kernels.refine
_count_below: Any = kernels.count_below


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


def narrow(codes: Codes) -> NDArray[Any]:
    """Return codes in half the memory where they fit: a column is read out of order, so it should stay in the cache."""
    return codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes


class Splitter:
    """Splits the partitions of one table; it has scratch memory of its own, so each thread needs one."""

    def __init__(self, codes: Codes, counts: Counts, bound: int = 0) -> None:
        self.codes, self.counts, self.bound = narrow(codes), counts, bound
        # Rows and records of each value, zero between calls, and the values that a class has.
        self._scratch = tuple(np.zeros(int(codes.max(initial=0)) + 1, np.int64) for _ in range(3))

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


__all__ = ["Partition", "Settled", "Splitter", "narrow"]
