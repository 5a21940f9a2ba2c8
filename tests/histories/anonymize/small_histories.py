"""Small random histories, and their best anonymization by trying everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np
from hypothesis import strategies as st

from sudare.histories.generalized.model import CellHistory
from tests.histories.generalized.small_cells import cells

# Rows as (day of January 2011, item, price in cents up to 9, quantity).
Row = tuple[int, str, int, int]

rows = st.tuples(st.integers(1, 28), st.sampled_from("abcd"), st.integers(1, 9), st.integers(1, 6))


def histories(customers: int, most_rows: int) -> st.SearchStrategy[list[list[Row]]]:
    """Return histories of so many customers, with one row each or more."""
    return st.lists(st.lists(rows, min_size=1, max_size=most_rows), min_size=customers, max_size=customers)


def history(people: Sequence[Sequence[Row]]) -> CellHistory:
    """Return a history of exact cells; customers are 10, 20, ... ."""
    return cells(
        [
            [str(10 * (number + 1)), f"2011/1/{day}", item, f"0.0{price}", str(quantity)]
            for number, person in enumerate(people)
            for day, item, price, quantity in person
        ]
    )


class BruteForce:
    """The least costs of a history, by all cells, alignments and classes; without ranges and sets if `suppression`."""

    def __init__(self, people: Sequence[Sequence[Row]], *, suppression: bool = False) -> None:
        self.people = people
        self.suppression = suppression
        every = np.array([[day, price, quantity] for person in people for day, _, price, quantity in person])
        self.deviations = every.std(axis=0)
        self.limits = list(zip(every.min(axis=0).tolist(), every.max(axis=0).tolist(), strict=True))

    def cell(self, column: int, values: Sequence[int]) -> float:
        """Return the least summed error of an ordered column, over all ranges that hold the values."""
        if min(values) == max(values):
            return 0.0
        if self.suppression:
            return float(len(values))
        low, high = self.limits[column]
        best = float(len(values))
        for a, b in product(range(low, min(values) + 1), range(max(values), high + 1)):
            errors = sum(sum(abs(x - y) for y in range(a, b + 1)) / (b - a + 1) for x in values)
            best = min(best, errors / float(self.deviations[column]))
        return best

    def group(self, group: Sequence[Row]) -> float:
        """Return the least cost of rows that are published alike."""
        different = len({item for _, item, _, _ in group})
        found = float(len(group)) if self.suppression and different > 1 else len(group) * (1 - 1 / different)
        for column, values in enumerate(zip(*((d, p, q) for d, _, p, q in group), strict=True)):
            found += self.cell(column, values)
        return found

    def best_class(self, members: tuple[int, ...]) -> float:
        """Return the least cost of a class, over all alignments of its rows."""
        shortest, *others = sorted(members, key=lambda m: len(self.people[m]))
        first = self.people[shortest]
        deleted = 4 * sum(len(self.people[m]) - len(first) for m in members)
        cost = lru_cache(None)(self.group)
        best = np.inf
        for chosen in product(*(permutations(self.people[m], len(first)) for m in others)):
            best = min(best, sum(cost(group) for group in zip(first, *chosen, strict=True)))
        return deleted + float(best)

    def best(self, k: int) -> float:
        """Return the least cost of all divisions into classes of k and more."""
        of_class = lru_cache(None)(self.best_class)
        everybody = tuple(range(len(self.people)))
        return min(sum(of_class(one) for one in division) for division in divisions(everybody, k))


def divisions(people: tuple[int, ...], k: int) -> Iterator[list[tuple[int, ...]]]:
    """Return all divisions of people into classes of k and more."""
    if not people:
        yield []
    first, *rest = people or (0,)
    for size in range(k, len(people) + 1):
        for others in combinations(rest, size - 1):
            left = tuple(person for person in rest if person not in others)
            for further in divisions(left, k):
                yield [(first, *others), *further]
