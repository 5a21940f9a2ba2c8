"""The section of a report that shows the legal map, and the values that templates need for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal

from sudare.gate.measures.model import Unit
from sudare.messages import Texts
from sudare.report.legal.criteria import frames_named, legal_questions
from sudare.report.legal.map import LegalValue, MappedCriterion, map_values
from sudare.report.numbers import Numbers

SECTION = "legal"


def section_title(report: str, section: str, texts: Texts) -> str:
    """Return the title of a section of a report; that of the map is the same in all of them."""
    return texts("legal.section" if section == SECTION else f"report.{report}.section.{section}")


def legal_values(
    values: Sequence[LegalValue],
    texts: Texts,
    *,
    frames: Sequence[str] = (),
    answers: Mapping[str, str | bool] | None = None,
) -> dict[str, object]:
    """Return what the templates of the legal map show; frames that are asked for by name are unfolded."""
    shown, given = frames_named(frames), answers or {}
    asked = {name for frame in shown for criterion in frame.criteria for name in criterion.questions}
    return {
        "legal": map_values(shown, values, given),
        "legal_open": bool(frames),
        "legal_questions": [(one, given.get(name)) for name, one in legal_questions().items() if name in asked],
        "legal_value": lambda value: value_text(value.value, value.unit, texts),
        "legal_usual": lambda compared: usual_text(compared.usual.number, compared.value, texts),
        "legal_measure": lambda name: texts(f"gate.measure.{name}"),
        "legal_verdicts": lambda one: verdict_texts(one, texts),
        # As people type it: a page loads nothing, and has no links to load.
        "legal_address": lambda source: source.address.removeprefix("https://"),
        "legal_basis": lambda value: "" if value.basis == "counted" else texts(f"legal.basis.{value.basis}"),
        "in_language": lambda told: told[texts.language],
    }


def verdict_texts(one: MappedCriterion, texts: Texts) -> list[str]:
    """Return what is to be said of a criterion; of several numbers or measures, which ones are meant."""
    if not one.compared or (len(one.compared) == 1 and len({value.measure for value in one.values}) == 1):
        return [texts(f"legal.verdict.{verdict}") for verdict in one.verdicts]
    by_measure: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for compared in one.compared:
        shown = named_number(compared.usual.number, compared.value, texts)
        by_measure[compared.usual.measure, compared.verdict].append(shown)
    return [
        texts(
            "legal.of_measure",
            measure=texts(f"gate.measure.{measure}"),
            verdict=texts(f"legal.verdict.{verdict}"),
            numbers=texts("list.comma").join(numbers),
        )
        for (measure, verdict), numbers in by_measure.items()
    ]


def value_text(value: float, unit: Unit, texts: Texts) -> str:
    """Return a measured value as people read it."""
    numbers = Numbers(texts)
    if unit == "share":
        return numbers.percent(value)
    return numbers.count(round(value)) if unit == "count" else number_text(value, 4)


def number_text(value: float, digits: int) -> str:
    """Return a number with at most this number of significant digits, whole ones all, and without an exponent."""
    if abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def usual_text(number: float, value: LegalValue, texts: Texts) -> str:
    """Return a number of a source as a limit: at most, or at least."""
    return texts(f"legal.usual.{value.better}", number=named_number(number, value, texts))


def named_number(number: float, value: LegalValue, texts: Texts) -> str:
    """Return a number of a source in the unit of a measured value."""
    return texts.exact_percent(number) if value.unit == "share" else f"{number:g}"
