"""Anonymized purchase histories: cells, alignments and classes against trying everything, and every rule that holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare import InputError, OptionNotUsable
from sudare.contest.check import check_anonymized
from sudare.histories import CellHistory, ItemColumn, Kind, anonymize_history, cell_utility
from sudare.histories.anonymize.bounds import distance_rate
from sudare.histories.anonymize.rows import history_rows
from sudare.histories.generalized.text import read_original, write_cells
from sudare.kernels.histories import groups as history_groups
from sudare.kernels.histories.groups import group_cells
from sudare.kernels.histories.search import blind_class, new_class
from tests.histories.anonymize.small_histories import BruteForce, Row, histories, history, rows
from tests.histories.generalized.small_cells import assert_same, cells

SIX = [[(1, "a", 1, 1)], [(1, "a", 1, 1)], [(9, "b", 1, 2)], [(9, "b", 1, 2)], [(20, "c", 9, 5)], [(20, "c", 9, 6)]]


def rows_by_pid(found: CellHistory) -> list[Counter[tuple[object, ...]]]:
    """Return the published rows of each pseudonym, by code that shares nothing with that of the search."""
    people: dict[int, Counter[tuple[object, ...]]] = {}
    for place, pid in enumerate(found.persons.tolist()):
        if pid:
            people.setdefault(pid, Counter())[tuple(_cell(column, place) for column in found.columns)] += 1
    return list(people.values())


def _cell(column: object, place: int) -> object:
    if isinstance(column, ItemColumn):
        number = int(column.sets[place])
        return frozenset(column.members[column.starts[number] : column.starts[number + 1]]) if number >= 0 else "*"
    return "*" if column.kinds[place] == Kind.DELETED else (column.low[place], column.high[place])  # type: ignore[attr-defined]


# Kernels that are not halted.
NEVER = np.zeros(1, np.bool_)


def joined_cost(data: object, one: np.ndarray, other: np.ndarray) -> float:
    return history_groups.join_costs(  # type: ignore[no-any-return]
        data, history_groups.profile(data, one), history_groups.profile(data, other)
    )[0, 0]


def test_customers_with_the_same_rows_lose_nothing() -> None:
    found = anonymize_history(history(SIX[:4]), 2)
    assert (found.utility, found.bound, found.deleted_rows, found.sizes) == (0.0, 0.0, 0, (2, 2))


def test_a_pair_costs_half_the_distance_over_the_deviation_and_half_an_item() -> None:
    found = anonymize_history(history([[(1, "a", 1, 1)], [(3, "b", 1, 1)]]), 2)
    # Days 1 and 3 have the standard deviation 1: each row is 1 off on the average; two items cost 1/2 each.
    assert found.utility == pytest.approx((1 + 1 / 2) / 4)
    assert found.bound == pytest.approx(found.utility, rel=0.01)


def test_a_range_is_wider_than_its_rows_where_that_costs_less() -> None:
    # Six rows at the upper end: a range beyond them has more numbers near them.
    people: list[list[Row]] = [[(1, "a", 1, 1)], *([[(11, "a", 1, 1)]] * 6), [(28, "a", 1, 1)]]
    found = history_rows(history(people))
    low, high, deleted = group_cells(found.data, np.arange(7).reshape(1, 7))
    assert (low[0, 0], deleted.any()) == (0, False)
    assert high[0, 0] == 13


@given(st.lists(rows, min_size=2, max_size=4), st.lists(rows, min_size=1, max_size=3))
def test_cells_of_a_group_cost_the_least_of_all_legal_cells(group: list[Row], others: list[Row]) -> None:
    people = [[row] for row in group + others]
    found = history_rows(history(people))
    cost = joined_cost(found.until(NEVER), np.array([[0]]), np.arange(1, len(group)).reshape(1, -1))
    assert cost == pytest.approx(BruteForce(people).group(group), abs=1e-9)


@settings(max_examples=40)
@given(histories(2, 4))
def test_rows_of_two_customers_are_aligned_as_well_as_any_alignment(people: list[list[Row]]) -> None:
    found = anonymize_history(history(people), 2)
    total = BruteForce(people).best_class((0, 1)) / 4 / sum(map(len, people))
    assert found.utility == pytest.approx(total, abs=1e-9)


@settings(max_examples=25)
@given(histories(3, 3))
def test_rows_of_three_customers_are_aligned_nearly_as_well_as_any_alignment(people: list[list[Row]]) -> None:
    found = history_rows(history(people))
    members = np.argsort(found.lengths, kind="stable")
    _, _, cost = new_class(found.until(NEVER), members)
    best = BruteForce(people).best_class((0, 1, 2))
    assert best - 1e-9 <= cost <= 1.15 * best + 1e-9


@given(histories(3, 3))
def test_rows_that_are_not_looked_at_are_aligned_in_their_order(people: list[list[Row]]) -> None:
    members, rows, cost = blind_class(history_rows(history(people)).until(NEVER), np.arange(3))
    brute, groups = BruteForce(people), min(map(len, people))
    deleted = 4 * (sum(map(len, people)) - 3 * groups)
    total = deleted + sum(brute.group([person[place] for person in people]) for place in range(groups))
    assert (members.tolist(), len(rows)) == ([0, 1, 2], groups)
    assert cost == pytest.approx(total, abs=1e-9)


@settings(max_examples=25)
@given(st.integers(4, 7).flatmap(lambda customers: histories(customers, 2)))
def test_classes_of_two_are_the_best_of_all_classes(people: list[list[Row]]) -> None:
    found = anonymize_history(history(people), 2)
    best = BruteForce(people).best(2) / 4 / sum(map(len, people))
    assert found.utility == pytest.approx(best, abs=1e-9)
    assert found.bound <= best + 1e-9


@settings(max_examples=15)
@given(histories(7, 2), st.integers(2, 3))
def test_no_division_is_below_the_bound(people: list[list[Row]], k: int) -> None:
    found = anonymize_history(history(people), k)
    best = BruteForce(people).best(k) / 4 / sum(map(len, people))
    assert found.bound <= best + 1e-9 <= found.utility + 2e-9


@pytest.mark.slow
@settings(max_examples=20)
@given(histories(9, 5), st.integers(2, 9), st.booleans())
def test_everybody_has_the_same_rows_as_k_others(people: list[list[Row]], k: int, fast: bool) -> None:
    original = history(people)
    found = anonymize_history(original, k, fast=fast)
    published = rows_by_pid(found.history)
    assert len(published) == 9
    assert min(published.count(one) for one in published) >= k
    assert found.utility == pytest.approx(cell_utility(original, found.history).utility)
    assert sum(found.sizes) == 9
    assert found.deleted_rows == int(found.history.deleted.sum())


@settings(max_examples=15)
@given(histories(4, 3), st.integers(2, 3))
def test_without_sets_and_ranges_cells_are_exact_or_deleted(people: list[list[Row]], k: int) -> None:
    found = anonymize_history(history(people), k, most_items=1, ranges=False)
    kinds = np.concatenate([column.kinds for column in found.history.columns])
    assert set(kinds.tolist()) <= {Kind.EXACT, Kind.DELETED}
    best = BruteForce(people, suppression=True).best(k) / 4 / sum(map(len, people))
    assert found.bound <= best + 1e-9 <= found.utility + 2e-9
    if k == 2:
        assert found.utility <= best * 1.02 + 1e-9


@given(st.lists(rows, min_size=2, max_size=5), st.integers(1, 3))
def test_sets_have_no_more_items_than_allowed(group: list[Row], most_items: int) -> None:
    found = history_rows(history([[row] for row in group]), most_items=most_items)
    cost = joined_cost(found.until(NEVER), np.array([[0]]), np.arange(1, len(group)).reshape(1, -1))
    different = len({item for _, item, _, _ in group})
    items = 1 - 1 / different if different <= most_items else 1
    brute = BruteForce([[row] for row in group])
    columns = zip(*((day, price, quantity) for day, _, price, quantity in group), strict=True)
    ordered = sum(brute.cell(number, values) for number, values in enumerate(columns))
    assert cost == pytest.approx(len(group) * items + ordered, abs=1e-9)


def test_sets_of_no_items_are_refused() -> None:
    with pytest.raises(OptionNotUsable, match="most_items must be 1 or more"):
        anonymize_history(history(SIX), 2, most_items=0)


@pytest.mark.slow
@settings(max_examples=10)
@given(histories(8, 4), st.integers(2, 4))
def test_the_same_seed_gives_the_same_history_on_any_number_of_threads(people: list[list[Row]], k: int) -> None:
    original = history(people)
    first, second = (anonymize_history(original, k, seed=3, threads=threads) for threads in (1, 2))
    assert_same(first.history, second.history)


def test_another_seed_gives_other_pseudonyms() -> None:
    original = history(SIX)
    found = [anonymize_history(original, 2, seed=seed).history.persons.tolist() for seed in range(4)]
    assert len({tuple(persons) for persons in found}) > 1


def test_what_is_written_follows_the_rules_of_the_contest(tmp_path: Path) -> None:
    original = history([[*person, (5, "d", 2, 2)] for person in SIX] + [[(2, "a", 3, 3)]])
    write_cells(original, tmp_path / "T.csv")
    write_cells(anonymize_history(original, 3).history, tmp_path / "A.csv")
    assert check_anonymized(tmp_path / "T.csv", tmp_path / "A.csv").valid


def test_histories_without_items_or_numbers_are_anonymized_too() -> None:
    whole = history(SIX)
    for kept in ([0], [1], [0, 3]):
        part = CellHistory(whole.persons, tuple(whole.columns[place] for place in kept))
        found = anonymize_history(part, 2)
        assert found.utility == pytest.approx(cell_utility(part, found.history).utility)
        assert found.bound <= found.utility + 1e-9


def test_a_time_that_is_over_at_once_still_gives_classes_of_k() -> None:
    found = anonymize_history(history(SIX), 3, seconds=1e-9)
    assert (found.sizes, found.converged) == ((3, 3), False)


@pytest.mark.parametrize(("k", "seconds"), [(1, None), (7, None), (2, 0.0), (2, -1.0)])
def test_what_cannot_be_asked_for_is_refused(k: int, seconds: float | None) -> None:
    with pytest.raises(OptionNotUsable, match=r"Hint|seconds must be above 0"):
        anonymize_history(history(SIX), k, seconds=seconds)


def test_a_generalized_history_is_refused() -> None:
    with pytest.raises(InputError, match="already generalized"):
        anonymize_history(cells([["1", "*", "a", "1", "1"], ["2", "2011/1/1", "a", "1", "1"]]), 2)


def test_distances_of_pairs_bound_ranges() -> None:
    assert distance_rate(2) == pytest.approx(1)
    assert distance_rate(3) == pytest.approx(5 / 8)
    rates = [(size - 1) * distance_rate(size) for size in range(2, 40)]
    assert rates == sorted(rates)


@given(st.lists(st.integers(0, 30), min_size=2, max_size=6))
def test_no_range_costs_less_than_the_distances_of_its_pairs_say(values: list[int]) -> None:
    brute = BruteForce([[(value + 1, "a", 1, 1)] for value in [*values, 0, 30]])
    distances = sum(abs(x - y) for place, x in enumerate(values) for y in values[:place])
    cost = brute.cell(0, [value + 1 for value in values]) * float(brute.deviations[0])
    deleted = len(values) * float(brute.deviations[0])
    assert cost >= min(distance_rate(len(values)) * distances, deleted) - 1e-9


@pytest.mark.slow
def test_the_champions_model_reaches_its_known_value_on_a_part_of_the_contest(
    real_data: Callable[[str], Path],
) -> None:
    original = read_original(real_data("pwscup2018-T.csv"))
    chosen = np.isin(original.persons, np.unique(original.persons)[:60])
    part = CellHistory(
        original.persons[chosen],
        tuple(
            type(column)(**{name: _only(getattr(column, name), chosen) for name in column.__slots__})
            for column in original.columns
        ),
    )
    found = anonymize_history(part, 2, fast=True, rounds=20)
    assert min(found.sizes) >= 2
    assert found.bound <= found.utility < 1.1 * found.bound


def _only(value: object, chosen: np.ndarray) -> object:
    return value[chosen] if isinstance(value, np.ndarray) and len(value) == len(chosen) else value
