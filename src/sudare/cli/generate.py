"""`sudare generate`: synthetic data to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import TABLE, OutputFolder
from sudare.cli.frame import JsonOption, SeedOption, guarded, note, show_json, shown_progress
from sudare.cli.table.hierarchy_options import ForceOption


@guarded
def history(
    out: Annotated[Path, TABLE, typer.Argument(metavar="OUT")],
    customers: Annotated[int, typer.Option(metavar="N")] = 400,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Make a purchase history of synthetic customers."""
    from sudare.histories.synthetic import generate_history

    with shown_progress() as progress:
        made = generate_history(out, customers=customers, seed=seed, progress=progress)
    if json:
        show_json("generated-history", made.to_dict())
    else:
        note("notes.made_history", path=out, rows=made.rows, customers=made.customers, items=made.items, seed=made.seed)


@guarded
def table(
    out: Annotated[Path, TABLE, typer.Argument(metavar="OUT")],
    records: Annotated[int, typer.Option(metavar="N")] = 2000,
    write_hierarchies: Annotated[Path | None, OutputFolder(), typer.Option(metavar="DIR")] = None,
    force: ForceOption = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Make a table of synthetic people, the member list of a shop."""
    from sudare.tables.synthetic import generate_table

    with shown_progress() as progress:
        made = generate_table(
            out, records=records, seed=seed, hierarchies=write_hierarchies, overwrite=force, progress=progress
        )
    if json:
        show_json("generated-table", made.to_dict())
        return
    note("notes.made_table", path=out, count=made.records, attributes=len(made.attributes), seed=made.seed)
    if write_hierarchies:
        note("notes.wrote_files", count=len(made.hierarchies), folder=write_hierarchies)
