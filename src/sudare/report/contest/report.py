"""The report on an anonymized history: what it is, what it costs, how safe and how useful it is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from sudare.arguments import checked
from sudare.contest.check import Source
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.models import AnonymizedResult
from sudare.histories.attack.duel import Duel
from sudare.histories.attack.guesses import Guesses
from sudare.histories.attackers.published import PublishedAssessment
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.rule_sets import EPOCH, RuleSet, load_rules
from sudare.histories.safety.guess_plans import GuessPlan
from sudare.histories.utility.row_statistics import COLUMNS, STATISTICS
from sudare.histories.utility.use_cases import ITEM_STATISTICS, USES
from sudare.messages import Language, Message, Texts, message
from sudare.progress import Progress, silent
from sudare.report.contest.answers import answer_values, answers, conclusion_of, next_step
from sudare.report.contest.figures import contest_figures
from sudare.report.contest.findings import (
    Findings,
    Histories,
    InputFile,
    JudgedAttack,
    Question,
    ask,
    gather_findings,
    read_histories,
    size_rows,
    width_rows,
)
from sudare.report.history.published import published_values
from sudare.report.legal.criteria import frames_named
from sudare.report.legal.section import legal_values
from sudare.report.legal.values import contest_legal
from sudare.report.numbers import Numbers
from sudare.report.page import Page, Section, render_page, shortened
from sudare.report.readings import file_name, input_hash
from sudare.report.repeating import Repetition, call_text, repetition
from sudare.sources.readings import Reading
from sudare.sources.writing import PAGE_ENDINGS, check_ending, check_writable, keeps_inputs, whole_file
from sudare.version import __version__

SECTIONS = (
    "summary", "data", "made", "reading", "cells", "utility", "classes", "safety", "matchings", "attacks", "duel",
    "published", "profiles", "uses", "limits", "legal", "parameters",
)  # fmt: skip
# Letters of a name or cell that stand in one line, and of what is claimed in a class.
MOST_NAME_LETTERS = 40
MOST_CLAIM_LETTERS = 24
DRAWS = 20
LIMITS = ("other", "more", "members", "items", "publication", "uses")
FORMS = {"date": "days", "item": "items", "decimal": "hundredths", "integer": "units"}


@checked
@keeps_inputs("original", "anonymized", "guesses", "thresholds")
def write_contest_report(
    original: Source,
    anonymized: Source,
    path: str | Path,
    *,
    customers: Sequence[str] = (),
    rules: RuleSet | None = None,
    guesses: Sequence[str | Path | Guesses] = (),
    thresholds: str | Path | None = None,
    draws: int = DRAWS,
    attacks: int | None = None,
    anonymization: AnonymizedResult | None = None,
    duel: Duel | None = None,
    published: PublishedAssessment | None = None,
    legal: Sequence[str] = (),
    seed: int = 0,
    reading: Reading | None = None,
    command: str | None = None,
    language: Language = "en",
    made: dt.datetime | None = None,
    progress: Progress = silent,
) -> Findings:
    """Measure an anonymized history against its original and write one self-contained HTML page, whole or not at all.

    Histories are paths or histories already read; the page names their files. A file that breaks the rules raises
    BadRows. `customers` are the names of customers numbered from 1. `guesses` are attacks to judge: files, or guesses
    already read. `thresholds` is a contest's own file, which overrides the formula; `attacks` is the number of attacks
    to survive (None: as in the rules); `draws` is how often rows are drawn for the use cases.

    `anonymization` describes how the history was made, `duel` holds the built-in attacks on it and `published` the ten
    attackers before and after. Without them the page omits these sections; results for other histories, or judged by
    other rules, are refused. `legal` names the laws and standards that the page shows (none: all, folded). `reading`
    says how ordinary data were read; the page then does not mention contests. The page shows `command`, the command
    line that made it, or without one the library call. `made` is the date on the page (None: now). Returns what was
    found.
    """
    texts, made = Texts(language, plain=reading is not None), made or dt.datetime.now().astimezone()
    # Asked first: an output that cannot be written should not cost a long computation.
    check_ending(Path(path), PAGE_ENDINGS)
    check_writable(Path(path))
    frames_named(legal)
    question = ask(rules or load_rules(), attacks=attacks, draws=draws, seed=seed, thresholds=thresholds)
    histories = read_histories(original, anonymized, question.rules, progress)
    if reading is not None and not _is_reading_of(reading, histories.original):
        raise OptionNotUsable("errors.report.other_reading", source=reading.source)
    highest = int(histories.original.persons.max(initial=0))
    if customers and highest > len(customers):
        raise OptionNotUsable("errors.report.customer_names", names=len(customers), highest=highest)
    findings = gather_findings(
        histories, guesses, question, progress, made=anonymization, duel=duel, published=published
    )
    progress(message("progress.drawing"), 0, 1)
    call = _call(question, findings, Path(path), language, plain=reading is not None)
    stopped = findings.made is not None and not findings.made.converged
    again = repetition(command, call, texts, made, reading, stopped=stopped)
    page = contest_page(histories, question, findings, texts, made, again, customers, reading, legal)
    with whole_file(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    progress(message("progress.drawing"), 1, 1)
    return findings


def _is_reading_of(reading: Reading, original: CellHistory) -> bool:
    """Say whether it was this history that was read: by its source and its number of rows."""
    return reading.source in original.sources and reading.rows - reading.dropped_rows == len(original)


def contest_page(
    histories: Histories,
    question: Question,
    findings: Findings,
    texts: Texts,
    made: dt.datetime,
    again: Repetition,
    customers: Sequence[str] = (),
    reading: Reading | None = None,
    legal: Sequence[str] = (),
) -> str:
    """Return the report as HTML text."""
    source = _name(histories.anonymized_file, "unnamed", texts)
    values = {
        "histories": histories,
        "question": question,
        "findings": findings,
        "original_name": _original_name(histories, reading, texts),
        "source": source,
        "conclusion": conclusion_of(findings),
        "words": answer_values(findings, question, texts),
        "answers": answers(findings, question, texts),
        "figures": contest_figures(findings, texts),
        "width_rows": width_rows(findings.description),
        "size_rows": size_rows(findings.safety.sizes) if findings.safety else (),
        "units": {column.name: FORMS[column.form] for column in question.rules.cell_columns},
        "attack_name": lambda attack, number: attack_name(attack, number, texts),
        "planned": lambda plan: planned(plan, texts),
        "errors": {error.measure: error for error in findings.uses.errors} if findings.uses else {},
        "uses": (*USES, *ITEM_STATISTICS),
        "statistics": tuple(STATISTICS),
        "statistic_columns": COLUMNS,
        "first_day": Numbers(texts).day(EPOCH + dt.timedelta(question.rules.first_day)),
        "customer_name": lambda number: shortened(customers[number - 1], texts) if customers else str(number),
        "short_name": lambda name: shortened(name, texts, most=MOST_NAME_LETTERS),
        "limits": LIMITS,
        "made": made,
        "again": again,
        "next": next_step(findings, _files(histories, reading), texts),
        "original_hash": _hash(histories.original_file, texts) if reading is None else input_hash(reading, texts),
        **(published_values(findings.published, texts) if findings.published else {}),
        "not_profiled": findings.profiles if isinstance(findings.profiles, Message) else None,
        "say": texts.say,
        **legal_values([*contest_legal(findings, texts)], texts, frames=legal),
    }  # fmt: skip
    page = Page(
        folder="contest",
        kind=texts("report.contest.kind"),
        title=texts("report.contest.title", source=source),
        sections=_sections(findings, texts),
        footer=(
            (texts("report.page.version"), f"sudare {__version__}"),
            *(() if texts.plain else ((texts("report.contest.fact.rules"), shortened(question.rules.name, texts)),)),
            (texts("report.contest.parameters.anonymized_hash"), _hash(histories.anonymized_file, texts)),
        ),
    )
    return render_page(page, texts, values)


def _call(question: Question, findings: Findings, path: Path, language: Language, *, plain: bool) -> str:
    """Return the call that makes the page; results that were made before are named, not written out."""
    if plain:
        return call_text("publication.report", [repr(path.name)], {"seed": question.seed, "language": language})
    guesses = [attack.file.name for attack in findings.attacks if attack.file]
    asked = {"guesses": guesses, "attacks": question.attacks, "draws": question.draws, "seed": question.seed}
    named = (("anonymization", findings.made), ("duel", findings.duel), ("published", findings.published))
    given = ["original", "anonymized", repr(path.name), *(f"{name}={name}" for name, value in named if value)]
    return call_text("sudare.contest.write_contest_report", given, {**asked, "language": language})


def attack_name(attack: JudgedAttack, number: int, texts: Texts) -> str:
    """Return the name of an attack's file, or its number where guesses were given without one."""
    if attack.file is None:
        return texts("report.contest.unnamed_attack", number=number)
    return shortened(attack.file.name, texts, most=MOST_NAME_LETTERS)


