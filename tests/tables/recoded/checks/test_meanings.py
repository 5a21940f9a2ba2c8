"""Texts of cells are read back to the values that they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.tables.hierarchies.model import Hierarchy, make_hierarchy
from sudare.tables.recoded.checks.meanings import parse_set, read_meanings, span_meanings
from sudare.tables.recoded.texts import range_text, set_text


def covered(
    text: str | None, values: list[str | None], *, hierarchy: Hierarchy | None = None, cells: str = "ranges"
) -> list[str | None] | None:
    """Return the values that a text covers, None if it cannot be read."""
    found = read_meanings([text], values, hierarchy=hierarchy, cells=cells)
    return None if found.unreadable else [values[code] for code in np.flatnonzero(found.covered(0))]


NUMBERS: list[str | None] = ["5", "20", "21", "29", "30", "-2", "1.5", "1,200", None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20", ["20"]),
        ("20-29", ["20", "21", "29"]),
        ("[-2, 5]", ["5", "-2", "1.5"]),
        ("[1.5, 1e3]", ["5", "20", "21", "29", "30", "1.5"]),
        ("30-1200", ["30", "1,200"]),
        ("{, 20-29}", ["20", "21", "29", None]),
        ('{, "[-2, 5]"}', ["5", "-2", "1.5", None]),
        ("{20, 30}", ["20", "30"]),
        ("*", NUMBERS),
        (None, [None]),
        ("29-20", None),
        ("[20, 29)", None),
        ("many", None),
        ("{20, 31}", None),
    ],
)
def test_numbers(text: str | None, expected: list[str | None] | None) -> None:
    assert covered(text, NUMBERS) == expected


def test_dates_are_compared_as_dates() -> None:
    days: list[str | None] = ["2024-01-09", "2024-1-31", "2024-02-01", "2024/3/1", "2024-03"]
    assert covered("2024-01-10..2024-02-28", days) == ["2024-1-31", "2024-02-01"]
    assert covered("2024-02-01..May", days) is None


def test_sets_are_read_with_their_quotes() -> None:
    assert parse_set('{, a, "b, c", "5"" disk"}') == ["", "a", "b, c", '5" disk']
    assert [parse_set(text) for text in ("a", "{a", '{"a}', "{a,b}", '{"a"b}', "{a, {b}}")] == [None] * 6


AGES = make_hierarchy("age", {1: ["21", "20-29", "*"], 2: ["27", "20-29", "*"], 3: ["34", "30-39", "*"]})


def test_nodes_cover_what_the_hierarchy_puts_below_them() -> None:
    ages: list[str | None] = ["21", "27", "34", None]
    assert covered("20-29", ages, hierarchy=AGES, cells="nodes") == ["21", "27"]
    assert covered("27", ages, hierarchy=AGES, cells="nodes") == ["27"]
    assert covered("*", ages, hierarchy=AGES, cells="nodes") == ages
    assert covered(None, ages, hierarchy=AGES, cells="nodes") == [None]
    assert covered("25-34", ages, hierarchy=AGES, cells="nodes") is None


def test_a_range_is_not_the_node_of_its_name() -> None:
    odd = make_hierarchy("age", {1: ["19", "15-19", "*"], 2: ["20", "15-19", "*"], 3: ["21", "20-24", "*"]})
    assert covered("15-19", ["19", "20", "21"], hierarchy=odd, cells="nodes") == ["19", "20"]
    assert covered("15-19", ["19", "20", "21"], hierarchy=odd, cells="ranges") == ["19"]


def test_columns_without_an_order_have_nodes_instead_of_ranges() -> None:
    towns = make_hierarchy("town", {1: ["Ueno", "1-2"], 2: ["Kanda", "1-2"], 3: ["1", "3"]})
    assert covered("1-2", ["Ueno", "Kanda", "1"], hierarchy=towns, cells="ranges") == ["Ueno", "Kanda"]


def test_missing_values_are_below_their_own_node_or_the_root() -> None:
    unknown = make_hierarchy("age", {1: ["21", "young", "any"], 2: ["61", "old", "any"], 3: ["", "old", "any"]})
    assert covered("old", ["21", "61", None], hierarchy=unknown, cells="nodes") == ["61", None]
    rooted = make_hierarchy("age", {1: ["21", "young", "any"], 2: ["61", "old", "any"]})
    assert covered("any", ["21", "61", None], hierarchy=rooted, cells="nodes") == ["21", "61", None]


def test_a_text_of_two_meanings_covers_both() -> None:
    other = make_hierarchy("town", {1: ["other", "other"], 2: ["Ueno", "other"]})
    assert covered("other", ["other", "Ueno"], hierarchy=other, cells="nodes") == ["other", "Ueno"]


def test_a_mean_leaves_everything_between_the_extremes_of_its_class_possible() -> None:
    values = ["1", "2", "3", "4", None]
    found = span_meanings(values, np.array([0, 0, 1, 1, 2]), np.array([0, 2, 2, 4, 4]), 3)
    assert found.covered(0).tolist() == [True, True, True, False, False]
    assert found.covered(1).tolist() == [False, False, True, True, True]
    assert found.covered(2).tolist() == [False, False, False, False, True]


@given(st.lists(st.none() | st.text('ab,{}" *', min_size=1).map(str.strip).filter(bool), min_size=1, unique=True))
def test_a_written_set_is_read_as_it_was_meant(values: list[str | None]) -> None:
    text = set_text(values)
    others: list[str | None] = ["other", *values]
    found = covered(text, others, cells="sets")
    # A single value can itself look like a set, or like everything; then it covers more, never less.
    assert found is not None
    assert set(values) <= set(found)
    if len(values) > 1 and text not in values:
        assert set(values) == set(found)


@given(st.lists(st.integers(-50, 50), min_size=2, unique=True), st.data())
def test_a_written_range_is_read_as_it_was_meant(numbers: list[int], data: st.DataObject) -> None:
    low, high = sorted(data.draw(st.lists(st.sampled_from(numbers), min_size=2, max_size=2)))
    missing = data.draw(st.booleans())
    values: list[str | None] = [*map(str, numbers), None]
    expected = [str(number) for number in numbers if low <= number <= high]
    assert covered(range_text(str(low), str(high), missing=missing), values) == [
        *expected,
        *([None] if missing else []),
    ]
