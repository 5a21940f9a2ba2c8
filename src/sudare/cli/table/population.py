"""`sudare table population`: how many records of a sample are unique in the population."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.frame import JsonOption, guarded, show_json, shown_progress, spoken
from sudare.cli.options import share_of, taking
from sudare.cli.table.options import KnownOption
from sudare.cli.table.source import TableOptions, names


@guarded
@taking(TableOptions)
def population(
    source: TableOptions,
    share: Annotated[float | None, typer.Option(metavar="SHARE", parser=share_of)] = None,
    population_size: Annotated[int | None, typer.Option(metavar="N")] = None,
    known: KnownOption = None,
    json: JsonOption = False,
) -> None:
    """Estimate how many records are unique in the population."""
    from sudare.tables.population.risk import check_given, population_risk

    texts = spoken()
    check_given(share, population_size)
    with shown_progress() as progress, source.read(progress) as table:
        found = population_risk(table, names(known), share=share, population=population_size)
    if json:
        show_json("population", found.to_dict())
    else:
        from sudare.report.table.population_text import show_population

        show_population(found, texts)
