"""The risk of tables as terminal text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table as TextTable

from sudare.report.terminal import (
    console,
    exact_percent,
    percent,
    percent_at_most,
    ratio,
    ratio_at_least,
)

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.anonymize.levels import LevelsFound
    from sudare.tables.anonymize.written_levels import WrittenLevels
    from sudare.tables.classes.contributions import Contribution
    from sudare.tables.classes.diversity import Diversity
    from sudare.tables.classes.records import RecordsAssessment
    from sudare.tables.identifiers import DirectIdentifier

# Shares of the records at which the curve is shown.
CURVE_SHARES = (0.1, 0.5, 0.9, 1.0)


def show_records(found: RecordsAssessment, without: Sequence[Contribution], bound: float | None, texts: Texts) -> None:
    """Print the risk of the records for given knowledge, and what is left of it without each attribute."""
    show_summary(found, bound, texts)
    table = TextTable(title=texts("risk.without_title"), show_edge=False, pad_edge=False, title_justify="left")
    table.add_column(texts("risk.attribute"))
    priced = found.cost is not None
    for name in ("max_risk", "mean_risk", "uniques", *(["cost"] if priced else [])):
        table.add_column(texts(f"risk.{name}"), justify="right", no_wrap=True)
    for entry in without:
        risks = (percent(entry.max_risk, texts), percent(entry.mean_risk, texts))
        table.add_row(entry.attribute, *risks, f"{entry.uniques:,}", *cost_cell(entry.cost))
    console().print(table)


def show_summary(found: RecordsAssessment, bound: float | None, texts: Texts) -> None:
    """Print the risk of the records for given knowledge in a few lines."""
    out = console()
    out.print(records_title(found, texts), style="bold")
    counts = {name: texts(f"count.{name}", count=getattr(found, name)) for name in ("classes", "records")}
    out.print(texts("risk.classes", **counts, smallest=f"{found.sizes[0].size:,}"))
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
        out.print(
            texts("risk.above", share=percent(found.share_above(bound), texts), bound=exact_percent(bound, texts))
        )
    out.print(texts("risk.curve", curve=_curve(found, texts)))
    if found.cost is not None:
        key = {None: "known_cost", True: "known_cost_within", False: "known_cost_over"}[found.affordable]
        out.print(texts(f"risk.{key}", cost=f"{found.cost:g}"))
    if bound and found.share_above(bound):
        from sudare.tables.sets.subsets import class_size_within

        command = f"sudare table anonymize FILE --k {class_size_within(bound)} -o published.csv"
        out.print(texts("risk.next", command=command))


def records_title(found: RecordsAssessment, texts: Texts) -> str:
    """Say what the attacker knows."""
    return texts("risk.record_title", known=", ".join(found.attributes) or texts("risk.nothing"))


def cost_cell(cost: float | None) -> list[str]:
    """Return the cell of a cost, none where there are no costs."""
    return [] if cost is None else [f"{cost:g}"]


def show_diversity(found: Diversity, texts: Texts) -> None:
    """Print what classes give away about a sensitive attribute."""
    counts = {"k": f"{found.k:,}", "l": f"{found.l:,}", "revealed": f"{found.revealed:,}"}
    numbers = {"entropy_l": f"{found.entropy_l:.2f}", "t": f"{found.t:.4f}"}
    console().print(texts("risk.diversity", sensitive=found.sensitive, **counts, **numbers))


def _curve(found: RecordsAssessment, texts: Texts) -> str:
    curve = found.curve()
    shown = [(share, next(risk for risk, below in curve if below >= share - 1e-12)) for share in CURVE_SHARES]
    return ", ".join(f"{share:.0%}: {percent_at_most(risk, texts)}" for share, risk in shown)


def show_levels(found: LevelsFound, top: int, texts: Texts) -> None:
    """Print the best levels and the minimal ones."""
    out = console()
    out.print(levels_title(found, texts), style="bold")
    if found.criteria.looks_at_values:
        out.print(_criteria_of_levels(found, texts))
    key = "risk.levels_nodes" if found.complete else "risk.levels_nodes_some"
    out.print(texts(key, nodes=f"{found.nodes:,}", evaluated=f"{found.evaluated:,}"))
    if found.best is None or found.loss is None or found.suppressed is None:
        out.print(texts("risk.levels_none", attributes=", ".join(found.in_the_way)))
        return
    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("attribute", "level", "highest"):
        table.add_column(texts(f"risk.{name}"), justify="left" if name == "attribute" else "right")
    for attribute, level in found.best.items():
        table.add_row(attribute, str(level), str(found.highest[attribute]))
    out.print(table)
    left_out = {"suppressed": f"{found.suppressed:,}", "share": percent(found.suppressed / found.records, texts)}
    out.print(texts("risk.levels_best", loss=ratio(found.loss), name=found.loss_name, **left_out))
    if not found.complete:
        out.print(_bound_of_levels(found, texts))
    key = "risk.levels_minimal" if found.complete else "risk.levels_minimal_some"
    out.print(texts(key, count=f"{len(found.minimal):,}"))
    for number, levels in enumerate(found.minimal[:top], start=1):
        out.print(f"  {number}: {level_list(levels)}")
    say_more(min(top, len(found.minimal)), len(found.minimal), texts)


def levels_title(found: LevelsFound, texts: Texts) -> str:
    """Say which risk no record may exceed."""
    return texts("risk.levels_title", limit=exact_percent(found.limit, texts), size=f"{found.k:,}")


def _criteria_of_levels(found: LevelsFound, texts: Texts) -> str:
    """Say what every class must satisfy beside its size."""
    said = []
    if found.l is not None:
        said.append(texts(f"risk.levels_l_{found.diversity}", l=f"{found.l:g}", c=f"{found.c or 0:g}"))
    if found.t is not None:
        said.append(texts("risk.levels_t", t=f"{found.t}"))
    separator = texts("list.comma")
    return texts("risk.levels_criteria", attributes=separator.join(found.sensitive), criteria=separator.join(said))


def _bound_of_levels(found: LevelsFound, texts: Texts) -> str:
    """Say how far from the best of all choices the best one found can be."""
    if not found.gap:
        return texts("risk.levels_proven")
    return texts("risk.levels_gap", bound=ratio_at_least(found.bound or 0.0), gap=percent_at_most(found.gap, texts))


def show_identifiers(found: Sequence[DirectIdentifier], texts: Texts) -> None:
    """Print which columns look like identifiers, and what to do about them."""
    if found:
        kinds = (texts("risk.identifier", name=e.attribute, kind=texts(f"risk.identifier_{e.kind}")) for e in found)
        console().print(texts("risk.identifiers", columns=texts("list.comma").join(kinds)))


def level_list(levels: Mapping[str, int]) -> str:
    """Return levels in words."""
    return ", ".join(f"{name} {level}" for name, level in levels.items())


def show_written(written: WrittenLevels, found: LevelsFound, texts: Texts) -> None:
    """Print what a file has in it, and its risk as it was measured."""
    out = console()

    def names(columns: Sequence[str]) -> str:
        return ", ".join(columns) or texts("risk.nothing")

    counts = {"records": f"{written.records:,}", "rows": f"{written.rows:,}"}
    key = "risk.written_weighted" if written.weight else "risk.written"
    out.print(texts(key, **counts, columns=names(written.columns), weight=written.weight or ""))
    out.print(texts("risk.written_left_out", columns=names(written.left_out)))
    if written.levels != found.best:
        left_out = {
            "suppressed": f"{written.suppressed:,}",
            "share": percent(written.suppressed / found.records, texts),
        }
        out.print(texts("risk.written_choice", levels=level_list(written.levels), **left_out))
    if written.kept:
        limit = exact_percent(found.limit, texts)
        out.print(texts("risk.written_kept", columns=names(written.kept), limit=limit, known=names(found.known)))
    risks = {"max_risk": percent(written.max_risk, texts), "mean_risk": percent(written.mean_risk, texts)}
    key = "risk.written_risk_sensitive" if found.sensitive else "risk.written_risk"
    out.print(texts(key, uniques=f"{written.uniques:,}", sensitive=names(found.sensitive), **risks))
    if any(None in values for values in found.table.values):
        out.print(texts(f"risk.written_missing_{found.table.missing}"))


def set_table(texts: Texts, *columns: str) -> TextTable:
    """Return a table with sets of attributes in its first column."""
    table = TextTable(show_edge=False, pad_edge=False)
    table.add_column(texts("risk.attributes"))
    for name in columns:
        table.add_column(texts(f"risk.{name}"), justify="right", no_wrap=True)
    return table


def set_members(attributes: Sequence[str], texts: Texts) -> str:
    """Return the attributes of a set in words."""
    return " + ".join(attributes) or texts("risk.nothing")


def say_more(shown: int, there: int, texts: Texts) -> None:
    """Say how many of those there are were shown, if not all."""
    if shown < there:
        console().print(texts("risk.more_sets", shown=f"{shown:,}", sets=f"{there:,}"))
