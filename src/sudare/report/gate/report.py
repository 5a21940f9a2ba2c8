"""The page about a gate: which checks pass, which do not, and what lawyers ask."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path

from sudare.arguments import checked
from sudare.gate.run import GateCheck, GateRun
from sudare.gate.verdicts import FAILING
from sudare.messages import Language, Texts
from sudare.report.gate.wording import about_text, legal_value_of, limits_text, measure_name, notes_of, shown_value
from sudare.report.legal.criteria import read_answers
from sudare.report.legal.map import LegalValue
from sudare.report.legal.section import legal_values, section_title
from sudare.report.page import Page, Section, render_page, shortened
from sudare.report.repeating import call_text, repetition
from sudare.sources.writing import PAGE_ENDINGS, check_ending, check_writable, keeps_inputs, whole_file
from sudare.version import __version__

SECTIONS = ("summary", "checks", "legal", "files", "parameters")


@checked
@keeps_inputs()
def write_gate_report(
    found: GateRun,
    path: str | Path,
    *,
    legal: Sequence[str] = (),
    only_legal: bool = False,
    command: str | None = None,
    language: Language = "en",
    made: dt.datetime | None = None,
) -> None:
    """Write one self-contained page about the checks of a gate, whole or not at all.

    `legal` names the frames of the legal map; without any, those that the policy names are shown, or all of them.
    `only_legal` leaves a page of the map alone. `made` is the date on the page (None: now).
    """
    path, texts = Path(path), Texts(language)
    check_ending(path, PAGE_ENDINGS)
    check_writable(path)
    made = made or dt.datetime.now().astimezone()
    page = gate_page(found, texts, made, legal=legal, only_legal=only_legal, command=command)
    with whole_file(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def gate_page(
    found: GateRun,
    texts: Texts,
    made: dt.datetime,
    *,
    legal: Sequence[str] = (),
    only_legal: bool = False,
    command: str | None = None,
) -> str:
    """Return the page as HTML text."""
    policy = found.policy
    answers = read_answers(policy.folder / policy.answers) if policy.answers else {}
    call = call_text("sudare.gate.run_gate", [repr(found.source)], {})
    frames = tuple(legal) or policy.legal
    values = {
        **check_values(found, texts),
        "answers": summary(found, texts),
        "made": made,
        "again": repetition(command, call, texts, made),
        **legal_values([*_measured(found)], texts, frames=frames, answers=answers),
    }
    sections = ("legal", "files", "parameters") if only_legal else SECTIONS
    if only_legal:
        values["legal_open"] = True
    page = Page(
        folder="gate",
        kind=texts("report.gate.kind_legal" if only_legal else "report.gate.kind"),
        title=texts("report.gate.title", title=found.title),
        sections=tuple(Section(name, section_title("gate", name, texts)) for name in sections),
        footer=(
            (texts("report.page.version"), f"sudare {__version__}"),
            (texts("report.page.seed"), str(found.seed)),
            (texts("report.gate.policy_hash"), found.sha256),
        ),
    )
    return render_page(page, texts, values)


def _measured(found: GateRun) -> Iterator[LegalValue]:
    """Yield what checks say to the legal map; one that proves nothing says nothing, whatever its value is."""
    return (legal_value_of(check) for check in found.checks if check.unproven is None)


def check_values(found: GateRun, texts: Texts) -> dict[str, object]:
    """Return what the table of checks shows."""
    return {
        "run": found,
        "failing": FAILING,
        "value": lambda check: shown_value(check, texts),
        "limits": lambda check: limits_text(check, texts),
        "measure": lambda check: measure_name(check.measure, texts),
        "about": lambda check: about_text(check.arguments),
        "notes": lambda check: notes_of(check, texts),
        "short_name": lambda name: shortened(name, texts),
    }


def summary(found: GateRun, texts: Texts) -> list[str]:
    """Return the answer in sentences, the most important first."""
    failing = [check for check in found.checks if check.verdict in FAILING]
    told = [texts(f"report.gate.answer.{found.verdict}", count=len(found.checks), failing=len(failing))]
    for verdict in ("fail", "unproven", "drift", "warn", "waived"):
        checks = [check for check in found.checks if check.verdict == verdict]
        if checks:
            told.append(texts(f"report.gate.answer.{verdict}_checks", count=len(checks), names=_names(checks, texts)))
    return [*told, texts("report.gate.answer.limits")]


def _names(checks: Sequence[GateCheck], texts: Texts, most: int = 5) -> str:
    shown = [shortened(check.name, texts) for check in checks[:most]]
    return texts("list.semicolon").join(shown) + ("…" if len(checks) > most else "")
