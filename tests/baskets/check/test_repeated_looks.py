"""What a sample proves, and what is left of it if records are looked at until they pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.baskets.check.sample_sizes import MOST_LOOKS, look_delta, most_looks, paper_sample_size, sample_size
from sudare.baskets.suppress import sampled as sampled_suppression, suppression
from sudare.baskets.suppress.suppression import TimeOver, suppress_baskets
from sudare.messages import Texts

shares = st.integers(1, 99).map(lambda n: n / 100)


@given(shares, shares, st.none() | st.integers(1, 50))
def test_no_more_is_drawn_than_is_needed(epsilon: float, delta: float, look: int | None) -> None:
    draws = sample_size(epsilon, delta, look)
    missed = 1 - Fraction(str(epsilon))
    allowed = Fraction(str(delta)) / (1 if look is None else look * (look + 1))
    assert missed**draws <= allowed
    assert draws == 1 or missed ** (draws - 1) > allowed


@given(shares, shares, st.integers(1, 200))
def test_all_looks_together_are_wrong_with_delta_at_most(epsilon: float, delta: float, looks: int) -> None:
    """Records of which the share epsilon is unsafe at every look: the exact probability that some look passes."""
    passes = [(1 - epsilon) ** sample_size(epsilon, delta, look) for look in range(1, looks + 1)]
    assert 1 - math.prod(1 - chance for chance in passes) <= delta


def unsafe_baskets() -> tuple[sudare.Baskets, sudare.baskets.SensitiveItems]:
    """Return records for which one in eight drawn adversaries who know one item is unsafe.

    Two of eight users are drawn with the probability 1/4, and of their two items the telling one with 1/2.
    """
    baskets = sudare.baskets.make_baskets([[f"own{n}"] for n in range(6)] + [["known", "secret"]] * 2)
    lists = np.zeros((2, 1), np.uint64)
    lists[1, 0] = 1 << baskets.names.index("secret")
    rows = np.array([0] * 6 + [1] * 2, np.int32)
    return baskets, sudare.baskets.SensitiveItems(rows, lists, "the secret of two")


def test_the_share_of_unsafe_adversaries_is_as_meant() -> None:
    baskets, sensitive = unsafe_baskets()
    found = sudare.baskets.check_baskets(baskets, sensitive, rho=0.5, max_known=1, epsilon=0.001, delta=0.001, seed=5)
    assert found.unsafe_adversaries / found.adversaries == pytest.approx(1 / 8, abs=0.02)


@pytest.mark.slow
def test_looking_until_it_passes_is_wrong_with_delta_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair that repairs nothing: what is published stays unsafe, and only luck lets it pass."""
    baskets, sensitive = unsafe_baskets()
    epsilon, delta, looks, runs = 0.125, 0.5, 20, 300

    def nothing(*_: Any, **__: Any) -> None:
        done[0] += 1
        if done[0] > looks:
            raise TimeOver

    monkeypatch.setattr(sampled_suppression, "sweep", lambda *_, **__: None)
    monkeypatch.setattr(sampled_suppression, "repair_samples", nothing)
    passed = 0
    for seed in range(runs):
        done = [0]
        found = suppress_baskets(
            baskets, sensitive, rho=0.5, max_known=1, epsilon=epsilon, delta=delta, seed=seed, strategy="swept"
        )
        passed += found.safe
    # The exact probability, from the share of 1/8 and the draws of each look.
    exact = 1 - math.prod(1 - (7 / 8) ** sample_size(epsilon, delta, look) for look in range(1, looks + 1))
    assert exact <= delta
    assert passed / runs == pytest.approx(exact, abs=0.09)
    assert passed / runs <= delta


def test_each_look_draws_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[tuple[int, int]] = []
    check: Callable[..., sudare.baskets.Verdict] = sudare.baskets.check_baskets

    def told(*args: Any, **options: Any) -> sudare.baskets.Verdict:
        seeds.append((options["look"], options["seed"]))
        return check(*args, **options)

    monkeypatch.setattr(sampled_suppression, "sweep", lambda *_, **__: None)
    monkeypatch.setattr(sampled_suppression, "repair_samples", lambda *_, **__: None)
    monkeypatch.setattr(suppression, "check_baskets", told)
    baskets, sensitive = unsafe_baskets()
    found = suppress_baskets(baskets, sensitive, rho=0.5, max_known=1, epsilon=0.1, delta=0.9, seed=3, strategy="swept")
    assert [look for look, _ in seeds] == list(range(1, len(seeds) + 1))
    assert len({seed for _, seed in seeds}) == len(seeds)
    assert (found.verdict.look, found.verdict.seed) == seeds[-1]
    assert found.verdict.draws == sample_size(0.1, 0.9, len(seeds))


