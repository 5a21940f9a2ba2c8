"""The known people most like each group of pseudonyms, by an index of who has which key.

Somebody who resembles everybody is a *hub*, who would be guessed again and again. So the similarity of two people is
measured from what each of them has with their own nearest: cross-domain similarity local scaling (Conneau et al.: Word
translation without parallel data, 2018).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sudare.histories.profiles.views import ViewedSides
from sudare.kernels.common.arrays import Floats, Floats32, Ints, Ints32
from sudare.kernels.profiles.nearest import KeyIndex, Nearest, find_nearest
from sudare.kernels.profiles.rows import Profiles, invert
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# The most similar people whose mean similarity says how near a person's nearest are.
NEIGHBOURS = 10
# The most similar people that are looked at for each group, and how many of them are compared feature by feature.
MOST_NEAREST = 192
MOST_COMPARED = 64
# With more people than this, no more are kept than are compared.
MANY_PEOPLE = 1_000
# A key that more known people have leads to nobody; it counts where people are compared.
MOST_HOLDERS = 5_000
_AT_ONCE = 256


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Pairs of a group of pseudonyms and a known person, those of a group one after the other, nearest first.

    Those of group g are from `starts[g]` on; `scores` are similarities measured from those of the nearest.
    """

    starts: Ints
    groups: Ints32
    people: Ints32
    scores: Floats

    def __len__(self) -> int:
        return len(self.people)


def find_candidates(sides: ViewedSides, *, most: int = MOST_COMPARED, progress: Progress = silent) -> Candidates:
    """Return the known people most like each group of pseudonyms, at most this number."""
    found, greatest = _nearest(sides, progress)
    # Those near nobody are at 0.
    to_nearest = greatest.astype(np.float64).mean(axis=1)
    counts = np.minimum(found.counts, most)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    people, scores = np.empty(int(starts[-1]), np.int32), np.empty(int(starts[-1]))
    for first in range(0, len(counts), _AT_ONCE):
        here = slice(first, first + _AT_ONCE)
        place = slice(int(starts[first]), int(starts[min(first + _AT_ONCE, len(counts))]))
        part = Nearest(found.counts[here], found.persons[here], found.similarities[here])
        people[place], scores[place] = _scaled(part, to_nearest, most)
    return Candidates(starts, np.repeat(np.arange(len(counts), dtype=np.int32), counts), people, scores)


def _scaled(found: Nearest, to_nearest: Floats, most: int) -> tuple[Ints32, Floats]:
    """Return the people of the highest scores for each of some groups, highest first, and their scores."""
    there = np.arange(found.persons.shape[1]) < found.counts[:, None]
    people, similarities = np.where(there, found.persons, 0), found.similarities.astype(np.float64)
    # Neighbours who are missing are at 0.
    near = similarities[:, :NEIGHBOURS].sum(axis=1) / NEIGHBOURS
    scores = np.where(there, 2 * similarities - near[:, None] - to_nearest[people], -np.inf)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    kept = np.take_along_axis(there, order, axis=1)
    return np.take_along_axis(people, order, axis=1)[kept], np.take_along_axis(scores, order, axis=1)[kept]


def _nearest(sides: ViewedSides, progress: Progress) -> tuple[Nearest, Floats32]:
    known, published = sides.known, sides.published
    index = index_keys(known, len(sides.weights))
    weights = np.where(np.diff(index.starts) > MOST_HOLDERS, np.float32(0), sides.weights)
    groups, people = len(published.starts) - 1, len(known.starts) - 1
    room = min(MOST_NEAREST, people)
    shape = groups, room
    found = Nearest(np.zeros(groups, np.int64), np.empty(shape, np.int32), np.zeros(shape, np.float32))
    workers = os.cpu_count() or 1
    greatest = np.zeros((workers, people, NEIGHBOURS), np.float32)

    def work(worker: int) -> None:
        for first in range(worker * _AT_ONCE, groups, workers * _AT_ONCE):
            here = slice(first, min(first + _AT_ONCE, groups))
            part = Nearest(found.counts[here], found.persons[here], found.similarities[here])
            find_nearest(published, index, weights, np.arange(here.start, here.stop), part, greatest[worker])
            if worker == 0:
                progress(message("progress.comparing_histories"), first, groups)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    together = np.sort(greatest.transpose(1, 0, 2).reshape(people, -1), axis=1)
    return found, together[:, -NEIGHBOURS:]


def index_keys(profiles: Profiles, keys: int) -> KeyIndex:
    """Return by key who has it."""
    counts = np.bincount(profiles.keys, minlength=keys)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    persons, entries = np.empty(len(profiles.keys), np.int32), np.empty(len(profiles.keys), np.int32)
    invert(profiles.starts, profiles.keys, starts[:-1].copy(), persons, entries)
    return KeyIndex(starts, persons, profiles.had[entries], profiles.often[entries])
