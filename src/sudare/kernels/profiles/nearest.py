"""The most similar people of each person, through an index of who has which key.

Similarities are sums over common keys; only people with a common key are looked at. For each of them also the greatest
similarities that anybody has to them are kept: those who resemble everybody are hubs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Floats32, Ints, Ints32
from sudare.kernels.entry import entry, inner
from sudare.kernels.profiles.rows import Profiles


class KeyIndex(NamedTuple):
    """By key who has it, from `starts[k]` on, with both values."""

    starts: Ints
    persons: Ints32
    had: Floats32
    often: Floats32


class Nearest(NamedTuple):
    """For each person the most similar ones, most similar first; `counts` of them."""

    counts: Ints
    persons: Ints32
    similarities: Floats32


@inner
def _sink(keys: Floats32, members: Ints32, size: int, key: np.float32, member: int) -> None:
    """Replace the least of a heap of `size` by a greater one."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], members[place] = keys[child], members[child]
        place = child
    keys[place], members[place] = key, member


@inner
def _keep_greatest(row: Floats32, value: np.float32) -> None:
    """Put a value into a row of the greatest, rising, in place of the least."""
    place = 0
    while place + 1 < len(row) and row[place + 1] < value:
        row[place] = row[place + 1]
        place += 1
    row[place] = value


@entry
def find_nearest(
    profiles: Profiles, index: KeyIndex, weights: Floats32, chosen: Ints, found: Nearest, greatest: Floats32
) -> None:
    """Find for the chosen people the most similar ones of an index, and for these the greatest similarities.

    A common key adds its weight times the products of both values; keys of weight 0 are passed over. Row n of `found`
    is that of `chosen[n]`; row c of `greatest` holds the greatest similarities to person c, rising.
    """
    starts, keys, had, often = profiles
    index_starts, persons, index_had, index_often = index
    counts, best, similarities = found
    room = best.shape[1]
    people = len(greatest)
    sums, touched = np.zeros(people, np.float32), np.empty(people, np.int32)
    heap, members = np.empty(room, np.float32), np.empty(room, np.int32)
    for n in range(len(chosen)):
        reached = 0
        for place in range(starts[chosen[n]], starts[chosen[n] + 1]):
            key = keys[place]
            weight = weights[key]
            if weight == 0:
                continue
            one, other = had[place] * weight, often[place] * weight
            for entry_ in range(index_starts[key], index_starts[key + 1]):
                person = persons[entry_]
                if sums[person] == 0:
                    touched[reached] = person
                    reached += 1
                sums[person] += one * index_had[entry_] + other * index_often[entry_]
        size = 0
        for person in touched[:reached]:
            value = sums[person]
            sums[person] = 0
            if value > greatest[person, 0]:
                _keep_greatest(greatest[person], value)
            if size < room:
                heap[size], members[size] = value, person
                size += 1
                if size == room:
                    ranks = np.argsort(heap, kind="mergesort")
                    heap[:], members[:] = heap[ranks], members[ranks]
            elif value > heap[0]:
                _sink(heap, members, room, value, person)
        counts[n] = size
        ranks = np.argsort(-heap[:size], kind="mergesort")
        for rank in range(size):
            best[n, rank], similarities[n, rank] = members[ranks[rank]], heap[ranks[rank]]
