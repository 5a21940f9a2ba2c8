"""`sudare table anonymize`: a table in which nobody differs from k - 1 others, from a raw file to one to publish."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.files import READ, REPORT, TABLE
from sudare.cli.frame import (
    EXIT_ANSWER_NO,
    JsonOption,
    SeedOption,
    guarded,
    note_aligned,
    note_written,
    show_json,
    shown_progress,
    spoken,
)
from sudare.cli.options import LegalOption, frames_of, share_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.cli.table.hierarchy_options import HierarchyOptions
from sudare.cli.table.options import KnownOption, SecondsOption, SuppressOption
from sudare.cli.table.source import names
from sudare.errors import OptionNotUsable
from sudare.interruption import check_not_interrupted, is_settled, keeping_answers, settle
from sudare.limits import ANONYMIZE_SECONDS
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.tables.anonymize.registry import DEFAULT_MODEL, MODELS, CellKind

if TYPE_CHECKING:
    from sudare.tables.anonymize.frontier import TableFrontier
    from sudare.tables.anonymize.publication import AnonymizedTable
    from sudare.tables.model import Table
    from sudare.tables.recoded.publish import PublishedTable

if TYPE_CHECKING:
    ModelName = str
    LossName = str
else:
    # Each model of the registry is one of the choices, and each loss that any of them minimizes.
    ModelName = Literal[tuple(MODELS)]
    LossName = Literal[tuple(dict.fromkeys(loss for model in MODELS.values() for loss in model.losses))]
NamesOption = Annotated[str | None, typer.Option(metavar="A,B,...")]


@dataclass(frozen=True, slots=True)
class CriteriaOptions:
    """The words that say what a class of records must satisfy."""

    k: Annotated[int | None, typer.Option("--k", min=1, metavar="K")] = None
    l: Annotated[float | None, typer.Option("--l", metavar="L")] = None  # noqa: E741
    sensitive: NamesOption = None
    diversity: Annotated[Literal["distinct", "entropy", "recursive"], typer.Option()] = "distinct"
    c: Annotated[float | None, typer.Option("--c", metavar="C")] = None
    t: Annotated[float | None, typer.Option("--t", metavar="T", parser=share_of)] = None
    population: Annotated[Path | None, READ, typer.Option(metavar="FILE")] = None
    k_map: Annotated[int | None, typer.Option(min=1, metavar="K")] = None
    presence: Annotated[float | None, typer.Option(metavar="SHARE", parser=share_of)] = None
    suppress: SuppressOption = 0.0

    def asked(self) -> dict[str, Any]:
        """Return them as the library takes them."""
        plain = ("k", "l", "diversity", "c", "t", "k_map", "presence", "suppress")
        return {name: getattr(self, name) for name in plain} | {"sensitive": names(self.sensitive) or ()}


@dataclass(frozen=True, slots=True)
class PublishingOptions:
    """The words that say what becomes of the columns, and how their cells are made."""

    known: KnownOption = None
    keep: Annotated[list[str] | None, typer.Option(metavar="COLUMN")] = None
    other: Annotated[Literal["keep", "drop"], typer.Option()] = "drop"
    model: Annotated[ModelName, typer.Option()] = DEFAULT_MODEL
    cells: Annotated[CellKind, typer.Option()] = "nodes"
    microaggregate: NamesOption = None
    loss: Annotated[LossName, typer.Option()] = "entropy"
    blunt_ends: Annotated[bool, typer.Option("--blunt-ends")] = False
    skip_attacks: Annotated[bool, typer.Option("--skip-attacks")] = False
    skip_utility: Annotated[bool, typer.Option("--skip-utility")] = False
    seconds: SecondsOption = ANONYMIZE_SECONDS
    seed: SeedOption = 0

    def asked(self) -> dict[str, Any]:
        """Return them as the library takes them, without what is measured after the search."""
        plain = ("other", "model", "cells", "loss", "blunt_ends", "seconds", "seed")
        chosen = {"keep": self.keep or (), "microaggregate": names(self.microaggregate) or ()}
        return {name: getattr(self, name) for name in plain} | {"known": names(self.known)} | chosen


@guarded
@taking(HierarchyOptions, CriteriaOptions, PublishingOptions)
def anonymize(
    source: HierarchyOptions,
    criteria: CriteriaOptions,
    wanted: PublishingOptions,
    out: Annotated[Path | None, TABLE, typer.Option("--out", "-o", metavar="OUT")] = None,
    aligned: Annotated[Path | None, TABLE, typer.Option(metavar="KEY")] = None,
    report: Annotated[Path | None, REPORT, typer.Option(metavar="REPORT")] = None,
    legal: LegalOption = None,
    frontier: Annotated[bool, typer.Option("--frontier")] = False,
    json: JsonOption = False,
) -> None:
    """Anonymize a table: everybody is one of at least K records that look the same."""
    from sudare.tables.anonymize.publication import anonymize_table

    if aligned and not out:
        raise OptionNotUsable("errors.usage.nothing_written", option="--aligned")
    frames_of(legal)
    if frontier:
        _check_frontier(criteria, wanted, report)
    with ExitStack() as opened:
        progress = opened.enter_context(shown_progress())
        table = opened.enter_context(source.read(progress))
        hierarchies = source.found_hierarchies(table)
        given = criteria.population
        people = opened.enter_context(_read_population(source, given)) if given else None
        with keeping_answers():
            made = anonymize_table(
                table, **criteria.asked(), **wanted.asked(), hierarchies=hierarchies, population=people,
                attacks=False, utility=False, progress=progress,
            )  # fmt: skip
        # The file is announced when it is there: whatever comes after may be interrupted.
        published = _published(made, out, aligned)
        made = _measured(made, wanted, progress)
        if report and not is_settled():
            search = partial(_frontier, table, source, criteria, wanted, progress) if frontier else None
            _reported(made, report, published, search, progress, frames_of(legal))
    if json:
        show_json("table-anonymized", {**made.to_dict(), "published": published and published.to_dict()})
    else:
        from sudare.report.table.anonymized_text import show_anonymized

        show_anonymized(made, spoken(), published=published, command=command_line())
    if made.attacks and made.attacks.above:
        raise typer.Exit(EXIT_ANSWER_NO)


def _read_population(source: HierarchyOptions, path: Path) -> Table:
    """Read the population, which is written as the table is."""
    from sudare.tables.read import read_table

    return read_table(path, missing=source.missing, missing_values=source.missing_value or (), **source.text_form())


def _published(made: AnonymizedTable, out: Path | None, aligned: Path | None) -> PublishedTable | None:
    """Write what may be published and the secret key, where they are asked for."""
    if out is None:
        return None
    published = made.publish(out, aligned=aligned)
    note_written(out)
    if aligned:
        note_aligned(aligned)
    return published


def _measured(made: AnonymizedTable, wanted: PublishingOptions, progress: Progress) -> AnonymizedTable:
    """Measure the use of what was made, and attack it; interrupted, what is not there is left out."""
    from sudare.tables.attack.attack import attack_table
    from sudare.tables.utility.measured import table_utility

    try:
        check_not_interrupted()
        if not wanted.skip_utility:
            made = replace(made, utility=table_utility(made.recoded, seed=wanted.seed, progress=progress))
        if not wanted.skip_attacks:
            found = attack_table(made.recoded, criteria=made.criteria, seed=wanted.seed, progress=progress)
            made = replace(made, attacks=found)
    except KeyboardInterrupt:
        settle()
    return made


def _check_frontier(criteria: CriteriaOptions, wanted: PublishingOptions, report: Path | None) -> None:
    """Refuse a frontier that nobody would see, or that cannot be drawn, before any work."""
    if report is None:
        raise OptionNotUsable("errors.table_frontier.no_report")
    if wanted.loss not in ("entropy", "ncp"):
        raise OptionNotUsable("errors.table_frontier.loss", loss=wanted.loss)
    if criteria.population:
        raise OptionNotUsable("errors.table_frontier.population")


def _frontier(
    table: Table, source: HierarchyOptions, criteria: CriteriaOptions, wanted: PublishingOptions, progress: Progress
) -> TableFrontier:
    """Search what other k would cost, with the same options; it takes as long as `table_frontier` takes by default."""
    from sudare.tables.anonymize.frontier import table_frontier

    asked = criteria.asked() | wanted.asked()
    options = {name: value for name, value in asked.items() if name not in ("k", "k_map", "presence", "seconds")}
    return table_frontier(table, hierarchies=source.read_hierarchies(table), **options, progress=progress)


def _reported(
    made: AnonymizedTable,
    report: Path,
    published: PublishedTable | None,
    search: Callable[[], TableFrontier] | None,
    progress: Progress,
    legal: list[str],
) -> None:
    """Write the page about what was made, with what other k would cost if asked for; interrupted, there is none."""
    try:
        made.report(
            report, published=published, frontier=search() if search else None, legal=legal,
            command=command_line(), language=Settings.language, progress=progress,
        )  # fmt: skip
        note_written(report)
    except KeyboardInterrupt:
        settle()
