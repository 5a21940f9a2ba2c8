"""Searching the safe sets of many attributes without checking all of them.

A subset of a safe set is safe, so the maximal safe sets say everything, and so do the minimal unsafe ones. The search
goes depth first through the sets in an order in which all subsets of a set come before it. A set that neither lies in
a known safe set nor contains a known unsafe one is tested; if it is safe, it is extended at once to a maximal safe
set, if not, it is a minimal unsafe set. Where an attribute can be added to all safe sets found before, nothing is left
to find with it. So a test is made at most once for each minimal unsafe set and once for each attribute and maximal
safe set.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline, TimeOver
from sudare.interruption import settle
from sudare.kernels.tables import masks as kernels
from sudare.kernels.tables.masks import Masks
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.tables.classes.partitions import Classes, Splitting, split_all, splitter
from sudare.tables.classes.rows import Rows

# Partitions of sets on the way that are kept: 4 bytes for each distinct row and partition.
MOST_KEPT = 128
_WORD = 2**64 - 1


class Family:
    """A growing list of masks that answers whether one of them contains a mask or is contained in it.

    Threads may ask while another adds: they see the list as it was, in which every mask is whole.
    """

    def __init__(self, attributes: int) -> None:
        self.words = (attributes + 63) // 64
        self.masks: list[int] = []
        self._array: NDArray[np.uint64] = np.zeros((64, self.words), np.uint64)
        self._lock = threading.Lock()

    def add(self, mask: int) -> None:
        """Put a mask into the list."""
        with self._lock:
            if len(self.masks) == len(self._array):
                self._array = np.concatenate([self._array, np.zeros_like(self._array)])
            self._array[len(self.masks)] = self.split(mask)
            self.masks.append(mask)

    def rows(self) -> Masks:
        """Return the masks as rows of words and their number, which is read first: the rows only become more."""
        count = len(self.masks)
        return Masks(self._array, count)

    def split(self, mask: int) -> NDArray[np.uint64]:
        """Return a mask as words of 64 bits."""
        return np.asarray([(mask >> (64 * word)) & _WORD for word in range(self.words)], np.uint64)

    def has_around(self, mask: int) -> bool:
        """Say whether one of the list contains the mask."""
        return kernels.inside_any(self.rows(), self.split(mask))

    def has_inside(self, mask: int) -> bool:
        """Say whether one of the list is contained in the mask."""
        return kernels.around_any(self.rows(), self.split(mask))


@dataclass(frozen=True, slots=True)
class Rules:
    """What is safe: at most `allowed` records in classes of less than `bound` records."""

    bound: int
    allowed: int


@dataclass
class Search:
    """A search for the maximal safe and the minimal unsafe sets among attributes that are safe one by one.

    The last `known` attributes of the rows are known beforehand. Bit i of a mask stands for attribute i, and those
    before the known ones should stand in falling order of how much they tell apart: then the harmless attributes,
    which lie in many safe sets together, are last and cut off large parts of the search.
    """

    rows: Rows
    known: int
    rules: Rules
    seconds: float | None = None
    progress: Progress = silent
    complete: bool = False
    interrupted: bool = False
    # The sum of the risks and the smallest class of each safe set found.
    found: dict[int, tuple[float, int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._attributes = len(self.rows.codes) - self.known
        self.safe, self.unsafe = Family(self._attributes), Family(self._attributes)
        self._local = threading.local()
        self._base: Classes = split_all(self._splitter, range(self._attributes, len(self.rows.codes)))
        self._kept: OrderedDict[int, Classes] = OrderedDict()

    @property
    def _splitter(self) -> Splitting[Any]:
        """The splitter of this thread."""
        if not hasattr(self._local, "splitter"):
            self._local.splitter = splitter(self.rows, self.rules.bound)
        found: Splitting[Any] = self._local.splitter
        return found

    def run(self) -> None:
        """Search until all is found, the time is over or the user interrupts; what was found stays."""
        with Deadline(self.seconds) as self._deadline, ThreadPoolExecutor(os.cpu_count()) as self._pool:
            try:
                self._search()
                self.complete = True
            except (TimeOver, KeyboardInterrupt) as reason:
                self.interrupted = isinstance(reason, KeyboardInterrupt)
                settle()
                # For the threads too, so that they stop.
                self._deadline.interrupt()

    def _search(self) -> None:
        if not self._attributes:
            self._remember(0, self._base)
        self._decide(0, [a for a in range(self._attributes) if not self.safe.has_around(1 << a)])
        self._visit(0, list(range(self._attributes)))

    def _visit(self, chosen: int, tail: list[int]) -> None:
        """Decide all sets that add attributes of the tail to the chosen ones; each alone can be added safely."""
        self._deadline.check()
        for i in range(len(tail) - 2, -1, -1):
            child = chosen | (1 << tail[i])
            if not chosen:
                self.progress(message("progress.attributes"), len(tail) - 1 - i, len(tail) - 1)
            later = tail[i + 1 :]
            if self._adds_nothing(chosen, later, tail[i]):
                continue
            rest = self._safe_additions(child, later)
            if len(rest) > 1:
                self._visit(child, rest)

    def _adds_nothing(self, chosen: int, later: list[int], attribute: int) -> bool:
        """Say whether an attribute can be added to all safe sets of the chosen and later attributes.

        These sets are all decided before, so then nothing is left to find with the attribute: what was safe stays
        safe inside known sets, and what was unsafe is not minimal with one attribute more.
        """
        scope = chosen | sum(1 << t for t in later)
        split = self.safe.split
        return kernels.adds_nothing(self.safe.rows(), split(chosen), split(scope), split(1 << attribute))

    def _safe_additions(self, child: int, tail: list[int]) -> list[int]:
        """Return the attributes of the tail with which the child is still safe, testing what is not known."""
        verdicts = np.empty(len(tail), np.int64)
        base, candidates = self.safe.split(child), np.asarray(tail)
        kernels.sort_candidates(base, candidates, self.safe.rows(), self.unsafe.rows(), verdicts)
        unknown = [t for t, verdict in zip(tail, verdicts, strict=True) if not verdict]
        safe = self._decide(child, unknown)
        return [t for t, verdict in zip(tail, verdicts, strict=True) if verdict > 0 or safe.get(t)]

    def _decide(self, child: int, attributes: list[int]) -> dict[int, bool]:
        """Test the child with each of some attributes, on all processors."""
        if not attributes:
            return {}
        partition = self._partition(child)
        verdicts = self._pool.map(lambda attribute: self._try(child, partition, attribute), attributes)
        return dict(zip(attributes, verdicts, strict=True))

    def _try(self, child: int, partition: Classes, attribute: int) -> bool:
        """Test a set of which all smaller sets are known to be safe, and remember what it shows."""
        self._deadline.check()
        mask = child | (1 << attribute)
        if self.safe.has_around(mask):
            return True
        if self._is_safe(partition, attribute):
            self._extend(mask, self._splitter.split(partition, attribute))
            return True
        self.unsafe.add(mask)
        return False

    def _extend(self, mask: int, partition: Classes) -> None:
        """Add attributes to a safe set until none can be added, the most harmless first, and remember the set."""
        for attribute in range(self._attributes - 1, -1, -1):
            more = mask | (1 << attribute)
            if more == mask or self.unsafe.has_inside(more):
                continue
            self._deadline.check()
            if self._is_safe(partition, attribute):
                mask, partition = more, self._splitter.split(partition, attribute)
        self._remember(mask, partition)

    def _remember(self, mask: int, partition: Classes) -> None:
        """Keep a maximal safe set, once even if two threads find it."""
        if self.found.setdefault(mask, numbers := (partition.expected, partition.smallest)) is numbers:
            self.safe.add(mask)

    def _is_safe(self, partition: Classes, attribute: int) -> bool:
        return self._splitter.stays_within(partition, attribute, self.rules.allowed)

    def _partition(self, mask: int) -> Classes:
        """Return the partition of a set, from that of the set without its last attribute unless it was kept."""
        if not mask:
            return self._base
        if mask in self._kept:
            self._kept.move_to_end(mask)
            return self._kept[mask]
        last = mask.bit_length() - 1
        partition: Classes = self._splitter.split(self._partition(mask ^ (1 << last)), last)
        self._kept[mask] = partition
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return partition


def subsets_of(masks: list[int], most: int) -> set[int]:
    """Return all subsets of some sets, but stop when there are more than `most`."""
    found: set[int] = set()
    for mask in masks:
        part = mask
        while True:
            found.add(part)
            if not part or len(found) > most:
                break
            part = (part - 1) & mask
    return found


__all__ = ["Family", "Rules", "Search", "subsets_of"]
