"""How the cells of published tables are written.

| cell | written as |
|---|---|
| a value | the value itself |
| a missing value | nothing: the cell is empty |
| whole numbers from 0 on | `20-29` |
| other numbers | `[-1.5, 2]` |
| dates | `2024-01-01..2024-03-31` |
| a set of values | `{a, b}` |
| everything, missing values included | `*` |

Both ends of a range belong to it. In a set, a value that contains `,`, `{`, `}` or `"`, or that is `*`, stands in
double quotes, and a double quote in it is doubled: `{"a, b", "5"" disk", c}`. Nothing before the first comma means that
the value can be missing: `{, a, b}`; of a range, `{, 20-29}` or `{, "[-1.5, 2]"}`.

A text that can be read in two ways, such as a value that is itself written `*`, covers both: its reader cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal

from sudare.tables.value_kinds import date_of, number_of

STAR = "*"
_QUOTED = re.compile(r'[,{}"]')


def range_text(low: str, high: str, *, missing: bool = False) -> str:
    """Return how a range is written from its least to its greatest value, which are numbers or dates.

    Numbers are written without commas between groups of digits. A range of one value is that value. If a value can be
    `missing`, the range is part of a set.
    """
    written = low if low == high else _range(low, high)
    return f"{{, {_element(written)}}}" if missing else written


def _range(low: str, high: str) -> str:
    ends = low.replace(",", ""), high.replace(",", "")
    if number_of(low) is not None and number_of(high) is not None:
        whole = all(end.isascii() and end.isdigit() for end in ends)
        return "-".join(ends) if whole else f"[{ends[0]}, {ends[1]}]"
    if date_of(low) and date_of(high):
        return f"{low}..{high}"
    raise ValueError("The ends of a range are two numbers or two dates.")


def set_text(values: Collection[str | None]) -> str | None:
    """Return how a set of values is written, in the given order; a missing value (None) comes first.

    A set of one value is that value: nothing (None) if it is missing.
    """
    present = [value for value in values if value is not None]
    if not values:
        raise ValueError("A cell covers at least one value.")
    if len(values) == 1:
        return present[0] if present else None
    elements = [*([] if len(present) == len(values) else [""]), *map(_element, present)]
    return "{" + ", ".join(elements) + "}"


def _element(text: str) -> str:
    """Return how a text stands in a set."""
    if not _QUOTED.search(text) and text != STAR:
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def mean_text(mean: float | Decimal) -> str:
    """Return how a mean is written: as many digits as tell it from its neighbours, whole numbers without a fraction."""
    number = Decimal(repr(float(mean)))
    return f"{number.quantize(Decimal(1)) if number == number.to_integral_value() else number:f}"
