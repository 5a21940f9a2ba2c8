"""`sudare risk report`: one page about a table to show to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import REPORT
from sudare.cli.frame import LanguageOption, SeedOption, guarded, note, shown_progress
from sudare.cli.options import taking
from sudare.cli.table.hierarchy_options import HierarchyOptions
from sudare.cli.table.source import names
from sudare.errors import OptionNotUsable


@guarded
@taking(HierarchyOptions)
def report(
    source: HierarchyOptions,
    out: Annotated[Path, REPORT, typer.Option("--out", "-o", metavar="OUT", help="HTML file to write.")],
    known: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Attributes the attacker knows. All but the sensitive one if not given."),
    ] = None,
    limit: Annotated[float, typer.Option(metavar="RISK", help="Risk that no record should exceed.")] = 0.2,
    sensitive: Annotated[
        str | None, typer.Option(metavar="A", help="A sensitive attribute: what do equal records give away about it?")
    ] = None,
    suppress: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of the records that generalization may leave out.")
    ] = 0.0,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
) -> None:
    """Write a report about a table that a lawyer can read.

    It tells how many records can be singled out, how sure an attacker can be, which attributes may be given out
    together, which are dangerous together and, with hierarchies, how far to generalize.
    """
    from sudare.messages import Texts
    from sudare.report.table.report import write_table_report

    Texts(lang)
    with shown_progress() as progress, source.read(progress) as table:
        hierarchies = source.read_hierarchies(table)
        if source.hierarchies and not hierarchies:
            raise OptionNotUsable(
                f"No file in {source.hierarchies} is named after an attribute of {source.file}.\n"
                f"Hint: name the files {table.attributes[0]}.csv and so on, or give --hierarchy A=FILE."
            )
        write_table_report(
            table,
            out,
            known=names(known),
            limit=limit,
            sensitive=sensitive,
            hierarchies=hierarchies,
            suppress=suppress,
            seed=seed,
            threads=source.threads,
            language=lang,
            progress=progress,
        )
    note(f"Wrote {out}")
