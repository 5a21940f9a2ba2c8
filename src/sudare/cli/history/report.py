"""`sudare history report`: one page about a purchase history, to show to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import REPORT
from sudare.cli.frame import guarded, note_written, shown_progress
from sudare.cli.history.attackers import AttackerOptions, assess, write_report
from sudare.cli.history.cells import CellOptions
from sudare.cli.options import LegalOption, frames_of, taking
from sudare.messages import message


@guarded
@taking(CellOptions, AttackerOptions)
def report(
    source: CellOptions,
    wanted: AttackerOptions,
    out: Annotated[Path, REPORT, typer.Option("--out", "-o", metavar="OUT")],
    legal: LegalOption = None,
) -> None:
    """Write a report about a purchase history for others to read."""
    frames_of(legal)
    with shown_progress() as progress, source.read(progress) as history:
        history.engine.check_people(message("errors.people.values_and_customers"))
        write_report(history, assess(source, wanted, history, progress), out, progress, legal=legal)
    note_written(out)
