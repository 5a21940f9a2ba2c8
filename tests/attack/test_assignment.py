from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.attack import assignment
from sudare.attack.assignment import assign_customers
from sudare.attack.candidates import Candidates
from sudare.attack.knowledge import know_history
from sudare.attack.linkage import Linkage
from tests.data.small_cells import cells

LEAST = 1e-12


def linkage_of(pids: int, customers: int) -> Linkage:
    """Different pseudonyms and customers; what they bought does not matter here."""
    rows = [[str(n), "2011/1/1", f"i{n}", "1", "1"] for n in range(1, max(pids, customers) + 1)]
    original = cells(rows)
    published = cells(rows[:pids], names=original.column("item").names)
    return Linkage(know_history(cells(rows[:customers], names=original.column("item").names)), published)


@given(
    st.lists(st.lists(st.sampled_from([0, 0, 0, 0.1, 0.3, 0.5, 0.9]), min_size=4, max_size=4), min_size=1, max_size=4),
    st.integers(1, 4),
)
def test_the_product_of_probabilities_is_the_greatest_whatever_is_solved_at_once(
    table: list[list[float]], at_once: int
) -> None:
    starts = np.arange(0, 4 * len(table) + 1, 4)
    numbers = np.tile(np.arange(4), len(table))
    nothing = np.zeros(len(numbers), np.int64)
    one = np.ones(len(table), np.int64)
    candidates = Candidates(starts, numbers, nothing * 1.0, nothing, one, one * 1.0, one, one > 0)
    probabilities = np.array(table).reshape(-1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_PIDS_AT_ONCE", at_once)
        found, confidence = assign_customers(linkage_of(len(table), 4), candidates, probabilities)
    best = max(
        np.prod([row[c] if c < 4 and row[c] else LEAST for row, c in zip(table, way, strict=True)])
        for way in product(range(5), repeat=len(table))
        if len({c for c in way if c < 4}) == sum(c < 4 for c in way)
    )
    reached = np.prod([value if c >= 0 else LEAST for value, c in zip(confidence, found, strict=True)])
    assert reached == pytest.approx(best)
    assert len({c for c in found.tolist() if c >= 0}) == (found >= 0).sum()
