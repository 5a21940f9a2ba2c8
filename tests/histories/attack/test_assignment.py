from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from sudare.histories.attack.assignment import assign_customers
from sudare.histories.attack.candidates import Candidates
from sudare.histories.attack.known import know_history
from sudare.histories.attack.linkage import Linkage
from sudare.kernels.histories.sparse_assignment import assign_sparse
from tests.histories.generalized.small_cells import cells

LEAST = 1e-12


def linkage_of(pids: int, customers: int) -> Linkage:
    """Different pseudonyms and customers; what they bought does not matter here."""
    rows = [[str(n), "2011/1/1", f"i{n}", "1", "1"] for n in range(1, max(pids, customers) + 1)]
    original = cells(rows)
    published = cells(rows[:pids], names=original.column("item").names)
    return Linkage(know_history(cells(rows[:customers], names=original.column("item").names)), published)


@given(
    st.lists(st.lists(st.sampled_from([0, 0, 0, 0.1, 0.3, 0.5, 0.9]), min_size=4, max_size=4), min_size=1, max_size=4)
)
def test_the_product_of_probabilities_is_the_greatest(table: list[list[float]]) -> None:
    starts = np.arange(0, 4 * len(table) + 1, 4)
    numbers = np.tile(np.arange(4), len(table))
    nothing = np.zeros(len(numbers), np.int64)
    one = np.ones(len(table), np.int64)
    candidates = Candidates(starts, numbers, nothing * 1.0, nothing, one, one * 1.0, one, one > 0)
    probabilities = np.array(table).reshape(-1)
    found, confidence = assign_customers(linkage_of(len(table), 4), candidates, probabilities)
    best = max(
        np.prod([row[c] if c < 4 and row[c] else LEAST for row, c in zip(table, way, strict=True)])
        for way in product(range(5), repeat=len(table))
        if len({c for c in way if c < 4}) == sum(c < 4 for c in way)
    )
    reached = np.prod([value if c >= 0 else LEAST for value, c in zip(confidence, found, strict=True)])
    assert reached == pytest.approx(best)
    assert len({c for c in found.tolist() if c >= 0}) == (found >= 0).sum()


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
