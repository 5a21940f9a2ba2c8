"""Charts as SVG text: Vega-Lite specifications in one style, rendered without browser or script.

Each function is named after what it shows and takes plain numbers with labels already in the reader's language.
Labels are data of the specification, never part of an expression, so text from users stays text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from sudare.report.charts.axes import (
    LETTER,
    MOST_LABEL_WIDTH,
    Point,
    Spec,
    needs_log_axes,
    number_axis,
    powers_of_ten,
    text_room,
    text_width,
)
from sudare.showing import dataclass

FONTS = (
    "system-ui, 'Segoe UI', 'Hiragino Sans', 'Yu Gothic', Meiryo, 'Noto Sans CJK JP', 'Noto Sans JP', "
    "IPAPGothic, sans-serif"
)
# Both colours have a contrast above 6 on white; in black and white they are told apart by shape and filling.
FIRST, SECOND, INK, LINK, FAINT = "#1c5c8a", "#a8430a", "#222222", "#8c8c8c", "#d8d8d8"
# Drawn sizes. A chart fills its place on the page; with these its letters come out at about the size of the text
# beside it, and at 11 pixels or more on a phone, where the smallest place is 374 pixels wide, or two of 185.
WIDE, NARROW = 420, 208
ROW_HEIGHT = 25
# Columns of a heat map that are wide enough for the number in a cell.
MOST_NUMBERED_COLUMNS = 12
# From nearly white to the first colour, so that a small share is told from none.
HEAT = ["#e3edf5", FIRST]
# Squares in place of a gradient, which would need a name that no other drawing of the page has.
HEAT_LEGEND: Spec = {
    "orient": "top",
    "direction": "horizontal",
    "title": None,
    "type": "symbol",
    "symbolType": "square",
    "symbolStrokeWidth": 0,
    "symbolSize": 220,
    "values": [0, 0.25, 0.5, 0.75, 1],
    "format": ".0%",
}
_CONFIG: Spec = {
    "aria": False,  # the whole picture is described once, on its root
    "background": "transparent",
    "font": FONTS,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": LETTER,
        "titleFontSize": LETTER,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": MOST_LABEL_WIDTH,
        "gridColor": FAINT,
        "domainColor": INK,
        "tickColor": INK,
    },
    "legend": {"labelColor": INK, "labelFontSize": LETTER, "labelLimit": MOST_LABEL_WIDTH},
    "title": {"color": INK, "fontSize": LETTER, "fontWeight": "normal", "anchor": "start", "frame": "bounds"},
    "text": {"color": INK, "fontSize": LETTER},
}
_NUMBERS: Spec = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""]}


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its specification, and in words what it shows."""

    spec: Spec
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A labelled share between 0 and 1, written as `text`; `low` and `high` bound it where it is an estimate."""

    label: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two positive numbers under one label."""

    label: str
    first: float
    second: float


def share_bars(shares: Sequence[ShareBar], *, axis: str, title: str, description: str) -> Chart:
    """Show shares as horizontal bars from 0 to 100 %, their numbers beside them, and their bounds where given."""
    rows = [
        {"label": s.label, "value": s.value, "text": s.text, "low": s.low, "high": s.high, "end": s.high or s.value}
        for s in shares
    ]
    # The axis ends at 1; the room beyond holds the numbers of full bars.
    scale = {"domain": [0, 1.36], "nice": False}
    ticks = {"values": [0, 0.5, 1], "format": ".0%", "domain": False, "ticks": False, "grid": False}
    x = {"field": "value", "type": "quantitative", "title": axis, "stack": None, "scale": scale, "axis": ticks}
    bars = {"mark": {"type": "bar", "color": FIRST, "height": {"band": 0.62}}, "encoding": {"x": x}}
    # Dark on a white edge, to be seen inside the bar as well as beyond it.
    edge, line = _bounds(x, colour="#ffffff", width=7), _bounds(x, colour=INK, width=3)
    numbers = {
        "mark": {"type": "text", "align": "left", "dx": 5},
        "encoding": {"x": {**x, "field": "end"}, "text": {"field": "text"}},
    }
    return Chart(_labelled_rows(rows, [bars, edge, line, numbers]), title, description)


def _bounds(x: Spec, *, colour: str, width: int) -> Spec:
    return {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "color": colour, "strokeWidth": width},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
    }


