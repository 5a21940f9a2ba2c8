"""Groups of rows published as one, a row from each member of a class, and their cheapest cells.

A group costs the summed errors of its cells as in Hamada et al.: Report on the anonymization and re-identification
contest PWSCUP 2018. The error of x in the range [a;b] is its mean distance from the whole numbers of the range, over
the column's standard deviation. With L = b - a + 1 numbers and u = x - a, n rows have together
(sum u^2 + sum u) / L - sum u + n (L - 1) / 2: count, sum, sum of squares and the ends are all that a group has to know.
That is convex in L, so a range wider than its rows can be better, and by the variance of the rows only on one side.

`rows` has a line for each group and a column for each member.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Floats32, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.assignment import assign_within


class HistoryData(NamedTuple):
    """The rows of customers and what their cells may become: those of customer c are starts[c] to starts[c + 1] - 1."""

    values: Floats  # [row, ordered column]
    items: Ints32
    starts: Ints
    weights: Floats  # one over the standard deviation of each ordered column
    limits: Floats  # the least and the greatest values that a range may have
    row_cost: float  # what a deleted row costs
    most_items: int  # of a set
    prices: Floats  # what a deleted cell costs in each column, that of items last
    halt: Bools  # when it turns True, costs are not finished


class Profile(NamedTuple):
    """What groups know of their values: ends, sums and sums of squares; different items and how many; members."""

    sums: Floats
    different: Ints32
    counts: Ints
    members: int


class GroupCells(NamedTuple):
    """The cells of groups in each ordered column: low and high ends, and whether they are deleted."""

    low: Floats
    high: Floats
    deleted: Bools


@inner
def _spread(count: int, first: float, second: float, size: float) -> float:
    """Return the summed errors of `count` values at first/second summed distances from the end of `size` numbers."""
    return (second + first) / size - first + count * (size - 1) / 2


@inner
def _best_size(count: int, first: float, second: float, size: float, most: float) -> float:
    """Return how many numbers the range from one end has best, from `size` to `most`."""
    size = min(max(size, np.floor(np.sqrt(2 * (second + first) / count))), most)
    if size < most and _spread(count, first, second, size + 1) < _spread(count, first, second, size):
        return size + 1
    return size


@inner
def best_range(
    count: int, low: float, high: float, total: float, squares: float, least: float, greatest: float
) -> tuple[float, float, float]:
    """Return the ends and the summed error, in units of the column, of the cheapest range of `count` values."""
    size = high - low + 1
    first = total - count * low
    second = squares - 2 * low * total + count * low * low
    if 2 * (second + first) > count * size * size:
        size = _best_size(count, first, second, size, greatest - low + 1)
        return low, low + size - 1, _spread(count, first, second, size)
    below = count * (size - 1) - first
    below_squares = count * (size - 1) * (size - 1) - 2 * (size - 1) * first + second
    if 2 * (below_squares + below) > count * size * size:
        size = _best_size(count, below, below_squares, size, high - least + 1)
        return high - size + 1, high, _spread(count, below, below_squares, size)
    return low, high, _spread(count, first, second, size)


@inner
def profile(data: HistoryData, rows: Ints) -> Profile:
    """Return what groups know of their values."""
    values, items = data.values, data.items
    groups, members = rows.shape
    columns = values.shape[1]
    sums = np.zeros((4, groups, columns))
    different = np.empty((groups, members), np.int32)
    counts = np.zeros(groups, np.int64)
    for g in range(groups):
        for c in range(columns):
            sums[0, g, c] = sums[1, g, c] = values[rows[g, 0], c]
        for k in range(members):
            row = rows[g, k]
            for c in range(columns):
                value = values[row, c]
                sums[0, g, c] = min(sums[0, g, c], value)
                sums[1, g, c] = max(sums[1, g, c], value)
                sums[2, g, c] += value
                sums[3, g, c] += value * value
            counts[g] += _add_item(different[g], counts[g], items[row])
    return Profile(sums, different, counts, members)


@inner
def _add_item(different: Ints32, count: int, item: int) -> int:
    """Put an item among the first `count`, in order, unless it is there; return how many were added."""
    place = count
    while place > 0 and different[place - 1] >= item:
        place -= 1
    if place < count and different[place] == item:
        return 0
    for other in range(count, place, -1):
        different[other] = different[other - 1]
    different[place] = item
    return 1


@inner
def _count_union(first: Ints32, first_count: int, second: Ints32, second_count: int) -> int:
    """Return the number of different items of two lists in order."""
    i, j, count = 0, 0, 0
    while i < first_count and j < second_count:
        count += 1
        one, other = first[i], second[j]
        i += one <= other
        j += other <= one
    return count + first_count - i + second_count - j


@inner
def join_costs(data: HistoryData, one: Profile, other: Profile) -> Floats:
    """Return the cost of each group of one kind joined with each of another."""
    weights, limits, most_items, prices = data.weights, data.limits, data.most_items, data.prices
    sums, different, counts, members = one
    other_sums, other_different, other_counts, other_members = other
    count = members + other_members
    columns = sums.shape[2]
    cost = np.zeros((len(counts) + 1, len(other_counts)))
    for g in range(len(counts)):
        if data.halt[0]:
            break
        for h in range(len(other_counts)):
            union = _count_union(different[g], counts[g], other_different[h], other_counts[h])
            found = count * (1 - 1 / union) if union <= most_items else count * prices[-1]
            for c in range(columns):
                low = min(sums[0, g, c], other_sums[0, h, c])
                high = max(sums[1, g, c], other_sums[1, h, c])
                if low < high:
                    _, _, error = best_range(
                        count, low, high, sums[2, g, c] + other_sums[2, h, c], sums[3, g, c] + other_sums[3, h, c],
                        limits[0, c], limits[1, c],
                    )  # fmt: skip
                    found += min(error * weights[c], count * prices[c])
            cost[g, h] = found
    return cost


@inner
def single_costs(data: HistoryData, one: int, other: int, terms: Floats) -> Floats:
    """Return the costs of the rows of one customer with those of another.

    `terms` are what different items cost, a factor of distances, a factor of deleted cells, and what a row costs that
    is left over. With (1, 1, 2, row_cost) costs are those of a class of two, whose best range has no other values.
    """
    values, items, starts, weights = data.values, data.items, data.starts, data.weights
    columns = values.shape[1]
    begin, start = starts[one], starts[other]
    rows = starts[one + 1] - begin
    scaled, most = weights * terms[1], data.prices * terms[2]
    cost = np.zeros((rows + 1, starts[other + 1] - start))
    for i in range(rows):
        if data.halt[0]:
            break
        for j in range(cost.shape[1]):
            found = terms[0] if items[begin + i] != items[start + j] else 0.0
            for c in range(columns):
                found += min(abs(values[begin + i, c] - values[start + j, c]) * scaled[c], most[c])
            cost[i, j] = found
    return cost


@inner
def pair_cost(
    data: HistoryData, one: int, other: int, terms: Floats, last_step: float, limit: float
) -> tuple[float, float]:
    """Return the cost of rows assigned within `last_step` of the best and those left over, and a bound below it.

    If a quick bound says that it is `limit` or more, the cost is infinite.
    """
    starts = data.starts
    own, others = starts[one + 1] - starts[one], starts[other + 1] - starts[other]
    # The same pair has the same cost whoever of it comes first.
    if own > others or (own == others and one > other):
        one, other = other, one
    deleted = terms[3] * abs(others - own)
    cost = single_costs(data, one, other, terms)
    rows = cost.shape[0] - 1
    bound = deleted + _least_sum(cost)
    if bound >= limit:
        return np.inf, bound
    chosen, bound = assign_within(cost, rows, last_step, data.halt)
    total = deleted
    for i in range(rows):
        total += cost[i, chosen[i]]
    return total, deleted + bound


@inner
def _least_sum(cost: Floats) -> float:
    """Return a bound below the cost of any assignment: what each row costs at its best column."""
    total = 0.0
    for i in range(cost.shape[0] - 1):
        total += cost[i].min()
    return total


@entry
def nearest(
    data: HistoryData, order: Ints, place: int, wanted: int, terms: Floats, last_step: float, pairs: Floats32
) -> None:
    """Find the customers with whom the one at a place of `order` makes the cheapest pairs, `wanted` of them.

    `order` has the customers by number of rows; the search goes both ways, until the rows to delete alone cost more
    than the dearest of those found. All costs that are computed go into the customer's line of `pairs`, and bounds,
    with a minus, for pairs that are dearer; pairs never looked at stay zero. Lines of others are only read, where they
    have a cost already, so that it does not matter which of several threads is first. When halted,
    what is there is right.
    """
    starts = data.starts
    one = order[place]
    own = starts[one + 1] - starts[one]
    below, above = place - 1, place + 1
    best = np.full(wanted, np.inf)
    far = 1 << 60
    while below >= 0 or above < len(order):
        lower = own - (starts[order[below] + 1] - starts[order[below]]) if below >= 0 else far
        upper = starts[order[above] + 1] - starts[order[above]] - own if above < len(order) else far
        if terms[3] * min(lower, upper) >= best[-1]:
            break
        other = order[below if lower <= upper else above]
        if lower <= upper:
            below -= 1
        else:
            above += 1
        cost = float(pairs[other, one])
        if cost <= 0:
            cost, bound = pair_cost(data, one, other, terms, last_step, best[-1])
            # Zero stands for pairs not looked at; customers whose rows are alike cost nothing.
            cost = max(cost, 1e-30) if cost < np.inf else -bound
            if data.halt[0]:
                return
        pairs[one, other] = cost
        if 0 < cost < best[-1]:
            spot = wanted - 1
            while spot > 0 and best[spot - 1] > cost:
                best[spot] = best[spot - 1]
                spot -= 1
            best[spot] = cost


@entry
def group_cells(data: HistoryData, rows: Ints) -> GroupCells:
    """Return the cheapest cells of groups."""
    sums, _, counts, members = profile(data, rows)
    weights, limits, prices = data.weights, data.limits, data.prices
    low, high = sums[0].copy(), sums[1].copy()
    deleted = np.zeros(low.shape, np.bool_)
    for g in range(len(counts)):
        for c in range(low.shape[1]):
            if low[g, c] < high[g, c]:
                low[g, c], high[g, c], error = best_range(
                    members, low[g, c], high[g, c], sums[2, g, c], sums[3, g, c], limits[0, c], limits[1, c]
                )
                deleted[g, c] = error * weights[c] >= members * prices[c]
    return GroupCells(low, high, deleted)
