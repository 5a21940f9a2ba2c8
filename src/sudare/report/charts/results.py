"""The chart of contest results: the cost of each history against how close the best attack came."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from sudare.messages import Texts
from sudare.report.charts.axes import Spec, text_width
from sudare.report.charts.point_names import Corner, NamedPoint, place_names
from sudare.report.charts.vega import FIRST, INK, SECOND, WIDE, Chart
from sudare.report.numbers import Numbers
from sudare.showing import dataclass

HEIGHT = 280
# What axes, title and legend leave to the points, about.
PLOT = Corner(WIDE - 65, HEIGHT - 100)
# A line of the legend, its symbols, and what is left free between its entries.
LEGEND_ROW, LEGEND_SYMBOL, LEGEND_GAP = 20, 20, 24
KINDS = ("withstood", "broken", "not_attacked")


@dataclass(frozen=True, slots=True)
class ResultPoint:
    """A history: its name, U, what the attacks showed, and the largest share of the needed hits that one had."""

    name: str
    utility: float
    outcome: str
    nearest: float


def results_chart(points: Sequence[ResultPoint], texts: Texts) -> Chart:
    """Show U against the share of the needed hits, with a dashed line where an attack is effective.

    The points are in the order of the standings. Left is useful, low was far from being broken.
    """
    kinds = {kind: texts(f"web.outcome.{kind}") for kind in KINDS}
    rows: list[Spec] = [
        {"utility": point.utility, "nearest": point.nearest, "kind": kinds[point.outcome]} for point in points
    ]
    # Room at the right for the name of the last point.
    right = max((point.utility for point in points), default=0.0) * 1.3 or 1.0
    top = max([1.15, *(point.nearest * 1.15 for point in points)])
    x = {
        "type": "quantitative",
        "title": texts("web.results.chart_x"),
        "scale": {"domain": [0, right], "nice": False},
        "axis": {"tickCount": 5, "grid": False},
    }
    y = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [0, top], "nice": False},
        "axis": {"format": ".0%", "tickCount": 5},
    }
    columns = _legend_columns(list(kinds.values()))
    layers = [_limit(y), _marks(x, y, list(kinds.values()), columns), *_names(x, y, points, Corner(right, top), texts)]
    spec: Spec = {
        "data": {"values": rows},
        "title": {"text": texts("web.results.chart_y")},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "width": WIDE,
        "height": HEIGHT + (ceil(len(kinds) / columns) - 1) * LEGEND_ROW,
        "autosize": {"type": "fit", "contains": "padding"},
        "layer": layers,
    }
    return Chart(spec, texts("web.results.chart"), _spoken(points, texts))


def _legend_columns(kinds: list[str]) -> int:
    """Return how many entries of the legend stand beside each other: all of them if they fit, else one."""
    widths = [text_width(kind) + LEGEND_SYMBOL + LEGEND_GAP for kind in kinds]
    return len(kinds) if sum(widths) <= PLOT.x else 1


def _limit(y: Spec) -> Spec:
    return {
        "data": {"values": [{"nearest": 1}]},
        "mark": {"type": "rule", "color": SECOND, "strokeDash": [4, 3], "strokeWidth": 1.5},
        "encoding": {"y": {"field": "nearest", **y}},
    }


def _marks(x: Spec, y: Spec, kinds: list[str], columns: int) -> Spec:
    place = {"x": {"field": "utility", **x}, "y": {"field": "nearest", **y}}
    legend = {
        "orient": "bottom", "direction": "horizontal", "title": None, "columns": columns, "symbolStrokeWidth": 2,
        "columnPadding": LEGEND_GAP,
    }  # fmt: skip
    ranges = {
        "stroke": [FIRST, SECOND, INK],
        "fill": [FIRST, "#ffffff", "#ffffff"],
        "shape": ["circle", "diamond", "circle"],
    }
    look = {
        channel: {"field": "kind", "type": "nominal", "scale": {"domain": kinds, "range": three}, "legend": legend}
        for channel, three in ranges.items()
    }
    return {"mark": {"type": "point", "size": 90, "strokeWidth": 2, "opacity": 1}, "encoding": {**place, **look}}


def _names(x: Spec, y: Spec, points: Sequence[ResultPoint], end: Corner, texts: Texts) -> list[Spec]:
    """Write the names beside the points, as far as there is room."""
    scale = Corner(PLOT.x / end.x, PLOT.y / end.y)
    drawn = [NamedPoint(point.name, point.utility * scale.x, point.nearest * scale.y) for point in points]
    placed = place_names(drawn, PLOT, texts)
    encoding = {"x": {"field": "utility", **x}, "y": {"field": "nearest", **y}, "text": {"field": "name"}}
    return [
        {
            "data": {
                "values": [
                    {"name": name.text, "utility": name.x / scale.x, "nearest": name.y / scale.y}
                    for name in placed
                    if name.align == align
                ]
            },
            "mark": {"type": "text", "align": align, "baseline": "middle"},
            "encoding": encoding,
        }
        for align in ("left", "right")
    ]


def _spoken(points: Sequence[ResultPoint], texts: Texts) -> str:
    numbers = Numbers(texts)
    return texts("list.comma").join(
        texts(
            "web.results.chart_spoken",
            name=point.name,
            utility=numbers.decimal(point.utility, 4),
            share=texts("report.number.percent", value=f"{point.nearest * 100:.0f}"),
        )
        for point in points
    )
