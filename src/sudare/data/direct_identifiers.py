"""Columns that name people by themselves: numbers of their own, names, e-mail addresses, telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal

from sudare.data.distinct import sum_by
from sudare.data.table import Table
from sudare.data.value_kinds import date_of, is_code_of_digits
from sudare.showing import dataclass

IdentifierKind = Literal["email", "phone", "name", "unique"]

# Share of the different values that must be of a kind.
NEARLY_ALL = 0.9
# From so many records on it is no chance that every value occurs once.
MANY = 20
# Names of people repeat, but not as often as those of towns: so many different ones for a record, or more.
NAMES_PER_RECORD = 0.2

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_PHONE = re.compile(r"\+?[(]?[0-9][0-9() ./-]*[0-9]")
_PHONE_DIGITS = range(9, 16)
_PERSON_NAME = re.compile(
    r"(^|[^a-z])(first|last|full|family|given|middle|sur|fore|user|maiden|nick)?[ _-]?names?$"
    r"|氏名|姓名|名前|名字|苗字|ふりがな|フリガナ|^[姓名]$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DirectIdentifier:
    """An attribute that names people by itself, and what it looks like: `unique` means another value in each record."""

    attribute: str
    kind: IdentifierKind

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self)


def direct_identifiers(table: Table) -> tuple[DirectIdentifier, ...]:
    """Return the attributes of a table that look like identifiers, by their values and names, in their order."""
    found = []
    for place, attribute in enumerate(table.attributes):
        values = table.values[place]
        counts = sum_by(table.codes[place], table.counts, len(values)).tolist()
        counted = {value: count for value, count in zip(values, counts, strict=True) if value is not None}
        kind = identifier_kind(attribute, counted)
        if kind:
            found.append(DirectIdentifier(attribute, kind))
    return tuple(found)


def identifier_kind(attribute: str, counted: Mapping[str, int]) -> IdentifierKind | None:
    """Return what kind of identifier values look like, given with the records of each; None if they look like none."""
    if _nearly_all(counted, lambda value: bool(_EMAIL.fullmatch(value))):
        return "email"
    if _nearly_all(counted, is_phone):
        return "phone"
    words = _nearly_all(counted, lambda value: not any(map(str.isdigit, value)))
    if words and _PERSON_NAME.search(attribute) and len(counted) >= NAMES_PER_RECORD * sum(counted.values()):
        return "name"
    return "unique" if occurs_once(counted) else None


def is_phone(text: str) -> bool:
    """Return whether a text looks like a telephone number: 03-1234-5678, +81 3 1234 5678, (212) 555-0100."""
    if not _PHONE.fullmatch(text) or is_code_of_digits(text) or date_of(text):
        return False
    plain = text.startswith("+") or (text.startswith("0") and text[1] != ".")
    divided = re.search(r"[0-9)][ -][0-9(]", text) is not None
    return sum(map(str.isdigit, text)) in _PHONE_DIGITS and (plain or divided)


def occurs_once(counted: Mapping[str, int]) -> bool:
    """Return whether each of many records has a value of its own."""
    return len(counted) >= MANY and max(counted.values()) == 1


def _nearly_all(counted: Mapping[str, int], fits: Callable[[str], bool]) -> bool:
    return bool(counted) and sum(map(fits, counted)) >= NEARLY_ALL * len(counted)
