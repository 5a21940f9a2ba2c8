from itertools import combinations, permutations, product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.histories.attack.guess_choice import choose_guesses
from sudare.histories.safety.thresholds import success_thresholds

# Thresholds of a lenient test, so that a few guesses can be effective.
LENIENT = np.array([1, 2, 2, 2, 3, 3, 4, 4, 5])


def chance_of(confidence: list[float], needed: int) -> float:
    """The probability of so many hits or more, over all outcomes."""
    total = 0.0
    for outcome in product((0, 1), repeat=len(confidence)):
        if sum(outcome) >= needed:
            total += float(np.prod([c if hit else 1 - c for c, hit in zip(confidence, outcome, strict=True)]))
    return total


def alone(confidence: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.array(confidence), np.arange(len(confidence)), np.ones(len(confidence), np.int64)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=7))
def test_no_choice_of_independent_guesses_is_better(confidence: list[float]) -> None:
    found = choose_guesses(*alone(confidence), LENIENT)
    chances = {
        chosen: chance_of([confidence[place] for place in chosen], int(LENIENT[n]))
        for n in range(1, len(confidence) + 1)
        for chosen in combinations(range(len(confidence)), n)
    }
    assert found.chance == pytest.approx(max(chances.values()), rel=2e-6)
    if found.chance:
        assert chances[tuple(sorted(found.places.tolist()))] == pytest.approx(found.chance)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.integers(0, 9))
def test_a_number_of_guesses_takes_the_most_confident(confidence: list[float], number: int) -> None:
    found = choose_guesses(*alone(confidence), LENIENT, number)
    taken = sorted(confidence, reverse=True)[:number]
    assert sorted(np.array(confidence)[found.places].tolist(), reverse=True) == taken
    assert found.needed == LENIENT[len(taken)]
    assert found.expected == pytest.approx(sum(taken))
    assert found.chance == pytest.approx(chance_of(taken, found.needed), abs=1e-12)


def test_of_pairs_that_nobody_can_tell_apart_twelve_are_claimed() -> None:
    # Section 5.3 of the report on PWSCUP 2018: 24 guesses, 9 of 12 pairs right: 0.0730.
    groups = np.repeat(np.arange(500), 2)
    found = choose_guesses(np.full(1000, 0.5), groups, np.full(500, 2), success_thresholds(1000))
    assert (len(found.places), found.needed) == (24, 18)
    assert found.chance == pytest.approx(299 / 4096)
    assert sorted(np.bincount(groups[found.places]).tolist())[-12:] == [2] * 12


@pytest.mark.parametrize(("k", "number"), [(2, 4), (3, 5), (3, 6), (4, 6)])
def test_hits_of_classes_are_those_of_all_ways_to_join_them(k: int, number: int) -> None:
    groups = np.repeat(np.arange(2), k)
    found = choose_guesses(np.full(2 * k, 1 / k), groups, np.full(2, k), LENIENT, number)
    ways = list(permutations(range(k)))
    claimed = [int((groups[found.places] == group).sum()) for group in (0, 1)]
    hits = [
        sum(way[place] == place for way, claims in zip(both, claimed, strict=True) for place in range(claims))
        for both in product(ways, repeat=2)
    ]
    assert found.chance == pytest.approx(np.mean([count >= found.needed for count in hits]))


def test_sure_guesses_are_all_made() -> None:
    found = choose_guesses(*alone([1.0] * 50), success_thresholds(50))
    assert (len(found.places), found.chance) == (50, 1.0)


def test_nothing_is_guessed_if_nothing_can_be_effective() -> None:
    for confidence in ([], [1.0] * 6, [0.0] * 9):
        found = choose_guesses(*alone(confidence), success_thresholds(9))
        assert (len(found.places), found.needed, found.chance) == (0, 1, 0.0)


def test_many_guesses_have_the_chance_of_the_normal_law() -> None:
    n = 20_000
    found = choose_guesses(*alone([0.6] * n), success_thresholds(n), n)
    deviation = (n * 0.24) ** 0.5
    assert found.expected == pytest.approx(0.6 * n)
    z = (found.needed - 0.5 - 0.6 * n) / deviation
    assert found.chance == pytest.approx(1 - NormalDist().cdf(z), abs=1e-3)
