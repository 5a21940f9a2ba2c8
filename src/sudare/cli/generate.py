"""`sudare generate`: synthetic data to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import TABLE, OutputFolder
from sudare.cli.frame import JsonOption, SeedOption, counted, guarded, note, show_json, shown_progress
from sudare.cli.table.hierarchy_options import ForceOption


@guarded
def history(
    out: Annotated[Path, TABLE, typer.Argument(metavar="OUT", help="File to write, .csv or .parquet.")],
    customers: Annotated[int, typer.Option(metavar="N", help="Number of customers; about 95 rows each.")] = 400,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Make a purchase history of synthetic customers.

    It has the long tails, seasons, weekdays, favourites and discounts of a real shop.
    """
    from sudare.histories.synthetic import generate_history

    with shown_progress() as progress:
        made = generate_history(out, customers=customers, seed=seed, progress=progress)
    if json:
        show_json("generated-history", made.to_dict())
    else:
        note(f"Wrote {out}: {made.rows:,} rows, {made.customers:,} customers, {made.items:,} items, seed {made.seed}")


@guarded
def table(
    out: Annotated[Path, TABLE, typer.Argument(metavar="OUT", help="File to write, .csv or .parquet.")],
    records: Annotated[int, typer.Option(metavar="N", help="Number of records.")] = 2000,
    hierarchies: Annotated[
        Path | None,
        OutputFolder(),
        typer.Option(metavar="DIR", help="Also write generalization hierarchies to this folder."),
    ] = None,
    force: ForceOption = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Make a table of synthetic people, the member list of a shop.

    Its attributes are skewed and depend on each other as those of real people do: sex, age, prefecture, occupation,
    household, education, income, the month of joining and, as a sensitive one, the favourite category.
    """
    from sudare.tables.synthetic import generate_table

    with shown_progress() as progress:
        made = generate_table(
            out, records=records, seed=seed, hierarchies=hierarchies, overwrite=force, progress=progress
        )
    if json:
        show_json("generated-table", made.to_dict())
        return
    note(f"Wrote {out}: {counted(made.records, 'record')} of {len(made.attributes)} attributes, seed {made.seed}")
    if hierarchies:
        note(f"Wrote {hierarchies}: {counted(len(made.hierarchies), 'hierarchy file')}")
