"""The chart of results."""

from __future__ import annotations

import pytest

from sudare.messages import LANGUAGES, Texts
from sudare.report.charts.results import ResultPoint, _legend_columns, results_chart
from sudare.report.charts.vega import render

POINTS = [
    ResultPoint("red & <b>", 0.25, "withstood", 0.4),
    ResultPoint("green", 0.5, "not_attacked", 0.0),
    ResultPoint("blue", 0.0, "broken", 1.5),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chart_names_all_histories_and_carries_no_style(language: str) -> None:
    drawn = render(results_chart(POINTS, Texts(language)))
    assert "red &amp; &lt;b&gt;" in drawn
    assert "<b>" not in drawn
    assert " style=" not in drawn
    assert "<script" not in drawn


def test_the_description_says_the_numbers() -> None:
    chart = results_chart(POINTS, Texts("en"))
    assert "green: U 0.5000, 0\u00a0% of the hits needed" in chart.description
    assert "blue: U 0.0000, 150\u00a0% of the hits needed" in chart.description


def test_what_is_broken_stays_inside_the_chart() -> None:
    layers = results_chart(POINTS, Texts("en")).spec["layer"]
    assert layers[1]["encoding"]["y"]["scale"]["domain"][1] > 1.5
    assert layers[1]["encoding"]["x"]["scale"]["domain"] == [0, pytest.approx(0.65)]


def test_histories_at_the_same_point_share_a_name() -> None:
    points = [ResultPoint(f"team {number}", 0.0, "withstood", 0.0) for number in range(2)]
    chart = results_chart(points, Texts("en"))
    *_, left, right = chart.spec["layer"]
    assert [name["name"] for name in left["data"]["values"]] == ["team 0, team 1"]
    assert right["data"]["values"] == []
    # All cost nothing: the axis has a length all the same.
    assert chart.spec["layer"][1]["encoding"]["x"]["scale"]["domain"] == [0, 1.0]


def test_entries_of_the_legend_stand_below_each_other_where_they_do_not_fit_beside() -> None:
    assert _legend_columns(["a", "b", "c"]) == 3
    assert _legend_columns(["これらの攻撃では破られていない"] * 3) == 1
