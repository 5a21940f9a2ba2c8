"""How many hits guesses have in one class of indistinguishable persons.

A class has k pseudonyms and the k customers behind them; to an attacker who knows no more than the class, every way to
join them is equally likely. Guesses in a class are described by their *claims*: how many pseudonyms were said to be
the same customer, for each customer named. Two pseudonyms said to be two customers are the claims (1, 1); both said to
be the same customer, (2): one hit for certain. Which pseudonyms and customers they are does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

Claims = tuple[int, ...]

# Probabilities below are left out; they change no digit of a sum.
NEGLIGIBLE = 1e-300


def claims_of(guesses: int, most: int | None = None) -> Iterator[Claims]:
    """Yield all claims with a number of guesses, largest claim first: the partitions of the number."""
    if guesses == 0:
        yield ()
    for first in range(min(guesses, most or guesses), 0, -1):
        for others in claims_of(guesses - first, first):
            yield (first, *others)


@cache
def claim_hits(size: int, claims: Claims) -> tuple[int, ...]:
    """Return the number of the size! assignments within a class that give 0, 1, ... hits.

    The customers of i claims are all found in e_i (size-i)! ways, e_i the i-th elementary symmetric polynomial of the
    claims, since they have different pseudonyms; inclusion and exclusion gives the exact numbers.
    """
    symmetric = [1]
    for claim in claims:
        symmetric = [a + claim * b for a, b in zip([*symmetric, 0], [0, *symmetric], strict=True)]
    at_least = [ways * factorial(size - i) for i, ways in enumerate(symmetric)]
    most = len(claims)
    return tuple(
        sum((-1) ** (i - hits) * comb(i, hits) * at_least[i] for i in range(hits, most + 1)) for hits in range(most + 1)
    )


def hit_distribution(size: int, claims: Claims) -> NDArray[np.float64]:
    """Return the probabilities of 0, 1, ... hits of claims in a class."""
    if len(claims) == sum(claims):
        return different_hits(size, len(claims))
    return np.array([ways / factorial(size) for ways in claim_hits(size, claims)])


@cache
def different_hits(size: int, guesses: int) -> NDArray[np.float64]:
    """Return the probabilities of 0, 1, ... hits if each pseudonym is guessed as a different customer.

    h of them are right in C(guesses,h) (size-h)! / size! of the cases, and then none of the others in a share that
    has no small value but 0, so that no digit is lost, however large the class.
    """
    found: list[float] = []
    chosen = 1.0
    for hits in range(guesses + 1):
        if chosen < NEGLIGIBLE:
            break
        found.append(chosen * _without_hit(size - hits, guesses - hits))
        chosen *= (guesses - hits) / (max(size - hits, 1) * (hits + 1))
    return np.array(found)


def _without_hit(size: int, guesses: int) -> float:
    """Return the probability that none of a number of different guesses in a class is right."""
    if size == guesses == 1:
        return 0.0
    total = term = 1.0
    for i in range(guesses):
        term *= -(guesses - i) / ((size - i) * (i + 1))
        total += term
        if abs(term) < 1e-20:
            break
    return total
