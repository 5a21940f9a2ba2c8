"""The largest share that l-diversity leaves a value, against all classes of a size."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.tables.attack.class_values import ClassValues, class_values
from sudare.tables.attack.promises import keeps_diversity, share_limit
from sudare.tables.classes.criteria import Criteria


def one_class(counts: list[int]) -> ClassValues:
    codes = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return class_values(np.zeros(len(codes), np.int32), codes, 1, len(counts))


def entropy(counts: tuple[int, ...]) -> float:
    return -sum(n / sum(counts) * log(n / sum(counts)) for n in counts if n)


def test_distinct_values_leave_the_rest_for_one() -> None:
    values = one_class([4, 1, 1])
    assert share_limit(Criteria(l=3), values) == pytest.approx(4 / 6)
    assert keeps_diversity(Criteria(l=3), values)
    assert not keeps_diversity(Criteria(l=4), values)
    assert share_limit(Criteria(), values) is None


@given(st.floats(1.0, 3.9))
def test_no_class_with_enough_entropy_has_a_larger_share(least: float) -> None:
    classes = [one for one in product(range(8), repeat=4) if sum(one) and entropy(one) >= log(least)]
    limit = share_limit(Criteria(l=least, diversity="entropy"), one_class([1, 1, 1, 1]))
    assert limit is not None
    largest = max(max(one) / sum(one) for one in classes)
    assert largest <= limit + 1e-9
    # It is reached by one value against three equal ones.
    rest = max((1 - limit) / 3, 1e-12)
    assert -limit * log(limit) - 3 * rest * log(rest) == pytest.approx(log(least), abs=1e-6)


@given(st.integers(2, 3), st.sampled_from([0.5, 1.0, 2.0, 4.0]))
def test_no_recursive_class_has_a_larger_share(l: int, c: float) -> None:  # noqa: E741
    limit = share_limit(Criteria(l=l, c=c, diversity="recursive"), one_class([1, 1, 1]))
    ordered = [sorted(one, reverse=True) for one in product(range(9), repeat=3) if sum(one)]
    kept = [one for one in ordered if one[0] < c * sum(one[l - 1 :])]
    assert limit is not None
    assert all(one[0] / sum(one) <= limit for one in kept)
