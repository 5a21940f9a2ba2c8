"""Draws of maximal sets within a budget, against the list of all of them."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import sqrt

import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.tables.sets import affordable, affordable_draws
from sudare.tables.sets.affordable import _bundle_choices, _maximal, affordable_sets
from sudare.tables.sets.affordable_draws import Draws
from sudare.tables.sets.costs import Offers
from tests.tables.small_tables import table_of

# Six attributes that depend on each other in part; every record is there twice.
RECORDS = [(n % 2, n % 3, n // 4 % 2, n // 7 % 3, n // 5 % 2, n // 3 % 4) for n in range(60) for _ in range(2)]


def draws(offers: Offers, seed: int = 1) -> Draws:
    return Draws(offers, _bundle_choices(offers.bundles, offers.budget), seed)


def listed(offers: Offers) -> set[int]:
    found = _maximal(offers, 10**6)
    assert found is not None
    return set(found)


@settings(deadline=None, max_examples=150)
@given(
    prices=st.lists(st.integers(0, 40), min_size=1, max_size=7),
    bundles=st.lists(st.tuples(st.integers(1, 127), st.integers(0, 60)), max_size=3),
    budget=st.integers(0, 120),
    steps=st.sampled_from([5, 5000]),
)
def test_only_maximal_sets_are_drawn_and_all_of_them(
    prices: list[int], bundles: list[tuple[int, int]], budget: int, steps: int
) -> None:
    every = (1 << len(prices)) - 1
    offers = Offers(tuple(prices), tuple((mask & every, cost) for mask, cost in bundles if mask & every), budget, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(affordable_draws, "MOST_STEPS", steps)
        patch.setattr(affordable_draws, "MOST_MISSES", 10**9)
        drawn = draws(offers)
        expected = listed(offers)
        found = set(islice(drawn, 25 * len(expected)))
    assert found == expected
    if drawn.maximal is not None:
        assert drawn.maximal == len(expected)


@pytest.mark.parametrize("steps", [5, 5000])
@pytest.mark.parametrize("bundles", [(), ((0b000111, 10), (0b110000, 12), (0b000011, 6))])
def test_every_maximal_set_is_drawn_as_often_as_every_other(
    bundles: tuple[tuple[int, int], ...], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(affordable_draws, "MOST_STEPS", steps)
    offers = Offers((3, 4, 5, 6, 7, 9), bundles, 17, 1)
    expected = listed(offers)
    assert len(expected) > 5
    counted = Counter(islice(draws(offers), 4000))
    mean = 4000 / len(expected)
    assert set(counted) == expected
    assert all(abs(count - mean) < 4.5 * sqrt(mean) for count in counted.values()), counted


def test_forty_attributes_have_as_many_maximal_sets_as_combinations() -> None:
    drawn = draws(Offers((1,) * 40, (), 10, 1))
    assert drawn.maximal == 847_660_528  # 40 over 10
    assert all(mask.bit_count() == 10 for mask in islice(drawn, 50))


def test_prices_of_many_digits_are_drawn_from_too() -> None:
    prices = tuple(1_000_003 + 7919 * n * n for n in range(40))
    drawn = draws(Offers(prices, (), 9_000_000, 1))
    assert drawn.maximal is None
    for mask in islice(drawn, 50):
        rest = 9_000_000 - sum(prices[bit] for bit in range(40) if mask >> bit & 1)
        assert 0 <= rest < min(prices[bit] for bit in range(40) if not mask >> bit & 1)


def test_too_many_choices_of_bundles_are_refused() -> None:
    bundles = tuple((0b11 << n, 1) for n in range(0, 20, 2))
    with pytest.raises(OptionNotUsable, match="fewer bundles"):
        draws(Offers((1,) * 20, bundles, 9, 1))


COSTS = dict(zip("abcdef", (3, 4, 5, 6, 7, 9), strict=True))


def test_an_estimate_holds_the_true_means() -> None:
    table = table_of(RECORDS)
    whole = affordable_sets(table, COSTS, budget=17)
    found = affordable_sets(table, COSTS, budget=17, samples=5, seed=3)
    assert whole.estimate is None
    assert found.estimate is not None
    assert (found.estimate.drawn, found.estimate.maximal) == (5, len(whole.maximal))
    risks = {entry.attributes: (entry.max_risk, entry.mean_risk, entry.cost) for entry in whole.maximal}
    for entry in found.maximal:
        assert risks[entry.attributes] == (entry.max_risk, entry.mean_risk, entry.cost)
    for name in ("max_risk", "mean_risk"):
        true = sum(getattr(entry, name) for entry in whole.maximal) / len(whole.maximal)
        interval = getattr(found.estimate, name)
        assert interval.low <= true <= interval.high
    assert found.estimate.riskier_at_most == pytest.approx(1 - 0.05**0.2)
    assert found == affordable_sets(table, COSTS, budget=17, samples=5, seed=3)
    assert affordable_sets(table, COSTS, budget=17, samples=50) == whole


def test_an_estimate_is_from_what_was_measured_when_the_time_was_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affordable, "_PART", 2)
    table, told = table_of(RECORDS), list[int]()

    def interrupt(_: str, done: int, __: int) -> None:
        told.append(done)
        if done == 4:
            raise KeyboardInterrupt

    found = affordable_sets(table, COSTS, budget=17, samples=6, progress=interrupt)
    assert found.estimate is not None
    assert (found.estimate.drawn, found.estimate.samples, told) == (4, 6, [0, 2, 4])
    found = affordable_sets(table, COSTS, budget=17, samples=6, seconds=1e-9)
    assert found.estimate is not None
    assert found.estimate.drawn == 2


def test_the_cheapest_come_first_if_asked() -> None:
    found = affordable_sets(table_of(RECORDS), COSTS, budget=17, by_cost=True)
    costs = [entry.cost for entry in found.maximal]
    assert costs == sorted(costs)
    assert len(set(costs)) > 2
