"""What the gate prints."""

from __future__ import annotations

from collections.abc import Iterator

from sudare.gate.run import GateRun
from sudare.gate.suggestion import SuggestedCheck, SuggestedPolicy
from sudare.gate.verdicts import FAILING, VERDICTS
from sudare.gate.verification import EvidencePart, EvidenceVerification
from sudare.messages import Texts
from sudare.report.gate.wording import limits_text, measure_name, notes_of, shown_value
from sudare.report.terminal import console

# How much is shown of a hash.
_SHORT = 16
_STYLES = {"fail": "bold red", "unproven": "bold red", "drift": "bold red", "warn": "yellow", "pass": "green"}


def show_gate(found: GateRun, texts: Texts) -> None:
    """Print the checks, the worst first, then what is to be said of those that do not pass."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(texts("gate.title", title=found.title), style="bold")
    table = Table(show_edge=False, pad_edge=False)
    for name in ("check", "measured", "limit", "verdict"):
        table.add_column(texts(f"gate.column.{name}"), justify="right" if name == "measured" else "left")
    for check in found.checks:
        verdict = Text(texts(f"gate.verdict.{check.verdict}"), style=_STYLES.get(check.verdict, ""))
        value = shown_value(check, texts).replace("\N{NO-BREAK SPACE}", " ")
        limits = limits_text(check, texts).replace("\N{NO-BREAK SPACE}", " ")
        table.add_row(check.name, value, limits, verdict)
    out.print(table)
    for check in found.checks:
        if check.verdict != "pass":
            out.print()
            out.print(f"{check.name}: {texts(f'gate.verdict.{check.verdict}')}", style="bold")
            for line in notes_of(check, texts):
                out.print(f"  {line}".replace("\N{NO-BREAK SPACE}", " "))
            for example in check.examples:
                out.print(f"  {texts('gate.example', example=example)}")
            out.print(f"  $ {check.command}", soft_wrap=True)
    out.print()
    out.print(_counted(found, texts), style="bold")


def _counted(found: GateRun, texts: Texts) -> str:
    counts = found.counts
    told = [texts(f"gate.counted.{verdict}", count=counts[verdict]) for verdict in VERDICTS if counts[verdict]]
    answer = texts("gate.answer.no" if any(counts[verdict] for verdict in FAILING) else "gate.answer.yes")
    return texts("gate.total", answer=answer, counted=texts("list.comma").join(told))


def show_suggested(found: SuggestedPolicy, texts: Texts) -> None:
    """Print the checks that are suggested, with what they measure today."""
    from rich.table import Table

    from sudare.gate.measures.registry import find_measure
    from sudare.report.gate.wording import about_text, limit_text
    from sudare.report.legal.section import value_text

    out = console()
    out.print(texts("gate.suggested", source=found.source, kind=texts(f"gate.kind.{found.kind}")), style="bold")
    table = Table(show_edge=False, pad_edge=False)
    for name in ("check", "today", "limit", "verdict"):
        table.add_column(texts(f"gate.column.{name}"), justify="right" if name == "today" else "left")
    for check in found.checks:
        measure = find_measure(found.kind, check.measure)
        about = about_text(check.arguments)
        name = measure_name(check.measure, texts) + (f" ({about})" if about else "")
        limit = limit_text(check.limit, measure.unit, measure.better, texts).replace("\N{NO-BREAK SPACE}", " ")
        value = value_text(check.value, measure.unit, texts).replace("\N{NO-BREAK SPACE}", " ")
        table.add_row(name, value, limit, texts(f"gate.verdict.{_verdict(check)}"))
    out.print(table)


def _verdict(check: SuggestedCheck) -> str:
    return "pass" if check.within else check.severity


def show_verification(found: EvidenceVerification, texts: Texts) -> None:
    """Print what differs from evidence, and what was compared."""
    out = console()
    for line in _verification_lines(found, texts):
        out.print(line)
    if found.verified:
        out.print(texts("gate.verified"), style="bold green")
    elif not found.differs:
        out.print(texts("gate.intact"), style="bold")
    else:
        out.print(texts("gate.not_verified"), style="bold red")


def _verification_lines(found: EvidenceVerification, texts: Texts) -> Iterator[str]:
    for kind in ("file", "input", "number"):
        parts = [part for part in found.parts if part.kind == kind]
        if parts:
            same = sum(part.state == "same" for part in parts)
            yield texts(f"gate.compared.{kind}", same=same, count=len(parts))
    if found.signed is not None:
        yield texts("gate.signed" if found.signed else "gate.not_signed")
    elif any(part.kind == "signature" for part in found.parts):
        yield texts("gate.signature_not_checked")
    for part in found.parts:
        if part.state not in ("same", "not_checked") or (part.kind, part.state) == ("input", "not_checked"):
            yield _difference(part, texts)
    if found.obstacle:
        yield texts("gate.not_recomputed", reason=texts.say(found.obstacle))


def _difference(part: EvidencePart, texts: Texts) -> str:
    # Of the manifest itself there is no hash.
    rewritten = (part.kind, part.state, part.expected) == ("file", "changed", None)
    name = "manifest_changed" if rewritten else f"{part.kind}_{part.state}"
    expected, found = (_shown(part, value, texts) for value in (part.expected, part.found))
    return texts(f"gate.difference.{name}", name=part.name, expected=expected, found=found)


def _shown(part: EvidencePart, value: str | float | None, texts: Texts) -> str:
    if part.kind == "verdict":
        return texts(f"gate.verdict.{value}")
    return str(value) if part.kind in ("number", "version") else _short(value)


def _short(value: str | float | None) -> str:
    """Return a hash, or anything else that may be long, so that it can be recognized."""
    text = str(value or "")
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
