"""Habits: how much and how often people buy, at which prices and on which days of the week."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.histories.profiles.sides import Side
from sudare.kernels.common.arrays import Floats, Floats32, Ints, Ints32

_WEEK = 7
# 1970-01-01 was a Thursday.
_FIRST_WEEKDAY = 3
# Visits that everybody is thought to make besides their own, spread over the week as all visits are.
_USUAL_VISITS = 2.0


class Habits(NamedTuple):
    """The habits of the people of a side by name, logarithms of means, and their visits by day of the week."""

    means: dict[str, Floats]
    week: Floats | None


def find_habits(side: Side, *, days: bool) -> Habits:
    """Return the habits of people; those that rest on `days` only where all of them are single ones."""
    owners, rows = side.owners, side.rows
    means: dict[str, Floats] = {"rows": np.log(rows)}
    for role, values in side.numbers.items():
        means[role] = _mean(owners, _logarithm(values), len(side))
    week = None
    if days and side.days is not None:
        visitor, day = _visits(owners, side.days)
        visits = np.bincount(visitor, minlength=len(side))
        means["visits"] = np.log(visits)
        means["basket"] = np.log(rows / visits)
        if {"price", "quantity"} <= set(side.numbers):
            spent = np.nan_to_num(side.numbers["price"] * side.numbers["quantity"])
            means["spending"] = _logarithm(np.bincount(owners, spent, len(side)) / visits)
        weekday = (day + _FIRST_WEEKDAY) % _WEEK
        week = np.bincount(visitor * _WEEK + weekday, minlength=_WEEK * len(side)).reshape(-1, _WEEK).astype(float)
    return Habits(means, week)


def _logarithm(values: Floats) -> Floats:
    """Return the logarithm of 1 more than each value; that of what is below 0, as returned goods are, with a minus."""
    return np.asarray(np.copysign(np.log1p(np.abs(values)), values))


def _mean(owners: Ints, values: Floats, people: int) -> Floats:
    """Return the mean of the values that each person has; that of all where somebody has none."""
    there = ~np.isnan(values)
    sums = np.bincount(owners[there], values[there], people)
    counts = np.bincount(owners[there], minlength=people)
    usual = float(values[there].mean()) if there.any() else 0.0
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), usual))


def _visits(owners: Ints, days: Ints) -> tuple[Ints, Ints]:
    """Return the person and the day of each visit."""
    least = int(days.min())
    span = int(days.max()) - least + 1
    found = np.unique(owners * span + (days - least))
    return found // span, found % span + least


def compare_habits(published: Habits, known: Habits, groups: Ints32, people: Ints32) -> dict[str, Floats32]:
    """Return how far apart pairs are in each habit, and how well the days of the week of one fit the other's.

    Habits are measured from the mean of their side: seasons and the lengths of periods change those of everybody.
    """
    found: dict[str, Floats32] = {}
    for name in published.means:
        if name in known.means:
            own, other = published.means[name], known.means[name]
            more = ((own - own.mean())[groups] - (other - other.mean())[people]).astype(np.float32)
            found |= {f"{name}_apart": np.abs(more), f"{name}_more": more}
    if published.week is not None and known.week is not None:
        usual = published.week.sum(axis=0) + known.week.sum(axis=0) + 1.0
        usual /= usual.sum()
        shares = (known.week + _USUAL_VISITS * usual) / (known.week.sum(axis=1, keepdims=True) + _USUAL_VISITS)
        gains = np.log(shares / usual)
        own = published.week / published.week.sum(axis=1, keepdims=True)
        fit = sum(own[groups, day] * gains[people, day] for day in range(_WEEK))
        found["weekdays"] = np.asarray(fit, np.float32)
    for name in ("rows", "visits"):
        if name in published.means and name in known.means:
            found[f"{name}_published"] = published.means[name].astype(np.float32)[groups]
            found[f"{name}_known"] = known.means[name].astype(np.float32)[people]
    return found
