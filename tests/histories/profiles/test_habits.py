"""Habits worked by hand."""

from __future__ import annotations

from math import log, log1p

import numpy as np
import pytest

from sudare.histories.profiles.habits import compare_habits, find_habits
from sudare.histories.profiles.sides import Side, make_sides
from tests.histories.generalized.small_cells import cells

# 2011-01-03 was a Monday. The first one comes twice, the second one once.
KNOWN = [
    ["1", "2011/1/3", "a", "1", "2"],
    ["1", "2011/1/3", "b", "3", "2"],
    ["1", "2011/1/10", "a", "1", "2"],
    ["2", "2011/1/9", "c", "0", "1"],
]


def side(rows: list[list[str]]) -> Side:
    return make_sides(cells(rows), cells([[*row[:1], "2011/6/1", *row[2:]] for row in KNOWN])).known


def test_habits_are_logarithms_of_means() -> None:
    found = find_habits(side(KNOWN), days=True)
    assert found.means["rows"] == pytest.approx([log(3), 0])
    assert found.means["visits"] == pytest.approx([log(2), 0])
    assert found.means["basket"] == pytest.approx([log(1.5), 0])
    # Prices are hundredths.
    assert found.means["price"] == pytest.approx([(2 * log1p(100) + log1p(300)) / 3, 0])
    assert found.means["quantity"] == pytest.approx([log1p(2), log1p(1)])
    assert found.means["spending"] == pytest.approx([log1p((200 + 600 + 200) / 2), 0])
    assert found.week is not None
    assert found.week.tolist() == [[2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]]


def test_without_single_days_there_are_no_visits() -> None:
    assert find_habits(side(KNOWN), days=False).means.keys() == {"rows", "price", "quantity"}
    ranged = [["1", "[2011/1/3;2011/1/4]", *row[2:]] for row in KNOWN]
    assert find_habits(side(ranged), days=True).week is None


def test_what_is_deleted_is_thought_to_be_as_usual() -> None:
    rows = [*KNOWN, ["3", "2011/1/3", "a", "*", "5"]]
    means = find_habits(side(rows), days=True).means
    assert means["price"][2] == pytest.approx((2 * log1p(100) + log1p(300) + 0) / 4)
    assert means["spending"][2] == 0


def test_numbers_below_zero_are_numbers() -> None:
    rows = [["1", "2011/1/3", "a", "-3", "1"], ["1", "2011/1/4", "a", "-0", "1"], ["2", "2011/1/4", "a", "1", "-1"]]
    means = find_habits(side(rows), days=True).means
    assert means["price"] == pytest.approx([-log1p(300) / 2, log1p(100)])
    assert means["quantity"] == pytest.approx([log1p(1), -log1p(1)])
    assert means["spending"] == pytest.approx([-log1p(150), -log1p(100)])


def test_habits_are_compared_from_the_mean_of_their_side() -> None:
    habits = find_habits(side(KNOWN), days=True)
    # Everybody buys twice as many rows: nobody's habit is another one.
    twice = find_habits(side([row for row in KNOWN for _ in range(2)]), days=True)
    groups, people = np.array([0, 1, 0], np.int32), np.array([0, 1, 1], np.int32)
    found = compare_habits(twice, habits, groups, people)
    assert found["rows_apart"] == pytest.approx([0, 0, log(3)], abs=1e-6)
    assert found["rows_more"] == pytest.approx([0, 0, log(3)], abs=1e-6)
    assert found["rows_published"] == pytest.approx([log(6), log(2), log(6)])
    assert found["rows_known"] == pytest.approx([log(3), 0, 0], abs=1e-6)
    assert found["price_apart"][:2] == pytest.approx([0, 0], abs=1e-6)


def test_days_of_the_week_fit_who_comes_on_them_more_than_others() -> None:
    habits = find_habits(side(KNOWN), days=True)
    found = compare_habits(habits, habits, np.array([0, 0], np.int32), np.array([0, 1], np.int32))
    # All visits: 4 on Mondays, 2 on Sundays, one day more of each; two usual ones besides those of each.
    monday = (4 + 1) / 13
    expected = [log((2 + 2 * monday) / (2 + 2) / monday), log((0 + 2 * monday) / (1 + 2) / monday)]
    assert found["weekdays"] == pytest.approx(expected, rel=1e-5)
    assert found["weekdays"][0] > 0 > found["weekdays"][1]
