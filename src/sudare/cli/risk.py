"""`sudare risk`: how well the records of a table can be singled out by what is known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.frame import JsonOption, LanguageOption, guarded, note, show_json, shown_progress
from sudare.cli.options import taking
from sudare.cli.table import TableOptions, names

app = typer.Typer(help="Measure how well records of a table can be singled out.", no_args_is_help=True)

KnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows. All if not given.")
]
BoundOption = Annotated[
    float | None, typer.Option(metavar="RISK", help="Show the share of records with a risk above this, such as 0.2.")
]


@app.command("record")
@guarded
@taking(TableOptions)
def record(
    source: TableOptions,
    known: KnownOption = None,
    bound: BoundOption = None,
    records: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write every record's risk to this .csv or .parquet file.")
    ] = None,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the risk of records for given knowledge.

    The risk of a record is one divided by the number of records that are like it on the known attributes.
    """
    from sudare.data.writing import check_table_ending, check_writable
    from sudare.messages import Texts
    from sudare.risk.records import assess_records, write_record_risks
    from sudare.risk.subsets import class_size_within

    texts = Texts(lang)
    if bound is not None:
        class_size_within(bound)
    if records:
        check_table_ending(records)
        check_writable(records)
    with shown_progress() as progress, source.read(progress) as table:
        found = assess_records(table, names(known))
        if records:
            write_record_risks(table, names(known), records)
    share = None if bound is None else found.share_above(bound)
    if json:
        show_json({**found.to_dict(), "bound": bound, "share_above": share})
    else:
        from sudare.cli.risk_text import show_records

        show_records(found, bound, texts)
    if records:
        note(f"Wrote {records}")


@app.command("subsets")
@guarded
@taking(TableOptions)
def subsets(
    source: TableOptions,
    max_size: Annotated[
        int | None, typer.Option(metavar="N", help="Most attributes a set may have. All of them if not given.")
    ] = None,
    bound: BoundOption = None,
    sort: Annotated[
        str,
        typer.Option(metavar="MEASURE", help="Order: mean_risk, max_risk, uniques, classes, share_above or size."),
    ] = "mean_risk",
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many sets to show.")] = 20,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="Write all sets to this .csv or .parquet file.")
    ] = None,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Measure the risk of every set of attributes."""
    from sudare.data.writing import check_table_ending, check_writable
    from sudare.messages import Texts
    from sudare.risk.subsets import assess_subsets, write_subsets

    texts = Texts(lang)
    if out:
        check_table_ending(out)
        check_writable(out)
    with shown_progress() as progress, source.read(progress) as table:
        found = assess_subsets(table, max_size=max_size, bound=bound, threads=source.threads, progress=progress)
        shown = found.ranked(sort, top)
        if out:
            write_subsets(table, found, out)
    if json:
        show_json(found.to_dict())
    else:
        from sudare.cli.risk_text import show_subsets

        show_subsets(found, shown, texts)
    if out:
        note(f"Wrote {out}")
