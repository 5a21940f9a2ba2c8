"""The chart of the guesses that an attacker is surest of."""

from __future__ import annotations

import pytest

from sudare.report.charts.precision import precision_chart
from sudare.report.charts.vega import Chart, render

POINTS = [(0.1, 1.0, 0.9), (0.5, 0.75, 0.8), (1.0, 0.4, 0.45)]


def chart(names: tuple[str, str] = ("Right", "Expected")) -> Chart:
    axes = "Guessed", "Precision"
    return precision_chart(POINTS, names=names, axes=axes, title="Surest", description="10 %: 100 % right")


def test_each_point_is_on_two_lines() -> None:
    rows = chart().spec["data"]["values"]
    assert [(row["share"], row["value"]) for row in rows if row["name"] == "Right"] == [(0.1, 1), (0.5, 0.75), (1, 0.4)]
    assert [row["value"] for row in rows if row["name"] == "Expected"] == [0.9, 0.8, 0.45]


@pytest.mark.parametrize("axis", ["x", "y"])
def test_both_axes_go_from_nothing_to_all(axis: str) -> None:
    assert chart().spec["encoding"][axis]["scale"]["domain"] == [0, 1]


def test_the_drawing_says_its_words_and_carries_no_style() -> None:
    drawn = render(chart(("正解率", "<b>見込み</b>")))
    for said in ("正解率", "&lt;b&gt;見込み&lt;/b&gt;", "Guessed", "Precision", 'aria-label="Surest"', "100 %"):
        assert said in drawn
    assert " style=" not in drawn
    assert "<script" not in drawn
