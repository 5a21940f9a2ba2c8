"""The chart of how often an attacker is right about the guesses they are surest of."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.report.charts.axes import Spec, text_room
from sudare.report.charts.vega import FIRST, SECOND, WIDE, Chart

HEIGHT = 220


def precision_chart(
    points: Sequence[tuple[float, float, float]],
    *,
    names: tuple[str, str],
    axes: tuple[str, str],
    title: str,
    description: str,
) -> Chart:
    """Show two lines over the share of pseudonyms that are guessed: what is right, and what was expected to be.

    `points` are the share, what is right of it, and what was expected.
    """
    ticks = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".0%"}
    scale: Spec = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}
    x = {"field": "share", **scale, "title": axes[0], "axis": {**ticks, "grid": False, "labelFlush": False}}
    y = {"field": "value", **scale, "title": None, "axis": {**ticks, **text_room("100%")}}
    rows = [
        {"share": share, "value": value, "name": name}
        for share, *values in points
        for name, value in zip(names, values, strict=True)
    ]
    legend = {"orient": "top", "direction": "horizontal", "title": None, "symbolType": "stroke", "symbolStrokeWidth": 2}
    name = {"field": "name", "type": "nominal", "title": None, "legend": legend}
    spec: Spec = {
        "data": {"values": rows},
        "title": {"text": axes[1]},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "width": WIDE,
        "height": HEIGHT,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "mark": {"type": "line", "strokeWidth": 2.5},
        "encoding": {
            "x": x,
            "y": y,
            "color": {**name, "scale": {"domain": list(names), "range": [FIRST, SECOND]}},
            "strokeDash": {**name, "scale": {"domain": list(names), "range": [[1, 0], [5, 3]]}},
        },
    }
    return Chart(spec, title, description)
