"""Pairs of people compared key by key."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats32, Ints, Ints32
from sudare.kernels.entry import entry
from sudare.kernels.profiles.rows import Profiles


@entry
def compare_pairs(
    published: Profiles, known: Profiles, firsts: Ints32, seconds: Ints32, ends: Ints, rarity: Floats32, found: Floats32
) -> None:
    """Write for each pair its similarities by view, then how many keys of the first view are common and their rarity.

    Keys of view v are below `ends[v]`. Row n of `found` is that of the pair (`firsts[n]`, `seconds[n]`): the similarity
    by having and by how often for each view, one after the other.
    """
    starts, keys, had, often = published
    other_starts, other_keys, other_had, other_often = known
    views = len(ends)
    sums = np.zeros((views, 2))
    for n in range(len(firsts)):
        sums[:] = 0
        common, rare = 0, 0.0
        view = 0
        place, last = starts[firsts[n]], starts[firsts[n] + 1]
        other, other_last = other_starts[seconds[n]], other_starts[seconds[n] + 1]
        while place < last and other < other_last:
            if keys[place] < other_keys[other]:
                place += 1
            elif keys[place] > other_keys[other]:
                other += 1
            else:
                key = keys[place]
                while key >= ends[view]:
                    view += 1
                sums[view, 0] += had[place] * other_had[other]
                sums[view, 1] += often[place] * other_often[other]
                if view == 0:
                    common += 1
                    rare += rarity[key]
                place += 1
                other += 1
        for view in range(views):
            found[n, 2 * view], found[n, 2 * view + 1] = sums[view, 0], sums[view, 1]
        found[n, 2 * views], found[n, 2 * views + 1] = common, rare
