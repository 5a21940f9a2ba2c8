"""`sudare table levels`: the generalization levels with the least loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import REPORT, TABLE
from sudare.cli.frame import (
    EXIT_ANSWER_NO,
    JsonOption,
    SeedOption,
    guarded,
    note,
    note_written,
    show_json,
    shown_progress,
    spoken,
)
from sudare.cli.options import LegalOption, frames_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.cli.table.options import (
    COption,
    DiversityOption,
    KnownOption,
    KOption,
    LimitOption,
    LOption,
    SecondsOption,
    SensitiveOption,
    SuppressOption,
    TOption,
    needed_limit,
)
from sudare.cli.table.source import names
from sudare.cli.table.what_if import WhatIfOptions
from sudare.errors import OptionNotUsable
from sudare.limits import SEARCH_SECONDS
from sudare.messages import Joined

if TYPE_CHECKING:
    from sudare.tables.anonymize.levels import LevelsFound
    from sudare.tables.anonymize.written_levels import WrittenLevels
    from sudare.tables.change import Change
    from sudare.tables.identifiers import DirectIdentifier
    from sudare.tables.sets.what_if import SetsChanged


def _loss(name: str) -> str:
    """Refuse a loss that there is not; which there are is not known before it is asked for, since it takes time."""
    from sudare.tables.anonymize.losses import LOSSES

    if name not in LOSSES:
        raise typer.BadParameter(spoken()("errors.usage.one_of", values=Joined(list(LOSSES), "or")))
    return name


@guarded
@taking(WhatIfOptions)
def levels(
    source: WhatIfOptions,
    limit: LimitOption = None,
    k: KOption = None,
    known: KnownOption = None,
    sensitive: SensitiveOption = None,
    l: LOption = None,  # noqa: E741
    diversity: DiversityOption = "distinct",
    c: COption = None,
    t: TOption = None,
    suppress: SuppressOption = 0.0,
    loss: Annotated[str, typer.Option(metavar="NAME", parser=_loss)] = "entropy",
    out: Annotated[Path | None, TABLE, typer.Option("--out", "-o", metavar="OUT")] = None,
    keep: Annotated[list[str] | None, typer.Option(metavar="COLUMN")] = None,
    choice: Annotated[str | None, typer.Option(metavar="N|A=LEVEL,...")] = None,
    report: Annotated[Path | None, REPORT, typer.Option(metavar="OUT")] = None,
    legal: LegalOption = None,
    top: Annotated[int, typer.Option(min=1, metavar="N")] = 20,
    seconds: SecondsOption = SEARCH_SECONDS,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Find the generalization levels that keep most."""
    from sudare.tables.anonymize.levels import changed_levels, find_levels_from
    from sudare.tables.anonymize.written_levels import write_levels
    from sudare.tables.identifiers import direct_identifiers

    _check_written(out, keep, choice)
    frames_of(legal)
    if report and (l is not None or t is not None):
        raise OptionNotUsable("errors.criteria.no_page")
    with shown_progress() as progress, source.read(progress) as table, source.change(table) as change:
        hierarchies = source.read_hierarchies(table)
        ask = partial(
            find_levels_from,
            known=names(known),
            limit=needed_limit(limit, k),
            sensitive=sensitive or (),
            l=l,
            diversity=diversity,
            c=c,
            t=t,
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
        if report:
            found.report(
                report, legal=frames_of(legal), command=command_line(), language=Settings.language, progress=progress
            )
    changed = changed_levels(found, after) if after else None
    if json:
        told = change.told(after=after.to_dict(), **changed.to_dict()) if change and after and changed else {}
        named = {"identifiers": [entry.to_dict() for entry in identifiers]}
        measured = {"written": written.to_dict() if written else None} if out else {}
        show_json("levels", {**named, **found.to_dict(), **measured, **told})
    else:
        _show(found, written, identifiers, top)
        if change and after and changed:
            _show_change(change, after, changed, top)
    if written:
        note_written(Path(written.path))
    elif out:
        note("notes.no_levels", path=out)
    if report:
        note_written(report)
    if found.best is None:
        raise typer.Exit(EXIT_ANSWER_NO)


def _show(found: LevelsFound, written: WrittenLevels | None, identifiers: Sequence[DirectIdentifier], top: int) -> None:
    """Print the levels found, and what was written at them."""
    from sudare.report.table.text import show_identifiers, show_levels, show_written

    texts = spoken()
    show_identifiers(identifiers, texts)
    show_levels(found, top, texts)
    if written:
        show_written(written, found, texts)


def _show_change(change: Change, after: LevelsFound, changed: SetsChanged, top: int) -> None:
    """Print what else would be safe after a change, and what no longer."""
    from sudare.report.table.text import show_levels
    from sudare.report.table.what_if_text import show_change, show_entered_and_left

    texts = spoken()
    show_change(change, texts)
    show_levels(after, top, texts)
    show_entered_and_left(changed, top, texts)


def _check_written(out: Path | None, keep: list[str] | None, choice: str | None) -> None:
    """Refuse options about what is written where nothing is."""
    for option, given in (("--keep", keep), ("--choice", choice)):
        if given and not out:
            raise OptionNotUsable("errors.usage.nothing_written", option=option)


def _chosen(found: LevelsFound, choice: str | None) -> dict[str, int] | None:
    """Return the levels that a choice names: a number of the list of minimal ones, or each attribute with its level."""
    if choice is None:
        return None
    if choice.strip().isdecimal():
        if not 1 <= int(choice) <= len(found.minimal):
            raise OptionNotUsable("errors.usage.no_choice", choice=int(choice), most=len(found.minimal))
        return found.minimal[int(choice) - 1]
    levels = {}
    for word in choice.split(","):
        name, _, level = word.rpartition("=")
        if not (name.strip() and level.strip().isdecimal()):
            raise OptionNotUsable("errors.usage.bad_choice", choice=choice)
        levels[name.strip()] = int(level)
    return levels
