"""What would change the answer: shorter periods, a gap between them, and publishing less.

Each case is the untrained attack on the same split history, with one thing changed; numbers of different cases are
comparable with each other, and with the case in which nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from sudare.histories.profiles.attack import attack_profiles
from sudare.histories.profiles.coding import CodedColumn
from sudare.histories.profiles.measures import expected_hits, judge_links
from sudare.histories.profiles.sides import Sides
from sudare.kernels.common.arrays import Bools, Ints
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import share_interval

# What is changed: nothing, the days of the known or the published period, the days between them, or what is published.
Change = Literal["nothing", "known_days", "published_days", "gap_days", "publish"]
# Less than all that can be published: without a column, or coarser.
Publish = Literal["without_price", "without_quantity", "items_only", "item_prefixes", "powers_of_two", "coarse"]
_PARTS = (0.25, 0.5)
_GAPS = (30, 60, 90)
# Letters of an item's name that are published in its place.
PREFIX = 3
# With fewer people than this, a share says little.
_LEAST = 10


@dataclass(frozen=True, slots=True)
class WhatIf(Result):
    """The share of pseudonyms that is identified among the candidates if something were otherwise."""

    change: Change
    value: int | Publish | None
    pseudonyms: int
    candidates: int
    one_to_one: float
    interval: tuple[float, float]


def try_changes(sides: Sides, *, seed: int = 0, progress: Progress = silent) -> tuple[WhatIf, ...]:
    """Attack with one thing changed at a time; the people of both sides have the same numbers.

    What needs single days or columns that are not there is left out.
    """
    if sides.overlapping or sides.grouped:
        return ()
    cases = list(_cases(sides))
    found = []
    for done, (change, value, changed) in enumerate(cases):
        progress(message("progress.trying_changes"), done, len(cases))
        if len(changed.pids) >= _LEAST:
            found.append(_measured(change, value, changed, seed))
    return tuple(found)


def _measured(change: Change, value: int | Publish | None, sides: Sides, seed: int) -> WhatIf:
    links = attack_profiles(sides, trained=False, closed=True, calibrated=False, seed=seed)
    truth = np.searchsorted(sides.customers, sides.pids)
    right = judge_links(links, truth).one_to_one
    hits = expected_hits(right)
    return WhatIf(change, value, len(right), len(sides.customers), hits / len(right), share_interval(hits, len(right)))


def _cases(sides: Sides) -> Iterator[tuple[Change, int | Publish | None, Sides]]:
    yield "nothing", None, sides
    known, published = sides.known.days, sides.published.days
    if known is not None and published is not None:
        first, cut, last = int(known.min()), int(published.min()), int(published.max())
        everything = np.ones(len(known), np.bool_), np.ones(len(published), np.bool_)
        for part in _PARTS:
            days = max(round(part * (cut - first)), 1)
            yield "known_days", days, _with_rows(sides, known >= cut - days, everything[1])
        for part in _PARTS:
            days = max(round(part * (last - cut + 1)), 1)
            yield "published_days", days, _with_rows(sides, everything[0], published < cut + days)
        for gap in _GAPS:
            yield "gap_days", gap, _with_rows(sides, everything[0], published >= cut + gap)
    for name, changed in _publications(sides):
        yield "publish", name, changed


def _with_rows(sides: Sides, known: Bools, published: Bools) -> Sides:
    """Return sides with some of their rows: all known people who have some, and pseudonyms of these people only."""
    (one, people), (other, persons) = sides.known.taken(known), sides.published.taken(published)
    both = np.isin(persons, people)
    other = other.of_people(np.flatnonzero(both))
    return replace(
        sides, known=one, published=other, customers=sides.customers[people], pids=sides.pids[persons[both]],
        groups=np.arange(len(other)), multiplicity=np.ones(len(other), np.int64),
    )  # fmt: skip


def _publications(sides: Sides) -> Iterator[tuple[Publish, Sides]]:
    there = set(sides.sizes)
    for name, gone in (("without_price", {"price"}), ("without_quantity", {"quantity"})):
        if gone < there and len(there) > 2:
            yield name, _without(sides, gone)  # type: ignore[misc]
    if len(there) > 1:
        yield "items_only", _without(sides, {"price", "quantity"})
    prefixes = {"item": _prefixes(sides)}
    powers: dict[str, Ints] = {role: _powers(sides, role) for role in ("price", "quantity") if role in there}
    yield "item_prefixes", _recoded(sides, prefixes)
    if powers:
        yield "powers_of_two", _recoded(sides, powers)
        yield "coarse", _recoded(sides, prefixes | powers)


def _without(sides: Sides, gone: set[str]) -> Sides:
    parts = (
        replace(side, numbers={role: values for role, values in side.numbers.items() if role not in gone})
        for side in (sides.known, sides.published)
    )
    sizes = {role: size for role, size in sides.sizes.items() if role not in gone}
    known, published = parts
    return replace(sides, known=known, published=published, sizes=sizes)


def _recoded(sides: Sides, tables: Mapping[str, Ints]) -> Sides:
    """Return sides with other codes in some columns, by tables of the new one of each."""
    parts = []
    for side in (sides.known, sides.published):
        changed = {
            role: CodedColumn(np.append(table, -1).astype(np.int32)[side.columns[role].numbers])
            for role, table in tables.items()
        }
        parts.append(replace(side, columns={**side.columns, **changed}))
    sizes = {role: int(tables[role].max()) + 1 if role in tables else size for role, size in sides.sizes.items()}
    return replace(sides, known=parts[0], published=parts[1], sizes=sizes)


def _prefixes(sides: Sides) -> Ints:
    """Return by code of an item the number of its first letters."""
    names = np.empty(sides.sizes["item"], object)
    names[sides.item_codes] = [name[:PREFIX] for name in sides.items]
    return np.unique(names.astype(str), return_inverse=True)[1]


def _powers(sides: Sides, role: str) -> Ints:
    """Return by code of a number the power of two below it; numbers below 1 have one code."""
    values = np.ones(sides.sizes[role])
    for side in (sides.known, sides.published):
        numbers = side.columns[role].numbers
        values[numbers[numbers >= 0]] = side.numbers[role][numbers >= 0]
    return np.floor(np.log2(np.maximum(values, 0.5))).astype(np.int64) + 1
