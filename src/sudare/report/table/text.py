"""The risk of tables as text on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table as TextTable

from sudare.report.terminal import (
    console,
    exact_percent,
    percent,
    percent_at_least,
    percent_at_most,
    ratio,
    ratio_at_least,
    ratio_at_most,
)

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.anonymize.levels import LevelsFound
    from sudare.tables.anonymize.written_levels import WrittenLevels
    from sudare.tables.classes.contributions import Contribution
    from sudare.tables.classes.diversity import Diversity
    from sudare.tables.classes.records import RecordsAssessment
    from sudare.tables.identifiers import DirectIdentifier
    from sudare.tables.sets.affordable import AffordableEstimate, AffordableSets
    from sudare.tables.sets.dangerous import DangerousEstimate, DangerousSets
    from sudare.tables.sets.disclosable import DisclosableSets
    from sudare.tables.sets.sample import MeanEstimate, SubsetSample
    from sudare.tables.sets.subsets import SubsetRisk, SubsetsAssessment
    from sudare.tables.walks.choice import Walk

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
        table.add_row(entry.attribute, *risks, f"{entry.uniques:,}", *_cost(entry.cost))
    console().print(table)


def show_summary(found: RecordsAssessment, bound: float | None, texts: Texts) -> None:
    """Print the risk of the records for given knowledge in a few lines."""
    out = console()
    known = ", ".join(found.attributes) or texts("risk.nothing")
    out.print(texts("risk.record_title", known=known), style="bold")
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
        out.print(
            texts("risk.above", share=percent(found.share_above(bound), texts), bound=exact_percent(bound, texts))
        )
    out.print(texts("risk.curve", curve=_curve(found, texts)))
    if found.cost is not None:
        key = {None: "known_cost", True: "known_cost_within", False: "known_cost_over"}[found.affordable]
        out.print(texts(f"risk.{key}", cost=f"{found.cost:g}"))


def _cost(cost: float | None) -> list[str]:
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


def show_subsets(found: SubsetsAssessment, shown: Sequence[SubsetRisk], texts: Texts) -> None:
    """Print some sets of attributes with their risks."""
    out = console()
    counts = {"sets": f"{len(found):,}", "attributes": len(found.attributes), "records": f"{found.records:,}"}
    out.print(texts("risk.subsets_title", **counts), style="bold")
    known = ("classes_column", "max_risk") if found.estimates is None else ("max_risk_at_least",)
    table = _set_table(texts, *known, "mean_risk", "uniques")
    if found.bound is not None:
        table.add_column(
            texts("risk.share_above", bound=exact_percent(found.bound, texts)), justify="right", no_wrap=True
        )
    for risk in shown:
        classes = [] if risk.classes is None else [f"{risk.classes:,}"]
        numbers = (*classes, percent(risk.max_risk_at_least, texts), *_set_numbers(risk, texts))
        table.add_row(" + ".join(risk.attributes), *numbers)
    out.print(table)
    out.print(_walk_remark(found.walk, texts))
    if len(shown) < len(found):
        out.print(texts("risk.more", shown=f"{len(shown):,}", sets=f"{len(found):,}"))


def _set_numbers(risk: SubsetRisk, texts: Texts) -> list[str]:
    """Return the mean risk, the unique records and the share above the bound; estimates have intervals."""
    ends = risk.intervals
    found = [
        _within(
            percent(risk.mean_risk, texts), [percent(end, texts) for end in ends.mean_risk] if ends else None, texts
        ),
        _within(f"{risk.uniques:,}", [f"{end:,}" for end in ends.uniques] if ends else None, texts),
    ]
    if risk.share_above is not None:
        shares = [percent(end, texts) for end in ends.share_above] if ends and ends.share_above else None
        found.append(_within(percent(risk.share_above, texts), shares, texts))
    return found


def _within(value: str, ends: Sequence[str] | None, texts: Texts) -> str:
    return texts("attackers.sampled", value=value, low=ends[0], high=ends[1]) if ends else value


def _walk_remark(walk: Walk, texts: Texts) -> str:
    """Say how the sets were gone through, and how sure the numbers are."""
    drawn = {"samples": f"{walk.samples or 0:,}", "seed": walk.seed, "error": percent(walk.error or 0, texts)}
    said = texts(f"risk.walk_{walk.how}", rows=f"{walk.distinct_rows:,}", **(drawn if walk.how == "sample" else {}))
    if walk.min_cell is not None:
        return said + texts("risk.walk_merged", least=f"{walk.min_cell:,}")
    return said if walk.how == "sample" else said + texts("risk.walk_exact")


def show_sample(found: SubsetSample, texts: Texts) -> None:
    """Print the estimated risk of sets by their size."""
    out = console()
    out.print(texts("risk.sample_title", samples=f"{found.samples:,}", seed=found.seed), style="bold")
    table = TextTable(show_edge=False, pad_edge=False)
    for name in ("size", "max_risk", "mean_risk", "unique_share"):
        table.add_column(texts(f"risk.{name}"), justify="right", no_wrap=True)
    table.add_column(texts("risk.share_above", bound=exact_percent(found.bound, texts)), justify="right", no_wrap=True)
    for entry in found.sizes:
        means = (entry.max_risk, entry.mean_risk, entry.unique_share, entry.share_above)
        table.add_row(str(entry.size), *(_mean(mean, texts, exact=entry.exact) for mean in means))
    out.print(table)
    out.print(texts("risk.sample_remark"))
    if not found.complete:
        out.print(texts("risk.sample_incomplete"))


def _mean(mean: MeanEstimate, texts: Texts, *, exact: bool) -> str:
    if exact:
        return percent(mean.value, texts)
    ends = {"low": percent(mean.low, texts), "high": percent(mean.high, texts)}
    return texts("attackers.sampled", value=percent(mean.value, texts), **ends)


def show_disclosable(found: DisclosableSets, top: int, texts: Texts) -> None:
    """Print the maximal sets that can be disclosed."""
    out = console()
    out.print(_disclosable_title(found, texts), style="bold")
    if not found.known_safe:
        out.print(texts("risk.known_unsafe"))
        return
    if not found.complete:
        out.print(texts("risk.incomplete"))
    table = _set_table(texts, "max_risk", "mean_risk", *(["cost"] if found.unsafe_costs is not None else []))
    for entry in found.maximal[:top]:
        risks = (percent(entry.max_risk, texts), percent(entry.mean_risk, texts))
        table.add_row(set_members(entry.attributes, texts), *risks, *_cost(entry.cost))
    out.print(table)
    say_more(min(top, len(found.maximal)), len(found.maximal), texts)
    if found.budget is not None:
        out.print(texts("risk.over_budget", count=f"{found.over_budget:,}", budget=f"{found.budget:g}"))
    unsafe = [set_members(attributes, texts) for attributes in found.minimal_unsafe]
    if found.unsafe_costs is not None:
        costs = zip(unsafe, found.unsafe_costs, strict=True)
        unsafe = [texts("risk.set_cost", set=shown, cost=f"{cost:g}") for shown, cost in costs]
    shown = "; ".join(unsafe[:top]) + (" ..." if len(unsafe) > top else "")
    out.print(texts("risk.minimal_unsafe", count=f"{len(unsafe):,}", sets=shown or "-"))


def _disclosable_title(found: DisclosableSets, texts: Texts) -> str:
    """Return what holds for each set: no record is above the limit or, with a quantile, so many may be."""
    counts = {"limit": exact_percent(found.limit, texts), "size": f"{found.class_size:,}"}
    if found.quantile is None:
        return texts("risk.disclosable_title", **counts)
    share = percent_at_most(1 - found.quantile, texts)
    return texts("risk.disclosable_title_quantile", **counts, allowed=f"{found.allowed_records:,}", share=share)


def show_dangerous(found: DangerousSets, top: int, texts: Texts) -> None:
    """Print the sets that raise risks the most."""
    out = console()
    counts = {"found": f"{found.found:,}", "sets": f"{found.combinations:,}", "size": found.size}
    key = "risk.dangerous_title" if found.estimate is None else "risk.dangerous_title_drawn"
    out.print(texts(key, factor=f"{found.factor:g}", drawn=_drawn(found), **counts), style="bold")
    priced = any(entry.cost is not None for entry in found.sets)
    table = _set_table(texts, "records", "max_factor", *(["cost"] if priced else []))
    for entry in found.sets[:top]:
        numbers = (f"{entry.records:,}", ratio(entry.max_factor), *_cost(entry.cost))
        table.add_row(set_members(entry.attributes, texts), *numbers)
    out.print(table)
    say_more(min(top, found.found), found.found, texts)
    if found.budget is not None:
        out.print(texts("risk.within_budget", budget=f"{found.budget:g}"))
    if found.estimate is not None:
        out.print(_dangerous_estimate(found.estimate, texts))


def _drawn(found: DangerousSets) -> str:
    return f"{found.estimate.drawn:,}" if found.estimate else ""


def _dangerous_estimate(found: DangerousEstimate, texts: Texts) -> str:
    ends = {"low": percent_at_least(found.low, texts), "high": percent_at_most(found.high, texts)}
    most = ratio_at_most(found.max_factor_at_most)
    return texts("risk.dangerous_estimate", share=percent(found.share, texts), seed=found.seed, most=most, **ends)


def show_affordable(found: AffordableSets, top: int, texts: Texts) -> None:
    """Print the maximal sets within the budget, the riskiest first."""
    out = console()
    out.print(texts("risk.affordable_title", budget=f"{found.budget:g}"), style="bold")
    table = _set_table(texts, "cost", "max_risk", "mean_risk")
    for entry in found.maximal[:top]:
        risks = (percent(entry.max_risk, texts), percent(entry.mean_risk, texts))
        table.add_row(set_members(entry.attributes, texts), f"{entry.cost:g}", *risks)
    out.print(table)
    say_more(min(top, len(found.maximal)), len(found.maximal), texts)
    if found.estimate is not None:
        _show_affordable_estimate(found.estimate, texts)


def _show_affordable_estimate(found: AffordableEstimate, texts: Texts) -> None:
    """Print what drawn sets tell of all maximal sets."""
    out = console()
    drawn = {"drawn": f"{found.drawn:,}", "seed": found.seed}
    if found.maximal is None:
        out.print(texts("risk.affordable_drawn", **drawn))
    else:
        out.print(texts("risk.affordable_drawn_of", maximal=f"{found.maximal:,}", **drawn))
    means = {name: _mean(getattr(found, name), texts, exact=False) for name in ("max_risk", "mean_risk")}
    out.print(texts("risk.affordable_estimate", riskier=percent_at_most(found.riskier_at_most, texts), **means))


def show_levels(found: LevelsFound, top: int, texts: Texts) -> None:
    """Print the best levels and the minimal ones."""
    out = console()
    out.print(texts("risk.levels_title", limit=exact_percent(found.limit, texts), size=f"{found.k:,}"), style="bold")
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
    out.print(texts("risk.written_risk", uniques=f"{written.uniques:,}", **risks))
    if any(None in values for values in found.table.values):
        out.print(texts(f"risk.written_missing_{found.table.missing}"))


def _set_table(texts: Texts, *columns: str) -> TextTable:
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
