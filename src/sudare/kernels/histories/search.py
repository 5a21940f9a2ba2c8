"""Exchanging customers between two classes.

Exchanges are tried in the order of an estimate from the costs of pairs: a class of c customers costs about `rates[c]`
times the summed costs of its pairs. What is tried is computed from the rows.

`new_class`, `blind_class`, `align_anew` and `exchange_two` are called from Python and by no other kernel: a compiled
function that is loaded from the cache as part of another one cannot give arrays to Python any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Floats32, Ints
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.alignment import align, deletion_cost, join, part, realign, rows_of
from sudare.kernels.histories.groups import HistoryData, join_costs, profile

# Exchanges that seem to cost more than this share of the two classes are not computed: on PWSCUP 2018's data none of
# 250 such was better. And how many are computed before two classes are left.
_MOST_LOSS = 0.04
_MOST_TRIES = 6
# By how much estimates of two classes are wrong mostly, as a share of what they cost.
_DOUBT = 0.015
# Aligning the rows of two classes anew, until nothing is better, brings their cost down by about this share.
_SETTLING = 0.004
# While classes change, their rows are aligned anew until a step saves less than this share: on PWSCUP 2018's data that
# leaves a seventh of a percent for classes of 7, and takes a sixth of the time.
_LEAST_GAIN = 0.001


class Aligned(NamedTuple):
    """A class: its members, a line of rows for each group and a column for each member, and what it costs."""

    members: Ints
    rows: Ints
    cost: float


class Exchanged(NamedTuple):
    """Two classes after an exchange, and the members (-1: no more) and costs of all classes that were computed."""

    one: Aligned
    other: Aligned
    tried: Ints
    costs: Floats


@inner
def estimate(pairs: Floats32, rates: Floats, customers: Ints, inside: Bools, side: bool) -> float:
    """Return about what the class of the customers on one side costs."""
    total, count = 0.0, 0
    for i in range(len(inside)):
        if inside[i] == side:
            count += 1
            for j in range(i):
                if inside[j] == side:
                    total += pairs[customers[i], customers[j]]
    cost: float = rates[count] * total
    return cost


@inner
def _exchanges(
    pairs: Floats32, rates: Floats, customers: Ints, inside: Bools, bounds: tuple[int, int], most: float, favour: Floats
) -> Ints:
    """Return the exchanges that promise to cost at most `most`, less a favour to each, the best first.

    An exchange is two places, -1 where nobody goes.
    """
    count, first = len(inside), inside.sum()
    here, there = np.append(np.flatnonzero(inside), -1), np.append(np.flatnonzero(~inside), -1)
    scores = np.full(len(here) * len(there), np.inf)
    changed = inside.copy()
    for a in here:
        for b in there:
            size = first - (a >= 0) + (b >= 0)
            if (a < 0 and b < 0) or min(size, count - size) < bounds[0] or max(size, count - size) > bounds[1]:
                continue
            if a >= 0:
                changed[a] = False
            if b >= 0:
                changed[b] = True
            place = (a if a >= 0 else first) * len(there) + (b - first if b >= 0 else len(there) - 1)
            scores[place] = -favour[place]
            for side in (True, False):
                scores[place] += estimate(pairs, rates, customers, changed, side)
            changed[:] = inside
    order = np.argsort(scores, kind="mergesort")[:_MOST_TRIES]
    order = order[scores[order] <= most]
    found = np.empty((len(order), 2), np.int64)
    for o in range(len(order)):
        found[o, 0], found[o, 1] = here[order[o] // len(there)], there[order[o] % len(there)]
    return found


@inner
def changed_class(data: HistoryData, members: Ints, rows: Ints, leaves: int, enters: int) -> Aligned:
    """Return a class that one customer leaves and another enters, -1 where none does."""
    if leaves >= 0:
        members, rows = part(data, members, rows, members != leaves)
    # Where nobody enters, the last of those who stay is joined anew: then the cost is known.
    entering = enters if enters >= 0 else members[-1]
    members, rows = part(data, members, rows, members != entering)
    rows, cost = join(data, rows, rows_of(data, entering), False)
    members = np.append(members, entering)
    return Aligned(members, rows, cost + deletion_cost(data, members, rows.shape[0]))


@inner
def _settle(data: HistoryData, members: Ints, rows: Ints) -> Aligned:
    """Return a class with its rows aligned anew, each member with the rest, until that gains little."""
    rows, cost = realign(data, members, rows, np.inf, np.eye(len(members)) > 0, False, _LEAST_GAIN)
    return Aligned(members, rows, cost + deletion_cost(data, members, rows.shape[0]))


@entry
def align_anew(data: HistoryData, one: Aligned, division: Bools, exact: bool) -> Aligned:
    """Return a class with its rows aligned anew by a division in two, if that is better and not halted."""
    members, rows, cost = one
    deleted = deletion_cost(data, members, rows.shape[0])
    rows, cost = realign(data, members, rows.copy(), cost - deleted, division.reshape((1, -1)), exact, 0.0)
    if data.halt[0]:
        return one
    return Aligned(members, rows, cost + deleted)


@entry
def new_class(data: HistoryData, members: Ints) -> Aligned:
    """Return a class of given customers, each aligned with the rest until that gains little; useless when halted."""
    rows, _ = align(data, members)
    return _settle(data, members, rows)


@entry
def blind_class(data: HistoryData, members: Ints) -> Aligned:
    """Return a class of given customers whose rows are aligned in the order in which they are."""
    starts = data.starts
    lengths = starts[members + 1] - starts[members]
    rows = np.arange(lengths.min()).reshape((-1, 1)) + starts[members]
    cost = deletion_cost(data, members, len(rows))
    for g in range(len(rows)):
        group = rows[g : g + 1]
        cost += join_costs(data, profile(data, group[:, :1]), profile(data, group[:, 1:]))[0, 0]
    return Aligned(members, rows, cost)


@inner
def _exchanged(
    data: HistoryData, one: Aligned, other: Aligned, leaves: int, enters: int, most: float
) -> tuple[Aligned, Aligned]:
    """Return two classes after an exchange; if they can be expected to cost at most `most`, aligned anew."""
    new_one = changed_class(data, one.members, one.rows, leaves, enters)
    new_other = changed_class(data, other.members, other.rows, enters, leaves)
    if (new_one.cost + new_other.cost) * (1 - _SETTLING) < most:
        new_one = _settle(data, new_one.members, new_one.rows)
        new_other = _settle(data, new_other.members, new_other.rows)
    return new_one, new_other


@entry
def exchange_two(
    data: HistoryData,
    one: Aligned,
    other: Aligned,
    pairs: Floats32,
    rates: Floats,
    bounds: tuple[int, int],
    heat: float,
    rng: np.random.Generator,
) -> Exchanged:
    """Exchange customers between two classes once, if an exchange that promises something is better.

    With heat, it may also be for the worse, by exp(-loss / heat). Returns the classes and all that were computed on the
    way: members, -1 where there are no more, and costs.
    """
    tried, costs = np.full((2 * _MOST_TRIES, bounds[1]), -1, np.int64), np.zeros(2 * _MOST_TRIES)
    customers = np.append(one.members, other.members)
    inside = np.arange(len(customers)) < len(one.members)
    now = one.cost + other.cost
    most = _MOST_LOSS * now
    for side in (True, False):
        most += estimate(pairs, rates, customers, inside, side)
    favour = np.zeros((len(one.members) + 1) * (len(other.members) + 1))
    if heat > 0:
        favour = _DOUBT * now * rng.standard_normal(len(favour))
    count = 0
    for exchange in _exchanges(pairs, rates, customers, inside, bounds, most, favour):
        leaves = customers[exchange[0]] if exchange[0] >= 0 else -1
        enters = customers[exchange[1]] if exchange[1] >= 0 else -1
        limit = now - 1e-6 + heat * rng.standard_exponential()
        new_one, new_other = _exchanged(data, one, other, leaves, enters, limit)
        if data.halt[0]:
            break
        for new in (new_one, new_other):
            tried[count, : len(new.members)] = new.members
            costs[count] = new.cost
            count += 1
        if new_one.cost + new_other.cost < limit:
            return Exchanged(new_one, new_other, tried[:count], costs[:count])
    return Exchanged(one, other, tried[:count], costs[:count])
