"""The assignment problem: rows to different columns at the least total cost.

An auction (Bertsekas: The auction algorithm, 1988) comes within a small step a row of the optimum; shortest augmenting
paths (Jonker, Volgenant: A shortest augmenting path algorithm for dense and sparse linear assignment problems, 1987)
make it exact from there. Columns may outnumber rows: the rows that are wanting cost nothing anywhere, and one line of
zeros below the matrix stands for all of them. When `halt[0]` turns True, rows may be left without a column (-1).
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.kernels.entry import inner

# Steps of the auction: where it begins, by what the step is divided, and where it ends if costs are about one.
# Histories have many rows that are alike, for which shortest paths alone take up to ten times as long.
_FIRST_STEP = 0.3
_DIVISOR = 5.0
LAST_STEP = 0.003


@inner
def _bid(
    cost: Floats, step: float, bidders: int, prices: Floats, column_of: Ints, row_of: Ints, free: Ints, halt: Bools
) -> None:
    """Let rows bid for columns until each has one; a bid lowers the price by what the second best is worse."""
    columns = len(prices)
    last = cost.shape[0] - 1
    for i in range(columns):
        column_of[i] = row_of[i] = -1
    for i in range(bidders):
        free[i] = bidders - 1 - i
    count = bidders
    while count and not halt[0]:
        count -= 1
        row = free[count]
        line = cost[min(row, last)]
        first, second, best = np.inf, np.inf, 0
        for j in range(columns):
            value = line[j] - prices[j]
            if value < second:
                if value < first:
                    first, second, best = value, first, j
                else:
                    second = value
        if second < np.inf:
            prices[best] -= second - first
        prices[best] -= step
        holder = row_of[best]
        row_of[best], column_of[row] = row, best
        if holder >= 0:
            free[count] = holder
            count += 1


@inner
def _auction(cost: Floats, last_step: float, halt: Bools) -> tuple[Floats, Ints, Ints]:
    """Return prices, columns of rows and rows of columns, within the last step a row of the best.

    With many more columns than rows there is little to bid for: the rows of zeros take no part, as they take what is
    left in the end, and the last step is the only one, since the prices of columns that stay free have to be zero.
    """
    rows, columns = cost.shape[0] - 1, cost.shape[1]
    prices = np.zeros(columns)
    column_of, row_of = np.empty(columns, np.int64), np.empty(columns, np.int64)
    free = np.empty(columns, np.int64)
    few = columns > 2 * rows
    step = last_step if few else max(_FIRST_STEP, last_step)
    while True:
        _bid(cost, step, rows if few else columns, prices, column_of, row_of, free, halt)
        if step <= last_step or halt[0]:
            if few and not halt[0]:
                _give_rest(rows, column_of, row_of)
            return prices, column_of, row_of
        step = max(step / _DIVISOR, last_step)


@inner
def _give_rest(rows: int, column_of: Ints, row_of: Ints) -> None:
    """Give the rows of zeros the columns that are free."""
    for j in range(len(row_of)):
        if row_of[j] < 0:
            row_of[j], column_of[rows] = rows, j
            rows += 1


@inner
def assign_nearly(cost: Floats, rows: int, last_step: float, halt: Bools) -> Ints:
    """Return the columns of the first rows at a sum that is at most `last_step` for each column above the least.

    Below the `rows` lines of the matrix there is one more, of zeros.
    """
    _, column_of, _ = _auction(cost, last_step, halt)
    return column_of[:rows]


@inner
def assign_within(cost: Floats, rows: int, last_step: float, halt: Bools) -> tuple[Ints, float]:
    """Return the columns of the first rows as `assign_nearly` does, and a bound below the least sum.

    The bound is the value of the prices in the dual problem: no assignment costs less.
    """
    prices, column_of, _ = _auction(cost, last_step, halt)
    bound = prices.sum()
    for i in range(cost.shape[0]):
        least = (cost[i] - prices).min()
        bound += least if i < rows else least * (len(prices) - rows)
    return column_of[:rows], bound


@inner
def assign(cost: Floats, rows: int, halt: Bools) -> Ints:
    """Return the columns of the first rows at the least sum.

    Below the `rows` lines of the matrix there is one more, of zeros.
    """
    columns = cost.shape[1]
    prices, column_of, row_of = _auction(cost, LAST_STEP, halt)
    if halt[0]:
        return column_of[:rows]
    free = np.empty(columns, np.int64)
    left = _keep_tight(cost, prices, column_of, row_of, free)
    distance, before = np.empty(columns), np.empty(columns, np.int64)
    order = np.empty(columns, np.int64)
    for f in range(left):
        if halt[0]:
            break
        _augment(cost, free[f], prices, column_of, row_of, distance, before, order)
    return column_of[:rows]


@inner
def _keep_tight(cost: Floats, prices: Floats, column_of: Ints, row_of: Ints, free: Ints) -> int:
    """Free the rows that would do better elsewhere at these prices; return how many, first in `free`."""
    last = cost.shape[0] - 1
    left = 0
    for i in range(len(prices)):
        line, column = cost[min(i, last)], column_of[i]
        held = line[column] - prices[column]
        for j in range(len(prices)):
            if line[j] - prices[j] < held:
                row_of[column], column_of[i] = -1, -1
                free[left] = i
                left += 1
                break
    return left


@inner
def _augment(
    cost: Floats, start: int, prices: Floats, column_of: Ints, row_of: Ints, distance: Floats, before: Ints, order: Ints
) -> None:
    """Give a free row a column along the cheapest path of changes, and keep prices in step.

    `order` holds the columns: first the scanned ones, then those at the least distance, then the others.
    """
    columns, last = len(prices), cost.shape[0] - 1
    for j in range(columns):
        distance[j] = cost[min(start, last), j] - prices[j]
        before[j] = start
        order[j] = j
    scanned, near = 0, 0
    least, end = 0.0, -1
    while end < 0:
        if scanned == near:
            least = distance[order[near]]
            near += 1
            for place in range(near, columns):
                j = order[place]
                if distance[j] <= least:
                    if distance[j] < least:
                        near, least = scanned, distance[j]
                    order[place], order[near] = order[near], j
                    near += 1
            for place in range(scanned, near):
                if row_of[order[place]] < 0:
                    end = order[place]
                    break
            if end >= 0:
                break
        column = order[scanned]
        scanned += 1
        i = row_of[column]
        line = cost[min(i, last)]
        shift = line[column] - prices[column] - least
        for place in range(near, columns):
            j = order[place]
            value = line[j] - prices[j] - shift
            if value < distance[j]:
                distance[j], before[j] = value, i
                if value <= least:
                    if row_of[j] < 0:
                        end = j
                        break
                    order[place], order[near] = order[near], j
                    near += 1
    for place in range(scanned):
        j = order[place]
        prices[j] += distance[j] - least
    while True:
        i = before[end]
        row_of[end] = i
        end, column_of[i] = column_of[i], end
        if i == start:
            break