def planned(plan: GuessPlan, texts: Texts) -> str:
    """Return what the best guesses are, class by class."""
    numbers = Numbers(texts)
    return texts.listed(
        [
            texts(
                "report.contest.safety.part",
                classes=numbers.count(part.classes),
                size=numbers.count(part.size),
                claims=shortened(" + ".join(map(str, part.claims)), texts, most=MOST_CLAIM_LETTERS),
            )
            for part in plan.parts
        ]
    )


def _sections(findings: Findings, texts: Texts) -> tuple[Section, ...]:
    """Return the sections; what is not known, such as attacks that were not made, has none."""
    known = {
        **dict.fromkeys(SECTIONS, True),
        "made": findings.made is not None,
        "classes": findings.matchings is None,
        # How many guesses an attacker makes best is a matter of contests.
        "safety": findings.matchings is None and not texts.plain,
        "matchings": findings.matchings is not None,
        "attacks": bool(findings.attacks),
        "duel": findings.duel is not None,
        "published": findings.published is not None,
        "profiles": findings.profiles is not None,
    }
    titles = {
        "legal": "legal.section", "published": "report.published.section",
        "profiles": "report.history.section.profiles",
    }  # fmt: skip
    names = [name for name in SECTIONS if known[name]]
    return tuple(Section(name, texts(titles.get(name, f"report.contest.section.{name}"))) for name in names)


def _name(file: InputFile | None, unnamed: str, texts: Texts) -> str:
    return shortened(file.name, texts) if file else texts(f"report.contest.{unnamed}")


def _original_name(histories: Histories, reading: Reading | None, texts: Texts) -> str:
    if reading is None:
        return _name(histories.original_file, "unnamed_original", texts)
    return shortened(Path(reading.source).name, texts)


def _files(histories: Histories, reading: Reading | None) -> tuple[str, str]:
    """Return the original and the anonymized file as one types them."""
    original, anonymized = histories.original_file, histories.anonymized_file
    typed = file_name(reading) if reading else original.name if original else "T"
    return typed, anonymized.name if anonymized else "A"


def _hash(file: InputFile | None, texts: Texts) -> str:
    return file.sha256 if file else texts("report.page.no_hash")
