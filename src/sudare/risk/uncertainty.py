"""Personalized rho-uncertainty: whether published sets tell what a user wants to keep secret.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, definitions 2 to 5. An adversary (u, Q) knows
that user u has the items Q, and infers item e with the confidence supp(Q + e) / supp(Q) in the published records. She
is unsafe if that is above rho for an item e that is sensitive to u, and safe if no published record contains Q. This
check shares nothing with the algorithms that suppress items.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.data.baskets import Baskets, SensitiveItems
from sudare.errors import OptionNotUsable
from sudare.kernels import adversaries as kernels
from sudare.progress import Progress, silent

Knowledge = Literal["original", "published"]
# Adversaries that can be gone through: some minutes.
MOST_ADVERSARIES = 2_000_000_000
# Parts into which the items are divided for threads.
_PARTS = 64
# The types of compiled functions hide what they take.
_check_from: Any = kernels.check_from
_check_drawn: Any = kernels.check_drawn


@dataclass(frozen=True, slots=True)
class Adversary:
    """Somebody who knows some items of a user, and what the published records say of another one.

    `support` published records contain what is known, and the share `confidence` of them contains `inferred` too.
    """

    user: str
    known: tuple[str, ...]
    inferred: str
    confidence: float
    support: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**asdict(self), "known": list(self.known)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether published records keep what users want to keep, and from how many adversaries they do not.

    `adversaries` were checked: all with at most `max_known` items (None: any number) if `exact`, else a sample of each
    size, and `safe` then means that with the confidence 1 - delta less than the share epsilon of those of each size is
    unsafe. `worst` are the unsafe ones with the highest confidence.
    """

    rho: float
    max_known: int | None
    knowledge: Knowledge
    exact: bool
    epsilon: float | None
    delta: float | None
    seed: int | None
    safe: bool
    adversaries: int
    unsafe_adversaries: int
    worst: tuple[Adversary, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**asdict(self), "worst": [entry.to_dict() for entry in self.worst]}


def exact_rho(rho: float | str) -> Fraction:
    """Return rho as it is written: 0.1 is a tenth."""
    try:
        found = Fraction(str(rho))
    except (ValueError, ZeroDivisionError):
        raise OptionNotUsable(f"rho is a number, not {rho!r}.\nHint: 0.5 lets nobody be surer than a coin.") from None
    if not 0 < found <= 1:
        raise OptionNotUsable(f"rho is above 0 and at most 1, not {rho}.\nHint: 0.5 lets nobody be surer than a coin.")
    return found.limit_denominator(10**9)


def sample_size(epsilon: float, delta: float) -> int:
    """Return how many adversaries have to be safe (Theorem 1): log(1 / delta) / (2 epsilon^2), rounded up."""
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < value < 1:
            raise OptionNotUsable(f"{name} is between 0 and 1, not {value}.\nHint: 0.05 is usual.")
    return math.ceil(math.log(1 / delta) / (2 * epsilon**2))


def check_sampling(epsilon: float | None, delta: float | None) -> int | None:
    """Return the sample size, or None if everything is to be checked; one of the two alone says nothing."""
    if (epsilon is None) != (delta is None):
        raise OptionNotUsable("Sampling needs epsilon and delta.\nHint: give both, as in 0.05 and 0.05, or none.")
    return None if epsilon is None or delta is None else sample_size(epsilon, delta)


