"""The table report: how well records can be singled out, and what may be disclosed, for any reader."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path

from sudare.arguments import checked
from sudare.messages import Language, Texts, message
from sudare.progress import Progress, silent
from sudare.report.legal.criteria import frames_named
from sudare.report.legal.section import legal_values, section_title
from sudare.report.legal.values import table_legal
from sudare.report.numbers import Numbers
from sudare.report.page import MOST_LETTERS, Page, Section, render_page, shortened
from sudare.report.readings import file_name, guesses, input_hash, reading_notes
from sudare.report.repeating import Repetition, call_text, repetition
from sudare.report.table.answers import answers, listed_names, next_step
from sudare.report.table.figures import set_label, set_or_rest, table_figures
from sudare.report.table.findings import Findings, gather_findings
from sudare.report.table.question import Question, ask
from sudare.report.table.set_findings import DANGEROUS_FACTOR
from sudare.sources.writing import PAGE_ENDINGS, check_ending, check_writable, keeps_inputs, whole_file
from sudare.statistics.intervals import CONFIDENCE
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.version import __version__

SECTIONS = (
    "summary", "data", "reading", "curve", "lattice", "contributions", "disclosable", "dangerous", "sensitive",
    "levels", "legal", "parameters",
)  # fmt: skip


@checked
@keeps_inputs()
def write_table_report(
    table: Table,
    path: str | Path,
    *,
    known: Sequence[str] | None = None,
    limit: float = 0.2,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    suppress: float = 0.0,
    seed: int = 0,
    threads: int | None = None,
    legal: Sequence[str] = (),
    command: str | None = None,
    language: Language = "en",
    made: dt.datetime | None = None,
    progress: Progress = silent,
) -> None:
    """Assess a table and write one self-contained HTML page, whole or not at all.

    The attacker knows the attributes `known` (None: all except the sensitive one); a risk above `limit` is too high.
    With hierarchies, the page shows the best generalization levels, which may suppress up to the share `suppress` of
    the records. `legal` names the laws and standards that the page shows (none: all, folded). The page shows `command`,
    the command line that made it, or without one the library call. `made` is the date on the page (None: now); the same
    table, options and date give the same page.
    """
    texts = Texts(language)
    made = made or dt.datetime.now().astimezone()
    # Asked first: an output that cannot be written should not cost a long computation.
    check_ending(Path(path), PAGE_ENDINGS)
    check_writable(Path(path))
    frames_named(legal)
    question = ask(
        table,
        known=known,
        limit=limit,
        sensitive=sensitive,
        hierarchies=hierarchies,
        suppress=suppress,
        seed=seed,
    )
    findings = gather_findings(table, question, threads=threads, progress=progress)
    progress(message("progress.drawing"), 0, 1)
    asked = {"known": known, "limit": limit, "sensitive": sensitive, "suppress": suppress, "seed": seed}
    given = ["table", repr(Path(path).name), *(["hierarchies=hierarchies"] if hierarchies else [])]
    call = call_text("sudare.tables.write_table_report", given, {**asked, "language": language})
    again = repetition(command, call, texts, made, table.reading, stopped=findings.stopped)
    page = table_page(table, question, findings, texts, made, again, legal=legal)
    with whole_file(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    progress(message("progress.drawing"), 1, 1)


def table_page(
    table: Table,
    question: Question,
    findings: Findings,
    texts: Texts,
    made: dt.datetime,
    again: Repetition,
    *,
    legal: Sequence[str] = (),
) -> str:
    """Return the report as HTML text."""
    # The folders a file lies in are of no use to the reader and may tell more than they should.
    source = shortened(Path(table.reading.source).name, texts)
    values = {
        "reading": table.reading,
        "source": source,
        "guesses": guesses(table.reading, texts),
        "notes": reading_notes(table.reading, texts),
        "assumptions": assumptions(table, question, findings, texts),
        "question": question,
        "findings": findings,
        "confidence": texts("report.number.percent", value=f"{100 * CONFIDENCE:g}"),
        "answers": answers(question, findings, texts),
        "next": next_step(question, findings, file_name(table.reading), texts),
        "figures": table_figures(question, findings, texts),
        "factor": f"{DANGEROUS_FACTOR:g}",
        "set_label": lambda attributes: set_label(attributes, texts, most=MOST_LETTERS),
        "set_or_rest": lambda attributes: set_or_rest(attributes, question.known, texts),
        "names": lambda attributes: listed_names(list(attributes), texts),
        "all_names": lambda attributes: texts("list.comma").join(shortened(name, texts) for name in attributes),
        "made": made,
        "again": again,
        "input_hash": input_hash(table.reading, texts),
        **legal_values([*table_legal(table, findings, question.limit, texts)], texts, frames=legal),
    }
    sections = [name for name in SECTIONS if getattr(findings, _OPTIONAL.get(name, ""), True) is not None]
    page = Page(
        folder="table",
        kind=texts("report.table.kind"),
        title=texts("report.table.title", source=source),
        sections=tuple(Section(name, section_title("table", name, texts)) for name in sections),
        footer=_footer(table, question, texts),
    )
    return render_page(page, texts, values)


# Sections that need a finding which was not asked for in every report.
_OPTIONAL = {"sensitive": "diversity", "levels": "levels"}


def assumptions(table: Table, question: Question, findings: Findings, texts: Texts) -> list[str]:
    """Return what the numbers mean and under which assumptions they hold."""
    keys = ["risk", "attacker", "measures", "limit", "monotone", f"missing_{table.missing}"]
    keys += ["persons"] if table.persons is not None else []
    keys += ["levels"] if findings.levels else []
    keys += ["sample"] if findings.lattice.sample else []
    numbers = Numbers(texts)
    values = {"limit": numbers.exact_percent(question.limit), "size": numbers.count(question.class_size)}
    return [texts(f"report.table.assume.{key}", **values) for key in [*keys, "not_covered"]]


def _footer(table: Table, question: Question, texts: Texts) -> tuple[tuple[str, str], ...]:
    return (
        (texts("report.page.version"), f"sudare {__version__}"),
        (texts("report.table.parameters.limit"), Numbers(texts).exact_percent(question.limit)),
        (texts("report.page.input_hash"), input_hash(table.reading, texts)),
    )
