"""How checks of a gate are put into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sudare.gate.arguments import Value
from sudare.gate.measures.model import Better, Unit
from sudare.gate.run import GateCheck
from sudare.messages import Texts
from sudare.report.legal.map import LegalValue
from sudare.report.legal.section import number_text, value_text

# Arguments that say what a value is about, and those of them whose values say it without their names.
_ABOUT = (
    "known", "knowledge", "attacker", "sensitive", "size", "m", "rho", "use", "column", "counts", "age", "split",
    "limit", "people", "share", "budget",
)  # fmt: skip
_SPEAKING = ("known", "knowledge", "use", "column", "counts", "age")


def measure_name(measure: str, texts: Texts) -> str:
    """Return what a measure is called."""
    return texts(f"gate.measure.{measure}")


def shown_value(check: GateCheck, texts: Texts) -> str:
    """Return the value of a check."""
    return value_text(check.value, check.unit, texts)


def limit_text(limit: float, unit: Unit, better: Better, texts: Texts) -> str:
    """Return a limit: at most, or at least."""
    shown = texts.exact_percent(limit) if unit == "share" else number_text(limit, 6)
    return texts(f"legal.usual.{better}", number=shown)


def limits_text(check: GateCheck, texts: Texts) -> str:
    """Return the limits of a check: what fails, and what warns."""
    told = []
    if check.fail is not None:
        told.append(limit_text(check.fail, check.unit, check.better, texts))
    if check.warn is not None:
        warn = limit_text(check.warn, check.unit, check.better, texts)
        told.append(texts("gate.warn_limit", limit=warn))
    return texts("list.semicolon").join(told)


def about_text(arguments: Mapping[str, Value]) -> str:
    """Return what a value is about, such as the attributes that are known."""
    return ", ".join(_told(name, arguments[name]) for name in _ABOUT if name in arguments)


def _told(name: str, value: Value) -> str:
    told = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return told if name in _SPEAKING else f"{name} {told}"


def check_sentence(check: GateCheck, texts: Texts) -> str:
    """Return what was measured, what is allowed, and the verdict, in one line."""
    return texts(
        "gate.sentence", name=check.name, measure=measure_name(check.measure, texts), value=shown_value(check, texts),
        limits=limits_text(check, texts), verdict=texts(f"gate.verdict.{check.verdict}"),
    )  # fmt: skip


def notes_of(check: GateCheck, texts: Texts) -> Sequence[str]:
    """Return what is said beside a check: how it was found, what has changed, which exception there is."""
    told = list(check.told(texts))
    if check.before is not None:
        before = value_text(check.before, check.unit, texts)
        told.append(texts("gate.before", before=before, drift=value_text(check.drift, check.unit, texts)))
    if check.waiver:
        key = "gate.waived" if check.verdict == "waived" else "gate.waiver"
        told.append(texts(key, reason=check.waiver.reason, until=check.waiver.until.isoformat()))
    if check.basis != "counted":
        told.append(texts(f"gate.basis.{check.basis}"))
    return [text.rstrip("。.") for text in told]


def legal_value_of(check: GateCheck) -> LegalValue:
    """Return what a check says to the legal map."""
    about = about_text(check.arguments) or check.source
    return LegalValue(check.measure, check.value, check.unit, check.better, about, check.basis)
