"""The risk of tables as text on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table as TextTable

from sudare.cli.frame import console, percent
from sudare.messages import Texts
from sudare.risk.records import RecordsAssessment
from sudare.risk.subsets import SubsetRisk, SubsetsAssessment

# Shares of the records at which the curve is shown.
CURVE_SHARES = (0.1, 0.5, 0.9, 1.0)


def show_records(found: RecordsAssessment, bound: float | None, texts: Texts) -> None:
    """Print the risk of the records for given knowledge."""
    out = console()
    known = escape(", ".join(found.attributes)) or texts("risk.nothing")
    out.print(f"[bold]{texts('risk.record_title', known=known)}[/bold]")
    smallest = f"{found.sizes[0].size:,}"
    out.print(texts("risk.classes", classes=f"{found.classes:,}", records=f"{found.records:,}", smallest=smallest))
    out.print(
        texts(
            "risk.summary",
            max_risk=percent(found.max_risk, texts),
            mean_risk=percent(found.mean_risk, texts),
            uniques=f"{found.uniques:,}",
            share=percent(found.uniques / found.records, texts),
        )
    )
    if bound is not None:
        out.print(texts("risk.above", share=percent(found.share_above(bound), texts), bound=percent(bound, texts)))
    out.print(texts("risk.curve", curve=_curve(found, texts)))


def _curve(found: RecordsAssessment, texts: Texts) -> str:
    curve = found.curve()
    shown = [(share, next(risk for risk, below in curve if below >= share - 1e-12)) for share in CURVE_SHARES]
    return ", ".join(f"{share:.0%}: {percent(risk, texts)}" for share, risk in shown)


def show_subsets(found: SubsetsAssessment, shown: Sequence[SubsetRisk], texts: Texts) -> None:
    """Print some sets of attributes with their risks."""
    out = console()
    counts = {"sets": f"{len(found):,}", "attributes": len(found.attributes), "records": f"{found.records:,}"}
    out.print(f"[bold]{texts('risk.subsets_title', **counts)}[/bold]")
    table = TextTable(show_edge=False, pad_edge=False)
    table.add_column(texts("risk.attributes"))
    for name in ("classes_column", "max_risk", "mean_risk", "uniques"):
        table.add_column(texts(f"risk.{name}"), justify="right", no_wrap=True)
    if found.bound is not None:
        table.add_column(texts("risk.share_above", bound=percent(found.bound, texts)), justify="right", no_wrap=True)
    for risk in shown:
        above = [] if risk.share_above is None else [percent(risk.share_above, texts)]
        table.add_row(
            escape(" + ".join(risk.attributes)),
            f"{risk.classes:,}",
            percent(risk.max_risk, texts),
            percent(risk.mean_risk, texts),
            f"{risk.uniques:,}",
            *above,
        )
    out.print(table)
    if len(shown) < len(found):
        out.print(texts("risk.more", shown=f"{len(shown):,}", sets=f"{len(found):,}"))
