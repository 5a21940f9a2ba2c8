"""The levels of a history at which no attacker's mean risk is above a limit, at the least U.

The attackers are those of Ito, Kikuchi, Nakagawa: Evaluation of some attacker models with distinct background knowledge
of de-identified dataset, on generalized histories (`sudare.histories.attackers.published`). They know days, counts and
items of visits, so that only the levels of dates and items are sought; prices and quantities stay as they are.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.level_cells import EXACT, ColumnLevel, column_level, level_names
from sudare.histories.anonymize.levels import LeveledHistory, check_levels, publish_levels
from sudare.histories.anonymize.rows import MOST_ITEMS
from sudare.histories.attackers.crowds import Weighting
from sudare.histories.attackers.knowledge import TEN_ATTACKERS
from sudare.histories.attackers.published import PublishedAttackers, PublishedRisk
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.purchases import role_columns
from sudare.histories.safety.published_classes import published_classes
from sudare.histories.utility.cost import cell_utility
from sudare.messages import Joined, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# Most dangerous first, as a rule, so that levels that do not suffice are found out soon; those who know all items of a
# visit take longest and come last.
_ORDER = (8, 6, 7, 3, 5, 1, 2, 0, 9, 4)
# Levels of dates of which each is within the next; weeks are not within months.
_CHAINS = (("day", "month", "quarter", "year", "all"), ("day", "week", "all"))

Node = dict[str, ColumnLevel]


@dataclass(frozen=True, slots=True)
class RiskLeveledHistory(LeveledHistory):
    """A history at levels at which no attacker's mean risk is above `mean_limit`, without guaranteed classes.

    A mean says nothing about single customers: `alone`, `unique_customers` and `highest_risk` do. `k` is still the size
    of the smallest class, `risks` are those of the ten attackers, `tried` is the number of level combinations measured.
    """

    mean_limit: float = 1.0
    risks: tuple[PublishedRisk, ...] = ()
    tried: int = 0

    @property
    def alone(self) -> int:
        """The customers whose published rows are unique, for an attacker who knows all of them."""
        return self.sizes.count(1)

    @property
    def unique_customers(self) -> int:
        """The customers that the worst of the ten attackers recognizes with certainty by something it may know."""
        return max((risk.unique_customers or 0 for risk in self.risks), default=0)

    @property
    def highest_risk(self) -> float:
        """The highest probability of any customer being recognized by something that one of the ten may know."""
        return max((risk.highest or 0.0 for risk in self.risks), default=0.0)

    @property
    def highest_mean(self) -> float:
        """The mean risk of the worst of the ten attackers."""
        return max((risk.after for risk in self.risks), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the rows as plain values, the worst case first."""
        return {
            "alone": self.alone,
            "unique_customers": self.unique_customers,
            "highest_risk": self.highest_risk,
            "highest_mean": self.highest_mean,
            "mean_limit": self.mean_limit,
            **LeveledHistory.to_dict(self),
            "risks": [risk.to_dict() for risk in self.risks],
            "tried": self.tried,
        }


@checked
def levels_for_risk(
    original: CellHistory,
    mean_limit: float,
    *,
    levels: Mapping[str, str] | None = None,
    weighting: Weighting = "occurrence",
    seed: int = 0,
    most_items: int = MOST_ITEMS,
    threads: int | None = None,
    progress: Progress = silent,
) -> RiskLeveledHistory:
    """Publish a history with each column at one level so that no attacker's mean risk is above `mean_limit`.

    A mean does not protect single customers: all of them may be unique, and the result says how many are. Of the levels
    that suffice, those with the least U are taken, assuming that wider cells are safer and more costly. Levels may be
    given; levels for dates and items that are not given are chosen, other columns stay exact. If not even `*` for all
    dates and items suffices, OptionNotUsable says which risk can be reached.
    """
    started = time.perf_counter()
    if not 0 < mean_limit <= 1:
        raise OptionNotUsable("errors.anonymize.mean_limit", mean_limit=mean_limit)
    check_levels(original, levels or {})
    with PublishedAttackers(original, weighting=weighting, threads=threads) as attackers:
        search = _Search(original, attackers, mean_limit, levels or {}, most_items, seed, progress)
        best = search.best()
        risks = search.tried[_names(best)] or ()
    history = _published(original, best, seed)
    sizes = published_classes(history).sizes
    return RiskLeveledHistory(
        history, int(sizes.min()), seed, int(sizes.sum()), len(original), 0, tuple(np.sort(sizes).tolist()),
        cell_utility(original, history, most=0).utility, 0.0, True, time.perf_counter() - started, "levels",
        {name: level.name for name, level in best.items()}, mean_limit, risks, len(search.tried),
    )  # fmt: skip


