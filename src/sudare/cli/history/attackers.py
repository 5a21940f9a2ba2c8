"""`sudare history attackers | knowledge`: how dangerous background knowledge is for a purchase history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.files import READ, REPORT, TABLE
from sudare.cli.frame import (
    JsonOption,
    SeedOption,
    guarded,
    note_secret,
    note_written,
    show_json,
    shown_progress,
    spoken,
)
from sudare.cli.history.cells import CellOptions
from sudare.cli.history.source import HistoryOptions
from sudare.cli.options import FailAboveOption, LegalOption, fail_if_above, frames_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.errors import BadRows
from sudare.limits import MOST_COMBINATIONS, MOST_PERSON_COMBINATIONS, MOST_PUBLISHED_COMBINATIONS, SAMPLES
from sudare.messages import message
from sudare.showing import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudare.histories.attackers.assessment import AttackerRisk, AttackersAssessment
    from sudare.histories.attackers.knowledge import Knowledge
    from sudare.histories.attackers.persons import PersonsRisk
    from sudare.histories.attackers.published import PublishedAssessment
    from sudare.histories.generalized.conversion import HistoryRows
    from sudare.histories.generalized.model import CellHistory
    from sudare.histories.model import History
    from sudare.messages import Texts
    from sudare.progress import Progress
    from sudare.sources.readings import Reading

WeightingOption = Annotated[Literal["occurrence", "record"], typer.Option()]
MostCombinationsOption = Annotated[int, typer.Option(min=1, metavar="N")]
PersonsOption = Annotated[int | None, typer.Option(min=2, max=5, metavar="N")]
SamplesOption = Annotated[int, typer.Option(min=2, metavar="N")]


@dataclass(frozen=True, slots=True)
class AttackerOptions:
    """The words that say what attackers know, and how it is measured."""

    knowledge: Annotated[list[str] | None, typer.Option(metavar="KNOWLEDGE")] = None
    persons: PersonsOption = None
    weighting: WeightingOption = "occurrence"
    anonymized: Annotated[str | None, READ, typer.Option(metavar="A")] = None
    seed: SeedOption = 0
    most_combinations: Annotated[int | None, typer.Option(min=1, metavar="N")] = None
    samples: SamplesOption = SAMPLES


@dataclass(frozen=True, slots=True, eq=False)
class Assessed:
    """What attackers learn: from the history, from its anonymized form, and about several persons at once."""

    found: AttackersAssessment
    published: PublishedAssessment | None
    several: list[PersonsRisk]

    @property
    def highest(self) -> float:
        """The mean probability with which the strongest attacker is right; of an estimate, the end of its interval."""
        if self.published:
            after = (*self.published.attackers, *self.published.knowledge)
            return max(risk.interval_after[1] if risk.interval_after else risk.after for risk in after)
        known = (*self.found.attackers, *self.found.knowledge)
        return max(risk.interval[1] if risk.interval else risk.measured for risk in known)


def assess(source: CellOptions, wanted: AttackerOptions, history: History, progress: Progress) -> Assessed:
    """Measure the ten attackers and further knowledge, and what else was asked for."""
    from sudare.histories.attackers.assessment import assess_attackers
    from sudare.histories.attackers.persons import check_persons

    if wanted.persons:
        check_persons(history, wanted.persons)
    known, most = parsed(wanted), wanted.most_combinations
    limits: dict[str, Any] = {"seed": wanted.seed, "samples": wanted.samples, "weighting": wanted.weighting}
    found = assess_attackers(
        history, knowledge=known, most_combinations=most or MOST_COMBINATIONS, progress=progress, **limits
    )
    several = _of_persons(
        history, [*found.attackers, *found.knowledge], wanted.persons,
        {**limits, "most_combinations": most or MOST_PERSON_COMBINATIONS}, progress,
    )  # fmt: skip
    published = None
    if wanted.anonymized:
        options = {**limits, "knowledge": known, "most_combinations": most or MOST_PUBLISHED_COMBINATIONS}
        published = _measure(source, wanted.anonymized, options, progress)
    return Assessed(found, published, several)


def parsed(wanted: AttackerOptions) -> list[Knowledge]:
    """Read the further knowledge."""
    from sudare.histories.attackers.knowledge import parse_knowledge

    return [parse_knowledge(text) for text in wanted.knowledge or []]


def write_report(
    history: History, assessed: Assessed, path: Path, progress: Progress, *, legal: str | None = None
) -> None:
    """Write the page about a history."""
    from sudare.report.history.report import write_history_report

    write_history_report(
        history, assessed.found, path, published=assessed.published, persons=assessed.several,
        legal=frames_of(legal), command=command_line(), language=Settings.language, progress=progress,
    )  # fmt: skip


@guarded
@taking(CellOptions, AttackerOptions)
def attackers(
    source: CellOptions,
    wanted: AttackerOptions,
    fail_above: FailAboveOption = None,
    theory: Annotated[bool, typer.Option("--theory")] = False,
    report: Annotated[Path | None, REPORT, typer.Option(metavar="REPORT")] = None,
    legal: LegalOption = None,
    customer_risks: Annotated[Path | None, TABLE, typer.Option(metavar="OUT")] = None,
    json: JsonOption = False,
) -> None:
    """Measure how well ten attackers recognize customers."""
    known, _ = parsed(wanted), frames_of(legal)
    with shown_progress() as progress, source.read(progress) as history:
        if report or customer_risks:
            history.engine.check_people(message("errors.people.values_and_customers"))
        assessed = assess(source, wanted, history, progress)
        if customer_risks:
            from sudare.histories.attackers.customers import write_customer_risks

            write_customer_risks(
                history, customer_risks, knowledge=known, weighting=wanted.weighting, progress=progress
            )
        if report:
            write_report(history, assessed, report, progress, legal=legal)
        reading = history.reading
    if json:
        _show_json(assessed, reading)
    else:
        _show(assessed, reading.source, spoken(), theory=theory)
    for path in filter(None, (customer_risks, report)):
        note_written(path)
    if customer_risks:
        note_secret(customer_risks)
    fail_if_above(assessed.highest, fail_above)


def _show_json(assessed: Assessed, reading: Reading) -> None:
    after = {"published": assessed.published.to_dict()} if assessed.published else {}
    of_persons = {"persons": [risk.to_dict() for risk in assessed.several]} if assessed.several else {}
    show_json("attackers", {**assessed.found.to_dict(), "reading": reading.to_dict(), **after, **of_persons})


def _show(assessed: Assessed, source: str, texts: Texts, *, theory: bool) -> None:
    """Print the attackers, before and after where cells were published, and what is known of several persons."""
    from sudare.report.history.text import show_attackers, show_persons, show_published

    found = assessed.found
    if assessed.published:
        show_published(assessed.published, source, texts)
    else:
        show_attackers(found, source, texts, theory=theory)
    if assessed.several:
        show_persons(assessed.several, [risk.attacker for risk in (*found.attackers, *found.knowledge)], texts)


def _of_persons(
    history: History, risks: Sequence[AttackerRisk], persons: int | None, options: dict[str, Any], progress: Progress
) -> list[PersonsRisk]:
    """Measure the knowledge of each attacker about several persons; of none, nothing."""
    from sudare.histories.attackers.persons import assess_persons

    if not persons:
        return []
    return [assess_persons(history, r.knowledge, persons=persons, progress=progress, **options) for r in risks]


def _measure(source: CellOptions, anonymized: str, options: dict[str, Any], progress: Progress) -> PublishedAssessment:
    """Read both histories as cells and measure the attackers before and after."""
    from sudare.histories.attackers.published import measure_published

    opened = source.open(progress, tell=False)
    cells = read_aligned(anonymized, opened, progress)
    return measure_published(opened.history, cells, threads=source.threads, progress=progress, **options)


def read_aligned(anonymized: str, opened: HistoryRows, progress: Progress) -> CellHistory:
    """Read an A; one that does not cover T may be what was published, whose rows are in another order."""
    try:
        return opened.read_aligned(anonymized, progress=progress)
    except BadRows as error:
        raise BadRows("errors.usage.not_rows_of", problem=error) from None


@guarded
@taking(HistoryOptions)
def knowledge(
    source: HistoryOptions,
    known: Annotated[str, typer.Argument(metavar="KNOWLEDGE")],
    fail_above: FailAboveOption = None,
    values: Annotated[Path | None, TABLE, typer.Option(metavar="OUT")] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N")] = 10,
    persons: PersonsOption = None,
    weighting: WeightingOption = "occurrence",
    seed: SeedOption = 0,
    most_combinations: MostCombinationsOption = MOST_COMBINATIONS,
    samples: SamplesOption = SAMPLES,
    json: JsonOption = False,
) -> None:
    """Look into one kind of background knowledge."""
    from sudare.histories.attackers.assessment import assess_knowledge
    from sudare.histories.attackers.customers import customer_risks
    from sudare.histories.attackers.knowledge import parse_knowledge
    from sudare.histories.attackers.persons import check_persons
    from sudare.histories.attackers.values import most_identifying, write_values

    texts, parsed = spoken(), parse_knowledge(known)
    with shown_progress() as progress, source.read(progress) as history:
        if persons:
            check_persons(history, persons)
        risk = assess_knowledge(
            history,
            parsed,
            weighting=weighting,
            seed=seed,
            most_combinations=most_combinations,
            samples=samples,
            progress=progress,
        )
        listed, people = [], None
        if risk.sample is None and history.engine.shows_people:
            progress(message("progress.values_and_customers"), 0, 1)
            listed = most_identifying(history, parsed, weighting=weighting, most=top)
            people = customer_risks(history, parsed, weighting=weighting, most=top)
        limits = {"seed": seed, "samples": samples, "weighting": weighting}
        several = _of_persons(history, [risk], persons, limits, progress) if persons else []
        if values:
            write_values(history, parsed, values, weighting=weighting)
    if json:
        show_json(
            "knowledge",
            {
                **risk.to_dict(),
                "weighting": weighting,
                "most_identifying": [value.to_dict() for value in listed],
                "customers": people.to_dict() if people else None,
                **({"persons": several[0].to_dict()} if several else {}),
            },
        )
    else:
        from sudare.report.history.text import show_knowledge, show_persons

        show_knowledge(risk, listed, people, texts)
        if several:
            show_persons(several, [None], texts)
    if values:
        note_written(values)
    fail_if_above(risk.interval[1] if risk.interval else risk.measured, fail_above)
