"""Writing rows of generalized cells as bytes of text."""

from __future__ import annotations

from sudare.kernels.cells.cell_kinds import DELETED, RANGE, SET
from sudare.kernels.cells.text import (
    COMMA,
    LF,
    RANGE_CLOSE,
    RANGE_OPEN,
    SEMICOLON,
    SET_CLOSE,
    SET_OPEN,
    STAR,
)
from sudare.kernels.cells.values import DATE, DECIMAL, ITEM, MINUS, PERSON, POINT, ZERO
from sudare.kernels.common.arrays import Bytes, Ints, Ints32
from sudare.kernels.entry import entry, inner

# The most bytes of a value: a minus sign, the digits of a number of 64 bits and a point.
VALUE_BYTES = 21


@inner
def _put_number(out: Bytes, at: int, number: int, least: int) -> int:
    """Write a number from 0 on with a minimum number of digits; return where it ends."""
    digits, rest = 1, number // 10
    while rest > 0:
        digits += 1
        rest //= 10
    digits = max(digits, least)
    for place in range(digits):
        out[at + digits - 1 - place] = ZERO + number % 10
        number //= 10
    return at + digits


@inner
def _put_day(out: Bytes, at: int, days: int, separator: int) -> int:
    """Write a day, given as days since 1970, in the Gregorian calendar."""
    shifted = days + 719468
    era = shifted // 146097
    of_era = shifted - era * 146097
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    fifth = (5 * of_year + 2) // 153
    month = fifth + 3 if fifth < 10 else fifth - 9
    at = _put_number(out, at, year_of_era + era * 400 + (1 if month <= 2 else 0), 4)
    out[at] = separator
    at = _put_number(out, at + 1, month, 1)
    out[at] = separator
    return _put_number(out, at + 1, of_year - (153 * fifth + 2) // 5 + 1, 1)


@inner
def _put_value(out: Bytes, at: int, value: int, form: int, separator: int) -> int:
    """Write a value of an ordered column in its shortest form."""
    if form == DATE:
        return _put_day(out, at, value, separator)
    if value < 0:
        out[at] = MINUS
        at += 1
        value = -value
    if form != DECIMAL:
        return _put_number(out, at, value, 1)
    at = _put_number(out, at, value // 100, 1)
    part = value % 100
    if part:
        out[at] = POINT
        at = _put_number(out, at + 1, part // 10 if part % 10 == 0 else part, 1 if part % 10 == 0 else 2)
    return at


@entry
def join_names(starts: Ints, members: Ints32, name_starts: Ints, names: Bytes, text_starts: Ints, out: Bytes) -> None:
    """Write the names of each set's members, with semicolons between them; text s begins at text_starts[s]."""
    at = 0
    for number in range(len(starts) - 1):
        text_starts[number] = at
        for place in range(starts[number], starts[number + 1]):
            if place > starts[number]:
                out[at] = SEMICOLON
                at += 1
            for letter in range(name_starts[members[place]], name_starts[members[place] + 1]):
                out[at] = names[letter]
                at += 1
    text_starts[len(starts) - 1] = at


@entry
def write_rows(
    persons: Ints,
    kinds: Bytes,
    low: Ints,
    high: Ints,
    forms: Ints,
    separators: Ints,
    starts: Ints,
    texts: Bytes,
    out: Bytes,
) -> int:
    """Write rows, one line each, and return how many bytes they are.

    Column c has the cells kinds[c], low[c], high[c]; an item column has in `low` the number of its text.
    """
    at = 0
    for row in range(len(persons)):
        for column in range(len(forms)):
            form, kind = forms[column], kinds[column, row]
            if form == PERSON and persons[row] > 0:
                at = _put_number(out, at, persons[row], 1)
            elif form == PERSON or kind == DELETED:
                out[at] = STAR
                at += 1
            elif form == ITEM:
                at = _put_items(out, at, kind, starts, texts, low[column, row])
            elif kind == RANGE:
                out[at] = RANGE_OPEN
                at = _put_value(out, at + 1, low[column, row], form, separators[column])
                out[at] = SEMICOLON
                at = _put_value(out, at + 1, high[column, row], form, separators[column])
                out[at] = RANGE_CLOSE
                at += 1
            else:
                at = _put_value(out, at, low[column, row], form, separators[column])
            out[at] = COMMA
            at += 1
        out[at - 1] = LF
    return at


@inner
def _put_items(out: Bytes, at: int, kind: int, starts: Ints, texts: Bytes, number: int) -> int:
    if kind == SET:
        out[at] = SET_OPEN
        at += 1
    for letter in range(starts[number], starts[number + 1]):
        out[at] = texts[letter]
        at += 1
    if kind == SET:
        out[at] = SET_CLOSE
        at += 1
    return at
