"""Small releases of the same purchases, and what they mean as plain sets of values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import log

from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind

# The values that each cell of a row can be, by column.
Values = tuple[frozenset[int], ...]


def values_of(history: CellHistory, row: int) -> Values:
    """Return what each cell of a row can be; a deleted one anything that its column has."""
    found = []
    for column in history.columns:
        gone = column.kinds[row] == Kind.DELETED
        if isinstance(column, ItemColumn):
            number = column.sets[row]
            own = (
                range(len(column.names)) if gone else column.members[column.starts[number] : column.starts[number + 1]]
            )
            found.append(frozenset(map(int, own)))
        else:
            there = column.kinds != Kind.DELETED
            low, high = (column.low[there].min(), column.high[there].max()) if gone and there.any() else (0, 0)
            ends = (low, high) if gone else (column.low[row], column.high[row])
            found.append(frozenset(range(int(ends[0]), int(ends[1]) + 1)))
    return tuple(found)


def best_matching(first: Sequence[Values], second: Sequence[Values]) -> tuple[int, float]:
    """Return how many rows can be matched at most, and the least room then left, over all ways to match them."""
    short, long = sorted((first, second), key=len)
    best = (0, 0.0)
    for chosen in permutations(range(len(long)), len(short)):
        number, room = 0, 0.0
        for one, place in zip(short, chosen, strict=True):
            common = [a & b for a, b in zip(one, long[place], strict=True)]
            if all(common):
                number += 1
                room += sum(log(len(values)) for values in common)
        best = min(best, (-number, room))
    return -best[0], best[1]
