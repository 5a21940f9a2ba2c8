"""Attributes that are harmless one by one and dangerous together.

Risk analysis of k-anonymized personal data by attack simulation, Algorithm 5.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from math import comb, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.data.distinct import first_rows, number_rows, sum_by
from sudare.data.table import Table
from sudare.errors import OptionNotUsable
from sudare.kernels.partitions import combination_gains
from sudare.progress import Progress, silent
from sudare.risk.attribute_sets import names_of, partitions_of, row_sizes
from sudare.risk.partitions import MatchSplitter, narrow
from sudare.risk.rows import Rows, rows_of
from sudare.showing import dataclass

# Sets of attributes that are compared, about an hour for 100,000 distinct rows on two cores.
MOST_COMBINATIONS = 20_000_000
MOST_REPORTED = 1000


@dataclass(frozen=True, slots=True)
class DangerousSet:
    """A set of attributes that together raise the risk of some records by more than the factor.

    `records` is how many records, `max_factor` the largest rise of any record.
    """

    attributes: tuple[str, ...]
    records: int
    max_factor: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {"attributes": list(self.attributes), "records": self.records, "max_factor": self.max_factor}


@dataclass(frozen=True, slots=True)
class DangerousSets:
    """The dangerous sets among all sets of one size, the largest rise first; `found` counts those not shown too."""

    size: int
    factor: float
    combinations: int
    found: int
    sets: tuple[DangerousSet, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "size": self.size,
            "factor": self.factor,
            "combinations": self.combinations,
            "found": self.found,
            "sets": [entry.to_dict() for entry in self.sets],
        }


@dataclass(frozen=True, slots=True)
class DangerousRecords:
    """Records with the same values of some attributes, and by how much these together raise their risk."""

    values: dict[str, str | None]
    records: int
    size: int
    factor: float

    @property
    def risk(self) -> float:
        """The probability to pick the right one of those that have these values, `size` in all."""
        return 1 / self.size

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, with the risk."""
        return {**asdict(self), "risk": self.risk}


@checked
def dangerous_sets(
    table: Table,
    *,
    size: int,
    factor: float,
    most: int | None = MOST_REPORTED,
    threads: int | None = None,
    progress: Progress = silent,
) -> DangerousSets:
    """Find the sets of `size` attributes that raise the risk of some record by more than the factor.

    The rise of a record for a set S is its risk given S divided by the least of its risks given one attribute of S.
    All dangerous sets are counted, and the `most` (None: all) with the largest rise are reported; sets with the same
    rise come in the order of their records, then of the attributes.
    """
    _check(len(table.attributes), size, factor, most)
    records, gains = _gains(table, size, factor, threads, progress)
    dangerous = np.flatnonzero(gains > factor)
    order = dangerous[np.lexsort((-records[dangerous], -gains[dangerous]))][:most]
    sets = tuple(
        DangerousSet(
            names_of(table, _combination(int(rank), len(table.attributes), size)),
            int(records[rank]),
            float(gains[rank]),
        )
        for rank in order
    )
    return DangerousSets(size, factor, len(gains), len(dangerous), sets)


def _check(attributes: int, size: int, factor: float, most: int | None) -> None:
    _check_factor(factor)
    if size < 2:
        raise OptionNotUsable(
            f"Sets of {size} attributes cannot be compared with their parts.\nHint: give a size from 2 on."
        )
    if size > attributes:
        raise OptionNotUsable(
            f"There is no set of {size} attributes: the table has {attributes}.\n"
            f"Hint: give a size from 2 to {attributes}."
        )
    if comb(attributes, size) > MOST_COMBINATIONS:
        raise OptionNotUsable(
            f"{attributes} attributes have {comb(attributes, size):,} sets of {size}, "
            f"more than {MOST_COMBINATIONS:,}.\nHint: give a smaller size, or read fewer attributes."
        )
    if most is not None and most < 1:
        raise OptionNotUsable(
            f"At most {most} sets cannot be reported.\nHint: give a number from 1 on, or none for all."
        )


def _check_factor(factor: float) -> None:
    if not (factor > 0 and isfinite(factor)):
        raise OptionNotUsable(
            f"The factor {factor} is not above 0.\nHint: give by how much the risk must rise at least, as in 10."
        )


