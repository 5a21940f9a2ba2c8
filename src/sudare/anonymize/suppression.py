"""Making sets of items safe by suppressing occurrences of items.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, Algorithms 1 (all adversaries) and 2 (a sample
of them), with the better strategy that the paper leaves to future work in `sudare.anonymize.best_suppression`.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from fractions import Fraction
from math import comb
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.data.baskets import Baskets, SensitiveItems, refuse_strangers
from sudare.deadline import Deadline, TimeOver
from sudare.errors import OptionNotUsable
from sudare.interruption import settle
from sudare.kernels import item_sets, sampled_suppression, swept_suppression
from sudare.kernels import suppression as kernels
from sudare.messages import Texts
from sudare.progress import Progress, silent
from sudare.risk.uncertainty import (
    Knowledge,
    Verdict,
    check_baskets,
    check_sampling,
    comparable_rho,
    count_adversaries,
    draw_adversaries,
    exact_rho,
    refuse_large_sample,
    sample_size,
)
from sudare.showing import dataclass

Strategy = Literal["paper", "best"]
# Seconds in which what was reached is checked after an interruption.
AFTER_INTERRUPTION = 1.0
# Sets of items that occur in some record, with repetition: a gigabyte of them and their rules.
MOST_SETS = 50_000_000
# Records whose adversaries are gone through before others are drawn: they are most of the records, and drawing takes
# long to meet their last unsafe ones. Longer ones would lose much for adversaries that are hardly ever drawn.
LONGEST_SWEPT = 15
# Adversaries who know one number of items that are gone through at most: some seconds.
MOST_SWEPT = 50_000_000
# Safe adversaries in a row after which the record of an unsafe one is left.
STREAK = 20
# The share of the time in which items are suppressed; the rest is for the check of what was reached.
_SEARCH_SHARE = 0.8
# Users that are looked at between two looks at the clock.
_PART = 4096
# Items whose sets are swept between two looks at the clock.
_PART_ITEMS = 64
# The types of compiled functions hide what they take.
_number_sets: Any = item_sets.number_sets
_list_rules: Any = item_sets.list_rules
_repair_users: Any = kernels.repair_users
_repair_drawn: Any = sampled_suppression.repair_drawn
_find_unsafe: Any = sampled_suppression.find_unsafe
_sweep_sets: Any = swept_suppression.sweep_sets


@dataclass(frozen=True, slots=True)
class Suppression:
    """Records that lost some items, what they were made of, and what a check of the whole says of them.

    The guarantee that was asked for is that of the verdict. If the work was interrupted, what was reached so far is
    published, and it is not safe whatever the verdict says, which may be that of a check that was not finished.
    """

    original: Baskets = field(repr=False)
    sensitive: SensitiveItems = field(repr=False)
    published: Baskets = field(repr=False)
    strategy: Strategy
    seed: int
    passes: int
    interrupted: bool
    seconds: float
    verdict: Verdict

    @property
    def safe(self) -> bool:
        """Whether the guarantee holds, as a check of the whole says."""
        return self.verdict.safe and not self.interrupted

    @property
    def items(self) -> int:
        """How many occurrences of items there were."""
        return len(self.original.items)

    @property
    def suppressed(self) -> int:
        """How many of them are not published."""
        return self.items - len(self.published.items)

    @property
    def suppressed_share(self) -> float:
        """The share of the occurrences of items that are suppressed, formula (2)."""
        return self.suppressed / self.items if self.items else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the records as plain values."""
        names = ("strategy", "seed", "items", "suppressed", "suppressed_share", "passes", "interrupted", "seconds")
        return {
            **self.verdict.to_dict(),
            **{name: getattr(self, name) for name in names},
            "safe": self.safe,
            "check_seed": self.verdict.seed,
            "claim": self.verdict.claim(Texts("en"), interrupted=self.interrupted),
        }


