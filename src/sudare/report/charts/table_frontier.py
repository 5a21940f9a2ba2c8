"""The chart of what anonymity costs a table: its loss against k, without and with diverse classes."""

from __future__ import annotations

from sudare.messages import Texts
from sudare.report.charts.axes import Spec, text_room
from sudare.report.charts.vega import FIRST, SECOND, WIDE, Chart
from sudare.report.numbers import Numbers
from sudare.tables.anonymize.frontier import TableFrontier, TableFrontierPoint

HEIGHT = 230
# Room above the highest value, in parts of it.
ROOM = 0.08
COLOURS, SHAPES = (FIRST, SECOND), ("circle", "diamond")


def table_frontier_chart(found: TableFrontier, texts: Texts) -> Chart:
    """Show the loss as a line through its points for each l, and the bounds as dashed lines below."""
    top = max(point.loss for point in found.points) * (1 + ROOM) or 1.0
    axis = {"format": ".3~g", "tickCount": 5, **text_room("00.0")}
    y: Spec = {"type": "quantitative", "title": None, "scale": {"domain": [0, top], "nice": False}, "axis": axis}
    x = _x(found, texts)
    layers = [_lines(found, x, y, texts), _points(found, x, y, texts)]
    spec: Spec = {
        "title": {"text": texts(f"report.anonymized.frontier.{found.loss_name}")},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "width": WIDE,
        "height": HEIGHT,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": layers,
    }
    return Chart(spec, texts("report.anonymized.frontier.title"), _spoken(found, texts))


def _x(found: TableFrontier, texts: Texts) -> Spec:
    """Return a logarithmic axis with a tick at every k; labels that would touch are left out."""
    ks = sorted({point.k for point in found.points})
    scale = {"type": "log", "domain": [ks[0], max(ks[-1], ks[0] + 1)], "nice": False, "padding": 12}
    axis = {"values": ks, "format": "d", "grid": False, "labelFlush": False, "labelOverlap": True}
    title = texts("report.anonymized.frontier.axis")
    return {"field": "k", "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _series(point: TableFrontierPoint, texts: Texts) -> str:
    if point.plain:
        return texts("report.anonymized.frontier.without")
    asked = [f"{name} = {value:g}" for name, value in (("l", point.l), ("t", point.t)) if value is not None]
    return texts("report.anonymized.frontier.with", asked=texts("list.comma").join(asked))


def _names(found: TableFrontier, texts: Texts) -> list[str]:
    return list(dict.fromkeys(_series(point, texts) for point in found.points))


def _lines(found: TableFrontier, x: Spec, y: Spec, texts: Texts) -> Spec:
    names, bound = _names(found, texts), texts("report.anonymized.frontier.bound")
    solid = texts("report.anonymized.frontier.loss")
    rows = [
        {"k": point.k, "value": value, "name": _series(point, texts), "kind": kind}
        for point in found.points
        for kind, value in ((solid, point.loss), (bound, point.bound))
        if value is not None
    ]
    dashes = {"domain": [solid, bound], "range": [[1, 0], [5, 3]]}
    # Room between this legend and that of the series.
    legend = {"orient": "top", "direction": "vertical", "title": None, "symbolType": "stroke", "padding": 10}
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": x,
            "y": {"field": "value", **y},
            "color": {**_named(names), "scale": _scale(names, COLOURS)},
            "strokeDash": {
                "field": "kind",
                "type": "nominal",
                "scale": dashes,
                "legend": {**legend, "symbolStrokeWidth": 2},
            },
        },
    }


def _points(found: TableFrontier, x: Spec, y: Spec, texts: Texts) -> Spec:
    names = _names(found, texts)
    rows = [{"k": point.k, "value": point.loss, "name": _series(point, texts)} for point in found.points]
    name = _named(names)
    return {
        "data": {"values": rows},
        "mark": {"type": "point", "size": 55, "filled": True, "opacity": 1},
        "encoding": {
            "x": x,
            "y": {"field": "value", **y},
            "color": {**name, "scale": _scale(names, COLOURS)},
            "shape": {**name, "scale": _scale(names, SHAPES)},
        },
    }


def _named(names: list[str]) -> Spec:
    """Return the field of the series; a single one needs no legend."""
    legend = {"orient": "top", "direction": "vertical", "title": None} if len(names) > 1 else None
    return {"field": "name", "type": "nominal", "title": None, "legend": legend}


def _scale(names: list[str], values: tuple[str, ...]) -> Spec:
    return {"domain": names, "range": list(values[: len(names)])}


def _spoken(found: TableFrontier, texts: Texts) -> str:
    numbers = Numbers(texts)
    said = [
        texts(
            "report.anonymized.frontier.spoken",
            k=point.k,
            loss=numbers.decimal(point.loss, 3),
            asked=_series(point, texts),
        )
        for point in found.points
    ]
    return texts("list.semicolon").join(said)
