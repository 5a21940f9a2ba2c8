"""The chart of how the utility of anonymized histories correlates with their use cases."""

from __future__ import annotations

from sudare.contest.correlation import MeasureCorrelation, UtilityCorrelation
from sudare.messages import Texts
from sudare.report.charts.axes import Spec, text_width
from sudare.report.charts.vega import FIRST, INK, ROW_HEIGHT, WIDE, Chart
from sudare.report.numbers import Numbers

# The room for the numbers, right of the bars, in parts of theirs.
ROOM = 0.38


def correlation_chart(found: UtilityCorrelation, texts: Texts) -> Chart:
    """Show the correlation of U with every measure as bars, filled if significant, with dashed critical values.

    A measure without correlation has a dash in place of a bar.
    """
    numbers = Numbers(texts)
    rows: list[Spec] = [
        {
            "label": texts(f"contest.measure.{entry.measure}"),
            "value": entry.correlation,
            "text": numbers.correlation(entry.correlation),
            "fill": FIRST if entry.significant else "#ffffff",
        }
        for entry in found.measures
    ]
    low = -1 if any((entry.correlation or 0) < 0 for entry in found.measures) else 0
    end = 1 + ROOM * (1 - low)
    scale, ticks = {"domain": [low, end], "nice": False}, {"values": [-1, -0.5, 0, 0.5, 1], "grid": False}
    x = {"type": "quantitative", "title": texts("contest.correlate.axis"), "scale": scale, "axis": ticks, "stack": None}
    bars = {
        "mark": {"type": "bar", "height": {"band": 0.62}, "stroke": FIRST, "strokeWidth": 1},
        "encoding": {"x": {"field": "value", **x}, "fill": {"field": "fill", "type": "nominal", "scale": None}},
    }
    values = {
        "mark": {"type": "text", "align": "right"},
        "encoding": {"x": {"datum": end, **x}, "text": {"field": "text"}},
    }
    limits = {
        "data": {"values": [{"x": limit} for limit in (-found.critical, found.critical) if limit >= low]},
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
        "encoding": {"x": {"field": "x", **x}},
    }
    title = texts("contest.correlate.title", histories=len(found.histories))
    return Chart(_spec(rows, [bars, values], limits), title, _spoken(found.measures, texts, numbers))


def _spec(rows: list[Spec], layers: list[Spec], limits: Spec) -> Spec:
    axis = {
        "ticks": False,
        "domain": False,
        "labelPadding": 8,
        "minExtent": max(text_width(row["label"]) for row in rows) + 8,
    }
    # Named once more: those without a bar would otherwise come last.
    scale = {"domain": [row["label"] for row in rows]}
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": axis, "scale": scale}
    for layer in layers:
        layer["encoding"]["y"] = y
    return {
        "data": {"values": rows},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "width": WIDE,
        "height": {"step": ROW_HEIGHT},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": [*layers, limits],
    }


def _spoken(measures: tuple[MeasureCorrelation, ...], texts: Texts, numbers: Numbers) -> str:
    return texts("list.comma").join(
        texts(
            "contest.correlate.spoken",
            measure=texts(f"contest.measure.{entry.measure}"),
            correlation=numbers.correlation(entry.correlation),
        )
        for entry in measures
    )
