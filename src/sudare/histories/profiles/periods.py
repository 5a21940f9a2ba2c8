"""Periods of histories, and how a history is cut into them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import numpy as np

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, Kind
from sudare.histories.generalized.purchases import role_columns
from sudare.histories.generalized.rule_sets import EPOCH
from sudare.kernels.common.arrays import Ints
from sudare.results import Result
from sudare.showing import dataclass


@dataclass(frozen=True, slots=True)
class Period(Result):
    """A period: its first and last day, and the rows and people in it. Where all days are deleted, it has none."""

    first: date | None
    last: date | None
    rows: int
    people: int

    @property
    def days(self) -> int:
        """The number of days; 0 if nobody knows."""
        return (self.last - self.first).days + 1 if self.first and self.last else 0


def period_of(history: CellHistory) -> Period:
    """Return the period of a history, without what is deleted."""
    days = role_columns(history).day
    there = days.kinds != Kind.DELETED
    persons = history.persons[~history.deleted]
    people = len(np.unique(persons))
    if not there.any():
        return Period(None, None, len(persons), people)
    return Period(_date(int(days.low[there].min())), _date(int(days.high[there].max())), len(persons), people)


def is_same_time(known: Period, published: Period) -> bool:
    """Say whether half of the shorter period, or more, is in both; not where days are unknown."""
    if not (known.first and known.last and published.first and published.last):
        return False
    common = (min(known.last, published.last) - max(known.first, published.first)).days + 1
    return 2 * common >= min(known.days, published.days)


def gap_between(one: Period, other: Period) -> int:
    """Return how many days lie between two periods; 0 if they touch or overlap, or if that is not known."""
    if not (one.first and one.last and other.first and other.last):
        return 0
    return max((other.first - one.last).days - 1, (one.first - other.last).days - 1, 0)


def cut_days(history: CellHistory, split: str | date | Sequence[str | date]) -> list[int]:
    """Return the days at which a history is cut, rising, as days since 1970.

    They are given as dates, as texts like 2011-06-10, as "half" (the middle of the period) or "months" (the first of
    each month). A cut must lie within the period, and leave rows on both sides.
    """
    days = role_columns(history).day
    if not len(history):
        raise OptionNotUsable("errors.profiles.empty")
    if (days.kinds != Kind.EXACT).any():
        raise OptionNotUsable("errors.profiles.split_days")
    first, last = int(days.low.min()), int(days.low.max())
    if split == "half":
        found = [(first + last + 1) // 2]
    elif split == "months":
        found = _months(first, last)
    else:
        given = [split] if isinstance(split, str | date) else list(split)
        found = sorted({(_as_date(one) - EPOCH).days for one in given})
    wrong = next((cut for cut in found if not first < cut <= last), None)
    if wrong is not None or not found:
        told = "months" if wrong is None else str(_date(wrong))
        raise OptionNotUsable("errors.profiles.split_outside", split=told, first=_date(first), last=_date(last))
    return found


def cut_rows(history: CellHistory, cuts: Sequence[int]) -> list[Ints]:
    """Return the rows of each part of a history that is cut at some days; a day belongs to the later part."""
    part = np.searchsorted(np.asarray(cuts), role_columns(history).day.low, side="right")
    return [np.flatnonzero(part == number) for number in range(len(cuts) + 1)]


def rows_from(history: CellHistory, cut: int) -> Ints:
    """Return the rows that are not deleted and whose day is certainly not before a cut."""
    days = role_columns(history).day
    return np.flatnonzero((days.kinds != Kind.DELETED) & (days.low >= cut) & ~history.deleted)


def _months(first: int, last: int) -> list[int]:
    month = (np.datetime64(_date(first), "M") + 1).astype("datetime64[M]")
    end = np.datetime64(_date(last), "M")
    return np.arange(month, end + 1).astype("datetime64[D]").astype(np.int64).tolist()


def _as_date(split: str | date) -> date:
    try:
        if isinstance(split, datetime):
            return split.date()
        return split if isinstance(split, date) else date.fromisoformat(split.strip())
    except ValueError:
        raise OptionNotUsable("errors.profiles.split", split=split) from None


def _date(day: int) -> date:
    return EPOCH + timedelta(days=day)
