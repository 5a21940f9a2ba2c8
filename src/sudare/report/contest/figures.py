"""The figures of the report on an anonymized history."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.histories.utility.cost import CellUtility, ColumnCost, KindCost
from sudare.messages import Texts
from sudare.report.charts.stacked import PartedBar, parted_bars
from sudare.report.charts.vega import ShareBar, share_bars
from sudare.report.contest.findings import Findings, SizeRow, size_rows
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, panel, shortened
from sudare.report.table.figures import MOST_NAME_LETTERS
from sudare.statistics.class_sizes import ClassSize


def contest_figures(findings: Findings, texts: Texts) -> dict[str, Figure]:
    """Return the figures by name; where nothing is published or nothing costs, there is nothing to draw."""
    draw = _Figures(texts)
    found = {"cells": draw.cells(findings)} if findings.utility.rows else {}
    if findings.utility.utility:
        found["utility"] = draw.utility(findings.utility)
    if findings.safety:
        found["classes"] = draw.classes(findings.safety.sizes)
    return found


def utility_figures(found: CellUtility, texts: Texts) -> dict[str, Figure]:
    """Return the figure of where U comes from; where nothing costs there is none."""
    return {"utility": _Figures(texts).utility(found)} if found.utility else {}


def classes_figure(sizes: Sequence[ClassSize], texts: Texts) -> Figure:
    """Draw how many persons are in classes of each size."""
    return _Figures(texts).classes(sizes)


class _Figures:
    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.numbers = Numbers(texts)

    def cells(self, findings: Findings) -> Figure:
        columns = findings.utility.columns
        used = self._used([[kind.cells for kind in column.kinds] for column in columns])
        bars = [
            PartedBar(label, tuple(column.kinds[place].cells / findings.utility.rows for place in used))
            for label, column in zip(self._labels(columns), columns, strict=True)
        ]
        chart = parted_bars(
            bars,
            kinds=self._kinds(columns[0].kinds, used),
            axis=self.texts("report.contest.cells.axis"),
            number_format=".0%",
            title=self.texts("report.contest.cells.figure"),
            description=self._spoken(bars, self._kinds(columns[0].kinds, used)),
        )
        return Figure((panel(chart, self.texts),), self.texts("report.contest.cells.caption"))

    def utility(self, found: CellUtility) -> Figure:
        columns = found.columns
        used = self._used([[kind.utility for kind in column.kinds] for column in columns])
        bars = [
            PartedBar(
                label,
                tuple(column.kinds[place].utility for place in used),
                self.numbers.percent(column.share),
            )
            for label, column in zip(self._labels(columns), columns, strict=True)
        ]
        said = [self.texts("report.contest.spoken", name=bar.label, value=bar.text) for bar in bars]
        chart = parted_bars(
            bars,
            kinds=self._kinds(columns[0].kinds, used),
            axis=self.texts("report.contest.utility.axis"),
            number_format=".3~g",
            title=self.texts("report.contest.utility.figure"),
            description=self.texts("list.comma").join(said),
        )
        utility = self.numbers.decimal(found.utility, 4)
        return Figure((panel(chart, self.texts),), self.texts("report.contest.utility.caption", utility=utility))

    def classes(self, sizes: Sequence[ClassSize]) -> Figure:
        rows = size_rows(sizes)
        persons = sum(row.persons for row in rows)
        shares = [
            ShareBar(self._size(row), row.persons / persons, self.numbers.percent(row.persons / persons))
            for row in rows
        ]
        said = [self.texts("report.contest.spoken", name=share.label, value=share.text) for share in shares]
        chart = share_bars(
            shares,
            axis=self.texts("report.contest.classes.axis"),
            title=self.texts("report.contest.classes.figure"),
            description=self.texts("list.comma").join(said),
        )
        return Figure((panel(chart, self.texts),), self.texts("report.contest.classes.caption"))

    def _size(self, row: SizeRow) -> str:
        key = "report.contest.classes.of" if row.last else "report.contest.classes.of_more"
        return self.texts(key, size=self.numbers.count(row.first))

    def _labels(self, columns: Sequence[ColumnCost]) -> list[str]:
        labels = [shortened(column.name, self.texts, most=MOST_NAME_LETTERS) for column in columns]
        if len(set(labels)) < len(labels):
            # Rows of one label would lie on each other.
            labels = [self.texts("report.label.numbered", number=n, label=name) for n, name in enumerate(labels, 1)]
        return labels

    def _kinds(self, kinds: Sequence[KindCost], used: Sequence[int]) -> list[tuple[str, str]]:
        return [(kinds[place].kind, self.texts(f"contest.kind.{kinds[place].kind}")) for place in used]

    def _spoken(self, bars: Sequence[PartedBar], kinds: Sequence[tuple[str, str]]) -> str:
        """Say all parts of all bars."""
        said = [
            self.texts(
                "report.contest.spoken",
                name=bar.label,
                value=self.texts.listed(
                    [f"{name} {self.numbers.percent(part)}" for (_, name), part in zip(kinds, bar.parts, strict=True)]
                ),
            )
            for bar in bars
        ]
        return self.texts("list.comma").join(said)

    @staticmethod
    def _used(values: Sequence[Sequence[float]]) -> list[int]:
        """Return the places of kinds that any column has."""
        return [place for place, found in enumerate(zip(*values, strict=True)) if any(found)]
