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
from sudare.kernels.common.arrays import Floats32
from sudare.kernels.profiles.pairs import compare_pairs

_AT_ONCE = 1 << 14


def pair_features(known: Side, published: Side, viewed: ViewedSides, candidates: Candidates, *, days: bool) -> Floats32:
    """Return the features of all pairs, a row each; those that rest on `days` if all of them are single ones."""
    habits = find_habits(published, days=days), find_habits(known, days=days)
    columns = [*_ranks(candidates), *_similarities(viewed, candidates).T]
    columns += compare_habits(*habits, candidates.groups, candidates.people).values()
    return np.stack(columns, axis=1)


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


def _similarities(viewed: ViewedSides, found: Candidates) -> Floats32:
    """Return the similarities of pairs in each view, and how many items they share, and how rare these are."""
    rows = np.empty((len(found), 2 * len(viewed.views) + 2), np.float32)

    def compare(first: int) -> None:
        here = slice(first, first + _AT_ONCE)
        compare_pairs(
            viewed.published, viewed.known, found.groups[here], found.people[here], viewed.ends, viewed.rarity,
            rows[here],
        )  # fmt: skip

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compare, range(0, len(found), _AT_ONCE)))
    rows[:, -2:] = np.log1p(rows[:, -2:])
    return rows
