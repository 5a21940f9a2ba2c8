"""`sudare frontier`: what anonymity costs, U against k."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import OutputFolder
from sudare.cli.frame import JsonOption, LanguageOption, SeedOption, guarded, note, show_json, shown_progress
from sudare.cli.history.anonymize import FastOption, NoAttacksOption, RoundsOption, TimeLimitOption
from sudare.cli.history.cells import CellOptions
from sudare.cli.options import taking
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.registry import DEFAULT_MODEL, MODELS
from sudare.report.terminal import console, decimal_at_least, percent, percent_at_least, percent_at_most

if TYPE_CHECKING:
    from sudare.contest.frontier import Frontier
    from sudare.contest.frontier_points import FrontierPoint
    from sudare.histories.generalized.rule_sets import RuleSet
    from sudare.messages import Texts

MOST_KS = 1000


@guarded
@taking(CellOptions)
def frontier(
    source: CellOptions,
    out: Annotated[
        Path, OutputFolder(), typer.Option("--out", "-o", metavar="DIR", help="Folder for chart, page and values.")
    ],
    ks: Annotated[str, typer.Option(metavar="2-20|2,3,7", help="The k to try.")] = "2-20",
    model: Annotated[
        str,
        typer.Option(
            metavar="|".join(name for name, model in MODELS.items() if model.everybody),
            help="Equal rows by cells of all kinds, by deletion only or by levels; or rows that K customers can have.",
        ),
    ] = DEFAULT_MODEL,
    no_attacks: NoAttacksOption = False,
    fast: FastOption = False,
    time_limit: TimeLimitOption = None,
    rounds: RoundsOption = None,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Show what anonymity costs: U against k, and how safe each k is.

    For each k the history is anonymized as by `sudare anonymize`. Written to DIR are a chart (frontier.svg), a page
    (index.html) and all values (frontier.csv). What is finished is kept: after an interruption the same command goes
    on, and more k can be asked for.
    """
    from sudare.contest.frontier import FrontierSearch, trace_frontier
    from sudare.messages import Texts
    from sudare.report.contest.frontier import write_frontier_page

    texts, wanted = Texts(lang), _ks(ks)
    with shown_progress() as progress:
        original = source.open(progress)
        rules = original.rules
        search = FrontierSearch(
            model=model, most_items=rules.most_items, seed=seed, seconds=time_limit, rounds=rounds, fast=fast,
            duel=not no_attacks, attacks=rules.attacks, p=rules.p, alpha=rules.alpha,
        )  # fmt: skip
        try:
            found = trace_frontier(original.history, wanted, search=search, folder=out, progress=progress)
        except KeyboardInterrupt:
            note(f"What is finished is kept in {out}; the same command goes on from there.")
            raise
    written = write_frontier_page(
        found, out, source=Path(source.file).name, rules=rules.name, results=rules.best_results, language=lang
    )
    if json:
        show_json(found.to_dict())
    else:
        _show(found, source.file, rules, texts)
    note(f"Wrote {', '.join(path.name for path in written)} and frontier.csv in {out}")


def _ks(words: str) -> list[int]:
    """Read numbers and ranges of them, such as 2-5,7,10."""
    found: list[int] = []
    for word in words.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", word)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if not first <= last < first + MOST_KS:
            raise OptionNotUsable(f"--ks {words!r} are no numbers to try.\nHint: --ks 2-20 or --ks 2,3,7")
        found += range(first, last + 1)
    return found


def _show(found: Frontier, source: str, rules: RuleSet, texts: Texts) -> None:
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
