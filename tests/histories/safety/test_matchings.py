"""The ways to give every pseudonym a customer: drawn, counted and guessed, against listing all of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories import matching_safety
from sudare.histories.safety import matchings as module
from sudare.histories.safety.classes import class_safety
from sudare.histories.safety.matching_safety import _interval
from sudare.histories.safety.matchings import Matchings

graphs = st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), min_size=2, max_size=5)


def all_ways(candidates: list[set[int]]) -> list[tuple[int, ...]]:
    return [way for way in product(*map(sorted, candidates)) if len(set(way)) == len(way)]


def classes(size: int, count: int) -> Matchings:
    return Matchings([range(place * size, (place + 1) * size) for place in range(count) for _ in range(size)])


@pytest.mark.parametrize(("size", "count"), [(2, 14), (3, 5), (7, 2)])
def test_of_classes_the_best_guesses_are_those_of_class_safety(size: int, count: int) -> None:
    found = matching_safety(classes(size, count), attacks=20)
    best = class_safety([size] * count, attacks=20).tests[0]
    assert found.probability_found == pytest.approx(best.plan_found.probability)
    assert (found.guesses_found, found.needed, found.exact) == (best.plan_found.guesses, best.plan_found.needed, True)
    assert found.low_found == found.high_found == found.probability_found
    assert found.survives_guesses_found == pytest.approx(best.survives_at_least_if_independent)


def test_a_ring_of_seven_is_right_or_wrong_as_a_whole() -> None:
    # Pseudonym i can be customer i or i + 1: all the one or all the other.
    found = matching_safety(Matchings([[i, (i + 1) % 7] for i in range(7)]))
    assert (found.guesses_found, found.needed, found.probability_found) == (7, 7, 0.5)
    assert (found.pairs, found.least, found.greatest, found.parts, found.largest) == (14, 2, 2, 1, 7)


def test_too_few_pseudonyms_cannot_be_attacked_effectively() -> None:
    found = matching_safety(classes(3, 2))
    assert (found.guesses_found, found.probability_found, found.survives_guesses_found) == (0, 0.0, 1.0)


def test_thresholds_of_a_contest_are_used() -> None:
    found = matching_safety(Matchings([[0, 1], [0, 1, 2], [2, 3]]), thresholds=np.array([1, 1, 2, 3]))
    # The ways are 012, 013, 023, 102, 103, 123: pseudonym 2 is customer 3 in four of six.
    assert (found.guesses_found, found.probability_found) == (1, pytest.approx(2 / 3))


@given(graphs, st.data())
def test_the_hits_of_guesses_are_those_in_all_ways(candidates: list[set[int]], data: st.DataObject) -> None:
    ways = all_ways(candidates)
    assume(ways)
    matchings = Matchings([sorted(line) for line in candidates])
    edges = [(p, j) for p, line in enumerate(candidates) for j in sorted(line)]
    guesses = data.draw(st.lists(st.sampled_from(edges), min_size=1, unique_by=lambda edge: edge[0]))
    found, exact = matchings.hits(np.array(guesses), np.empty((0, len(candidates)), np.int32))
    expected = Counter(sum(way[p] == j for p, j in guesses) for way in ways)
    assert exact
    assert found[0] == pytest.approx([expected[hits] / len(ways) for hits in range(len(guesses) + 1)])


@settings(max_examples=30)
@given(graphs, st.integers(1, 3))
def test_no_guesses_are_better_than_the_best_of_all(candidates: list[set[int]], together: int) -> None:
    ways = all_ways(candidates)
    assume(ways)
    edges = [(p, j) for p, line in enumerate(candidates) for j in line]
    # From so many guesses on all have to be right.
    needed = np.arange(1, len(candidates) + 2)
    needed[together:] -= 1
    best = max(
        (
            sum(all(way[p] == j for p, j in guesses) for way in ways) / len(ways)
            for guesses in combinations(edges, together)
            if len({p for p, _ in guesses}) == together
        ),
        default=0.0,
    )
    found = matching_safety(Matchings([sorted(line) for line in candidates]), thresholds=needed, samples=4_000)
    assert best / 2 <= found.probability_found <= best + 1e-12
    if together == 1:
        assert found.probability_found == pytest.approx(best)


@settings(max_examples=30)
@given(graphs)
def test_every_way_is_drawn_as_often_as_any_other(candidates: list[set[int]]) -> None:
    ways = all_ways(candidates)
    assume(ways)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_LISTED_PIDS", 0)
        patch.setattr(module, "_CHOICES_BETWEEN", 30)
        drawn = Matchings([sorted(line) for line in candidates]).draw_all(4_000, np.random.default_rng(1))
    counts = Counter(map(tuple, drawn.tolist()))
    assert set(counts) == set(ways)
    mean = 4_000 / len(ways)
    # Ways that are drawn one by one would be off by more than six deviations once in a billion.
    assert all(abs(count - mean) < 6 * mean**0.5 + 1 for count in counts.values())


def test_what_is_drawn_is_near_what_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = [[i, (i + 1) % 9, (i + 3) % 9] for i in range(9)]
    listed = matching_safety(Matchings(candidates))
    monkeypatch.setattr(module, "_MOST_LISTED_PIDS", 0)
    found = matching_safety(Matchings(candidates))
    assert (listed.exact, listed.samples, found.exact, found.samples) == (True, 0, False, 40_000)
    assert found.low_found < listed.probability_found < found.high_found
    assert found.high_found - found.low_found < 0.2 * found.probability_found


def test_the_same_seed_draws_the_same() -> None:
    candidates = [[i, (i + 1) % 30, (i + 5) % 30] for i in range(30)]
    first, second, other = (matching_safety(Matchings(candidates), samples=2_000, seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_an_attack_that_never_succeeds_has_an_upper_end() -> None:
    low, high = _interval(np.zeros(20), 1_000, exact=False)
    assert (low, high) == (0.0, 0.003)


@pytest.mark.parametrize("candidates", [[[0], [0]], [[], [1]], [[], []], []])
def test_a_graph_without_any_way_is_refused(candidates: list[list[int]]) -> None:
    with pytest.raises(OptionNotUsable, match="Hint"):
        Matchings(candidates)


@pytest.mark.parametrize("wrong", [{"attacks": 0}, {"samples": 5}])
def test_what_cannot_be_asked_for_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(OptionNotUsable, match="Hint"):
        matching_safety(classes(2, 2), **wrong)  # type: ignore[arg-type]


def test_a_small_part_beside_a_large_one_is_attacked() -> None:
    ring = [[i, (i + 1) % 40, (i + 3) % 40, (i + 9) % 40, (i + 17) % 40] for i in range(40)]
    pairs = [[40 + i // 2 * 2, 41 + i // 2 * 2] for i in range(8)]
    found = matching_safety(Matchings([*ring, *pairs]), samples=2_000)
    # Seven guesses in four pairs are all right in one of sixteen ways.
    assert found.probability_found == pytest.approx(1 / 16)
    assert (found.parts, found.largest, found.exact) == (5, 40, True)


def test_a_group_is_guessed_to_its_end_though_others_are_likelier_at_first() -> None:
    alone = [range(7 + 5 * i, 12 + 5 * i) for i in range(8)]
    needed = np.arange(1, 17)
    needed[7] = 7
    found = matching_safety(Matchings([*[range(7)] * 7, *alone]), thresholds=needed)
    # Each of those alone is guessed with 1/5, one of the class with 1/7; but seven are right with 1/78125 and 1/5040.
    assert found.probability_found == pytest.approx(1 / 5040)
