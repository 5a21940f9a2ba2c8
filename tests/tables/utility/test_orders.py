"""Which values have an order."""

from __future__ import annotations

import numpy as np

from sudare.tables.utility.orders import value_numbers


def test_numbers_and_dates_have_an_order() -> None:
    assert np.array_equal(value_numbers(["10", "9.5", "-1", "1,000"]), [10, 9.5, -1, 1000])
    days = value_numbers(["2024-02-29", "2024-03-01", "2023/12/31", "2024-02"])
    assert days is not None
    assert (days - days[0]).tolist() == [0, 1, -60, -28]


def test_names_have_none() -> None:
    assert value_numbers(["red", "green"]) is None
    assert value_numbers([None]) is None
    assert value_numbers([]) is None


def test_missing_values_and_a_few_words_have_no_number() -> None:
    found = value_numbers([*map(str, range(10)), "unknown", None])
    assert found is not None
    assert np.isnan(found).tolist() == [False] * 10 + [True, True]
    assert value_numbers(["1", "2", "unknown"]) is None
