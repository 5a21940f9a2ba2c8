"""Charts of experiments on baskets: means with their standard deviations."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.report.charts.axes import Spec, text_width
from sudare.report.charts.vega import FIRST, NARROW, SECOND, Chart
from sudare.showing import dataclass

# In parts of the width: below the drawing stand the axis, its name and both series.
HEIGHT = 1.25


@dataclass(frozen=True, slots=True)
class MeanPoint:
    """A mean with its standard deviation at a place of a series."""

    series: str
    x: float
    mean: float
    deviation: float


def mean_lines(
    points: Sequence[MeanPoint],
    *,
    series: tuple[str, str],
    axes: tuple[str, str],
    formats: tuple[str, str],
    ticks: Sequence[float],
    top: float,
    title: str,
    description: str,
) -> Chart:
    """Show two series as lines through their means, with bars of one standard deviation to either side.

    `formats` are those of the numbers on the axes, `ticks` the places that the level one names, and `top` is where the
    upright one ends, so that drawings of several data sets can be compared.
    """
    rows = [
        {
            "series": p.series,
            "x": p.x,
            "mean": p.mean,
            "low": max(0.0, p.mean - p.deviation),
            "high": min(top, p.mean + p.deviation),
        }
        for p in points
    ]
    room = {"minExtent": text_width("100%") + 10, "format": formats[1], "tickCount": 5}
    across = {"values": list(ticks), "format": formats[0], "grid": False, "labelOverlap": False, "labelFlush": False}
    span = {"domain": [min(ticks), max(ticks)], "nice": False}
    x = {
        "field": "x",
        "type": "quantitative",
        "title": axes[0],
        "scale": span,
        "axis": across,
    }
    y = {"field": "mean", "type": "quantitative", "title": None, "scale": {"domain": [0, top]}, "axis": room}
    colour = _channel(series, "stroke", [FIRST, SECOND])
    bars = {
        "mark": {"type": "rule", "strokeWidth": 1.5},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, **colour},
    }
    lines = {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"x": x, "y": y, **colour}}
    symbols = {
        "mark": {"type": "point", "size": 50, "strokeWidth": 2, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            **colour,
            **_channel(series, "fill", [FIRST, "#ffffff"]),
            **_channel(series, "shape", ["circle", "diamond"]),
        },
    }
    spec: Spec = {
        "data": {"values": rows},
        "title": {"text": axes[1]},
        "padding": {"left": 4, "right": 14, "top": 4, "bottom": 6},
        "width": NARROW,
        "height": round(NARROW * HEIGHT),
        "autosize": {"type": "fit", "contains": "padding"},
        "layer": [bars, lines, symbols],
    }
    return Chart(spec, title, description)


def _channel(series: tuple[str, str], channel: str, two: Sequence[str]) -> Spec:
    legend = {"orient": "bottom", "direction": "vertical", "title": None, "symbolStrokeWidth": 2}
    scale = {"domain": list(series), "range": list(two)}
    return {channel: {"field": "series", "type": "nominal", "title": None, "scale": scale, "legend": legend}}
