"""The baskets report: whether sensitive items are protected before and after suppression, for any reader."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from sudare.arguments import checked
from sudare.baskets.check.rho import plain_rho
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.suppress.suppression import Suppression
from sudare.baskets.verification import Verification
from sudare.messages import Language, Texts, message
from sudare.progress import Progress, silent
from sudare.report.baskets.answers import answers, conclusion_of, guarantee_values, next_step
from sudare.report.baskets.figures import baskets_figures
from sudare.report.baskets.findings import Findings, WorstAdversary, gather_findings
from sudare.report.legal.criteria import frames_named
from sudare.report.legal.section import legal_values, section_title
from sudare.report.legal.values import baskets_legal
from sudare.report.page import Page, Section, render_page, shortened
from sudare.report.readings import file_name, guesses, input_hash, reading_notes
from sudare.report.repeating import Repetition, call_text, repetition
from sudare.sources.writing import PAGE_ENDINGS, check_ending, check_writable, keeps_inputs, whole_file
from sudare.version import __version__

SECTIONS = (
    "summary", "data", "reading", "risk", "confidence", "suppressed", "utility", "worst", "limits", "legal",
    "parameters",
)  # fmt: skip
# Known items that are shown by name.
MOST_KNOWN = 6
# Names that stand in one line.
MOST_NAME_LETTERS = 40
LIMITS = ("line", "other", "several", "frequency", "absent", "order", "remaining", "names", "unnamed")


@checked
@keeps_inputs("certificate")
def write_baskets_report(
    found: Suppression | Verification,
    path: str | Path,
    *,
    certificate: str | Path | None = None,
    show_records: bool = True,
    legal: Sequence[str] = (),
    command: str | None = None,
    language: Language = "en",
    made: dt.datetime | None = None,
    progress: Progress = silent,
) -> Findings:
    """Describe baskets before and after suppression on one self-contained HTML page, written whole or not at all.

    Pass a suppression, or a verification of published baskets; either brings the records and the guarantee. Everything
    is recomputed from the records: only that check can say safe, and it never does for an interrupted suppression.
    Users appear by record number, and only with `show_records`. With a certificate file, the page shows its hash and
    every difference from it; the file it names must hold the records of the suppression. `legal` names the laws and
    standards that the page shows (none: all, folded). The page shows `command`, the
    command line that made it, or without one the library call. `made` is the date on the page (None: now). Returns what
    was found.
    """
    texts = Texts(language)
    made = made or dt.datetime.now().astimezone()
    # Asked first: an output that cannot be written should not cost a long computation.
    check_ending(Path(path), PAGE_ENDINGS)
    check_writable(Path(path))
    frames_named(legal)
    findings = gather_findings(found, certificate, progress)
    progress(message("progress.drawing"), 0, 1)
    asked = {"certificate": certificate and str(certificate), "show_records": show_records, "language": language}
    call = call_text("sudare.baskets.write_baskets_report", ["found", repr(Path(path).name)], asked)
    again = repetition(command, call, texts, made, found.original.reading)
    page = baskets_page(
        found.original, found.sensitive, findings, texts, made, again, show_records=show_records, legal=legal
    )
    with whole_file(Path(path)) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    progress(message("progress.drawing"), 1, 1)
    return findings


def baskets_page(
    original: Baskets,
    sensitive: SensitiveItems,
    findings: Findings,
    texts: Texts,
    made: dt.datetime,
    again: Repetition,
    *,
    show_records: bool,
    legal: Sequence[str] = (),
) -> str:
    """Return the report as HTML text."""
    reading = original.reading
    # The folders a file lies in are of no use to the reader and may tell more than they should.
    unnamed = texts("report.baskets.unnamed")
    source = shortened(Path(reading.source).name, texts) if reading else unnamed
    secrets_file = sensitive.reading.sha256 if sensitive.reading else None
    values = {
        "baskets": original,
        "reading": reading,
        "source": source,
        "secrets_name": shortened(Path(sensitive.described).name if secrets_file else sensitive.described, texts),
        "secrets_hash": secrets_file,
        "guesses": guesses(reading, texts) if reading else [],
        "notes": reading_notes(reading, texts) if reading else [],
        "findings": findings,
        "conclusion": conclusion_of(findings),
        "rho": plain_rho(findings.after.verdict.rho),
        "guarantee": guarantee_values(findings, texts),
        "warning": warning(findings, texts),
        "answers": answers(findings, original, texts),
        "next": next_step(findings, file_name(reading), Path(sensitive.described).name, texts),
        "figures": baskets_figures(findings, texts),
        "limits": LIMITS,
        "differences": differing(findings, texts),
        "known_items": lambda entry: known_items(entry, texts),
        "short_name": lambda name: shortened(name, texts, most=MOST_NAME_LETTERS),
        "show_records": show_records,
        "made": made,
        "again": again,
        "input_hash": input_hash(reading, texts),
        **legal_values([*baskets_legal(findings, texts)], texts, frames=legal),
    }
    page = Page(
        folder="baskets",
        kind=texts("report.baskets.kind"),
        title=texts("report.baskets.title", source=source),
        sections=tuple(Section(name, section_title("baskets", name, texts)) for name in SECTIONS),
        footer=(
            (texts("report.page.version"), f"sudare {__version__}"),
            (texts("report.baskets.parameters.rho"), texts.exact_percent(findings.after.verdict.rho)),
            (texts("report.page.input_hash"), input_hash(reading, texts)),
        ),
    )
    return render_page(page, texts, values)


def warning(findings: Findings, texts: Texts) -> str:
    """Return what belongs beside the word safe: that one sensitive item is in more of the records than rho."""
    verdict = findings.after.verdict
    found = verdict.most_frequent_sensitive
    if found is None or not verdict.frequent_above_rho:
        return ""
    counts = {"records": f"{found.records:,}", "all_records": f"{found.all_records:,}"}
    words = {"share": texts.upper_percent(found.share), "rho": texts.exact_percent(verdict.rho)}
    item = shortened(found.item or "", texts, most=MOST_NAME_LETTERS)
    return texts("report.baskets.frequent", item=item, **counts, **words)


def differing(findings: Findings, texts: Texts) -> str:
    """Return the names of what is not as a certificate says, nothing without one."""
    found = findings.certificate.differences if findings.certificate else ()
    return texts("list.comma").join(texts(f"baskets.what.{entry.what}") for entry in found)


def known_items(entry: WorstAdversary, texts: Texts) -> str:
    """Return what an adversary knows, of many items the first ones and how many more."""
    names = [shortened(name, texts, most=MOST_NAME_LETTERS) for name in entry.found.known]
    shown = texts("list.comma").join(names[:MOST_KNOWN])
    more = len(names) - MOST_KNOWN
    return texts("report.baskets.worst.known", list=shown, more=more) if more > 0 else shown
