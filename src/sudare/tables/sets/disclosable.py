"""Which attributes can be disclosed together without exceeding a risk limit.

Risk analysis of k-anonymized personal data by attack simulation, Algorithm 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.kernels.tables.lattice_ends import BELOW
from sudare.limits import SEARCH_SECONDS
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.tables.classes.rows import rows_of
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import (
    MOST_SETS,
    MOST_WALKED,
    SetRisk,
    class_sizes,
    largest_first,
    mask_of,
    members,
    names_of,
    refuse_too_many,
    risk_from,
    risks_of,
    set_risk,
    walk_with,
)
from sudare.tables.sets.costs import Costs, Number, Prices, exact_budget, prices_of
from sudare.tables.sets.disclosable_search import Rules, Search, subsets_of
from sudare.tables.sets.subsets import class_size_within

# Subsets times distinct rows up to which the walk is as quick as the search, a fraction of a second. For 20 attributes
# and 100,000 distinct rows the search, which prunes, was measured ten to thirty times as quick.
MOST_WALK_WORK = 2**27


@dataclass(frozen=True, slots=True)
class DisclosableSets(Result):
    """The attribute sets that can be disclosed within a risk limit, each including the known attributes.

    A set is safe if no record is in a class of fewer than `class_size` records or, with a quantile, at most
    `allowed_records` records are. `maximal` are the safe sets to which no attribute can be added, largest first: their
    subsets (that contain what is known) are all the safe sets, listed in `sets` if requested. `minimal_unsafe` are the
    unsafe sets whose proper subsets are all safe. If the known attributes alone exceed the limit, `known_safe` is False
    and there are no sets. If time ended the search or the user `interrupted` it, `complete` is False: every set shown
    is right, but there may be more.

    If costs were given, each set has the cost that an attacker pays for what is not already known, and `unsafe_costs`
    are those of `minimal_unsafe`. With a budget, sets that cost more are left out, `over_budget` of the maximal ones.
    """

    _rows = ("maximal",)
    _row = SetRisk

    limit: float
    quantile: float | None
    class_size: int
    allowed_records: int
    known: tuple[str, ...]
    known_safe: bool
    complete: bool
    maximal: tuple[SetRisk, ...]
    minimal_unsafe: tuple[tuple[str, ...], ...]
    sets: tuple[SetRisk, ...] | None = None
    interrupted: bool = False
    budget: float | None = None
    over_budget: int = 0
    unsafe_costs: tuple[float, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "limit": self.limit,
            "quantile": self.quantile,
            "class_size": self.class_size,
            "allowed_records": self.allowed_records,
            "known": list(self.known),
            "known_safe": self.known_safe,
            "complete": self.complete,
            "interrupted": self.interrupted,
            "maximal": [list(entry.attributes) for entry in self.maximal],
            "maximal_risks": [entry.to_dict() for entry in self.maximal],
            "minimal_unsafe": [list(attributes) for attributes in self.minimal_unsafe],
            "sets": None if self.sets is None else [entry.to_dict() for entry in self.sets],
            **self._costs(),
        }

    def _costs(self) -> dict[str, Any]:
        if self.unsafe_costs is None:
            return {}
        return {"budget": self.budget, "over_budget": self.over_budget, "unsafe_costs": list(self.unsafe_costs)}


@dataclass(frozen=True, slots=True)
class _Found:
    """Sets as masks over the free attributes, with the risks of the maximal ones."""

    maximal: list[SetRisk]
    minimal_unsafe: list[int]
    sets: list[SetRisk] | None
    complete: bool = True
    interrupted: bool = False


@checked
def disclosable_sets(
    table: Table,
    *,
    limit: float,
    known: Sequence[str] = (),
    quantile: float | None = None,
    every: bool = False,
    seconds: float | None = SEARCH_SECONDS,
    costs: Costs | Mapping[str, Number] | None = None,
    budget: Number | None = None,
    by_cost: bool = False,
    progress: Progress = silent,
) -> DisclosableSets:
    """Find the attribute sets, including the known attributes, whose highest risk is at most the limit.

    With a `quantile` q, a share 1 - q of the records may exceed the limit. Small tables are searched exhaustively; for
    others the search is exact too, but returns what it has found after `seconds` or an interruption. With `costs`, each
    set has its cost, sets that cost more than `budget` are left out, and `by_cost` puts the cheapest first; known
    attributes cost nothing.
    """
    prices = prices_of(table, costs, budget, by_cost, known=known)
    rules = _rules(table, limit, quantile)
    fixed = sorted(set(table.positions(known)))
    free = [a for a in range(len(table.attributes)) if a not in fixed]
    known_safe = class_sizes(table, fixed).below(rules.bound) <= rules.allowed
    if not known_safe:
        found = _Found([], [0], [] if every else None)
    elif len(free) <= MOST_WALKED and len(table.counts) << len(free) <= MOST_WALK_WORK:
        found = _walk(table, fixed, free, rules, every, progress)
    else:
        found = _search(table, fixed, free, rules, every, seconds, progress)
    answer = DisclosableSets(
        limit, quantile, rules.bound, rules.allowed, names_of(table, fixed), known_safe, found.complete,
        tuple(found.maximal),
        tuple(names_of(table, [*fixed, *(free[bit] for bit in members(mask))]) for mask in found.minimal_unsafe),
        None if found.sets is None else tuple(found.sets), found.interrupted, exact_budget(budget),
    )  # fmt: skip
    return _priced(answer, prices, by_cost) if prices else answer


def _priced(found: DisclosableSets, prices: Prices, by_cost: bool) -> DisclosableSets:
    """Return an answer with the costs of its sets, without those over the budget."""

    def priced(sets: Sequence[SetRisk]) -> tuple[SetRisk, ...]:
        kept = [replace(one, cost=prices.cost(one.attributes)) for one in sets if prices.within(one.attributes)]
        return tuple(sorted(kept, key=lambda one: one.cost or 0.0) if by_cost else kept)

    unsafe = [(prices.cost(names), names) for names in found.minimal_unsafe if prices.within(names)]
    if by_cost:
        unsafe.sort(key=lambda pair: pair[0])
    maximal = priced(found.maximal)
    return replace(
        found,
        maximal=maximal,
        sets=None if found.sets is None else priced(found.sets),
        minimal_unsafe=tuple(names for _, names in unsafe),
        unsafe_costs=tuple(cost for cost, _ in unsafe),
        over_budget=len(found.maximal) - len(maximal),
    )


def _rules(table: Table, limit: float, quantile: float | None) -> Rules:
    """Return the smallest class that is safe, and how many records may be in smaller ones."""
    bound = class_size_within(limit)
    if quantile is None:
        return Rules(bound, 0)
    if not 0 < quantile <= 1:
        raise OptionNotUsable("errors.sets.quantile", quantile=quantile)
    # As the quantile is written: 0.9 of ten records leave one, although 1 - 0.9 is a little less in binary.
    return Rules(bound, floor((1 - Fraction(repr(float(quantile)))) * table.records))


def _walk(table: Table, known: list[int], free: list[int], rules: Rules, every: bool, progress: Progress) -> _Found:
    """Exhaust the subsets.

    Safe is closed downwards for a quantile too: adding an attribute only splits classes, so a record in a class below
    the bound stays in one, and the records below the bound only become more.
    """
    walked = walk_with(table, known, free, bound=rules.bound, progress=progress)
    safe = walked.results[:, BELOW] <= rules.allowed
    maximal = largest_first(np.flatnonzero(_maximal(safe)).tolist())
    unsafe = _smallest_first(np.flatnonzero(_minimal_unsafe(safe)).tolist())
    sets = largest_first(np.flatnonzero(safe).tolist()) if every else []
    refuse_too_many(len(sets), _ADVICE)

    def risks(masks: Iterable[int]) -> list[SetRisk]:
        return [risk_from(table, known, free, mask, walked) for mask in masks]

    return _Found(risks(maximal), unsafe, risks(sets) if every else None)


_ADVICE = message("errors.sets.ask_for_maximal")


def _maximal(safe: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the safe sets that are not safe with any further attribute."""
    maximal = safe.copy()
    for bit in range(len(safe).bit_length() - 1):
        pairs, verdicts = maximal.reshape(-1, 2, 1 << bit), safe.reshape(-1, 2, 1 << bit)
        pairs[:, 0] &= ~verdicts[:, 1]
    return maximal


