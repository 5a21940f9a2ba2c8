"""The records during suppression, and the repair of unsafe adversaries one after another."""

from __future__ import annotations

from math import comb

import numpy as np

from sudare.baskets.check.adversaries import KnownFrom, check_max_known, checked_knowledge, count_adversaries
from sudare.baskets.check.draws import by_length
from sudare.baskets.check.rho import comparable_rho, exact_rho
from sudare.baskets.model import Baskets, SensitiveItems, refuse_strangers
from sudare.baskets.occurrences import lists_of, records_of, rule_of
from sudare.deadline import Deadline
from sudare.errors import OptionNotUsable
from sudare.kernels.baskets import item_sets, suppression as kernels
from sudare.kernels.baskets.records import Question
from sudare.kernels.baskets.suppression import Supports
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.statistics.shares import Share

# Seconds in which what was reached is checked after an interruption.
AFTER_INTERRUPTION = 1.0
# Sets of items that occur in some record, with repetition: a gigabyte of them and their rules.
MOST_SETS = 50_000_000
# Users that are looked at between two looks at the clock.
_PART = 4096


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
        knowledge: KnownFrom,
        max_known: int | None,
        seed: int,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        checked_knowledge(knowledge)
        check_max_known(max_known)
        refuse_strangers(original, sensitive)
        exact = comparable_rho(exact_rho(rho), len(original))
        self.original, self.sensitive = original, sensitive
        self.longest = int(original.lengths.max(initial=0))
        self.most_known = self.longest if max_known is None else min(max_known, self.longest)
        self.rng = np.random.default_rng(seed)
        self.progress, self._deadline, self.halt = progress, deadline, deadline.halt
        self.passes, self.looks, self.interrupted = 0, 0, False
        self.look: Look | None = None
        self.least: int | None = None
        self.seed = seed
        self.kept = np.ones(len(original.items), np.bool_)
        self.question = Question(
            records_of(original, self.kept), lists_of(sensitive), rule_of(exact), knowledge == "published"
        )
        before, total = original.supports(), len(original.items)
        self.frequencies = kernels.Frequencies(before.copy(), before, np.asarray([total, total], np.int64))
        self.found = np.empty(len(original), np.int64)
        self.repair = kernels.Repair(self.frequencies, self.rng, self.found, self.halt)
        self.order = by_length(original)
        # Items from which nothing can be inferred by themselves, as far as that was found (`find_unsafe`).
        self.quiet = np.zeros(len(original.names), np.bool_)

    def reset(self) -> None:
        """Publish everything again."""
        self.kept[:] = True
        self.frequencies.now[:] = self.frequencies.before
        self.frequencies.totals[1] = len(self.kept)
        self.quiet[:] = False

    def tell(self, size: int, unsafe: int, done: int, total: int) -> None:
        """Tell how far a pass is."""
        gone = len(self.kept) - int(self.frequencies.totals[1])
        values = {"number": self.passes, "known": size, "unsafe": unsafe, "suppressed": gone}
        self.progress(message("progress.suppression", **values), done, total)

    def check_time(self) -> None:
        """Stop the work when its time is over; needed after every kernel, which may have been halted."""
        self._deadline.check()

    def supports(self) -> Supports:
        """Return the sets of items that occur together, numbered, with their rules."""
        most = min(self.most_known + 1, max(self.longest, 1))
        total = count_adversaries(self.original.lengths, most)
        if total > MOST_SETS:
            raise OptionNotUsable("errors.adversaries.too_many_sets", sets=total, most=MOST_SETS)
        numbered = item_sets.number_sets(self.original.starts, self.original.items, most, self.halt)
        self.check_time()
        rules = item_sets.list_rules(numbered.sets, self.halt)
        self.check_time()
        room = max(1, sum(comb(max(self.longest - 1, 0), size) for size in range(most)))
        return Supports(numbered.sets, rules, numbered.supports, most, room)


def repair_all(work: Work, supports: Supports) -> None:
    """Repair unsafe adversaries, one after another, until a whole pass meets none (Algorithm 1)."""
    unsafe = 1
    while unsafe:
        unsafe = 0
        work.passes += 1
        for size in range(1, work.most_known + 1):
            for first in range(0, len(work.original), _PART):
                end = min(first + _PART, len(work.original))
                unsafe += kernels.repair_users(first, end, size, work.question, supports, work.repair)
                work.check_time()
                work.tell(size, unsafe, end, len(work.original))
