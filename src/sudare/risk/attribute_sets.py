"""Sets of attributes as bit masks, and the risks of single sets."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.data.table import Table
from sudare.errors import OptionNotUsable
from sudare.kernels.lattice import CLASSES, SMALLEST
from sudare.progress import Progress, silent
from sudare.risk.partitions import Splitter
from sudare.risk.subsets import Codes, Counts, Results, collapse, walk_subsets

# More sets than this are no answer that anybody reads.
MOST_SETS = 1_000_000
# Attributes whose subsets are all walked: a million of them.
MOST_WALKED = 20
# Sets that one thread takes at a time.
_PART = 256


@dataclass(frozen=True, slots=True)
class SetRisk:
    """The risk that knowledge of a set of attributes brings: the largest over the records, and the mean."""

    attributes: tuple[str, ...]
    max_risk: float
    mean_risk: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {"attributes": list(self.attributes), "max_risk": self.max_risk, "mean_risk": self.mean_risk}


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


def class_sizes(table: Table, positions: Sequence[int]) -> Counts:
    """Return the records of each class that a set of attributes makes; no attributes make a single class."""
    if not len(positions):
        return np.asarray([table.records], np.int64)
    return collapse(table.codes[list(positions)], table.counts)[1]


def largest_first(sets: Iterable[int]) -> list[int]:
    """Put large sets first, and those of one size in the order of their attributes."""
    return sorted(sets, key=lambda mask: (-mask.bit_count(), list(members(mask))))


def refuse_too_many(count: int, hint: str) -> None:
    """Raise an error when there are more sets than anybody can read."""
    if count > MOST_SETS:
        raise OptionNotUsable(f"There are more than {MOST_SETS:,} sets of attributes to report.\nHint: {hint}")


def walk_with(table: Table, known: Sequence[int], free: Sequence[int], *, bound: int, progress: Progress) -> Results:
    """Return the results of every subset of `free` attributes together with the known ones; row 0 is these alone."""
    if not known:
        results = walk_subsets(table.codes[list(free)], table.counts, bound=bound, progress=progress)
        results[0] = 1, table.records == 1, table.records, table.records * (table.records < bound)
        return results
    # What is known acts as one more attribute with a value for each class; it is a member of all sets that count.
    numbers = number_classes(table, known)
    codes = np.vstack([table.codes[list(free)], numbers[None, :]])
    return walk_subsets(codes, table.counts, bound=bound, progress=progress)[1 << len(free) :]


def number_classes(table: Table, positions: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return for each distinct row the number of the class it is in."""
    numbers = np.zeros(table.codes.shape[1], np.int64)
    for position in positions:
        keys = numbers * (int(table.codes[position].max()) + 1) + table.codes[position]
        numbers = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return numbers.astype(np.int32)


def risks_of(
    table: Table, known: Sequence[int], free: Sequence[int], sets: Sequence[int], *, progress: Progress = silent
) -> list[SetRisk]:
    """Return the risks of sets, given as masks over `free`, each together with the known attributes.

    A walk shares the work of sets with common members: measured, a set then costs about a tenth of an evaluation of
    its own.
    """
    if len(free) <= MOST_WALKED and len(sets) * 10 > 1 << len(free):
        results = walk_with(table, known, free, bound=0, progress=progress)
        return [risk_from(table, known, free, mask, results[mask]) for mask in sets]
    numbers = _evaluate(table, known, free, sets, progress)
    return [set_risk(table, known, free, mask, *numbers[mask]) for mask in sets]


def _evaluate(
    table: Table, known: Sequence[int], free: Sequence[int], sets: Sequence[int], progress: Progress
) -> dict[int, tuple[int, int]]:
    """Return classes and smallest class of each set, sharing the partitions of what neighbours begin with."""
    codes = np.vstack([table.codes[list(free)], number_classes(table, known)[None, :]])
    # Attributes of many values leave few rows to split for the others.
    rank = np.argsort(np.argsort(-codes[:-1].max(axis=1, initial=0), kind="stable"), kind="stable").tolist()
    order = sorted((sorted(members(mask), key=rank.__getitem__) for mask in sets), key=lambda s: [rank[a] for a in s])
    parts = [order[i : i + _PART] for i in range(0, len(order), _PART)]
    found: dict[int, tuple[int, int]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for numbers in pool.map(lambda part: _evaluate_part(codes, table.counts, part), parts):
            found.update(numbers)
            progress("risks", len(found), len(sets))
    return found


def _evaluate_part(codes: Codes, counts: Counts, part: Sequence[list[int]]) -> dict[int, tuple[int, int]]:
    splitter = Splitter(codes, counts)
    chain = [splitter.split(splitter.whole(), len(codes) - 1)]
    before: list[int] = []
    found = {}
    for attributes in part:
        pairs = zip(before, attributes, strict=False)
        common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        del chain[common + 1 :]
        for attribute in attributes[common:]:
            chain.append(splitter.split(chain[-1], attribute))
        before = attributes
        found[mask_of(attributes)] = chain[-1].classes, chain[-1].smallest
    return found


def set_risk(
    table: Table, known: Sequence[int], free: Sequence[int], mask: int, classes: int, smallest: int
) -> SetRisk:
    """Return the risk of a set from its number of classes and its smallest class."""
    positions = [*known, *(free[bit] for bit in members(mask))]
    return SetRisk(names_of(table, positions), float(1 / smallest), float(classes / table.records))


def risk_from(table: Table, known: Sequence[int], free: Sequence[int], mask: int, result: Counts) -> SetRisk:
    """Return the risk of a set from its row of the results of a walk."""
    return set_risk(table, known, free, mask, int(result[CLASSES]), int(result[SMALLEST]))
