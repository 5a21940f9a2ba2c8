"""What several releases of the same people reveal together, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from sudare.report.terminal import console, percent

if TYPE_CHECKING:
    from sudare.histories.releases.assessment import ReleasesAssessment
    from sudare.messages import Texts


def show_releases(found: ReleasesAssessment, texts: Texts) -> None:
    """Print which pseudonyms were linked, and what their union tells."""
    out = console()
    out.print(texts("releases.title", count=len(found.releases)), style="bold")
    out.print(_links_table(found, texts))
    out.print(texts("releases.meaning"))
    counts = {"chains": f"{found.chains:,}", "pseudonyms": f"{sum(r.pseudonyms for r in found.releases):,}"}
    out.print(texts("releases.chains", several=f"{sum(found.in_releases[1:]):,}", **counts))
    rows = {"apart": f"{found.rows_alone:.1f}", "together": f"{found.rows_together:.1f}"}
    out.print(texts("releases.rows", **rows))
    if found.whole is not None:
        out.print(texts("releases.whole", share=percent(found.whole, texts)))
    if any(column.values_apart > 1 for column in found.columns):
        out.print(_columns_table(found, texts))
    out.print(_attackers_table(found, texts))
    out.print(texts("releases.attackers.meaning"))
    if found.drawn:
        out.print(texts("releases.attackers.drawn", seed=found.seed))


def _links_table(found: ReleasesAssessment, texts: Texts) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    judged = any(release.identified is not None for release in found.releases)
    names = ("pseudonyms", "smallest_class", "linked", "expected", *(("right", "identified") if judged else ()))
    table.add_column(texts("releases.release"))
    for name in names:
        table.add_column(texts(f"releases.{name}"), justify="right")
    none = texts("report.number.none")
    for number, release in enumerate(found.releases):
        ends = {"first": release.period.first, "last": release.period.last}
        period = texts("releases.period", **ends) if release.period.first else none
        cells = [f"{release.pseudonyms:,}", f"{release.smallest_class:,}", f"{release.linked:,}" if number else none]
        for name in names[3:]:
            share = getattr(release, name)
            cells.append(none if share is None else percent(share, texts))
        table.add_row(period, *cells)
    return table


def _columns_table(found: ReleasesAssessment, texts: Texts) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(texts("releases.columns.column"))
    for name in ("values_apart", "values_together", "exact_apart", "exact_together"):
        table.add_column(texts(f"releases.columns.{name}"), justify="right")
    for column in found.columns:
        widths = (f"{value:,.1f}" for value in (column.values_apart, column.values_together))
        exact = (percent(share, texts) for share in (column.exact_apart, column.exact_together))
        table.add_row(column.column, *widths, *exact)
    return table


def _attackers_table(found: ReleasesAssessment, texts: Texts) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    table.add_column(texts("attackers.attacker"))
    for name in ("apart", "together"):
        table.add_column(texts(f"releases.attackers.{name}"), justify="right")
    for risk in found.attackers:
        table.add_row(f"{risk.attacker}: {risk.knowledge}", percent(risk.apart, texts), percent(risk.together, texts))
    return table
