"""`sudare history visits`: what each customer bought on one day."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import TABLE
from sudare.cli.frame import JsonOption, guarded, note_secret, note_written, show_json, shown_progress, spoken
from sudare.cli.history.source import HistoryOptions
from sudare.cli.options import taking


@guarded
@taking(HistoryOptions)
def visits(
    source: HistoryOptions,
    out: Annotated[Path | None, TABLE, typer.Option("--out", "-o", metavar="OUT")] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N")] = 10,
    json: JsonOption = False,
) -> None:
    """List the visits of a purchase history: what each customer bought on one day."""
    from sudare.histories.visit_list import count_visits, list_visits, write_visits

    texts = spoken()
    with shown_progress() as progress, source.read(progress) as history:
        listed, total = list_visits(history, most=top), count_visits(history)
        if out:
            write_visits(history, out)
        name = history.reading.source
    if json:
        show_json("visits", {"visits": total, "shown": [visit.to_dict() for visit in listed]})
    else:
        from sudare.report.history.text import show_visits

        show_visits(listed, total, name, texts)
    if out:
        note_written(out)
        note_secret(out)
