"""Enumerating attribute sets in memory: by the fast kernel, or class by class where records can match several."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.tables.lattice import WalkedRows, walk
from sudare.kernels.tables.lattice_ends import BELOW, CLASSES, SMALLEST, UNIQUES
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.statistics.class_sizes import Sizes
from sudare.statistics.distinct import Codes, Counts, collapse, number_rows
from sudare.tables.classes.match_partitions import MatchPartition, MatchSplitter
from sudare.tables.classes.partitions import narrow, split_all
from sudare.tables.classes.rows import Rows

Results = NDArray[np.int64]
# A part of a walk returns how much of the whole it did, and what is then to be done.
Task = Callable[[], "Done"]
Done = tuple[int, list[Task]]

# The first attributes whose presence or absence makes a walk of its own, on rows without those that are absent.
MOST_SPLIT = 6
MOST_SPLIT_MATCHES = 3
# The last attributes that are walked as one, and how many values they may have together.
MOST_LAST = 4
MOST_LAST_VALUES = 256


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """What a walk found: a row for each set of attributes, whose members are the bits of the row's number.

    `results` has the columns of `sudare.kernels.tables.lattice`, zero for sets that were not asked for; `expected` is
    the sum of the risks of the records; `sizes` the sizes of all classes, where they were asked for.
    """

    results: Results
    expected: NDArray[np.float64]
    sizes: list[Sizes | None] | None = None

    @classmethod
    def nothing(cls, attributes: int, *, class_sizes: bool) -> Walked:
        """Return the numbers of a walk that has not begun; `class_sizes` asks for the sizes of all classes."""
        sets = 1 << attributes
        return cls(np.zeros((sets, 4), np.int64), np.zeros(sets), [None] * sets if class_sizes else None)

    def put(self, mask: int, sizes: Sizes, bound: int) -> None:
        """Put down what the classes of a set are like."""
        found = {CLASSES: int(sizes.classes.sum()), UNIQUES: sizes.uniques, SMALLEST: sizes.smallest}
        found[BELOW] = sizes.below(bound)
        self.results[mask] = [found[column] for column in range(4)]
        self.expected[mask] = sizes.expected
        if self.sizes is not None:
            self.sizes[mask] = sizes


def walk_rows(
    rows: Rows,
    *,
    known: int = 0,
    most: int | None = None,
    bound: int = 0,
    class_sizes: bool = False,
    threads: int | None = None,
    progress: Progress = silent,
) -> Walked:
    """Measure all subsets of at most `most` attributes, each together with the last `known` ones.

    `bound` asks for the records in classes smaller than it.
    """
    free = len(rows.codes) - known
    if not rows.plain or class_sizes:
        return _MatchWalk(rows, free, free if most is None else most, bound, class_sizes).run(threads, progress)
    if not known:
        results = walk_subsets(rows.codes, rows.counts, most=most, bound=bound, threads=threads, progress=progress)
        records = int(rows.counts.sum())
        results[0] = 1, records == 1, records, records * (records < bound)
    else:
        # What is known acts as one more attribute with a value for each class; it is a member of all sets that count.
        codes = np.vstack([rows.codes[:free], number_rows(rows.codes[free:])[0].astype(np.int32)[None, :]])
        most = None if most is None else most + 1
        results = walk_subsets(codes, rows.counts, most=most, bound=bound, threads=threads, progress=progress)
        results = results[1 << free :]
    return Walked(results, results[:, CLASSES].astype(np.float64))


class _MatchWalk:
    """A walk by splitting classes that can overlap, or whose sizes are asked for."""

    def __init__(self, rows: Rows, free: int, most: int, bound: int, class_sizes: bool) -> None:
        self._rows, self._free, self._most, self._bound = rows, free, most, bound
        self._base = split_all(MatchSplitter(rows, bound), range(free, len(rows.codes)))
        self._order = [int(a) for a in _order(rows.codes[:free], rows.counts)]
        self._walked = Walked.nothing(free, class_sizes=class_sizes)

    def run(self, threads: int | None, progress: Progress) -> Walked:
        """Visit the sets by which of the first attributes they have."""
        first = min(MOST_SPLIT_MATCHES, self._free)
        # The more attributes, the longer: these begin first, so that none is left to run alone at the end.
        tasks: list[Task] = [partial(self._task, prefix) for prefix in range(1 << first)]
        _run_tasks(tasks, len(tasks), threads, progress)
        return self._walked

    def _task(self, prefix: int) -> Done:
        if prefix.bit_count() > self._most:
            return 1, []
        splitting, partition, mask = MatchSplitter(self._rows, self._bound), self._base, 0
        first = min(MOST_SPLIT_MATCHES, self._free)
        for i in range(first):
            if prefix >> i & 1:
                partition = splitting.split(partition, self._order[i])
                mask |= 1 << self._order[i]
        self._visit(splitting, partition, mask, first)
        return 1, []

    def _visit(self, splitting: MatchSplitter, partition: MatchPartition, mask: int, first: int) -> None:
        self._walked.put(mask, partition.sizes, self._bound)
        if mask.bit_count() == self._most:
            return
        for i in range(first, self._free):
            child = splitting.split(partition, self._order[i])
            self._visit(splitting, child, mask | 1 << self._order[i], i + 1)


def _run_tasks(tasks: list[Task], whole: int, threads: int | None, progress: Progress) -> None:
    """Run tasks and those they return, the last first, on several threads; all together do the `whole`.

    A task begins when a thread is free, so that only few wait with what they need.
    """
    workers = threads or os.cpu_count() or 1
    done, running = 0, set[Future[Done]]()
    with ThreadPoolExecutor(workers) as pool:
        while tasks or running:
            while tasks and len(running) < workers:
                running.add(pool.submit(tasks.pop()))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                parts, further = future.result()
                tasks.extend(further)
                done += parts
                progress(message("progress.attribute_sets"), done, whole)


def walk_subsets(
    codes: Codes,
    counts: Counts,
    *,
    most: int | None = None,
    bound: int = 0,
    threads: int | None = None,
    progress: Progress = silent,
) -> Results:
    """Return classes, uniques, smallest class and records in classes below `bound` for every subset of attributes.

    Row m of the result belongs to the subset whose members are the bits of m; row 0 and subsets with more than `most`
    members are zero.
    """
    u = len(codes)
    order = _order(codes, counts)
    first, last = _first_and_last(codes, order)
    parts = _parts([int(codes[a].max(initial=0)) + 1 for a in last])
    ordered = narrow(np.vstack([codes[first], _joined(codes[last])[np.newaxis]]))
    split = max(0, min(MOST_SPLIT, u - 6))
    results = np.zeros((1 << u, 4), np.int64)
    most = u if most is None else most

    def part(kept: NDArray[Any], weights: Counts, prefix: int, a: int) -> Done:
        """Walk the subsets that agree with a mask on the first a attributes; the rows lack those it leaves out."""
        forced = prefix.bit_count()
        if forced > most:
            return 1 << split - a, []
        if a < split:
            # What takes longest comes last, and is done first.
            return 0, [partial(without, kept, weights, prefix, a), partial(part, kept, weights, prefix | 1 << a, a + 1)]
        sizes = kept.max(axis=1).astype(np.int64) + 1
        table = WalkedRows(kept, weights, sizes, parts)
        walk(table, forced, most - forced, bound, results[prefix :: 1 << split])
        return 1, []

    def without(kept: NDArray[Any], weights: Counts, prefix: int, a: int) -> Done:
        """Do the same without the attribute a: rows are collapsed once for all walks that lack it."""
        return part(*collapse(np.delete(kept, prefix.bit_count(), axis=0), weights), prefix, a + 1)

    _run_tasks([partial(part, ordered, counts, 0, 0)], 1 << split, threads, progress)
    results[0] = 0
    return _renamed(results, order)


def _order(codes: Codes, counts: Counts) -> NDArray[np.intp]:
    """Put attributes that tell the most apart first: they settle most rows near the root, for half of all subsets."""
    entropy = np.empty(len(codes))
    for a, column in enumerate(codes):
        share = np.bincount(column, weights=counts)
        share = share[share > 0] / counts.sum()
        entropy[a] = -(share * np.log(share)).sum()
    return np.argsort(-entropy, kind="stable")


def _first_and_last(codes: Codes, order: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Divide attributes into the first ones and the last, at least one, that have few values together."""
    count = 1
    values = int(codes[order[-1]].max(initial=0)) + 1
    while count < min(MOST_LAST, len(order)):
        values *= int(codes[order[-1 - count]].max(initial=0)) + 1
        if values > MOST_LAST_VALUES:
            break
        count += 1
    return order[:-count], order[-count:]


def _joined(codes: Codes) -> Codes:
    """Return one number for the values of several attributes, the last one's counting most."""
    found = np.zeros(codes.shape[1], np.int32)
    for column in codes[::-1]:
        found = found * (int(column.max(initial=0)) + 1) + column
    return found


def _parts(sizes: list[int]) -> NDArray[np.int32]:
    """Return for each subset of attributes, given their numbers of values, the numbers that joined ones become."""
    parts = np.zeros((1 << len(sizes), math.prod(sizes)), np.int32)
    values = np.unravel_index(np.arange(parts.shape[1]), sizes, order="F")
    for subset, line in enumerate(parts):
        for place, size in enumerate(sizes):
            if subset >> place & 1:
                line[:] = line * size + values[place]
    return parts


def _renamed(results: Results, order: NDArray[np.intp]) -> Results:
    """Rename the bits of the masks: bit i of the walk stands for attribute order[i]."""
    masks = np.arange(len(results))
    renamed = np.zeros_like(masks)
    for bit, attribute in enumerate(order):
        renamed |= ((masks >> bit) & 1) << int(attribute)
    found = np.empty_like(results)
    found[renamed] = results
    return found
