"""`sudare risk population`: how many records of a sample are unique in the population."""

from __future__ import annotations

from typing import Annotated

import typer

from sudare.cli.frame import JsonOption, LanguageOption, guarded, show_json, shown_progress
from sudare.cli.options import taking
from sudare.cli.table.options import KnownOption
from sudare.cli.table.source import TableOptions, names


@guarded
@taking(TableOptions)
def population(
    source: TableOptions,
    share: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Share of the population in the table, such as 0.05.")
    ] = None,
    population: Annotated[
        int | None, typer.Option(metavar="N", help="Number of records in the population, instead of the share.")
    ] = None,
    known: KnownOption = None,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Estimate how many records are unique in the population.

    The table is a random sample. A record that is like no other of it may have its like in the population, and is then
    hard to recognize. Shown is what three models say, and which of them is to be believed.
    """
    from sudare.messages import Texts
    from sudare.tables.population.risk import check_given, population_risk

    texts = Texts(lang)
    check_given(share, population)
    with shown_progress() as progress, source.read(progress) as table:
        found = population_risk(table, names(known), share=share, population=population)
    if json:
        show_json("population", found.to_dict())
    else:
        from sudare.report.table.population_text import show_population

        show_population(found, texts)
