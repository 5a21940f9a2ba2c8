from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from sudare.histories.attack.one_to_one import assign, share_out
from sudare.kernels.histories.sparse_assignment import assign_sparse

LEAST = 1e-12


def pairs(table: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """Where the pairs of each row begin, and the column of each."""
    return np.arange(0, 4 * len(table) + 1, 4), np.tile(np.arange(4), len(table))


@given(
    st.lists(st.lists(st.sampled_from([0, 0, 0, 0.1, 0.3, 0.5, 0.9]), min_size=4, max_size=4), min_size=1, max_size=4)
)
def test_the_product_of_probabilities_is_the_greatest(table: list[list[float]]) -> None:
    starts, customers = pairs(table)
    probabilities = np.array(table).reshape(-1)
    with np.errstate(divide="ignore"):
        places = assign(np.arange(len(table)), starts, customers, probabilities, 4)
    found, confidence = np.append(customers, -1)[places], np.append(probabilities, 0)[places]
    best = max(
        np.prod([row[c] if c < 4 and row[c] else LEAST for row, c in zip(table, way, strict=True)])
        for way in product(range(5), repeat=len(table))
        if len({c for c in way if c < 4}) == sum(c < 4 for c in way)
    )
    reached = np.prod([value if c >= 0 else LEAST for value, c in zip(confidence, found, strict=True)])
    assert reached == pytest.approx(best)
    assert len({c for c in found.tolist() if c >= 0}) == (found >= 0).sum()


def test_equal_pseudonyms_of_a_group_get_different_customers() -> None:
    places = assign(np.array([0, 0]), np.array([0, 2]), np.array([0, 1]), np.array([0.9, 0.2]), 2)
    assert sorted(places.tolist()) == [0, 1]


def plainly_scaled(weights: np.ndarray, totals: np.ndarray, rest: np.ndarray, exactly: bool) -> np.ndarray:
    """Sinkhorn's scaling on a whole matrix, in turns of rows and columns."""
    parts = weights.astype(float)
    scale = np.ones(weights.shape[1])
    for _ in range(3_000):
        parts = weights * scale
        parts = parts * (totals / (parts.sum(axis=1) + rest))[:, None]
        filled = parts.sum(axis=0)
        scale = scale / (np.where(filled > 0, filled, 1) if exactly else np.maximum(filled, 1))
    return parts


@given(st.integers(2, 5), st.booleans(), st.integers(0, 2**32))
def test_shares_add_up_both_ways_as_plain_scaling_does(size: int, exactly: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    logarithms = random.uniform(-2, 2, (size, size))
    others = np.full(size, -np.inf) if exactly else random.uniform(-2, 2, size)
    groups, customers = (places.ravel() for places in np.indices((size, size)))
    ones = np.ones(size, np.int64)
    found = share_out(groups, customers, logarithms.ravel(), others, ones, size, exactly=exactly).reshape(size, size)
    top = np.maximum(logarithms.max(axis=1), others)
    plain = plainly_scaled(np.exp(logarithms - top[:, None]), ones, np.exp(others - top), exactly)
    assert found == pytest.approx(plain, abs=1e-4)
    assert (found.sum(axis=1) <= 1 + 1e-9).all()
    assert (found.sum(axis=0) <= 1 + 1e-4).all()


def test_a_group_of_several_pseudonyms_is_as_many_customers() -> None:
    groups, customers = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    logarithms = np.array([0.0, 0, -9, -9, -9, 0])
    found = share_out(groups, customers, logarithms, np.full(2, -np.inf), np.array([2, 1]), 3, exactly=True)
    assert found == pytest.approx([1, 1, 0, 0, 0, 1], abs=0.01)


# Few different costs make ties; many rows for few columns make long paths, and rows that get none.
@given(
    st.integers(1, 40), st.integers(1, 30), st.sampled_from([0.05, 0.2, 0.6]), st.sampled_from([2, 5, 10**6]),
    st.integers(0, 2**32),
)  # fmt: skip
def test_sparse_rows_get_columns_at_the_least_sum(rows: int, columns: int, share: float, costs: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    alone = 3.0
    table = np.where(
        random.random((rows, columns)) < share, 4.0 * random.integers(0, costs, (rows, columns)) / costs, 9
    )
    edge_rows, edge_columns = map(np.ascontiguousarray, np.nonzero(table < alone))
    edge_costs = table[edge_rows, edge_columns]
    starts, taken = np.searchsorted(edge_rows, np.arange(rows + 1)), np.empty(rows, np.int64)
    assign_sparse(edge_rows, starts, edge_columns, edge_costs, alone, taken, columns)
    assert (edge_rows[taken[taken >= 0]] == np.flatnonzero(taken >= 0)).all()
    given_columns = edge_columns[taken[taken >= 0]]
    assert len(set(given_columns.tolist())) == len(given_columns)
    whole = np.hstack([table, np.full((rows, rows), alone)])
    least = whole[linear_sum_assignment(whole)].sum()
    assert edge_costs[taken[taken >= 0]].sum() + alone * (taken < 0).sum() == pytest.approx(least)
