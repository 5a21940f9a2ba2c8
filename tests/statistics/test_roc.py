"""The area under the ROC curve and the advantage, by hand and by comparing all pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.statistics.roc import roc

scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=20)


def test_a_worked_example() -> None:
    # Of six pairs the positive is higher in four, and equal in one.
    found = roc(np.array([1.0, 3.0, 4.0]), np.array([1.0, 2.0]))
    assert found.area == pytest.approx(4.5 / 6)
    # From 3 on there are two of three positives and no negative.
    assert found.advantage == pytest.approx(2 / 3)


@given(scores, scores)
def test_the_area_is_the_share_of_pairs_in_order(positive: list[float], negative: list[float]) -> None:
    found = roc(np.array(positive), np.array(negative))
    pairs = [(one > other) + (one == other) / 2 for one, other in product(positive, negative)]
    assert found.area == pytest.approx(sum(pairs) / len(pairs))
    rates = [
        sum(one >= bound for one in positive) / len(positive) - sum(one >= bound for one in negative) / len(negative)
        for bound in range(7)
    ]
    assert found.advantage == pytest.approx(max(rates))
    assert 0 <= found.interval[0] <= found.interval[1] <= 1


def test_the_interval_holds_the_area_about_as_often_as_it_says() -> None:
    # Scores of two normal distributions one standard deviation apart: the area is Phi(1 / sqrt(2)) = 0.7602.
    rng = np.random.default_rng(0)
    found = [roc(rng.normal(1, 1, 60), rng.normal(0, 1, 80)).interval for _ in range(300)]
    assert 0.9 <= np.mean([low <= 0.7602 <= high for low, high in found]) <= 0.99