def _gains(
    table: Table, size: int, factor: float, threads: int | None, progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the endangered records and the largest rise for all sets of a size, in the order of their attributes."""
    attributes = len(table.attributes)
    alone, rows = _alone(table), rows_of(table, range(attributes))
    codes = narrow(rows.codes)
    # The sets that begin with attribute a stand together, those of the first attribute first.
    shares = [comb(attributes - 1 - a, size - 1) for a in range(attributes - size + 1)]
    begins = np.concatenate([[0], np.cumsum(shares)])
    records = np.zeros(sum(shares), np.int64)
    gains = np.zeros(sum(shares), np.float64)

    def task(a: int) -> int:
        mine = slice(begins[a], begins[a + 1])
        if rows.plain:
            combination_gains(codes, rows.counts, alone, a, size, factor, records[mine], gains[mine])
        else:
            _match_gains(rows, alone, a, size, factor, records[mine], gains[mine])
        return shares[a]

    done = 0
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for finished in as_completed([pool.submit(task, a) for a in range(len(shares))]):
            done += finished.result()
            progress("sets of attributes", done, len(gains))
    return records, gains


def _match_gains(
    rows: Rows,
    alone: NDArray[np.int64],
    first: int,
    size: int,
    factor: float,
    records: NDArray[np.int64],
    gains: NDArray[np.float64],
) -> None:
    """Fill records and gains for the sets that begin with an attribute, where classes can overlap."""
    splitting = MatchSplitter(rows)
    later = itertools.combinations(range(first + 1, len(rows.codes)), size - 1)
    sets = [[first, *others] for others in later]
    for place, partition in enumerate(partitions_of(splitting, splitting.whole(), sets)):
        classes = splitting.list_classes(partition)
        own, owner = classes.rows[classes.own], classes.owner[classes.own]
        tops = np.max([alone[a, rows.codes[a, own]] for a in sets[place]], axis=0)
        gain = tops / classes.sizes[owner]
        records[place] = rows.counts[own[gain > factor]].sum()
        gains[place] = gain.max()


def _alone(table: Table) -> NDArray[np.int64]:
    """Return the size of the class that each value of each attribute makes alone."""
    alone = np.zeros((len(table.codes), int(table.codes.max()) + 1), np.int64)
    for a, column in enumerate(table.codes):
        alone[a, column] = row_sizes(table, [a])
    return alone


def _combination(rank: int, attributes: int, size: int) -> list[int]:
    """Return the set with a place in the order of all sets of a size, in which the sets with attribute 0 come first."""
    chosen: list[int] = []
    for a in range(attributes):
        left = size - len(chosen)
        if not left:
            break
        share = comb(attributes - 1 - a, left - 1)
        if rank < share:
            chosen.append(a)
        else:
            rank -= share
    return chosen


@checked
def dangerous_records(table: Table, attributes: Sequence[str], factor: float) -> tuple[DangerousRecords, ...]:
    """Return the records whose risk the attributes together raise by more than the factor, the largest rise first.

    Records that are equal on the attributes share one entry.
    """
    _check_factor(factor)
    positions = table.positions(attributes)
    if len(set(positions)) < 2:
        raise OptionNotUsable(
            "A set of less than two attributes has no parts to compare with.\nHint: name two or more."
        )
    numbers, found = number_rows(table.codes[positions])
    firsts = first_rows(numbers, found)
    records = sum_by(numbers, table.counts, found)
    sizes, alone = row_sizes(table, positions)[firsts], _alone(table)
    gains = np.max([alone[a, table.codes[a, firsts]] for a in positions], axis=0) / sizes
    order = [int(c) for c in np.argsort(-gains, kind="stable") if gains[c] > factor]
    return tuple(
        DangerousRecords(
            {table.attributes[a]: table.values[a][table.codes[a, firsts[c]]] for a in positions},
            int(records[c]),
            int(sizes[c]),
            float(gains[c]),
        )
        for c in order
    )


__all__ = ["DangerousRecords", "DangerousSet", "DangerousSets", "dangerous_records", "dangerous_sets"]
