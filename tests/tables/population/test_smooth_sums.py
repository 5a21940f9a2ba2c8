import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.tables.population.smooth_sums import find_root, joint_sum_rule, log_gamma_fall, sum_rule


@settings(max_examples=60, deadline=None)
@given(terms=st.integers(0, 40_000), a=st.floats(1e-6, 1e6), b=st.floats(0, 1))
def test_long_sums_equal_adding_term_by_term(terms: int, a: float, b: float) -> None:
    places, weights = sum_rule(terms)
    assert weights @ (1 / (a + b * places)) == pytest.approx(math.fsum(1 / (a + b * np.arange(terms))), rel=1e-12)
    assert weights @ np.log(1 + a + places) == pytest.approx(math.fsum(np.log(1 + a + np.arange(terms))), rel=1e-12)


def test_the_cost_of_a_sum_does_not_grow_with_its_length() -> None:
    places, weights = sum_rule(10**12)
    assert len(places) < 600
    # The harmonic number of 10**12 is ln(10**12) + 0.5772156649015329 + 5e-13.
    assert weights @ (1 / (1 + places)) == pytest.approx(12 * math.log(10) + 0.5772156649020329, rel=1e-13)


def test_several_sums_are_taken_at_once() -> None:
    lengths, times = np.array([0, 1, 3, 2000]), np.array([5, 4, 2, 1])
    places, weights = joint_sum_rule(lengths, times)
    one_by_one = sum(t * sum(1 / (0.5 + i) for i in range(n)) for n, t in zip(lengths, times, strict=True))
    assert weights @ (1 / (0.5 + places)) == pytest.approx(one_by_one, rel=1e-12)


@given(z=st.integers(2, 300), d=st.integers(0, 299))
def test_falls_of_log_gamma_are_products(z: int, d: int) -> None:
    d = min(d, z - 1)
    product = math.fsum(math.log(z - 1 - i) for i in range(d))
    assert log_gamma_fall(z, d) == pytest.approx(product, rel=1e-11, abs=1e-11)


def test_falls_of_log_gamma_keep_their_digits_for_large_numbers() -> None:
    assert log_gamma_fall(1e12, 3) == pytest.approx(math.log(1e12 - 1) + math.log(1e12 - 2) + math.log(1e12 - 3))
    # Gamma(z) / Gamma(z - 1/2) is the square root of z - 3/4 for large z.
    assert log_gamma_fall(1e12, 0.5) == pytest.approx(math.log(1e12 - 0.75) / 2, rel=1e-15)


def test_roots_are_found_where_newton_leaves_the_bracket() -> None:
    assert find_root(lambda x: (-math.atan(x - 3), -1 / (1 + (x - 3) ** 2)), -50, 90) == pytest.approx(3, abs=1e-12)
    assert find_root(lambda x: (2 - x, 0.0), 0, 8) == pytest.approx(2, abs=1e-12)
