"""Options that the commands of `sudare risk` share."""

from __future__ import annotations

from typing import Annotated

import typer

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
