"""Concealed histories: what pseudonyms cover, by plain matching, and every rule that holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare import OptionNotUsable
from sudare.contest.check import check_anonymized
from sudare.histories import CellHistory, ItemColumn, Kind, cell_utility, conceal_history, covered_customers
from sudare.histories.anonymize.concealment_sets import _first_sets
from sudare.histories.attack.truth import true_customers
from sudare.histories.generalized.text import read_original, write_cells
from tests.histories.anonymize.small_histories import Row, histories, history
from tests.histories.generalized.small_cells import assert_same, cells

SIX = [[(1, "a", 1, 1)], [(1, "a", 1, 1)], [(9, "b", 1, 2)], [(9, "b", 1, 2)], [(20, "c", 9, 5)], [(20, "c", 9, 6)]]
FEW = 400


def row_covers(published: CellHistory, row: int, original: CellHistory, other: int) -> bool:
    """Return whether all cells of a published row cover those of an exact one, cell by cell."""
    for mine, its in zip(published.columns, original.columns, strict=True):
        if mine.kinds[row] == Kind.DELETED:
            continue
        if isinstance(mine, ItemColumn) and isinstance(its, ItemColumn):
            number = mine.sets[row]
            if its.sets[other] not in mine.members[mine.starts[number] : mine.starts[number + 1]]:
                return False
        elif not mine.low[row] <= its.low[other] <= mine.high[row]:  # type: ignore[union-attr]
            return False
    return True


def covers(published: CellHistory, pid: int, original: CellHistory, customer: int) -> bool:
    """Return whether the rows of a pseudonym cover different rows of a customer, placed one after another."""
    theirs = np.flatnonzero(original.persons == customer).tolist()
    holder: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for other in theirs:
            if other not in seen and row_covers(published, row, original, other):
                seen.add(other)
                if other not in holder or place(holder[other], seen):
                    holder[other] = row
                    return True
        return False

    return all(place(row, set()) for row in np.flatnonzero(published.persons == pid).tolist())


def coverage(original: CellHistory, published: CellHistory) -> dict[int, tuple[int, ...]]:
    customers = np.unique(original.persons).tolist()
    pids = np.unique(published.persons[published.persons > 0]).tolist()
    return {pid: tuple(c for c in customers if covers(published, pid, original, c)) for pid in pids}


@pytest.mark.slow
@settings(max_examples=12)
@given(histories(8, 3), st.integers(2, 4), st.sampled_from([0.0, 0.01]))
def test_every_pseudonym_covers_k_customers_and_every_customer_is_covered_by_k(
    people: list[list[Row]], k: int, spread: float
) -> None:
    original = history(people)
    found = conceal_history(original, k, spread=spread, fast=True, rounds=20, samples=FEW)
    covered = coverage(original, found.history)
    assert len(covered) == 8
    assert min(len(customers) for customers in covered.values()) >= k
    behind = [customer for customers in covered.values() for customer in customers]
    assert min(behind.count(10 * (number + 1)) for number in range(8)) >= k
    assert covered_customers(original, found.history) == covered
    assert all(set(chosen) <= set(covered[pid]) for pid, chosen in found.candidates.items())
    assert found.utility == pytest.approx(cell_utility(original, found.history).utility)
    assert found.deleted_rows == int(found.history.deleted.sum())


@settings(max_examples=12)
@given(histories(6, 3), st.integers(2, 3))
def test_the_design_is_k_customers_for_each_pseudonym_and_the_other_way_round(people: list[list[Row]], k: int) -> None:
    original = history(people)
    found = conceal_history(original, k, fast=True, rounds=20, samples=FEW)
    pids, customers = true_customers(original, found.history)
    assert all(true in found.candidates[pid] for pid, true in zip(pids.tolist(), customers.tolist(), strict=True))
    assert all(len(set(chosen)) == k for chosen in found.candidates.values())
    behind = [customer for chosen in found.candidates.values() for customer in chosen]
    assert all(behind.count(10 * (number + 1)) == k for number in range(6))
    assert (found.safety.least, found.safety.greatest, found.safety.pseudonyms) == (k, k, 6)


def test_customers_with_the_same_rows_lose_nothing() -> None:
    found = conceal_history(history(SIX[:4]), 2, samples=FEW)
    assert (found.utility, found.deleted_rows, found.converged, found.model) == (0.0, 0, True, "concealment")


def test_who_is_behind_a_pseudonym_is_drawn() -> None:
    original = history([[(1, "a", 1, 1)], [(1, "b", 1, 1)], [(1, "c", 1, 1)]])
    found = [conceal_history(original, 3, seed=seed, samples=FEW).history.persons.tolist() for seed in range(8)]
    assert len({tuple(persons) for persons in found}) > 1


def test_sets_begin_as_classes_and_the_last_turns_among_those_left() -> None:
    found = _first_sets(np.array([5, 9, 1, 8, 3]), 2)
    assert found.tolist() == [[1, 3], [1, 3], [0, 4], [4, 2], [2, 0]]


@pytest.mark.slow
@settings(max_examples=6)
@given(histories(8, 3), st.integers(2, 3))
def test_the_same_seed_gives_the_same_history_on_any_number_of_threads(people: list[list[Row]], k: int) -> None:
    original = history(people)
    first, second = (
        conceal_history(original, k, seed=3, threads=threads, fast=True, rounds=20, samples=FEW) for threads in (1, 2)
    )
    assert_same(first.history, second.history)
    assert (first.candidates, first.safety) == (second.candidates, second.safety)


def test_what_is_written_follows_the_rules_of_the_contest(tmp_path: Path) -> None:
    original = history([[*person, (5, "d", 2, 2)] for person in SIX] + [[(2, "a", 3, 3)]])
    write_cells(original, tmp_path / "T.csv")
    write_cells(conceal_history(original, 3, samples=FEW).history, tmp_path / "A.csv")
    assert check_anonymized(tmp_path / "T.csv", tmp_path / "A.csv").valid


def test_sets_of_cells_have_no_more_items_than_allowed() -> None:
    people = [[(1, item, 1, 1)] for item in "abc"]
    three = conceal_history(history(people), 3, samples=FEW).history.columns[1]
    none = conceal_history(history(people), 3, most_items=2, samples=FEW).history.columns[1]
    assert three.kinds.tolist() == [Kind.SET] * 3
    assert none.kinds.tolist() == [Kind.DELETED] * 3


def test_a_time_that_is_over_at_once_still_gives_k_customers_each() -> None:
    found = conceal_history(history(SIX), 2, seconds=1e-9, samples=FEW)
    assert (found.safety.least, found.converged) == (2, False)


def test_plain_values_have_everything_but_rows_and_candidates() -> None:
    found = conceal_history(history(SIX), 3, samples=FEW, attacks=20).to_dict()
    assert (found["model"], found["k"], found["customers"], found["bound"], found["gap"]) == ("concealment", 3, 6, 0, 1)
    assert found["safety"]["attacks"] == 20
    assert {"history", "candidates"}.isdisjoint(found)


@pytest.mark.parametrize("wrong", [{"k": 1}, {"k": 7}, {"seconds": 0.0}, {"spread": -1.0}, {"spread": float("nan")}])
def test_what_cannot_be_asked_for_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(OptionNotUsable, match=r"Hint|spread must be a finite number|seconds must be above 0"):
        conceal_history(history(SIX), **{"k": 2, **wrong})  # type: ignore[arg-type]


def test_too_many_customers_are_refused() -> None:
    many = cells([[str(number), "2011/1/1", "a", "1", "1"] for number in range(1, 5_002)])
    with pytest.raises(OptionNotUsable, match='model="classes"'):
        conceal_history(many, 3)


def test_covered_are_customers_with_as_many_different_rows() -> None:
    original = history([[(1, "a", 1, 1), (2, "b", 1, 1)], [(1, "a", 1, 1)], [(1, "b", 1, 1), (2, "b", 1, 1)]])
    rows = [
        ["1", "[2011/1/1;2011/1/2]", "*", "0.01", "1"], ["1", "2011/1/2", "b", "*", "1"],
        ["2", "2011/1/1", "{a;b}", "0.01", "1"],
        ["3", "2011/1/1", "{a;b}", "0.01", "1"], ["*", "*", "*", "*", "*"],
    ]  # fmt: skip
    assert covered_customers(original, cells(rows, names=["a", "b"])) == {1: (10, 30), 2: (10, 20, 30), 3: (10, 20, 30)}


def test_customers_of_the_contest_are_concealed(real_data: Callable[[str], Path]) -> None:
    original = read_original(real_data("pwscup2018-T.csv"))
    chosen = np.isin(original.persons, np.unique(original.persons)[:40])
    part = CellHistory(
        original.persons[chosen],
        tuple(
            type(column)(**{name: _only(getattr(column, name), chosen) for name in column.__slots__})
            for column in original.columns
        ),
    )
    found = conceal_history(part, 3, fast=True, rounds=20, samples=4_000)
    covered = covered_customers(part, found.history)
    assert min(len(customers) for customers in covered.values()) >= 3
    assert found.safety.low_found <= found.safety.probability_found <= found.safety.high_found < 1


def _only(value: object, chosen: np.ndarray) -> object:
    return value[chosen] if isinstance(value, np.ndarray) and len(value) == len(chosen) else value
