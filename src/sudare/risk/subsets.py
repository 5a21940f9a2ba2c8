"""The risk of every subset of attributes: exhaustion made cheap.

Risk analysis of k-anonymized personal data by attack simulation, Algorithms 1 and 2 for all sets of known attributes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.data.table import Table
from sudare.data.writing import check_table_ending, whole_file
from sudare.engine import quote_text
from sudare.errors import OptionNotUsable
from sudare.kernels.lattice import BELOW, CLASSES, SMALLEST, UNIQUES, number_keys, walk
from sudare.limits import MOST_EXHAUSTED
from sudare.progress import Progress, silent

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Results = NDArray[np.int64]

# The first attributes whose presence or absence makes a task of its own.
MOST_SPLIT = 6


@dataclass(frozen=True, slots=True)
class SubsetRisk:
    """How well a set of known attributes singles out records.

    The risk of a record is 1 / the number of records like it; `share_above` is the share of the records whose risk is
    above the bound that was asked for (None if none was).
    """

    attributes: tuple[str, ...]
    classes: int
    max_risk: float
    mean_risk: float
    uniques: int
    share_above: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**asdict(self), "attributes": list(self.attributes)}


@dataclass(frozen=True, slots=True, eq=False)
class SubsetsAssessment:
    """The risk of every subset of some attributes, kept as arrays; `subset` and `ranked` read them."""

    attributes: tuple[str, ...]
    records: int
    most: int
    bound: float | None
    results: Results

    def __len__(self) -> int:
        return int(np.count_nonzero(self.results[:, CLASSES]))

    def subset(self, attributes: Sequence[str]) -> SubsetRisk:
        """Return the risk of one subset."""
        return self._risk(sum(1 << self.attributes.index(name) for name in attributes))

    def ranked(self, by: str = "mean_risk", most: int | None = None) -> list[SubsetRisk]:
        """Return subsets, the largest first by a measure or by `size` (then in the order of the attributes)."""
        masks = np.flatnonzero(self.results[:, CLASSES])
        order = np.lexsort((masks, _sizes(masks), -self._measure(by)[masks]))
        return [self._risk(int(mask)) for mask in masks[order][:most]]

    def _measure(self, by: str) -> NDArray[np.float64]:
        columns = {"mean_risk": CLASSES, "classes": CLASSES, "uniques": UNIQUES, "share_above": BELOW}
        if by == "max_risk":
            return 1 / np.maximum(self.results[:, SMALLEST], 1)
        if by == "size":
            return -_sizes(np.arange(len(self.results))).astype(np.float64)
        if by not in columns:
            raise OptionNotUsable(f"There is no measure {by!r}.\nHint: {', '.join([*columns, 'max_risk', 'size'])}.")
        return self.results[:, columns[by]].astype(np.float64)

    def _risk(self, mask: int) -> SubsetRisk:
        row = self.results[mask]
        names = tuple(name for bit, name in enumerate(self.attributes) if (mask >> bit) & 1)
        above = float(row[BELOW]) / self.records if self.bound is not None else None
        return SubsetRisk(
            names,
            int(row[CLASSES]),
            1 / int(row[SMALLEST]),
            float(row[CLASSES]) / self.records,
            int(row[UNIQUES]),
            above,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all subsets as plain values, the smallest sets first."""
        return {
            "attributes": list(self.attributes),
            "records": self.records,
            "bound": self.bound,
            "subsets": [risk.to_dict() for risk in self.ranked("size")],
        }


