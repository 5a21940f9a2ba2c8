"""What a notebook shows of an anonymized table and of a frontier, and what is printed of a frontier."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table as TextTable

from sudare.messages import Texts
from sudare.report.notebook import Cell
from sudare.report.page import shortened
from sudare.report.table.anonymized.answers import answers, loss_words
from sudare.report.table.anonymized.claims import find_claims
from sudare.report.table.anonymized.figures import anonymized_figures, frontier_figure
from sudare.report.table.anonymized.findings import gather_findings
from sudare.report.terminal import console, decimal_at_least
from sudare.tables.anonymize.frontier import TableFrontier, TableFrontierPoint
from sudare.tables.anonymize.publication import AnonymizedTable


def anonymized_cell(found: AnonymizedTable, texts: Texts) -> Cell:
    """Show what is left, what is claimed, the risk before and after, and the loss."""
    findings = gather_findings(found.recoded)
    figures = anonymized_figures(findings, found, None, texts)
    values = {
        "result": found,
        "file": None,
        "check": None,
        "claims": find_claims(found, findings, None, texts),
        "words": loss_words(found, texts),
        "figures": {name: figure for name, figure in figures.items() if name == "loss"},
    }
    source = shortened(Path(found.recoded.table.reading.source).name, texts)
    return Cell(
        texts("report.anonymized.title_unwritten", source=source),
        lead=answers(findings, found, texts)[0],
        templates=("anonymized/claims.html", "anonymized/loss.html"),
        values=values,
        figures=tuple(figures[name] for name in ("cells", "risk") if name in figures),
    )


def frontier_cell(found: TableFrontier, texts: Texts) -> Cell:
    """Show the loss against k."""
    values = {"frontier": found, "figures": {"frontier": frontier_figure(found, texts)}}
    title = texts("report.anonymized.section.frontier")
    return Cell(title, templates=("anonymized/frontier.html",), values=values)


def show_frontier(found: TableFrontier, texts: Texts) -> None:
    """Print the loss for each k."""
    out = console()
    out.print(texts("report.anonymized.section.frontier"), style="bold")
    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("k", "l", "t", found.loss_name, "at_least", "classes", "suppressed", "seconds"):
        table.add_column(texts(f"report.anonymized.frontier.{name}"), justify="right")
    table.add_column(texts("report.anonymized.frontier.ended"))
    for point in found.points:
        table.add_row(*_line(point, texts))
    out.print(table)


def _line(point: TableFrontierPoint, texts: Texts) -> list[str]:
    none = texts("report.number.none")
    return [
        f"{point.k:,}",
        *(none if asked is None else f"{asked:g}" for asked in (point.l, point.t)),
        f"{point.loss:.3f}",
        none if point.bound is None else decimal_at_least(point.bound, 3, texts),
        f"{point.classes:,}",
        f"{point.suppressed:,}",
        f"{point.seconds:.1f}",
        texts(f"report.anonymized.frontier.{point.ended}"),
    ]
