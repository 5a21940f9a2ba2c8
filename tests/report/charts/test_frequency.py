"""Charts of frequencies: every occurrence is in a bar, and days have few names."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings, strategies as st

from sudare.report.charts.frequency import (
    MOST_TICKS,
    Bars,
    bars_over_days,
    bars_over_numbers,
    curve_by_rank,
    day_ticks,
    gather_bars,
    needs_log_ranks,
)
from sudare.report.charts.vega import render

WORDS = {"axes": ("across", "up"), "title": "title", "description": "said"}


@given(st.dictionaries(st.integers(-5, 300), st.integers(1, 9), min_size=1), st.integers(1, 40))
def test_every_occurrence_is_in_the_bar_of_its_number(counted: dict[int, int], most: int) -> None:
    bars = gather_bars(list(counted.items()), most=most)
    assert len(bars.counts) <= most
    expected = [0] * len(bars.counts)
    for number, occurrences in counted.items():
        place = next(p for p in range(len(expected)) if bars.first + bars.step * (p + 1) > number)
        expected[place] += occurrences
    assert list(bars.counts) == expected


def test_a_year_of_days_has_a_bar_for_each() -> None:
    days = [(dt.date(2010, 12, 1).toordinal() + place, 1) for place in range(374)]
    assert gather_bars(days).step == 1
    assert gather_bars([*days, (days[0][0] + 1000, 1)]).step == 3


@pytest.mark.parametrize(
    ("first", "last", "names"),
    [
        ("2010-12-01", "2010-12-03", ["2010-12-01", "2010-12-02", "2010-12-03"]),
        ("2010-12-01", "2010-12-01", ["2010-12-01"]),
        ("2010-12-02", "2011-01-31", ["2010-12-02", "2010-12-22", "2011-01-11", "2011-01-31"]),
        ("2010-12-01", "2011-12-09", ["2011-01", "2011-03", "2011-05", "2011-07", "2011-09", "2011-11"]),
        ("1999-01-01", "2003-12-31", ["1999-01", "2000-01", "2001-01", "2002-01", "2003-01"]),
    ],
)
def test_days_are_named_by_months_or_in_short_spans_by_days(first: str, last: str, names: list[str]) -> None:
    assert [name for _, name in day_ticks(dt.date.fromisoformat(first), dt.date.fromisoformat(last))] == names


@settings(max_examples=30)
@given(st.dates(), st.dates())
def test_any_span_has_a_few_named_days_within_it(one: dt.date, other: dt.date) -> None:
    first, last = min(one, other), max(one, other)
    found = day_ticks(first, last)
    assert 1 <= len(found) <= MOST_TICKS
    assert all(first <= day <= last for day, _ in found)


def test_charts_are_drawn_with_their_words() -> None:
    bars = Bars(dt.date(2010, 12, 1).toordinal(), 1, (2, 0, 1))
    drawn = render(bars_over_days(bars, **WORDS))
    assert all(text in drawn for text in ("2010-12-01", "2010-12-03", "across", "up", "<desc>said</desc>"))
    assert drawn.count("#1c5c8a") == 2  # a day without visits has no bar
    assert render(bars_over_numbers(Bars(1, 1, (3, 1)), **WORDS)).count("#1c5c8a") == 2


def test_ranks_are_logarithmic_where_they_are_many_or_common() -> None:
    assert not needs_log_ranks([(1, 3), (3, 2), (4, 2)])
    assert needs_log_ranks([(1, 101), (2, 1)])
    assert needs_log_ranks([(1, 2), (101, 1)])
    assert "1,000" in render(curve_by_rank([(1, 1012), (2781, 1)], **WORDS))
