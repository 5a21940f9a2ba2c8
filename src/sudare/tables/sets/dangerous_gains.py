"""How much attribute sets raise the risk of records: all sets of a size, or a sample.

The rise of a record only becomes larger with more attributes: the class becomes smaller, and the largest of the classes
of single attributes larger. So no set raises a risk more than all attributes together do.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from numpy.typing import NDArray

from sudare.deadline import Deadline, TimeOver
from sudare.interruption import settle
from sudare.kernels.tables.partitions import combination_gains
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.tables.classes.match_partitions import MatchSplitter
from sudare.tables.classes.partitions import narrow
from sudare.tables.classes.rows import Rows, rows_of
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import partitions_of, row_sizes


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """The endangered records and the largest rise of each of some sets; `members` tells the attributes of a set.

    Where the sets were drawn, no other one has a larger rise than `at_most`.
    """

    records: NDArray[np.int64]
    gains: NDArray[np.float64]
    members: Callable[[int], Sequence[int]]
    at_most: float = math.inf


def alone_sizes(table: Table) -> NDArray[np.int64]:
    """Return the size of the class that each value of each attribute makes alone."""
    alone = np.zeros((len(table.codes), int(table.codes.max()) + 1), np.int64)
    for a, column in enumerate(table.codes):
        alone[a, column] = row_sizes(table, [a])
    return alone


def _rise_of_all(table: Table) -> float:
    """Return by how much all attributes together raise the risk of a record at most."""
    alone = alone_sizes(table)
    tops = np.max([alone[a, column] for a, column in enumerate(table.codes)], axis=0)
    return float((tops / row_sizes(table, range(len(table.codes)))).max())


def gains_of_all(table: Table, size: int, factor: float, threads: int | None, progress: Progress) -> Gains:
    """Measure all sets of a size, in the order of their attributes."""
    attributes = len(table.attributes)
    alone, rows = alone_sizes(table), rows_of(table, range(attributes))
    codes = narrow(rows.codes)
    # The sets that begin with attribute a stand together, those of the first attribute first.
    shares = [math.comb(attributes - 1 - a, size - 1) for a in range(attributes - size + 1)]
    begins = np.concatenate([[0], np.cumsum(shares)])
    records = np.zeros(sum(shares), np.int64)
    gains = np.zeros(sum(shares), np.float64)

    def task(a: int) -> int:
        mine = slice(begins[a], begins[a + 1])
        if rows.plain:
            combination_gains(codes, rows.counts, alone, a, size, factor, records[mine], gains[mine])
        else:
            later = itertools.combinations(range(a + 1, attributes), size - 1)
            _match_gains(rows, alone, [[a, *others] for others in later], factor, records[mine], gains[mine])
        return shares[a]

    done = 0
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for finished in as_completed([pool.submit(task, a) for a in range(len(shares))]):
            done += finished.result()
            progress(message("progress.attribute_sets"), done, len(gains))
    return Gains(records, gains, lambda rank: combination(rank, attributes, size))


def draw_sets(attributes: int, size: int, samples: int, seed: int) -> list[list[int]]:
    """Draw sets of a size, each independently of the others."""
    rng = np.random.default_rng(seed)
    return [sorted(rng.permutation(attributes)[:size].tolist()) for _ in range(samples)]


def gains_of_drawn(
    table: Table,
    sets: Sequence[Sequence[int]],
    factor: float,
    seconds: float | None,
    threads: int | None,
    progress: Progress,
) -> Gains:
    """Measure drawn sets in their order; if the time is over or the user interrupts, the first of them."""
    alone, rows = alone_sizes(table), rows_of(table, range(len(table.attributes)))
    codes = narrow(rows.codes)
    records, gains = np.zeros(len(sets), np.int64), np.zeros(len(sets), np.float64)

    def task(place: int) -> None:
        chosen, mine = list(sets[place]), slice(place, place + 1)
        if rows.plain:
            columns, single = codes[chosen], alone[chosen]
            combination_gains(columns, rows.counts, single, 0, len(chosen), factor, records[mine], gains[mine])
        else:
            _match_gains(rows, alone, [chosen], factor, records[mine], gains[mine])

    measured = 0
    with Deadline(seconds) as deadline, ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        try:
            for measured in _counted(pool.map(task, range(len(sets)))):
                progress(message("progress.drawn_sets"), measured, len(sets))
                if measured > 1:  # one set says nothing about the others
                    deadline.check()
        except (TimeOver, KeyboardInterrupt):
            if measured < 2:
                raise
            settle()
            pool.shutdown(wait=False, cancel_futures=True)
    return Gains(records[:measured], gains[:measured], sets.__getitem__, _rise_of_all(table))


def _counted(finished: Iterator[None]) -> Iterator[int]:
    """Yield how many have finished."""
    return (number for number, _ in enumerate(finished, start=1))


def _match_gains(
    rows: Rows,
    alone: NDArray[np.int64],
    sets: Sequence[Sequence[int]],
    factor: float,
    records: NDArray[np.int64],
    gains: NDArray[np.float64],
) -> None:
    """Fill records and gains for some sets, where classes can overlap."""
    splitting = MatchSplitter(rows)
    for place, partition in enumerate(partitions_of(splitting, splitting.whole(), sets)):
        classes = splitting.list_classes(partition)
        own, owner = classes.rows[classes.own], classes.owner[classes.own]
        tops = np.max([alone[a, rows.codes[a, own]] for a in sets[place]], axis=0)
        gain = tops / classes.sizes[owner]
        records[place] = rows.counts[own[gain > factor]].sum()
        gains[place] = gain.max()


def combination(rank: int, attributes: int, size: int) -> list[int]:
    """Return the set with a place in the order of all sets of a size, in which the sets with attribute 0 come first."""
    chosen: list[int] = []
    for a in range(attributes):
        left = size - len(chosen)
        if not left:
            break
        share = math.comb(attributes - 1 - a, left - 1)
        if rank < share:
            chosen.append(a)
        else:
            rank -= share
    return chosen


__all__ = ["Gains", "alone_sizes", "draw_sets", "gains_of_all", "gains_of_drawn"]
