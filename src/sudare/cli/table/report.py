"""`sudare table report`: one page about a table to show to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import REPORT
from sudare.cli.frame import SeedOption, guarded, note_written, shown_progress
from sudare.cli.options import LegalOption, frames_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.cli.table.hierarchy_options import HierarchyOptions
from sudare.cli.table.options import KOption, LimitOption, SuppressOption, limit_of
from sudare.cli.table.risk import DEFAULT_LIMIT
from sudare.cli.table.source import names


@guarded
@taking(HierarchyOptions)
def report(
    source: HierarchyOptions,
    out: Annotated[Path, REPORT, typer.Option("--out", "-o", metavar="OUT")],
    known: Annotated[str | None, typer.Option(metavar="A,B,...")] = None,
    limit: LimitOption = None,
    k: KOption = None,
    sensitive: Annotated[str | None, typer.Option(metavar="A")] = None,
    suppress: SuppressOption = 0.0,
    legal: LegalOption = None,
    seed: SeedOption = 0,
) -> None:
    """Write a report about a table that a lawyer can read."""
    from sudare.report.table.report import write_table_report

    frames_of(legal)
    with shown_progress() as progress, source.read(progress) as table:
        write_table_report(
            table,
            out,
            known=names(known),
            limit=DEFAULT_LIMIT if (given := limit_of(limit, k)) is None else given,
            sensitive=sensitive,
            hierarchies=source.found_hierarchies(table),
            suppress=suppress,
            legal=frames_of(legal),
            seed=seed,
            threads=source.threads,
            command=command_line(),
            language=Settings.language,
            progress=progress,
        )
    note_written(out)