def check_baskets(
    original: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: float | str,
    published: Baskets | None = None,
    max_known: int | None = None,
    knowledge: Knowledge = "original",
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    most_worst: int = 20,
    progress: Progress = silent,
) -> Verdict:
    """Say whether published records (None: the original ones) are safe from adversaries who know items of a user.

    With `knowledge="original"` they know items of the original record, suppressed or not; with "published" of the
    published one. With epsilon and delta a sample is checked, else everybody who knows at most `max_known` items.
    """
    started = time.perf_counter()
    size = check_sampling(epsilon, delta)
    question = _Question(original, published or original, sensitive, rho, knowledge, max_known, most_worst)
    if size is None:
        adversaries, unsafe = question.exhaust(progress)
    else:
        adversaries, unsafe = question.draw(size, np.random.default_rng(seed), progress)
    return Verdict(
        rho=float(exact_rho(rho)),
        max_known=max_known,
        knowledge=knowledge,
        exact=size is None,
        epsilon=epsilon,
        delta=delta,
        seed=None if size is None else seed,
        safe=unsafe == 0,
        adversaries=adversaries,
        unsafe_adversaries=unsafe,
        worst=question.worst(),
        seconds=time.perf_counter() - started,
    )


def count_adversaries(lengths: Sequence[int] | NDArray[np.int64], max_known: int | None) -> int:
    """Return how many sets of items, at least one, can be known of records of some lengths."""
    numbers = np.bincount(np.asarray(lengths, np.int64))
    return sum(int(count) * _subsets(length, max_known) for length, count in enumerate(numbers.tolist()) if count)


def _subsets(length: int, most: int | None) -> int:
    if most is None or most >= length:
        return int(2**length) - 1
    return sum(math.comb(length, size) for size in range(1, most + 1))


class _Question:
    """The arrays of a check, and the worst adversaries met."""

    def __init__(
        self,
        original: Baskets,
        published: Baskets,
        sensitive: SensitiveItems,
        rho: float | str,
        knowledge: Knowledge,
        max_known: int | None,
        most_worst: int,
    ) -> None:
        _check_options(original, published, sensitive, knowledge, max_known)
        exact = exact_rho(rho)
        self._known = original if knowledge == "original" else published
        all_shown = self._known is published
        kept = np.ones(len(published.items), np.bool_) if all_shown else kept_occurrences(original, published)
        longest = int(self._known.lengths.max(initial=0))
        self._most = longest if max_known is None else min(max_known, longest)
        owner = np.repeat(np.arange(len(self._known)), self._known.lengths)
        self._data = (self._known.starts, self._known.items, kept, owner)
        self._lists = (sensitive.words, sensitive.rows)
        self._rule = (exact.numerator, exact.denominator, self._most)
        # Numbers of 16 bits are sorted by their digits, several times as fast.
        narrow = np.uint16 if len(self._known.names) <= 1 << 16 else np.int32
        order = np.argsort(self._known.items.astype(narrow), kind="stable")
        begins = np.append(0, np.cumsum(self._known.supports()))
        self._postings = (begins, order)
        self._most_worst = most_worst
        self._noted: list[NDArray[np.int64]] = []

    def exhaust(self, progress: Progress) -> tuple[int, int]:
        """Check everybody; return how many there are and how many are unsafe."""
        adversaries = count_adversaries(self._known.lengths, self._most)
        if adversaries > MOST_ADVERSARIES:
            raise OptionNotUsable(
                f"{adversaries:,} adversaries are too many to go through (at most {MOST_ADVERSARIES:,}).\n"
                "Hint: limit what they know (--max-known 3), or check a sample (--epsilon 0.05 --delta 0.05)."
            )
        items = len(self._known.names)
        cuts = np.unique(np.linspace(0, items, _PARTS + 1).astype(int)).tolist()
        unsafe = 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [pool.submit(self._part, first, end) for first, end in pairwise(cuts)]
            for done, finished in enumerate(as_completed(tasks), start=1):
                unsafe += finished.result()
                progress("adversaries", done, len(tasks))
        return adversaries, unsafe

    def _part(self, first: int, end: int) -> int:
        worst, noted = self._space(), np.zeros(1, np.int64)
        largest = max(self._most, 1)
        found = _check_from(self._data, self._lists, self._rule, self._postings, first, end, worst, noted, largest)
        self._noted.append(worst[: noted[0]])
        return int(found)

    def draw(self, size: int, rng: np.random.Generator, progress: Progress) -> tuple[int, int]:
        """Check as many drawn adversaries of each size as the theorem asks for."""
        adversaries = unsafe = 0
        for known in range(1, self._most + 1):
            progress("adversaries", known - 1, self._most)
            users, drawn = draw_adversaries(self._known, known, size, rng)
            worst, noted = self._space(), np.zeros(1, np.int64)
            unsafe += int(_check_drawn(self._data, self._lists, self._rule, self._postings, users, drawn, worst, noted))
            self._noted.append(worst[: noted[0]])
            adversaries += len(users)
        progress("adversaries", self._most, self._most)
        return adversaries, unsafe

    def _space(self) -> NDArray[np.int64]:
        return np.zeros((self._most_worst, 5 + max(self._most, 1)), np.int64)

    def worst(self) -> tuple[Adversary, ...]:
        """Return the unsafe adversaries with the highest confidence."""
        rows = [row for part in self._noted for row in part.tolist()]
        rows.sort(key=lambda row: (-row[2] / row[3], -row[3], row))
        names, users = self._known.names, self._known.users
        return tuple(
            Adversary(
                users[row[0]],
                tuple(names[item] for item in sorted(row[5 : 5 + row[4]])),
                names[row[1]],
                row[2] / row[3],
                row[3],
            )
            for row in rows[: self._most_worst]
        )


