"""The attackers on generalized histories by plain enumeration: a pseudonym fits what is true in a world it may be of.

A world of a pseudonym has one value in the place of each cell of its published rows: days on which anybody came, items
and prices that the original has. The number of days is compared for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from sudare.histories.attackers.knowledge import Knowledge
from tests.histories.brute_force import Fact, Row, facts, weight


class Cells(NamedTuple):
    """The pseudonym of a published row and the values that its cells stand for; a deleted row has no pseudonym."""

    pid: str | None
    days: tuple[str, ...]
    items: tuple[str, ...]
    prices: tuple[float, ...]


class Measured(NamedTuple):
    after: float
    unique: float
    misled: float
    nobody: float
    unique_customers: int
    highest: float


def measured(rows: Sequence[Row], published: Sequence[Cells], known: Knowledge, weighting: str) -> Measured:
    found = facts(rows, known)
    pids = sorted({row.pid for row in published if row.pid is not None})
    possible = {pid: possible_values([row for row in published if row.pid == pid], known) for pid in pids}
    true = {row.customer: cells.pid for row, cells in zip(rows, published, strict=True) if cells.pid is not None}
    total = sum(weight(fact, weighting) for fact in found)
    sums = dict.fromkeys(("after", "unique", "misled", "nobody"), 0.0)
    picked: dict[str, float] = {}
    for fact in found:
        crowd = [pid for pid in pids if fits(fact, possible[pid])]
        share = weight(fact, weighting) / total
        if true.get(fact.customer) in crowd:
            picked[fact.customer] = max(1 / len(crowd), picked.get(fact.customer, 0.0))
            sums["after"] += share / len(crowd)
            sums["unique"] += share * (len(crowd) == 1)
        else:
            sums["misled" if crowd else "nobody"] += share
    unique = sum(chance == 1 for chance in picked.values())
    return Measured(**sums, unique_customers=unique, highest=max(picked.values(), default=0.0))


def possible_values(published: Sequence[Cells], known: Knowledge) -> tuple[set[Any], set[Any]]:
    """Return the numbers of days and what else can be true of the rows of a pseudonym."""
    days, others = set(), set()
    for world in worlds(published, known):
        days.add(tuple(len({row.day for row in world}) for _ in known.customer_parts))
        others |= {fact.value for fact in facts(world, replace(known, customer_parts=()))}
    return days, others


def worlds(published: Sequence[Cells], known: Knowledge) -> Iterator[list[Row]]:
    choices = [
        product(row.days, row.items, row.prices if "price" in known.row_parts else row.prices[:1]) for row in published
    ]
    for chosen in product(*choices):
        yield [Row("one", *values) for values in chosen]


def fits(fact: Fact, possible: tuple[set[Any], set[Any]]) -> bool:
    if fact.value in possible[0]:
        return True
    about, seen = fact.value if len(fact.value) == 2 else (fact.value, None)
    return about in possible[0] and ((), seen) in possible[1]
