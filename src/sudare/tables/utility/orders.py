"""The order of the values of a column: numbers and dates have one, names have none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.sources.spellings import plain
from sudare.tables.identifiers import NEARLY_ALL
from sudare.tables.value_kinds import date_of, number_of


def value_numbers(values: Sequence[str | None]) -> NDArray[np.float64] | None:
    """Return values as numbers; dates become days. None if the values are neither.

    Nearly all values must be numbers, or nearly all dates; the others and missing ones have no number (nan). A date
    without dividers (20240229) is a number, which has the same order.
    """
    there = sum(bool(plain(value or "")) for value in values)
    for found in (plain_numbers(values), _days(values)):
        known = int((~np.isnan(found)).sum())
        if known and known >= NEARLY_ALL * there:
            return found
    return None


def plain_numbers(texts: Sequence[str | None]) -> NDArray[np.float64]:
    """Return the numbers that texts say; nan for the others."""
    numbers = [number_of(plain(text or "")) for text in texts]
    return np.array([np.nan if number is None else float(number) for number in numbers], np.float64)


def _days(texts: Sequence[str | None]) -> NDArray[np.float64]:
    return np.array([_day(plain(text or "")) for text in texts], np.float64)


def _day(text: str) -> float:
    """Return the number of the day of a date, without its time; nan if a text is not a date."""
    found = date_of(text)
    if found is None:
        return float("nan")
    year, month, day = found
    return dt.date(year, month, day or 1).toordinal()
