"""What changes if records are added to a table or its values are generalized.

Risk analysis of k-anonymized personal data by attack simulation compares D with D + d and D with D_F. `add_records` and
`generalize_table` make the other table; every analysis can be asked about both, and here is what tells the answers
apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import islice, product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.results import Result, Row
from sudare.showing import dataclass
from sudare.statistics.distinct import Counts, number_rows
from sudare.tables.derived import Derived
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import SetRisk, mask_of, risks_of, row_sizes
from sudare.tables.sets.disclosable import DisclosableSets
from sudare.tables.sets.disclosable_search import Family

# Sets that are listed as entering or leaving; nobody reads more.
MOST_LISTED = 100_000
# Pairs of sets of which the common part is taken: about a second.
MOST_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True)
class RecordsMoved(Result):
    """How the risk of a table's records changes: how many change, and the risks before and after.

    Added records do not count here.
    """

    records: int
    moved: int
    no_longer_unique: int
    max_before: float
    max_after: float
    mean_before: float
    mean_after: float


@checked
def moved_records(derived: Derived, known: Sequence[str] | None = None) -> RecordsMoved:
    """Compare the risk of each record of a table with its risk in a derived table."""
    table = derived.origin
    places = table.positions(known if known is not None else table.attributes)
    before, after = row_sizes(table, places), sizes_in(derived, places)
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


def sizes_in(derived: Derived, places: list[int]) -> Counts:
    """Return the size of the class that each distinct row of a table is in, in a table made of it."""
    table, made = derived.origin, derived.table
    rows = np.empty((len(places), len(made.counts) + len(table.counts)), np.int32)
    for row, a in zip(rows, places, strict=True):
        row[: len(made.counts)], row[len(made.counts) :] = made.codes[a], derived.codes[a][table.codes[a]]
    numbers, found = number_rows(rows)
    sizes = np.zeros(found, np.int64)
    sizes[numbers[: len(made.counts)]] = row_sizes(made, places)
    return sizes[numbers[len(made.counts) :]]


@runtime_checkable
class HasRisk(Protocol):
    """A set of attributes with its risk."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the set."""

    @property
    def max_risk(self) -> float | None:
        """The highest risk of a record, None if only a sample was looked at."""

    @property
    def mean_risk(self) -> float:
        """The mean risk of the records."""


@dataclass(frozen=True, slots=True)
class SetMoved(Result):
    """The risk of a set of attributes before and after."""

    attributes: tuple[str, ...]
    max_before: float
    max_after: float
    mean_before: float
    mean_after: float


@checked
def moved_sets(before: Iterable[HasRisk], after: Iterable[HasRisk]) -> list[SetMoved]:
    """Return the sets in both results whose highest or mean risk changed, largest change of the mean first.

    Estimates from a sample are refused, since they can differ where the true values do not.
    """
    then = {found.attributes: found for found in after}
    pairs = [(old.attributes, _risks(old), _risks(then[old.attributes])) for old in before if old.attributes in then]
    moved = [SetMoved(names, old[0], new[0], old[1], new[1]) for names, old, new in pairs if old != new]
    return sorted(moved, key=lambda pair: -abs(pair.mean_after - pair.mean_before))


def _risks(found: HasRisk) -> tuple[float, float]:
    if found.max_risk is None:
        raise OptionNotUsable("errors.sets.estimated")
    return found.max_risk, found.mean_risk


@checked
def moved_risks(table: Table, made: Table, sets: Sequence[Sequence[str]]) -> list[SetMoved]:
    """Measure attribute sets in a table and in a derived table; return those whose risk changed."""
    masks = list(dict.fromkeys(mask_of(table.positions(names)) for names in sets))

    def risks(measured: Table) -> list[SetRisk]:
        return risks_of(measured, [], range(len(measured.attributes)), masks)

    return moved_sets(risks(table), risks(made))


@dataclass(frozen=True, slots=True)
class SetsChanged(Result):
    """The attribute sets (or level choices) that are in only one of two results.

    Everything listed is correct. If `complete` is False there may be more: a search was cut short, or more than
    MOST_LISTED sets enter or leave.
    """

    _row = ("change", "attributes")

    entered: tuple[Any, ...]
    left: tuple[Any, ...]
    complete: bool = True

    def to_rows(self) -> list[Row]:
        """Return one row per set: whether it entered or left, and its attributes, or the level of each."""
        found = [(change, entry) for change in ("entered", "left") for entry in getattr(self, change)]
        return [
            {"change": change, **(entry if isinstance(entry, Mapping) else {"attributes": list(entry)})}
            for change, entry in found
        ]


@checked
def changed_sets(
    before: Iterable[Mapping[str, Any] | Sequence[str]], after: Iterable[Mapping[str, Any] | Sequence[str]]
) -> SetsChanged:
    """Compare two results that list all their sets: those only in the second, and those only in the first, in order.

    The order of the attributes within a set does not matter.
    """
    old, new = _with_keys(before, "before"), _with_keys(after, "after")
    olds, news = ({key for key, _ in answer} for answer in (old, new))
    return SetsChanged(
        tuple(found for key, found in new if key not in olds), tuple(found for key, found in old if key not in news)
    )


