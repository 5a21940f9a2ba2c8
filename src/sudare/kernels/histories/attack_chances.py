"""The probability that enough guesses are right: sums of independent groups of guesses."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.entry import entry, inner

# Probabilities below are left out at both ends of a distribution; together they change no digit that is shown.
_NEGLIGIBLE = 1e-18


@inner
def _add(chances: Floats, low: int, count: int, part: Floats, target: Floats) -> tuple[int, int]:
    """Write the distribution of a sum of hits to `target`; return its least number of hits and its length."""
    length = count + len(part) - 1
    target[:length] = 0
    for hits in range(len(part)):
        if part[hits] > 0:
            for place in range(count):
                target[place + hits] += chances[place] * part[hits]
    first = 0
    while first < length - 1 and target[first] < _NEGLIGIBLE:
        first += 1
    while length - 1 > first and target[length - 1] < _NEGLIGIBLE:
        length -= 1
    if first:
        for place in range(first, length):
            target[place - first] = target[place]
    return low + first, length - first


@inner
def _tail(chances: Floats, low: int, count: int, needed: int) -> float:
    total = 0.0
    for place in range(max(needed - low, 0), count):
        total += chances[place]
    return total


@entry
def success_chances(parts: Floats, part_starts: Ints, groups: Ints, thresholds: Ints, found: Floats) -> None:
    """Fill in the chance that the first n guesses have `thresholds[n]` hits or more, for n = 1, 2, ...

    Guess n belongs to the group `groups[n]`, groups one after another. After guess n its group has the hits of the
    distribution `parts[part_starts[n] : part_starts[n + 1]]`, independent of the groups before.
    """
    base, current = np.zeros(len(groups) + 2), np.zeros(len(groups) + 2)
    base[0] = 1.0
    low, count = 0, 1
    current_low, current_count = 0, 1
    for n in range(len(groups)):
        if n and groups[n] != groups[n - 1]:
            base, current = current, base
            low, count = current_low, current_count
        part = parts[part_starts[n] : part_starts[n + 1]]
        current_low, current_count = _add(base, low, count, part, current)
        found[n + 1] = _tail(current, current_low, current_count, thresholds[n + 1])
