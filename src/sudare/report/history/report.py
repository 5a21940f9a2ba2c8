"""The report on a purchase history: how well each attacker recognizes its customers, for any reader."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.attackers.assessment import AttackersAssessment
from sudare.histories.attackers.persons import PersonsRisk
from sudare.histories.attackers.published import PublishedAssessment
from sudare.histories.attackers.values import ITEM_DIVIDER
from sudare.histories.model import History
from sudare.histories.profiles.assessment import ProfileAssessment
from sudare.histories.profiles.read import cells_of_history
from sudare.messages import Language, Message, Texts
from sudare.progress import Progress, silent
from sudare.report.history.answers import answers
from sudare.report.history.figures import history_figures, risk_label
from sudare.report.history.findings import Findings, gather_findings
from sudare.report.history.profiles import profiles_values
from sudare.report.history.published import published_values
from sudare.report.legal.criteria import frames_named
from sudare.report.legal.section import legal_values
from sudare.report.legal.values import history_legal
from sudare.report.page import Page, Section, render_page, shortened
from sudare.report.readings import column_names, file_name, guesses, input_hash, reading_notes
from sudare.report.repeating import Repetition, Step, call_text, repetition
from sudare.sources.readings import Reading
from sudare.sources.writing import PAGE_ENDINGS, check_ending, check_writable, keeps_inputs, whole_file
from sudare.statistics.intervals import CONFIDENCE
from sudare.version import __version__

SECTIONS = (
    "summary", "data", "assumptions", "attackers", "further", "persons", "profiles", "published", "statistics",
    "customers", "values", "legal", "parameters",
)  # fmt: skip
# Sections that other reports have too.
_SECTION_KEYS = {"published": "report.published.section", "legal": "legal.section"}
# The customers at highest risk are listed for those who know a single fact, and for a day with an item.
HIGHEST_FOR = (1, 2, 5, 6)


@checked
@keeps_inputs()
def write_history_report(
    history: History,
    assessment: AttackersAssessment,
    path: str | Path,
    *,
    published: PublishedAssessment | None = None,
    persons: Sequence[PersonsRisk] = (),
    profiles: ProfileAssessment | None = None,
    legal: Sequence[str] = (),
    command: str | None = None,
    language: Language = "en",
    made: dt.datetime | None = None,
    progress: Progress = silent,
) -> None:
    """Write an assessment as one self-contained HTML page, whole or not at all.

    With `published`, a section shows the attackers before and after anonymization of the same history; with `persons`,
    one shows what is known about several persons at once. `profiles` says how well people are recognized from another
    time; without it, the untrained attack splits the history in the middle of its period. `legal` names the laws and
    standards that the page shows (none: all, folded). The page needs no network and has no scripts. It shows `command`,
    the command line that made it, or without one the library call. `made` is the date on the page (None: now); the same
    history, assessment, language and date give the same page.
    """
    texts = Texts(language)
    made = made or dt.datetime.now().astimezone()
    # Asked first: an output that cannot be written should not cost a long computation.
    check_ending(Path(path), PAGE_ENDINGS)
    check_writable(Path(path))
    frames_named(legal)
    if published:
        _refuse_other_history(published, history, assessment)
    _refuse_other_persons(persons, history, assessment)
    if profiles and profiles.purchases != cells_of_history(history).digest():
        raise OptionNotUsable("errors.report.profiles_of_other")
    findings = gather_findings(history, assessment, progress, profiles=profiles)
    call = _call(assessment, Path(path), language, published=published, persons=persons, profiles=profiles)
    again = repetition(command, call, texts, made, history.reading)
    page = history_page(
        history.reading, assessment, findings, texts, made, again, published=published, persons=persons, legal=legal
    )
    with whole_file(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def _refuse_other_history(published: PublishedAssessment, history: History, assessment: AttackersAssessment) -> None:
    """Refuse attackers before and after anonymization of another history, or whose facts have other weights."""
    if published.weighting != assessment.weighting:
        raise OptionNotUsable("errors.report.weighting", published=published.weighting, assessment=assessment.weighting)
    if published.purchases != history.digest():
        raise OptionNotUsable("errors.report.published_of_other")


def _refuse_other_persons(persons: Sequence[PersonsRisk], history: History, assessment: AttackersAssessment) -> None:
    """Refuse what is known of several persons of another history, of other weights, or of other numbers of them."""
    if any(risk.history is not history for risk in persons):
        raise OptionNotUsable("errors.report.persons_of_other")
    if {risk.weighting for risk in persons} - {assessment.weighting} or len({risk.persons for risk in persons}) > 1:
        raise OptionNotUsable("errors.report.persons_differ", weighting=assessment.weighting)


def history_page(
    reading: Reading,
    assessment: AttackersAssessment,
    findings: Findings,
    texts: Texts,
    made: dt.datetime,
    again: Repetition,
    *,
    published: PublishedAssessment | None = None,
    persons: Sequence[PersonsRisk] = (),
    legal: Sequence[str] = (),
) -> str:
    """Return the report as HTML text."""
    # The folders a file lies in are of no use to the reader and may tell more than they should.
    source = shortened(Path(reading.source).name, texts)
    values = {
        "reading": reading,
        "source": source,
        "columns": column_names(reading, texts),
        "guesses": guesses(reading, texts),
        "notes": reading_notes(reading, texts),
        "say": texts.say,
        "assessment": assessment,
        "sampled": [risk for risk in assessment.knowledge if risk.sample],
        "confidence": texts("report.number.percent", value=f"{100 * CONFIDENCE:g}"),
        "findings": findings,
        "answers": answers(assessment, findings, texts),
        "figures": history_figures(assessment, findings, texts),
        "highest": [findings.customers[number] for number in HIGHEST_FOR],
        "risk_label": lambda risk: risk_label(risk, texts),
        "persons": persons,
        "listed": lambda items: listed_items([named_item(item, findings.names) for item in items], texts),
        "named": lambda item: named_item(item, findings.names),
        "basket": lambda items: basket_text(items, texts, divided=findings.divided),
        "made": made,
        "again": again,
        "next": Step.of(
            texts("report.history.next"), "history", "anonymize", file_name(reading), "--k", "3", "-o", "published.csv"
        ),
        "input_hash": input_hash(reading, texts),
        **(published_values(published, texts) if published else {}),
        **_profiles(findings, texts),
        **legal_values([*history_legal(assessment, findings.profiles, published, texts)], texts, frames=legal),
    }
    page = Page(
        folder="history",
        kind=texts("report.history.kind"),
        title=texts("report.history.title", source=source),
        sections=tuple(_sections(assessment, published, persons, texts)),
        footer=_footer(reading, assessment, texts),
    )
    return render_page(page, texts, values)


def _profiles(findings: Findings, texts: Texts) -> dict[str, object]:
    """Return what is shown of somebody who knows people from another time, or why nothing is."""
    if isinstance(findings.profiles, Message):
        return {"profiles": None, "not_profiled": findings.profiles}
    return profiles_values(findings.profiles, texts, by_default=findings.profiles_by_default)


def _call(
    assessment: AttackersAssessment,
    path: Path,
    language: Language,
    *,
    published: PublishedAssessment | None,
    persons: Sequence[PersonsRisk],
    profiles: ProfileAssessment | None,
) -> str:
    """Return the call that makes the page; results that were made before are named, not written out."""
    knowledge = [str(risk.knowledge) for risk in assessment.knowledge]
    asked = {"knowledge": knowledge, "weighting": assessment.weighting, "seed": assessment.seed}
    results = {"published": published, "persons": persons, "profiles": profiles}
    given = [f"{name}={name}" for name, value in results.items() if value]
    first = ["history", call_text("history.attackers", [], asked), repr(path.name), *given]
    return call_text("sudare.histories.write_history_report", first, {"language": language})


def _sections(
    assessment: AttackersAssessment,
    published: PublishedAssessment | None,
    persons: Sequence[PersonsRisk],
    texts: Texts,
) -> Iterator[Section]:
    empty = {"further": not assessment.knowledge, "persons": not persons, "published": published is None}
    for name in SECTIONS:
        if not empty.get(name):
            yield Section(name, texts(_SECTION_KEYS.get(name, f"report.history.section.{name}")))


def _footer(reading: Reading, assessment: AttackersAssessment, texts: Texts) -> tuple[tuple[str, str], ...]:
    weighting = texts(f"report.history.parameters.weighting_{assessment.weighting}")
    return (
        (texts("report.page.version"), f"sudare {__version__}"),
        (texts("report.page.weighting"), weighting),
        (texts("report.page.seed"), str(assessment.seed)),
        (texts("report.page.input_hash"), input_hash(reading, texts)),
    )


def basket_text(items: str, texts: Texts, *, divided: bool, most: int = 120) -> str:
    """Return a set of items; a long one is cut after a whole item and tells how many there are, if that is sure."""
    if len(items) <= most:
        return items
    names = items.split(ITEM_DIVIDER)
    if len(names) == 1 or not divided:
        return shortened(items, texts, most=most)
    start = items[:most].rpartition(ITEM_DIVIDER)[0] or items[:most].rstrip()
    return texts("report.label.items", text=start + ITEM_DIVIDER, count=len(names))


def named_item(item: str, names: Mapping[str, str]) -> str:
    """Return the code of an item with its name, if it has another one."""
    name = names.get(item, item)
    return item if name == item else f"{item} {name}"


def listed_items(items: Sequence[str], texts: Texts, *, most: int = 5) -> str:
    """Return the names of some items; of many the first, and how many there are."""
    shown = ITEM_DIVIDER.join(shortened(item, texts) for item in items[:most])
    return shown if len(items) <= most else texts("report.label.items", text=shown + ITEM_DIVIDER, count=len(items))
