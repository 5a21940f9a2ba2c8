"""What is bought together: frequent itemsets and association rules (Agrawal, Srikant 1994; Zaki 2000)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.kernels.common.eclat import mine
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.item_records import ItemRecords
from sudare.statistics.record_index import RecordIndex

# Itemsets and rules that are listed; the lists take up to half a gigabyte. A lower threshold soon gives billions.
MOST_ITEMSETS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class FrequentItemsets(Result):
    """Itemsets in at least `least` records: itemset n is `items[starts[n] : starts[n + 1]]`, in `supports[n]` records.

    The most frequent come first; ties go to the smaller itemset, then to the order of the items.
    """

    records: int
    least: int
    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.supports)

    @checked
    def itemset(self, n: int) -> tuple[str, ...]:
        """Return the item names of an itemset."""
        return tuple(self.names[item] for item in self.items[self.starts[n] : self.starts[n + 1]])

    @property
    def largest_size(self) -> int:
        """The number of items in the largest itemset."""
        return int(np.diff(self.starts).max(initial=0))

    @checked
    def to_rows(self, most: int | None = None) -> list[dict[str, Any]]:
        """Return one dictionary per itemset, or for the first `most`."""
        shown = len(self) if most is None else min(most, len(self))
        return [
            {"items": list(self.itemset(n)), "support": support, "share": support / self.records}
            for n, support in enumerate(self.supports[:shown].tolist())
        ]

    @checked
    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return everything as plain values; `itemsets` is the number of itemsets."""
        return {
            "records": self.records,
            "least": self.least,
            "itemsets": len(self),
            "largest_size": self.largest_size,
            "frequent": self.to_rows(most),
        }


@dataclass(frozen=True, slots=True)
class Rule(Result):
    """Records with the known items also have the inferred items, with a confidence.

    `support` records have all of them; `lift` is the confidence divided by the share of all records that have the
    inferred items.
    """

    known: tuple[str, ...]
    inferred: tuple[str, ...]
    support: int
    confidence: float
    lift: float


@dataclass(frozen=True, slots=True)
class AssociationRules(Result):
    """The rules found, largest support first; ties go to the more confident rule, then to the order of the items.

    `least` is the minimum number of records that have all items of a rule.
    """

    _rows = ("rules",)
    _row = Rule

    records: int
    least: int
    confidence: float
    rules: tuple[Rule, ...]


@checked
def frequent_itemsets(baskets: ItemRecords, support: float, *, max_size: int | None = None) -> FrequentItemsets:
    """Return the itemsets with at least the given support: a share of the records (0.001) or a number of records (60).

    The result is exact. More than a million itemsets are refused, since their number explodes as the threshold falls.
    """
    least = least_records(support, len(baskets))
    if max_size is not None and max_size < 1:
        raise OptionNotUsable("errors.itemsets.max_size", max_size=max_size)
    index = RecordIndex(baskets, least)
    longest = min(max_size or inf, int(baskets.lengths.max(initial=0)), 2**31)
    found = mine(index.arrays, least, int(longest), MOST_ITEMSETS)
    if not found.complete:
        raise OptionNotUsable("errors.itemsets.too_many", most=MOST_ITEMSETS, least=least, records=len(baskets))
    starts = np.append(0, np.cumsum(found.sizes, dtype=np.int64))
    items = index.numbers[found.items]
    return _sorted(FrequentItemsets(len(baskets), least, starts, items, found.supports, baskets.names))


def least_records(support: float, records: int) -> int:
    """Return the number of records for a threshold: a share above 0 and up to 1, or a whole number of records."""
    if isinstance(support, int) and support >= 1:
        return support
    if isinstance(support, int) or not 0 < support <= 1:
        raise OptionNotUsable("errors.itemsets.support", support=support)
    # As written: 0.1 of 30 records are 3, which the nearest binary number would make 4.
    return max(1, ceil(Fraction(str(support)) * records))


