from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.statistics.sorting import sorted_places

# Around the ends of 16, 32 and 48 bits, and with many that are equal.
numbers = st.builds(
    lambda base, more: base + more,
    st.sampled_from([0, 2**16, 2**32, 2**48, 2**61, -(2**16), -(2**61)]),
    st.integers(-2, 2),
)


@given(st.lists(numbers, max_size=50))
def test_places_are_those_of_a_stable_sort(values: list[int]) -> None:
    expected = sorted(range(len(values)), key=values.__getitem__)
    assert sorted_places(np.array(values, np.int64)).tolist() == expected


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_numbers_of_any_length_are_sorted(dtype: type) -> None:
    values = np.random.default_rng(1).integers(0, 200, 1000).astype(dtype)
    assert sorted_places(values).tolist() == np.argsort(values, kind="stable").tolist()


@given(st.lists(numbers, max_size=50), st.randoms(use_true_random=False))
def test_some_places_are_sorted_as_they_stand(values: list[int], random: Random) -> None:
    among = random.sample(range(len(values)), k=len(values) // 2)
    expected = sorted(among, key=values.__getitem__)
    assert sorted_places(np.array(values, np.int64), np.array(among, np.int64)).tolist() == expected
