"""Making sets of items safe by suppressing occurrences of items.

Nakagawa, Arai, Nakagawa: personalized anonymization of set-valued data, Algorithms 1 (all adversaries) and 2 (a sample
of them, `sudare.baskets.suppress.sampled`), with the better strategy that the paper leaves to future work in
`sudare.baskets.suppress.best`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import field
from fractions import Fraction
from math import comb
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.baskets.check.uncertainty import (
    Knowledge,
    Verdict,
    by_length,
    check_baskets,
    check_sampling,
    comparable_rho,
    count_adversaries,
    exact_rho,
    refuse_large_sample,
    sample_size,
)
from sudare.baskets.model import Baskets, SensitiveItems, refuse_strangers
from sudare.baskets.suppress.choice import KeepLow
from sudare.baskets.utility import BasketLoss, basket_loss
from sudare.deadline import Deadline, TimeOver
from sudare.errors import OptionNotUsable
from sudare.interruption import settle
from sudare.kernels.baskets import item_sets
from sudare.kernels.baskets import suppression as kernels
from sudare.messages import Texts
from sudare.progress import Progress, silent
from sudare.showing import dataclass

Strategy = Literal["paper", "swept", "best"]
# Seconds in which what was reached is checked after an interruption.
AFTER_INTERRUPTION = 1.0
# Sets of items that occur in some record, with repetition: a gigabyte of them and their rules.
MOST_SETS = 50_000_000
# The share of the time in which items are suppressed; the rest is for the check of what was reached.
_SEARCH_SHARE = 0.8
# Users that are looked at between two looks at the clock.
_PART = 4096
# The types of compiled functions hide what they take.
_number_sets: Any = item_sets.number_sets
_list_rules: Any = item_sets.list_rules
_repair_users: Any = kernels.repair_users


@dataclass(frozen=True, slots=True)
class Suppression:
    """Records that lost some items, what they were made of, and what a check of the whole says of them.

    The guarantee that was asked for is that of the verdict. `loss` has the three measures of the paper. No suppression
    that is safe from all adversaries removes fewer than `least_suppressed` occurrences, whatever its algorithm; it is
    None for samples, which allow for unsafe ones, and if the time was over before it was known. If the work was
    interrupted, what was reached so far is published, and it is not safe whatever the verdict says, which may be that
    of a check that was not finished.
    """

    original: Baskets = field(repr=False)
    sensitive: SensitiveItems = field(repr=False)
    published: Baskets = field(repr=False)
    strategy: Strategy
    keep_low: KeepLow | None
    seed: int
    passes: int
    interrupted: bool
    seconds: float
    verdict: Verdict
    loss: BasketLoss
    least_suppressed: int | None

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
        names = (
            "strategy", "keep_low", "seed", "items", "suppressed", "suppressed_share", "least_suppressed", "passes",
            "interrupted", "seconds",
        )  # fmt: skip
        return {
            **self.verdict.to_dict(),
            **self.loss.to_dict(),
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
    keep_low: KeepLow | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    seed: int = 0,
    seconds: float | None = None,
    progress: Progress = silent,
) -> Suppression:
    """Suppress items until no adversary can infer a sensitive item of a user with a confidence above rho.

    Adversaries know at most `max_known` items (None: any number) of the original or the published record. With epsilon
    and delta samples are repaired until a whole pass over a fresh one meets none unsafe. The strategy `paper` is what
    the paper prints, `best` loses less and keeps low what `keep_low` says (None: all three measures, of samples the
    items), `swept` goes through short records first and has an independent sample confirm the end. However many
    passes or looks there are, the probability that the verdict wrongly says safe is at most delta. After `seconds` or
    an interruption the state so far is returned, with the verdict of a check that ends within the same time: `seconds`
    are for both.
    """
    started = time.perf_counter()
    keep_low = _checked_strategy(strategy, keep_low, sampled=epsilon is not None)
    check_sampling(epsilon, delta)
    whole = Deadline(seconds)

    def check(seconds: float | None) -> Verdict:
        # What is looked at depends on what earlier looks met, so each look draws anew.
        look = work.look or Look(work.looks + 1, None)
        work.looks += 1
        return check_baskets(
            original, sensitive, rho=rho, published=original.only(work.kept), max_known=max_known, knowledge=knowledge,
            epsilon=epsilon, delta=delta, seed=look_seed(seed, look.number), look=look.number, draws=look.draws,
            seconds=seconds, progress=progress,
        )  # fmt: skip

    verdict, patience = None, None
    with Deadline(None if seconds is None else _SEARCH_SHARE * seconds) as deadline:
        work = Work(original, sensitive, rho, knowledge, max_known, seed, deadline, progress)
        try:
            if epsilon is None or delta is None:
                _suppress_exactly(work, keep_low)
            else:
                verdict = _suppress_samples(work, epsilon, delta, strategy, keep_low, check, deadline)
        except (TimeOver, KeyboardInterrupt) as reason:
            settle()
            work.interrupted = verdict is None or not verdict.safe
            patience = AFTER_INTERRUPTION if isinstance(reason, KeyboardInterrupt) else None
    if verdict is None or not verdict.safe:
        verdict = check(patience or whole.rest)
    published = original.only(work.kept)
    return Suppression(
        original, sensitive, published, strategy, keep_low, seed, work.passes, work.interrupted,
        time.perf_counter() - started, verdict, basket_loss(original, published), work.least,
    )  # fmt: skip


def _checked_strategy(strategy: Strategy, keep_low: KeepLow | None, *, sampled: bool) -> KeepLow | None:
    """Refuse strategies that there are not; return what the best one keeps low, None for the others."""
    if strategy not in get_args(Strategy):
        raise OptionNotUsable(f"There is no strategy {strategy!r}.\nHint: paper, swept or best.")
    if keep_low is not None and keep_low not in get_args(KeepLow):
        raise OptionNotUsable(f"{keep_low!r} cannot be kept low.\nHint: items, kl, rules or all.")
    if strategy == "best":
        return keep_low or ("items" if sampled else "all")
    if keep_low is not None:
        raise OptionNotUsable(f"The strategy {strategy} does not choose what is kept low.\nHint: use best.")
    return None


def _suppress_exactly(work: Work, keep_low: KeepLow | None) -> None:
    from sudare.baskets.suppress.best import suppress_best
    from sudare.baskets.suppress.loss_bound import least_suppressed

    supports = work.supports()
    work.least = least_suppressed(work, supports)
    if keep_low is None:
        repair_all(work, supports)
    else:
        suppress_best(work, supports, keep_low)


def _suppress_samples(
    work: Work,
    epsilon: float,
    delta: float,
    strategy: Strategy,
    keep_low: KeepLow | None,
    check: Callable[[float | None], Verdict],
    deadline: Deadline,
) -> Verdict | None:
    """Repair samples; return the verdict of a look that passed, None if the last pass is yet to be looked at."""
    from sudare.baskets.suppress import sampled

    if strategy == "best" and keep_low is not None:
        work.look = sampled.repair_best(work, epsilon, delta, keep_low)
        return None
    if strategy == "paper":
        work.look = sampled.repair_as_printed(work, epsilon, delta)
        return None
    refuse_large_sample(sample_size(epsilon, delta, 1), work.most_known)
    sampled.sweep(work)
    while True:
        sampled.repair_samples(work, sample_size(epsilon, delta, work.looks + 1))
        # A pass can meet no unsafe adversary by luck: an independent sample has to confirm it.
        verdict = check(deadline.rest)
        if verdict.safe:
            return verdict
        deadline.check()


def look_seed(seed: int, look: int) -> int:
    """Return the seed of a look at what was suppressed: one that nobody is likely to choose for a check of her own."""
    return int(np.random.SeedSequence([seed, look]).generate_state(1)[0])


@dataclass(frozen=True, slots=True)
class Look:
    """A look at what is published: its number, from 1, and how many it draws, if all looks draw alike."""

    number: int
    draws: int | None


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
        self.look: Look | None = None
        self.least: int | None = None
        self.seed = seed
        self.kept = np.ones(len(original.items), np.bool_)
        owner = np.repeat(np.arange(len(original)), original.lengths)
        before = original.supports()
        begins, places = np.append(0, np.cumsum(before)), np.argsort(original.items, kind="stable")
        self.records = kernels.Records(original.starts, original.items, self.kept, owner, begins, places, owner[places])
        total = len(original.items)
        self.frequencies = (before.copy(), before, np.asarray([total, total], np.int64))
        self.found = np.empty(len(original), np.int64)
        self.order = by_length(original)
        # Items from which nothing can be inferred by themselves, as far as that was found (`find_unsafe`).
        self.quiet = np.zeros(len(original.names), np.bool_)

    def reset(self) -> None:
        """Publish everything again."""
        self.kept[:] = True
        self.frequencies[0][:] = self.frequencies[1]
        self.frequencies[2][1] = len(self.kept)
        self.quiet[:] = False

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
