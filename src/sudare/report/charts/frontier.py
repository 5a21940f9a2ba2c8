"""The chart of the cost of anonymity: U against k above, and the probability of a break below."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from sudare.contest.frontier import Frontier
from sudare.contest.frontier_points import FrontierPoint
from sudare.histories.generalized.rule_sets import ContestResult
from sudare.messages import Texts
from sudare.report.charts.axes import MOST_INTERVALS, Spec, text_width
from sudare.report.charts.vega import FIRST, INK, LINK, SECOND, Chart
from sudare.report.numbers import Numbers

# The drawn areas, without their axes.
WIDTH, HEIGHT, LOWER_HEIGHT = 350, 230, 140
# Room above the highest value, in parts of it.
ROOM = 0.08
# Both areas begin at the same place.
Y_AXIS: Spec = {"minExtent": text_width("0.001 %") + 10}


def frontier_chart(found: Frontier, results: Sequence[ContestResult], texts: Texts) -> Chart:
    """Show U, its bound and a contest's results as lines; below, the bound on what attackers reach, and what was found.

    Histories that a built-in attack broke are hollow diamonds.
    """
    views = [_costs(found, results, texts)]
    if any(point.chance_bound or point.chance_found for point in found.points):
        views.append(_chances(found, texts))
    title = texts("frontier.chart.title")
    spec: Spec = {
        "padding": {"left": 4, "right": 16, "top": 4, "bottom": 6},
        "spacing": 24,
        "vconcat": views,
        "resolve": {"scale": {"color": "independent", "strokeDash": "independent"}},
    }
    return Chart(spec, title, _spoken(found, texts))


def _costs(found: Frontier, results: Sequence[ContestResult], texts: Texts) -> Spec:
    points = found.points
    top = max([point.utility for point in points] + [result.utility for result in results]) * (1 + ROOM) or 1.0
    scale = {"domain": [0, top], "nice": False}
    axis = {**Y_AXIS, "format": ".2~f", "tickCount": 5}
    y: Spec = {"type": "quantitative", "title": None, "scale": scale, "axis": axis}
    names = (texts("frontier.chart.utility"), texts("frontier.chart.bound"))
    rows = [{"k": p.k, "value": p.utility, "name": names[0]} for p in points]
    rows += [{"k": p.k, "value": p.utility_bound, "name": names[1]} for p in points if p.utility_bound]
    x = _x(points, texts)
    layers = [*_references(results, y, texts), _line(rows, x, y, names), _symbols(points, "utility", x, y)]
    return _view(texts("frontier.chart.costs"), HEIGHT, layers)


def _chances(found: Frontier, texts: Texts) -> Spec:
    names = (texts("frontier.chart.chance_bound"), texts("frontier.chart.chance_found"))
    rows: list[Spec] = [
        {"k": point.k, "value": value, "name": name}
        for point in found.points
        for name, value in zip(names, (point.chance_bound, point.chance_found), strict=True)
        if value
    ]
    values = [row["value"] for row in rows]
    high = ceil(log10(max(values)))
    low = min(floor(log10(min(values))), high - 1)
    step = ceil((high - low) / MOST_INTERVALS)
    ticks = [10.0**power for power in range(high, low - 1, -step)]
    axis = {**Y_AXIS, "values": ticks, "format": "~%", "labelOverlap": False}
    scale = {"type": "log", "domain": [10.0**low, 10.0**high], "nice": False}
    y = {"type": "quantitative", "title": None, "scale": scale, "axis": axis}
    return _view(texts("frontier.chart.chances"), LOWER_HEIGHT, [_line(rows, _x(found.points, texts), y, names)])


def _x(points: Sequence[FrontierPoint], texts: Texts) -> Spec:
    first, last = points[0].k, points[-1].k
    axis = {"format": "d", "tickMinStep": 1, "grid": False, "labelFlush": False}
    scale = {"domain": [first, max(last, first + 1)], "nice": False, "padding": 12}
    return {"field": "k", "type": "quantitative", "title": texts("frontier.chart.k"), "scale": scale, "axis": axis}


def _line(rows: list[Spec], x: Spec, y: Spec, names: tuple[str, str]) -> Spec:
    legend = {"orient": "top", "direction": "vertical", "title": None, "symbolType": "stroke", "symbolStrokeWidth": 2}
    name = {"field": "name", "type": "nominal", "title": None, "legend": legend}
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": x,
            "y": {"field": "value", **y},
            "color": {**name, "scale": {"domain": list(names), "range": [FIRST, SECOND]}},
            "strokeDash": {**name, "scale": {"domain": list(names), "range": [[1, 0], [5, 3]]}},
        },
    }


def _symbols(points: Sequence[FrontierPoint], field: str, x: Spec, y: Spec) -> Spec:
    rows = [
        {
            "k": point.k,
            "value": getattr(point, field),
            "fill": "#ffffff" if point.verdict == "broken" else FIRST,
            "shape": "diamond" if point.verdict == "broken" else "circle",
        }
        for point in points
    ]
    mark = {"type": "point", "size": 45, "stroke": FIRST, "strokeWidth": 2, "opacity": 1}
    plain = {"type": "nominal", "scale": None, "legend": None}
    channels = {"fill": {"field": "fill", **plain}, "shape": {"field": "shape", **plain}}
    return {
        "data": {"values": rows},
        "mark": mark,
        "encoding": {"x": x, "y": {"field": "value", **y}, **channels},
    }


def _references(results: Sequence[ContestResult], y: Spec, texts: Texts) -> list[Spec]:
    """Return dashed lines at the results of a contest, with their names above or below so that two do not meet."""
    rows = [
        {
            "value": result.utility,
            "text": texts(f"frontier.chart.{'safe' if result.safe else 'not_safe'}", utility=f"{result.utility:g}"),
            "colour": INK if result.safe else LINK,
            "up": result.utility == max(other.utility for other in results),
        }
        for result in results
    ]
    colour = {"field": "colour", "type": "nominal", "scale": None, "legend": None}
    place = {"field": "value", **y}
    text = {"x": {"value": WIDTH - 2}, "y": place, "text": {"field": "text"}}
    return [
        {
            "data": {"values": rows},
            "mark": {"type": "rule", "strokeDash": [2, 3], "strokeWidth": 1.5},
            "encoding": {"y": place, "stroke": colour},
        },
        *(
            {
                "data": {"values": [row for row in rows if row["up"] is up]},
                "mark": {"type": "text", "align": "right", "baseline": base, "dy": shift, "fontSize": 11},
                "encoding": text,
            }
            for up, base, shift in ((True, "bottom", -3), (False, "top", 4))
        ),
    ]


def _view(above: str, height: int, layers: list[Spec]) -> Spec:
    return {"title": {"text": above}, "width": WIDTH, "height": height, "layer": layers}


def _spoken_key(point: FrontierPoint) -> str:
    if point.too_few:
        return "spoken_too_few"
    return "spoken_found" if point.chance_bound is None else "spoken"


def _spoken(found: Frontier, texts: Texts) -> str:
    numbers = Numbers(texts)
    return texts("list.comma").join(
        texts(
            f"frontier.chart.{_spoken_key(point)}",
            k=point.k,
            utility=numbers.decimal(point.utility, 4),
            bound=numbers.at_most(point.chance_bound or 0.0),
            found=numbers.percent(point.chance_found),
        )
        for point in found.points
    )
