"""What changes if records are added to a table or its values are generalized.

Risk analysis of k-anonymized personal data by attack simulation compares D with D + d and D with D_F. `add_records` and
`generalize_table` make the other table; every analysis can be asked about both, and here is what tells the answers
apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from sudare.data.distinct import Counts, number_rows
from sudare.data.table import Derived, Table
from sudare.risk.attribute_sets import row_sizes


@dataclass(frozen=True, slots=True)
class RecordsMoved:
    """What becomes of the risk of the records of a table: how many have another one, and the risks before and after.

    Records that were added do not count here.
    """

    records: int
    moved: int
    no_longer_unique: int
    max_before: float
    max_after: float
    mean_before: float
    mean_after: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


def moved_records(table: Table, derived: Derived, known: Sequence[str] | None = None) -> RecordsMoved:
    """Compare the risk of each record of a table with its risk in a table made of it."""
    places = table.positions(known if known is not None else table.attributes)
    before, after = row_sizes(table, places), _sizes_in(table, derived, places)
    records = table.records
    return RecordsMoved(
        records,
        moved=int(table.counts[before != after].sum()),
        no_longer_unique=int(table.counts[(before == 1) & (after > 1)].sum()),
        max_before=float(1 / before.min()),
        max_after=float(1 / after.min()),
        mean_before=float((table.counts / before).sum() / records),
        mean_after=float((table.counts / after).sum() / records),
    )


def _sizes_in(table: Table, derived: Derived, places: list[int]) -> Counts:
    """Return the size of the class that each distinct row of a table is in, in a table made of it."""
    made = derived.table
    rows = np.empty((len(places), len(made.counts) + len(table.counts)), np.int32)
    for row, a in zip(rows, places, strict=True):
        row[: len(made.counts)], row[len(made.counts) :] = made.codes[a], derived.codes[a][table.codes[a]]
    numbers, found = number_rows(rows)
    sizes = np.zeros(found, np.int64)
    sizes[numbers[: len(made.counts)]] = row_sizes(made, places)
    return sizes[numbers[len(made.counts) :]]


class HasRisk(Protocol):
    """A set of attributes with its risk."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the set."""

    @property
    def max_risk(self) -> float:
        """The highest risk of a record."""

    @property
    def mean_risk(self) -> float:
        """The mean risk of the records."""


@dataclass(frozen=True, slots=True)
class SetMoved:
    """The risk of a set of attributes before and after."""

    attributes: tuple[str, ...]
    max_before: float
    max_after: float
    mean_before: float
    mean_after: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**asdict(self), "attributes": list(self.attributes)}


def moved_sets(before: Iterable[HasRisk], after: Iterable[HasRisk]) -> list[SetMoved]:
    """Return the sets in both answers whose highest or mean risk is another, the largest move of the mean first."""
    then = {found.attributes: found for found in after}
    pairs = [(old, then[old.attributes]) for old in before if old.attributes in then]
    moved = [
        SetMoved(old.attributes, old.max_risk, new.max_risk, old.mean_risk, new.mean_risk)
        for old, new in pairs
        if (old.max_risk, old.mean_risk) != (new.max_risk, new.mean_risk)
    ]
    return sorted(moved, key=lambda pair: -abs(pair.mean_after - pair.mean_before))


@dataclass(frozen=True, slots=True)
class SetsChanged:
    """The sets of attributes (or choices of levels) that are part of one answer only."""

    entered: tuple[Any, ...]
    left: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {name: [_plain(found) for found in getattr(self, name)] for name in ("entered", "left")}


def changed_sets(before: Iterable[Any], after: Iterable[Any]) -> SetsChanged:
    """Return what is in the second answer only, and what is in the first only, in their order."""
    old, new = list(before), list(after)
    return SetsChanged(tuple(s for s in new if s not in old), tuple(s for s in old if s not in new))


def _plain(found: Any) -> Any:
    return dict(found) if isinstance(found, dict) else list(found)
