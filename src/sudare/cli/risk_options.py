"""Options that the commands of `sudare risk` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

KnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows. All if not given.")
]
AlreadyKnownOption = Annotated[
    str | None, typer.Option(metavar="A,B,...", help="Attributes the attacker knows already. None if not given.")
]
TopOption = Annotated[int, typer.Option(min=1, metavar="N", help="How many sets to show.")]
EveryOption = Annotated[bool, typer.Option("--all", help="Also give all sets, not only the maximal ones.")]


def check_outputs(*paths: Path | None) -> None:
    """Ask before long work whether tables can be written."""
    from sudare.data.writing import check_table_ending, check_writable

    for path in filter(None, paths):
        check_table_ending(path)
        check_writable(path)
