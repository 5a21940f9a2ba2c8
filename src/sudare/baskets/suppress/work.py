"""The records while items are suppressed, and the repair of unsafe adversaries one after another."""

from __future__ import annotations

from math import comb
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.check.adversaries import Knowledge, count_adversaries
from sudare.baskets.check.draws import by_length
from sudare.baskets.check.rho import comparable_rho, exact_rho
from sudare.baskets.model import Baskets, SensitiveItems, refuse_strangers
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.kernels.baskets import item_sets, suppression as kernels
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.statistics.shares import Share

# Seconds in which what was reached is checked after an interruption.
AFTER_INTERRUPTION = 1.0
# Sets of items that occur in some record, with repetition: a gigabyte of them and their rules.
MOST_SETS = 50_000_000
# Users that are looked at between two looks at the clock.
_PART = 4096
# The types of compiled functions hide what they take.
_number_sets: Any = item_sets.number_sets
_list_rules: Any = item_sets.list_rules
_repair_users: Any = kernels.repair_users


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
        rho: Share,
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
