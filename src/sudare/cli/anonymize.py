"""`sudare anonymize`: a purchase history in which nobody differs from k - 1 others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.contest_files import DEFAULT_RULES, OriginalArgument, RulesOption
from sudare.cli.frame import (
    JsonOption,
    LanguageOption,
    SeedOption,
    console,
    guarded,
    note,
    percent,
    show_json,
    shown_progress,
)
from sudare.errors import OptionNotUsable

if TYPE_CHECKING:
    from sudare.anonymize.histories import AnonymizedHistory
    from sudare.messages import Texts
    from sudare.risk.class_safety import ClassSafety


@guarded
def anonymize(
    original: OriginalArgument,
    k: Annotated[int, typer.Option("--k", metavar="K", help="How many customers have the same rows at least.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="A", help="File for the anonymized history.")],
    fast: Annotated[bool, typer.Option("--fast", help="Search for less than a minute.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Search so long at most. 600, or 50 if fast, if not given."),
    ] = None,
    rules: RulesOption = DEFAULT_RULES,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Anonymize a purchase history: everybody has the same rows as K - 1 others.

    Customers are put in classes, their rows are aligned, and each group of rows gets the exact values, ranges and sets
    that cost least; what has no counterpart is deleted. Shown are U, a bound that no such history is below, and how
    safe the classes are. The search ends when it finds nothing better, or when the time is over.
    """
    from sudare.anonymize.histories import anonymize_history
    from sudare.data.cell_text import read_original, write_cells
    from sudare.data.rule_sets import load_rules
    from sudare.data.writing import check_writable
    from sudare.messages import Texts
    from sudare.risk.class_safety import class_safety

    texts, chosen = Texts(lang), load_rules(rules)
    if out.resolve() == Path(original).resolve():
        raise OptionNotUsable(f"{out} is the original history.\nHint: write the anonymized one to a file of its own.")
    check_writable(out)
    with shown_progress() as progress:
        history = read_original(original, chosen, progress=progress)
        found = anonymize_history(history, k, seed=seed, seconds=time_limit, fast=fast, progress=progress)
        write_cells(out, found.history, chosen)
        safety = class_safety(found.sizes, p=chosen.p, alpha=chosen.alpha, attacks=chosen.attacks)
    if json:
        show_json({**found.to_dict(), "out": str(out), "safety": safety.to_dict()})
    else:
        _show(found, safety, original, texts)
    note(f"Wrote {out}")


def _show(found: AnonymizedHistory, safety: ClassSafety, source: str, texts: Texts) -> None:
    from rich.markup import escape

    out = console()
    out.print(f"[bold]{texts('anonymize.title', source=escape(source), k=found.k)}[/bold]")
    out.print(texts("anonymize.utility", utility=f"{found.utility:.5f}", rows=f"{found.rows:,}"))
    if found.bound > 0 or found.utility == 0:
        out.print(texts("anonymize.bound", bound=f"{found.bound:.5f}", gap=percent(found.gap, texts)))
    else:
        out.print(texts("anonymize.no_bound"))
    sizes = texts.listed([f"{size.classes:,} x {size.size:,}" for size in safety.sizes])
    out.print(texts("anonymize.classes", customers=f"{found.customers:,}", sizes=sizes))
    out.print(texts("anonymize.deleted", deleted=f"{found.deleted_rows:,}"))
    ended = "converged" if found.converged else "stopped"
    out.print(texts(f"anonymize.{ended}", seconds=f"{found.seconds:.0f}"))
    test = safety.tests[0]
    if test.plan.probability > 0:
        out.print(
            texts(
                "anonymize.safety", probability=percent(float(test.plan.probability), texts),
                attacks=f"{test.attacks:,}", survives=percent(test.survives, texts),
            )
        )  # fmt: skip
    else:
        out.print(texts("contest.safety.no_plan"))
