"""The search for good levels where there are too many combinations to try all: the best so far, and a bound.

What is safe for all attributes is safe for some of them, and suppresses no more records there; the losses `entropy` and
`precision` are sums over the attributes. So if the attributes are divided into blocks, the least losses of the blocks,
each searched through by itself, add up to a loss that no safe levels fall below. Good levels are found by going down
from the highest ones, and again from others nearby. Then a best-first search fixes the level of one attribute after the
other, always where the bound is lowest, and leaves out what is unsafe or loses more than the best levels found. Where
it comes to its end, these are the best of all; else the lowest bound that is left tells how far they can be from it.

Criteria about sensitive values can fail above safe levels (see `sudare.tables.anonymize.match_search`). Then bounds,
and what is left out, rest on what is necessary for them: k records and l different values.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sudare.deadline import Deadline, TimeOver
from sudare.interruption import settle
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass
from sudare.tables.anonymize.losses import Loss
from sudare.tables.anonymize.match_search import MatchJudge, MatchSearch
from sudare.tables.anonymize.search import NUMBERS, Judge, Levels, Search
from sudare.tables.classes.class_criteria import ClassCriteria
from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table

# Combinations of levels of a block of attributes: about three seconds for 100,000 distinct rows.
MOST_IN_BLOCK = 200_000
# Shares of the time for the bounds of the blocks and, of what is left then, for going down again and again.
BLOCK_SHARE, DESCENT_SHARE = 0.3, 0.4
# Share of what is left of the time for blocks that one attribute more may take: else a new block begins.
STEP_SHARE = 0.125
# Ways down that are tried, if there is time.
MOST_DESCENTS = 200
# Minimal choices of levels that are kept.
MOST_KEPT = 1000
# Losses that differ by less are the same sum in another order.
SAME = 1 - 1e-12

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about the levels of a table."""

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    size: int
    allowed: int
    loss: Loss
    plain: bool
    values: ClassCriteria | None = None

    def judge(self, known: Sequence[str]) -> Judge | MatchJudge:
        """Return what judges levels of some attributes."""
        if self.plain and self.values is None:
            return Judge(self.table, self.hierarchies, known, **self._limits)
        return MatchJudge(self.table, self.hierarchies, known, **self._limits, values=self.values)

    def search(self, known: Sequence[str]) -> Search | MatchSearch:
        """Return a search through all levels of some attributes."""
        if self.plain and self.values is None:
            return Search(self.table, self.hierarchies, known, **self._limits)
        return MatchSearch(self.table, self.hierarchies, known, **self._limits, values=self.values)

    @property
    def _limits(self) -> dict[str, Any]:
        return {"size": self.size, "allowed": self.allowed, "loss": self.loss}


