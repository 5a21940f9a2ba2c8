"""Columns of official numbers of people and of payment cards, known by their check digits and their names."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from sudare.arguments import checked
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.spellings import plain
from sudare.tables.identifiers import nearly_all, words_of
from sudare.tables.model import Table

CodeKind = Literal["card", "my_number", "named"]

# Headers that name an individual identification code of Japan (個人識別符号), or an official number elsewhere.
_NAMED = re.compile(
    r"マイナンバー|個人番号|住民票コード|基礎年金番号|(旅券|パスポート)の?番号|(運転)?免許証?の?番号|被保険者(証)?の?(記号)?番号|保険証の?番号|在留カード"
    r"|\b(my number|ssn|social security( number| no)?|passport( number| no)?|driver[ '’]?s? ?licen[cs]e( number| no)?"
    r"|licen[cs]e (number|no)|national (id|insurance)( number| no)?|health insurance (number|no)|tax (id|number))\b"
)
_CARD_DIGITS = range(13, 20)
_MY_NUMBER_DIGITS = 12
# Fewer different values may have right check digits by chance.
_LEAST_VALUES = 5


@dataclass(frozen=True, slots=True)
class CodeColumn(Result):
    """An attribute that looks like official numbers of people, or like the numbers of payment cards.

    `card`: the check digits of payment cards (ISO/IEC 7812) are right; `my_number`: those of Japan's individual number;
    `named`: the header names one of these numbers.
    """

    attribute: str
    kind: CodeKind


@checked
def code_columns(table: Table) -> tuple[CodeColumn, ...]:
    """Return the attributes of a table that look like such numbers, in their order."""
    found = []
    for attribute, values in zip(table.attributes, table.values, strict=True):
        kind = code_kind(attribute, [value for value in values if value is not None])
        if kind:
            found.append(CodeColumn(attribute, kind))
    return tuple(found)


def code_kind(attribute: str, values: Collection[str]) -> CodeKind | None:
    """Return what kind of number the different values of a column look like; None if they look like none."""
    if len(values) >= _LEAST_VALUES:
        if nearly_all(values, lambda value: is_card(_undivided(value))):
            return "card"
        if nearly_all(values, lambda value: is_my_number(_undivided(value))):
            return "my_number"
    return "named" if values and _NAMED.search(words_of(attribute)) else None


def _undivided(value: str) -> str:
    """Return a number without the blanks and hyphens between its groups."""
    return re.sub(r"[ -]", "", plain(value))


def is_card(text: str) -> bool:
    """Return whether digits are those of a payment card: the formula of Luhn (ISO/IEC 7812-1, annex B)."""
    if not (text.isascii() and text.isdigit() and len(text) in _CARD_DIGITS):
        return False
    digits = [int(digit) for digit in reversed(text)]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and text[0] in "3456"


def is_my_number(text: str) -> bool:
    """Return whether twelve digits have the check digit of an individual number (平成26年総務省令第85号, art. 5)."""
    if not (text.isascii() and text.isdigit() and len(text) == _MY_NUMBER_DIGITS):
        return False
    *first, check = (int(digit) for digit in text)
    total = sum(digit * (n + 1 if n <= 6 else n - 5) for n, digit in enumerate(reversed(first), 1))
    rest = total % 11
    return check == (0 if rest <= 1 else 11 - rest)
