"""Which attributes an attacker can afford to learn, and the resulting risk.

Risk analysis of k-anonymized personal data by attack simulation, Algorithm 6; bundles, which reveal several attributes
for one price, are an addition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

import numpy as np

from sudare.arguments import checked
from sudare.deadline import Deadline, TimeOver
from sudare.errors import OptionNotUsable
from sudare.interruption import settle
from sudare.limits import SEARCH_SECONDS
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import CONFIDENCE, mean_interval
from sudare.tables.model import Table
from sudare.tables.sets.affordable_draws import Draws
from sudare.tables.sets.attribute_sets import MOST_SETS, SetRisk, largest_first, refuse_too_many, risks_of
from sudare.tables.sets.costs import Bundle, Cashier, Costs, Number, Offers, price_list, read_costs
from sudare.tables.sets.disclosable_search import Family
from sudare.tables.sets.sample import MeanEstimate

# Sets times distinct rows that are measured, less than a minute on two cores; beyond, some sets are drawn.
MOST_WORK = 4_000_000_000
# Sets that are drawn.
SAMPLES = 2000
# Sets that are drawn and measured before the clock is looked at.
_PART = 256
_ADVICE = message("errors.sets.lower_budget")


@dataclass(frozen=True, slots=True)
class AffordableSet(Result):
    """An attribute set that an attacker can afford, its lowest cost, and its risk."""

    attributes: tuple[str, ...]
    cost: float
    max_risk: float
    mean_risk: float


@dataclass(frozen=True, slots=True)
class AffordableEstimate(Result):
    """What a sample says about all maximal sets within a budget; their number is `maximal`, if known.

    The means are over the sets, of the highest and of the mean risk, each with an interval that contains the true value
    with the stated confidence. With the same confidence, at most the share `riskier_at_most` of the sets is riskier
    than the riskiest one drawn. If time or an interruption ended the measuring, `drawn` is below the requested
    `samples`.
    """

    drawn: int
    samples: int
    seed: int
    maximal: int | None
    max_risk: MeanEstimate
    mean_risk: MeanEstimate
    riskier_at_most: float
    confidence: float = CONFIDENCE


@dataclass(frozen=True, slots=True)
class AffordableSets(Result):
    """The attribute sets within a budget; each contains the known attributes.

    `maximal` are the affordable sets contained in no other, riskiest first; `sets` are all of them, if requested,
    largest first. If there are too many to measure, `estimate` says what a random sample shows about all maximal sets,
    and `maximal` are those drawn.
    """

    _rows = ("maximal",)
    _row = AffordableSet

    budget: float
    known: tuple[str, ...]
    maximal: tuple[AffordableSet, ...]
    sets: tuple[AffordableSet, ...] | None = None
    estimate: AffordableEstimate | None = None


@checked
def affordable_sets(
    table: Table,
    costs: Costs | Mapping[str, Number],
    *,
    budget: Number,
    known: Sequence[str] = (),
    bundles: Sequence[Bundle | tuple[Sequence[str], Number]] = (),
    every: bool = False,
    by_cost: bool = False,
    samples: int | None = None,
    seed: int = 0,
    seconds: float | None = SEARCH_SECONDS,
    progress: Progress = silent,
) -> AffordableSets:
    """Find the attribute sets, including the known attributes, that an attacker can buy within the budget.

    The cost of a set is that of the cheapest purchases, single attributes and bundles, that reveal every attribute not
    already known; so every subset of an affordable set is affordable. Costs and budget are exact decimals. `by_cost`
    puts the cheapest maximal sets first. If there are more maximal sets than `samples`, or by default than can be
    measured in a minute, a uniform sample is drawn and measured for at most `seconds`.
    """
    if samples is not None and samples < 2:
        raise OptionNotUsable("errors.sets.samples", samples=samples)
    prices = (costs if isinstance(costs, Costs) else Costs(dict(costs))).with_bundles(bundles)
    fixed = sorted(set(table.positions(known)))
    free = [a for a in range(len(table.attributes)) if a not in fixed]
    offers = price_list(table, free, prices, budget)
    cashier = Cashier(offers)
    names = tuple(table.attributes[position] for position in fixed)
    maximal = _maximal(offers, samples or _most_measured(len(table.counts)))
    if maximal is None:
        refuse_too_many(MOST_SETS + 1 if every else 0, _ADVICE)
        drawn = Draws(offers, _bundle_choices(offers.bundles, offers.budget), seed)
        measured = _measure_drawn(table, fixed, free, drawn, samples or SAMPLES, seconds, progress)
        estimate = _estimate(measured, samples or SAMPLES, seed, drawn.maximal)
    else:
        masks = largest_first(_all_within(cashier, len(free)) if every else maximal)
        measured = list(zip(masks, risks_of(table, fixed, free, masks, progress=progress), strict=True))
        estimate = None
    found = {mask: _affordable(risk, cashier.cost(mask), offers.scale) for mask, risk in measured}
    shown = [found[mask] for mask in (found if maximal is None else largest_first(maximal))]
    riskiest = sorted(shown, key=lambda entry: (entry.cost if by_cost else 0, -entry.max_risk, -entry.mean_risk))
    sets = tuple(found.values()) if every else None
    return AffordableSets(float(Fraction(str(budget))), names, tuple(riskiest), sets, estimate)


def _most_measured(rows: int) -> int:
    return min(MOST_SETS, max(SAMPLES, MOST_WORK // rows))


def _measure_drawn(
    table: Table,
    fixed: list[int],
    free: list[int],
    draws: Draws,
    samples: int,
    seconds: float | None,
    progress: Progress,
) -> list[tuple[int, SetRisk]]:
    """Draw sets and measure them, part by part; if the time is over or the user interrupts, fewer."""
    measured: list[tuple[int, SetRisk]] = []
    source = iter(draws)
    with Deadline(seconds) as deadline:
        try:
            while len(measured) < samples:
                progress(message("progress.drawn_sets"), len(measured), samples)
                part = list(islice(source, min(_PART, samples - len(measured))))
                different = list(dict.fromkeys(part))
                risks = dict(zip(different, risks_of(table, fixed, free, different), strict=True))
                measured += [(mask, risks[mask]) for mask in part]
                deadline.check()
        except (TimeOver, KeyboardInterrupt):
            if not measured:
                raise
            settle()
    return measured


def _estimate(
    measured: Sequence[tuple[int, SetRisk]], samples: int, seed: int, maximal: int | None
) -> AffordableEstimate:
    drawn = len(measured)

    def mean(name: str) -> MeanEstimate:
        return MeanEstimate(*mean_interval(np.asarray([getattr(risk, name) for _, risk in measured])))

    # If a share p of all sets were riskier than all drawn, none of them would be drawn with the chance (1 - p)^drawn.
    riskier = 1 - (1 - CONFIDENCE) ** (1 / drawn)
    return AffordableEstimate(drawn, samples, seed, maximal, mean("max_risk"), mean("mean_risk"), riskier)


def _affordable(risk: SetRisk, cost: int, scale: int) -> AffordableSet:
    return AffordableSet(risk.attributes, float(Fraction(cost, scale)), risk.max_risk, risk.mean_risk)


def _maximal(offers: Offers, most: int) -> list[int] | None:
    """Return the affordable sets that are contained in no other, None if there are more than `most`.

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
            if len(found) > most:
                return None
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
    taken, and enough of those behind it that less than its cost is left.
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


def _all_within(cashier: Cashier, attributes: int) -> list[int]:
    """Return all sets within the budget; a set that is too expensive is not extended."""
    found = [0]
    # Every affordable set is made once, by adding its last attribute to the set of the others.
    for mask in found:
        for bit in range(mask.bit_length(), attributes):
            more = mask | (1 << bit)
            if cashier.cost(more) <= cashier.budget:
                found.append(more)
        refuse_too_many(len(found), _ADVICE)
    return found


__all__ = ["AffordableEstimate", "AffordableSet", "AffordableSets", "Bundle", "Costs", "affordable_sets", "read_costs"]
