"""How safe a partition into classes of indistinguishable persons is in a contest.

Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018, sections 4.1.1 and 5.3. The
attacker knows the classes and the customers of each, and nothing that tells the members of a class apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import ceil, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.histories.safety.best_guesses import MOST_STEPS, BestGuesses, find_best_guesses
from sudare.histories.safety.guess_plans import GuessPlan
from sudare.histories.safety.thresholds import (
    CONTEST_ALPHA,
    CONTEST_P,
    TESTS,
    Test,
    read_alpha,
    read_p,
    success_thresholds,
)
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.class_sizes import ClassSize
from sudare.statistics.shares import Share

# The least class for a smaller p has more than ten thousand persons.
LEAST_P = Fraction(1, 10_000)


@dataclass(frozen=True, slots=True)
class AttackSafety(Result):
    """What ignorant guessers can reach by one test, and the minimum probability of surviving several attacks.

    `bound` is proven: no guesses exceed it. `plan_found` is the best plan found; others may be better up to the bound
    unless it is `proven` to be the best, and then both are the same probability.
    """

    _further = ("survives_at_least_if_independent", "survives_at_least")

    test: Test
    plan_found: GuessPlan
    bound: float
    proven: bool
    attacks: int

    @property
    def survives_at_least_if_independent(self) -> float:
        """The minimum probability that all attacks fail if they succeed independently of each other."""
        return float((1 - self.bound) ** self.attacks)

    @property
    def survives_at_least(self) -> float:
        """The minimum probability that all attacks of ignorant guessers fail, whatever they guess."""
        return max(0.0, 1 - self.attacks * self.bound)


@dataclass(frozen=True, slots=True)
class ClassSafety(Result):
    """The classes of a published history, condition H0, and what ignorant guessers can reach by each test."""

    _rows = ("sizes",)
    _row = ClassSize

    persons: int
    sizes: tuple[ClassSize, ...]
    least_k: int
    p: Fraction
    alpha: Fraction
    tests: tuple[AttackSafety, ...]

    @property
    def k(self) -> int:
        """The size of the smallest class: the k of the k-anonymity reached."""
        return self.sizes[0].size

    @property
    def uniques(self) -> int:
        """The number of persons whose rows are unique."""
        return self.sizes[0].records if self.k == 1 else 0

    @property
    def holds(self) -> bool:
        """Whether condition H0 holds for an attacker who knows only the classes."""
        return self.k >= self.least_k

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and derived values as plain values."""
        return {
            "persons": self.persons,
            "classes": sum(size.classes for size in self.sizes),
            "k": self.k,
            "uniques": self.uniques,
            "sizes": [size.to_dict() for size in self.sizes],
            "p": str(self.p),
            "alpha": str(self.alpha),
            "h0": self.holds,
            "h0_least_k": self.least_k,
            "tests": [test.to_dict() for test in self.tests],
        }


@checked
def class_safety(
    sizes: Iterable[int],
    *,
    p: Share = CONTEST_P,
    alpha: Share = CONTEST_ALPHA,
    attacks: int = 1,
    thresholds: NDArray[np.int64] | None = None,
    most_steps: int = MOST_STEPS,
) -> ClassSafety:
    """Return how safe classes of these sizes are from an attacker who knows them and nothing else.

    `thresholds` are a contest's own and replace its formula; the tight test still uses p and alpha. Without any class
    there is nothing to attack, which is refused.
    """
    counted = Counter(int(size) for size in sizes)
    if not counted or min(counted) < 1:
        raise OptionNotUsable("errors.safety.no_class")
    if attacks < 1:
        raise OptionNotUsable("errors.safety.attacks", attacks=attacks)
    probability, level = read_p(p), read_alpha(alpha)
    persons = sum(size * number for size, number in counted.items())
    tests = []
    for test in TESTS:
        own = thresholds if test == "contest" else None
        used = success_thresholds(persons, probability, level, test=test) if own is None else own
        tests.append(_attacked(test, find_best_guesses(counted, used, most_steps=most_steps), attacks))
    listed = tuple(ClassSize(size, number, size * number) for size, number in sorted(counted.items()))
    return ClassSafety(persons, listed, least_class(probability), probability, level, tuple(tests))


@checked
def least_class(p: Share) -> int:
    """Return the smallest k for which classes of k and more meet condition H0: the smallest k with k! p^k >= 1.

    j persons of a class of k are all guessed right with probability at most (k-j)! / k!. That is at most p^j for every
    j if it is for j = k, since k (k-1) ... (k-j+1) p^j first rises and then falls with j. In k, k! p^k first falls and
    then rises, so that all larger classes meet the condition too. Examples 1 and 2 of PWS Cup 2018: details of the
    safety evaluation are k = 7 and 6 for p = 1/3.
    """
    share = read_p(p)
    if share < LEAST_P:
        raise OptionNotUsable("errors.safety.small_p", least=LEAST_P, p=share)
    low, high = 0, ceil(3 / share)  # k! p^k >= (k p / e)^k, and 3 > e
    while high - low > 1:
        middle = (low + high) // 2
        enough = factorial(middle) * share.numerator**middle >= share.denominator**middle
        low, high = (low, middle) if enough else (middle, high)
    return high


def _attacked(test: Test, found: BestGuesses, attacks: int) -> AttackSafety:
    return AttackSafety(test, found.plan_found, found.bound, found.proven, attacks)
