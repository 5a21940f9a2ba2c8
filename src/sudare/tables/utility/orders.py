"""The order of the values of a column: numbers and dates have one, names have none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.sources.spellings import plain
from sudare.tables.identifiers import NEARLY_ALL
from sudare.tables.value_kinds import date_of, number_of


def value_numbers(values: Sequence[str | None]) -> NDArray[np.float64] | None:
    """Return values as numbers; dates become days. None if the values are neither.

    Nearly all values must be numbers, or nearly all dates; the others and missing ones have no number (nan).
    """
    texts = [plain(value or "") for value in values]
    there = sum(map(bool, texts))
    for number in (_day, _number):
        found = np.array([number(text) for text in texts], np.float64)
        known = int((~np.isnan(found)).sum())
        if known and known >= NEARLY_ALL * there:
            return found
    return None


def _number(text: str) -> float:
    number = number_of(text)
    return float("nan") if number is None else float(number)


def _day(text: str) -> float:
    """Return a date as a number in the order of dates; the time of day is dropped."""
    date = date_of(text)
    if date is None:
        return float("nan")
    year, month, day = date
    return np.datetime64(f"{year:04}-{month:02}-{day or 1:02}", "D").astype(np.int64).item()
