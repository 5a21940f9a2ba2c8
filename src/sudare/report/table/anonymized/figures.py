"""The figures of the report of an anonymized table."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.messages import Texts
from sudare.report.charts.stacked import PartedBar, parted_bars
from sudare.report.charts.table_frontier import table_frontier_chart
from sudare.report.charts.vega import ShareBar, share_bars
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, panel, shortened
from sudare.report.table.anonymized.answers import loss_text
from sudare.report.table.anonymized.findings import CellCounts, Findings
from sudare.report.table.figures import MOST_BARS, MOST_NAME_LETTERS, risk_curve
from sudare.tables.anonymize.frontier import TableFrontier
from sudare.tables.anonymize.publication import AnonymizedTable
from sudare.tables.classes.records import RecordsAssessment
from sudare.tables.recoded.losses import TableLoss
from sudare.tables.utility.model import TableUtility

# The colour of each kind of cell, by the kinds of the charts of generalized histories.
COLOURS = {"exact": "exact", "coarser": "range", "mean": "set", "star": "deleted_cell", "suppressed": "deleted_row"}


def anonymized_figures(
    findings: Findings, result: AnonymizedTable, frontier: TableFrontier | None, texts: Texts
) -> dict[str, Figure]:
    """Return the figures by name; where there is nothing to draw, there is none."""
    draw = _Figures(texts)
    drawn = {
        "cells": draw.cells(findings),
        "risk": draw.risk(findings.before, findings.after, 1 / max(result.criteria.k, 1)),
        "loss": draw.loss(result.loss),
        "use": draw.use(result.utility) if result.utility else None,
        "frontier": draw.frontier(frontier) if frontier else None,
    }
    return {name: figure for name, figure in drawn.items() if figure is not None}


def frontier_figure(found: TableFrontier, texts: Texts) -> Figure:
    """Draw the loss against k."""
    return _Figures(texts).frontier(found)


def bar_labels(names: Sequence[str], texts: Texts) -> list[str]:
    """Return the labels of bars: cut names, with numbers where two would be the same and lie on each other."""
    labels = [shortened(name, texts, most=MOST_NAME_LETTERS) for name in names]
    if len(set(labels)) == len(labels):
        return labels
    return [texts("report.label.numbered", number=n, label=label) for n, label in enumerate(labels, 1)]


class _Figures:
    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.numbers = Numbers(texts)

    def cells(self, findings: Findings) -> Figure | None:
        shown = [(column.column.attribute, column.counts) for column in findings.columns if column.counts][:MOST_BARS]
        if not shown or not findings.records:
            return None
        shares = [_parts(counts, findings.suppressed, findings.records) for _, counts in shown]
        kinds = [kind for place, kind in enumerate(COLOURS) if any(parts[place] for parts in shares)]
        places = [list(COLOURS).index(kind) for kind in kinds]
        labels = bar_labels([name for name, _ in shown], self.texts)
        bars = [
            PartedBar(label, tuple(parts[place] for place in places))
            for label, parts in zip(labels, shares, strict=True)
        ]
        named = [(COLOURS[kind], self.texts(f"report.anonymized.cell.{kind}")) for kind in kinds]
        chart = parted_bars(
            bars,
            kinds=named,
            axis=self.texts("report.anonymized.cells.axis"),
            number_format=".0%",
            title=self.texts("report.anonymized.cells.figure"),
            description=self._spoken_parts(bars, [name for _, name in named]),
        )
        return Figure((panel(chart, self.texts),), self.texts("report.anonymized.cells.caption"))

    def _spoken_parts(self, bars: Sequence[PartedBar], names: Sequence[str]) -> str:
        said = []
        for bar in bars:
            parts = [f"{name} {self.numbers.percent(part)}" for name, part in zip(names, bar.parts, strict=True)]
            said.append(self.texts("report.anonymized.spoken", name=bar.label, value=self.texts.listed(parts)))
        return self.texts("list.semicolon").join(said)

    def loss(self, loss: TableLoss) -> Figure | None:
        columns = loss.columns[:MOST_BARS]
        if not columns:
            return None
        shares = [column.entropy / column.highest_entropy if column.highest_entropy else 0.0 for column in columns]
        return self._bars("loss", [column.attribute for column in columns], shares)

    def use(self, use: TableUtility) -> Figure | None:
        moved = use.marginals[:MOST_BARS]
        if not any(marginal.distance for marginal in moved):
            return None
        return self._bars("use", [marginal.attribute for marginal in moved], [found.distance for found in moved])

    def _bars(self, section: str, names: Sequence[str], shares: Sequence[float]) -> Figure:
        """Draw a share of each column."""
        bars = [
            ShareBar(label, share, self.numbers.percent(share))
            for label, share in zip(bar_labels(names, self.texts), shares, strict=True)
        ]
        said = [self.texts("report.anonymized.spoken", name=bar.label, value=bar.text) for bar in bars]
        chart = share_bars(
            bars,
            axis=self.texts(f"report.anonymized.{section}.axis"),
            title=self.texts(f"report.anonymized.{section}.figure"),
            description=self.texts("list.comma").join(said),
        )
        return Figure((panel(chart, self.texts),), self.texts(f"report.anonymized.{section}.caption"))

    def frontier(self, found: TableFrontier) -> Figure:
        highest = loss_text(found.highest, found.loss_name, self.texts)
        chart = table_frontier_chart(found, self.texts)
        return Figure((panel(chart, self.texts),), self.texts("report.anonymized.frontier.caption", highest=highest))

    def risk(self, before: RecordsAssessment, after: RecordsAssessment | None, limit: float) -> Figure | None:
        if after is None or before.records < 2:
            return None
        panels = (
            risk_curve(before, self.texts("report.anonymized.risk.before"), limit, self.texts),
            risk_curve(after, self.texts("report.anonymized.risk.after"), limit, self.texts),
        )
        return Figure(panels, self.texts("report.anonymized.risk.caption", limit=self.numbers.percent(limit)))


def _parts(counts: CellCounts, suppressed: int, records: int) -> tuple[float, ...]:
    """Return the share of all records with each kind of cell, in the order of the kinds."""
    numbers = (counts.exact, counts.coarser, counts.mean, counts.star, suppressed)
    return tuple(number / records for number in numbers)