@checked
def suppress_baskets(
    original: Baskets,
    sensitive: SensitiveItems,
    *,
    rho: Fraction | float | str,
    max_known: int | None = None,
    knowledge: Knowledge = "original",
    strategy: Strategy = "paper",
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Suppression:
    """Suppress items until no adversary can infer a sensitive item of a user with a confidence above rho.

    Adversaries know at most `max_known` items (None: any number) of the original or the published record. With epsilon
    and delta those who know few items are gone through once, and then samples are repaired until a whole pass over a
    fresh one finds none unsafe, and another sample confirms it. However often that takes, the probability that the
    confirmation is wrong is at most delta. After `seconds` or an interruption the state so far is returned, with the
    verdict of a check that ends within the same time: `seconds` are for both.
    """
    started = time.perf_counter()
    if strategy not in get_args(Strategy):
        raise OptionNotUsable(f"There is no strategy {strategy!r}.\nHint: paper or best.")
    check_sampling(epsilon, delta)
    whole = Deadline(seconds)

    def check(seconds: float | None) -> Verdict:
        # What is looked at depends on what earlier looks met, so each look draws anew.
        work.looks += 1
        return check_baskets(
            original, sensitive, rho=rho, published=original.only(work.kept), max_known=max_known, knowledge=knowledge,
            epsilon=epsilon, delta=delta, seed=look_seed(seed, work.looks), look=work.looks, seconds=seconds,
            progress=progress,
        )  # fmt: skip

    verdict, patience = None, None
    with Deadline(None if seconds is None else _SEARCH_SHARE * seconds) as deadline:
        work = Work(original, sensitive, rho, knowledge, max_known, seed, deadline, progress)
        try:
            if epsilon is not None and delta is not None:
                refuse_large_sample(sample_size(epsilon, delta, 1), work.most_known)
                # A pass can meet no unsafe adversary by luck: an independent sample has to confirm it.
                _sweep(work, fewest=strategy == "best")
                while verdict is None or not verdict.safe:
                    _repair_samples(work, sample_size(epsilon, delta, work.looks + 1), fewest=strategy == "best")
                    verdict = check(deadline.rest)
                    deadline.check()
            elif strategy == "paper":
                repair_all(work, work.supports())
            else:
                from sudare.anonymize.best_suppression import suppress_best

                suppress_best(work)
        except (TimeOver, KeyboardInterrupt) as reason:
            settle()
            work.interrupted = verdict is None or not verdict.safe
            patience = AFTER_INTERRUPTION if isinstance(reason, KeyboardInterrupt) else None
    if verdict is None or not verdict.safe:
        verdict = check(patience or whole.rest)
    return Suppression(
        original, sensitive, original.only(work.kept), strategy, seed, work.passes, work.interrupted,
        time.perf_counter() - started, verdict,
    )  # fmt: skip


def look_seed(seed: int, look: int) -> int:
    """Return the seed of a look at what was suppressed: one that nobody is likely to choose for a check of her own."""
    return int(np.random.SeedSequence([seed, look]).generate_state(1)[0])


class Work:
    """The records while items are suppressed: `kept` says which occurrences are still published."""

    def __init__(
        self,
        original: Baskets,
        sensitive: SensitiveItems,
        rho: Fraction | float | str,
        knowledge: Knowledge,
        max_known: int | None,
        seed: int,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        if knowledge not in get_args(Knowledge):
            raise OptionNotUsable(f"Adversaries know items of no {knowledge!r} record.\nHint: original or published.")
        if max_known is not None and max_known < 1:
            raise OptionNotUsable(f"Adversaries who know {max_known} items are none.\nHint: give a number from 1 on.")
        refuse_strangers(original, sensitive)
        exact = comparable_rho(exact_rho(rho), len(original))
        self.original, self.sensitive, self.of_published = original, sensitive, knowledge == "published"
        self.rule = (exact.numerator, exact.denominator)
        self.lists = (sensitive.words, sensitive.rows)
        self.longest = int(original.lengths.max(initial=0))
        self.most_known = self.longest if max_known is None else min(max_known, self.longest)
        self.rng = np.random.default_rng(seed)
        self.progress, self._deadline, self.halt = progress, deadline, deadline.halt
        self.passes, self.looks, self.interrupted = 0, 0, False
        self.kept = np.ones(len(original.items), np.bool_)
        owner = np.repeat(np.arange(len(original)), original.lengths)
        before = original.supports()
        begins, places = np.append(0, np.cumsum(before)), np.argsort(original.items, kind="stable")
        self.records = kernels.Records(original.starts, original.items, self.kept, owner, begins, places, owner[places])
        total = len(original.items)
        self.frequencies = (before.copy(), before, np.asarray([total, total], np.int64))
        self.found = np.empty(len(original), np.int64)

    def reset(self) -> None:
        """Publish everything again."""
        self.kept[:] = True
        self.frequencies[0][:] = self.frequencies[1]
        self.frequencies[2][1] = len(self.kept)

    def tell(self, size: int, unsafe: int, done: int, total: int) -> None:
        """Tell how far a pass is."""
        gone = len(self.kept) - int(self.frequencies[2][1])
        step = f"pass {self.passes}, {size} known: {unsafe:,} unsafe so far, {gone:,} suppressed"
        self.progress(step, done, total)

    def check_time(self) -> None:
        """Stop the work when its time is over; needed after every kernel, which may have been halted."""
        self._deadline.check()

    def supports(self) -> Supports:
        """Return the sets of items that occur together, numbered, with their rules."""
        most = min(self.most_known + 1, max(self.longest, 1))
        total = count_adversaries(self.original.lengths, most)
        if total > MOST_SETS:
            raise OptionNotUsable(
                f"The records have {total:,} sets of items, too many to keep (at most {MOST_SETS:,}).\n"
                "Hint: limit what adversaries know (--max-known 2), or repair samples (--epsilon 0.05 --delta 0.05)."
            )
        sets, counts = _number_sets(self.original.starts, self.original.items, most, self.halt)
        self.check_time()
        rules = _list_rules(sets, self.halt)
        self.check_time()
        room = max(1, sum(comb(max(self.longest - 1, 0), size) for size in range(most)))
        return Supports(sets, rules, counts, most, room)


@dataclass(frozen=True, slots=True, eq=False)
class Supports:
    """The sets of items that occur together, the rules among them, and the records that have each set.

    Sets have at most `most` items, and at most `room` sets of a record contain a given item.
    """

    sets: Any
    rules: Any
    counts: NDArray[np.int64]
    most: int
    room: int


def repair_all(work: Work, supports: Supports) -> None:
    """Repair unsafe adversaries, one after another, until a whole pass meets none (Algorithm 1)."""
    unsafe = 1
    while unsafe:
        unsafe = 0
        work.passes += 1
        for size in range(1, work.most_known + 1):
            for first in range(0, len(work.original), _PART):
                end = min(first + _PART, len(work.original))
                unsafe += _repair_users(
                    first, end, size, supports.sets, supports.rules, work.records, supports.counts, work.lists,
                    work.frequencies, work.rule, supports.most, supports.room, work.of_published, work.rng, work.found,
                    work.halt,
                )  # fmt: skip
                work.check_time()
                work.tell(size, unsafe, end, len(work.original))


def _sweep(work: Work, *, fewest: bool) -> None:
    """Repair all adversaries who know few items of records that are not long, until a pass over them meets none."""
    lengths, largest = work.original.lengths, 1
    while largest < work.most_known and _number_knowing(lengths, largest + 1) <= MOST_SWEPT:
        largest += 1
    items = len(work.original.names)
    changed = np.ones(items, np.bool_)
    while changed.any():
        work.passes += 1
        touched = np.zeros(items, np.bool_)
        for size in range(1, largest + 1):
            unsafe = 0
            order = work.rng.permutation(items)
            for first in range(0, items, _PART_ITEMS):
                end = min(first + _PART_ITEMS, items)
                unsafe += _sweep_sets(
                    order[first:end], size, work.records, work.lists, work.frequencies, work.rule, work.of_published,
                    work.rng, fewest, LONGEST_SWEPT, changed, touched, work.halt,
                )  # fmt: skip
                work.check_time()
                work.tell(size, unsafe, end, items)
        # Only sets of items that stand together in a record that changed can have become unsafe.
        changed = touched


def _number_knowing(lengths: NDArray[np.int64], size: int) -> int:
    numbers = np.bincount(lengths)
    return sum(int(count) * comb(length, size) for length, count in enumerate(numbers.tolist()))


def _repair_samples(work: Work, adversaries: int, *, fewest: bool) -> None:
    """Repair drawn adversaries until a whole pass over fresh ones meets none unsafe (Algorithm 2)."""
    unsafe = 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while unsafe:
            unsafe = 0
            work.passes += 1
            for size in range(1, work.most_known + 1):
                users, drawn = _draw(work, size, adversaries)
                bad = _unsafe(work, users, drawn, pool)
                work.check_time()
                unsafe += int(np.count_nonzero(bad))
                while bad.any():
                    touched = np.zeros(len(work.original.names), np.bool_)
                    _repair_drawn(
                        users[bad], drawn[bad], work.records, work.lists, work.frequencies, work.rule,
                        work.of_published, work.rng, work.found, fewest, touched, STREAK, work.halt,
                    )  # fmt: skip
                    # Only sets of items that stand together in a record that changed can have become unsafe.
                    again = touched[work.original.items[drawn]].all(axis=1)
                    bad[again] = _unsafe(work, users[again], drawn[again], pool)
                    bad[~again] = False
                    work.check_time()
                work.tell(size, unsafe, size, work.most_known)


def _unsafe(
    work: Work, users: NDArray[np.int64], drawn: NDArray[np.int64], pool: ThreadPoolExecutor
) -> NDArray[np.bool_]:
    """Say which drawn adversaries are unsafe, on all processors."""
    bad = np.zeros(len(users), np.bool_)
    parts = np.array_split(np.arange(len(users)), os.cpu_count() or 1)

    def task(part: NDArray[np.int64]) -> None:
        if len(part):
            mine = slice(part[0], part[-1] + 1)
            given = work.records, work.lists, work.rule, work.of_published
            _find_unsafe(users[mine], drawn[mine], *given, bad[mine], work.halt)

    list(pool.map(task, parts))
    return bad


def _draw(work: Work, size: int, adversaries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw adversaries, those who know the same first; what they know are places among the original items."""
    if work.of_published:
        users, drawn = draw_adversaries(work.original.only(work.kept), size, adversaries, work.rng)
        drawn = np.flatnonzero(work.kept)[drawn]
    else:
        users, drawn = draw_adversaries(work.original, size, adversaries, work.rng)
    drawn.sort(axis=1)
    order = np.lexsort(work.original.items[drawn].T[::-1])
    return users[order], drawn[order]
