"""The chart of a team's own submissions: U of each valid one over time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from sudare.messages import Texts
from sudare.report.charts.axes import Spec
from sudare.report.charts.vega import FIRST, LINK, WIDE, Chart
from sudare.report.numbers import Numbers
from sudare.showing import dataclass

HEIGHT = 220
# Room above the highest value, in parts of it.
ROOM = 0.08


@dataclass(frozen=True, slots=True)
class SubmissionPoint:
    """A valid submission: its number, its U, and when it was handed in, by the clock of the contest."""

    number: int
    utility: float
    at: dt.datetime


def submissions_chart(points: Sequence[SubmissionPoint], texts: Texts) -> Chart:
    """Show U as points in the order of time, joined by a line; the lower, the more useful."""
    ordered = sorted(points, key=lambda point: point.number)
    rows: list[Spec] = [{"at": point.at.strftime("%Y-%m-%dT%H:%M:%S"), "utility": point.utility} for point in ordered]
    top = max((point.utility for point in ordered), default=0.0) * (1 + ROOM) or 1.0
    x: Spec = {
        "field": "at",
        "type": "temporal",
        "title": None,
        "axis": {
            "format": "%m-%d %H:%M",
            "tickCount": 4,
            "labelOverlap": "greedy",
            "labelSeparation": 16,
            "grid": False,
        },
    }
    y: Spec = {
        "field": "utility",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [0, top], "nice": False},
        "axis": {"format": ".3~f", "tickCount": 5},
    }
    encoding = {"x": x, "y": y}
    spec: Spec = {
        "data": {"values": rows},
        "title": {"text": texts("web.submissions.chart_y")},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "width": WIDE,
        "height": HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "layer": [
            {"mark": {"type": "line", "color": LINK, "strokeWidth": 1.5}, "encoding": encoding},
            {"mark": {"type": "point", "color": FIRST, "filled": True, "size": 70, "opacity": 1}, "encoding": encoding},
        ],
    }
    return Chart(spec, texts("web.submissions.chart"), _spoken(ordered, texts))


def _spoken(points: Sequence[SubmissionPoint], texts: Texts) -> str:
    numbers = Numbers(texts)
    return texts("list.comma").join(
        texts("web.submissions.chart_spoken", number=point.number, utility=numbers.decimal(point.utility, 4))
        for point in points
    )
