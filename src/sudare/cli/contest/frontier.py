"""`sudare frontier`: what anonymity costs, U against k."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import OutputFolder
from sudare.cli.frame import JsonOption, LanguageOption, SeedOption, guarded, note, show_json, shown_progress
from sudare.cli.history.anonymize import FastOption, NoAttacksOption, RoundsOption, TimeLimitOption
from sudare.cli.history.cells import CellOptions
from sudare.cli.options import taking
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.registry import DEFAULT_MODEL, MODELS

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
        show_json("frontier", found.to_dict())
    else:
        from sudare.report.contest.frontier_text import show_frontier

        show_frontier(found, source.file, rules, texts)
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