def _sizes(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bitwise_count(masks).astype(np.int64)


def assess_subsets(
    table: Table,
    *,
    attributes: Sequence[str] | None = None,
    max_size: int | None = None,
    bound: float | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> SubsetsAssessment:
    """Measure the risk of every subset of the attributes (all if None) with at most `max_size` members.

    `bound` asks for the share of records whose risk is above it. More attributes than MOST_EXHAUSTED are refused.
    """
    names = tuple(attributes) if attributes is not None else table.attributes
    places = table.positions(names)
    if len(names) > MOST_EXHAUSTED:
        raise OptionNotUsable(
            f"{len(names)} attributes have {2 ** len(names) - 1:,} subsets, too many to go through.\n"
            f"Hint: choose at most {MOST_EXHAUSTED} with --attributes, or draw some with `sudare risk sample`."
        )
    if max_size is not None and not 1 <= max_size <= len(names):
        raise OptionNotUsable(
            f"A subset of {len(names)} attributes cannot have {max_size} members.\nHint: 1 to {len(names)}."
        )
    codes, counts = collapse(np.ascontiguousarray(table.codes[places]), table.counts)
    smaller_than = class_size_within(bound) if bound is not None else 0
    results = walk_subsets(codes, counts, most=max_size, bound=smaller_than, threads=threads, progress=progress)
    return SubsetsAssessment(names, table.records, max_size or len(names), bound, results)


def class_size_within(risk: float) -> int:
    """Return the smallest class size n whose risk 1/n is at most `risk`: 5 for 0.2, 3 for 1/3, 4 for 0.33."""
    if not 0 < risk <= 1:
        raise OptionNotUsable(f"A risk is above 0 and at most 1, not {risk}.\nHint: 0.2 means one in five.")
    # The division that risks are computed with decides, so that no rounding stands between them.
    size = max(1, int(min(1 / risk, 2.0**53)) - 1)
    while 1 / size > risk and size < 2**53:
        size += 1
    return size


def write_subsets(table: Table, found: SubsetsAssessment, path: str | Path) -> int:
    """Write all subsets to a CSV or Parquet file, the smallest sets first; return how many."""
    target = Path(path)
    check_table_ending(target)
    masks = np.flatnonzero(found.results[:, CLASSES])
    masks = masks[np.lexsort((masks, _sizes(masks)))]
    rows = found.results[masks]
    columns: dict[str, NDArray[Any]] = {"position": np.arange(len(masks)), "size": _sizes(masks), "mask": masks}
    columns["classes"], columns["uniques"], columns["smallest"] = rows[:, CLASSES], rows[:, UNIQUES], rows[:, SMALLEST]
    columns["below"] = rows[:, BELOW]
    table.engine.attach_columns("sudare_subsets", columns)
    members = ", ".join(
        f"CASE WHEN (mask >> {bit}) & 1 = 1 THEN {quote_text(name)} END" for bit, name in enumerate(found.attributes)
    )
    above = f", below / {found.records} AS share_above" if found.bound is not None else ""
    with whole_file(target) as temporary:
        table.engine.write(
            f"SELECT concat_ws(' + ', {members}) AS attributes, size, classes, 1 / smallest AS max_risk, "
            f"classes / {found.records} AS mean_risk, uniques{above} FROM sudare_subsets ORDER BY position",
            temporary,
        )
    return len(masks)


def collapse(codes: Codes, weights: Counts) -> tuple[Codes, Counts]:
    """Return the distinct rows and their summed weights, in the order in which they first stand there."""
    attributes, n = codes.shape
    numbers = np.zeros(n, np.int64)
    found = min(n, 1)
    a = 0
    while a < attributes:
        # As many columns at once as fit into one 63-bit key beside the number so far.
        keys = numbers.copy()
        room = (2**63 - 1) // max(found, 1)
        while a < attributes and (size := int(codes[a].max(initial=0)) + 1) <= room:
            keys = keys * size + codes[a]
            room //= size
            a += 1
        found = number_keys(keys, numbers)
    if found == n:
        return codes, weights
    firsts = np.empty(found, np.int64)
    firsts[numbers[::-1]] = np.arange(n - 1, -1, -1)
    summed = np.bincount(numbers, weights=weights, minlength=found).astype(np.int64)
    return np.ascontiguousarray(codes[:, firsts]), summed


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
    ordered = np.ascontiguousarray(codes[order])
    split = max(0, min(MOST_SPLIT, u - 6))
    results = np.zeros((1 << u, 4), np.int64)
    most = u if most is None else most

    def task(prefix: int) -> None:
        """Walk the subsets that agree with a mask on the first attributes, without those it leaves out."""
        kept, weights = ordered, counts
        for a in range(split - 1, -1, -1):
            if not (prefix >> a) & 1:
                kept, weights = collapse(np.delete(kept, a, axis=0), weights)
        forced = prefix.bit_count()
        if forced > most:
            return
        sizes = kept.max(axis=1).astype(np.int64) + 1
        walk(kept, weights, sizes, forced, most - forced, bound, results[prefix :: 1 << split])

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        tasks = [pool.submit(task, prefix) for prefix in range(1 << split)]
        for done, finished in enumerate(as_completed(tasks), start=1):
            finished.result()
            progress("subsets", done, len(tasks))
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


def _renamed(results: Results, order: NDArray[np.intp]) -> Results:
    """Rename the bits of the masks: bit i of the walk stands for attribute order[i]."""
    masks = np.arange(len(results))
    renamed = np.zeros_like(masks)
    for bit, attribute in enumerate(order):
        renamed |= ((masks >> bit) & 1) << int(attribute)
    found = np.empty_like(results)
    found[renamed] = results
    return found
