"""The risk of every attribute subset: exhaustive enumeration made cheap.

Risk analysis of k-anonymized personal data by attack simulation, Algorithms 1 and 2 for all sets of known attributes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, comb, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.kernels.tables.lattice_ends import BELOW, CLASSES, SMALLEST, UNIQUES
from sudare.limits import MOST_EXHAUSTED, SAMPLES, WALK_MEMORY
from sudare.messages import Joined, message
from sudare.progress import Progress, silent
from sudare.results import Result, Row, flat
from sudare.showing import dataclass
from sudare.statistics.class_sizes import ClassSize, Sizes
from sudare.statistics.intervals import CONFIDENCE
from sudare.tables.classes.rows import rows_of
from sudare.tables.collapsed import CollapsedTable
from sudare.tables.model import Table
from sudare.tables.read import fetch_table
from sudare.tables.rows import unknown_attribute
from sudare.tables.walks.choice import Walk, WalkName, choose_walk
from sudare.tables.walks.engine import walk_engine
from sudare.tables.walks.memory import Results, Walked, walk_rows
from sudare.tables.walks.sampled import HIGH, LOW, walk_sample

PLACES = {"low": LOW, "high": HIGH}
# More than all records that a table can have.
_NO_CLASS = 2**62


@dataclass(frozen=True, slots=True)
class RiskIntervals(Result):
    """The intervals of an estimated set's values: low and high, each with the confidence stated by the walk."""

    mean_risk: tuple[float, float]
    uniques: tuple[int, int]
    share_above: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class SubsetRisk(Result):
    """How well a set of known attributes singles out records.

    The risk of a record is 1 / the number of records like it; `share_above` is the share of the records whose risk is
    above the requested limit (None without one), and `class_sizes` all class sizes, if requested. Estimates from a
    sample of the records have `intervals`. A sample does not determine the classes and the highest risk: there
    `classes` and `max_risk` are None, and `max_risk_at_least` is the highest risk of a drawn record; otherwise it
    equals the highest risk.
    """

    attributes: tuple[str, ...]
    classes: int | None
    max_risk: float | None
    max_risk_at_least: float
    mean_risk: float
    uniques: int
    share_above: float | None = None
    class_sizes: tuple[ClassSize, ...] | None = None
    intervals: RiskIntervals | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values; classes, their sizes and intervals only if there are any.

        The highest risk has one key: `max_risk` if it is known, otherwise `max_risk_at_least`.
        """
        found = Result.to_dict(self)
        if self.max_risk is not None:
            del found["max_risk_at_least"]
        for name in ("classes", "max_risk", "class_sizes", "intervals"):
            if found[name] is None:
                del found[name]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class SubsetsAssessment(Result):
    """The risk of every subset of some attributes, stored as arrays; `subset` and `ranked` read them.

    `walk` says how the subsets were enumerated. With a sample the numbers are estimates, and `estimates` has their
    intervals.
    """

    _row = SubsetRisk

    attributes: tuple[str, ...]
    records: int
    most: int
    bound: float | None
    results: Results
    expected: NDArray[np.float64]
    walk: Walk
    sizes: list[Sizes | None] | None = None
    estimates: NDArray[np.float64] | None = None
    source: str = ""

    def __len__(self) -> int:
        return int(np.count_nonzero(self.results[:, CLASSES]))

    @checked
    def subset(self, attributes: Sequence[str]) -> SubsetRisk:
        """Return the risk of one subset; the order of its attributes does not matter."""
        mask = 0
        for name in attributes:
            if name not in self.attributes:
                raise unknown_attribute(name, self.attributes, message("errors.sets.assessment"))
            mask |= 1 << self.attributes.index(name)
        if not 1 <= mask.bit_count() <= self.most:
            raise OptionNotUsable("errors.sets.not_assessed", size=mask.bit_count(), most=self.most)
        return self._risk(mask)

    @checked
    def ranked(self, by: str = "mean_risk", most: int | None = None) -> list[SubsetRisk]:
        """Return subsets, largest first by a measure or by `size`; ties are in the order of the attributes."""
        masks = np.flatnonzero(self.results[:, CLASSES])
        order = np.lexsort((masks, set_sizes(masks), -self._measure(by)[masks]))
        return [self._risk(int(mask)) for mask in masks[order][:most]]

    def _measure(self, by: str) -> NDArray[np.float64]:
        columns = {"classes": CLASSES, "uniques": UNIQUES, "share_above": BELOW}
        if by == "mean_risk":
            return self.expected
        if by == "max_risk":
            return 1 / np.maximum(self.results[:, SMALLEST], 1)
        if by == "size":
            return -set_sizes(np.arange(len(self.results))).astype(np.float64)
        if by not in columns:
            measures = Joined(["mean_risk", "max_risk", *columns, "size"], "or")
            raise OptionNotUsable("errors.sets.unknown_measure", measure=by, measures=measures)
        return self.results[:, columns[by]].astype(np.float64)

    def _risk(self, mask: int) -> SubsetRisk:
        row = self.results[mask]
        names = tuple(name for bit, name in enumerate(self.attributes) if (mask >> bit) & 1)
        above = float(row[BELOW]) / self.records if self.bound is not None else None
        highest, exact = 1 / int(row[SMALLEST]), self.estimates is None
        return SubsetRisk(
            names,
            int(row[CLASSES]) if exact else None,
            highest if exact else None,
            highest,
            float(self.expected[mask]) / self.records,
            int(row[UNIQUES]),
            above,
            self._class_sizes(mask),
            self._intervals(mask),
        )

    def _class_sizes(self, mask: int) -> tuple[ClassSize, ...] | None:
        sizes = self.sizes[mask] if self.sizes is not None else None
        return sizes.listed() if sizes is not None else None

    def _intervals(self, mask: int) -> RiskIntervals | None:
        if self.estimates is None:
            return None
        mean, unique, above = ((float(ends[LOW]), float(ends[HIGH])) for ends in self.estimates[mask])
        uniques = floor(unique[0] * self.records), ceil(unique[1] * self.records)
        return RiskIntervals(mean, uniques, above if self.bound is not None else None)

    def to_dict(self) -> dict[str, Any]:
        """Return all subsets as plain values, smallest sets first."""
        return {
            "attributes": list(self.attributes),
            "records": self.records,
            "bound": self.bound,
            "walk": self.walk.to_dict(),
            "subsets": [risk.to_dict() for risk in self.ranked("size")],
        }

    def to_rows(self) -> list[Row]:
        """Return one row per set, smallest sets first."""
        return [flat(risk.to_dict()) for risk in self.ranked("size")]


def set_sizes(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many attributes each set has."""
    return np.bitwise_count(masks).astype(np.int64)