class BoundedSearch:
    """A search that ends with the time, and says how far from the best its answer can be."""

    def __init__(self, question: Question, known: Sequence[str], seconds: float | None, seed: int) -> None:
        self._question, self._seconds, self._known = question, seconds, known
        self._judge, self._necessary = self._judges(known)
        self._top = tuple(self._judge.top)
        self._random = np.random.default_rng(seed)
        self._seen: dict[Vector, tuple[int, float]] = {}
        self._minimal: dict[Vector, None] = {}
        # Loss, suppressed records and levels; an infinite loss if none are known to be safe.
        self._best: tuple[float, int, Vector] = (math.inf, 0, ())
        self._bound = 0.0
        self.interrupted = False

    def _judges(self, known: Sequence[str]) -> tuple[Judge | MatchJudge, Judge | MatchJudge]:
        """Return what judges levels, and what judges whether they and all lower ones are unsafe, in the same order."""
        question = self._question
        if question.values is None:
            judge = question.judge(known)
            return judge, judge
        # The order of all that judges equal rows.
        places = dict(zip(known, question.table.positions(known), strict=True))
        ordered = sorted(known, key=lambda name: -len(question.table.values[places[name]]))
        valued = question.judge(ordered)
        if valued.monotone:
            return valued, valued
        return valued, replace(question, values=question.values.necessary).judge(ordered)

    def run(self, progress: Progress) -> None:
        """Search until the best is proven, the time is over or the user interrupts; what was found stays."""
        if not self._can_be_safe:
            return
        with Deadline(self._seconds) as self._deadline:
            try:
                self._search(progress)
            except TimeOver:
                pass
            except KeyboardInterrupt:
                self.interrupted = True
                settle()

    def _search(self, progress: Progress) -> None:
        if self._is_safe(self._top):
            self._descend(self._top, self._savings())
        rests = self._rests(progress)
        self._descend_again(progress)
        self._branch(rests, progress)

    def answer(self) -> dict[str, Any]:
        """Return what was found, by the names of LevelsFound."""
        loss, _, best = self._best
        none = not self._can_be_safe or math.isinf(self._bound)
        found = {
            "nodes": math.prod(level + 1 for level in self._top),
            "evaluated": len(self._seen),
            "highest": self._named(self._top),
            "complete": none,
            "interrupted": self.interrupted,
        }
        if not best:
            # None are safe, or none were found in time.
            return {**found, "safe_choices": 0 if none else None, "minimal": (), **dict.fromkeys(NUMBERS)}
        minimal = sorted((self._named(levels) for levels in self._minimal), key=lambda at: list(at.values()))
        return {
            **found, "safe_choices": None, "minimal": tuple(minimal), "best": self._named(best), "loss": loss,
            "bound": min(self._bound, loss), **self._judge.details(best),
        }  # fmt: skip

    @property
    def _can_be_safe(self) -> bool:
        """Whether any levels can be safe: the highest ones satisfy what is necessary."""
        if self._necessary is self._judge:
            return self._is_safe(self._top)
        return self._necessary.judge(self._top)[0] <= self._question.allowed

    def _named(self, levels: Vector) -> Levels:
        by_name = self._judge.named(levels)
        return {name: by_name[name] for name in self._known}

    def _is_safe(self, levels: Vector) -> bool:
        """Judge levels, and keep them if they are the best so far."""
        if levels not in self._seen:
            suppressed, loss = self._seen[levels] = self._judge.judge(levels)
            if suppressed <= self._question.allowed:
                self._best = min(self._best, (loss, suppressed, levels))
        return self._seen[levels][0] <= self._question.allowed

    def _savings(self) -> list[float]:
        """Return how much each attribute loses at its highest level; those that lose most are lowered first."""
        return [losses[-1] for losses in self._judge.base]

    def _descend(self, levels: Vector, urgency: Sequence[float]) -> None:
        """Lower levels, one attribute to its end after the other, as long as they are safe; the result is minimal.

        An attribute that cannot go down once can never do so on the way: the levels of the others only become lower.
        """
        for a in sorted(range(len(levels)), key=lambda a: -urgency[a]):
            low, high = 0, levels[a]
            while low < high:
                self._deadline.check()
                middle = (low + high) // 2
                if self._is_safe((*levels[:a], middle, *levels[a + 1 :])):
                    high = middle
                else:
                    low = middle + 1
            levels = (*levels[:a], high, *levels[a + 1 :])
        levels = self._lowered(levels)
        if len(self._minimal) < MOST_KEPT:
            self._minimal[levels] = None

    def _lowered(self, levels: Vector) -> Vector:
        """Lower safe levels step by step until they are minimal, where what is safe can lie below what is not."""
        found: Vector | None = levels if self._judge is not self._necessary else None
        while found is not None:
            self._deadline.check()
            levels = found
            below = ((*levels[:a], levels[a] - 1, *levels[a + 1 :]) for a in range(len(levels)) if levels[a])
            found = next((lower for lower in below if self._is_safe(lower)), None)
        return levels

    def _descend_again(self, progress: Progress) -> None:
        """Raise some attributes of the best levels to the top and go down in another order, again and again."""
        with self._deadline.part(DESCENT_SHARE) as share:
            for turn in range(MOST_DESCENTS):
                progress(message("progress.nearby_levels"), turn, MOST_DESCENTS)
                if share.over or self._proven() or not self._best[2]:
                    return
                higher, urgency = self._raised_by_chance(), self._shuffled_savings()
                if self._is_safe(higher):
                    self._descend(higher, urgency)

    def _raised_by_chance(self) -> Vector:
        best = self._best[2]
        chosen = self._random.random(len(best)) < self._random.choice([0.1, 0.25, 0.5, 1.0])
        return tuple(self._top[a] if chosen[a] else best[a] for a in range(len(best)))

    def _shuffled_savings(self) -> list[float]:
        """Return the savings, each more or less: sometimes their order is kept by and large, sometimes not at all."""
        spread = self._random.choice([0.3, 1.0, 10.0])
        factors = np.exp(spread * self._random.standard_normal(len(self._top)))
        return [(saving + 1e-9) * factor for saving, factor in zip(self._savings(), factors.tolist(), strict=True)]

    def _proven(self) -> bool:
        return self._bound >= self._best[0] * SAME

    def _rests(self, progress: Progress) -> list[float]:
        """Return for each attribute a loss that it and all after it cannot fall below: that of their blocks.

        A block grows from its last attribute on, as long as its combinations are few and there is time for it.
        """
        attributes = len(self._top)
        rests, block_end = [0.0] * (attributes + 1), attributes
        if not self._question.loss.by_column:
            self._bound = self._judge.least_crowding((), 0)
            return rests
        share = self._deadline.part(BLOCK_SHARE)
        for a in range(attributes - 1, -1, -1):
            progress(message("progress.loss_bounds"), attributes - 1 - a, attributes)
            if math.prod(level + 1 for level in self._top[a:block_end]) > MOST_IN_BLOCK:
                block_end = a + 1
            loss = self._block_loss(self._judge.names[a:block_end], share.part(STEP_SHARE))
            if loss is None:
                block_end = a + 1
                loss = self._block_loss(self._judge.names[a:block_end], self._deadline) or 0.0
            rests[a] = max(rests[a + 1], rests[block_end] + loss)
            self._bound = rests[a]
        return rests

    def _block_loss(self, names: Sequence[str], deadline: Deadline) -> float | None:
        """Return the least loss of some attributes alone, as part of the loss of all; None if time is too short."""

        def check(*_: object) -> None:
            deadline.check()

        try:
            # What is necessary in any case is searched through fast where classes are of equal records.
            search = replace(self._question, values=None).search(names)
            search.run(check)
        except TimeOver:
            return None
        share = self._question.loss.share
        return search.least * (share(len(names)) / share(len(self._top)))

    def _branch(self, rests: Sequence[float], progress: Progress) -> None:
        """Fix the levels of the first attributes, always where the bound is lowest."""
        waiting: list[tuple[float, int, Vector]] = [(self._bound, 0, ())]
        turns = 0
        while waiting:
            self._bound = max(self._bound, waiting[0][0])
            if self._proven():
                return
            self._deadline.check()
            progress(message("progress.best_levels"), turns, turns + len(waiting))
            _, _, fixed = heapq.heappop(waiting)
            turns += 1
            if len(fixed) == len(self._top):
                self._is_safe(fixed)
                continue
            for bound, more in self._next(fixed, rests):
                if bound < self._best[0] * SAME:
                    heapq.heappush(waiting, (bound, -len(more), more))
        # All that is left out is unsafe or loses at least as much.
        self._bound = self._best[0]

    def _next(self, fixed: Vector, rests: Sequence[float]) -> list[tuple[float, Vector]]:
        """Return the levels of one attribute more that can be safe, each with a bound for what begins so."""
        depth, judged = len(fixed), dict[int, tuple[int, float]]()
        low, high = 0, self._top[depth]
        while low < high:
            middle = (low + high) // 2
            judged[middle] = self._necessary.judge((*fixed, middle), depth + 1)
            if judged[middle][0] <= self._question.allowed:
                high = middle
            else:
                low = middle + 1
        found = [(*fixed, level) for level in range(high, self._top[depth] + 1)]
        return [(self._bound_of(more, judged.get(more[-1]), rests), more) for more in found]

    def _bound_of(self, fixed: Vector, judged: tuple[int, float] | None, rests: Sequence[float]) -> float:
        if not self._question.loss.by_column:
            return max(self._bound, self._judge.least_crowding(fixed, len(fixed)))
        lost = judged[1] if judged else sum(self._judge.base[a][level] for a, level in enumerate(fixed))
        return max(self._bound, lost + rests[len(fixed)])


__all__ = ["BoundedSearch", "Question"]