def _names(node: Node) -> tuple[str, ...]:
    return tuple(level.name for level in node.values())


def _cost(node: Node) -> float:
    return sum(float(level.errors.sum()) for level in node.values())


def _published(original: CellHistory, node: Node, seed: int) -> CellHistory:
    # A row is a group of its own: nothing is suppressed.
    return publish_levels(original, node, np.arange(len(original)), np.random.default_rng(seed))


@dataclass(slots=True, eq=False)
class _Search:
    """The levels that were tried: the risks of the ten attackers where they suffice, else None."""

    original: CellHistory
    attackers: PublishedAttackers
    mean_limit: float
    given: Mapping[str, str]
    most_items: int
    seed: int
    progress: Progress
    tried: dict[tuple[str, ...], tuple[PublishedRisk, ...] | None] = field(default_factory=dict)

    def best(self) -> Node:
        """Return the levels that suffice with the least U, of equal ones those tried first."""
        known = role_columns(self.original)
        day, item = known.day.name, known.item.name
        others = {column.name: self.levels(column.name, EXACT.values())[0] for column in self.original.columns}
        items = self.levels(item, level_names(known.item))
        best: Node | None = None
        for chain in _CHAINS:
            days = self.levels(day, chain)
            best = self.better(best, others, {day: days, item: items})
        if best is None:
            raise self._not_enough({**others, day: days[-1], item: items[-1]})
        return best

    def levels(self, name: str, wanted: Iterable[str]) -> list[ColumnLevel]:
        """Return the level that is given for a column, or else those that it has among some, from fine to coarse."""
        names = [self.given[name]] if name in self.given else level_names(self.original.column(name))
        return [
            column_level(self.original, name, level, most_items=self.most_items)
            for level in names
            if name in self.given or level in wanted
        ]

    def better(self, best: Node | None, others: Node, chains: Mapping[str, Sequence[ColumnLevel]]) -> Node | None:
        """Return the best levels so far, or those of the chains that suffice and cost less.

        Days go from fine to coarse, items from coarse to fine as long as that suffices or costs more than the best.
        """
        (day, days), (item, items) = chains.items()
        first, second = 0, len(items) - 1
        while first < len(days) and second >= 0:
            node = {**others, day: days[first], item: items[second]}
            cheaper = best is None or _cost(node) < _cost(best)
            if cheaper and not self.suffices(node):
                first += 1
                continue
            best = node if cheaper else best
            second -= 1
        return best

    def suffices(self, node: Node) -> bool:
        """Measure the attackers until one of them succeeds too often."""
        names = _names(node)
        if names not in self.tried:
            tried = len(self.tried)
            self.progress(message("progress.trying_levels", levels=Joined(names, "comma")), tried, tried + 1)
            self.tried[names] = self._risks(node)
        return self.tried[names] is not None

    def _risks(self, node: Node) -> tuple[PublishedRisk, ...] | None:
        cells = self.attackers.pack(_published(self.original, node, self.seed))
        found = {}
        for number in _ORDER:
            found[number] = replace(self.attackers.measure(cells, TEN_ATTACKERS[number]), attacker=number)
            if found[number].after > self.mean_limit:
                return None
        return tuple(found[number] for number in sorted(found))

    def _not_enough(self, coarsest: Node) -> OptionNotUsable:
        cells = self.attackers.pack(_published(self.original, coarsest, self.seed))
        reached = [self.attackers.measure(cells, known).after for known in TEN_ATTACKERS]
        worst = int(np.argmax(reached))
        levels = Joined([f"{name}={level.name}" for name, level in coarsest.items()], "comma")
        return OptionNotUsable(
            "errors.anonymize.mean_limit_too_low",
            mean_limit=self.mean_limit,
            levels=levels,
            attacker=worst,
            reached=reached[worst],
        )
