"""The remaining utility of baskets (T. Nakagawa, Arai, H. Nakagawa: Personalized anonymization, 2.3, 4.2).

Items of the two data sets are matched by name; a published item that the original does not have is an error.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.matching import match_published
from sudare.baskets.model import Baskets
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.itemsets import AssociationRules, FrequentItemsets, association_rules, frequent_itemsets

# The thresholds of section 4.2.2.
RULE_SUPPORT, RULE_CONFIDENCE, MOST_RULES = 0.0005, 0.3, 100
MOST_ITEMSETS = 100
# Larger ones are hardly ever among the most frequent, and few items that all stand together would make millions.
LARGEST_ITEMSET = 3


@dataclass(frozen=True, slots=True)
class RulesDistance(Result):
    """How far the strongest rules of two data sets differ: formula (9), and the numbers behind it."""

    original: int
    published: int
    shared: int

    @property
    def distance(self) -> float:
        """The Jaccard distance: 0 the same rules, 1 none in common; 0 if there are no rules at all."""
        union = self.original + self.published - self.shared
        return 1 - self.shared / union if union else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the distance as plain values."""
        return {"distance": self.distance, **Result.to_dict(self)}


@dataclass(frozen=True, slots=True)
class SupportErrors(Result):
    """The relative change in support of the original's most frequent itemsets; 0 if there are none."""

    itemsets: int
    mean: float
    median: float
    largest: float


@dataclass(frozen=True, slots=True)
class BasketLoss(Result):
    """The loss of a suppression by the three measures of the paper; no distance if there are too many rules."""

    suppressed_share: float
    kl_divergence: float
    rules_distance: float | None


@dataclass(frozen=True, slots=True)
class BasketUtility(Result):
    """The remaining utility of baskets: all measures at once."""

    suppressed_share: float
    kl_divergence: float
    rules: RulesDistance
    support_errors: SupportErrors


@checked
def basket_utility(
    original: Baskets,
    published: Baskets,
    *,
    support: float = RULE_SUPPORT,
    confidence: float = RULE_CONFIDENCE,
    most: int = MOST_RULES,
) -> BasketUtility:
    """Measure the remaining utility of published baskets; the options are those for rules and itemsets.

    Raises BadRows unless the published baskets are a suppression of the original, record by record.
    """
    published = match_published(original, published)
    return BasketUtility(
        suppressed_share(original, published),
        kl_divergence(original, published),
        compare_rules(original, published, support=support, confidence=confidence, most=most),
        support_errors(original, published, most=most),
    )


@checked
def basket_loss(original: Baskets, published: Baskets) -> BasketLoss:
    """Return the loss of published baskets by formulas (2), (3) and (9)."""
    try:
        distance = rules_distance(original, published)
    except OptionNotUsable:
        distance = None
    return BasketLoss(suppressed_share(original, published), kl_divergence(original, published), distance)


@checked
def suppressed_share(original: Baskets, published: Baskets) -> float:
    """Return the suppressed share of all item occurrences, formula (2); 0 if there were none."""
    before, after = original.supports(), _supports_by_name(original, published)
    return float((before - after).sum() / before.sum()) if before.sum() else 0.0


@checked
def kl_divergence(original: Baskets, published: Baskets) -> float:
    """Return how far the item frequencies moved, formula (3), with the natural logarithm.

    An item that disappeared contributes nothing. If nothing is published, the divergence is therefore 0: look at the
    suppressed share as well.
    """
    before, after = original.supports(), _supports_by_name(original, published)
    there = after > 0
    if not there.any():
        return 0.0
    new, old = after[there] / after.sum(), before[there] / before.sum()
    # Rounding could make it a little less than the least it can be.
    return max(0.0, float((new * np.log(new / old)).sum()))


@checked
def rules_distance(
    original: Baskets,
    published: Baskets,
    *,
    support: float = RULE_SUPPORT,
    confidence: float = RULE_CONFIDENCE,
    most: int = MOST_RULES,
) -> float:
    """Return the Jaccard distance between the strongest association rules of two data sets, formula (9).

    For each data set the `most` rules with the largest support count; ties go to the more confident rule, then to the
    order of their items. The support is a share of the records of each data set, empty records included.
    """
    return compare_rules(original, published, support=support, confidence=confidence, most=most).distance


def compare_rules(
    original: Baskets,
    published: Baskets,
    *,
    support: float = RULE_SUPPORT,
    confidence: float = RULE_CONFIDENCE,
    most: int = MOST_RULES,
) -> RulesDistance:
    """Return the distance of `rules_distance` with the numbers of rules behind it."""
    before, after = (
        _as_pairs(association_rules(baskets, support, confidence, most=most)) for baskets in (original, published)
    )
    return RulesDistance(len(before), len(after), len(before & after))


@checked
def support_errors(original: Baskets, published: Baskets, *, most: int = MOST_ITEMSETS) -> SupportErrors:
    """Return how far the supports of the original's `most` most frequent itemsets of up to three items changed."""
    found = _top_itemsets(original, most)
    if not len(found) or not most:
        return SupportErrors(0, 0.0, 0.0, 0.0)
    owners = _owners_by_name(published)
    shown = range(min(most, len(found)))
    after = np.asarray([_support(found.itemset(n), owners) for n in shown])
    errors = np.abs(after - found.supports[: len(shown)]) / found.supports[: len(shown)]
    return SupportErrors(len(shown), float(errors.mean()), float(np.median(errors)), float(errors.max()))


def _top_itemsets(baskets: Baskets, most: int) -> FrequentItemsets:
    """Return the most frequent itemsets, at least `most` if there are that many, most frequent first."""
    supports = np.sort(baskets.supports())[::-1]
    least = max(1, int(supports[: max(most, 1)].min(initial=len(baskets))))
    while True:
        found = frequent_itemsets(baskets, least, max_size=LARGEST_ITEMSET)
        if least == 1 or len(found) >= most:
            return found
        least = max(1, least // 2)


def _support(names: tuple[str, ...], owners: dict[str, NDArray[np.int64]]) -> int:
    lists = [owners.get(name, np.empty(0, np.int64)) for name in names]
    return len(reduce(lambda some, others: np.intersect1d(some, others, assume_unique=True), lists))


def _owners_by_name(baskets: Baskets) -> dict[str, NDArray[np.int64]]:
    """Return the records of each item."""
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    lists = np.split(owner[np.argsort(baskets.items, kind="stable")], np.cumsum(baskets.supports())[:-1])
    return dict(zip(baskets.names, lists, strict=True)) if baskets.names else {}


def _as_pairs(found: AssociationRules) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    return {(rule.known, rule.inferred) for rule in found.rules}


def _supports_by_name(original: Baskets, published: Baskets) -> NDArray[np.int64]:
    """Return the published supports of the original's items."""
    supports = published.supports()
    if published.names == original.names:
        return supports
    places = {name: place for place, name in enumerate(original.names)}
    strange = next((name for name in published.names if name not in places), None)
    if strange is not None:
        raise OptionNotUsable("errors.baskets.unknown_item", item=strange)
    found = np.zeros(len(original.names), np.int64)
    found[[places[name] for name in published.names]] = supports
    return found
