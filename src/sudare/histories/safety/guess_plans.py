"""Plans of guesses in classes, and the best of the simple ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.histories.safety.guess_patterns import Claims, different_hits
from sudare.results import Result
from sudare.showing import dataclass

Vector = NDArray[np.float64]

# Of plans that are better by no more than roundings, the one with fewer guesses is taken.
_BETTER = 1 + 1e-12


@dataclass(frozen=True, slots=True)
class PlanPart(Result):
    """Classes of one size with the same claims: (1, 1) guesses two customers for two pseudonyms, (2) one for both."""

    size: int
    classes: int
    claims: Claims


@dataclass(frozen=True, slots=True)
class GuessPlan(Result):
    """Guesses in classes, the hits they need to be effective, and the probability of reaching these."""

    _rows = ("parts",)
    _row = PlanPart

    guesses: int
    needed: int
    probability: float
    parts: tuple[PlanPart, ...]

    @checked
    def is_better(self, other: GuessPlan) -> bool:
        """Return whether the plan is more likely to be effective than another, or as likely with fewer guesses."""
        if self.probability > 0 and self.guesses < other.guesses:
            return self.probability * _BETTER >= other.probability
        return self.probability > other.probability * _BETTER


NO_PLAN = GuessPlan(0, 1, 0.0, ())


def best_plain_plan(sizes: NDArray[np.int64], thresholds: NDArray[np.int64]) -> GuessPlan:
    """Return the best plan with different customers in the first classes and one customer in each of the next."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    best = NO_PLAN
    for whole, partly, distribution in _different_first(sizes, len(thresholds) - 1):
        at_least = np.cumsum(distribution[::-1])[::-1]
        start = whole + (partly > 0)
        guesses = ends[whole] + partly + ends[start:] - ends[start]
        guesses = guesses[guesses < len(thresholds)]
        needed = np.maximum(thresholds[guesses] - np.arange(len(guesses)), 0)
        reached = np.where(needed < len(at_least), at_least[np.minimum(needed, len(at_least) - 1)], 0.0)
        alike = int(np.argmax(reached * _BETTER >= reached.max(initial=0.0)))
        n = int(guesses[alike])
        found = GuessPlan(n, int(thresholds[n]), min(1.0, float(reached[alike])), ())
        if found.is_better(best):
            best = replace(found, parts=_plain_parts(sizes, whole, partly, alike))
    return best


def _different_first(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int, Vector]]:
    """Yield how many classes are guessed whole, how many guesses the next gets, and the distribution of the hits."""
    before = np.ones(1)
    guesses = 0
    for whole, size in enumerate([*sizes.tolist(), 1]):
        for partly in range(size if whole < len(sizes) else 1):
            if guesses + partly > most:
                return
            yield whole, partly, np.convolve(before, different_hits(size, partly))
        before = np.convolve(before, different_hits(size, size))
        guesses += size


def _plain_parts(sizes: NDArray[np.int64], whole: int, partly: int, alike: int) -> tuple[PlanPart, ...]:
    claims: list[tuple[int, Claims]] = [(size, (1,) * size) for size in sizes[:whole].tolist()]
    if partly:
        claims.append((int(sizes[whole]), (1,) * partly))
    start = whole + (partly > 0)
    claims += [(size, (size,)) for size in sizes[start : start + alike].tolist()]
    return tuple(PlanPart(size, number, claimed) for (size, claimed), number in sorted(Counter(claims).items()))
