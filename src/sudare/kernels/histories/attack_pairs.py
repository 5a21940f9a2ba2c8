"""How well the rows of a pseudonym fit those of a customer: one to one, and by likelihood."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.entry import entry, inner
from sudare.kernels.histories.attack_rows import find_fitting
from sudare.kernels.histories.linked_rows import NO_END, KnownRows, PublishedRows

# A row that fits no row of a customer has this share of its usual probability.
IMPOSSIBLE = 1e-12


@inner
def _augment(
    start: int, edges: Ints, edge_starts: Ints, row_of: Ints, partner: Ints, seen: Ints, before: Ints, queue: Ints
) -> bool:
    """Give a row a partner along a shortest path of exchanges; tell whether there is one."""
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        row = queue[head]
        head += 1
        for place in range(edge_starts[row], edge_starts[row + 1]):
            other = edges[place]
            if seen[other] == start:
                continue
            seen[other] = start
            before[other] = row
            if row_of[other] < 0:
                while other >= 0:
                    row = before[other]
                    row_of[other] = row
                    other, partner[row] = partner[row], other
                return True
            queue[tail] = row_of[other]
            tail += 1
    return False


@inner
def match_rows(edges: Ints, edge_starts: Ints, others: int, stop: bool) -> int:
    """Return how many rows get different partners at most; with `stop`, no more than shows that not all do.

    Row r can have the partners `edges[edge_starts[r] : edge_starts[r + 1]]`. Quick tests come first: no row without a
    partner, no fewer partners than rows. Rows that can have few partners choose first.
    """
    rows = len(edge_starts) - 1
    degrees = edge_starts[1:] - edge_starts[:-1]
    if stop and (rows > others or (rows > 0 and degrees.min() == 0)):
        return 0
    row_of, seen = np.full(others, -1, np.int64), np.full(others, -1, np.int64)
    before, partner = np.empty(others, np.int64), np.full(rows, -1, np.int64)
    queue = np.empty(rows + 1, np.int64)
    matched = 0
    for row in np.argsort(degrees, kind="mergesort"):
        if _augment(row, edges, edge_starts, row_of, partner, seen, before, queue):
            matched += 1
        elif stop:
            return matched
    return matched


@inner
def _weight(low: Ints, high: Ints, row: int, least: Ints, most: Ints, other: int, at_ends: Floats) -> float:
    """Return how likely a known row makes a published one, in parts of what ranges that lie anyhow would.

    A range of w values that has the value anywhere is one of w; with the probability `at_ends` it was made so that the
    value is one of its two ends.
    """
    weight = 1.0
    for column in range(low.shape[1]):
        first, last, value = low[row, column], high[row, column], least[other, column]
        if first < last and first != NO_END and value == most[other, column]:
            at_end = (last - first + 1) / 2 if value in (first, last) else 0.0
            weight *= 1 - at_ends[column] + at_ends[column] * at_end
    return weight


@inner
def _add_ends(low: Ints, high: Ints, row: int, least: Ints, other: int, weight: float, sums: Floats) -> None:
    """Add a weight to the columns whose published range has the known value at an end."""
    for column in range(low.shape[1]):
        first, last = low[row, column], high[row, column]
        if first < last and least[other, column] in (first, last):
            sums[column] += weight


@inner
def _room(room: Ints, filled: int, more: int) -> Ints:
    """Return the room with what fills it, or a larger one."""
    if filled + more <= len(room):
        return room
    grown = np.empty(2 * (filled + more), np.int64)
    grown[:filled] = room[:filled]
    return grown


@entry
def fit_pairs(
    published: PublishedRows,
    starts: Ints,
    histories: Ints,
    customers: Ints,
    known: KnownRows,
    share: float,
    chances: Floats,
    at_ends: Floats,
    stop: bool,
    likelihoods: Floats,
    matched: Ints,
    ends: Floats,
) -> None:
    """Compare histories with customers, pair by pair: the logarithm of the likelihood, and rows matched one to one.

    History j has the published rows starts[j] to starts[j + 1] - 1. A published row is made of one of the customer's
    rows, any of them, if that is known (`share`), else of a row of anyone, who meets it with the chance `chances[row]`.
    `ends` is for each pair and column how many ranges are expected to have their value at an end. With `stop`, pairs of
    which a row fits no row are not looked at further, and match nothing.
    """
    low, high, _, _, _ = published
    least, most, _, _, firsts = known
    room, sums = np.empty(1024, np.int64), np.empty(published.low.shape[1])
    for pair in range(len(histories)):
        begin, end = starts[histories[pair]], starts[histories[pair] + 1]
        first, last = firsts[customers[pair]], firsts[customers[pair] + 1]
        edge_starts = np.zeros(end - begin + 1, np.int64)
        total, filled, fits = 0.0, 0, True
        ends[pair] = 0
        for row in range(begin, end):
            whole = 0.0
            sums[:] = 0
            room = _room(room, filled, last - first)
            before = filled
            filled = find_fitting(published, row, known, customers[pair], room, filled)
            if stop and filled == before:
                fits = False
                break
            for found in range(before, filled):
                other = first + room[found]
                weight = _weight(low, high, row, least, most, other, at_ends)
                whole += weight
                _add_ends(low, high, row, least, other, weight, sums)
            edge_starts[row - begin + 1] = filled
            mean = whole / max(last - first, 1)
            total += np.log(share * mean + (1 - share + IMPOSSIBLE) * chances[row])
            if whole > 0:
                for column in range(len(sums)):
                    ends[pair, column] += sums[column] / whole
        likelihoods[pair] = total
        matched[pair] = match_rows(room[:filled], edge_starts, last - first, stop) if fits else 0
