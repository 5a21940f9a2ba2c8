"""What any safe suppression has to lose, against all suppressions of small data."""

from itertools import combinations

import numpy as np
from hypothesis import assume, given, settings, strategies as st

from sudare.baskets.model import make_baskets, sensitive_rows
from sudare.baskets.suppress.suppression import suppress_baskets
from tests.baskets.small_baskets import Case, cases, unsafe_by_hand


def optimum(case: Case) -> int:
    """Return how many occurrences have to go until nobody is unsafe, by trying all suppressions, the smallest first."""
    places = [(u, item) for u, record in enumerate(case.records) for item in sorted(record)]
    for size in range(len(places) + 1):
        for gone in combinations(places, size):
            shown = [{item for item in record if (u, item) not in gone} for u, record in enumerate(case.records)]
            if not unsafe_by_hand(case, shown):
                return size
    raise AssertionError


@given(cases(), st.sampled_from(["paper", "best"]))
@settings(max_examples=80)
def test_no_safe_suppression_is_smaller_than_the_bound(case: Case, strategy: str) -> None:
    assume(sum(map(len, case.records)) <= 11)
    found = suppress_baskets(
        case.baskets, case.sensitive, rho=case.rho, max_known=case.max_known, knowledge=case.knowledge,
        strategy=strategy,  # type: ignore[arg-type]
    )  # fmt: skip
    assert found.least_suppressed is not None
    assert found.least_suppressed <= optimum(case) <= found.suppressed
    assert (found.least_suppressed > 0) == (optimum(case) > 0)


def test_figure_2_needs_one_and_two_such_rules_two() -> None:
    """Three of four records with x have y, rho is a half: one has to go, and two of two copies with other items."""
    one = make_baskets([["x", "y"]] * 3 + [["x"]])
    secret = sensitive_rows(np.asarray([[False, True]]), np.zeros(4, np.int32), "y")
    assert suppress_baskets(one, secret, rho=0.5, max_known=1).least_suppressed == 1
    two = make_baskets([["x", "y", "v", "w"]] * 3 + [["x", "v"]])
    lists = np.asarray([[name in "yw" for name in two.names]])
    found = suppress_baskets(two, sensitive_rows(lists, np.zeros(4, np.int32), "yw"), rho=0.5, max_known=1)
    assert found.least_suppressed == 2


def test_a_sample_has_no_such_bound() -> None:
    baskets = make_baskets([["x", "y"]] * 3 + [["x"]])
    secret = sensitive_rows(np.asarray([[False, True]]), np.zeros(4, np.int32), "y")
    found = suppress_baskets(baskets, secret, rho=0.5, max_known=1, epsilon=0.1, delta=0.1)
    assert (found.least_suppressed, found.to_dict()["least_suppressed"]) == (None, None)
