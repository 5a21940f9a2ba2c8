"""The measures of purchase histories by plain counting, as the contest's report describes them."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from math import ceil, inf, sqrt
from statistics import fmean, median, pvariance

from sudare.histories.utility.drawn_rows import PlainRows

# Customer, day, item, price, quantity.
Bought = tuple[int, int, str, int, int]


def bought(rows: PlainRows) -> list[Bought]:
    columns = (rows.customers, rows.days, rows.items, rows.prices, rows.quantities)
    lists = (column.tolist() for column in columns)
    return [(c, d, rows.names[i], p, q) for c, d, i, p, q in zip(*lists, strict=True)]


def visits(rows: list[Bought]) -> dict[tuple[int, int], set[str]]:
    baskets = defaultdict(set)
    for customer, day, item, _, _ in rows:
        baskets[customer, day].add(item)
    return baskets


def frequent(rows: list[Bought], least: int, length: int) -> set[tuple[str, ...]]:
    counts = Counter(
        itemset
        for basket in visits(rows).values()
        for size in range(1, length + 1)
        for itemset in combinations(sorted(basket), size)
    )
    return {itemset for itemset, count in counts.items() if count >= least}


def itemsets_error(before: list[Bought], after: list[Bought], share: str, length: int) -> float:
    least = max(1, ceil(round(float(share) * len(visits(before)), 9)))
    first, second = frequent(before, least, length), frequent(after, least, length)
    return 1 - len(first & second) / len(first) if first else 0.0


def rfm(rows: list[Bought]) -> dict[int, tuple[int, int, int]]:
    found = {}
    for customer in {row[0] for row in rows}:
        own = [row for row in rows if row[0] == customer]
        days = {day for _, day, _, _, _ in own}
        found[customer] = max(days), len(days), sum(price * quantity for _, _, _, price, quantity in own)
    return found


def rfm_error(before: list[Bought], after: list[Bought]) -> float:
    def table(values: list[tuple[int, int, int]]) -> Counter[tuple[int, ...]]:
        cuts = [[sorted(v[part] for v in values)[len(values) * k // 10] for k in range(1, 10)] for part in range(3)]
        return Counter(tuple(sum(cut <= v[part] for cut in cuts[part]) for part in range(3)) for v in values)

    one, two = table([*rfm(before).values()]), table([*rfm(after).values()])
    squares = sum((one[cell] - two[cell]) ** 2 for cell in {*one, *two})
    return sqrt(squares / 1000) / max(one.values())


def scores(rows: list[Bought], kind: str, top: set[str], dozens: float) -> dict[str, dict[int, float]]:
    """Return the score of each customer by item."""
    totals: Counter[tuple[str, int]] = Counter()
    for customer, _, item, _, quantity in rows:
        totals[item, customer] += quantity
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for (item, customer), quantity in totals.items():
        score = {"wholesale": min(quantity // 12, dozens), "retail": quantity if quantity <= 11 else 0, "top": 1}[kind]
        if score and (kind != "top" or item in top):
            found[item][customer] = score
    return found


def similarities(rows: list[Bought], kind: str, top: set[str], dozens: float) -> dict[tuple[str, str], float]:
    vectors, found = scores(rows, kind, top, dozens), {}
    for one, two in combinations(sorted(vectors), 2):
        common = vectors[one].keys() & vectors[two].keys()
        if common:
            product = sum(vectors[one][customer] * vectors[two][customer] for customer in common)
            lengths = (sqrt(sum(score**2 for score in vectors[item].values())) for item in (one, two))
            found[one, two] = product / next(lengths) / next(lengths)
    return found


def top_items(rows: list[Bought], most: int = 100) -> list[str]:
    buyers = defaultdict(set)
    for customer, _, item, _, _ in rows:
        buyers[item].add(customer)
    return sorted(buyers, key=lambda item: (len(buyers[item]), item), reverse=True)[:most]


def similarity_error(before: list[Bought], after: list[Bought], kind: str, dozens: float) -> float:
    top = set(top_items(before))
    first, second = (similarities(rows, kind, top, dozens) for rows in (before, after))
    total = sum(first.values())
    return min(1.0, sum(abs(w - second.get(p, 0)) for p, w in first.items()) / total) if total else 0.0


def statistics(values: list[int]) -> list[float]:
    variance = float(pvariance(values))
    return [sum(values), fmean(values), variance, sqrt(variance), max(values), min(values), median(values)]


def errors(
    before: list[Bought], after: list[Bought], share: str, length: int, first_day: int, dozens: float = inf
) -> list[float]:
    """Return all errors, in the order of the measures."""
    kinds = ("wholesale", "retail", "top")
    uses = [
        itemsets_error(before, after, share, length),
        rfm_error(before, after),
        *(similarity_error(before, after, kind, dozens) for kind in kinds),
    ]
    counts = [abs(len(before) - len(after)), len({*top_items(before)} - {*top_items(after)}) / 100]
    for place, origin in ((1, first_day), (3, 0), (4, 0)):
        one, two = (statistics([row[place] - origin for row in rows]) for rows in (before, after))
        counts += [abs(a - b) for a, b in zip(one, two, strict=True)]
    return [*uses, *counts]
