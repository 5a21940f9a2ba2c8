"""The distances of t-closeness: the examples of Li et al. (2007), and the work of moving shares as a linear program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from sudare.sources.readings import Reading
from sudare.tables.classes.closeness import SensitiveColumn, default_distance, sensitive_column
from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from sudare.tables.model import Table


def table_of(values: Sequence[str | None]) -> Table:
    """Make a table of one sensitive attribute without an engine."""
    counted = Counter(values)
    held = sorted(counted, key=lambda value: (value is None, value))
    reading = Reading("rows", "rows", {}, {}, len(values), (), None)
    codes = np.arange(len(held), dtype=np.int32)[None, :]
    counts = np.array([counted[value] for value in held], np.int64)
    return Table(None, reading, ("s",), codes, counts, (tuple(held),), "rows")  # type: ignore[arg-type]


def distance(column: SensitiveColumn, values: Sequence[str | None]) -> float:
    counted = Counter(values)
    histogram = np.array([[counted[value] for value in column.values]], np.int64)
    return float(column.distances(histogram)[0])


SALARIES = [f"{thousands}000" for thousands in range(3, 12)]


def test_the_salaries_of_li_et_al() -> None:
    column = sensitive_column(table_of(SALARIES), "s")
    assert column.distance == "ordered"
    assert distance(column, ["3000", "4000", "5000"]) == pytest.approx(0.375)
    assert distance(column, ["6000", "8000", "11000"]) == pytest.approx(1 / 6)
    # Table 5 of the paper: 0.167-closeness by salary.
    classes = [["3000", "5000", "9000"], ["6000", "11000", "8000"], ["4000", "7000", "10000"]]
    assert max(distance(column, values) for values in classes) == pytest.approx(0.167, abs=5e-4)


DISEASES = make_hierarchy(
    "s",
    dict(
        enumerate(
            [
                ("flu", "respiratory infection", "respiratory diseases", "*"),
                ("pneumonia", "respiratory infection", "respiratory diseases", "*"),
                ("SARS", "respiratory infection", "respiratory diseases", "*"),
                ("bronchitis", "respiratory infection", "respiratory diseases", "*"),
                ("pulmonary edema", "vascular lung diseases", "respiratory diseases", "*"),
                ("pulmonary embolism", "vascular lung diseases", "respiratory diseases", "*"),
                ("gastric ulcer", "stomach diseases", "digestive diseases", "*"),
                ("stomach cancer", "stomach diseases", "digestive diseases", "*"),
                ("gastritis", "stomach diseases", "digestive diseases", "*"),
                ("colitis", "colon diseases", "digestive diseases", "*"),
                ("colon cancer", "colon diseases", "digestive diseases", "*"),
            ]
        )
    ),
)


def test_the_diseases_of_li_et_al() -> None:
    """Distances of the paper: flu to bronchitis 1/3, to pulmonary embolism 2/3, to stomach cancer 3/3."""
    for other, far in (("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1)):
        column = sensitive_column(table_of(["flu", other]), "s", DISEASES)
        assert column.distance == "hierarchical"
        assert distance(column, ["flu"]) == pytest.approx(far / 2)


def test_the_costs_of_the_nodes_of_li_et_al() -> None:
    """The classes of Table 5, by cost(N) = height(N) / H min(pos_extra(N), neg_extra(N)).

    The class of gastritis, flu and bronchitis has 2/9 too much of respiratory diseases, which cross the root: 2/9 * 1.
    Among stomach diseases gastritis has 1/9 too much, among respiratory infections pneumonia 1/9 too little: 1/9 * 1/3
    each.
    """
    classes = [
        ["gastric ulcer", "stomach cancer", "pneumonia"],
        ["gastritis", "flu", "bronchitis"],
        ["gastritis", "bronchitis", "stomach cancer"],
    ]
    column = sensitive_column(table_of([value for values in classes for value in values]), "s", DISEASES)
    assert [distance(column, values) for values in classes] == pytest.approx([7 / 27, 8 / 27, 5 / 27])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "-3", None], "ordered"),
        (["2024-02-29", "2023/1/1"], "ordered"),
        (["flu", "1"], "equal"),
        ([None], "equal"),
    ],
)
def test_numbers_and_dates_are_ordered(values: list[str | None], kind: str) -> None:
    assert default_distance(values) == kind


def test_numbers_are_ordered_as_numbers_and_a_missing_one_comes_last() -> None:
    column = sensitive_column(table_of(["10", "9", "-1", None]), "s")
    assert [column.values[code] for code in column.order] == ["-1", "9", "10", None]
    # A quarter each goes one step down, one and two steps up, of three steps in all.
    assert distance(column, ["9"]) == pytest.approx(1 / 3)


def test_dates_are_ordered_as_days() -> None:
    column = sensitive_column(table_of(["2024/10/1", "2024/9/1", "2024-02"]), "s")
    assert [column.values[code] for code in column.order] == ["2024-02", "2024/9/1", "2024/10/1"]


def least_work(shares: Sequence[Sequence[float]], ground: NDArray[np.float64]) -> float:
    """Return the earth mover's distance of two distributions as a linear program."""
    (p, q), m = shares, len(ground)
    rows, columns = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    solved = linprog(ground.ravel(), A_eq=np.vstack([rows, columns]), b_eq=[*p, *q])
    return float(solved.fun)


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[str | None], list[str | None]]:
    """Draw the values of a table and those of a class of it."""
    values = draw(st.lists(st.sampled_from(["0", "1", "2", "3", "4", "7", "12", None]), min_size=1, max_size=14))
    return values, values[: draw(st.integers(1, len(values)))]


