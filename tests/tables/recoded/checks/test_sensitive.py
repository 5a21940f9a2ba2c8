"""l and t of classes, with the examples of the papers and against the transport problem itself."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from sudare.tables.classes.criteria import DistanceKind
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from sudare.tables.recoded.checks.sensitive import (
    ValueCounts,
    count_values,
    distinct_l,
    entropy_l,
    farthest,
    ranked,
    recursive_c,
    recursive_l,
)


def counted(*classes: list[int]) -> ValueCounts:
    owner = np.repeat(np.arange(len(classes)), [len(values) for values in classes])
    return count_values(owner, np.array([value for values in classes for value in values]), 20)


SALARIES = [f"{n}000" for n in range(3, 12)]


@pytest.mark.parametrize(("held", "distance"), [([0, 1, 2], 0.375), ([3, 5, 8], 0.167)])
def test_salaries_of_li_et_al(held: list[int], distance: float) -> None:
    found = farthest(counted(held), np.ones(9, np.int64), SALARIES, distance="ordered", hierarchy=None)
    assert found == pytest.approx(distance, abs=5e-4)


def test_l_of_the_least_diverse_class() -> None:
    classes = counted([0, 0, 0, 1, 2], [3, 4, 4, 5])
    assert distinct_l(classes) == 3
    assert entropy_l(classes) == pytest.approx(math.exp(-(0.6 * math.log(0.6) + 0.4 * math.log(0.2))))


def test_recursive_diversity_of_machanavajjhala_et_al() -> None:
    # The most frequent of the class must be less than c times what is left without the l - 1 most frequent.
    classes = counted([0, 0, 0, 1, 1, 2], [0, 1, 2])
    assert [recursive_c(classes, l) for l in (1, 2, 3, 4)] == [0.5, 1.0, 3.0, math.inf]  # noqa: E741
    assert [recursive_l(classes, c) for c in (0.5, 1.0, 1.1, 3.0, 3.1)] == [0, 1, 2, 2, 3]


def test_order_is_that_of_numbers_or_dates_with_others_after_them() -> None:
    numbers = ["10", "9", None, "many", "1,000", "-1"]
    assert [numbers[place] for place in ranked(numbers)] == ["-1", "9", "10", "1,000", "many", None]
    dates = ["2024-10-01", "2024-9-30", "2024-09", "7"]
    assert [dates[place] for place in ranked(dates)] == ["2024-09", "2024-9-30", "2024-10-01", "7"]


def tree(width: int) -> Hierarchy:
    return make_hierarchy("d", {n: [str(n), f"{n // 2}x", f"{n // 4}y", "*"] for n in range(width)})


def ground(kind: DistanceKind, hierarchy: Hierarchy, one: int, other: int, width: int) -> float:
    if kind == "ordered":
        return abs(one - other) / max(width - 1, 1)
    if kind == "equal":
        return float(one != other)
    root = next(level for level, step in enumerate(hierarchy.steps) if level and len(set(step.values())) == 1)
    return min(level for level, step in enumerate(hierarchy.steps) if step[str(one)] == step[str(other)]) / root


def least_work(shares: list[float], overall: list[float], cost: list[list[float]]) -> float:
    """Solve the transport problem."""
    width = len(overall)
    leaving = [[float(i // width == row) for i in range(width * width)] for row in range(width)]
    coming = [[float(i % width == row) for i in range(width * width)] for row in range(width)]
    found = linprog(np.ravel(cost), A_eq=[*leaving, *coming], b_eq=[*shares, *overall])
    return float(found.fun)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 8),
    st.sampled_from(["equal", "ordered", "hierarchical"]),
    st.data(),
)
def test_the_distance_is_the_least_work(width: int, kind: DistanceKind, data: st.DataObject) -> None:
    # Every value occurs in the original, as in a table.
    classes = data.draw(st.lists(st.lists(st.integers(0, width - 1), min_size=1, max_size=6), min_size=1, max_size=3))
    overall = [1 + sum(values.count(value) for values in classes) for value in range(width)]
    cost = [[ground(kind, tree(width), one, other, width) for other in range(width)] for one in range(width)]
    shares = [[Counter(values)[value] / len(values) for value in range(width)] for values in classes]
    expected = max(least_work(share, [n / sum(overall) for n in overall], cost) for share in shares)
    values = [str(value) for value in range(width)]
    found = farthest(counted(*classes), np.array(overall), values, distance=kind, hierarchy=tree(width))
    assert found == pytest.approx(expected, abs=1e-7)


def test_values_that_nothing_joins_are_joined_above_the_highest_level() -> None:
    two = make_hierarchy("d", {1: ["a", "x"], 2: ["b", "x"], 3: ["c", "y"]})
    overall = np.array([2, 2, 4])
    near = farthest(counted([0, 0, 2, 2]), overall, ["a", "b", "c"], distance="hierarchical", hierarchy=two)
    far = farthest(counted([2]), overall, ["a", "b", "c"], distance="hierarchical", hierarchy=two)
    assert (near, far) == (0.25 * 0.5, 0.5)
