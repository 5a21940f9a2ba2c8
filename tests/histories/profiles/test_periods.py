"""Periods of histories, and the days at which a history is cut."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.rule_sets import EPOCH
from sudare.histories.profiles.periods import (
    Period,
    cut_days,
    cut_rows,
    gap_between,
    is_same_time,
    period_of,
    rows_from,
)
from tests.histories.generalized.small_cells import cells

START = (date(2011, 1, 1) - EPOCH).days


def on(*days: str) -> list[list[str]]:
    return [[str(number), day, "a", "1", "1"] for number, day in enumerate(days, start=1)]


def period(first: int, last: int) -> Period:
    return Period(date(2011, 1, first), date(2011, 1, last), 1, 1)


def test_a_period_goes_from_the_first_to_the_last_day_without_what_is_deleted() -> None:
    found = period_of(cells([*on("2011/1/5", "[2011/1/3;2011/1/9]", "*"), ["1", "2011/1/4", "b", "1", "1"], ["*"] * 5]))
    assert found == Period(date(2011, 1, 3), date(2011, 1, 9), rows=4, people=3)
    assert found.days == 7


def test_a_period_of_deleted_days_is_not_known() -> None:
    found = period_of(cells(on("*", "*")))
    assert (found.first, found.last, found.days, found.rows, found.people) == (None, None, 0, 2, 2)
    assert not is_same_time(found, found)
    assert not is_same_time(period(1, 2), found)
    assert gap_between(period(1, 2), found) == 0


@pytest.mark.parametrize(
    ("one", "other", "same", "gap"),
    [
        ((1, 10), (11, 20), False, 0),
        ((1, 10), (13, 20), False, 2),
        ((13, 20), (1, 10), False, 2),
        ((1, 10), (7, 20), False, 0),
        # Five of the ten days of the shorter one are in both.
        ((1, 10), (6, 20), True, 0),
        ((1, 31), (10, 10), True, 0),
        ((5, 5), (5, 5), True, 0),
    ],
)
def test_periods_are_of_the_same_time_if_half_of_the_shorter_one_is_in_both(
    one: tuple[int, int], other: tuple[int, int], same: bool, gap: int
) -> None:
    first, second = period(*one), period(*other)
    assert (is_same_time(first, second), is_same_time(second, first)) == (same, same)
    assert gap_between(first, second) == gap


@given(st.lists(st.integers(0, 400), min_size=2, max_size=12), st.integers(0, 400))
def test_a_cut_leaves_rows_on_both_sides_and_its_day_is_the_laters(days: list[int], cut: int) -> None:
    history = cells(on(*(f"{date.fromordinal(date(2011, 1, 1).toordinal() + day):%Y/%m/%d}" for day in days)))
    wanted = date.fromordinal(date(2011, 1, 1).toordinal() + cut)
    if not min(days) < cut <= max(days):
        with pytest.raises(OptionNotUsable, match="leaves nothing on one side"):
            cut_days(history, wanted)
        return
    found = cut_days(history, wanted)
    assert found == [START + cut]
    earlier, later = cut_rows(history, found)
    assert [days[row] for row in earlier] == [day for day in days if day < cut]
    assert [days[row] for row in later] == [day for day in days if day >= cut]
    assert rows_from(history, found[0]).tolist() == later.tolist()


@pytest.mark.parametrize(
    ("split", "days"),
    [
        ("half", [(2011, 2, 15)]),
        ("months", [(2011, 2, 1), (2011, 3, 1)]),
        ("2011-01-20", [(2011, 1, 20)]),
        (date(2011, 1, 20), [(2011, 1, 20)]),
        (datetime(2011, 1, 20, 13, 30), [(2011, 1, 20)]),
        (["2011-03-01", " 2011-02-01", date(2011, 2, 1)], [(2011, 2, 1), (2011, 3, 1)]),
    ],
)
def test_days_are_given_in_several_ways(split: object, days: list[tuple[int, int, int]]) -> None:
    history = cells(on("2011/1/1", "2011/2/2", "2011/3/31"))
    assert cut_days(history, split) == [(date(*day) - EPOCH).days for day in days]  # type: ignore[arg-type]


@pytest.mark.parametrize("split", ["half", "months", "2011-01-05"])
def test_rows_of_one_day_cannot_be_split(split: str) -> None:
    with pytest.raises(
        OptionNotUsable, match="leaves nothing on one side: the history goes from 2011-01-05 to 2011-01-05"
    ):
        cut_days(cells(on("2011/1/5", "2011/1/5")), split)


@pytest.mark.parametrize("split", ["soon", "2011-02-30", "half,months", ["half"], ""])
def test_what_is_no_day_is_refused(split: object) -> None:
    with pytest.raises(OptionNotUsable, match="split is a day such as 2011-06-10"):
        cut_days(cells(on("2011/1/1", "2011/3/5")), split)  # type: ignore[arg-type]


def test_only_exact_days_are_split_and_only_if_there_are_any() -> None:
    for day in ("*", "[2011/1/2;2011/1/3]"):
        with pytest.raises(OptionNotUsable, match="Only a history of exact days"):
            cut_days(cells(on("2011/1/1", day)), "half")
    with pytest.raises(OptionNotUsable, match="has no rows"):
        cut_days(cells([]), "half")
    with pytest.raises(OptionNotUsable, match="leaves nothing on one side"):
        cut_days(cells(on("2011/1/1", "2011/1/5")), [])


def test_only_rows_that_are_certainly_later_count_as_later() -> None:
    history = cells([*on("2011/1/4", "2011/1/5", "[2011/1/4;2011/1/9]", "[2011/1/5;2011/1/9]", "*"), ["*"] * 5])
    assert rows_from(history, START + 4).tolist() == [1, 3]
    assert rows_from(history.taken(np.array([], np.int64)), START).tolist() == []
