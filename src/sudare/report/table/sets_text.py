"""The risk of attribute sets as terminal text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table as TextTable

from sudare.report.table.text import cost_cell, say_more, set_members, set_table
from sudare.report.terminal import (
    console,
    exact_percent,
    percent,
    percent_at_least,
    percent_at_most,
    ratio,
    ratio_at_most,
)

if TYPE_CHECKING:
    from sudare.messages import Texts
    from sudare.tables.sets.affordable import AffordableEstimate, AffordableSets
    from sudare.tables.sets.dangerous import DangerousEstimate, DangerousSets
    from sudare.tables.sets.disclosable import DisclosableSets
    from sudare.tables.sets.sample import MeanEstimate, SubsetSample
    from sudare.tables.sets.subsets import SubsetRisk, SubsetsAssessment
    from sudare.tables.walks.choice import Walk


def show_subsets(found: SubsetsAssessment, shown: Sequence[SubsetRisk], texts: Texts) -> None:
    """Print some sets of attributes with their risks."""
    out = console()
    out.print(subsets_title(found, texts), style="bold")
    known = ("classes_column", "max_risk") if found.estimates is None else ("max_risk_at_least",)
    table = set_table(texts, *known, "mean_risk", "uniques")
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


def subsets_title(found: SubsetsAssessment, texts: Texts) -> str:
    """Say how many sets of how many attributes were measured."""
    counts = {"sets": f"{len(found):,}", "attributes": len(found.attributes), "records": f"{found.records:,}"}
    return texts("risk.subsets_title", **counts)


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
    """Say how the sets were measured, and with what confidence."""
    drawn = {"samples": f"{walk.samples or 0:,}", "seed": walk.seed, "error": percent(walk.error or 0, texts)}
    said = texts(f"risk.walk_{walk.how}", rows=f"{walk.distinct_rows:,}", **(drawn if walk.how == "sample" else {}))
    if walk.min_cell is not None:
        return said + texts("risk.walk_merged", least=f"{walk.min_cell:,}")
    return said if walk.how == "sample" else said + texts("risk.walk_exact")


def show_sample(found: SubsetSample, texts: Texts) -> None:
    """Print the estimated risk of sets by their size."""
    out = console()
    out.print(sample_title(found, texts), style="bold")
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


def sample_title(found: SubsetSample, texts: Texts) -> str:
    """Say how many sets were drawn."""
    return texts("risk.sample_title", samples=f"{found.samples:,}", seed=found.seed)


def _mean(mean: MeanEstimate, texts: Texts, *, exact: bool) -> str:
    if exact:
        return percent(mean.value, texts)
    ends = {"low": percent(mean.low, texts), "high": percent(mean.high, texts)}
    return texts("attackers.sampled", value=percent(mean.value, texts), **ends)


def show_disclosable(found: DisclosableSets, top: int, texts: Texts) -> None:
    """Print the maximal sets that can be disclosed."""
    out = console()
    out.print(disclosable_title(found, texts), style="bold")
    if not found.known_safe:
        out.print(texts("risk.known_unsafe"))
        return
    if not found.complete:
        out.print(texts("risk.incomplete"))
    table = set_table(texts, "max_risk", "mean_risk", *(["cost"] if found.unsafe_costs is not None else []))
    for entry in found.maximal[:top]:
        risks = (percent(entry.max_risk, texts), percent(entry.mean_risk, texts))
        table.add_row(set_members(entry.attributes, texts), *risks, *cost_cell(entry.cost))
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


def disclosable_title(found: DisclosableSets, texts: Texts) -> str:
    """Return what holds for each set: no record is above the limit or, with a quantile, some may be."""
    counts = {"limit": exact_percent(found.limit, texts), "size": f"{found.class_size:,}"}
    if found.quantile is None:
        return texts("risk.disclosable_title", **counts)
    share = percent_at_most(1 - found.quantile, texts)
    return texts("risk.disclosable_title_quantile", **counts, allowed=f"{found.allowed_records:,}", share=share)


def show_dangerous(found: DangerousSets, top: int, texts: Texts) -> None:
    """Print the sets that raise risks the most."""
    out = console()
    out.print(dangerous_title(found, texts), style="bold")
    priced = any(entry.cost is not None for entry in found.sets)
    table = set_table(texts, "records", "max_factor", *(["cost"] if priced else []))
    for entry in found.sets[:top]:
        numbers = (f"{entry.records:,}", ratio(entry.max_factor), *cost_cell(entry.cost))
        table.add_row(set_members(entry.attributes, texts), *numbers)
    out.print(table)
    say_more(min(top, found.found), found.found, texts)
    if found.budget is not None:
        out.print(texts("risk.within_budget", budget=f"{found.budget:g}"))
    if found.estimate is not None:
        out.print(_dangerous_estimate(found.estimate, texts))


def dangerous_title(found: DangerousSets, texts: Texts) -> str:
    """Say how many sets raise risks that much, of all or of those that were drawn."""
    counts = {"found": f"{found.found:,}", "sets": f"{found.combinations:,}", "size": found.size}
    drawn = f"{found.estimate.drawn:,}" if found.estimate else ""
    key = "risk.dangerous_title" if found.estimate is None else "risk.dangerous_title_drawn"
    return texts(key, factor=f"{found.factor:g}", drawn=drawn, **counts)


def _dangerous_estimate(found: DangerousEstimate, texts: Texts) -> str:
    ends = {"low": percent_at_least(found.low, texts), "high": percent_at_most(found.high, texts)}
    most = ratio_at_most(found.max_factor_at_most)
    return texts("risk.dangerous_estimate", share=percent(found.share, texts), seed=found.seed, most=most, **ends)


def show_affordable(found: AffordableSets, top: int, texts: Texts) -> None:
    """Print the maximal sets within the budget, the riskiest first."""
    out = console()
    out.print(affordable_title(found, texts), style="bold")
    table = set_table(texts, "cost", "max_risk", "mean_risk")
    for entry in found.maximal[:top]:
        risks = (percent(entry.max_risk, texts), percent(entry.mean_risk, texts))
        table.add_row(set_members(entry.attributes, texts), f"{entry.cost:g}", *risks)
    out.print(table)
    say_more(min(top, len(found.maximal)), len(found.maximal), texts)
    if found.estimate is not None:
        _show_affordable_estimate(found.estimate, texts)


def affordable_title(found: AffordableSets, texts: Texts) -> str:
    """Say what the attacker can spend."""
    return texts("risk.affordable_title", budget=f"{found.budget:g}")


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