def _check_options(
    original: Baskets, published: Baskets, sensitive: SensitiveItems, knowledge: str, max_known: int | None
) -> None:
    if knowledge not in get_args(Knowledge):
        raise OptionNotUsable(f"Adversaries know items of no {knowledge!r} record.\nHint: original or published.")
    if max_known is not None and max_known < 1:
        raise OptionNotUsable(f"Adversaries who know {max_known} items are none.\nHint: give a number from 1 on.")
    if len(sensitive.rows) != len(original) or len(published) != len(original):
        raise OptionNotUsable(
            f"{len(original):,} original records, {len(published):,} published ones and sensitive items of "
            f"{len(sensitive.rows):,} users do not belong together.\nHint: give those of the same users."
        )


def draw_adversaries(
    records: Baskets, size: int, adversaries: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw adversaries who know `size` items: a user with that many uniformly, then a subset of the record uniformly.

    Returns the users, and the places of the items they know among `records.items`; none if nobody has so many.
    """
    able = int(np.count_nonzero(records.lengths >= size))
    if not able:
        return np.zeros(0, np.int64), np.zeros((0, size), np.int64)
    ranks, points = draw_points(able, size, adversaries, rng)
    users = _by_length(records)[ranks]
    return users, records.starts[users][:, None] + chosen_places(records.lengths[users], points)


def draw_points(
    able: int, size: int, adversaries: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw adversaries before anything is known of the records but how many have `size` items.

    Returns the ranks of their users, the longest record first and of equally long ones the first user, and for each
    item that they know a number between 0 and 1 (`chosen_places`).
    """
    return rng.integers(able, size=adversaries), rng.random((adversaries, size))


def _by_length(records: Baskets) -> NDArray[np.int64]:
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


def kept_occurrences(original: Baskets, published: Baskets) -> NDArray[np.bool_]:
    """Return which occurrences of items in the original records are published; a record may only lose items."""
    items = max(len(original.names), 1)
    if original.names != published.names:
        raise OptionNotUsable("The items of the records are not numbered alike.\nHint: read both with the same items.")

    def keys(baskets: Baskets) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(baskets)), baskets.lengths) * items + baskets.items

    there, shown = keys(original), keys(published)
    kept = np.isin(there, shown, assume_unique=True)
    if np.count_nonzero(kept) != len(shown):
        u = int(shown[~np.isin(shown, there, assume_unique=True)][0] // items)
        raise OptionNotUsable(
            f"The published record of user {original.users[u]} has an item that the original has not.\n"
            "Hint: a record may lose items, and get none."
        )
    return kept
