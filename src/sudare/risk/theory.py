"""The theoretical identification probability (Ito, Kikuchi, Nakagawa, Theorems 4.1 to 4.3).

If as many customers as occurrences have each value, and parts are independent, then the mean identification
probability is the number of possible values divided by the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, prod

from sudare.risk.knowledge import Knowledge


def possible_values(knowledge: Knowledge, sizes: Mapping[str, int]) -> int:
    """Count the values the knowledge could have if its parts were independent.

    `sizes` gives the number of distinct values of each part. Known things of one kind are unordered: two different
    items are one of comb(items, 2) pairs, two visits on different days one of comb(days, 2) pairs of days.
    """
    rows: int = comb(prod(sizes[part] for part in knowledge.row_parts), knowledge.rows) if knowledge.row_parts else 1
    beside_day = rows * prod(sizes[part] for part in knowledge.visit_parts if part != "day")
    if "day" in knowledge.visit_parts:
        visits = comb(sizes["day"], knowledge.visits) * beside_day**knowledge.visits
    else:
        visits = comb(beside_day + knowledge.visits - 1, knowledge.visits)
    return int(visits * prod(sizes[part] for part in knowledge.customer_parts))


def theoretical_probability(knowledge: Knowledge, sizes: Mapping[str, int], *, records: int, customers: int) -> float:
    """Return possible values / records; without knowledge, 1 / customers. It can exceed 1."""
    if not knowledge.parts:
        return 1 / customers
    return possible_values(knowledge, sizes) / records
