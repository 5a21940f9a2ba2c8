"""What any guesses in classes can reach: bounds, and exhaustive search where a bound leaves room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import comb, inf, log, log1p, perm

import numpy as np
from numpy.typing import NDArray

from sudare.histories.safety.guess_patterns import Claims, claims_of, hit_distribution
from sudare.histories.safety.guess_plans import GuessPlan, PlanPart, Vector
from sudare.showing import dataclass

# Claims of larger classes are too many to try them all (a class of 8 has 66).
LARGEST_TRIED = 8
# Up to this size the bound on a class is its own, beyond it that of Poisson's distribution.
LARGEST_BOUNDED = 20
_WEIGHTS = np.geomspace(1e-3, 1e6, 91)
# More than the roundings of a bound.
_SLACK = 1e-9


class TooMany(Exception):
    """More plans than may be tried."""


def reach_bounds(classes: Mapping[int, int], thresholds: NDArray[np.int64]) -> tuple[Vector, Vector]:
    """Return for each number of guesses a probability that no guesses exceed, and the weight z that shows it.

    By Markov's inequality P[hits >= r] <= E[(1+z)^hits] / (1+z)^r for every z > 0. The expectation is a product over
    the classes, and j guesses in a class have at most the factor with different customers; its j-th root, the best for
    any j, is what a guess there can give. Filling the classes that give most first bounds the product.
    """
    guesses = np.arange(len(thresholds))
    least, weights = np.zeros(len(thresholds)), np.full(len(thresholds), _WEIGHTS[0])
    for weight in _WEIGHTS:
        gains = {size: _gain(size, weight) for size in classes}
        order = sorted(classes, key=lambda size: -gains[size])
        room = np.cumsum([0, *(size * classes[size] for size in order)])
        most = np.interp(guesses, room, np.cumsum([0, *(gains[size] * size * classes[size] for size in order)]))
        exponent = most - thresholds * log1p(weight)
        weights[exponent < least] = weight
        least = np.minimum(least, exponent)
    found: Vector = np.where(thresholds > guesses, 0.0, np.minimum(np.exp(least + _SLACK), 1.0))
    return found, weights


def _gain(size: int, weight: float) -> float:
    """Return the most that log E[(1+z)^hits] can be for each guess in a class."""
    if size > LARGEST_BOUNDED:
        return weight / size
    return max(
        log1p(sum(comb(guesses, i) / perm(size, i) * weight**i for i in range(1, guesses + 1))) / guesses
        for guesses in range(1, size + 1)
    )


@dataclass(slots=True)
class _Option:
    """Claims that a class of some size can get, what they gain for each guess, and the hits of several such classes."""

    size: int
    claims: Claims
    gain: float
    powers: list[Vector] = field(default_factory=lambda: [np.ones(1)])

    @property
    def guesses(self) -> int:
        return sum(self.claims)

    def times(self, classes: int) -> Vector:
        """Return the distribution of the hits in a number of classes."""
        while len(self.powers) <= classes:
            self.powers.append(np.convolve(self.powers[-1], hit_distribution(self.size, self.claims)))
        return self.powers[classes]


_Chosen = tuple[tuple[_Option, int], ...]


class PlanSearch:
    """Tries plans, at most `most` steps in all: depth first, options with the largest gain first.

    A branch is left if, by the inequality of `reach_bounds` for one weight, nothing in it is better than the best so
    far.
    """

    def __init__(self, classes: Mapping[int, int], thresholds: NDArray[np.int64], most: int) -> None:
        self._classes, self._thresholds, self._left = classes, thresholds, most
        self._needed = 0
        self._best = 0.0
        self._chosen: _Chosen | None = None
        self._options: list[_Option] = []
        self._weight = 0.0

    def better(self, guesses: int, weight: float, than: float) -> GuessPlan | None:
        """Return the best plan with that number of guesses if it beats a probability; TooMany if undecided."""
        if max(self._classes) > LARGEST_TRIED:
            raise TooMany
        self._needed, self._best, self._chosen = int(self._thresholds[guesses]), than, None
        self._options, self._weight = _options(self._classes, weight), weight
        self._descend(0, guesses, self._classes, np.ones(1), ())
        if self._chosen is None:
            return None
        parts = tuple(PlanPart(option.size, number, option.claims) for option, number in self._chosen)
        return GuessPlan(guesses, self._needed, min(1.0, self._best), parts)

    def _descend(self, place: int, guesses: int, free: Mapping[int, int], hits: Vector, chosen: _Chosen) -> None:
        """Try all ways to make the guesses that are left by options from a place on in classes that are free."""
        self._left -= 1
        if self._left < 0:
            raise TooMany
        if guesses == 0:
            reached = float(hits[self._needed :][::-1].sum())
            if reached > self._best:
                self._best, self._chosen = reached, chosen
            return
        if guesses > sum(size * number for size, number in free.items()):
            return
        least = self._least_gain(hits) / guesses
        for later in range(place, len(self._options)):
            option = self._options[later]
            if option.gain < least:
                return
            most = min(guesses // option.guesses, free[option.size])
            for number in range(most, 0, -1):
                rest = guesses - number * option.guesses
                if rest and later == len(self._options) - 1:
                    break
                now = np.convolve(hits, option.times(number))
                left = {**free, option.size: free[option.size] - number}
                self._descend(later + 1, rest, left, now, (*chosen, (option, number)))

    def _least_gain(self, hits: Vector) -> float:
        """Return what the guesses that are left must gain together for more than the best so far."""
        if self._best == 0:
            return -inf
        reached = log(float(hits @ (1 + self._weight) ** np.arange(len(hits), dtype=np.float64)))
        return log(self._best) - _SLACK - reached + self._needed * log1p(self._weight)


def _options(classes: Mapping[int, int], weight: float) -> list[_Option]:
    """Return all claims that classes can get, those that gain most for each guess first."""
    found = []
    for size in classes:
        for claims in (claims for guesses in range(1, size + 1) for claims in claims_of(guesses)):
            distribution = hit_distribution(size, claims)
            expected = distribution @ (1 + weight) ** np.arange(len(distribution), dtype=np.float64)
            found.append(_Option(size, claims, log(float(expected)) / sum(claims)))
    return sorted(found, key=lambda option: -option.gain)
