"""The cost of anonymity for each k, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudare.report.terminal import console, decimal_at_least, percent, percent_at_least, percent_at_most

if TYPE_CHECKING:
    from sudare.contest.frontier import Frontier
    from sudare.contest.frontier_points import FrontierPoint
    from sudare.histories.generalized.rule_sets import RuleSet
    from sudare.messages import Texts


def show_frontier(found: Frontier, source: str, rules: RuleSet | None, texts: Texts) -> None:
    """Print U and safety of each k, and the best results of the contest of the rules to compare with."""
    from rich.table import Table

    out, attacks = console(), f"{found.search.attacks:,}"
    out.print(texts("frontier.title", source=source), style="bold")
    model = texts(f"anonymize.model.{found.search.model}")
    out.print(texts("frontier.assessed", customers=f"{found.customers:,}", rows=f"{found.rows:,}", model=model))
    table = Table(show_edge=False, pad_edge=False)
    for name in ("k", "utility", "bound", "deleted", "classes", "chance_bound", "chance_found"):
        table.add_column(texts(f"frontier.{name}"), justify="right")
    table.add_column(texts("frontier.survives_at_least", attacks=attacks), justify="right")
    for name, justify in (("holds", "left"), ("attacked", "left"), ("margin", "right"), ("ended", "left")):
        table.add_column(texts(f"frontier.{name}"), justify=justify)  # type: ignore[arg-type]
    for point in found.points:
        table.add_row(*_line(point, texts))
    out.print(table)
    out.print(texts("frontier.meaning", attacks=attacks))
    if any(point.too_few for point in found.points):
        out.print(texts("frontier.too_few_meaning"))
    if rules:
        _show_results(rules, texts)


def _show_results(rules: RuleSet, texts: Texts) -> None:
    out = console()
    for result in rules.best_results:
        key = "frontier.result_safe" if result.safe else "frontier.result_not_safe"
        out.print(texts(key, rules=rules.name, utility=f"{result.utility:g}"))
    if rules.results:
        out.print(texts("frontier.results_of"))


def _chances(point: FrontierPoint, texts: Texts) -> list[str]:
    """Say what those who know only the classes reach; where too few are left for any attack, no number is said."""
    none = texts("report.number.none")
    if point.too_few:
        return [texts("frontier.too_few")] * 3
    return [
        none if point.chance_bound is None else percent_at_most(point.chance_bound, texts),
        percent(point.chance_found, texts),
        none if point.survives_at_least is None else percent_at_least(point.survives_at_least, texts),
    ]


def _line(point: FrontierPoint, texts: Texts) -> list[str]:
    none = texts("report.number.none")
    return [
        f"{point.k:,}",
        f"{point.utility:.4f}",
        decimal_at_least(point.utility_bound, 4, texts) if point.utility_bound else none,
        f"{point.deleted_rows:,}",
        f"{point.classes:,}",
        *_chances(point, texts),
        texts("frontier.holds_true" if point.holds else "frontier.holds_false"),
        texts(f"frontier.verdict.{point.verdict or 'not_attacked'}"),
        none if point.margin is None else f"{point.margin:+,}",
        texts("frontier.converged" if point.converged else "frontier.stopped"),
    ]
