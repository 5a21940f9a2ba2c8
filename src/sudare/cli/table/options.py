"""Options that the commands of `sudare risk` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sudare.cli.files import READ

KnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows. All if not given.")
]
AlreadyKnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows already. None if not given.")
]
SecondsOption = Annotated[
    float, typer.Option(metavar="N", help="Longest time for one search in seconds; then you get what was found.")
]
TopOption = Annotated[int, typer.Option(min=1, metavar="N", help="How many sets to show.")]
EveryOption = Annotated[bool, typer.Option("--all", help="Also give all sets, not only the maximal ones.")]
COSTS = typer.Option(metavar="COSTS", help="A CSV file with attribute and cost (a+b for a bundle), or TOML.")
CostsOption = Annotated[Path | None, READ, COSTS]
BudgetOption = Annotated[
    str | None, typer.Option(metavar="R", help="What the attacker can spend: leave out sets that cost more.")
]
ByCostOption = Annotated[bool, typer.Option("--by-cost", help="Show the cheapest first.")]
SamplesOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Draw so many sets if there are more. If not given, 2,000 where they are too many."),
]
