"""Charts of how often values occur: over days, over numbers, by rank (Ito, Kikuchi, Nakagawa, Figures 1 to 3)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from math import ceil

from sudare.report.charts.axes import MOST_LINEAR, Spec, number_axis, text_room
from sudare.report.charts.vega import FIRST, WIDE, Chart
from sudare.showing import dataclass

HEIGHT = 190
# A bar needs a pixel; more values share bars. A year of days does not.
MOST_BARS = 400
MOST_TICKS = 6
MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 24_000)


@dataclass(frozen=True, slots=True)
class Bars:
    """Numbers of occurrences over whole numbers: bar i is about `first` + i * `step` and the numbers up to the next."""

    first: int
    step: int
    counts: tuple[int, ...]


def gather_bars(counted: Sequence[tuple[int, int]], *, most: int = MOST_BARS) -> Bars:
    """Put (number, occurrences) into at most `most` bars of equal width."""
    first, last = min(number for number, _ in counted), max(number for number, _ in counted)
    step = ceil((last - first + 1) / most)
    counts = [0] * ((last - first) // step + 1)
    for number, occurrences in counted:
        counts[(number - first) // step] += occurrences
    return Bars(first, step, tuple(counts))


def bars_over_days(bars: Bars, *, axes: tuple[str, str], title: str, description: str) -> Chart:
    """Show bars over days (numbers as of `date.toordinal`), with months or days below them."""
    last = min(bars.first + bars.step * len(bars.counts) - 1, dt.date.max.toordinal())
    named = day_ticks(dt.date.fromordinal(bars.first), dt.date.fromordinal(last))
    written = ", ".join(f"'{day.toordinal()}': '{text}'" for day, text in named)
    ticks = {
        "values": [day.toordinal() for day, _ in named],
        "labelExpr": f"{{{written}}}[datum.value]",
        "labelFlush": False,
    }
    return Chart(_bars(bars, {"axis": {**ticks, "grid": False}}, axes), title, description)


def bars_over_numbers(bars: Bars, *, axes: tuple[str, str], title: str, description: str) -> Chart:
    """Show bars over whole numbers."""
    axis = {"format": ",d", "grid": False, "tickCount": MOST_TICKS, "tickMinStep": 1}
    return Chart(_bars(bars, {"axis": axis}, axes), title, description)


def _bars(bars: Bars, x: Spec, axes: tuple[str, str]) -> Spec:
    # A bar stands above its number; a few have a gap between them.
    gap = bars.step * (0.05 if len(bars.counts) <= MOST_BARS // 4 else 0)
    starts = [bars.first + bars.step * place - 0.5 for place in range(len(bars.counts))]
    ends = [start + bars.step for start in starts]
    rows = [
        {"x": start + gap, "end": end - gap, "y": count}
        for start, end, count in zip(starts, ends, bars.counts, strict=True)
        if count
    ]
    # The first bar stands clear of the axis.
    domain = [starts[0] - (ends[-1] - starts[0]) / 100, ends[-1]]
    across = {"type": "quantitative", "title": axes[0], "scale": {"domain": domain, "nice": False, "zero": False}, **x}
    most = max(bars.counts)
    upright = {**number_axis(most, text_room(f"{most:,}"), logarithmic=False), "title": None}
    mark = {
        "mark": {"type": "rect", "color": FIRST, "strokeWidth": 0},
        "encoding": {
            "x": {"field": "x", **across},
            "x2": {"field": "end"},
            "y": {"field": "y", **upright},
            "y2": {"datum": 0},
        },
    }
    return _wide(mark, rows, axes[1])


def curve_by_rank(ranks: Sequence[tuple[int, int]], *, axes: tuple[str, str], title: str, description: str) -> Chart:
    """Show occurrences by rank, the most common first, from the ranks where they change and the last one."""
    logarithmic = needs_log_ranks(ranks)
    last, most = ranks[-1][0], ranks[0][1]
    x = {"field": "x", **number_axis(last, {}, logarithmic=logarithmic), "title": axes[0]}
    y = {"field": "y", **number_axis(most, text_room(f"{most:,}"), logarithmic=logarithmic), "title": None}
    rows = [{"place": place, "x": rank, "y": often} for place, (rank, often) in enumerate(ranks)]
    line = {
        "mark": {"type": "line", "interpolate": "step-after", "color": FIRST, "strokeWidth": 2.5},
        "encoding": {"x": x, "y": y, "order": {"field": "place", "type": "quantitative"}},
    }
    return Chart(_wide(line, rows, axes[1]), title, description)


def needs_log_ranks(ranks: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a curve by rank has logarithmic axes."""
    return max(ranks[-1][0], ranks[0][1]) > MOST_LINEAR


def day_ticks(first: dt.date, last: dt.date) -> list[tuple[dt.date, str]]:
    """Return a few days of a span with their names: beginnings of months, or in a short span single days."""
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    begun = [dt.date(month // 12, month % 12 + 1, 1) for month in months]
    begun = [day for day in begun if first <= day]
    if len(begun) < 2:
        step = max(1, ceil((last - first).days / 3))
        days = [first + dt.timedelta(place) for place in range(0, (last - first).days + 1, step)]
        return [(day, day.isoformat()) for day in days]
    for step in MONTH_STEPS:
        kept = [day for day in begun if (day.year * 12 + day.month - 1) % step == 0]
        if len(kept) <= MOST_TICKS:
            break
    return [(day, f"{day.year:04}-{day.month:02}") for day in kept or begun[:1]]


def _wide(view: Spec, rows: list[Spec], above: str) -> Spec:
    size = {"width": WIDE, "height": HEIGHT, "autosize": {"type": "fit", "contains": "padding"}}
    padding = {"left": 4, "right": 24, "top": 4, "bottom": 6}
    return {"data": {"values": rows}, "title": {"text": above}, "padding": padding, **size, **view}
