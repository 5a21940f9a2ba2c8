"""The report of an anonymized table: what is left, what is claimed and checked, what was lost and what was tried."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from sudare.arguments import checked
from sudare.messages import Language, Texts, message
from sudare.progress import Progress, silent
from sudare.report.legal.criteria import frames_named
from sudare.report.legal.section import legal_values, section_title
from sudare.report.legal.values import anonymized_legal
from sudare.report.numbers import Numbers
from sudare.report.page import MOST_LETTERS, Page, Section, render_page, shortened
from sudare.report.readings import file_name, input_hash
from sudare.report.repeating import Repetition, call_text, repetition
from sudare.report.table.anonymized.answers import answers, conclusion_of, loss_words, next_step
from sudare.report.table.anonymized.claims import asked_for, find_claims
from sudare.report.table.anonymized.figures import COLOURS, anonymized_figures
from sudare.report.table.anonymized.findings import Findings, SizeBand, gather_findings
from sudare.report.table.answers import listed_names
from sudare.report.table.figures import set_label
from sudare.sources.text import file_hash
from sudare.sources.writing import PAGE_ENDINGS, check_ending, check_writable, keeps_inputs, whole_file
from sudare.tables.anonymize.frontier import TableFrontier
from sudare.tables.anonymize.publication import AnonymizedTable
from sudare.tables.attack.results import SubsetLinkage, TableAttack
from sudare.tables.recoded.publish import PublishedTable
from sudare.tables.roles import ColumnRole
from sudare.version import __version__

SECTIONS = (
    "summary", "file", "claims", "risk", "attacks", "loss", "use", "frontier", "reading", "limits", "legal",
    "parameters",
)  # fmt: skip
LIMITS = ("other", "more", "members", "present", "attacks", "law")
# Sets of known columns that are shown: those by which linkage succeeds most often.
MOST_SUBSETS = 10
# Pairs of columns that are shown: those that moved farthest.
MOST_PAIRS = 10


@checked
@keeps_inputs()
def write_anonymized_report(
    result: AnonymizedTable,
    path: str | Path,
    *,
    published: PublishedTable | None = None,
    frontier: TableFrontier | None = None,
    legal: Sequence[str] = (),
    command: str | None = None,
    language: Language = "en",
    made: dt.datetime | None = None,
    progress: Progress = silent,
) -> None:
    """Write one self-contained HTML page about an anonymized table, whole or not at all.

    `published` is the file that was written and checked; without one, the page says that nothing has been checked.
    `frontier` adds what other choices of k would cost. `legal` names the laws and standards that the page shows (none:
    all, folded). The page shows `command`, the command line that made it, or
    without one the library call. `made` is the date on the page (None: now); the same results and date give the same
    page.
    """
    texts, made = Texts(language), made or dt.datetime.now().astimezone()
    # Asked first: an output that cannot be written should not cost a long computation.
    check_ending(Path(path), PAGE_ENDINGS)
    check_writable(Path(path))
    frames_named(legal)
    progress(message("progress.drawing"), 0, 1)
    named = (("published", published), ("frontier", frontier))
    given = [repr(Path(path).name), *(f"{name}={name}" for name, value in named if value is not None)]
    call = call_text("anonymized.report", given, {"language": language})
    stopped = result.ended != "converged" or (frontier is not None and frontier.stopped)
    again = repetition(command, call, texts, made, result.recoded.table.reading, stopped=stopped)
    page = anonymized_page(result, published, frontier, texts, made, again, legal=legal)
    with whole_file(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    progress(message("progress.drawing"), 1, 1)


def anonymized_page(
    result: AnonymizedTable,
    published: PublishedTable | None,
    frontier: TableFrontier | None,
    texts: Texts,
    made: dt.datetime,
    again: Repetition,
    *,
    legal: Sequence[str] = (),
) -> str:
    """Return the report as HTML text."""
    findings, reading = gather_findings(result.recoded), result.recoded.table.reading
    claims = find_claims(result, findings, published.check if published else None, texts)
    conclusion = conclusion_of(findings, claims, result, checked=published is not None)
    # The folders a file lies in are of no use to the reader and may tell more than they should.
    source = shortened(Path(reading.source).name, texts)
    file = shortened(Path(published.path).name, texts) if published else None
    values = {
        "result": result,
        "findings": findings,
        "published": published,
        "frontier": frontier,
        "claims": claims,
        "check": published.check if published else None,
        "asked": asked_for(result.criteria, texts),
        "conclusion": conclusion,
        "words": {**loss_words(result, texts), **_file_words(file, texts)},
        "answers": answers(findings, result, texts),
        "next": next_step(conclusion, result, file_name(reading), texts),
        "figures": anonymized_figures(findings, result, frontier, texts),
        "assumptions": assumptions(result, texts),
        "limits": LIMITS,
        "source": source,
        "file": file,
        "input_hash": input_hash(reading, texts),
        "file_hash": _hash(published),
        "made": made,
        "again": again,
        **_naming(result, findings, texts),
        **legal_values([*anonymized_legal(findings, result, texts)], texts, frames=legal),
    }  # fmt: skip
    title = {"file": file} if file else {"source": source}
    page = Page(
        folder="anonymized",
        kind=texts("report.anonymized.kind"),
        title=texts(f"report.anonymized.{'title' if file else 'title_unwritten'}", **title),
        sections=_sections(result, frontier, texts),
        footer=(
            (texts("report.page.version"), f"sudare {__version__}"),
            (texts("report.page.input_hash"), input_hash(reading, texts)),
        ),
    )
    return render_page(page, texts, values)


def _hash(published: PublishedTable | None) -> str | None:
    """Return the hash of the published file, None if there is none any more."""
    path = Path(published.path) if published else None
    return file_hash(path) if path and path.is_file() else None


def _file_words(file: str | None, texts: Texts) -> dict[str, str]:
    return {"file": file or texts("report.anonymized.unwritten")}


def _naming(result: AnonymizedTable, findings: Findings, texts: Texts) -> dict[str, object]:
    """Return what templates use to name things."""
    moved = sorted(result.utility.pairs, key=lambda pair: -pair.distance) if result.utility else []
    kinds = [kind for kind in COLOURS if kind != "suppressed" and getattr(findings.counts, kind)]
    return {
        "cell_kinds": kinds or ["exact"],
        "pairs": moved[:MOST_PAIRS],
        "subsets": _worst_subsets(result),
        "attack_name": lambda attack: attack_name(attack, texts),
        "signed": lambda share: f"{100 * share:+.2f}",
        "why": lambda column: why(column, texts),
        "hierarchy_of": lambda name: _hierarchy(result, name),
        "band_name": lambda band: band_name(band, texts),
        "names": lambda attributes: listed_names(list(attributes), texts),
        "set_label": lambda attributes: set_label(attributes, texts, most=MOST_LETTERS),
        "all_names": lambda attributes: texts("list.comma").join(shortened(name, texts) for name in attributes),
    }


def _sections(result: AnonymizedTable, frontier: TableFrontier | None, texts: Texts) -> tuple[Section, ...]:
    """Return the sections; what was not measured has none."""
    left_out = {
        name
        for name, found in (("attacks", result.attacks), ("use", result.utility), ("frontier", frontier))
        if found is None
    }
    names = [name for name in SECTIONS if name not in left_out]
    return tuple(Section(name, section_title("anonymized", name, texts)) for name in names)


def why(column: ColumnRole, texts: Texts) -> str:
    """Return why a column has its role."""
    if column.reason == "identifier":
        return texts(f"risk.identifier_{column.identifier}")
    key = f"{column.role}_named" if column.reason == "named" else column.reason
    return texts(f"roles.why.{key}")


def attack_name(attack: TableAttack, texts: Texts) -> str:
    """Return the name of an attack, with the column that it is about."""
    said = texts.say(attack.title)
    if attack.sensitive is None:
        return said
    return texts("report.anonymized.attacks.of", attack=said, sensitive=shortened(attack.sensitive, texts))


def _worst_subsets(result: AnonymizedTable) -> list[SubsetLinkage]:
    """Return the sets of columns by which linkage succeeds most often, smaller ones first among equals."""
    linkage = result.attacks.linkage if result.attacks else None
    found = sorted(linkage.subsets, key=lambda one: (-one.mean, len(one.attributes))) if linkage else []
    return found[:MOST_SUBSETS]


def _hierarchy(result: AnonymizedTable, name: str) -> str:
    if name not in result.hierarchies:
        return "none"
    return "suggested" if name in result.suggested else "given"


def band_name(band: SizeBand, texts: Texts) -> str:
    """Return the sizes of the classes of a band."""
    count = Numbers(texts).count
    if band.last is None:
        return texts("report.anonymized.risk.of_more", first=count(band.first))
    if band.last == band.first:
        return count(band.first)
    return texts("report.anonymized.risk.of", first=count(band.first), last=count(band.last))


def assumptions(result: AnonymizedTable, texts: Texts) -> list[str]:
    """Return what the words of the report mean, as far as it uses them."""
    criteria, table = result.criteria, result.recoded.table
    used = {
        "sensitive": bool(result.roles.sensitive),
        "l": criteria.l is not None,
        "t": criteria.t is not None,
        "k_map": criteria.k_map is not None,
        "presence": criteria.presence is not None,
        "minimality": criteria.l is not None or criteria.t is not None,
        "persons": table.persons is not None,
        "missing": any(None in values for values in table.values),
    }
    keys = ("quasi", "class", "k", "sensitive", "l", "t", "k_map", "presence", "minimality", "proven", "persons")
    return [texts(f"report.anonymized.assume.{key}") for key in (*keys, "missing") if used.get(key, True)]
