"""Columns that identify people directly: serial numbers, names, e-mail addresses, telephone numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Literal

from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.spellings import plain
from sudare.statistics.distinct import sum_by
from sudare.tables.model import Table
from sudare.tables.value_kinds import date_of, is_code_of_digits, number_of

IdentifierKind = Literal["email", "phone", "name", "number", "unique"]

# Share of the different values that must be of a kind, and of the records with a value that hardly any other has.
NEARLY_ALL = 0.9
# From this number of records on it is not by chance that every value occurs once.
MANY = 20
# What may be the names or numbers of people, or of towns and shops, which repeat more often: this many different ones
# for a record, or more.
DIFFERENT_PER_RECORD = 0.2
# Whole numbers that nearly all differ are a numbering if they lie so close together, or have one length.
MOST_GAPS = 10

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_PHONE = re.compile(r"\+?[(]?[0-9][0-9() ./-]*[0-9]")
_PHONE_DIGITS = range(9, 16)
_DIVIDED = re.compile(r"[0-9)][ -][0-9(]")
_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc"), "-")
_PHONE_HEADER = re.compile(r"\b(tel|phone|telephone|mobile|cell ?phone|fax)\b|電話|携帯|ファックス")
_PEOPLE = "customer|client|member|user|patient|person|people|employee|staff|student|subscriber|guest|contact|account"
_PERSONS = (
    "顧客|お?客様?|会員|利用者|患者|社員|従業員|職員|担当者|契約者|加入者"
    "|個人|本人|保護者|世帯主|生徒|児童|学生|ユーザー?"
)
# Headers that say whose names or numbers these are, whatever the values; others that end so may be of towns or shops.
_NAME_HEADER = re.compile(
    rf"^names?$|\b(first|last|full|family|given|middle|maiden|nick|fore|sur|{_PEOPLE}) ?names?$"
    rf"|氏名|姓名|名前|名字|苗字|ふりがな|フリガナ|^[姓名]$|({_PERSONS})名(称)?$"
)
_NAME_END = re.compile(r"\bnames?$")
_NUMBER_HEADER = re.compile(
    rf"\b({_PEOPLE}) ?(id|ids|no|nr|number|code|key)$|\b(ssn|social security number|passport( no| number)?)$"
    rf"|({_PERSONS}|学籍|口座|マイナンバー)の?(id|no|番号|コード)$|^マイナンバー$|個人番号"
)
_NUMBER_END = re.compile(r"\b(id|ids|[pu]id|uuid)$")


@dataclass(frozen=True, slots=True)
class DirectIdentifier(Result):
    """An attribute that names people by itself, and what it looks like.

    `unique` means that hardly any two records share a value.
    """

    attribute: str
    kind: IdentifierKind


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
    if nearly_all(counted, lambda value: bool(_EMAIL.fullmatch(value))):
        return "email"
    header = words_of(attribute)
    called = bool(_PHONE_HEADER.search(header))
    if nearly_all(counted, lambda value: is_phone(value, called=called)):
        return "phone"
    varied = len(counted) >= DIFFERENT_PER_RECORD * sum(counted.values())
    words = nearly_all(counted, lambda value: not any(map(str.isdigit, value)))
    if words and (_NAME_HEADER.search(header) or (varied and _NAME_END.search(header))):
        return "name"
    if nearly_unique(counted):
        return "unique"
    numbers = len(counted) >= MANY and not words
    return "number" if numbers and (_NUMBER_HEADER.search(header) or (varied and _NUMBER_END.search(header))) else None


def words_of(attribute: str) -> str:
    """Return a header in small letters with blanks between its words: CustomerName, customer_name, customer-name."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain(attribute))
    return " ".join(re.split(r"[\s_.\-]+", parted)).strip().lower()


def is_phone(text: str, *, called: bool = False) -> bool:
    """Return whether a text looks like a telephone number: 03-1234-5678, +81 3 1234 5678, (212) 555-0100.

    In a column that is `called` so, digits without a mark are one too: 5551234567.
    """
    text = plain(text).translate(_HYPHENS)
    if not _PHONE.fullmatch(text) or is_code_of_digits(text) or date_of(text):
        return False
    marked = text.startswith("+") or (text.startswith("0") and text[1] != ".")
    bare = called and text.isdigit()
    return (marked or bare or bool(_DIVIDED.search(text))) and sum(map(str.isdigit, text)) in _PHONE_DIGITS


def occurs_once(counted: Mapping[str, int]) -> bool:
    """Return whether each of many records has a value of its own."""
    return len(counted) >= MANY and max(counted.values()) == 1


def nearly_unique(counted: Mapping[str, int]) -> bool:
    """Return whether nearly each of many records has a value of its own, and not because it was measured finely.

    Dates, and numbers other than serial numbers, count only if each value occurs once.
    """
    if occurs_once(counted):
        return True
    if len(counted) < MANY or len(counted) < NEARLY_ALL * sum(counted.values()):
        return False
    return not is_measured(counted)


def is_measured(counted: Mapping[str, int]) -> bool:
    """Return whether values are dates, or numbers that are not a numbering: measured so finely that they differ."""
    if nearly_all(counted, lambda value: date_of(value) is not None):
        return True
    return nearly_all(counted, lambda value: number_of(value) is not None) and not _is_numbering(counted)


def _is_numbering(counted: Mapping[str, int]) -> bool:
    """Return whether values are whole numbers of one length, or close together."""
    if not all(value.isascii() and value.isdigit() and len(value) < 19 for value in counted):
        return False
    numbers = sorted(map(int, counted))
    return len(set(map(len, counted))) == 1 or numbers[-1] - numbers[0] < MOST_GAPS * len(numbers)


def nearly_all(values: Collection[str], fits: Callable[[str], bool]) -> bool:
    """Return whether nearly all values fit. It ends with the first that makes it impossible: most columns are none."""
    possible, least = len(values), NEARLY_ALL * len(values)
    for value in values:
        if not fits(value):
            possible -= 1
            if possible < least:
                return False
    return bool(values)
