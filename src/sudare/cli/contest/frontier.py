"""`sudare contest frontier`: what anonymity costs, U against k."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sudare.cli.files import OutputFolder
from sudare.cli.frame import JsonOption, SeedOption, guarded, note, show_json, shown_progress, spoken
from sudare.cli.history.anonymize import FastOption, RoundsOption, SecondsOption, SkipAttacksOption
from sudare.cli.history.cells import CellOptions
from sudare.cli.options import taking
from sudare.cli.settings import Settings
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.registry import DEFAULT_MODEL, MODELS
from sudare.messages import Joined

MOST_KS = 1000

if TYPE_CHECKING:
    EverybodyModel = str
else:
    # The models that leave nobody as they were.
    EverybodyModel = Literal[tuple(name for name, model in MODELS.items() if model.everybody)]


@guarded
@taking(CellOptions)
def frontier(
    source: CellOptions,
    out: Annotated[Path, OutputFolder(), typer.Option("--out", "-o", metavar="DIR")],
    ks: Annotated[str, typer.Option(metavar="2-20|2,3,7")] = "2-20",
    model: Annotated[EverybodyModel, typer.Option()] = DEFAULT_MODEL,
    skip_attacks: SkipAttacksOption = False,
    fast: FastOption = False,
    seconds: SecondsOption = None,
    rounds: RoundsOption = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Show what anonymity costs: U against k, and how safe each k is."""
    from sudare.contest.frontier import FrontierSearch, trace_frontier
    from sudare.report.contest.frontier import write_frontier_page

    texts, wanted = spoken(), _ks(ks)
    with shown_progress() as progress:
        original = source.open(progress)
        rules = original.rules
        search = FrontierSearch(
            model=model, most_items=rules.most_items, seed=seed, seconds=seconds, rounds=rounds, fast=fast,
            duel=not skip_attacks, attacks=rules.attacks, p=rules.p, alpha=rules.alpha,
        )  # fmt: skip
        try:
            found = trace_frontier(original.history, wanted, search=search, folder=out, progress=progress)
        except KeyboardInterrupt:
            note("notes.kept", folder=out)
            raise
    written = write_frontier_page(
        found,
        out,
        source=Path(source.file).name,
        rules=rules.name,
        results=rules.best_results,
        language=Settings.language,
    )
    if json:
        show_json("frontier", found.to_dict())
    else:
        from sudare.report.contest.frontier_text import show_frontier

        show_frontier(found, source.file, rules, texts)
    note("notes.wrote_names", names=Joined([*(path.name for path in written), "frontier.csv"]), folder=out)


def _ks(words: str) -> list[int]:
    """Read numbers and ranges of them, such as 2-5,7,10."""
    found: list[int] = []
    for word in words.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", word)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if not first <= last < first + MOST_KS:
            raise OptionNotUsable("errors.usage.ks", words=words)
        found += range(first, last + 1)
    return found