def _with_keys(sets: Iterable[Any], argument: str) -> list[tuple[Hashable, Any]]:
    """Return sets of attributes, or choices of levels, each with what it is compared by."""
    try:
        return [(frozenset(found.items() if isinstance(found, Mapping) else found), found) for found in sets]
    except TypeError:
        raise TypeError(
            f"{argument} is a list of sets of attributes, or of choices of levels (attribute -> level)."
        ) from None


@checked
def changed_disclosable(before: DisclosableSets, after: DisclosableSets) -> SetsChanged:
    """Return the sets that can be disclosed only by the second result, and only by the first, largest first.

    All sets are compared, not only the maximal ones: a set that is no longer maximal can still be disclosed.
    """
    entered, left = _safe_here_only(after, before), _safe_here_only(before, after)
    listed = max(len(entered), len(left)) <= MOST_LISTED
    # With a budget, the answers lack the sets that cost more.
    whole = before.budget is None and after.budget is None
    complete = before.complete and after.complete and listed and whole
    return SetsChanged(tuple(entered[:MOST_LISTED]), tuple(left[:MOST_LISTED]), complete)


def _safe_here_only(here: DisclosableSets, there: DisclosableSets) -> list[tuple[str, ...]]:
    """Return sets, some more than MOST_LISTED at most, that one answer says are safe and the other that they are not.

    Sets are made smaller step by step from the maximal ones, as long as they contain a set that is unsafe in the other
    answer: without one, no part has one either.
    """
    places = _places(here, there)
    unsafe = _family(there.minimal_unsafe, places)
    found: dict[int, tuple[str, ...]] = {}
    for entry in here.maximal:
        mask = mask_of(places[name] for name in entry.attributes)
        waiting = [(mask, entry.attributes, _inside(unsafe, mask))]
        while waiting and len(found) <= MOST_LISTED:
            mask, names, inside = waiting.pop()
            if mask in found or not inside:
                continue
            found[mask] = names
            for name in (name for name in names if name not in here.known):
                bit = 1 << places[name]
                left = tuple(other for other in names if other != name)
                waiting.append((mask ^ bit, left, [other for other in inside if not other & bit]))
    return sorted(found.values(), key=lambda names: (-len(names), [places[name] for name in names]))


def _inside(family: Family, mask: int) -> list[int]:
    """Return the masks of a family that are contained in a mask."""
    rows, count = family.rows()
    outside = (rows[:count] & ~family.split(mask)).any(axis=1)
    return [family.masks[place] for place in np.flatnonzero(~outside)]


@checked
def stayed_disclosable(before: DisclosableSets, after: DisclosableSets) -> list[tuple[str, ...]]:
    """Return the sets that both results allow to disclose, largest first.

    These are the maximal sets, or all sets if both results list all. Where two maximal sets are not common to both,
    their intersection is; of more than MOST_PAIRS such pairs, the first are examined. Every subset of a returned set
    can be disclosed by both.
    """
    places = _places(before, after)
    safe = [_family([entry.attributes for entry in found.maximal], places) for found in (before, after)]
    shown = [
        found.maximal if before.sets is None or after.sets is None else found.sets or () for found in (before, after)
    ]
    sets = dict.fromkeys(entry.attributes for part in shown for entry in part)
    masks = {names: mask_of(places[name] for name in names) for names in sets}
    stayed = dict.fromkeys(names for names, mask in masks.items() if all(one.has_around(mask) for one in safe))
    leaving, entering = (
        [entry.attributes for entry in found.maximal if entry.attributes not in stayed] for found in (before, after)
    )
    common = _common_parts(leaving, entering, _family(stayed, places), places)
    return sorted([*stayed, *common], key=lambda names: -len(names))


def _common_parts(
    ones: Sequence[Sequence[str]], others: Sequence[Sequence[str]], known: Family, places: Mapping[str, int]
) -> list[tuple[str, ...]]:
    """Return the largest common parts of two sets that are not part of a known one; these become known."""
    pairs = islice(product(ones, map(set, others)), MOST_PAIRS)
    found = {tuple(name for name in one if name in other) for one, other in pairs}
    largest = []
    for names in sorted(found, key=lambda names: (-len(names), [places[name] for name in names])):
        mask = mask_of(places[name] for name in names)
        if not known.has_around(mask):
            known.add(mask)
            largest.append(names)
    return largest


def _places(*answers: DisclosableSets) -> dict[str, int]:
    """Return a number for each attribute that stands in answers."""
    names = (name for found in answers for entry in found.maximal for name in entry.attributes)
    unsafe = (name for found in answers for names in found.minimal_unsafe for name in names)
    return {name: place for place, name in enumerate(dict.fromkeys([*names, *unsafe]))}


def _family(sets: Iterable[Sequence[str]], places: Mapping[str, int]) -> Family:
    family = Family(len(places))
    for names in sets:
        family.add(mask_of(places[name] for name in names))
    return family
