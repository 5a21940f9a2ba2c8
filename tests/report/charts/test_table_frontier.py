"""The chart of the loss of a table against k."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sudare.messages import LANGUAGES, Language, Texts
from sudare.report.charts.table_frontier import table_frontier_chart
from sudare.report.charts.vega import render
from tests.report.table.anonymized.small import FRONTIER


def test_every_point_is_drawn_and_spoken() -> None:
    chart = table_frontier_chart(FRONTIER, Texts("en"))
    lines, points = chart.spec["layer"]
    drawn = {(row["k"], row["value"], row["name"]) for row in points["data"]["values"]}
    names = {None: "k only", 2.0: "k and l = 2"}
    assert drawn == {(point.k, point.loss, names[point.l]) for point in FRONTIER.points}
    bounds = [row["value"] for row in lines["data"]["values"] if row["kind"] == "no table of this kind is below"]
    assert bounds == [point.bound for point in FRONTIER.points]
    assert "k = 2 (k only): 1.000; k = 3 (k only): 1.500" in chart.description
    assert "k = 2 (k and l = 2): 1.200" in chart.description


def test_one_series_has_no_legend_of_series_and_unknown_bounds_no_line() -> None:
    points = tuple(replace(point, bound=None) for point in FRONTIER.points if point.l is None)
    lines, drawn = table_frontier_chart(replace(FRONTIER, points=points), Texts("en")).spec["layer"]
    assert drawn["encoding"]["color"]["legend"] is None
    assert len(lines["data"]["values"]) == len(points)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_rendered_for_one_point_and_without_loss(language: Language) -> None:
    one = replace(FRONTIER, points=(replace(FRONTIER.points[0], loss=0.0, bound=0.0),))
    assert render(table_frontier_chart(one, Texts(language))).startswith("<svg")
