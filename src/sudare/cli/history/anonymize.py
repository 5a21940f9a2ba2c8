"""`sudare history anonymize`: a purchase history in which nobody differs from k - 1 others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.files import HISTORY, REPORT
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
from sudare.cli.history.cells import CellOptions
from sudare.cli.history.earlier import EarlierOptions
from sudare.cli.options import LegalOption, frames_of, share_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.registry import DEFAULT_MODEL, MODELS
from sudare.interruption import check_not_interrupted, keeping_answers, settle
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.anonymize.earlier.release import EarlierRelease
    from sudare.histories.anonymize.publication import Publication
    from sudare.histories.generalized.conversion import HistoryRows

if TYPE_CHECKING:
    ModelName = str
else:
    # Each model of the registry is one of the choices.
    ModelName = Literal[tuple(MODELS)]
FastOption = Annotated[bool, typer.Option("--fast")]
SecondsOption = Annotated[
    float | None,
    typer.Option(metavar="SECONDS"),
]
RoundsOption = Annotated[
    int | None,
    typer.Option(metavar="N"),
]
SkipAttacksOption = Annotated[
    bool,
    typer.Option("--skip-attacks"),
]


@dataclass(frozen=True, slots=True)
class AnonymizingOptions:
    """The words that say how a history is to be anonymized, and what becomes of the result."""

    k: Annotated[int | None, typer.Option("--k", metavar="K")] = None
    mean_limit: Annotated[float | None, typer.Option(metavar="R", parser=share_of)] = None
    model: Annotated[ModelName, typer.Option()] = DEFAULT_MODEL
    levels: Annotated[str | None, typer.Option(metavar="COLUMN=LEVEL,...")] = None
    untouched: Annotated[int | None, typer.Option(metavar="N")] = None
    report: Annotated[Path | None, REPORT, typer.Option(metavar="REPORT")] = None
    legal: LegalOption = None
    skip_attacks: SkipAttacksOption = False
    fast: FastOption = False
    seconds: SecondsOption = None
    rounds: RoundsOption = None
    seed: SeedOption = 0
    json: JsonOption = False


@guarded
@taking(CellOptions, AnonymizingOptions, EarlierOptions)
def anonymize(
    source: CellOptions,
    wanted: AnonymizingOptions,
    before: EarlierOptions,
    out: Annotated[Path | None, HISTORY, typer.Option("--out", "-o", metavar="OUT")] = None,
    aligned: Annotated[Path | None, HISTORY, typer.Option(metavar="KEY")] = None,
) -> None:
    """Anonymize a purchase history: everybody is one of at least K with the same rows."""
    if not (out or aligned):
        raise OptionNotUsable("errors.usage.no_output")
    before.check()
    with shown_progress() as progress:
        earlier = partial(before.read, source, progress=progress) if before.earlier else None
        anonymize_to(
            partial(source.open, progress), wanted, out, aligned, progress, earlier=earlier, threads=source.threads
        )


def anonymize_to(
    read: Callable[[], HistoryRows],
    wanted: AnonymizingOptions,
    out: Path | None,
    aligned: Path | None,
    progress: Progress,
    *,
    earlier: Callable[[HistoryRows], list[EarlierRelease]] | None = None,
    threads: int | None = None,
) -> None:
    """Anonymize a history, write what may be published and what is aligned, attack it, and show what was found.

    `earlier` reads the releases that were published before, given the history.
    """
    from sudare.histories.anonymize.levels import parse_levels
    from sudare.histories.anonymize.publication import anonymize_rows, check_request

    levels = parse_levels(wanted.levels) if wanted.levels else None
    frames_of(wanted.legal)
    search: dict[str, Any] = {"seconds": wanted.seconds, "rounds": wanted.rounds, "fast": wanted.fast}
    check_request(
        wanted.k, wanted.mean_limit, wanted.model, levels, wanted.untouched, earlier=earlier is not None,
        search=any(search.values()),
    )  # fmt: skip
    original = read()
    releases = earlier(original) if earlier else []
    texts = spoken() if original.of_contest else spoken().in_plain_words()
    with keeping_answers():
        made = anonymize_rows(
            original, wanted.k, mean_limit=wanted.mean_limit, model=wanted.model, levels=levels,
            untouched=wanted.untouched, earlier=releases, attacks=False, seed=wanted.seed, threads=threads,
            progress=progress, **search,
        )  # fmt: skip
    # Each file is announced when it is there: whatever comes after may be interrupted.
    if out:
        made.publish(out)
        note_written(out)
    if aligned:
        made.write_aligned(aligned)
        note_aligned(aligned)
    made = _attacked(made, wanted, out or aligned, progress)
    if wanted.json:
        written = {name: str(path) if path else None for name, path in {"out": out, "aligned": aligned}.items()}
        show_json("anonymized-history", {**made.to_dict(), **written})
    else:
        from sudare.report.history.anonymized_text import show_anonymized

        show_anonymized(made.found, made.safety, made.duel, str(original.history.sources[0]), texts)
    if made.duel and made.duel.verdict == "broken":
        raise typer.Exit(EXIT_ANSWER_NO)


def _attacked(made: Publication, wanted: AnonymizingOptions, published: Path | None, progress: Progress) -> Publication:
    """Attack what was made and report on it; interrupted, what was not tried and what is not there are left out."""
    try:
        check_not_interrupted()
        if not wanted.skip_attacks:
            made = replace(made, duel=made.attack(seed=wanted.seed, progress=progress))
        if wanted.report:
            made.report(
                wanted.report, published=published, legal=frames_of(wanted.legal), seed=wanted.seed,
                command=command_line(), language=Settings.language, progress=progress,
            )  # fmt: skip
            note_written(wanted.report)
    except KeyboardInterrupt:
        settle()
    return made