@checked
def assess_subsets(
    table: Table | CollapsedTable,
    *,
    attributes: Sequence[str] | None = None,
    max_size: int | None = None,
    limit: float | None = None,
    class_sizes: bool = False,
    walk: WalkName | Walk | None = None,
    memory: str = WALK_MEMORY,
    samples: int = SAMPLES,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = silent,
) -> SubsetsAssessment:
    """Measure the risk of every subset of the attributes (None: all) with at most `max_size` members.

    `limit` adds the share of records whose risk is above it, `class_sizes` all class sizes. More attributes than
    MOST_EXHAUSTED are refused. The subsets of a `CollapsedTable` are enumerated in memory if the estimate is within
    `memory`, otherwise on its engine, and if that would take too long, on a sample of `samples` records; `walk` selects
    one of these.
    """
    names = tuple(attributes) if attributes is not None else table.attributes
    places, most = table.positions(names), _check(len(names), max_size)
    size = class_size_within(limit) if limit is not None else 0
    if isinstance(table, CollapsedTable):
        chosen = (
            walk
            if isinstance(walk, Walk)
            else choose_subsets_walk(
                table, attributes=names, max_size=max_size, class_sizes=class_sizes, walk=walk, memory=memory
            )
        )
        if chosen.how == "engine":
            walked = walk_engine(table, places, most=most, bound=size, class_sizes=class_sizes, progress=progress)
            return _assessment(names, table, most, limit, chosen, walked)
        if chosen.how == "sample":
            return _estimated(table, names, most, limit, chosen, samples, seed, progress)
        table = fetch_table(table)
    else:
        chosen = _walk_of_arrays(table, walk)
    walked = walk_rows(
        rows_of(table, places), most=most, bound=size, class_sizes=class_sizes, threads=threads, progress=progress
    )
    walked.results[0] = 0
    return _assessment(names, table, most, limit, chosen, walked)


