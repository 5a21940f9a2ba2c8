"""The highest confidence of any adversary about each user, and the unsafe adversaries by number of known items.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, definitions 2 to 4.
`sudare.baskets.check.uncertainty` says whether baskets are safe; this says for whom, and how far.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import field
from fractions import Fraction
from itertools import pairwise
from math import comb
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.check.adversaries import KnownFrom, check_question, count_adversaries, kept_occurrences
from sudare.baskets.check.draws import draw_adversaries
from sudare.baskets.check.rho import comparable_rho, exact_rho
from sudare.baskets.model import Baskets, SensitiveItems
from sudare.baskets.occurrences import lists_of, records_of, rule_of
from sudare.kernels.baskets import user_confidence as kernels
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.shares import Share

# Adversaries that are all checked: some ten seconds where records are long. Those who know more are drawn, this many
# of each size.
MOST_ADVERSARIES = 5_000_000
DRAWN = 2000
# Parts into which the items are divided for threads.
_PARTS = 64


@dataclass(frozen=True, slots=True)
class SizeAdversaries(Result):
    """The adversaries who know a given number of items: how many exist, were checked, and were found unsafe.

    `mean_share` is the unsafe share of a user's adversaries, averaged over the users with at least that many items:
    this is what samples of `check_baskets` estimate. A user with a long record has many adversaries and counts once.
    """

    size: int
    adversaries: int
    checked: int
    unsafe: int
    mean_share: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, the mean share as a number."""
        return {**Result.to_dict(self), "mean_share": float(self.mean_share)}

    @property
    def exact(self) -> bool:
        """Whether all of them were checked, not only a sample."""
        return self.checked == self.adversaries


@dataclass(frozen=True, slots=True, eq=False)
class UserConfidence(Result):
    """The highest confidence that any adversary with up to `max_known` items has in a sensitive item of each user.

    It is 0 for a user of whom nothing is known or nothing sensitive can be inferred. `at_risk` marks users for whom it
    is above rho. `sizes` covers all sizes of knowledge, including those beyond `max_known`, which were sampled.
    """

    _hidden = ("greatest", "at_risk")
    _further = ("users_at_risk", "exact")
    _rows = ("sizes",)
    _row = SizeAdversaries

    max_known: int
    greatest: NDArray[np.float64] = field(repr=False)
    at_risk: NDArray[np.bool_] = field(repr=False)
    sizes: tuple[SizeAdversaries, ...]

    @property
    def users_at_risk(self) -> int:
        """The number of users with at least one unsafe adversary."""
        return int(np.count_nonzero(self.at_risk))

    @property
    def exact(self) -> bool:
        """Whether every possible adversary was checked."""
        return all(size.exact for size in self.sizes)


@checked
def confidence_by_user(
    original: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: Share,
    published: Baskets | None = None,
    max_known: int | None = None,
    knowledge: KnownFrom = "original",
    seed: int = 0,
    progress: Progress = silent,
) -> UserConfidence:
    """Return how certain an adversary can be of a sensitive item of each user, with the arguments of `check_baskets`.

    All adversaries are checked up to a number of known items that takes a few seconds; of those who know more, some of
    each size are drawn.
    """
    shown = original if published is None else published
    check_question(original, shown, sensitive, knowledge, max_known)
    look = _Look(original, shown, sensitive, exact_rho(rho), max_known, knowledge)
    unsafe = look.exhaust(progress)
    sizes = tuple(look.sizes(unsafe, np.random.default_rng(seed)))
    return UserConfidence(look.largest, look.greatest, look.at_risk, sizes)


class _Look:
    """The arrays of a look at all users, and what was found of each."""

    def __init__(
        self,
        original: Baskets,
        published: Baskets,
        sensitive: SensitiveItems,
        rho: Fraction,
        max_known: int | None,
        knowledge: KnownFrom,
    ) -> None:
        kept = kept_occurrences(original, published)
        self._known = original if knowledge == "original" else published
        if knowledge == "published":
            kept = np.ones(len(published.items), np.bool_)
        longest = int(self._known.lengths.max(initial=0))
        self._most = longest if max_known is None else min(max_known, longest)
        self.largest = _affordable(self._known.lengths, self._most)
        rule = rule_of(comparable_rho(rho, len(original)))
        self._given = records_of(self._known, kept), lists_of(sensitive), rule
        self.greatest = np.zeros(len(original))
        self.at_risk = np.zeros(len(original), np.bool_)
        self._lock = Lock()

    def exhaust(self, progress: Progress) -> NDArray[np.int64]:
        """Look at everybody who knows few enough items; count the unsafe ones by size and length of record."""
        longest = int(self._known.lengths.max(initial=0))
        unsafe = np.zeros((self.largest + 1, longest + 1), np.int64)
        cuts = np.unique(np.linspace(0, len(self._known.names), _PARTS + 1).astype(int)).tolist()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [pool.submit(self._part, first, end) for first, end in pairwise(cuts)]
            for done, finished in enumerate(as_completed(tasks), start=1):
                unsafe += finished.result()
                progress(message("progress.users"), done, len(tasks))
        return unsafe

    def _part(self, first: int, end: int) -> NDArray[np.int64]:
        surest = kernels.Surest(np.zeros_like(self.greatest), np.zeros_like(self.at_risk))
        unsafe = kernels.look_from(*self._given, self.largest, first, end, surest)
        with self._lock:
            np.maximum(self.greatest, surest.greatest, out=self.greatest)
            self.at_risk |= surest.at_risk
        return unsafe

    def sizes(self, unsafe: NDArray[np.int64], rng: np.random.Generator) -> Iterator[SizeAdversaries]:
        """Say of each size of what can be known how many adversaries there are and how many are unsafe."""
        lengths, records = np.unique(self._known.lengths, return_counts=True)
        counted = list(zip(lengths.tolist(), records.tolist(), strict=True))
        for size in range(1, self._most + 1):
            adversaries = sum(number * comb(length, size) for length, number in counted)
            if size <= self.largest:
                found = unsafe[size].tolist()
                shares = sum(Fraction(found[length], comb(length, size)) for length, _ in counted if length >= size)
                able = sum(number for length, number in counted if length >= size)
                yield SizeAdversaries(size, adversaries, adversaries, sum(found), shares / able)
                continue
            users, drawn = draw_adversaries(self._known, size, DRAWN, rng)
            met = kernels.look_at_drawn(*self._given, users, drawn)
            yield SizeAdversaries(size, adversaries, len(users), met, Fraction(met, len(users)))


def _affordable(lengths: NDArray[np.int64], most: int) -> int:
    """Return the largest number of known items, at least one, for which every adversary can be checked."""
    largest = min(most, 1)
    while largest < most and count_adversaries(lengths, largest + 1) <= MOST_ADVERSARIES:
        largest += 1
    return largest
