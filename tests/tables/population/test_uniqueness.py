"""The models against direct enumeration: draws, seatings, sums over all sizes."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from sudare.tables.population.uniqueness import PitmanLikelihood, Sample, pitman, population_classes, snb, zayatz

sizes_of_classes = st.lists(st.integers(1, 8), min_size=1, max_size=12)


def sample_of(classes: list[int], population: int) -> Sample:
    counted = Counter(classes)
    sizes = sorted(counted)
    return Sample(np.array(sizes), np.array([counted[size] for size in sizes]), population)


@given(classes=sizes_of_classes, more=st.integers(1, 200))
def test_zayatz_is_bayes_rule_with_hypergeometric_draws(classes: list[int], more: int) -> None:
    assume(1 in classes)
    n = sum(classes)
    population = n + more

    def drawn_once(size: int) -> Fraction:
        return Fraction(size * math.comb(population - size, n - 1), math.comb(population, n))

    whole = sum(drawn_once(size) for size in classes)
    unique = sum(drawn_once(size) for size in classes if size == 1) / whole
    match = sum(drawn_once(size) / size for size in classes) / whole
    found = zayatz(sample_of(classes, population))
    assert found.unique_probability == pytest.approx(float(unique), rel=1e-11)
    assert found.match_probability == pytest.approx(float(match), rel=1e-11)
    assert found.sample_uniques == pytest.approx(classes.count(1) * float(unique))
    assert found.expected_matches == pytest.approx(classes.count(1) * float(match))
    assert found.population_uniques == pytest.approx(classes.count(1) * float(unique) * population / n)


def test_hand_worked_zayatz() -> None:
    # Two unique records and a pair, half of the population: P(f = 1 | F = 1) = 1/2 and P(f = 1 | F = 2) = 2 C(6, 3) /
    # C(8, 4) = 4/7. So 2 x 1/2 against 1 x 4/7: 7/11 are unique.
    found = zayatz(sample_of([1, 1, 2], 8))
    assert found.unique_probability == pytest.approx(7 / 11)
    assert found.population_uniques == pytest.approx(28 / 11)


def test_hypergeometric_draws_equal_drawing_every_sample() -> None:
    # Population aabbbc, all samples of three: how often a class of each size appears with exactly one record.
    draws = list(itertools.combinations("aabbbc", 3))
    once = {name: sum(draw.count(name) == 1 for draw in draws) / len(draws) for name in "abc"}
    found = zayatz(Sample(np.array([1, 2]), np.array([1, 1]), 6))
    assert found.unique_probability == pytest.approx(once["c"] / (once["c"] + once["a"]))


@settings(max_examples=40, deadline=None)
@given(classes=sizes_of_classes, alpha=st.floats(0, 0.95), above=st.floats(0.01, 30))
def test_pitmans_likelihood_is_that_of_seating_one_by_one(classes: list[int], alpha: float, above: float) -> None:
    theta = above - alpha
    logarithm, seated = 0.0, []
    for size in classes:
        for place in range(size):
            total = theta + sum(seated) + place
            chance = (place - alpha if place else theta + len(seated) * alpha) if total else 1.0
            logarithm += math.log(chance / total) if sum(seated) + place else 0.0
        seated.append(size)
    assert PitmanLikelihood(sample_of(classes, 1000)).value(alpha, theta) == pytest.approx(logarithm, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(classes=sizes_of_classes)
def test_no_other_parameters_are_more_likely_than_those_found(classes: list[int]) -> None:
    assume(1 in classes and max(classes) > 1)
    likelihood = PitmanLikelihood(sample_of(classes, 1000))
    found = likelihood.maximize()
    assert found is not None
    best = likelihood.value(found.alpha, found.theta)
    for alpha in np.linspace(0, 0.99, 12):
        for above in np.exp(np.linspace(-8, 8, 25)):
            assert likelihood.value(float(alpha), float(above - alpha)) <= best + 1e-9


@settings(max_examples=60, deadline=None)
@given(classes=st.lists(st.integers(1, 1500), min_size=2, max_size=60))
def test_the_likelihood_is_flat_at_what_was_found(classes: list[int]) -> None:
    classes = [1, 1, *classes]
    assume(max(classes) > 1)
    likelihood = PitmanLikelihood(sample_of(classes, 10**7))
    found = likelihood.maximize()
    assert found is not None
    by_theta, by_alpha = likelihood.gradient(found.alpha, 1 - found.alpha, found.theta + found.alpha)
    assert by_theta * (found.theta + found.alpha) == pytest.approx(0, abs=1e-6)
    if found.alpha:
        assert by_alpha * found.alpha * (1 - found.alpha) == pytest.approx(0, abs=1e-6)
    else:
        assert by_alpha < 1e-6


@settings(max_examples=40, deadline=None)
@given(classes=sizes_of_classes, more=st.integers(1, 40))
def test_pitman_continues_the_sample_record_by_record(classes: list[int], more: int) -> None:
    assume(1 in classes and max(classes) > 1)
    n = sum(classes)
    found = pitman(sample_of(classes, n + more))
    alpha, theta = found.parameters["alpha"], found.parameters["theta"]
    # The distribution of the size of a class that has one record of the sample.
    chances = {1: 1.0}
    for i in range(n, n + more):
        after: Counter[int] = Counter()
        for size, chance in chances.items():
            joins = (size - alpha) / (theta + i)
            after[size + 1] += chance * joins
            after[size] += chance * (1 - joins)
        chances = dict(after)
    assert found.unique_probability == pytest.approx(chances[1], rel=1e-8)
    assert found.match_probability == pytest.approx(sum(p / size for size, p in chances.items()), rel=1e-6)
    # A record of the population is alone if all others that come are not like it.
    alone = math.prod((theta + i - 1 + alpha) / (theta + i) for i in range(1, n + more))
    assert found.population_uniques == pytest.approx((n + more) * alone, rel=1e-8)


def test_pitman_has_no_answer_if_no_two_records_are_alike() -> None:
    found = pitman(sample_of([1, 1, 1], 100))
    assert (found.problem, found.unique_probability, found.sample_uniques) == ("all_unique", None, None)


def test_pitman_recovers_the_parameters_of_its_own_samples() -> None:
    rng = np.random.default_rng(3)
    alpha, theta, n = 0.5, 40.0, 4000
    classes: list[int] = []
    for i in range(n):
        if rng.random() * (theta + i) < theta + alpha * len(classes):
            classes.append(1)
        else:
            weights = np.array(classes) - alpha
            classes[int(rng.choice(len(classes), p=weights / weights.sum()))] += 1
    found = pitman(sample_of(classes, 10 * n)).parameters
    assert found["alpha"] == pytest.approx(alpha, abs=0.06)
    assert found["theta"] == pytest.approx(theta, rel=0.3)


@settings(max_examples=60, deadline=None)
@given(classes=sizes_of_classes, more=st.integers(5, 200))
def test_snb_solves_its_equations(classes: list[int], more: int) -> None:
    n = sum(classes)
    sample = sample_of([*classes, 1, 1, 2], n + 4 + more)
    found = snb(sample)
    assume(found.problem is None)
    a, b, k, share = (*(found.parameters[name] for name in ("a", "b", "classes")), sample.share)
    assume(b > 0.02)
    # P(F = x + 1), as far as it matters; each record is drawn with the probability of the share.
    chances, seen = [b**a], b**a
    while 1 - seen > 1e-13 and len(chances) < 20_000:
        x = len(chances)
        chances.append(chances[-1] * (a + x - 1) / x * (1 - b))
        seen += chances[-1]
    size = np.arange(1, len(chances) + 1)
    once = np.array(chances) * size * share * (1 - share) ** (size - 1)
    twice = np.array(chances) * size * (size - 1) / 2 * share**2 * (1 - share) ** np.maximum(size - 2, 0)
    assert k * once.sum() == pytest.approx(sample.of_size(1), rel=1e-6)
    assert k * twice.sum() == pytest.approx(sample.of_size(2), rel=1e-6)
    assert found.population_uniques == pytest.approx(k * chances[0], rel=1e-9)
    assert found.unique_probability == pytest.approx(once[0] / once.sum(), rel=1e-6)
    assert found.match_probability == pytest.approx((once / size).sum() / once.sum(), rel=1e-6)


def test_snb_needs_classes_of_two() -> None:
    assert snb(sample_of([1, 3], 100)).problem == "no_pairs"


def test_snb_says_when_its_equations_have_no_solution() -> None:
    assert snb(sample_of([1, *[2] * 50], 110)).problem == "no_solution"


def test_hand_worked_number_of_classes() -> None:
    # Half of the population, two unique records and a pair: unseen = (2/2 + 1/4) / (2 x 1/2 + 2 x 1/4) = 5/6;
    # scale = (2 x 1/4 + 2 x 1/4 x 3/4) / (2 (3/4 - 1/2) + 9/16 - 1/4) = (7/8) / (13/16) = 14/13.
    assert population_classes(sample_of([1, 1, 2], 8)) == pytest.approx(3 + 2 * 14 / 13 * (5 / 6) ** 2)


def test_a_billion_records_cost_no_more_than_a_thousand() -> None:
    sample = Sample(np.array([1, 2, 3, 50, 10_000]), np.array([10**8, 10**7, 10**6, 10**5, 80_000]), 10**10)
    for found in (pitman(sample), zayatz(sample), snb(sample)):
        assert found.unique_probability is not None
        assert 0 < found.unique_probability < 1
