"""Attributes that are harmless one by one and dangerous together.

Risk analysis of k-anonymized personal data by attack simulation, Algorithm 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, isfinite

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.limits import SEARCH_SECONDS
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.intervals import CONFIDENCE, mean_interval
from sudare.tables.derived import Derived
from sudare.tables.model import Table
from sudare.tables.sets.attribute_sets import names_of
from sudare.tables.sets.costs import Costs, Number, Prices, exact_budget, prices_of
from sudare.tables.sets.dangerous_gains import (
    Gains,
    draw_sets,
    gains_of_all,
    gains_of_drawn,
)

# Sets of attributes that are compared, about an hour for 100,000 distinct rows on two cores; beyond, some are drawn.
MOST_COMBINATIONS = 20_000_000
# Sets that are drawn: an interval of about four percent to either side.
SAMPLES = 2000
MOST_REPORTED = 1000


@dataclass(frozen=True, slots=True)
class DangerousSet(Result):
    """A set of attributes that together raise the risk of some records by more than the factor.

    `records` is the number of these records, `max_factor` the largest rise of any record, `cost` what the attributes
    cost an attacker, if costs were given.
    """

    _optional = ("cost",)

    attributes: tuple[str, ...]
    records: int
    max_factor: float
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class DangerousEstimate(Result):
    """What a sample says about all sets of a size.

    An estimated `share` of the sets is dangerous; with the stated confidence it is between `low` and `high`. It is
    proven that no set raises the risk of a record more than `max_factor_at_most` times. If time or an interruption
    ended the measuring, `drawn` is below the requested `samples`; the drawn sets are still a valid sample.
    """

    drawn: int
    samples: int
    seed: int
    share: float
    low: float
    high: float
    max_factor_at_most: float
    confidence: float = CONFIDENCE


@dataclass(frozen=True, slots=True)
class DangerousSets(Result):
    """The dangerous sets among all sets of one size, largest rise first; `found` includes those not shown.

    If there are too many sets to enumerate, `estimate` says what a random sample shows about all, and `found` and
    `sets` refer to those drawn. With a budget, sets that cost more do not count.
    """

    _rows = ("sets",)
    _row = DangerousSet

    size: int
    factor: float
    combinations: int
    found: int
    sets: tuple[DangerousSet, ...]
    estimate: DangerousEstimate | None = None
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class RiseMoved(Result):
    """The largest rise in risk of any record by an attribute set, before and after."""

    _further = ("difference",)

    attributes: tuple[str, ...]
    before: float
    after: float

    @property
    def difference(self) -> float:
        """The change of the rise, positive if it grew."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class DangerousChange(Result):
    """The dangerous sets of a table and of a derived table; `moved` are those whose largest rise changed.

    Those that change most come first. Drawn sets are the same in both.
    """

    _rows = ("moved",)
    _row = RiseMoved

    before: DangerousSets
    after: DangerousSets
    moved: tuple[RiseMoved, ...]


@checked
def dangerous_sets(
    table: Table,
    *,
    size: int,
    factor: float,
    most: int | None = MOST_REPORTED,
    samples: int | None = None,
    seed: int = 0,
    seconds: float | None = SEARCH_SECONDS,
    costs: Costs | Mapping[str, Number] | None = None,
    budget: Number | None = None,
    by_cost: bool = False,
    threads: int | None = None,
    progress: Progress = silent,
) -> DangerousSets:
    """Find the sets of `size` attributes that raise the risk of some record by more than the factor.

    The rise of a record for a set S is its risk given S divided by the lowest of its risks given one attribute of S.
    All dangerous sets are counted, and the `most` (None: all) with the largest rise are reported; ties are in the order
    of their records, then of the attributes. If there are more than MOST_COMBINATIONS sets, or if `samples` is given, a
    sample is drawn and measured for at most `seconds`. With `costs`, each set has its cost, sets above the `budget` do
    not count, and `by_cost` puts the cheapest first.
    """
    question = _Question(table, size, factor, most, samples, seed, seconds, threads, progress)
    return question.answer(question.measure(table), prices_of(table, costs, budget, by_cost), budget, by_cost)


@checked
def compare_dangerous(
    derived: Derived,
    *,
    size: int,
    factor: float,
    samples: int | None = None,
    seed: int = 0,
    seconds: float | None = SEARCH_SECONDS,
    costs: Costs | Mapping[str, Number] | None = None,
    budget: Number | None = None,
    by_cost: bool = False,
    threads: int | None = None,
    progress: Progress = silent,
) -> DangerousChange:
    """Find the dangerous sets of a table and of a derived table, as `dangerous_sets` does, and how the rises change.

    All sets of both results are reported.
    """
    table = derived.origin
    question = _Question(table, size, factor, None, samples, seed, seconds, threads, progress)
    prices = prices_of(table, costs, budget, by_cost)
    old = question.measure(table)
    new = question.measure(derived.table, most=len(old.gains))
    before, after = (question.answer(measured, prices, budget, by_cost) for measured in (old, new))
    return DangerousChange(before, after, _moved(table, old, new, factor, prices))


