"""`sudare generate`: synthetic data to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.frame import JsonOption, SeedOption, guarded, note, show_json, shown_progress

app = typer.Typer(help="Make synthetic data that resemble real ones.", no_args_is_help=True)


@app.command("history")
@guarded
def history(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File to write, .csv or .parquet.")],
    customers: Annotated[int, typer.Option(metavar="N", help="Number of customers; about 95 rows each.")] = 400,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Make a purchase history of synthetic customers.

    It has the long tails, seasons, weekdays, favourites and discounts of a real shop.
    """
    from sudare.data.synthetic import generate_history
    from sudare.data.writing import check_writable

    check_writable(out)
    with shown_progress() as progress:
        made = generate_history(out, customers=customers, seed=seed, progress=progress)
    if json:
        show_json(made.to_dict())
    else:
        note(f"Wrote {out}: {made.rows:,} rows, {made.customers:,} customers, {made.items:,} items, seed {made.seed}")
