"""Which attributes an attacker can afford to learn, and what risk they bring.

Risk analysis of k-anonymized personal data by attack simulation, Algorithm 6; bundles, which reveal several attributes
for one price, are an addition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sudare.arguments import checked
from sudare.data.table import Table
from sudare.progress import Progress, silent
from sudare.risk.attribute_sets import SetRisk, largest_first, members, refuse_too_many, risks_of
from sudare.risk.costs import Bundle, Costs, Number, Offers, price_list, read_costs
from sudare.risk.disclosable_search import Family
from sudare.showing import dataclass

_HINT = "give a smaller budget, name more attributes as known, or do not ask for every set."


@dataclass(frozen=True, slots=True)
class AffordableSet:
    """A set of attributes that an attacker can have, what it costs at least, and its risk."""

    attributes: tuple[str, ...]
    cost: float
    max_risk: float
    mean_risk: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "attributes": list(self.attributes),
            "cost": self.cost,
            "max_risk": self.max_risk,
            "mean_risk": self.mean_risk,
        }


@dataclass(frozen=True, slots=True)
class AffordableSets:
    """The sets of attributes within a budget; each contains what is known.

    `maximal` are those that are contained in no other affordable set, the riskiest first; `sets` are all, if asked
    for, the largest first.
    """

    budget: float
    known: tuple[str, ...]
    maximal: tuple[AffordableSet, ...]
    sets: tuple[AffordableSet, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {
            "budget": self.budget,
            "known": list(self.known),
            "maximal": [entry.to_dict() for entry in self.maximal],
            "sets": None if self.sets is None else [entry.to_dict() for entry in self.sets],
        }


@checked
def affordable_sets(
    table: Table,
    costs: Costs | Mapping[str, Number],
    *,
    budget: Number,
    known: Sequence[str] = (),
    bundles: Sequence[Bundle | tuple[Sequence[str], Number]] = (),
    every: bool = False,
    progress: Progress = silent,
) -> AffordableSets:
    """Find the sets of attributes, the known ones among them, that an attacker can have within the budget.

    The cost of a set is that of the cheapest purchases, single attributes and bundles, that reveal all of it that is
    not known; so a subset of an affordable set is affordable. Costs and budget are exact decimals.
    """
    prices = (costs if isinstance(costs, Costs) else Costs(dict(costs))).with_bundles(bundles)
    fixed = sorted(set(table.positions(known)))
    free = [a for a in range(len(table.attributes)) if a not in fixed]
    offers = price_list(table, free, prices, budget)
    cashier = _Cashier(offers)
    maximal = largest_first(_maximal(offers))
    masks = largest_first(_all_within(cashier, len(free))) if every else maximal
    risks = dict(zip(masks, risks_of(table, fixed, free, masks, progress=progress), strict=True))

    def shown(sets: Sequence[int]) -> tuple[AffordableSet, ...]:
        return tuple(_affordable(risks[mask], cashier.cost(mask), offers.scale) for mask in sets)

    riskiest = sorted(shown(maximal), key=lambda entry: (-entry.max_risk, -entry.mean_risk))
    names = tuple(table.attributes[position] for position in fixed)
    return AffordableSets(float(Fraction(str(budget))), names, tuple(riskiest), shown(masks) if every else None)


def _affordable(risk: SetRisk, cost: int, scale: int) -> AffordableSet:
    return AffordableSet(risk.attributes, float(Fraction(cost, scale)), risk.max_risk, risk.mean_risk)


class _Cashier:
    """Finds the cheapest purchases for a set, exactly: some offer has to reveal its first attribute."""

    def __init__(self, offers: Offers) -> None:
        self.budget = offers.budget
        self._single = offers.single
        self._bundles = offers.bundles
        self._bundled = 0
        for mask, _ in offers.bundles:
            self._bundled |= mask
        self._known: dict[int, int] = {0: 0}

    def cost(self, mask: int) -> int:
        """Return the least cost of purchases that reveal a set."""
        alone = sum(self._single[bit] or 0 for bit in members(mask & ~self._bundled))
        return alone + self._cover(mask & self._bundled)

    def _cover(self, mask: int) -> int:
        if mask not in self._known:
            first = mask & -mask
            alone = self._single[first.bit_length() - 1]
            ways = [alone + self._cover(mask ^ first)] if alone is not None else []
            ways += [cost + self._cover(mask & ~reveals) for reveals, cost in self._bundles if reveals & first]
            self._known[mask] = min(ways)
        return self._known[mask]


def _maximal(offers: Offers) -> list[int]:
    """Return the affordable sets that are contained in no other.

    A maximal set is what some bundles and, with the rest of the budget, as many further attributes as possible
    reveal. Other bundles can reveal more, so the sets of different bundles are compared.
    """
    found: set[int] = set()
    for revealed, left in _bundle_choices(offers.bundles, offers.budget):
        single = [
            (cost, 1 << bit) for bit, cost in enumerate(offers.single) if cost is not None and not revealed >> bit & 1
        ]
        for mask in _fillings(sorted(single), left):
            found.add(revealed | mask)
            refuse_too_many(len(found), _HINT)
    return _outermost(found, len(offers.single)) if offers.bundles else list(found)


def _outermost(masks: set[int], attributes: int) -> list[int]:
    """Return the sets that are contained in no other; larger ones are looked at first."""
    kept = Family(attributes)
    for mask in sorted(masks, key=lambda mask: -mask.bit_count()):
        if not kept.has_around(mask):
            kept.add(mask)
    return kept.masks


def _bundle_choices(
    bundles: Sequence[tuple[int, int]], left: int, revealed: int = 0, first: int = 0
) -> Iterator[tuple[int, int]]:
    """Yield what affordable choices of bundles reveal and what is left of the budget."""
    yield revealed, left
    for i in range(first, len(bundles)):
        mask, cost = bundles[i]
        if cost <= left and mask & ~revealed:
            yield from _bundle_choices(bundles, left - cost, revealed | mask, i + 1)


def _fillings(offers: Sequence[tuple[int, int]], budget: int) -> Iterator[int]:
    """Yield the choices, of offers in rising order of cost, that leave too little for any further offer.

    Each is determined by its first offer that is not taken, which is the cheapest that is not: all before it are
    taken, and of those behind it so much that what is left is less than its cost.
    """
    behind = [0]
    for cost, _ in reversed(offers):
        behind.append(behind[-1] + cost)
    behind.reverse()
    taken = 0
    for i, (cost, mask) in enumerate(offers):
        yield from _choices(offers, behind, i + 1, budget, cost, taken)
        if cost > budget:
            return
        budget -= cost
        taken |= mask
    yield taken


def _choices(
    offers: Sequence[tuple[int, int]], behind: Sequence[int], first: int, left: int, over: int, taken: int
) -> Iterator[int]:
    """Yield the choices of offers from `first` on that cost at most `left` and leave less than `over`."""
    if left - behind[first] >= over:
        return
    if left < over:
        yield taken
    for i in range(first, len(offers)):
        cost, mask = offers[i]
        if cost > left or left - behind[i] >= over:
            return
        yield from _choices(offers, behind, i + 1, left - cost, over, taken | mask)


def _all_within(cashier: _Cashier, attributes: int) -> list[int]:
    """Return all sets within the budget; a set that is too expensive is not extended."""
    found = [0]
    # Every affordable set is made once, by adding its last attribute to the set of the others.
    for mask in found:
        for bit in range(mask.bit_length(), attributes):
            more = mask | (1 << bit)
            if cashier.cost(more) <= cashier.budget:
                found.append(more)
        refuse_too_many(len(found), _HINT)
    return found


__all__ = ["AffordableSet", "AffordableSets", "Bundle", "Costs", "affordable_sets", "read_costs"]
