"""Options that the commands of `sudare table` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sudare.cli.files import READ
from sudare.cli.options import share_of
from sudare.errors import OptionNotUsable

KnownOption = Annotated[str | None, typer.Option(metavar="A,B,...")]
SecondsOption = Annotated[float, typer.Option(metavar="SECONDS")]
LimitOption = Annotated[float | None, typer.Option(metavar="RISK", parser=share_of)]
KOption = Annotated[int | None, typer.Option("--k", min=1, metavar="K")]
SuppressOption = Annotated[float, typer.Option(metavar="SHARE", parser=share_of)]
SensitiveOption = Annotated[list[str] | None, typer.Option(metavar="A")]
LOption = Annotated[float | None, typer.Option("--l", metavar="L")]
DiversityOption = Annotated[Literal["distinct", "entropy", "recursive"], typer.Option()]
COption = Annotated[float | None, typer.Option("--c", metavar="C")]
TOption = Annotated[float | None, typer.Option("--t", metavar="T", parser=share_of)]
SetsOption = Annotated[int | None, typer.Option(metavar="N")]
SortOption = Annotated[Literal["risk", "cost"], typer.Option()]
TopOption = Annotated[int, typer.Option(min=1, metavar="N")]
EveryOption = Annotated[bool, typer.Option("--all")]
COSTS = typer.Option(metavar="COSTS")
CostsOption = Annotated[Path | None, READ, COSTS]
BudgetOption = Annotated[str | None, typer.Option(metavar="R")]


def limit_of(limit: float | None, k: int | None) -> float | None:
    """Return the highest risk that is allowed, as it was given, or as that of one among k."""
    if limit is not None and k is not None:
        raise OptionNotUsable("errors.usage.limit_and_k")
    return limit if k is None else 1 / k


def needed_limit(limit: float | None, k: int | None) -> float:
    """Return the highest risk that is allowed; one must be given."""
    found = limit_of(limit, k)
    if found is None:
        raise OptionNotUsable("errors.usage.no_limit")
    return found
