"""The measures of background knowledge by plain enumeration, for small histories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import prod
from typing import Any, NamedTuple

import polars

from sudare.histories.attackers.knowledge import Knowledge


class Row(NamedTuple):
    customer: str
    day: str
    item: str
    price: float | None


def frame(rows: Sequence[Row]) -> polars.DataFrame:
    schema = {"customer": polars.String, "day": polars.String, "item": polars.String, "price": polars.Float64}
    return polars.DataFrame([row._asdict() for row in rows], schema=schema)


class Fact(NamedTuple):
    value: Any
    customer: str
    occurrences: int
    records: int


def facts(rows: Sequence[Row], known: Knowledge) -> list[Fact]:
    """List every value with its customer, once for each choice of visits that shows it."""
    visits: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        visits[row.customer][row.day].append(row)
    found = []
    for customer, days in visits.items():
        about = tuple(len(days) for _ in known.customer_parts)
        if not known.visit_parts and not known.row_parts:
            found.append(Fact(about, customer, 1, sum(map(len, days.values()))))
            continue
        for chosen in combinations(days.values(), known.visits):
            for seen in product(*(list(observations(visit, known)) for visit in chosen)):
                value = (about, tuple(sorted(repr(one.value) for one in seen)))
                found.append(Fact(value, customer, prod(o.occurrences for o in seen), sum(o.records for o in seen)))
    return found


def observations(visit: list[Row], known: Knowledge) -> Iterator[Fact]:
    year, month, day = (int(part) for part in visit[0].day.split("-"))
    parts = {
        "day": visit[0].day,
        "month": (year, month),
        "weekday": __import__("datetime").date(year, month, day).isoweekday(),
        "count": len(visit),
        "kinds": len({row.item for row in visit}),
        "items": tuple(sorted({row.item for row in visit})),
    }
    of_visit = tuple(
        parts[part] for part in known.visit_parts if not (part in ("count", "kinds") and "items" in known.visit_parts)
    )
    if not known.row_parts:
        yield Fact(of_visit, "", 1, len(visit))
        return
    times = Counter(tuple(getattr(row, part) for part in known.row_parts) for row in visit)
    for chosen in combinations(sorted(times, key=repr), known.rows):
        counts = [times[value] for value in chosen]
        yield Fact((of_visit, chosen), "", prod(counts), sum(counts))


def crowds(found: Sequence[Fact]) -> dict[Any, set[str]]:
    having: dict[Any, set[str]] = defaultdict(set)
    for fact in found:
        having[fact.value].add(fact.customer)
    return having


def weight(fact: Fact, weighting: str) -> int:
    return fact.occurrences if weighting == "occurrence" else fact.records


def measured(found: Sequence[Fact], weighting: str) -> float:
    having = crowds(found)
    total = sum(weight(fact, weighting) for fact in found)
    return sum(weight(fact, weighting) / len(having[fact.value]) for fact in found) / total if total else 0.0


def holding(found: Sequence[Fact]) -> tuple[int, int]:
    """Count the values that as many rows carry as customers have them, and those that occur so often."""
    having = crowds(found)
    sums = {value: [0, 0] for value in having}
    for fact in found:
        sums[fact.value][0] += fact.records
        sums[fact.value][1] += fact.occurrences
    rows, occurrences = (sum(sums[value][n] == len(who) for value, who in having.items()) for n in (0, 1))
    return rows, occurrences


class Persons(NamedTuple):
    measured: float
    alone: float
    together: float
    certain: float


def persons(found: Sequence[Fact], count: int, weighting: str) -> Persons:
    """Try every assignment of different customers to what is known of so many persons."""
    having, total, sums = crowds(found), 0, [0.0] * 4
    for known in combinations(found, count):
        true = [fact.customer for fact in known]
        if len(set(true)) < count:
            continue
        weighs = prod(weight(fact, weighting) for fact in known)
        fitting = [
            guess for guess in product(*(sorted(having[fact.value]) for fact in known)) if len(set(guess)) == count
        ]
        right = sum(guess[n] == true[n] for guess in fitting for n in range(count)) / count / len(fitting)
        alone = sum(1 / len(having[fact.value]) for fact in known) / count
        for n, chance in enumerate((right, alone, 1 / len(fitting), len(fitting) == 1)):
            sums[n] += weighs * chance
        total += weighs
    return Persons(*(number / total if total else 0.0 for number in sums))


def customer_probability(found: Sequence[Fact], customer: str, weighting: str) -> float | None:
    having = crowds(found)
    own = [fact for fact in found if fact.customer == customer]
    total = sum(weight(fact, weighting) for fact in own)
    return sum(weight(fact, weighting) / len(having[fact.value]) for fact in own) / total if own else None
