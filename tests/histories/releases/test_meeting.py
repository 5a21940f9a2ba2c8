"""Rows of the same purchases in two releases, and what both allow: against plain sets and all permutations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.histories.generalized.model import Kind
from sudare.histories.generalized.written_text import cell_texts
from sudare.histories.releases.cells import stacked
from sudare.histories.releases.meeting import match_rows, narrowed
from tests.histories.generalized.small_cells import cells
from tests.histories.releases.small_releases import best_matching, values_of

DAYS = ["2011/1/1", "2011/1/2", "[2011/1/1;2011/1/2]", "[2011/1/2;2011/1/4]", "*"]
ITEMS = ["a", "b", "c", "{a;b}", "{b;c}", "{c;b}", "{a;b;c}", "*"]
PRICES = ["1", "1.01", "[1;1.02]", "[1.01;1.03]", "*"]
QUANTITIES = ["1", "2", "[1;3]", "[2;5]", "*"]

rows = st.lists(st.tuples(*map(st.sampled_from, (DAYS, ITEMS, PRICES, QUANTITIES))).map(list), min_size=1, max_size=4)


def meeting(first: list[list[str]], second: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(len(first)), np.arange(len(second)) + len(first)


def both(first: list[list[str]], second: list[list[str]]):  # type: ignore[no-untyped-def]
    return stacked([cells([["1", *row] for row in part]) for part in (first, second)])


@settings(max_examples=150)
@given(rows, rows)
def test_as_many_rows_are_matched_as_can_be_and_those_that_leave_least_room(
    first: list[list[str]], second: list[list[str]]
) -> None:
    together = both(first, second)
    one, other = match_rows(together, *meeting(first, second))
    assert len(set(one.tolist())) == len(one) == len(set(other.tolist()))
    values = [values_of(together, row) for row in range(len(together))]
    common = [[a & b for a, b in zip(values[i], values[j], strict=True)] for i, j in zip(one, other, strict=True)]
    assert all(all(parts) for parts in common)
    room = sum(np.log(len(part)) for parts in common for part in parts)
    wanted = best_matching(values[: len(first)], values[len(first) :])
    assert (len(one), room) == (wanted[0], pytest.approx(wanted[1]))


@settings(max_examples=150)
@given(rows, rows)
def test_what_is_left_of_matched_cells_is_what_both_allow(first: list[list[str]], second: list[list[str]]) -> None:
    together = both(first, second)
    one, other = match_rows(together, *meeting(first, second))
    found = narrowed(together, one, other)
    pairs = dict(zip(one.tolist(), other.tolist(), strict=True))
    for row in range(len(together)):
        before, after = values_of(together, row), values_of(found, row)
        wanted = (
            tuple(a & b for a, b in zip(before, values_of(together, pairs[row]), strict=True))
            if row in pairs
            else before
        )
        for place, column in enumerate(found.columns):
            if column.kinds[row] == Kind.DELETED:
                # Nothing is said of what both deleted.
                assert row not in pairs or together.columns[place].kinds[pairs[row]] == Kind.DELETED
                continue
            assert after[place] == wanted[place]
            assert (column.kinds[row] == Kind.EXACT) == (len(after[place]) == 1) or row not in pairs
    assert (found.persons == together.persons).all()


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ("[1;3]", "[2;5]", "[2;3]"),
        ("[1;3]", "[3;5]", "3"),
        ("*", "[2;5]", "[2;5]"),
        ("[1;3]", "*", "[1;3]"),
        ("2", "[1;9]", "2"),
        ("*", "*", "*"),
        ("[2;2]", "*", "2"),
    ],
)
def test_ranges_that_meet_leave_what_they_have_in_common(one: str, other: str, left: str) -> None:
    together = both([["2011/1/1", "a", "1", one]], [["2011/1/1", "a", "1", other]])
    found = narrowed(together, *match_rows(together, np.array([0]), np.array([1])))
    assert cell_texts(found.column("quantity"))[0] == left


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ("{a;b}", "{b;c}", "b"),
        ("{c;a;b}", "{b;a;d}", "{a;b}"),
        ("*", "{d;a}", "{a;d}"),
        ("{a;b}", "*", "{a;b}"),
        ("a", "{a;b}", "a"),
        ("*", "*", "*"),
    ],
)
def test_sets_that_meet_leave_what_they_have_in_common(one: str, other: str, left: str) -> None:
    together = both([["2011/1/1", one, "1", "1"]], [["2011/1/1", other, "1", "1"]])
    found = narrowed(together, *match_rows(together, np.array([0]), np.array([1])))
    assert cell_texts(found.column("item"))[0] == left


@pytest.mark.parametrize(("one", "other"), [("[1;2]", "[3;5]"), ("1", "2")])
def test_rows_that_have_nothing_in_common_in_one_column_are_not_the_same_purchase(one: str, other: str) -> None:
    together = both([["2011/1/1", "a", "1", one]], [["2011/1/1", "a", "1", other]])
    assert [part.tolist() for part in match_rows(together, np.array([0]), np.array([1]))] == [[], []]


def test_nothing_is_matched_with_nothing() -> None:
    together = both([["2011/1/1", "a", "1", "1"]], [["2011/1/1", "a", "1", "1"]])
    nothing = np.array([], np.int64)
    assert [part.tolist() for part in match_rows(together, nothing, np.array([1]))] == [[], []]
    assert [part.tolist() for part in match_rows(together, np.array([0]), nothing)] == [[], []]
