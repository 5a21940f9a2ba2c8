"""The claims about an anonymized table: what was asked for, what was measured in the file, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sudare.messages import Texts
from sudare.report.numbers import Numbers
from sudare.report.table.anonymized.findings import Findings
from sudare.report.table.answers import listed_names
from sudare.showing import dataclass
from sudare.tables.anonymize.publication import AnonymizedTable
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.check import CheckedProperty, TableCheck

Verdict = Literal["holds", "fails", "unknown"]
# How it is known: counted on every line of the file, or only on the classes as they were found.
Known = Literal["proven", "found", "unknown"]
# Properties whose measure is how many are wrong; those of several columns are one claim.
FILE_CHECKS = ("columns", "lines", "records", "order", "values", "cells", "means")
CRITERIA = ("k", "l", "t", "k_map", "presence", "suppressed")
SHARES = ("suppressed", "presence")
AT_MOST = ("t", "presence", "suppressed")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in words, with its numbers as they are and as they are read; None where nothing was measured."""

    key: str
    text: str
    asked: float
    asked_text: str
    measured: float | None
    measured_text: str
    verdict: Verdict
    known: Known

    @property
    def holds(self) -> bool:
        """Whether nothing is known to be wrong."""
        return self.verdict != "fails"


def find_claims(
    result: AnonymizedTable, findings: Findings, check: TableCheck | None, texts: Texts
) -> tuple[Claim, ...]:
    """Return what was asked for with what the check of the file measured.

    Without a check, only the smallest class and what is suppressed are known.
    """
    words = _Claims(result.criteria, texts)
    if check is not None:
        criterion = [found for name in CRITERIA for found in check.checks if found.name == name]
        named = {(found.name, found.attribute) for found in criterion}
        # A file that is not what was to be written is not measured further.
        missed = [part for part in wanted(result) if part[:2] not in named]
        whole = [found for name in FILE_CHECKS if (found := _together(name, check.checks))]
        return (
            *(words.measured(found) for found in criterion),
            *(words.unknown(*part) for part in missed),
            *(words.measured(found) for found in whole),
        )
    counted = {"suppressed": findings.suppressed / (findings.records or 1)}
    if findings.after:
        counted["k"] = findings.after.sizes[0].size
    return tuple(
        words.found(name, value, counted[name]) if name in counted else words.unknown(name, attribute, value)
        for name, attribute, value in wanted(result)
    )


def wanted(result: AnonymizedTable) -> list[tuple[str, str | None, float]]:
    """Return what was asked for: name, sensitive column and value."""
    criteria = result.criteria
    found: list[tuple[str, str | None, float | None]] = [("k", None, criteria.k)]
    found += [("l", name, criteria.l) for name in result.roles.sensitive]
    found += [("t", name, criteria.t) for name in result.roles.sensitive]
    found += [("k_map", None, criteria.k_map), ("presence", None, criteria.presence)]
    found += [("suppressed", None, criteria.suppress)]
    return [(name, attribute, value) for name, attribute, value in found if value is not None]


def asked_for(criteria: Criteria, texts: Texts) -> list[str]:
    """Return what was asked for in short: k = 5, l = 3 (distinct), t = 0.2."""
    kind = texts(f"report.anonymized.diversity.{criteria.diversity}")
    parts = [
        ("k", f"{criteria.k:,}"),
        ("l", None if criteria.l is None else f"{criteria.l:g} ({kind})"),
        ("c", None if criteria.c is None else f"{criteria.c:g}"),
        ("t", None if criteria.t is None else f"{criteria.t:g}"),
        ("k-map", None if criteria.k_map is None else f"{criteria.k_map:,}"),
        ("presence", None if criteria.presence is None else Numbers(texts).exact_percent(criteria.presence)),
    ]
    return [f"{name} = {value}" for name, value in parts if value is not None]


def _together(name: str, checks: Sequence[CheckedProperty]) -> CheckedProperty | None:
    """Return the checks of all columns as one: how many are wrong altogether."""
    found = [check for check in checks if check.name == name]
    if len(found) < 2:
        return found[0] if found else None
    first = found[0]
    holds = all(check.holds for check in found)
    return CheckedProperty(first.name, None, first.required, sum(check.measured for check in found), holds)


class _Claims:
    """Makes claims in one language."""

    def __init__(self, criteria: Criteria, texts: Texts) -> None:
        self.criteria = criteria
        self.texts = texts
        self.numbers = Numbers(texts)

    def measured(self, found: CheckedProperty) -> Claim:
        """Return a claim that was checked on the file."""
        verdict: Verdict = "holds" if found.holds else "fails"
        return self._claim(found.name, found.attribute, found.required, found.measured, verdict, "proven")

    def found(self, name: str, required: float, measured: float) -> Claim:
        """Return a claim that was counted on the classes."""
        held = measured <= required if name in AT_MOST else measured >= required
        return self._claim(name, None, required, measured, "holds" if held else "fails", "found")

    def unknown(self, name: str, attribute: str | None, required: float) -> Claim:
        """Return a claim about which nothing was measured."""
        return self._claim(name, attribute, required, None, "unknown", "unknown")

    def _claim(
        self, name: str, attribute: str | None, required: float, measured: float | None, verdict: Verdict, known: Known
    ) -> Claim:
        asked = self._number(name, required, exact=True)
        if name not in FILE_CHECKS:
            asked = self._say("at_most" if name in AT_MOST else "at_least", value=asked)
        told = "" if measured is None else self._number(name, measured, exact=False)
        return Claim(name, self._text(name, attribute), required, asked, measured, told, verdict, known)

    def _text(self, name: str, attribute: str | None) -> str:
        key = f"l_{self.criteria.diversity}" if name == "l" else name
        sensitive = listed_names([attribute], self.texts) if attribute else ""
        return self._say(key, sensitive=sensitive, c=f"{self.criteria.c or 0:g}")

    def _number(self, name: str, value: float, *, exact: bool) -> str:
        if name in SHARES:
            return self.numbers.exact_percent(value) if exact else self.numbers.percent(value)
        if value == int(value):
            return self.numbers.count(int(value))
        return f"{value:g}" if exact else self.numbers.decimal(value, 3)

    def _say(self, key: str, **values: object) -> str:
        return self.texts(f"report.anonymized.claims.{key}", **values)
