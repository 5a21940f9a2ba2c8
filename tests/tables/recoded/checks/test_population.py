"""Classes matched with a population: k-map and presence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.tables.recoded.checks.meanings import read_meanings
from sudare.tables.recoded.checks.population import PopulationRows, match_population
from sudare.tables.recoded.texts import set_text

VALUES = ["0", "1", "2", "3"]
Row = tuple[int, int]
Cells = tuple[frozenset[int], frozenset[int]]


def matches(people: dict[Row, int], classes: dict[Cells, int]) -> tuple[int, float]:
    texts = [list({cells[a]: None for cells in classes}) for a in range(2)]
    written = [[set_text([VALUES[value] for value in sorted(cell)]) for cell in cells] for cells in texts]
    meanings = [read_meanings(column, VALUES, hierarchy=None, cells="sets") for column in written]
    numbers = np.array([[texts[a].index(cells[a]) for cells in classes] for a in range(2)])
    codes = [np.array([row[a] for row in people]) for a in range(2)]
    rows = PopulationRows(codes, np.array(list(people.values())))
    found = match_population(rows, meanings, numbers, np.array(list(classes.values())))
    return found.k_map, found.presence


def test_a_worked_example() -> None:
    people = {(0, 0): 2, (0, 1): 3, (1, 1): 5}
    classes = {(frozenset({0}), frozenset({0, 1})): 2, (frozenset({0, 1}), frozenset({1})): 4}
    # The first matches 5 people, the second 8; whoever is (0, 1) can be in either: 2/5 + 4/8.
    assert matches(people, classes) == (5, pytest.approx(0.9))


def test_a_class_can_match_nobody() -> None:
    assert matches({(0, 0): 9}, {(frozenset({1}), frozenset({0})): 2}) == (0, 0.0)


@settings(max_examples=40)
@given(
    st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 5), min_size=1),
    st.dictionaries(
        st.tuples(*[st.frozensets(st.integers(0, 3), min_size=1)] * 2), st.integers(1, 5), min_size=1, max_size=5
    ),
)
def test_matches_are_those_counted_one_by_one(people: dict[Row, int], classes: dict[Cells, int]) -> None:
    def matched(cells: Cells) -> int:
        return sum(count for row, count in people.items() if row[0] in cells[0] and row[1] in cells[1])

    present = [
        sum(size / matched(cells) for cells, size in classes.items() if row[0] in cells[0] and row[1] in cells[1])
        for row in people
    ]
    assert matches(people, classes) == (min(map(matched, classes)), pytest.approx(min(1, max(present))))
