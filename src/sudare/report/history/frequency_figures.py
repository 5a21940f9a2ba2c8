"""The figures of how often days, row counts and items occur in a purchase history."""

from __future__ import annotations

from typing import Any

from sudare.messages import Texts
from sudare.report.charts.frequency import bars_over_days, bars_over_numbers, curve_by_rank, needs_log_ranks
from sudare.report.charts.vega import Chart
from sudare.report.history.findings import Frequencies
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, panel


def frequency_figures(found: Frequencies, texts: Texts) -> dict[str, Figure]:
    """Return Figures 1 to 3 of Ito, Kikuchi, Nakagawa by name; those with one value only are left out."""
    draw, figures = _Frequencies(found, texts), {}
    if len(found.days.counts) > 1:
        figures["by_day"] = draw.by_day()
    if len(found.rows.counts) > 1:
        figures["by_rows"] = draw.by_rows()
    if len(found.ranks) > 1:
        figures["by_rank"] = draw.by_rank()
    return figures


class _Frequencies:
    def __init__(self, found: Frequencies, texts: Texts) -> None:
        self.found = found
        self.texts = texts
        self.numbers = Numbers(texts)

    def by_day(self) -> Figure:
        days = self.found.days
        chart = bars_over_days(days, **self._words("by_day", most=self.numbers.count(max(days.counts))))
        return self._figure("by_day", chart, step=days.step)

    def by_rows(self) -> Figure:
        rows = self.found.rows
        chart = bars_over_numbers(rows, **self._words("by_rows", most=self.numbers.count(max(rows.counts))))
        return self._figure("by_rows", chart, step=rows.step)

    def by_rank(self) -> Figure:
        ranks = self.found.ranks
        items, most = self.numbers.count(ranks[-1][0]), self.numbers.count(ranks[0][1])
        chart = curve_by_rank(ranks, **self._words("by_rank", items=items, most=most))
        return self._figure("by_rank", chart, logarithmic=needs_log_ranks(ranks))

    def _words(self, name: str, **values: str) -> dict[str, Any]:
        said = {word: self.texts(f"report.history.frequency.{name}_{word}") for word in ("x", "y", "title")}
        description = self.texts(f"report.history.frequency.{name}_description", **values)
        return {"axes": (said["x"], said["y"]), "title": said["title"], "description": description}

    def _figure(self, name: str, chart: Chart, *, step: int = 1, logarithmic: bool = False) -> Figure:
        notes = [self.texts("report.history.frequency.step", step=step)] if step > 1 else []
        notes += [self.texts("report.history.frequency.logarithmic")] if logarithmic else []
        caption = self.texts(f"report.history.frequency.{name}_caption")
        for note in notes:
            caption = self.texts("report.history.frequency.noted", caption=caption, note=note)
        return Figure((panel(chart, self.texts),), caption)