def _sorted(found: FrequentItemsets) -> FrequentItemsets:
    sizes = np.diff(found.starts)
    owner = np.repeat(np.arange(len(found)), sizes)
    items = found.items[np.lexsort((found.items, owner))]
    padded = np.full((int(sizes.max(initial=0)), len(found)), -1, np.int32)
    padded[np.arange(len(items)) - found.starts[owner], owner] = items
    order = np.lexsort((*padded[::-1], sizes, -found.supports))
    starts = np.append(0, np.cumsum(sizes[order]))
    places = np.arange(len(items)) - np.repeat(starts[:-1], sizes[order]) + np.repeat(found.starts[order], sizes[order])
    return FrequentItemsets(found.records, found.least, starts, items[places], found.supports[order], found.names)


@checked
def association_rules(
    baskets: ItemRecords,
    support: float,
    confidence: float,
    *,
    max_size: int | None = None,
    max_inferred: int | None = None,
    most: int | None = None,
) -> AssociationRules:
    """Return the rules "whoever has these items also has those" with at least the given support and confidence.

    The support is that of all items of a rule, as for `frequent_itemsets`. `max_inferred` limits the number of inferred
    items. With `most`, only that many rules with the largest support are returned; the threshold is then approached
    from above, so that a low threshold costs nothing where enough rules lie far above it.
    """
    least, limit = least_records(support, len(baskets)), _exact_confidence(confidence)
    if max_inferred is not None and max_inferred < 1:
        raise OptionNotUsable("errors.itemsets.max_inferred", max_inferred=max_inferred)
    now = least if most is None else max(least, int(baskets.supports().max(initial=0)) // 4)
    while True:
        found = frequent_itemsets(baskets, now, max_size=max_size)
        rules = _rules(found, limit, max_inferred, most)
        if now == least or (most is not None and len(rules) >= most):
            return AssociationRules(len(baskets), least, confidence, tuple(rules[:most]))
        now = max(least, now // 2)


def _exact_confidence(confidence: float) -> Fraction:
    if not 0 <= confidence <= 1:
        raise OptionNotUsable("errors.itemsets.confidence", confidence=confidence)
    return Fraction(str(confidence))


def _rules(found: FrequentItemsets, limit: Fraction, max_inferred: int | None, most: int | None) -> list[Rule]:
    numbers, starts = found.items.tolist(), found.starts.tolist()
    sets = [tuple(numbers[start:end]) for start, end in pairwise(starts)]
    supports = dict(zip(sets, found.supports.tolist(), strict=True))
    listed: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
    for itemset, support in supports.items():
        # The itemsets come by falling support: what follows cannot be among the first.
        if most is not None and len(listed) >= most and (not most or -listed[-1][0] > support):
            break
        for known, inferred in _splits(itemset, supports, limit, max_inferred or len(itemset)):
            listed.append((-support, supports[known], known, inferred))
        if len(listed) > MOST_ITEMSETS:
            raise OptionNotUsable("errors.itemsets.too_many_rules", most=MOST_ITEMSETS)
    return [_rule(found, supports, *entry) for entry in sorted(listed)]


def _splits(
    itemset: tuple[int, ...], supports: dict[tuple[int, ...], int], limit: Fraction, most: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the rules of an itemset: what is known, what is inferred.

    To infer more from less is never surer, so only what can be inferred is enlarged.
    """
    # Whole numbers: a confidence is not below the limit if the support is not below this share of what is known.
    least = supports[itemset] * limit.denominator
    candidates: list[tuple[int, ...]] = [(item,) for item in itemset]
    single: list[int] = []
    for size in range(1, min(most + 1, len(itemset))):
        sure = []
        for inferred in candidates:
            known = tuple(item for item in itemset if item not in inferred)
            if least >= limit.numerator * supports[known]:
                sure.append(inferred)
                yield known, inferred
        if size == 1:
            single = [item for (item,) in sure]
        candidates = [(*inferred, item) for inferred in sure for item in single if item > inferred[-1]]


def _rule(
    found: FrequentItemsets,
    supports: dict[tuple[int, ...], int],
    minus_support: int,
    known_support: int,
    known: tuple[int, ...],
    inferred: tuple[int, ...],
) -> Rule:
    confidence = -minus_support / known_support
    return Rule(
        tuple(found.names[item] for item in known),
        tuple(found.names[item] for item in inferred),
        -minus_support,
        confidence,
        confidence * found.records / supports[inferred],
    )
