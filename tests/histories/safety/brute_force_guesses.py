"""All guesses against all ways in which classes can be joined to their customers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product


def members(sizes: Sequence[int]) -> list[range]:
    """Return the numbers of the pseudonyms of each class; customers have the same numbers."""
    return [range(sum(sizes[:place]), sum(sizes[: place + 1])) for place in range(len(sizes))]


def truths(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every customer of pseudonym 0, 1, ... that is possible; all are equally likely."""
    for parts in product(*(permutations(part) for part in members(sizes))):
        yield tuple(customer for part in parts for customer in part)


def best_probability(sizes: Sequence[int], thresholds: Sequence[int]) -> Fraction:
    """Return the best probability of an effective attack over all guess files; None is no guess."""
    possible = list(truths(sizes))
    best = Fraction(0)
    for guessed in product([None, *range(sum(sizes))], repeat=sum(sizes)):
        needed = thresholds[sum(guess is not None for guess in guessed)]
        reached = sum(
            sum(map(int.__eq__, truth, (-1 if g is None else g for g in guessed))) >= needed for truth in possible
        )
        best = max(best, Fraction(reached, len(possible)))
    return best


def h0_holds(sizes: Sequence[int], p: Fraction) -> bool:
    """Return whether every guess of every set S is right as a whole with a probability of at most p^|S|."""
    possible = list(truths(sizes))
    for guessed in product([None, *range(sum(sizes))], repeat=sum(sizes)):
        right = [all(g is None or g == c for g, c in zip(guessed, truth, strict=True)) for truth in possible]
        if Fraction(sum(right), len(right)) > p ** sum(guess is not None for guess in guessed):
            return False
    return True
