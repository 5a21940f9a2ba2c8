"""Scaling the weights of pairs until they add up both ways."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.entry import entry

# How far sums may be off when scaling ends.
_CLOSE = 1e-6


@entry
def scale_pairs(
    groups: Ints, people: Ints, weights: Floats, rest: Floats, totals: Floats, everyone: int, rounds: int,
    exactly: bool, most_scale: float, parts: Floats,
) -> None:  # fmt: skip
    """Write parts of pairs that add up to `totals` by group, with the rest, and to at most 1, or exactly 1, by person.

    Rows and columns are scaled in turns, `rounds` times at most, or until nobody's sum is off by more than a millionth.
    A person's scale stays within `most_scale` to either side.
    """
    scale, sums, filled = np.ones(everyone), np.empty(len(rest)), np.empty(everyone)
    for _ in range(rounds):
        sums[:] = rest
        for pair in range(len(groups)):
            sums[groups[pair]] += weights[pair] * scale[people[pair]]
        filled[:] = 0
        for pair in range(len(groups)):
            group, person = groups[pair], people[pair]
            parts[pair] = weights[pair] * scale[person] * totals[group] / max(sums[group], 1e-300)
            filled[person] += parts[pair]
        off = 0.0
        for person in range(everyone):
            if filled[person] > 1 or (exactly and filled[person] > 0):
                off = max(off, abs(filled[person] - 1))
                scale[person] = min(max(scale[person] / filled[person], 1 / most_scale), most_scale)
        if off < _CLOSE:
            break
