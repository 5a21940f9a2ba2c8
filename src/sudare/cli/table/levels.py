"""`sudare risk levels`: the generalization levels that keep most."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import TABLE
from sudare.cli.frame import (
    EXIT_NOT_SAFE,
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    show_json,
    shown_progress,
)
from sudare.cli.options import taking
from sudare.cli.table.options import KnownOption, SecondsOption
from sudare.cli.table.source import names
from sudare.cli.table.what_if import WhatIfOptions
from sudare.errors import OptionNotUsable
from sudare.limits import SEARCH_SECONDS

if TYPE_CHECKING:
    from sudare.tables.anonymize.levels import LevelsFound


@guarded
@taking(WhatIfOptions)
def levels(
    source: WhatIfOptions,
    limit: Annotated[float, typer.Option(metavar="RISK", help="Highest risk allowed, such as 0.2 for one in five.")],
    known: KnownOption = None,
    suppress: Annotated[float, typer.Option(metavar="SHARE", help="Share of the records that may be left out.")] = 0.0,
    loss: Annotated[
        str, typer.Option(metavar="entropy|discernibility|precision", help="What is kept as small as possible.")
    ] = "entropy",
    out: Annotated[
        Path | None,
        TABLE,
        typer.Option("--out", "-o", metavar="OUT", help="Write the generalized table to this .csv or .parquet file."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Also write this column as it is, though it is not known (repeatable)."),
    ] = None,
    choice: Annotated[
        str | None,
        typer.Option(
            metavar="N|A=LEVEL,...",
            help="Write the table at the Nth minimal choice, or at these levels, in place of the best.",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many minimal choices of levels to show.")] = 20,
    seconds: SecondsOption = SEARCH_SECONDS,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Find the generalization levels that keep most.

    Every attribute has levels, from its values as they are to one value for all. Found are all minimal choices of
    levels at which no record has a risk above the limit, and the best of all choices. Written are the known columns at
    the best levels, or at those of --choice, and the columns that --keep names, and the risk is measured on the file.
    Of more than 50 million choices, the best found in --seconds is given, with a bound of how much less any other can
    lose. Exit code 3: no levels keep to the limit.
    """
    from sudare.messages import Texts
    from sudare.tables.anonymize.levels import changed_levels, find_levels_from
    from sudare.tables.anonymize.written_levels import write_levels
    from sudare.tables.identifiers import direct_identifiers

    texts = Texts(lang)
    _check_written(out, keep, choice)
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        hierarchies = source.read_hierarchies(table)
        ask = partial(
            find_levels_from,
            known=names(known),
            limit=limit,
            suppress=suppress,
            loss=loss,
            seconds=seconds,
            seed=seed,
            progress=progress,
        )
        found = ask(table, hierarchies, {})
        after = ask(change.table, hierarchies, change.levels) if change and not found.interrupted else None
        identifiers = direct_identifiers(table)
        written = None
        if out and found.best is not None:
            written = write_levels(found, out, keep=keep or (), levels=_chosen(found, choice))
    changed = changed_levels(found, after) if after else None
    if json:
        told = change.told(after=after.to_dict(), **changed.to_dict()) if change and after and changed else {}
        named = {"identifiers": [entry.to_dict() for entry in identifiers]}
        measured = {"written": written.to_dict() if written else None} if out else {}
        show_json("levels", {**named, **found.to_dict(), **measured, **told})
    else:
        from sudare.report.table.text import show_identifiers, show_levels, show_written
        from sudare.report.table.what_if_text import show_change, show_entered_and_left

        show_identifiers(identifiers, texts)
        show_levels(found, top, texts)
        if written:
            show_written(written, found, texts)
        if change and after and changed:
            show_change(change, texts)
            show_levels(after, top, texts)
            show_entered_and_left(changed, top, texts)
    if written:
        note(f"Wrote {written.path}")
    elif out:
        note(f"Nothing was written to {out}: no levels keep to the limit.")
    if found.best is None:
        raise typer.Exit(EXIT_NOT_SAFE)


def _check_written(out: Path | None, keep: list[str] | None, choice: str | None) -> None:
    """Refuse options about what is written where nothing is."""
    for option, given in (("--keep", keep), ("--choice", choice)):
        if given and not out:
            raise OptionNotUsable(f"{option} says what is written, but nothing is.\nHint: name a file with -o.")


def _chosen(found: LevelsFound, choice: str | None) -> dict[str, int] | None:
    """Return the levels that a choice names: a number of the list of minimal ones, or each attribute with its level."""
    if choice is None:
        return None
    if choice.strip().isdecimal():
        if not 1 <= int(choice) <= len(found.minimal):
            raise OptionNotUsable(
                f"There is no choice {int(choice):,}.\nHint: minimal choices of levels are numbered from 1 to "
                f"{len(found.minimal):,}."
            )
        return found.minimal[int(choice) - 1]
    levels = {}
    for word in choice.split(","):
        name, _, level = word.rpartition("=")
        if not (name.strip() and level.strip().isdecimal()):
            raise OptionNotUsable(
                f"--choice {choice!r} is neither a number nor levels.\nHint: --choice 2, or --choice age=2,sex=0"
            )
        levels[name.strip()] = int(level)
    return levels
