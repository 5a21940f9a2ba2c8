"""Aligning the rows of a class: which rows of its members are published as one.

Two parts of a class whose own rows are aligned are joined by an assignment of their groups, which is exact. Aligning
more than two histories at once is hard; classes are divided in two parts and joined anew in all ways that promise
something until none is better.

As many groups are published as the shortest history has rows: any group costs less than the deletion of its rows. So
the cost of a class is that of its groups and a constant for the rows left over.

When the data say to halt, rows are aligned in any way and costs are wrong: nothing of that may be used.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Ints
from sudare.kernels.entry import inner
from sudare.kernels.histories.assignment import LAST_STEP, assign, assign_nearly
from sudare.kernels.histories.groups import HistoryData, join_costs, profile


@inner
def join(data: HistoryData, one: Ints, other: Ints, exact: bool) -> tuple[Ints, float]:
    """Return the rows of two aligned parts joined, and the cost of the groups; what the longer has more is left."""
    turned = one.shape[0] > other.shape[0]
    few, many = (other, one) if turned else (one, other)
    groups, width = few.shape[0], one.shape[1]
    cost = join_costs(data, profile(data, few), profile(data, many))
    chosen = assign(cost, groups, data.halt) if exact else assign_nearly(cost, groups, LAST_STEP, data.halt)
    rows = np.empty((groups, width + other.shape[1]), np.int64)
    total = 0.0
    for g in range(groups):
        rows[g, :width] = one[chosen[g] if turned else g]
        rows[g, width:] = other[g if turned else chosen[g]]
        total += cost[g, chosen[g]]
    return rows, total


@inner
def rows_of(data: HistoryData, customer: int) -> Ints:
    """Return the rows of a customer, aligned with nobody."""
    first, end = data.starts[customer], data.starts[customer + 1]
    return np.arange(first, end).reshape((end - first, 1))


@inner
def deletion_cost(data: HistoryData, members: Ints, groups: int) -> float:
    """Return what the rows of the members that are in no group cost."""
    starts, row_cost = data.starts, data.row_cost
    total = 0
    for k in range(len(members)):
        total += starts[members[k] + 1] - starts[members[k]] - groups
    return np.float64(total * row_cost)


@inner
def complete(data: HistoryData, members: Ints, rows: Ints) -> Ints:
    """Return aligned rows with further groups, of the members' rows that are in none, as many as can be had."""
    starts = data.starts
    least = starts[members[0] + 1] - starts[members[0]]
    for k in range(1, len(members)):
        least = min(least, starts[members[k] + 1] - starts[members[k]])
    if rows.shape[0] == least:
        return rows
    more = _left(starts, members[0], rows[:, 0])
    for k in range(1, len(members)):
        more, _ = join(data, more, _left(starts, members[k], rows[:, k]), False)
    found = np.empty((least, len(members)), np.int64)
    found[: rows.shape[0]] = rows
    found[rows.shape[0] :] = more[: least - rows.shape[0]]
    return found


@inner
def _left(starts: Ints, customer: int, used: Ints) -> Ints:
    """Return the rows of a customer that are in no group."""
    first = starts[customer]
    free = np.ones(starts[customer + 1] - first, np.bool_)
    for g in range(len(used)):
        free[used[g] - first] = False
    left: Ints = (np.flatnonzero(free) + first).reshape((-1, 1))
    return left


@inner
def part(data: HistoryData, members: Ints, rows: Ints, inside: Bools) -> tuple[Ints, Ints]:
    """Return some members of a class and their rows, aligned as in the class and completed."""
    columns = np.flatnonzero(inside)
    found = np.empty((rows.shape[0], len(columns)), np.int64)
    for c in range(len(columns)):
        found[:, c] = rows[:, columns[c]]
    chosen = members[columns]
    return chosen, complete(data, chosen, found)


@inner
def align(data: HistoryData, members: Ints) -> tuple[Ints, float]:
    """Return rows of a class, aligned one member after another, and the cost of the groups."""
    rows, cost = rows_of(data, members[0]), 0.0
    for k in range(1, len(members)):
        rows, cost = join(data, rows, rows_of(data, members[k]), False)
    return rows, cost


@inner
def realign(
    data: HistoryData, members: Ints, rows: Ints, cost: float, divisions: Bools, exact: bool, least: float
) -> tuple[Ints, float]:
    """Divide a class in two in given ways and join the parts anew until no division saves the share `least` or more.

    Each line of `divisions` says which members are in the one part. Returns members, rows and the cost of the groups.
    """
    failed, d = 0, 0
    while failed < len(divisions) and not data.halt[0]:
        inside = divisions[d]
        one_members, one = part(data, members, rows, inside)
        other_members, other = part(data, members, rows, ~inside)
        found, less = join(data, one, other, exact)
        failed = 0 if cost - less > max(1e-9, least * less) else failed + 1
        if less < cost - 1e-9:
            cost = less
            both = np.append(one_members, other_members)
            for k in range(len(members)):
                for column in range(len(both)):
                    if both[column] == members[k]:
                        rows[:, k] = found[:, column]
        d = (d + 1) % len(divisions)
    return rows, cost
