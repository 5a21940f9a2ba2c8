"""How many guesses to submit: the number most likely to contain enough right ones.

n guesses are effective with r(n) hits (histories/safety/thresholds.py). Hits of different groups of pseudonyms are
taken as independent, by the confidence of each guess; pseudonyms that nobody can tell apart are right or wrong
together, as in histories/safety/guess_patterns.py. Hamada et al.: Report on the anonymization and re-identification
contest PWSCUP 2018, section 5.3.
"""

from __future__ import annotations

import numpy as np

from sudare.histories.safety.guess_patterns import different_hits
from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.histories.attack_chances import success_chances
from sudare.showing import dataclass

# Chances that differ by no more are the same; the most guesses are taken, which bear most errors of the confidences.
_SAME = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class GuessChoice:
    """Places of the chosen guesses, the most confident first, the hits they need, those expected, and the chance."""

    places: Ints
    needed: int
    expected: float
    chance: float


def choose_guesses(
    confidence: Floats, groups: Ints, multiplicity: Ints, thresholds: Ints, guesses: int | None = None
) -> GuessChoice:
    """Choose a number of guesses (None: the number most likely to be effective).

    Guess i has the confidence `confidence[i]` and belongs to the group `groups[i]` of `multiplicity[groups[i]]`
    pseudonyms. Two orders are tried, the most confident first: group after group, and one guess of each group. For
    guesses that are independent of each other no choice of n is better than the n most confident.
    """
    orders = [_together(confidence, groups)]
    if guesses is None:
        orders.append(_one_of_each(orders[0], groups))
    best = GuessChoice(orders[0][:0], int(thresholds[0]), 0.0, 0.0)
    for order in orders:
        chances = _chances(confidence[order], groups[order], multiplicity, thresholds)
        n = _best_number(chances) if guesses is None else min(guesses, len(order))
        if guesses is not None or chances[n] > best.chance * (1 + _SAME):
            chosen = order[:n]
            best = GuessChoice(chosen, int(thresholds[n]), float(confidence[chosen].sum()), float(chances[n]))
    return best


def _best_number(chances: Floats) -> int:
    if not chances.any():
        return 0
    return int(np.flatnonzero(chances >= chances.max() * (1 - _SAME))[-1])


def _together(confidence: Floats, groups: Ints) -> Ints:
    """Return an order by confidence that keeps groups together; a group stands where its best guess does."""
    best = np.zeros(int(groups.max(initial=-1)) + 1)
    np.maximum.at(best, groups, confidence)
    return np.lexsort((-confidence, groups, -best[groups]))


def _one_of_each(order: Ints, groups: Ints) -> Ints:
    _, first = np.unique(groups[order], return_index=True)
    return order[np.sort(first)]


def _chances(confidence: Floats, groups: Ints, multiplicity: Ints, thresholds: Ints) -> Floats:
    """Return the chance of the first n guesses to be effective, for n = 0, 1, ..."""
    parts: list[Floats] = []
    before, number, total = -1, 0, 0.0
    for value, group in zip(confidence.tolist(), groups.tolist(), strict=True):
        number, total = (number + 1, total + value) if group == before else (1, value)
        before = group
        parts.append(_group_hits(int(multiplicity[group]), number, total / number))
    lengths = np.array([0, *map(len, parts)], np.int64)
    found = np.zeros(len(parts) + 1)
    if parts:
        flat = np.concatenate(parts)
        success_chances(flat, np.cumsum(lengths), groups, thresholds, found)
    return found


def _group_hits(size: int, guesses: int, confidence: float) -> Floats:
    """Return the probabilities of 0, 1, ... hits of guesses in a group of pseudonyms.

    The customers named are those of the group with the probability that makes the mean of the hits right; then every
    way to join them with the pseudonyms is equally likely.
    """
    right = min(size * confidence, 1.0)
    found = right * different_hits(size, guesses)
    found[0] += 1 - right
    return found
