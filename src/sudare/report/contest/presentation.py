"""How contest results are printed, and drawn in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sudare.contest.check import CheckResult
from sudare.contest.correlation import UtilityCorrelation
from sudare.contest.frontier import Frontier
from sudare.contest.recompute import Recomputed
from sudare.messages import Texts
from sudare.report.charts.frontier import frontier_chart
from sudare.report.contest.check_text import show_check
from sudare.report.contest.frontier_text import show_frontier
from sudare.report.contest.recompute_text import show_recomputed
from sudare.report.contest.utility_text import show_correlation
from sudare.report.notebook import Cell, rows_cell
from sudare.report.page import Figure, panel, shortened


def _original(texts: Texts) -> str:
    return texts("report.contest.unnamed_original")


TEXTS: Mapping[type, Any] = {
    CheckResult: show_check,
    UtilityCorrelation: show_correlation,
    Frontier: lambda found, texts: show_frontier(found, _original(texts), None, texts),
    Recomputed: show_recomputed,
}


def _frontier(found: Frontier, texts: Texts) -> Cell:
    figures: tuple[Figure, ...] = ()
    if found.points:
        figures = (Figure((panel(frontier_chart(found, (), texts), texts),), texts("report.frontier.caption")),)
    title = texts("frontier.title", source=_original(texts))
    return rows_cell(title, found.to_rows(), texts, figures=figures)


def _recomputed(found: Recomputed, texts: Texts) -> Cell:
    title = texts("contest.recompute.title", contest=shortened(found.contest, texts))
    verdict = texts(f"contest.recompute.{'same' if found.same else 'different'}", count=len(found.differences))
    cell = rows_cell(title, found.to_rows(), texts)
    return Cell(title, lead=verdict, templates=cell.templates if found.differences else (), values=cell.values)


def _correlation(found: UtilityCorrelation, texts: Texts) -> Cell:
    return rows_cell(texts("contest.correlate.title", histories=len(found.histories)), found.to_rows(), texts)


CELLS: Mapping[type, Any] = {
    Frontier: _frontier,
    Recomputed: _recomputed,
    UtilityCorrelation: _correlation,
}
