"""What generalization costs and the remaining utility of data, as terminal text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table as TextTable

from sudare.histories.generalized.rule_sets import EPOCH
from sudare.report.numbers import Numbers
from sudare.report.page import shortened
from sudare.report.terminal import console, percent

if TYPE_CHECKING:
    from sudare.contest.correlation import MeasureCorrelation, UtilityCorrelation
    from sudare.contest.measured_histories import MeasuredHistory
    from sudare.histories.utility.cost import CellUtility, KindCost
    from sudare.histories.utility.use_cases import UseCases
    from sudare.messages import Texts

# Letters of a cell that are shown; a set can have a hundred items.
MOST_LETTERS = 40


def show_utility(found: CellUtility, source: str, texts: Texts) -> None:
    """Print U, where it comes from, and what would lower it."""
    out = console()
    title = texts("contest.utility.title", source=source, utility=_number(found.utility))
    out.print(title, style="bold")
    out.print(texts("contest.utility.meaning", cells=f"{found.rows * len(found.columns):,}"))
    _show_columns(found, texts)
    _show("kinds", ("kind", "cells", "adds", "share"), [_kind(kind, texts) for kind in found.kinds], texts)
    customers = [
        (str(c.customer), f"{c.rows:,}", f"{c.deleted_rows:,}", _number(c.utility), percent(c.share, texts))
        for c in found.customers
    ]
    _show("customers", ("customer", "rows", "deleted_rows", "adds", "share"), customers, texts)
    cells = [
        (f"{c.row:,}", c.column, _cell(c.original, texts), _cell(c.cell, texts), _number(c.error)) for c in found.cells
    ]
    _show("cells_title", ("row", "column", "original", "cell", "error"), cells, texts)
    _show_advice(found, texts)


def _show_columns(found: CellUtility, texts: Texts) -> None:
    none = texts("report.number.none")
    rows = [
        (
            column.name,
            _number(column.utility),
            percent(column.share, texts),
            none if column.deviation is None else f"{column.deviation:,.4f}",
        )
        for column in found.columns
    ]
    _show("columns", ("column", "mean", "share", "deviation"), rows, texts)


def _kind(cost: KindCost, texts: Texts) -> tuple[str, ...]:
    name = texts(f"contest.kind.{cost.kind}")
    return name, f"{cost.cells:,}", _number(cost.utility), percent(cost.share, texts)


def _show_advice(found: CellUtility, texts: Texts) -> None:
    dear = [column for column in found.columns if column.dear_ranges]
    for column in dear:
        words = {"column": column.name, "saving": _number(column.saving)}
        console().print(texts("contest.utility.dear", count=column.dear_ranges, **words))
    if not dear:
        console().print(texts("contest.utility.no_dear"))


def show_use_cases(found: UseCases, source: str, first_day: int | None, texts: Texts) -> None:
    """Print the errors of all measures, and what they depend on; `first_day` is that of the rules, if it is known."""
    out = console()
    title = texts("contest.usecases.title", source=source, draws=f"{found.draws:,}", seed=found.seed)
    out.print(title, style="bold")
    out.print(texts("contest.usecases.meaning"))
    table = _table([texts(f"contest.usecases.{name}") for name in ("measure", "mean", "deviation")])
    for error in found.errors:
        numbers = (_error(error.mean, texts), _error(error.deviation, texts))
        table.add_row(texts(f"contest.measure.{error.measure}"), *numbers)
    out.print(table)
    out.print(texts("contest.usecases.itemsets", least=f"{found.least:,}", length=found.length))
    out.print(texts("contest.usecases.rfm"))
    if found.most_dozens is not None:
        out.print(texts("contest.usecases.dozens", most=f"{found.most_dozens:,}"))
    if first_day is not None:
        out.print(texts("contest.usecases.days", day=Numbers(texts).day(EPOCH + dt.timedelta(first_day))))


def show_correlation(found: UtilityCorrelation, texts: Texts) -> None:
    """Print the errors of all histories and the correlations below them, as the tables 6 to 10 of the report."""
    from sudare.histories.utility.use_cases import ITEM_STATISTICS, MEASURES, USES

    tables = {
        "uses": USES,
        "items": ITEM_STATISTICS,
        **{name: tuple(m for m in MEASURES if m.startswith(f"{name}_")) for name in ("date", "price", "quantity")},
    }
    out, by_measure = console(), {entry.measure: entry for entry in found.measures}
    out.print(texts("contest.correlate.title", histories=len(found.histories)), style="bold")
    for name, measures in tables.items():
        shown = [by_measure[measure] for measure in measures if measure in by_measure]
        if shown:
            out.print("\n" + texts(f"contest.measures.{name}"), style="bold")
            out.print(_correlation_table(found.histories, shown, texts))
    numbers = {"critical": f"{found.critical:.4f}", "level": percent(found.level, texts)}
    out.print("\n" + texts("contest.correlate.significant", histories=len(found.histories), **numbers))
    if any(entry.correlation is None for entry in found.measures):
        out.print(texts("contest.correlate.constant"))


def _correlation_table(
    histories: Sequence[MeasuredHistory], measures: Sequence[MeasureCorrelation], texts: Texts
) -> TextTable:
    names = [texts(f"contest.measure.{entry.measure}") for entry in measures]
    table = _table([texts("contest.correlate.history"), texts("contest.correlate.utility"), *names])
    for history in histories:
        values = [_error(history.mean(entry.measure), texts) for entry in measures]
        table.add_row(history.name, _number(history.utility), *values)
    table.add_section()
    correlations = [
        Numbers(texts).correlation(entry.correlation) + ("*" if entry.significant else "") for entry in measures
    ]
    table.add_row(texts("contest.correlate.correlation"), "", *correlations)
    return table


def _show(title: str, names: Sequence[str], rows: Sequence[Sequence[str]], texts: Texts) -> None:
    if not rows:
        return
    table = _table([texts(f"contest.utility.{name}") for name in names])
    for row in rows:
        table.add_row(*row)
    console().print("\n" + texts(f"contest.utility.{title}"), style="bold")
    console().print(table)


def _table(names: Sequence[str]) -> TextTable:
    table = TextTable(show_edge=False, pad_edge=False)
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 else "right")
    return table


def _cell(text: str, texts: Texts) -> str:
    return shortened(text, texts, most=MOST_LETTERS)


def _number(value: float) -> str:
    """Show a number near 1 or far from it: six decimals where they say something, else four digits."""
    return f"{value:,.6f}" if value == 0 or 1e-5 <= abs(value) < 1e6 else f"{value:.4g}"


def _error(value: float | None, texts: Texts) -> str:
    if value is None:
        return texts("report.number.none")
    return f"{value:,.3f}"