@settings(max_examples=60, deadline=None)
@given(samples())
def test_the_ordered_distance_is_that_of_ranks(drawn: tuple[list[str | None], list[str | None]]) -> None:
    whole, part = drawn
    column = sensitive_column(table_of(whole), "s")
    if column.distance == "ordered":
        ranks = {value: rank for rank, value in enumerate(sorted(set(whole), key=lambda v: (v is None, int(v or 0))))}
        steps = max(len(ranks) - 1, 1)
        found = wasserstein_distance([ranks[v] / steps for v in part], [ranks[v] / steps for v in whole])
        assert distance(column, part) == pytest.approx(found, abs=1e-12)
    else:
        assert distance(column, part) == pytest.approx(0)


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    columns = [["0", "1", "2", "3", "4", "7", "12", ""]]
    for level in range(1, draw(st.integers(1, 4))):
        groups = {old: f"{level}-{draw(st.integers(0, 4 // level))}" for old in dict.fromkeys(columns[-1])}
        columns.append([groups[old] for old in columns[-1]])
    return make_hierarchy("s", dict(enumerate(zip(*columns, strict=True))))


def height(hierarchy: Hierarchy, values: Sequence[str | None]) -> int:
    """Return the lowest level at which some values are one; the root is above all levels where they never are."""
    texts = ([step[value or ""] for value in values] for step in hierarchy.steps)
    return next((level for level, found in enumerate(texts) if len(set(found)) == 1), hierarchy.levels)


@settings(max_examples=60, deadline=None)
@given(samples(), trees())
def test_the_hierarchical_distance_is_the_least_work(
    drawn: tuple[list[str | None], list[str | None]], hierarchy: Hierarchy
) -> None:
    whole, part = drawn
    column = sensitive_column(table_of(whole), "s", hierarchy)
    values = list(column.values)
    root = max(height(hierarchy, [*hierarchy.steps[0]]), 1)
    ground = np.array([[height(hierarchy, [one, other]) / root for other in values] for one in values])
    shares = [[some.count(value) / len(some) for value in values] for some in (part, whole)]
    assert distance(column, part) == pytest.approx(least_work(shares, ground), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(samples())
def test_the_equal_distance_is_the_least_work(drawn: tuple[list[str | None], list[str | None]]) -> None:
    whole, part = ([f"n{value}" for value in some] for some in drawn)
    column = sensitive_column(table_of(whole), "s")
    assert column.distance == "equal"
    shares = [[some.count(str(value)) / len(some) for value in column.values] for some in (part, whole)]
    ground = 1 - np.eye(len(column.values))
    assert distance(column, part) == pytest.approx(least_work(shares, ground), abs=1e-9)
