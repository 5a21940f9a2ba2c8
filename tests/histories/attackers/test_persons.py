"""Knowledge of several persons equals the enumeration of all assignments of pseudonyms to them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.histories.attackers import persons as module
from sudare.histories.attackers.knowledge import parse_knowledge
from tests.histories import brute_force
from tests.histories.brute_force import Row

rows = st.builds(
    Row,
    customer=st.sampled_from("abcde"),
    day=st.sampled_from(["2024-01-31", "2024-02-01", "2024-02-05"]),
    item=st.sampled_from(["tea", "bread", "book"]),
    price=st.sampled_from([None, 1.0]),
)
descriptions = st.sampled_from(["nothing", "item", "day", "kinds", "count + item", "price", "day*2", "item*2", "days"])
DOCS = Path(__file__).parents[3] / "docs" / "explanation" / "attackers.md"
Weighting = Literal["occurrence", "record"]


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(rows, min_size=4, max_size=10).filter(lambda found: len({row.customer for row in found}) >= 3),
    descriptions,
    st.integers(1, 3),
    st.sampled_from(["occurrence", "record"]),
)
def test_measures_equal_the_enumeration_of_assignments(
    engine: DuckDBEngine, history_rows: list[Row], text: str, persons: int, weighting: Weighting
) -> None:
    expected = brute_force.persons(brute_force.facts(history_rows, parse_knowledge(text)), persons, weighting)
    with sudare.read_history(brute_force.frame(history_rows), engine=engine) as history:
        found = sudare.histories.assess_persons(history, text, persons=persons, weighting=weighting)
    measures = (found.measured, found.alone, found.together, found.certain)
    assert measures == pytest.approx(expected, abs=1e-12)


def test_five_persons_of_the_same_crowd_are_one_of_all_orders(engine: DuckDBEngine) -> None:
    same = [Row(name, "2024-01-31", "tea", None) for name in "abcdefg"]
    with sudare.read_history(brute_force.frame(same), engine=engine) as history:
        found = sudare.histories.assess_persons(history, "item", persons=5)
    assert found.together == pytest.approx(1 / math.perm(7, 5))
    assert found.measured == pytest.approx(1 / 7)


def test_two_persons_of_the_toy_history_by_hand(toy: sudare.History) -> None:
    """Days of visits: 1, 2 on the first, 1, 3 on the second, 3 on the third; 8 of the 10 pairs are of two customers."""
    found = sudare.histories.assess_persons(toy, "day")
    # Both on the first day: 2 ways. First and second: (1, 3), (2, 1), (2, 3), of which person 1 is 2 in two, person 2
    # is 1 in one and 3 in two. Two on the second: 2 ways. First and third: 2 ways, second and third: only 1 is left.
    pairs = {
        ("1 first, 2 first"): (1 / 2, 1 / 2),
        ("1 first, 3 second"): ((1 / 3 + 2 / 3) / 2, 1 / 3),
        ("1 first, 3 third"): ((1 / 2 + 1) / 2, 1 / 2),
        ("2 first, 1 second"): ((2 / 3 + 1 / 3) / 2, 1 / 3),
        ("2 first, 3 second"): (2 / 3, 1 / 3),
        ("2 first, 3 third"): ((1 / 2 + 1) / 2, 1 / 2),
        ("1 second, 3 second"): (1 / 2, 1 / 2),
        ("1 second, 3 third"): (1.0, 1.0),
    }
    assert found.measured == pytest.approx(sum(one for one, _ in pairs.values()) / len(pairs))
    assert found.together == pytest.approx(sum(both for _, both in pairs.values()) / len(pairs))
    assert found.certain == pytest.approx(1 / len(pairs))


def test_of_one_person_it_is_the_measure_of_the_paper(toy: sudare.History) -> None:
    for risk in sudare.histories.assess_attackers(toy).attackers:
        assert sudare.histories.assess_persons(toy, risk.knowledge, persons=1).measured == pytest.approx(risk.measured)


def test_a_sample_holds_the_exact_values_and_repeats(toy: sudare.History) -> None:
    exact = sudare.histories.assess_persons(toy, "item", persons=2)
    drawn = sudare.histories.assess_persons(toy, "item", persons=2, most_combinations=1, samples=20_000)
    assert (exact.sample, drawn.sample) == (None, 20_000)
    assert drawn.interval is not None
    assert drawn.interval_together is not None
    # Twenty thousand draws of chances below 1: a wrong method is off by more than five sigma.
    assert drawn.measured == pytest.approx(exact.measured, abs=5 * 0.5 / math.sqrt(20_000))
    assert drawn.together == pytest.approx(exact.together, abs=5 * 0.5 / math.sqrt(20_000))
    assert drawn.interval[0] <= drawn.measured <= drawn.interval[1]
    again = sudare.histories.assess_persons(toy, "item", persons=2, most_combinations=1, samples=20_000)
    assert again == drawn
    assert sudare.histories.assess_persons(toy, "item", most_combinations=1, samples=20_000, seed=1) != drawn


def test_large_crowds_are_looked_at_in_pieces(toy: sudare.History, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sudare.histories.assess_persons(toy, "count + item", persons=3)
    monkeypatch.setattr(module, "MOST_MEMBERS", 3)
    monkeypatch.setattr(module, "BATCH", 7)
    found = sudare.histories.assess_persons(toy, "count + item", persons=3)
    assert (found.measured, found.together) == pytest.approx((whole.measured, whole.together), abs=1e-12)


def test_knowledge_that_too_few_have_measures_as_zero(toy: sudare.History) -> None:
    found = sudare.histories.assess_persons(toy, "item*3", persons=3)
    assert (found.measured, found.certain) == (0.0, 0.0)


@pytest.mark.parametrize("persons", [0, 4])
def test_numbers_of_persons_that_cannot_be_are_refused(toy: sudare.History, persons: int) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="between 1 and 3 for this history"):
        sudare.histories.assess_persons(toy, "day", persons=persons)


@pytest.mark.slow
def test_samples_of_online_retail_hold_what_is_counted(online_retail: sudare.History) -> None:
    exact = sudare.histories.assess_persons(online_retail, "5")
    drawn = sudare.histories.assess_persons(online_retail, "5", most_combinations=1000)
    assert exact.sample is None
    assert drawn.interval is not None
    assert drawn.interval[0] <= exact.measured <= drawn.interval[1]
    measured, alone, together = (f"{100 * n:.2f} %" for n in (exact.measured, exact.alone, exact.together))
    page = DOCS.read_text(encoding="utf-8")
    assert f"{measured}, alone {alone}" in page
    assert f"({together})" in page
