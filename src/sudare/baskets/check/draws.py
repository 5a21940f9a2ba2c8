"""Drawing adversaries: a user who has enough items, then a subset of the record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.model import Baskets


def sampling_generator(seed: int) -> np.random.Generator:
    """Return what a check draws its sample with: another stream than that of a suppression with the same seed."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))


def draw_adversaries(
    records: Baskets,
    size: int,
    adversaries: int,
    rng: np.random.Generator,
    order: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw adversaries who know `size` items: a user with that many uniformly, then a subset of the record uniformly.

    Returns the users, and the places of the items they know among `records.items`; none if nobody has that many. Who
    draws often gives the `order` of the users (`by_length`), which takes longer to find than the draws.
    """
    lengths = records.lengths
    able = int(np.count_nonzero(lengths >= size))
    if not able:
        return np.zeros(0, np.int64), np.zeros((0, size), np.int64)
    ranks, points = draw_points(able, size, adversaries, rng)
    users = (by_length(records) if order is None else order)[ranks]
    return users, records.starts[users][:, None] + chosen_places(lengths[users], points)


def draw_points(
    able: int, size: int, adversaries: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw adversaries before anything is known of the records but how many have `size` items.

    Returns the ranks of their users, the longest record first and of equally long ones the first user, and for each
    item that they know a number between 0 and 1 (`chosen_places`).
    """
    return rng.integers(able, size=adversaries), rng.random((adversaries, size))


def by_length(records: Baskets) -> NDArray[np.int64]:
    """Return the users, the longest record first and of equally long ones the first user."""
    lengths = records.lengths
    # Numbers of 16 bits are sorted by their digits, several times as fast.
    narrow = np.int16 if lengths.max(initial=0) < 1 << 15 else np.int64
    return np.argsort(np.negative(lengths).astype(narrow), kind="stable")


def chosen_places(lengths: NDArray[np.int64], points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return different places below each length, as many as it has points, every subset as likely as any other.

    Floyd's way to draw a subset: for each place from length - size on, one up to it, or itself if that is taken.
    """
    size = points.shape[1]
    chosen = np.empty(points.shape, np.int64)
    for k in range(size):
        last = lengths - size + k
        pick = (points[:, k] * (last + 1)).astype(np.int64)
        taken = (chosen[:, :k] == pick[:, None]).any(axis=1)
        chosen[:, k] = np.where(taken, last, pick)
    return chosen
