"""`sudare risk levels`: the generalization levels that keep most."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.frame import JsonOption, LanguageOption, guarded, note, show_json, shown_progress
from sudare.cli.options import taking
from sudare.cli.risk_options import KnownOption, TopOption, check_outputs
from sudare.cli.table import names
from sudare.cli.what_if import WhatIfOptions


@guarded
@taking(WhatIfOptions)
def levels(
    source: WhatIfOptions,
    limit: Annotated[float, typer.Option(metavar="RISK", help="Highest risk allowed, such as 0.2 for one in five.")],
    known: KnownOption = None,
    suppress: Annotated[float, typer.Option(metavar="SHARE", help="Share of the records that may be left out.")] = 0.0,
    loss: Annotated[
        str, typer.Option(metavar="entropy|discernibility|precision", help="What is kept as small as possible.")
    ] = "entropy",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="OUT", help="Write the generalized table to this .csv or .parquet file."),
    ] = None,
    top: TopOption = 20,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find the generalization levels that keep most.

    Every attribute has levels, from its values as they are to one value for all. Found are all minimal choices of
    levels at which no record has a risk above the limit, and the best of all choices.
    """
    from sudare.anonymize.levels import find_levels_from, write_levels
    from sudare.messages import Texts
    from sudare.risk.what_if import changed_sets

    texts = Texts(lang)
    check_outputs(out)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        hierarchies = source.read_hierarchies(table)
        ask = partial(
            find_levels_from,
            known=names(known),
            limit=limit,
            suppress=suppress,
            loss=loss,
            progress=progress,
        )
        found = ask(table, hierarchies, {})
        after = ask(change.table, hierarchies, change.levels) if change else None
        if out:
            write_levels(table, hierarchies, found, out)
    changed = changed_sets(found.minimal, after.minimal if after else ())
    if json:
        told = change.told(after=after.to_dict(), **changed.to_dict()) if change and after else {}
        show_json({**found.to_dict(), **told})
    else:
        from sudare.cli.risk_text import show_levels
        from sudare.cli.what_if_text import show_change, show_entered_and_left

        show_levels(found, top, texts)
        if change and after:
            show_change(change, texts)
            show_levels(after, top, texts)
            show_entered_and_left(changed, top, texts)
    if out:
        note(f"Wrote {out}")
