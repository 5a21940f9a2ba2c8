"""`sudare demo`: everything once, on synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.frame import LanguageOption, SeedOption, guarded, note, shown_progress
from sudare.cli.history import tell_reading
from sudare.errors import OutputNotWritable

CUSTOMERS = 400
KNOWLEDGE = ("item*2", "item*3", "day*2", "(day + item)*2", "days")


@guarded
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the data and the report.")] = Path(
        "sudare-demo"
    ),
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
) -> None:
    """Try everything once on synthetic data.

    Makes a purchase history, assesses it and writes a report.
    """
    from sudare.cli.attackers_text import show_attackers
    from sudare.data.reading import read_history
    from sudare.data.synthetic import generate_history
    from sudare.messages import Texts
    from sudare.report.history import write_history_report
    from sudare.risk.attackers import assess_attackers

    texts = Texts(lang)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputNotWritable(
            f"Cannot make the folder {folder}: {error.strerror}.\nHint: sudare demo <folder>"
        ) from None
    data, report = folder / "history.csv", folder / "report.html"
    with shown_progress() as progress:
        generate_history(data, customers=CUSTOMERS, seed=seed, progress=progress)
        with read_history(data, progress=progress) as history:
            tell_reading(history.reading)
            found = assess_attackers(history, knowledge=KNOWLEDGE, seed=seed, progress=progress)
            write_history_report(report, history, found, language=lang, progress=progress)
    show_attackers(found, str(data), texts)
    note(f"\nData:   {data}\nReport: {report.resolve()}  (open it in a browser)\nTry:    sudare attackers {data}")
