from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.safety.best_guesses import find_best_guesses
from sudare.histories.safety.guess_patterns import claim_hits, claims_of, different_hits, hit_distribution
from sudare.histories.safety.guess_plans import GuessPlan, PlanPart
from sudare.histories.safety.plan_search import reach_bounds
from sudare.histories.safety.thresholds import success_thresholds
from tests.histories.safety.brute_force_guesses import best_probability


@pytest.mark.parametrize(
    ("size", "claims", "ways"),
    [
        (1, (1,), (0, 1)),
        (2, (2,), (0, 2)),
        (2, (1, 1), (1, 0, 1)),
        (3, (1, 1, 1), (2, 3, 0, 1)),
        (3, (2, 1), (2, 2, 2)),
        (3, (2,), (2, 4)),
        (4, (), (24,)),
    ],
)
def test_the_hits_of_claims_are_those_counted_by_hand(
    size: int, claims: tuple[int, ...], ways: tuple[int, ...]
) -> None:
    assert claim_hits(size, claims) == ways


@pytest.mark.parametrize("size", range(1, 7))
def test_the_hits_of_all_claims_are_those_of_all_permutations(size: int) -> None:
    for claims in (claims for guesses in range(size + 1) for claims in claims_of(guesses)):
        guessed = [customer for customer, claim in enumerate(claims) for _ in range(claim)]
        hits = Counter(sum(map(int.__eq__, truth, guessed)) for truth in permutations(range(size)))
        expected = [hits[number] for number in range(len(claims) + 1)]
        assert list(claim_hits(size, claims)) == expected
        assert hit_distribution(size, claims) == pytest.approx([ways / factorial(size) for ways in expected], rel=1e-14)


@pytest.mark.parametrize("classes", [{}, {3: -1}, {0: 3}, {3: 0}, {-2: 1}, {3: 1, 2: 0}])
def test_classes_that_there_are_not_are_refused(classes: dict[int, int]) -> None:
    with pytest.raises(OptionNotUsable, match="There must be at least one class"):
        find_best_guesses(classes, np.arange(1, 20))


def test_claims_are_the_partitions_of_a_number() -> None:
    assert list(claims_of(4)) == [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]


def test_large_classes_lose_no_digits() -> None:
    found = different_hits(60, 45)
    expected = [float(Fraction(ways, factorial(60))) for ways in claim_hits(60, (1,) * 45)]
    assert found == pytest.approx(expected, rel=1e-13)
    assert different_hits(100_000, 100_000).sum() == pytest.approx(1, rel=1e-14)


def test_in_pairs_twelve_of_them_are_the_best_guess_of_the_contest() -> None:
    """Hamada et al., section 5.3: 24 guesses, P[Bin(12, 1/2) >= 9]; and no other guesses are better."""
    found = find_best_guesses({2: 500}, success_thresholds(1000))
    assert found.plan_found == GuessPlan(24, 18, 299 / 4096, (PlanPart(2, 12, (1, 1)),))
    assert found.proven
    assert found.bound == found.plan_found.probability


def test_by_the_tight_test_one_customer_claimed_twice_in_each_pair_is_always_effective() -> None:
    found = find_best_guesses({2: 500}, success_thresholds(1000, test="tight"))
    assert found.plan_found == GuessPlan(126, 63, 1.0, (PlanPart(2, 63, (2,)),))


def test_seven_unique_persons_are_enough() -> None:
    found = find_best_guesses({1: 7, 3: 100}, success_thresholds(307))
    assert found.plan_found == GuessPlan(7, 7, 1.0, (PlanPart(1, 7, (1,)),))
    assert found.proven


def test_too_few_persons_cannot_be_attacked() -> None:
    found = find_best_guesses({1: 6}, success_thresholds(6))
    assert (found.plan_found.probability, found.bound, found.proven) == (0.0, 0.0, True)


@given(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda sizes: sum(sizes) <= 4),
    steps=st.lists(st.integers(0, 1), min_size=5, max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_the_best_plan_is_the_best_of_all_guess_files(sizes: list[int], steps: list[int]) -> None:
    thresholds = 1 + np.cumsum([0, *steps[1:]])[: sum(sizes) + 1]
    found = find_best_guesses(Counter(sizes), thresholds)
    assert found.proven
    assert found.plan_found.probability == pytest.approx(float(best_probability(sizes, thresholds.tolist())), rel=1e-12)


@pytest.mark.parametrize("sizes", [[2, 3], [5], [1, 2, 2], [4, 1]])
def test_the_best_plan_is_the_best_of_all_guess_files_of_five(sizes: list[int]) -> None:
    thresholds = success_thresholds(5, "1/3", "0.6")
    found = find_best_guesses(Counter(sizes), thresholds)
    assert found.plan_found.probability == pytest.approx(float(best_probability(sizes, thresholds.tolist())), rel=1e-12)


@pytest.mark.slow
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=8),
    alpha=st.sampled_from(["1/2000", "0.05", "0.5"]),
    p=st.sampled_from(["1/3", "1/2", "0.1"]),
)
@settings(max_examples=40, deadline=None)
def test_without_trying_all_plans_the_bound_is_above_the_best(sizes: list[int], alpha: str, p: str) -> None:
    classes, thresholds = Counter(sizes), success_thresholds(sum(sizes), p, alpha)
    best = find_best_guesses(classes, thresholds)
    quick = find_best_guesses(classes, thresholds, most_steps=0)
    assert quick.plan_found.probability <= best.plan_found.probability * (1 + 1e-12)
    assert quick.bound * (1 + 1e-12) >= best.plan_found.probability
    assert (reach_bounds(classes, thresholds)[0] <= 1).all()


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_the_probability_of_a_plan_is_that_of_its_parts(sizes: list[int]) -> None:
    plan = find_best_guesses(Counter(sizes), success_thresholds(sum(sizes), "1/3", "0.2")).plan_found
    hits = {0: Fraction(1)}
    for part in plan.parts:
        for _ in range(part.classes):
            more: Counter[int] = Counter()
            for before, share in hits.items():
                for number, ways in enumerate(claim_hits(part.size, part.claims)):
                    more[before + number] += share * Fraction(ways, factorial(part.size))  # type: ignore[assignment]
            hits = dict(more)  # type: ignore[arg-type]
    reached = sum((share for number, share in hits.items() if number >= plan.needed), Fraction(0))
    assert plan.probability == pytest.approx(float(reached), rel=1e-12)
    assert plan.guesses == sum(part.classes * sum(part.claims) for part in plan.parts)
