"""Assignments against all permutations and against scipy."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from sudare.kernels.histories import assignment


def assign(cost: np.ndarray, rows: int) -> np.ndarray:
    return assignment.assign(cost, rows, np.zeros(1, np.bool_))


def assign_nearly(cost: np.ndarray, rows: int, last_step: float) -> np.ndarray:
    return assignment.assign_nearly(cost, rows, last_step, np.zeros(1, np.bool_))


def assign_within(cost: np.ndarray, rows: int, last_step: float) -> tuple[np.ndarray, float]:
    return assignment.assign_within(cost, rows, last_step, np.zeros(1, np.bool_))


# Few different costs make many ties.
matrices = st.integers(1, 4).flatmap(
    lambda rows: st.integers(rows, 9).flatmap(
        lambda columns: st.lists(
            st.lists(st.integers(0, 5).map(lambda cost: cost / 4), min_size=columns, max_size=columns),
            min_size=rows,
            max_size=rows,
        )
    )
)


def padded(cost: list[list[float]]) -> np.ndarray:
    return np.vstack([np.asarray(cost, np.float64), np.zeros((1, len(cost[0])))])


@given(matrices)
def test_an_assignment_costs_the_least_of_all_and_a_near_one_little_more(cost: list[list[float]]) -> None:
    least = min(
        sum(cost[row][column] for row, column in enumerate(chosen))
        for chosen in permutations(range(len(cost[0])), len(cost))
    )
    for chosen, more in ((assign(padded(cost), len(cost)), 0.0), (assign_nearly(padded(cost), len(cost), 0.01), 0.01)):
        assert len(set(chosen.tolist())) == len(cost)
        total = sum(cost[row][column] for row, column in enumerate(chosen.tolist()))
        assert least - 1e-9 <= total <= least + more * len(cost[0]) + 1e-9
    _, bound = assign_within(padded(cost), len(cost), 0.01)
    assert least - 0.01 * len(cost[0]) - 1e-9 <= bound <= least + 1e-9


@pytest.mark.parametrize("shape", [(60, 60), (60, 75), (30, 200)])
def test_large_assignments_cost_as_little_as_those_of_scipy(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    cost = np.abs(rng.normal(size=shape[0])[:, None] - rng.normal(size=shape[1])) + (rng.random(shape) > 0.1)
    chosen = assign(padded(cost.tolist()), shape[0])
    assert cost[np.arange(shape[0]), chosen].sum() == pytest.approx(cost[linear_sum_assignment(cost)].sum(), abs=1e-9)
