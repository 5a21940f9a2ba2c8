"""The assignment problem where each row has few possible columns: least total cost.

Rows take their cheapest columns, the later ones of a conflict search for the cheapest path of changes from there:
shortest augmenting paths on reduced costs, by Dijkstra's algorithm with a heap (Jonker, Volgenant: A shortest
augmenting path algorithm for dense and sparse linear assignment problems, 1987). A search touches what it reaches only.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Bools, Floats, Ints
from sudare.kernels.entry import entry, inner


@inner
def _push(keys: Floats, heap: Ints, size: int, key: float, column: int) -> None:
    """Put a column into a heap of `size`, the least key first."""
    place = size
    while place and keys[(place - 1) // 2] > key:
        keys[place], heap[place] = keys[(place - 1) // 2], heap[(place - 1) // 2]
        place = (place - 1) // 2
    keys[place], heap[place] = key, column


@inner
def _pop(keys: Floats, heap: Ints, size: int) -> None:
    """Take the first column out of a heap of `size`."""
    key, column = keys[size - 1], heap[size - 1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size - 1:
            break
        if child + 1 < size - 1 and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], heap[place] = keys[child], heap[child]
        place = child
    keys[place], heap[place] = key, column


@inner
def _search(
    start: int,
    starts: Ints,
    columns: Ints,
    costs: Floats,
    alone: float,
    prices: Floats,
    edge_of: Ints,
    row_of: Ints,
    distance: Floats,
    final: Bools,
    edge_to: Ints,
    keys: Floats,
    heap: Ints,
    reached: Ints,
) -> tuple[int, int, int, float]:
    """Find the cheapest path of changes that gives a row a column, or leaves a row on it without one.

    Returns the column or -1, the row that is left, how many columns were `reached`, and how long the path is.
    `edge_to[c]` is the edge by which the path comes to the column c; to a `final` one there is no shorter path.
    """
    size = found = 0
    row, base = start, 0.0
    left, shortest = start, alone
    while True:
        for edge in range(starts[row], starts[row + 1]):
            column = columns[edge]
            length = base + costs[edge] - prices[column]
            if length < distance[column] and length < shortest and not final[column]:
                if distance[column] == np.inf:
                    reached[found] = column
                    found += 1
                distance[column], edge_to[column] = length, edge
                _push(keys, heap, size, length, column)
                size += 1
        while size and (final[heap[0]] or keys[0] > distance[heap[0]]):
            _pop(keys, heap, size)
            size -= 1
        if not size or keys[0] >= shortest:
            return -1, left, found, shortest
        length, column = keys[0], heap[0]
        _pop(keys, heap, size)
        size -= 1
        final[column] = True
        row = row_of[column]
        if row < 0:
            return column, -1, found, length
        base = length - (costs[edge_of[row]] - prices[column])
        if base + alone < shortest:
            left, shortest = row, base + alone


@entry
def assign_sparse(
    rows: Ints, starts: Ints, columns: Ints, costs: Floats, alone: float, edge_of: Ints, room: int
) -> None:
    """Fill in for each row the edge that it takes (-1: none): no two with one column, at the least sum of costs.

    Row r has the edges starts[r] to starts[r + 1] - 1: `columns`, of which there are `room`, at `costs`, and `rows`
    says the row. To stay without a column costs `alone`; edges that cost as much are not taken.
    """
    prices, distance = np.zeros(room), np.full(room, np.inf)
    row_of, edge_to = np.full(room, -1, np.int64), np.empty(room, np.int64)
    reached, final = np.empty(room, np.int64), np.zeros(room, np.bool_)
    keys, heap = np.empty(len(columns) + 1), np.empty(len(columns) + 1, np.int64)
    for row in range(len(starts) - 1):
        edge_of[row] = -1
        best, cost = -1, alone
        for edge in range(starts[row], starts[row + 1]):
            if costs[edge] < cost:
                best, cost = edge, costs[edge]
        if best >= 0 and row_of[columns[best]] < 0:
            row_of[columns[best]], edge_of[row] = row, best
    for start in range(len(starts) - 1):
        if edge_of[start] >= 0:
            continue
        column, left, found, length = _search(
            start, starts, columns, costs, alone, prices, edge_of, row_of, distance, final, edge_to, keys, heap, reached
        )
        for place in range(found):
            other = reached[place]
            if final[other]:
                prices[other] += distance[other] - length
            distance[other], final[other] = np.inf, False
        if column < 0 and left != start:
            column, edge_of[left] = columns[edge_of[left]], -1
        # Each row on the path leaves its column to the one before.
        while column >= 0:
            edge = edge_to[column]
            row = rows[edge]
            before = columns[edge_of[row]] if row != start else -1
            row_of[column], edge_of[row] = row, edge
            column = before