def _moved(table: Table, before: Gains, after: Gains, factor: float, prices: Prices | None) -> tuple[RiseMoved, ...]:
    both = min(len(before.gains), len(after.gains))
    old, new = before.gains[:both], after.gains[:both]
    places = np.flatnonzero(((old > factor) | (new > factor)) & (old != new))
    # A set that was drawn twice moves once.
    found = {
        names_of(table, before.members(place)): (float(old[place]), float(new[place])) for place in places.tolist()
    }
    moved = [RiseMoved(names, *rises) for names, rises in found.items() if prices is None or prices.within(names)]
    return tuple(sorted(moved, key=lambda pair: -abs(pair.difference)))


class _Question:
    """Which sets are asked about, and how they are measured."""

    def __init__(
        self,
        table: Table,
        size: int,
        factor: float,
        most: int | None,
        samples: int | None,
        seed: int,
        seconds: float | None,
        threads: int | None,
        progress: Progress,
    ) -> None:
        _check(len(table.attributes), size, factor, most, samples)
        self._table, self._size, self._factor, self._most = table, size, factor, most
        self._seed, self._seconds, self._threads, self._progress = seed, seconds, threads, progress
        self._combinations = comb(len(table.attributes), size)
        few = self._combinations <= (MOST_COMBINATIONS if samples is None else samples)
        self._samples = 0 if few else samples or SAMPLES

    def measure(self, table: Table, most: int | None = None) -> Gains:
        """Measure all sets of a table, or the first of those that are drawn."""
        if not self._samples:
            return gains_of_all(table, self._size, self._factor, self._threads, self._progress)
        sets = draw_sets(len(table.attributes), self._size, self._samples, self._seed)[:most]
        return gains_of_drawn(table, sets, self._factor, self._seconds, self._threads, self._progress)

    def answer(self, found: Gains, prices: Prices | None, budget: Number | None, by_cost: bool) -> DangerousSets:
        """Return the dangerous sets among those measured."""
        dangerous = found.gains > self._factor
        if prices is not None:
            for place in np.flatnonzero(dangerous).tolist():
                dangerous[place] = prices.within(self._names(found, place))
        places = np.flatnonzero(dangerous)
        order = places[np.lexsort((-found.records[places], -found.gains[places]))].tolist()
        if prices is not None and by_cost:
            order.sort(key=lambda place: prices.cost(self._names(found, place)))
        if self._samples:  # a set that was drawn twice is shown once
            order = list({tuple(found.members(place)): place for place in order}.values())
        sets = tuple(self._set(found, place, prices) for place in order[: self._most])
        estimate = self._estimate(found, dangerous) if self._samples else None
        return DangerousSets(
            self._size, self._factor, self._combinations, len(order), sets, estimate, exact_budget(budget)
        )

    def _names(self, found: Gains, place: int) -> tuple[str, ...]:
        return names_of(self._table, found.members(place))

    def _set(self, found: Gains, place: int, prices: Prices | None) -> DangerousSet:
        names = self._names(found, place)
        cost = None if prices is None else prices.cost(names)
        return DangerousSet(names, int(found.records[place]), float(found.gains[place]), cost)

    def _estimate(self, found: Gains, dangerous: NDArray[np.bool_]) -> DangerousEstimate:
        interval = mean_interval(dangerous.astype(np.float64))
        return DangerousEstimate(len(found.gains), self._samples, self._seed, *interval, found.at_most)


def _check(attributes: int, size: int, factor: float, most: int | None, samples: int | None) -> None:
    check_factor(factor)
    if size < 2:
        raise OptionNotUsable("errors.sets.size_too_small", size=size)
    if size > attributes:
        counted = message("count.attributes", count=attributes)
        raise OptionNotUsable("errors.sets.size_too_large", size=size, attributes=counted)
    if samples is not None and samples < 2:
        raise OptionNotUsable("errors.sets.samples", samples=samples)
    if most is not None and most < 1:
        raise OptionNotUsable("errors.sets.most", most=most)


def check_factor(factor: float) -> None:
    """Refuse a factor that no rise can be compared with."""
    if not (factor > 0 and isfinite(factor)):
        raise OptionNotUsable("errors.sets.factor", factor=factor)


__all__ = [
    "DangerousChange",
    "DangerousEstimate",
    "DangerousSet",
    "DangerousSets",
    "RiseMoved",
    "check_factor",
    "compare_dangerous",
    "dangerous_sets",
]
