"""How many guesses are right, ties being broken at random: against every way to break them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.histories.profiles.candidates import Candidates
from sudare.histories.profiles.measures import (
    Truths,
    by_rows,
    calibration_error,
    class_links,
    expected_hits,
    judge_links,
    surest_guesses,
)
from sudare.statistics.intervals import share_interval
from tests.histories.profiles.small_profiles import links_of, sides_of

PEOPLE = 4
Table = list[list[int | None]]

rows = st.lists(st.none() | st.integers(0, 2), min_size=PEOPLE, max_size=PEOPLE)


def candidates(table: Table) -> tuple[Candidates, np.ndarray]:
    """Return the pairs of a table of values by group and person, and their values."""
    pairs = [(g, p, value) for g, row in enumerate(table) for p, value in enumerate(row) if value is not None]
    groups, people, values = (np.array([pair[place] for pair in pairs], np.int64) for place in range(3))
    starts = np.searchsorted(groups, np.arange(len(table) + 1)).astype(np.int64)
    return Candidates(starts, groups.astype(np.int32), people.astype(np.int32), values.astype(float)), values


def plain_chance(row: list[int | None], right: int, most: int) -> float:
    """Return how often somebody is among the first `most` of all people, over all orders that the values allow."""
    orders = list(permutations(range(PEOPLE)))
    found = 0
    for order in orders:
        ranked = sorted(
            order, key=lambda person: -1.0 if row[person] is None else float(row[person] or 0), reverse=True
        )
        found += right in ranked[:most]
    return found / len(orders)


@settings(max_examples=150)
@given(
    st.lists(rows, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(-1, PEOPLE - 1)), min_size=1, max_size=6),
    st.integers(1, PEOPLE),
)
def test_the_chance_of_a_right_guess_is_the_mean_over_all_ways_to_break_ties(
    table: Table, pseudonyms: list[tuple[int, int]], most: int
) -> None:
    groups = np.array([group % len(table) for group, _ in pseudonyms])
    truth = np.array([person for _, person in pseudonyms])
    found, values = candidates(table)
    chances = Truths.of(found, groups, truth, PEOPLE).chance(values.astype(float), most)
    plain = [
        plain_chance(table[group], person, most) if person >= 0 else 0.0
        for group, person in zip(groups.tolist(), truth.tolist(), strict=True)
    ]
    # Which pseudonym of a group is whose, nothing decides.
    wanted = [np.mean([one for one, other in zip(plain, groups, strict=True) if other == group]) for group in groups]
    assert chances == pytest.approx(wanted)


def test_a_class_of_three_is_named_in_a_third_of_cases_and_always_among_the_ten() -> None:
    sides = sides_of({n: ["a"] for n in range(1, 5)}, {1: ["a"], 2: ["a"], 3: ["a"], 4: ["b"]})
    links = links_of(sides, [[1 / 3, 1 / 3, 1 / 3, None], [None, None, 0.1, 0.8]])
    outcome = judge_links(links, np.array([0, 1, 2, 3]))
    assert outcome.one_to_one == pytest.approx([1 / 3] * 3 + [1])
    assert outcome.best_ten == pytest.approx([1] * 4)
    assert outcome.assigned == pytest.approx([1 / 3] * 3 + [1])
    found = class_links(links, np.array([0, 1, 2, 3]))
    assert found is not None
    # The third fits the class with 1/3 and the other one with 0.1.
    assert found.to_dict() == {"classes": 2, "smallest": 1, "ceiling": 0.5, "right_class": 1.0}


def test_alone_judges_utilities_and_one_to_one_what_is_left_when_nobody_is_two() -> None:
    sides = sides_of({1: ["a"], 2: ["b"]}, {1: ["a"], 2: ["b"]})
    links = links_of(sides, [[0.9, 0.1], [0.2, 0.8]], [[5.0, 1.0], [5.0, 4.0]])
    outcome = judge_links(links, np.array([0, 1]))
    assert (outcome.alone.tolist(), outcome.one_to_one.tolist()) == ([1, 0], [1, 1])


def test_the_assignment_gives_each_person_to_one_pseudonym_only() -> None:
    # Both pseudonyms are most like the first person, but one of them has to be the second.
    sides = sides_of({1: ["a"], 2: ["b"]}, {1: ["a"], 2: ["b"]})
    links = links_of(sides, [[0.9, 0.05], [0.8, 0.2]])
    outcome = judge_links(links, np.array([0, 1]))
    assert (outcome.one_to_one.tolist(), outcome.assigned.tolist()) == ([1, 0], [1, 1])
    # Of a person with two pseudonyms either is right.
    assert judge_links(links, np.array([0, 0])).assigned.tolist() == [1, 0]
    assert judge_links(links, np.array([1, 1])).assigned.tolist() == [0, 1]


def test_a_stranger_is_never_identified() -> None:
    sides = sides_of({1: ["a"], 2: ["b"]}, {1: ["a"], 2: ["b"]})
    outcome = judge_links(links_of(sides, [[0.9, 0.1], [0.2, 0.8]]), np.array([-1, 1]))
    for measured in (outcome.alone, outcome.one_to_one, outcome.assigned, outcome.best_ten):
        assert measured.tolist() == [0, 1]


def test_people_who_fit_two_classes_alike_are_in_the_right_one_in_half_of_the_cases() -> None:
    sides = sides_of({n: ["a"] for n in range(1, 5)}, {1: ["a"], 2: ["a"], 3: ["b"], 4: ["b"]})
    links = links_of(sides, [[0.25] * 4, [0.25] * 4])
    for truth in ([0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3]):
        found = class_links(links, np.array(truth))
        assert found is not None
        assert (found.ceiling, found.right_class) == (0.5, 0.5)
    unknown = class_links(links, None)
    assert unknown is not None
    assert unknown.right_class is None


def test_without_equal_pseudonyms_there_are_no_classes() -> None:
    assert class_links(links_of(sides_of({1: ["a"]}, {1: ["a"]}), [[1.0]]), np.array([0])) is None


@pytest.mark.parametrize("k", range(2, 60))
def test_one_of_k_in_every_class_is_exactly_one_of_k(k: int) -> None:
    """A limit of 1/k is not exceeded by rounding."""
    for classes in (1, 7, 100):
        assert expected_hits(np.full(k * classes, 1 / k)) / (k * classes) == 1 / k


def test_calibration_error_is_that_of_ten_bins_worked_by_hand() -> None:
    # Bins: two at 0.05 and 0.08 of which none is right, two at 0.55 of which one is, one at 1 which is right.
    confidence, right = np.array([0.05, 0.08, 0.55, 0.55, 1.0]), np.array([0.0, 0.0, 1.0, 0.0, 1.0])
    assert calibration_error(confidence, right) == pytest.approx((0.13 + 0.1 + 0.0) / 5)
    assert calibration_error(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == 0
    # Within a bin what is too much and what is too little make up for each other.
    assert calibration_error(np.array([0.2, 0.25]), np.array([0.45, 0.0])) == pytest.approx(0)


def test_the_surest_guesses_are_counted_from_the_surest_on() -> None:
    confidence = np.array([0.1, 0.9, 0.8, 0.3, 0.7, 0.6, 0.5, 0.4, 0.2, 0.05])
    right = np.array([0, 1, 1, 0, 0, 1, 0, 0, 1, 0.0])
    found = surest_guesses(confidence, right)
    assert [one.guesses for one in found] == list(range(1, 11))
    assert [one.right for one in found[:4]] == pytest.approx([1, 1, 2 / 3, 3 / 4])
    assert (found[2].confidence, found[2].expected) == pytest.approx((0.7, 0.8))
    assert found[-1].right == pytest.approx(0.4)
    assert found[3].interval == pytest.approx(share_interval(3, 4))
    assert [one.share for one in found] == pytest.approx([n / 10 for n in range(1, 11)])


def test_which_of_equally_sure_guesses_are_the_surest_nothing_decides() -> None:
    confidence = np.array([0.9, 0.5, 0.5, 0.5])
    right = np.array([1.0, 1.0, 0.0, 0.0])
    for order in permutations(range(1, 4)):
        places = [0, *order]
        found = surest_guesses(confidence[places], right[places])
        assert [one.guesses for one in found] == [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
        assert [found[place].right for place in (0, 3, 6, 9)] == pytest.approx(
            [1, (1 + 1 / 3) / 2, (1 + 2 / 3) / 3, 0.5]
        )


def test_without_a_truth_only_what_is_expected_is_told() -> None:
    (first, *_) = surest_guesses(np.array([0.9, 0.5]), None)
    assert (first.right, first.interval, first.expected) == (None, None, 0.9)


def test_pseudonyms_are_told_apart_by_their_rows() -> None:
    found = by_rows(np.array([1, 4, 5, 9, 10, 250, 250]), np.array([1, 0, 1, 1, 0, 1, 0.5]))
    assert [(band.least, band.most, band.pseudonyms) for band in found] == [
        (1, 4, 2),
        (5, 9, 2),
        (10, 19, 1),
        (200, None, 2),
    ]
    assert [band.identified for band in found] == [0.5, 1, 0, 0.75]
    assert found[3].interval == pytest.approx(share_interval(1.5, 2))
