import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.histories.attackers.knowledge import parse_knowledge
from sudare.histories.attackers.sampling import combinations, estimate
from sudare.histories.attackers.sampling_there import estimate_there
from sudare.statistics.intervals import Estimate, summarize
from tests.histories import brute_force
from tests.histories.attackers.test_assessment import rows
from tests.histories.brute_force import Row

SAMPLED = [
    "item",
    "item*2",
    "item*2 + price*2",
    "count + item*2",
    "kinds + item*2",
    "(kinds)*2",
    "items + item",
    "day*2",
    "(item)*2",
    "days + (item)*2",
]


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(rows, min_size=4, max_size=12), st.sampled_from(SAMPLED), st.sampled_from([estimate, estimate_there]))
def test_the_estimate_holds_the_exact_value(
    engine: DuckDBEngine, history_rows: list[Row], text: str, estimate: Callable[..., Estimate]
) -> None:
    known = parse_knowledge(text)
    expected = brute_force.facts(history_rows, known)
    with sudare.read_history(brute_force.frame(history_rows), engine=engine) as history:
        if not expected:
            with pytest.raises(sudare.KnowledgeNotUnderstood, match="Hint"):
                estimate(history, known, samples=10, seed=1)
            return
        found = estimate(history, known, samples=3000, seed=1)
    # The interval holds with 95 %; the test asks for the five sigma that a wrong method would miss.
    exact = brute_force.measured(expected, "occurrence")
    crowds = brute_force.crowds(expected)
    spread = [(fact.occurrences, 1 / len(crowds[fact.value])) for fact in expected]
    total = sum(occurrences for occurrences, _ in spread)
    variance = sum(occurrences * (inverse - exact) ** 2 for occurrences, inverse in spread) / total
    assert abs(found.value - exact) <= 5 * math.sqrt(variance / 3000) + 1e-12
    assert found.low <= found.value <= found.high
    assert found.sample == 3000


@pytest.mark.parametrize("estimate", [estimate, estimate_there])
def test_the_same_seed_repeats_and_another_differs(toy: sudare.History, estimate: Callable[..., Estimate]) -> None:
    known = parse_knowledge("item*2")
    first = estimate(toy, known, samples=500, seed=7)
    assert estimate(toy, known, samples=500, seed=7) == first
    assert estimate(toy, known, samples=500, seed=8) != first


def test_knowledge_with_too_many_combinations_is_estimated_with_its_interval(toy: sudare.History) -> None:
    exact = sudare.histories.assess_knowledge(toy, "item*2")
    sampled = sudare.histories.assess_knowledge(toy, "item*2", most_combinations=1, samples=2000)
    assert exact.interval is None
    assert sampled.sample == 2000
    assert sampled.interval is not None
    assert sampled.interval[0] <= exact.measured <= sampled.interval[1]
    assert (sampled.values, sampled.correlation) == (None, None)
    assert sampled.theory == exact.theory


def test_a_sample_by_record_is_refused_with_a_way_out(toy: sudare.History) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="raise most_combinations"):
        sudare.histories.assess_knowledge(toy, "item*2", weighting="record", most_combinations=1)


def test_combinations_bound_the_number_of_facts(toy: sudare.History) -> None:
    # Visits of 3, 1, 1, 2, 3 items: 3 + 1 + 3 pairs; customers with 2, 1, 2 visits: at most 2 + 0 + 2 pairs of visits.
    assert combinations(toy, parse_knowledge("item*2")) == 7
    assert combinations(toy, parse_knowledge("day*2")) == 4


def test_the_interval_widens_with_variance_and_closes_with_the_sample() -> None:
    mixed = np.array([1.0, 2.0, 4.0] * 100)
    few, many = summarize(mixed[:30], customers=10), summarize(np.tile(mixed, 10), customers=10)
    assert few.high - few.low > many.high - many.low
    assert many.value == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    certain = summarize(np.ones(1000), customers=10)
    assert certain.high == 1.0
    assert certain.low < 1.0


def test_online_retail_pairs_of_items_agree_with_the_exact_count(online_retail: sudare.History) -> None:
    exact = sudare.histories.assess_knowledge(online_retail, "item*2")
    sampled = sudare.histories.assess_knowledge(online_retail, "item*2", most_combinations=1, samples=4000)
    assert sampled.interval is not None
    assert sampled.interval[0] <= exact.measured <= sampled.interval[1]


def test_drawn_where_the_data_are_it_agrees_with_the_exact_count_too(
    online_retail: sudare.History, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = sudare.histories.assess_knowledge(online_retail, "item*2")
    monkeypatch.setattr("sudare.histories.attackers.sampling_there.GROUP_CUSTOMERS", 50)
    monkeypatch.setattr(sudare.DuckDBEngine, "shows_people", False)
    sampled = sudare.histories.assess_knowledge(online_retail, "item*2", most_combinations=1, samples=4000)
    assert sampled.interval is not None
    assert sampled.sample == 4000
    assert sampled.interval[0] <= exact.measured <= sampled.interval[1]