def _minimal_unsafe(safe: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the unsafe sets that are safe without any one of their attributes."""
    minimal = ~safe
    for bit in range(len(safe).bit_length() - 1):
        pairs, verdicts = minimal.reshape(-1, 2, 1 << bit), safe.reshape(-1, 2, 1 << bit)
        pairs[:, 1] &= verdicts[:, 0]
    return minimal


def _smallest_first(masks: Iterable[int]) -> list[int]:
    return sorted(masks, key=lambda mask: (mask.bit_count(), list(members(mask))))


def _search(
    table: Table,
    known: list[int],
    free: list[int],
    rules: Rules,
    every: bool,
    seconds: float | None,
    progress: Progress,
) -> _Found:
    """Search the sets of the attributes that are safe one by one; the others are unsafe sets of their own."""
    harmless, alone = _safe_alone(table, known, free, rules)
    rows = rows_of(table, [*(free[bit] for bit in harmless), *known])
    search = Search(rows, len(known), rules, seconds, progress)
    search.run()

    def renamed(mask: int) -> int:
        return mask_of(harmless[bit] for bit in members(mask))

    statistics = {renamed(mask): numbers for mask, numbers in search.found.items()}
    maximal = [set_risk(table, known, free, mask, *statistics[mask]) for mask in largest_first(statistics)]
    unsafe = [*(1 << bit for bit in alone), *map(renamed, search.unsafe.masks)]
    sets = _every(table, known, free, list(statistics), progress) if every else None
    return _Found(maximal, _smallest_first(unsafe), sets, search.complete, search.interrupted)


def _safe_alone(table: Table, known: list[int], free: list[int], rules: Rules) -> tuple[list[int], list[int]]:
    """Return the attributes that are safe with the known ones, those that tell most apart first, and the unsafe."""
    crowding: dict[int, float] = {}
    unsafe = []
    for bit, position in enumerate(free):
        sizes = class_sizes(table, [position, *known])
        if sizes.below(rules.bound) > rules.allowed:
            unsafe.append(bit)
        else:
            crowding[bit] = float((sizes.records * np.log(sizes.size)).sum())
    return sorted(crowding, key=lambda bit: crowding[bit]), unsafe


def _every(table: Table, known: list[int], free: list[int], maximal: list[int], progress: Progress) -> list[SetRisk]:
    masks = subsets_of(maximal, MOST_SETS)
    refuse_too_many(len(masks), _ADVICE)
    return risks_of(table, known, free, largest_first(masks), progress=progress)


__all__ = ["DisclosableSets", "disclosable_sets"]
