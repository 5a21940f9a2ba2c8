"""`sudare visits`: what each customer bought on one day."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import TABLE
from sudare.cli.frame import JsonOption, LanguageOption, guarded, note, note_secret, show_json, shown_progress
from sudare.cli.history.source import HistoryOptions
from sudare.cli.options import taking


@guarded
@taking(HistoryOptions)
def visits(
    source: HistoryOptions,
    output: Annotated[
        Path | None,
        TABLE,
        typer.Option("--output", "-o", metavar="OUT", help="Write all visits to this .csv or .parquet file."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many visits to show.")] = 10,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """List the visits of a purchase history: what each customer bought on one day.

    Attackers know something about one visit. Shown are its day, the number of its rows and of its different items,
    and the items, in the order of customers and days.
    """
    from sudare.histories.visit_list import count_visits, list_visits, write_visits
    from sudare.messages import Texts

    texts = Texts(lang)
    with shown_progress() as progress, source.read(progress) as history:
        listed, total = list_visits(history, most=top), count_visits(history)
        if output:
            write_visits(history, output)
        name = history.reading.source
    if json:
        show_json("visits", {"visits": total, "shown": [visit.to_dict() for visit in listed]})
    else:
        from sudare.report.history.text import show_visits

        show_visits(listed, total, name, texts)
    if output:
        note(f"Wrote {output}")
        note_secret(output, texts)
