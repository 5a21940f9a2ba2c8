"""The adversaries of published records, checked one by one or as a sample."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from fractions import Fraction
from itertools import pairwise
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.check.draws import draw_adversaries
from sudare.baskets.check.rho import comparable_rho
from sudare.baskets.check.sample_sizes import refuse_large_sample
from sudare.baskets.model import Baskets, SensitiveItems, refuse_strangers
from sudare.baskets.occurrences import lists_of, records_of, rule_of
from sudare.deadline import Deadline, TimeOver
from sudare.errors import OptionNotUsable
from sudare.kernels.baskets import adversaries as kernels
from sudare.messages import message
from sudare.progress import Progress
from sudare.results import Result
from sudare.showing import dataclass

KnownFrom = Literal["original", "published"]
# Adversaries that can all be checked: some minutes.
MOST_ADVERSARIES = 2_000_000_000
# Parts into which the items are divided for threads.
_PARTS = 64


@dataclass(frozen=True, slots=True)
class Adversary(Result):
    """An adversary who knows some items of a user, and what the published records reveal about another item.

    `support` published records contain the known items, and the share `confidence` of them contains `inferred` too.
    """

    user: str
    known: tuple[str, ...]
    inferred: str
    confidence: float
    support: int


def count_adversaries(lengths: Sequence[int] | NDArray[np.int64], max_known: int | None) -> int:
    """Return how many sets of items, at least one, can be known of records of some lengths."""
    numbers = np.bincount(np.asarray(lengths, np.int64))
    return sum(int(count) * _subsets(length, max_known) for length, count in enumerate(numbers.tolist()) if count)


def _subsets(length: int, most: int | None) -> int:
    if most is None or most >= length:
        return int(2**length) - 1
    return sum(math.comb(length, size) for size in range(1, most + 1))


class AdversaryCheck:
    """The arrays of a check, and the unsafe adversaries met: how many, and the worst."""

    def __init__(
        self,
        original: Baskets,
        published: Baskets,
        sensitive: SensitiveItems,
        rho: Fraction,
        knowledge: KnownFrom,
        max_known: int | None,
        most_worst: int,
    ) -> None:
        check_question(original, published, sensitive, knowledge, max_known)
        exact = comparable_rho(rho, len(original))
        self._known = original if knowledge == "original" else published
        kept = kept_occurrences(original, published)
        if self._known is published:
            kept = np.ones(len(published.items), np.bool_)
        longest = int(self._known.lengths.max(initial=0))
        self._most = longest if max_known is None else min(max_known, longest)
        self._records = records_of(self._known, kept)
        self._lists, self._rule = lists_of(sensitive), rule_of(exact)
        self._most_worst = most_worst
        self._noted: list[NDArray[np.int64]] = []
        self.unsafe = 0

    def exhaust(self, deadline: Deadline, progress: Progress) -> tuple[int, bool]:
        """Check everybody; return how many were checked, and whether there was time for all."""
        adversaries = count_adversaries(self._known.lengths, self._most)
        if adversaries > MOST_ADVERSARIES:
            raise OptionNotUsable("errors.adversaries.too_many", adversaries=adversaries, most=MOST_ADVERSARIES)
        items = len(self._known.names)
        cuts = np.unique(np.linspace(0, items, _PARTS + 1).astype(int)).tolist()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [pool.submit(self._part, first, end, deadline) for first, end in pairwise(cuts)]
            seen = 0
            try:
                for done, finished in enumerate(as_completed(tasks), start=1):
                    unsafe, part = finished.result()
                    self.unsafe, seen = self.unsafe + unsafe, seen + part
                    deadline.check()
                    progress(message("progress.adversaries"), done, len(tasks))
            except TimeOver:
                return seen, False
            finally:
                # What was not begun never is; what runs is halted.
                deadline.interrupt()
                pool.shutdown(cancel_futures=True)
        return seen, True

    def _part(self, first: int, end: int, deadline: Deadline) -> tuple[int, int]:
        """Check adversaries by their first known item; return how many are unsafe, and how many were checked."""
        worst = self._space()
        found = kernels.check_from(self._records, self._lists, self._rule, self._most, first, end, worst, deadline.halt)
        self._noted.append(worst.lines[: worst.noted[0]])
        # Of a part that was halted no more is known than those that it found.
        return found, found if deadline.halt[0] else self._beginning_with(first, end)

    def _beginning_with(self, first: int, end: int) -> int:
        """Return how many adversaries have one of some items as the first that they know."""
        records = self._records
        some = slice(records.begins[first], records.begins[end])
        numbers = np.bincount(records.starts[records.owners[some] + 1] - records.places[some] - 1)
        return sum(
            int(count) * (1 + _subsets(behind, self._most - 1))
            for behind, count in enumerate(numbers.tolist())
            if count
        )

    def draw(self, size: int, rng: np.random.Generator, deadline: Deadline, progress: Progress) -> tuple[int, bool]:
        """Check as many drawn adversaries of each size as the theorem asks for."""
        refuse_large_sample(size, self._most)
        adversaries = 0
        given = self._records, self._lists, self._rule
        for known in range(1, self._most + 1):
            progress(message("progress.adversaries"), known - 1, self._most)
            users, drawn = draw_adversaries(self._known, known, size, rng)
            worst = self._space()
            unsafe = kernels.check_drawn(*given, users, drawn, worst, deadline.halt)
            self.unsafe += unsafe
            self._noted.append(worst.lines[: worst.noted[0]])
            # Of a kernel that was halted no more is known than those that it found.
            adversaries += unsafe if deadline.halt[0] else len(users)
            try:
                deadline.check()
            except TimeOver:
                return adversaries, False
        progress(message("progress.adversaries"), self._most, self._most)
        return adversaries, True

    def _space(self) -> kernels.Worst:
        return kernels.Worst(np.zeros((self._most_worst, 5 + max(self._most, 1)), np.int64), np.zeros(1, np.int64))

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


def check_question(
    original: Baskets, published: Baskets, sensitive: SensitiveItems, knowledge: str, max_known: int | None
) -> None:
    """Refuse adversaries that there are not, and records and sensitive items that do not belong together."""
    checked_knowledge(knowledge)
    check_max_known(max_known)
    refuse_strangers(original, sensitive, published)


def check_max_known(max_known: int | None) -> None:
    """Refuse adversaries who know nothing."""
    if max_known is not None and max_known < 1:
        raise OptionNotUsable("errors.adversaries.max_known", max_known=max_known)


def checked_knowledge(knowledge: str) -> KnownFrom:
    """Return which record adversaries know, if the name is valid."""
    for known in get_args(KnownFrom):
        if knowledge == known:
            return cast(KnownFrom, known)
    raise OptionNotUsable("errors.adversaries.knowledge", knowledge=knowledge)


def kept_occurrences(original: Baskets, published: Baskets) -> NDArray[np.bool_]:
    """Return which occurrences of items in the original records are published; a record may only lose items."""
    items = max(len(original.names), 1)
    if original.names != published.names:
        raise OptionNotUsable("errors.baskets.numbered_differently")

    def keys(baskets: Baskets) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(baskets)), baskets.lengths) * items + baskets.items

    there, shown = keys(original), keys(published)
    kept = np.isin(there, shown, assume_unique=True)
    if np.count_nonzero(kept) != len(shown):
        u = int(shown[~np.isin(shown, there, assume_unique=True)][0] // items)
        raise OptionNotUsable("errors.baskets.added_item", user=original.users[u])
    return kept