def pairs_on_log_scale(
    pairs: Sequence[Pair], *, names: tuple[str, str], axis: str, title: str, description: str
) -> Chart:
    """Show two numbers a row, a filled dot and a hollow diamond, on a logarithmic axis with a line at 1."""
    rows = [
        {"label": p.label, "low": min(p.first, p.second), "high": max(p.first, p.second), "value": v, "name": name}
        for p in pairs
        for v, name in zip((p.first, p.second), names, strict=True)
    ]
    scale, ticks = powers_of_ten([number for p in pairs for number in (p.first, p.second)])
    x = {"field": "value", "type": "quantitative", "title": axis, "scale": scale, "axis": ticks}
    one = {"data": {"values": [{"x": 1}]}, "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]}}
    one["encoding"] = {"x": {**x, "field": "x"}, "y": None}
    links = {
        "mark": {"type": "rule", "color": LINK},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
    }
    return Chart(_labelled_rows(rows, [one, links, _two_symbols(x, names)]), title, description)


def _two_symbols(x: Spec, names: tuple[str, str]) -> Spec:
    name = {"field": "name", "type": "nominal", "sort": list(names), "title": None}
    legend = {"orient": "top", "direction": "horizontal", "symbolStrokeWidth": 2}
    ranges = {"stroke": [FIRST, SECOND], "fill": [FIRST, "#ffffff"], "shape": ["circle", "diamond"]}
    channels = {
        channel: {**name, "scale": {"domain": list(names), "range": two}, "legend": legend}
        for channel, two in ranges.items()
    }
    mark = {"type": "point", "size": 90, "strokeWidth": 2, "opacity": 1}
    return {"mark": mark, "encoding": {"x": x, **channels}}


def cumulative_shares(quantiles: Sequence[float], *, axes: tuple[str, str], title: str, description: str) -> Chart:
    """Show for each share from 0 to 100 % how much does not exceed it, from equally spaced quantiles (two or more)."""
    last = len(quantiles) - 1
    points = [(value, n / last) for n, value in enumerate(quantiles)]
    return cumulative_curve(points, axes=axes, title=title, description=description)


def cumulative_curve(
    points: Sequence[tuple[float, float]],
    *,
    axes: tuple[str, str],
    title: str,
    description: str,
    limit: float | None = None,
) -> Chart:
    """Show how much does not exceed each share, from the rising steps of the curve, with a dashed line at a limit."""
    corners = [(0.0, 0.0), *points, (1.0, 1.0)]
    rows = [{"place": n, "value": value, "share": share} for n, (value, share) in enumerate(corners)]
    ticks = {"values": [0, 0.5, 1], "format": ".0%"}
    scale = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    x = {"field": "value", **scale, "title": axes[0], "axis": ticks}
    y = {"field": "share", **scale, "title": None, "axis": {**ticks, **text_room("100%")}}
    steps = {
        "mark": {"type": "line", "interpolate": "step-after", "color": FIRST, "strokeWidth": 2.5},
        "encoding": {"x": x, "y": y, "order": {"field": "place", "type": "quantitative"}},
    }
    if limit is None:
        return Chart(_small(steps, rows, axes[1], height=0.8), title, description)
    line = {
        "data": {"values": [{"value": limit}]},
        "mark": {"type": "rule", "color": SECOND, "strokeDash": [4, 3], "strokeWidth": 1.5},
        "encoding": {"x": x},
    }
    return Chart(_small({"layer": [line, steps]}, rows, axes[1], height=0.8), title, description)


def heat_map(
    rows: Sequence[tuple[str, Sequence[float | None]]],
    *,
    columns: Sequence[int],
    axis: str,
    title: str,
    description: str,
    line_below: int | None = None,
) -> Chart:
    """Show shares from 0 to 100 % as darker and darker cells; None leaves a cell empty.

    A few columns have their percentages in the cells, more have a legend. `line_below` draws a dashed line below that
    many rows.
    """
    numbered = len(columns) <= MOST_NUMBERED_COLUMNS
    cells = [
        {"label": label, "column": column, "value": value, "text": _whole_percent(value)}
        for label, values in rows
        for column, value in zip(columns, values, strict=True)
        if value is not None
    ]
    ticks = {"labelAngle": 0, "labelOverlap": True, "ticks": False, "domain": False}
    x = {"field": "column", "type": "ordinal", "title": axis, "scale": {"domain": list(columns)}, "axis": ticks}
    scale = {"type": "linear", "domain": [0, 1], "range": HEAT}
    legend = None if numbered else HEAT_LEGEND
    colour = {"field": "value", "type": "quantitative", "scale": scale, "legend": legend}
    layers: list[Spec] = [
        {"mark": {"type": "rect", "stroke": "#ffffff", "strokeWidth": 1}, "encoding": {"x": x, "color": colour}}
    ]
    if numbered:
        on_dark = {"condition": {"test": "datum.value > 0.7", "value": "#ffffff"}, "value": INK}
        layers.append({"mark": {"type": "text"}, "encoding": {"x": x, "text": {"field": "text"}, "color": on_dark}})
    if line_below is not None:
        mark = {"type": "rule", "color": SECOND, "strokeDash": [5, 3], "strokeWidth": 2}
        place = {"value": line_below * ROW_HEIGHT}
        layers.append({"data": {"values": [{}]}, "mark": mark, "encoding": {"y": place}})
    return Chart(_labelled_rows(cells, layers, labels=[label for label, _ in rows]), title, description)


def _whole_percent(share: float | None) -> str:
    """Return the percentage without its sign; only 0 and 1 are written as 0 and 100."""
    if share is None or share in (0, 1):
        return "" if share is None else f"{share * 100:.0f}"
    return "<1" if share < 0.005 else ">99" if share >= 0.995 else f"{share * 100:.0f}"


def scatter(points: Sequence[Point], *, axes: tuple[str, str], title: str, description: str) -> Chart:
    """Show whole numbers from 1 against each other, with the line where they are equal; larger circles hold more."""
    most_x, most_y = max(p.x for p in points), max(p.y for p in points)
    logarithmic = needs_log_axes(points)
    x = {"field": "x", **number_axis(most_x, {}, logarithmic=logarithmic), "title": axes[0]}
    y = {"field": "y", **number_axis(most_y, text_room(f"{most_y:,}"), logarithmic=logarithmic), "title": None}
    start, end = int(logarithmic), min(most_x, most_y)
    equal = {
        "data": {"values": [{"x": start, "y": start}, {"x": end, "y": end}]},
        "mark": {"type": "line", "color": INK, "strokeDash": [4, 3], "strokeWidth": 1},
        "encoding": {"x": x, "y": y},
    }
    heaviest = max(2, *(p.weight for p in points))
    size = {"type": "sqrt", "domain": [1, heaviest], "range": [20, 240]}
    circles = {
        "mark": {"type": "point", "filled": True, "color": FIRST, "opacity": 0.55},
        "encoding": {
            "x": x,
            "y": y,
            "size": {"field": "weight", "type": "quantitative", "scale": size, "legend": None},
        },
    }
    rows = [{"x": p.x, "y": p.y, "weight": p.weight} for p in points]
    return Chart(_small({"layer": [equal, circles]}, rows, axes[1], height=1), title, description)


def _labelled_rows(rows: list[Spec], layers: list[Spec], labels: Sequence[str] | None = None) -> Spec:
    """Return a wide chart with a row a label, in the order given, or in that of `labels`."""
    room = min(MOST_LABEL_WIDTH, max(text_width(label) for label in labels or [row["label"] for row in rows]))
    axis = {"ticks": False, "domain": False, "labelPadding": 8, "minExtent": room + 8}
    y: Spec = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": axis}
    if labels is not None:
        y["scale"] = {"domain": list(labels)}
    for layer in layers:
        layer["encoding"].setdefault("y", y)
        if layer["encoding"]["y"] is None:
            del layer["encoding"]["y"]
    size = {"width": WIDE, "height": {"step": ROW_HEIGHT}, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {
        "data": {"values": rows},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        **size,
        "layer": layers,
    }


def _small(view: Spec, rows: list[Spec], above: str, *, height: float) -> Spec:
    """Return a small chart; the name of its upright axis stands above it, where it reads without turning one's head."""
    size = {"width": NARROW, "height": round(NARROW * height), "autosize": {"type": "fit", "contains": "padding"}}
    padding = {"left": 4, "right": 14, "top": 4, "bottom": 6}
    return {"data": {"values": rows}, "title": {"text": above}, "padding": padding, **size, **view}


def render(chart: Chart, *, percent_sign: str = "%") -> str:
    """Return a chart as SVG text that takes the width of its place and is read aloud by its title and description."""
    # A large library that only those who draw should load.
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(
        {**chart.spec, "config": _CONFIG},
        format_locale={**_NUMBERS, "percent": percent_sign},
        allowed_base_urls=[],
    )
    opening, rest = drawn.split(">", 1)
    frame = re.search(r'viewBox="[0-9. -]+"', opening)
    if frame is None:
        raise RuntimeError(f"The drawing has no viewBox: {opening}")
    words = f"<title>{escape(chart.title)}</title><desc>{escape(chart.description)}</desc>"
    root = f'<svg xmlns="http://www.w3.org/2000/svg" {frame.group()} width="100%" role="img"'
    return f'{root} aria-label="{escape(chart.title)}">{words}{_shortened(rest)}'


# What is read aloud of parts of the drawing, in English; an image is read aloud by its title and description.
_PART_LABELS = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')


def _shortened(drawn: str) -> str:
    """Round what is inside of tags to hundredths of a pixel: a third of a scatter plot is digits nobody sees."""
    return re.sub(r"<[^<>]+>", lambda tag: re.sub(r"(\.\d\d)\d+", r"\1", _PART_LABELS.sub("", tag.group())), drawn)
