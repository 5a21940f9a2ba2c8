"""Attribute sets as bit masks, and the risks of single sets."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.kernels.tables.lattice_ends import SMALLEST
from sudare.messages import Message, message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.class_sizes import Sizes
from sudare.statistics.distinct import Counts
from sudare.tables.classes.match_partitions import MatchSplitter
from sudare.tables.classes.partitions import P, Splitting, row_sizes_of, split_all, splitter
from sudare.tables.classes.rows import Rows, rows_of, table_rows
from sudare.tables.model import Table
from sudare.tables.walks.memory import Walked, walk_rows

# Nobody reads more sets than this.
MOST_SETS = 1_000_000
# Attributes whose subsets are all walked: a million of them.
MOST_WALKED = 20
# Sets that one thread takes at a time.
_PART = 256


@dataclass(frozen=True, slots=True)
class SetRisk(Result):
    """The risk if an attribute set is known: the highest over the records, and the mean.

    `cost` is what the set costs an attacker, if costs were given.
    """

    _optional = ("cost",)

    attributes: tuple[str, ...]
    max_risk: float
    mean_risk: float
    cost: float | None = None


def members(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits of a mask, the lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def mask_of(positions: Iterable[int]) -> int:
    """Return the mask that has the bits of these numbers."""
    mask = 0
    for position in positions:
        mask |= 1 << position
    return mask


def names_of(table: Table, positions: Iterable[int]) -> tuple[str, ...]:
    """Return the names of attributes in the order of the table."""
    return tuple(table.attributes[position] for position in sorted(positions))


def class_sizes(table: Table, positions: Sequence[int]) -> Sizes:
    """Return the sizes of the classes that a set of attributes makes; no attributes make a single class."""
    rows = rows_of(table, positions)
    if rows.plain:
        return Sizes.of(rows.counts, rows.counts)
    return split_all(MatchSplitter(rows), range(len(rows.codes))).sizes


def row_sizes(table: Table, positions: Sequence[int]) -> Counts:
    """Return the size of the class of each distinct row of the table."""
    return row_sizes_of(table_rows(table, positions))


def partitions_of(splitting: Splitting[P], base: P, sets: Iterable[Sequence[int]]) -> Iterator[P]:
    """Yield the partition of each set, sharing those of what neighbours begin with."""
    chain, before = [base], list[int]()
    for attributes in sets:
        pairs = zip(before, attributes, strict=False)
        common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        del chain[common + 1 :]
        for attribute in attributes[common:]:
            chain.append(splitting.split(chain[-1], attribute))
        before = list(attributes)
        yield chain[-1]


def largest_first(sets: Iterable[int]) -> list[int]:
    """Put large sets first, and those of one size in the order of their attributes."""
    return sorted(sets, key=lambda mask: (-mask.bit_count(), list(members(mask))))


def refuse_too_many(count: int, advice: Message) -> None:
    """Raise an error when there are more sets than anybody can read; the advice says what to ask for instead."""
    if count > MOST_SETS:
        raise OptionNotUsable("errors.sets.too_many", most=MOST_SETS, advice=advice)


def walk_with(table: Table, known: Sequence[int], free: Sequence[int], *, bound: int, progress: Progress) -> Walked:
    """Walk every subset of `free` attributes together with the known ones; row 0 is these alone."""
    return walk_rows(rows_of(table, [*free, *known]), known=len(known), bound=bound, progress=progress)


def risks_of(
    table: Table, known: Sequence[int], free: Sequence[int], sets: Sequence[int], *, progress: Progress = silent
) -> list[SetRisk]:
    """Return the risks of sets, given as masks over `free`, each together with the known attributes.

    A walk shares the work of sets with common members: measured, a set then costs about a tenth of an evaluation of
    its own.
    """
    if len(free) <= MOST_WALKED and len(sets) * 10 > 1 << len(free):
        walked = walk_with(table, known, free, bound=0, progress=progress)
        return [risk_from(table, known, free, mask, walked) for mask in sets]
    numbers = _evaluate(table, known, free, sets, progress)
    return [set_risk(table, known, free, mask, *numbers[mask]) for mask in sets]


def _evaluate(
    table: Table, known: Sequence[int], free: Sequence[int], sets: Sequence[int], progress: Progress
) -> dict[int, tuple[float, int]]:
    """Return the expected matches and the smallest class of each set, sharing what neighbours begin with."""
    rows = rows_of(table, [*free, *known])
    # Attributes of many values leave few rows to split for the others.
    values = rows.codes[: len(free)].max(axis=1, initial=0)
    rank = np.argsort(np.argsort(-values, kind="stable"), kind="stable").tolist()
    order = sorted((sorted(members(mask), key=rank.__getitem__) for mask in sets), key=lambda s: [rank[a] for a in s])
    parts = [order[i : i + _PART] for i in range(0, len(order), _PART)]
    found: dict[int, tuple[float, int]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for numbers in pool.map(lambda part: _evaluate_part(rows, len(known), part), parts):
            found.update(numbers)
            progress(message("progress.set_risks"), len(found), len(sets))
    return found


def _evaluate_part(rows: Rows, known: int, part: Sequence[list[int]]) -> dict[int, tuple[float, int]]:
    splitting = splitter(rows)
    base = split_all(splitting, range(len(rows.codes) - known, len(rows.codes)))
    found = zip(part, partitions_of(splitting, base, part), strict=True)
    return {mask_of(attributes): (classes.expected, classes.smallest) for attributes, classes in found}


def set_risk(
    table: Table, known: Sequence[int], free: Sequence[int], mask: int, expected: float, smallest: int
) -> SetRisk:
    """Return the risk of a set from the sum of its records' risks and its smallest class."""
    positions = [*known, *(free[bit] for bit in members(mask))]
    return SetRisk(names_of(table, positions), float(1 / smallest), float(expected / table.records))


def risk_from(table: Table, known: Sequence[int], free: Sequence[int], mask: int, walked: Walked) -> SetRisk:
    """Return the risk of a set from what a walk found."""
    smallest = int(walked.results[mask, SMALLEST])
    return set_risk(table, known, free, mask, float(walked.expected[mask]), smallest)
