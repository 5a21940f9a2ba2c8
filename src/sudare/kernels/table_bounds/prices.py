"""Prices of records that no box undercuts: a group of records in a box never has prices above what they cost there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.table_bounds.costs import (
    Crowd,
    Trees,
    Walk,
    begin_walk,
    descend,
    holds_enough,
    next_node,
    node_rows,
)

# How far prices may be above costs, for all records of a group together.
TOLERANCE = 1e-9
# So often prices in a box are lowered by shares; then no record's price stays above its cost.
_TURNS = 30
_STEPS = 8
_MOST_STEPS = 64


class Prices(NamedTuple):
    """The prices of the rows, which a pass lowers, and `floors` that are feasible.

    A price falls in proportion to what it is above its floor, or, if `evenly`, as much as the others.
    """

    prices: Floats
    floors: Floats
    evenly: bool


class _Group(NamedTuple):
    """How far the prices in a box are above the costs, the rows from the largest such gap on, and how many to take."""

    gaps: Floats
    order: Ints
    taken: Ints


@entry
def lower_prices(crowd: Crowd, trees: Trees, rest: Floats, walk: Walk, given: Prices, halt: Bools) -> bool:
    """Lower prices until no group of records in a box is above what it costs; return whether that was done.

    A group has at least k persons and l values. Lower prices stay below the costs of the boxes that were looked at
    before, so that one walk through all boxes is enough. `rest[a]` is not above what a row costs in the attributes from
    a on: where prices without it are too low for any group, a box is left.
    """
    last, n = len(crowd.places) - 1, crowd.places.shape[1]
    gaps, taken = np.empty(n, np.float64), np.empty(n, np.int64)
    begin_walk(crowd, trees, walk)
    depth = 0
    while depth >= 0 and not halt[0]:
        if not next_node(crowd, trees, walk, depth):
            depth -= 1
            continue
        begin, end = node_rows(trees, walk, depth)
        if not (
            holds_enough(walk.rows[depth], begin, end, crowd)
            and _may_exceed(crowd, trees, walk, depth, given.prices, rest[depth + 1], gaps)
        ):
            continue
        if depth < last:
            descend(crowd, trees, walk, depth)
            depth += 1
        else:
            _settle(walk.rows[depth, begin:end], crowd, given, gaps, taken)
    return depth < 0


@inner
def _may_exceed(crowd: Crowd, trees: Trees, walk: Walk, depth: int, prices: Floats, rest: Floats, gaps: Floats) -> bool:
    """Say how far the price of each row is above its cost; return whether those of k records can be, together."""
    begin, end = node_rows(trees, walk, depth)
    rows, places, costs = walk.rows[depth], crowd.places[depth], walk.costs[depth]
    base = trees.at[walk.node[depth]]
    above, records, nearest = 0.0, 0, -np.inf
    for i in range(begin, end):
        row = rows[i]
        gap = prices[row] - rest[row] - costs[row] - trees.weight[base + places[row]]
        gaps[i - begin] = gap
        if gap > 0:
            above += gap * crowd.counts[row]
            records += crowd.counts[row]
        else:
            nearest = max(nearest, gap)
    left = crowd.k - records
    if records == 0 or left <= 0:
        return records > 0
    if above + left * nearest <= TOLERANCE:
        return False
    return above > _shortfall(rows[begin:end], gaps, crowd.counts, above / left, left) + TOLERANCE


@inner
def _shortfall(rows: Ints32, gaps: Floats, counts: Ints, mean: float, left: int) -> float:
    """Return no more than what the `left` records that are nearest to their costs are below them, without sorting."""
    within = np.zeros(_MOST_STEPS, np.int64)
    for i in range(len(rows)):
        if gaps[i] <= 0:
            within[int(min(-gaps[i] / mean * _STEPS, _MOST_STEPS - 1.0))] += counts[rows[i]]
    found = 0.0
    for step in range(_MOST_STEPS):
        more = min(within[step], left)
        found += more * step * mean / _STEPS
        left -= more
    return found


@inner
def _settle(rows: Ints32, crowd: Crowd, given: Prices, gaps: Floats, taken: Ints) -> None:
    """Lower the prices of the rows of a box until no group is above what it costs."""
    for _ in range(_TURNS):
        group = _Group(gaps, np.argsort(-gaps[: len(rows)]), taken)
        excess = _dearest(rows, crowd, group)
        if excess <= TOLERANCE:
            return
        _take_back(rows, given, group, excess)
    for i in range(len(rows)):
        given.prices[rows[i]] -= max(gaps[i], 0.0)


@inner
def _dearest(rows: Ints32, crowd: Crowd, group: _Group) -> float:
    """Take the group whose prices are farthest above the costs, and return how far.

    If a group must have persons or values of several columns, that of the column where it is least far is taken: no
    group that has all of them is farther.
    """
    if len(crowd.sensitive) + len(crowd.persons) == 0:
        return _take(rows, crowd, group, crowd.counts, 0)
    least, best = np.inf, -1
    if len(crowd.persons):
        least = _take(rows, crowd, group, crowd.persons, crowd.k)
    for s in range(len(crowd.sensitive)):
        excess = _take(rows, crowd, group, crowd.sensitive[s], crowd.l)
        if excess < least:
            least, best = excess, s
    if best < 0:
        return _take(rows, crowd, group, crowd.persons, crowd.k)
    return _take(rows, crowd, group, crowd.sensitive[best], crowd.l)


@inner
def _take(rows: Ints32, crowd: Crowd, group: _Group, column: Ints | Ints32, wanted: int) -> float:
    """Take the records of the largest gaps: one for each of `wanted` values of a column, k at least, all above 0."""
    gaps, order, taken = group
    crowd.moments[0] += 1
    found, excess = 0, 0.0
    taken[: len(rows)] = 0
    for i in order:
        if found == wanted:
            break
        value = column[rows[i]]
        if crowd.seen[value] != crowd.moments[0]:
            crowd.seen[value] = crowd.moments[0]
            taken[i] = 1
            excess += gaps[i]
            found += 1
    for i in order:
        if found >= crowd.k and gaps[i] <= 0:
            break
        more = crowd.counts[rows[i]] - taken[i]
        if gaps[i] <= 0:
            more = min(more, crowd.k - found)
        taken[i] += more
        excess += more * gaps[i]
        found += more
    return excess


@inner
def _take_back(rows: Ints32, given: Prices, group: _Group, excess: float) -> None:
    """Lower the prices of a group by what they are above the costs together."""
    prices, floors, evenly = given
    shared = 0.0
    for i in range(len(rows)):
        if group.taken[i]:
            shared += group.taken[i] * (1.0 if evenly else max(prices[rows[i]] - floors[rows[i]], 0.0))
    for i in range(len(rows)):
        if group.taken[i]:
            share = 1.0 if evenly else max(prices[rows[i]] - floors[rows[i]], 0.0)
            prices[rows[i]] -= excess * share / shared
            group.gaps[i] -= excess * share / shared
