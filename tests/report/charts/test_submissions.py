"""The chart of a team's own submissions."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from sudare.messages import LANGUAGES, Texts
from sudare.report.charts.submissions import SubmissionPoint, submissions_chart
from sudare.report.charts.vega import render

DAY = dt.datetime(2026, 5, 1, 9, 30)
POINTS = [SubmissionPoint(number, u, DAY + dt.timedelta(hours=number)) for number, u in ((3, 0.25), (1, 0.5), (2, 0.4))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chart_has_a_point_for_each_submission_and_carries_no_style(language: str) -> None:
    drawn = render(submissions_chart(POINTS, Texts(language)))  # type: ignore[arg-type]
    circle = r'<path transform="translate\([^)]+\)" d="M[\d.]+,0A'
    assert len(re.findall(circle, drawn)) == 3
    assert " style=" not in drawn and "<script" not in drawn


def test_points_are_in_the_order_of_submissions_and_told_to_those_who_do_not_see_them() -> None:
    chart = submissions_chart(POINTS, Texts("en"))
    assert [row["utility"] for row in chart.spec["data"]["values"]] == [0.5, 0.4, 0.25]
    assert chart.spec["data"]["values"][0]["at"] == "2026-05-01T10:30:00"
    assert chart.description == "submission 1: U 0.5000, submission 2: U 0.4000, submission 3: U 0.2500"
    assert chart.spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, pytest.approx(0.54)]


def test_histories_that_cost_nothing_have_an_axis() -> None:
    chart = submissions_chart([SubmissionPoint(1, 0.0, DAY), SubmissionPoint(2, 0.0, DAY)], Texts("en"))
    assert chart.spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]
