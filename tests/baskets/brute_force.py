"""Itemsets, rules and measures of baskets by plain counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from hypothesis import strategies as st

Records = Sequence[Iterable[str]]
Rule = tuple[tuple[str, ...], tuple[str, ...]]

# Records of up to six different items, some of them empty.
small_records = st.lists(st.frozensets(st.sampled_from("abcdef")), min_size=1, max_size=12)


def itemset_supports(records: Records) -> Counter[tuple[str, ...]]:
    """Return every itemset that occurs with the number of its records."""
    return Counter(
        found
        for record in records
        for size in range(1, len(set(record)) + 1)
        for found in combinations(sorted(set(record)), size)
    )


def rules(records: Records, least: int, confidence: float) -> dict[Rule, tuple[int, float]]:
    """Return every rule with its support and confidence."""
    supports = itemset_supports(records)
    found = {}
    for itemset, support in supports.items():
        for size in range(1, len(itemset)):
            for known in combinations(itemset, size):
                sure = support / supports[known]
                if support >= least and sure >= confidence:
                    found[known, tuple(sorted(set(itemset) - set(known)))] = (support, sure)
    return found


def strongest(found: dict[Rule, tuple[int, float]], most: int) -> list[Rule]:
    """Return the rules by falling support, then falling confidence, then their items."""
    return sorted(found, key=lambda rule: (-found[rule][0], -found[rule][1], rule))[:most]
