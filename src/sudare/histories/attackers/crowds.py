"""How many customers share what an attacker knows (the anonymity set), and the mean identification probability.

The crowd of a value x of knowledge X is the number of customers who have it, |U_x| in Ito, Kikuchi, Nakagawa, section
4.2. An attacker who learns x picks one customer of the crowd, right with probability 1/|U_x|.
"""

from __future__ import annotations

import re
from math import fsum, sqrt
from typing import Literal

from sudare.engine.protocol import Row
from sudare.engine.small_counts import Merge
from sudare.histories.attackers.facts import Facts, facts
from sudare.histories.attackers.knowledge import Knowledge, parse_knowledge
from sudare.histories.model import History
from sudare.showing import dataclass

Weighting = Literal["occurrence", "record"]
WEIGHTINGS: tuple[Weighting, ...] = ("occurrence", "record")


@dataclass(frozen=True, slots=True)
class CrowdSize:
    """All values of a knowledge that the same number of customers have.

    `rows_equal` of the values are carried by as many rows as there are customers who have them, `occurrences_equal`
    occur so often: for these, assumption 4.1 holds.
    """

    customers: int
    values: int
    occurrences: int
    records: int
    squared_occurrences: int
    rows_equal: int = 0
    occurrences_equal: int = 0

    def weight(self, weighting: Weighting) -> int:
        """Return the occurrences, or the rows of the history that carry the values."""
        return self.occurrences if weighting == "occurrence" else self.records


@dataclass(frozen=True, slots=True)
class Crowds:
    """The values of a knowledge by the number of customers who have them, smallest crowd first."""

    sizes: tuple[CrowdSize, ...]

    @property
    def values(self) -> int:
        """The number of different values that occur."""
        return sum(size.values for size in self.sizes)

    @property
    def occurrences(self) -> int:
        """The number of occurrences of all values."""
        return sum(size.occurrences for size in self.sizes)

    def measured(self, weighting: Weighting) -> float:
        """Return the mean identification probability, sum over x of w_x / sum(w) * 1 / |U_x| (section 4.1)."""
        total = sum(size.weight(weighting) for size in self.sizes)
        return fsum(size.weight(weighting) / size.customers for size in self.sizes) / total if total else 0.0

    def unique_share(self, weighting: Weighting) -> float:
        """Return the share of the weight on values that only one customer has."""
        total = sum(size.weight(weighting) for size in self.sizes)
        return sum(size.weight(weighting) for size in self.sizes if size.customers == 1) / total if total else 0.0

    @property
    def rows_equal(self) -> int:
        """For how many values x |R_x| = |U_x|: as many rows carry x as customers have it (assumption 4.1)."""
        return sum(size.rows_equal for size in self.sizes)

    @property
    def occurrences_equal(self) -> int:
        """The number of values that occur as often as customers have them."""
        return sum(size.occurrences_equal for size in self.sizes)

    @property
    def correlation(self) -> float | None:
        """Pearson's correlation of occurrences and customers over the values (Figures 4 to 6); None where constant."""
        n, x = self.values, self.occurrences
        xx = sum(size.squared_occurrences for size in self.sizes)
        y = sum(size.values * size.customers for size in self.sizes)
        yy = sum(size.values * size.customers**2 for size in self.sizes)
        xy = sum(size.occurrences * size.customers for size in self.sizes)
        spread = (n * xx - x * x) * (n * yy - y * y)
        return (n * xy - x * y) / sqrt(spread) if spread else None


def count_crowds(history: History, knowledge: Knowledge) -> Crowds:
    """Count exactly how many customers share each value of a knowledge.

    Only whole numbers leave the engine, one line per crowd size, so the result does not depend on the order of
    summation. Where small counts must not leave it, crowds are merged and told as the smallest of them: no risk is
    told too low; and for how many values assumption 4.1 holds is not asked, since these may be of a few people.
    """
    # Nineteen digits hold any count of 64 bits, and their product the widest number that engines share.
    square = " * ".join(["CAST(occurrences AS DECIMAL(19, 0))"] * 2)
    values = values_table(history, knowledge)
    equal = {"rows_equal": "records", "occurrences_equal": "occurrences"} if history.engine.min_cell == 1 else {}
    columns = "".join(f"sum(CASE WHEN {often} = customers THEN 1 ELSE 0 END) AS {n}, " for n, often in equal.items())
    lines = (
        "SELECT customers, count(*) AS found, sum(occurrences) AS occurrences, sum(records) AS records, "
        f"sum({square}) AS squares, {columns}count(*) * customers AS people FROM {values} GROUP BY customers"
    )
    sums = ("found", "occurrences", "records", "squares", *equal)
    rows = history.engine.counts(lines, cell="people", small=Merge("customers", sums))
    return Crowds(tuple(CrowdSize(*(int(number) for number in row)) for row in rows))


def part_frequencies(history: History, part: str, *, by_rows: bool = False) -> list[Row]:
    """Return how many values of a part occur how often, and how often in all, the rarest first.

    An occurrence is a row for what is known of rows, otherwise a visit; `by_rows`, always a row. Where small counts
    must not leave the engine, frequencies are merged and told as the smallest of them.
    """
    values, often = values_table(history, parse_knowledge(part)), "records" if by_rows else "occurrences"
    lines = f"SELECT {often} AS often, count(*) AS times, {often} * count(*) AS whole FROM {values} GROUP BY {often}"
    return history.engine.counts(lines, cell="whole", small=Merge("often", ("times", "whole")))


def values_table(history: History, knowledge: Knowledge) -> str:
    """Return a table or query of the values of a knowledge, kept if they are few: see `by_value`."""
    if not _has_few_values(knowledge):
        return f"({by_value(facts(history, knowledge))})"
    name = "value_" + re.sub(r"\W+", "_", str(knowledge))
    return history.derive(name, by_value(facts(history, knowledge)))


def _has_few_values(knowledge: Knowledge) -> bool:
    """Say whether a single day, number of rows or item is known: of these, frequencies are asked for as well."""
    return len(knowledge.parts) == 1 and knowledge.rows == knowledge.visits == 1 and "items" not in knowledge.parts


def by_value(found: Facts) -> str:
    """Return a query with one row per value: its keys, occurrences, records and customers."""
    keys = "".join(f"{key}, " for key in found.keys)
    group = f"GROUP BY {', '.join(found.keys)}" if found.keys else ""
    # Casts keep the squares of occurrences in range and the arithmetic on machine words.
    return (
        f"SELECT {keys}CAST(sum(occurrences) AS BIGINT) AS occurrences, CAST(sum(records) AS BIGINT) AS records, "
        f"count(*) AS customers FROM ({found.query}) {group}"
    )