def choose_subsets_walk(
    table: CollapsedTable,
    *,
    attributes: Sequence[str] | None = None,
    max_size: int | None = None,
    class_sizes: bool = False,
    walk: WalkName | None = None,
    memory: str = WALK_MEMORY,
) -> Walk:
    """Choose how `assess_subsets` enumerates the subsets of a table; pass the answer as its `walk`."""
    count = len(attributes) if attributes is not None else len(table.attributes)
    sets = sum(comb(count, members) for members in range(1, _check(count, max_size) + 1))
    return choose_walk(table, attributes=count, sets=sets, walk=walk, memory=memory, class_sizes=class_sizes)


def _check(attributes: int, max_size: int | None) -> int:
    """Return how many attributes a subset may have."""
    if not attributes:
        raise OptionNotUsable("errors.sets.no_attributes")
    if attributes > MOST_EXHAUSTED:
        sets = 2**attributes - 1
        raise OptionNotUsable("errors.sets.too_many_attributes", attributes=attributes, sets=sets, most=MOST_EXHAUSTED)
    if max_size is not None and not 1 <= max_size <= attributes:
        raise OptionNotUsable("errors.sets.max_size", attributes=attributes, max_size=max_size)
    return max_size or attributes


def _walk_of_arrays(table: Table, walk: WalkName | Walk | None) -> Walk:
    if isinstance(walk, Walk):
        return walk
    if walk not in (None, "memory"):
        raise OptionNotUsable("errors.walks.in_memory", walk=walk)
    return Walk("memory", "request" if walk else "size", len(table.counts))


def _estimated(
    table: CollapsedTable,
    names: tuple[str, ...],
    most: int,
    bound: float | None,
    chosen: Walk,
    samples: int,
    seed: int,
    progress: Progress,
) -> SubsetsAssessment:
    if samples < 2:
        raise OptionNotUsable("errors.walks.few_records", samples=samples)
    size = class_size_within(bound) if bound is not None else 0
    found = walk_sample(
        table, table.positions(names), most=most, bound=size, samples=samples, seed=seed, progress=progress
    )
    told = replace(chosen, samples=samples, seed=seed, confidence=CONFIDENCE, error=found.error)
    return _assessment(names, table, most, bound, told, found.walked, found.estimates)


def _assessment(
    names: tuple[str, ...],
    table: Table | CollapsedTable,
    most: int,
    bound: float | None,
    walk: Walk,
    walked: Walked,
    estimates: NDArray[np.float64] | None = None,
) -> SubsetsAssessment:
    found = (walked.results, walked.expected, walk, walked.sizes, estimates)
    return SubsetsAssessment(names, table.records, most, bound, *found, source=table.reading.source)


def class_size_within(risk: float) -> int:
    """Return the smallest class size n whose risk 1/n is at most `risk`: 5 for 0.2, 3 for 1/3, 4 for 0.33."""
    if not 0 < risk <= 1:
        raise OptionNotUsable("errors.sets.limit", risk=risk)
    # The division that risks are computed with decides, so that no rounding stands between them.
    return 1 + bisect_left(range(1, _NO_CLASS), True, key=lambda size: 1 / size <= risk)
