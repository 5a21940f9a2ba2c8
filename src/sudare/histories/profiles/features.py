"""What is compared of a pair of a group of pseudonyms and a known person, as one row of numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sudare.histories.profiles.candidates import Candidates
from sudare.histories.profiles.habits import compare_habits, find_habits
from sudare.histories.profiles.sides import Side
from sudare.histories.profiles.views import ViewedSides
from sudare.kernels.common.arrays import Floats32, Ints32
from sudare.kernels.profiles.pairs import compare_pairs

# Pairs that are compared at once: what is computed of them takes some ten megabytes.
_AT_ONCE = 1 << 16


def pair_features(known: Side, published: Side, viewed: ViewedSides, candidates: Candidates, *, days: bool) -> Floats32:
    """Return the features of all pairs, a row each; those that rest on `days` if all of them are single ones."""
    habits = find_habits(published, days=days), find_habits(known, days=days)
    ranks = [*_ranks(candidates)]
    groups, people = candidates.groups, candidates.people
    similar = len(ranks) + 2 * len(viewed.views) + 2
    # The whole is made once: of many people it is most of what an attack needs.
    found = np.empty((len(candidates), similar + len(compare_habits(*habits, groups[:0], people[:0]))), np.float32)

    def compare(first: int) -> None:
        here = slice(first, first + _AT_ONCE)
        rows = found[here]
        for place, values in enumerate(ranks):
            rows[:, place] = values[here]
        rows[:, len(ranks) : similar] = _similarities(viewed, groups[here], people[here])
        for place, values in enumerate(compare_habits(*habits, groups[here], people[here]).values(), similar):
            rows[:, place] = values

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compare, range(0, len(candidates), _AT_ONCE)))
    return found


def _ranks(found: Candidates) -> Iterator[Floats32]:
    """Yield scores, how far a person is behind the nearest of a group, and the rank of each among the other's."""
    first = np.repeat(found.starts[:-1], np.diff(found.starts))
    rank, best = np.arange(len(found)) - first, found.scores[first]
    order = np.lexsort((-found.scores, found.people))
    people = found.people[order]
    back = np.empty(len(found))
    back[order] = np.arange(len(found)) - np.searchsorted(people, people)
    for values in (found.scores, found.scores - best, rank, np.log1p(back)):
        yield values.astype(np.float32)


def _similarities(viewed: ViewedSides, groups: Ints32, people: Ints32) -> Floats32:
    """Return the similarities of pairs in each view, and how many items they share, and how rare these are."""
    rows = np.empty((len(groups), 2 * len(viewed.views) + 2), np.float32)
    compare_pairs(viewed.published, viewed.known, groups, people, viewed.ends, viewed.rarity, rows)
    rows[:, -2:] = np.log1p(rows[:, -2:])
    return rows
