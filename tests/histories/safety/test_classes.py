from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.safety.classes import class_safety, least_class
from sudare.histories.safety.thresholds import success_thresholds
from tests.histories.safety.brute_force_guesses import h0_holds


def test_two_anonymous_data_survive_thirteen_attacks_as_the_footnote_says() -> None:
    found = class_safety([2] * 500, attacks=13)
    contest, tight = found.tests
    assert round(contest.plan_found.probability, 4) == 0.0730
    assert round(contest.survives_at_least_if_independent, 2) == 0.37
    assert contest.survives_at_least == pytest.approx(1 - 13 * 299 / 4096)
    assert (tight.plan_found.probability, tight.bound) == (1.0, 1.0)
    assert (tight.survives_at_least_if_independent, tight.survives_at_least) == (0.0, 0.0)


def test_classes_of_seven_meet_h0_and_classes_of_six_do_not() -> None:
    """Examples 1 and 2 of the details of the safety evaluation."""
    assert least_class("1/3") == 7
    assert class_safety([7, 7, 9]).holds
    assert not class_safety([6, 7, 7]).holds


@pytest.mark.parametrize(("p", "least"), [("1", 1), ("9/10", 2), ("1/2", 4), ("0.7072", 2), ("0.7071", 3), ("0.1", 25)])
def test_the_least_class_is_that_of_factorials(p: str, least: int) -> None:
    assert least_class(p) == least


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda sizes: sum(sizes) <= 4),
    p=st.fractions(min_value=Fraction(1, 5), max_value=1, max_denominator=12),
)
@settings(max_examples=40, deadline=None)
def test_h0_is_what_all_guesses_of_all_sets_say(sizes: list[int], p: Fraction) -> None:
    assert (min(sizes) >= least_class(p)) == h0_holds(sizes, p)


@pytest.mark.parametrize("k", [7, 8, 12])
def test_where_h0_holds_both_tests_are_passed_but_for_alpha(k: int) -> None:
    found = class_safety([k] * 60)
    assert found.holds
    assert all(test.bound < found.alpha for test in found.tests)


def test_a_contests_own_thresholds_win_over_the_formula() -> None:
    own = success_thresholds(8)
    own[2] = 2
    contest, tight = class_safety([2] * 4, thresholds=own).tests
    assert (contest.plan_found.guesses, contest.plan_found.probability) == (1 + 1, 0.5)
    assert tight.plan_found.probability == 1 / 16


def test_sizes_and_unique_persons_are_counted() -> None:
    found = class_safety([1, 1, 2, 5, 2]).to_dict()
    assert (found["persons"], found["classes"], found["k"], found["uniques"]) == (11, 5, 1, 2)
    assert found["sizes"] == [
        {"size": 1, "classes": 2, "records": 2},
        {"size": 2, "classes": 2, "records": 4},
        {"size": 5, "classes": 1, "records": 5},
    ]
    assert (found["h0"], found["h0_least_k"]) == (False, 7)
    assert class_safety([2]).uniques == 0


def test_no_classes_no_attacks_and_a_tiny_p_are_refused() -> None:
    for sizes in ([], [2, 0]):
        with pytest.raises(OptionNotUsable, match="at least one class"):
            class_safety(sizes)
    with pytest.raises(OptionNotUsable, match="attacks must be 1 or more"):
        class_safety([2], attacks=0)
    with pytest.raises(OptionNotUsable, match="1/10000 or more"):
        least_class("1/10001")
