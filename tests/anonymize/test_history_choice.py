"""The choice among computed classes: the cheapest that hold everybody once, and nothing on the output."""

from __future__ import annotations

import os
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.anonymize.history_choice import _muted, cheapest_division

CLASSES = [members for size in (2, 3) for members in combinations(range(5), size)]


def test_everybody_is_in_one_class_at_the_least_cost() -> None:
    classes = [(0, 1), (2, 3), (0, 2), (1, 3), (0, 1, 2)]
    costs = np.array([5.0, 5.0, 4.0, 5.5, 1.0])
    assert sorted(cheapest_division(classes, costs, customers=4, most=10.0, seconds=10)) == [(0, 2), (1, 3)]


def test_classes_that_leave_somebody_out_are_no_division() -> None:
    assert cheapest_division([(0, 1), (1, 2)], np.array([1.0, 1.0]), customers=3, most=9.0, seconds=10) == []


@settings(max_examples=25)
@given(st.lists(st.integers(1, 20), min_size=len(CLASSES), max_size=len(CLASSES)))
def test_no_other_division_is_cheaper(costs: list[int]) -> None:
    best = min(
        first + second
        for (one, first), (other, second) in combinations(zip(CLASSES, costs, strict=True), 2)
        if sorted(one + other) == list(range(5))
    )
    found = cheapest_division(CLASSES, np.array(costs, np.float64), customers=5, most=best + 1.0, seconds=10)
    assert sum(costs[CLASSES.index(members)] for members in found) == best


def test_what_compiled_code_writes_meanwhile_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(1, b"before ")
    with _muted():
        os.write(1, b"left over")
    os.write(1, b"after")
    assert capfd.readouterr().out == "before after"