@settings(max_examples=30)
@given(shares, shares, st.none() | st.integers(1, 5))
def test_the_bound_is_that_of_clopper_and_pearson(epsilon: float, delta: float, look: int | None) -> None:
    baskets = sudare.baskets.make_baskets([["a"], ["b"]])
    sensitive = sudare.baskets.read_sensitive("item:a", baskets)
    found = sudare.baskets.check_baskets(baskets, sensitive, rho=0.5, epsilon=epsilon, delta=delta, look=look)
    assert found.safe
    assert found.bound is not None
    assert found.draws is not None
    assert found.bound <= epsilon
    # The share at which no failure in so many draws has the probability that one look may be wrong with.
    assert (1 - found.bound) ** found.draws == pytest.approx(look_delta(delta, look))
    told = found.to_dict()
    assert (told["draws"], told["bound"], told["unsafe_adversaries"]) == (found.draws, found.bound, 0)
    assert told["claim"].startswith("SAFE BY SAMPLE: with a confidence of ")


def one_long_record() -> tuple[sudare.Baskets, sudare.baskets.SensitiveItems]:
    """Return 199 users with two harmless items and one with 40 sensitive ones, who has most of all adversaries."""
    long = [f"secret{n}" for n in range(40)]
    baskets = sudare.baskets.make_baskets([[f"a{n % 7}", f"b{n % 7}"] for n in range(199)] + [long])
    return baskets, sudare.baskets.read_sensitive("item:secret*", baskets)


@pytest.mark.parametrize("max_known", [1, 2])
def test_a_sample_speaks_of_the_average_over_users_and_not_of_all_adversaries(max_known: int) -> None:
    baskets, sensitive = one_long_record()
    asked: dict[str, Any] = {"rho": 0.5, "max_known": max_known}
    sample = sudare.baskets.check_baskets(baskets, sensitive, **asked, epsilon=0.05, delta=0.05, seed=2)
    everybody = sudare.baskets.check_baskets(baskets, sensitive, **asked)
    share = everybody.unsafe_adversaries / everybody.adversaries
    assert (sample.safe, share > 0.05) == (True, True)
    # What the claim is about, counted: the mean over users of the share of a user's adversaries that is unsafe.
    counted = sudare.baskets.confidence_by_user(baskets, sensitive, **asked)
    assert sample.bound is not None
    assert [size.mean_share for size in counted.sizes] == [Fraction(1, 200)] * max_known
    assert max(size.mean_share for size in counted.sizes) < sample.bound < 0.05
    said = sample.claim(Texts("en")).replace("\xa0", " ")
    assert "averaged over the users who have that many items, less than 5 % of a user's adversaries" in said
    assert "so may most of all adversaries together" in said


@pytest.mark.parametrize("epsilon", [3e-9, 1e-15, 1e-17, 5e-324])
def test_samples_that_nobody_could_draw_are_refused_at_once(epsilon: float) -> None:
    baskets, sensitive = unsafe_baskets()
    for work in (sudare.baskets.check_baskets, sudare.baskets.suppress_baskets):
        with pytest.raises(sudare.OptionNotUsable, match=r"The sample is too large: .*\nHint: Give a larger epsilon"):
            work(baskets, sensitive, rho=0.5, epsilon=epsilon, delta=0.05)


def test_a_sample_fits_into_memory_with_all_that_its_adversaries_know(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets, sensitive = unsafe_baskets()
    monkeypatch.setattr("sudare.baskets.check.sample_sizes.MOST_POINTS", 50)
    # 29 of the first look or of a single one know up to two items each.
    swept = partial(sudare.baskets.suppress_baskets, strategy="swept", delta=0.1)
    for work in (partial(sudare.baskets.check_baskets, delta=0.05), swept):
        options: dict[str, Any] = {"rho": 0.5, "epsilon": 0.1}
        with pytest.raises(sudare.OptionNotUsable, match="29 adversaries of each size with 2 known items each"):
            work(baskets, sensitive, **options)
    with pytest.raises(sudare.OptionNotUsable, match="116 adversaries of each size with 2 known items"):
        sudare.baskets.suppress_baskets(baskets, sensitive, rho=0.5, epsilon=0.1, delta=0.1)


@given(shares, shares)
def test_looks_that_draw_alike_are_wrong_with_delta_at_most(epsilon: float, delta: float) -> None:
    """As many looks as are allowed for pass with at most delta, exactly, and one more might not."""
    draws = paper_sample_size(epsilon, delta)
    looks, chance = most_looks(epsilon, delta, draws), (1 - Fraction(str(epsilon))) ** draws
    assert looks * chance <= Fraction(str(delta))
    assert looks == MOST_LOOKS or (looks + 1) * chance > Fraction(str(delta))


def test_the_sample_sizes_of_the_paper() -> None:
    assert [paper_sample_size(share, share) for share in (0.1, 0.05, 0.01)] == [116, 600, 23_026]
    assert most_looks(0.1, 0.1, 116) == 20_317


def test_many_draws_are_counted_without_powers_of_huge_numbers() -> None:
    # 2e-7 asks for about fifteen million; where rounding could decide, one more is drawn.
    draws = sample_size(2e-7, 0.05)
    assert 14_978_659 <= draws <= 14_978_662


def test_unsafe_samples_have_no_bound() -> None:
    baskets, sensitive = unsafe_baskets()
    found = sudare.baskets.check_baskets(baskets, sensitive, rho=0.5, max_known=1, epsilon=0.01, delta=0.01)
    assert (found.safe, found.bound) == (False, None)
    assert sudare.baskets.check_baskets(baskets, sensitive, rho=1).bound is None
