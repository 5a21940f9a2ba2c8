"""Charts of generalized cells: stacked bars."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.report.charts.axes import Spec, text_width
from sudare.report.charts.vega import FIRST, INK, LINK, ROW_HEIGHT, WIDE, Chart
from sudare.showing import dataclass

# From light to dark and back, so that neighbours are told apart in black and white as well.
COLOURS = {
    "exact": "#cfe0ed",
    "range": FIRST,
    "set": "#e9ad7c",
    "deleted_cell": LINK,
    "deleted_row": INK,
}
# Names of columns are cut here: the legend stands above the bars, and needs room beside long names.
MOST_NAME_WIDTH = 180
# The square of a legend's entry with the gaps around it.
SYMBOL_WIDTH = 30
TICKS = 4
# The room for the numbers, right of the longest bar, in parts of it.
ROOM = 0.3


@dataclass(frozen=True, slots=True)
class PartedBar:
    """A bar of several parts, with a text at its end."""

    label: str
    parts: tuple[float, ...]
    text: str = ""


def parted_bars(
    bars: Sequence[PartedBar],
    *,
    kinds: Sequence[tuple[str, str]],
    axis: str,
    number_format: str,
    title: str,
    description: str,
) -> Chart:
    """Show bars whose parts are of the same kinds (key of the colour, name), in this order from left to right."""
    rows: list[Spec] = [
        {"label": bar.label, "kind": name, "place": place, "value": value}
        for bar in bars
        for place, ((_, name), value) in enumerate(zip(kinds, bar.parts, strict=True))
    ]
    longest = max(sum(bar.parts) for bar in bars) or 1.0
    room = ROOM if any(bar.text for bar in bars) else 0.0
    scale = {"domain": [0, longest * (1 + room)], "nice": False}
    ticks = {"tickCount": TICKS, "format": number_format, "grid": False}
    x = {"type": "quantitative", "title": axis, "scale": scale, "axis": {**ticks, "domain": False, "ticks": False}}
    colour = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": [name for _, name in kinds], "range": [COLOURS[key] for key, _ in kinds]},
        "legend": {"orient": "top", "direction": "horizontal", "columns": _columns(kinds, bars), "title": None,
                   "symbolType": "square", "symbolStrokeWidth": 0},
    }  # fmt: skip
    parts = {
        "mark": {"type": "bar", "height": {"band": 0.62}, "stroke": "#ffffff", "strokeWidth": 0.5},
        "encoding": {
            "x": {"field": "value", "stack": "zero", **x},
            "color": colour,
            "order": {"field": "place", "type": "quantitative"},
        },
    }
    ends = {
        "data": {"values": [{"label": bar.label, "end": sum(bar.parts), "text": bar.text} for bar in bars]},
        "mark": {"type": "text", "align": "left", "dx": 5},
        "encoding": {"x": {"field": "end", **x}, "text": {"field": "text"}},
    }
    return Chart(_spec(rows, [parts, ends], [bar.label for bar in bars]), title, description)


def _columns(kinds: Sequence[tuple[str, str]], bars: Sequence[PartedBar]) -> int:
    """Return how many entries of the legend stand side by side: two if there is room for the longest."""
    entry = max(text_width(name) for _, name in kinds) + SYMBOL_WIDTH
    return 2 if 2 * entry <= WIDE - _room([bar.label for bar in bars]) else 1


def _room(labels: Sequence[str]) -> int:
    return min(MOST_NAME_WIDTH, max(text_width(label) for label in labels))


def _spec(rows: list[Spec], layers: list[Spec], labels: Sequence[str]) -> Spec:
    room = _room(labels)
    axis = {"ticks": False, "domain": False, "labelPadding": 8, "minExtent": room + 8, "labelLimit": MOST_NAME_WIDTH}
    y = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": axis,
        "scale": {"domain": list(labels)},
    }
    for layer in layers:
        layer["encoding"]["y"] = y
    return {
        "data": {"values": rows},
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "width": WIDE,
        "height": {"step": ROW_HEIGHT},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": layers,
    }
