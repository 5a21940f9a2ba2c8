"""A release made with knowledge of earlier ones: whoever links them finds no crowd smaller than k.

The releases are joined by the truth, customer by customer, as texts: nothing here knows how they are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.deadline import Deadline
from sudare.errors import BadRows, OptionNotUsable
from sudare.histories import EarlierRelease, GroupedHistory, HistoryRows, anonymize_history, anonymize_rows
from sudare.histories.anonymize import classes
from sudare.histories.anonymize.earlier.customer_groups import check_crowds
from sudare.histories.generalized.conversion import rows_of_cells
from sudare.histories.generalized.text import format_rows
from tests.histories.anonymize.small_histories import BruteForce, Row, histories, history, rows
from tests.histories.generalized.small_cells import assert_same, cells

# What each customer bought in two periods. In the first 10 is like 20, 30 like 40 and 50 like 60, in the second 10 is
# like 30, 20 like 50 and 40 like 60.
ONE, TWO, THREE = (1, "a", 1, 1), (9, "b", 5, 3), (20, "c", 9, 6)
FIRST: dict[int, Row] = {10: ONE, 20: ONE, 30: TWO, 40: TWO, 50: THREE, 60: THREE}
SECOND: dict[int, Row] = {10: ONE, 30: ONE, 20: TWO, 50: TWO, 40: THREE, 60: THREE}
SEARCH = {"fast": True, "rounds": 2, "attacks": False}

Bought = Mapping[int, Sequence[Row]]


def rows_of(bought: Bought) -> HistoryRows:
    """Return a history of customers with these numbers."""
    texts = [
        [str(customer), f"2011/1/{day}", item, f"0.0{price}", str(quantity)]
        for customer, own in bought.items()
        for day, item, price, quantity in own
    ]
    return rows_of_cells(cells(texts))


def single(bought: Mapping[int, Row]) -> HistoryRows:
    return rows_of({customer: [row] for customer, row in bought.items()})


def released(found: sudare.histories.Publication) -> EarlierRelease:
    return EarlierRelease(found.rows, found.history)


def published(found: sudare.histories.Publication) -> dict[str, tuple[str, ...]]:
    """Return what is published of each customer of whom something is, by the number in the original."""
    before, after = (b"".join(format_rows(one)).decode().splitlines() for one in (found.rows.history, found.history))
    rows: dict[str, list[str]] = {}
    for original, line in zip(before, after, strict=True):
        pseudonym, _, row = line.partition(",")
        if pseudonym != "*":
            rows.setdefault(original.split(",")[0], []).append(row)
    return {customer: tuple(sorted(own)) for customer, own in rows.items()}


def crowds(last: sudare.histories.Publication, *earlier: sudare.histories.Publication) -> dict[str, int]:
    """Return how many are like each customer of the last release in all of them; to be absent is to be alike."""
    releases = [published(found) for found in (last, *earlier)]
    customers = set().union(*releases)
    seen = {customer: tuple(rows.get(customer) for rows in releases) for customer in customers}
    alike = Counter(seen.values())
    return {customer: alike[seen[customer]] for customer in releases[0]}


def test_classes_of_other_people_give_away_who_is_who() -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    second = anonymize_rows(single(SECOND), 2, **SEARCH)
    assert set(crowds(first).values()) == set(crowds(second).values()) == {2}
    # Everybody is alone for those who link the two.
    assert set(crowds(second, first).values()) == {1}


def test_classes_stay_the_same_people() -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    second = anonymize_rows(single(SECOND), 2, earlier=[released(first)], **SEARCH)
    assert crowds(second, first) == dict.fromkeys(map(str, FIRST), 2)
    assert isinstance(second.found, GroupedHistory)
    assert (second.found.groups, second.found.unpublished_customers, second.found.sizes) == (3, 0, (2, 2, 2))


def test_customers_who_are_new_are_together_and_too_few_are_not_published() -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    # 40 is not there any more, so that 30 is alone; 70, 80 and 90 are new.
    now = {c: SECOND[c] for c in (10, 20, 30, 50, 60)} | dict.fromkeys((70, 80, 90), (3, "d", 2, 2))
    second = anonymize_rows(single(now), 2, earlier=[released(first)], **SEARCH)
    assert crowds(second, first) == {"10": 2, "20": 2, "50": 2, "60": 2, "70": 3, "80": 3, "90": 3}
    found = second.found.to_dict()
    assert (found["customers"], found["deleted_rows"], found["unpublished_customers"], found["groups"]) == (8, 1, 1, 3)


def test_who_was_deleted_before_is_like_who_is_new() -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    gone = np.isin(first.rows.history.persons, [10, 20])
    names = first.rows.history.column("item").names  # type: ignore[union-attr]
    lines = b"".join(format_rows(first.history)).decode().splitlines()
    texts = [["*"] * 5 if one else line.split(",") for one, line in zip(gone.tolist(), lines, strict=True)]
    before = EarlierRelease(first.rows, cells(texts, names))
    second = anonymize_rows(single(SECOND | {70: SECOND[10]}), 3, earlier=[before], **SEARCH)
    assert sorted(published(second)) == ["10", "20", "70"]


def test_several_releases_divide_further() -> None:
    whole = rows_of({c: [(c // 10, "a", 1, 1)] for c in range(10, 90, 10)})
    first = anonymize_rows(whole, 4, **SEARCH)
    second = anonymize_rows(rows_of({c: [(c // 10 % 4 + 1, "b", 1, 1)] for c in range(10, 90, 10)}), 2, **SEARCH)
    alone = anonymize_rows(whole, 2, earlier=[released(first)], **SEARCH)
    assert min(crowds(alone, first).values()) >= 2
    # Two classes of four, and four pairs across them: everybody would be alone.
    with pytest.raises(OptionNotUsable, match="no group of customers has 2 or more"):
        anonymize_rows(whole, 2, earlier=[released(first), released(second)], **SEARCH)
    third = anonymize_rows(whole, 2, earlier=[released(first), released(alone)], **SEARCH)
    assert min(crowds(third, first, alone).values()) >= 2


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(st.integers(1, 14), st.lists(rows, min_size=1, max_size=3), min_size=4, max_size=14),
    st.dictionaries(st.integers(1, 14), st.lists(rows, min_size=1, max_size=3), min_size=4, max_size=14),
    st.integers(2, 4),
    st.integers(2, 3),
    st.booleans(),
)
def test_no_crowd_is_smaller_than_k_whoever_links_the_releases(
    before: Bought, now: Bought, first_k: int, k: int, same_rows: bool
) -> None:
    first = anonymize_rows(rows_of(before), first_k, **SEARCH)
    rows_now = rows_of(before if same_rows else now)
    classes_before = published(first)
    groups = Counter(classes_before.get(str(customer)) for customer in (before if same_rows else now))
    if max(groups.values()) < k:
        with pytest.raises(OptionNotUsable, match="no group of customers has"):
            anonymize_rows(rows_now, k, earlier=[released(first)], **SEARCH)
        return
    second = anonymize_rows(rows_now, k, earlier=[released(first)], seed=1, **SEARCH)
    assert min(crowds(second, first).values()) >= k
    # Nobody is left out who could be published.
    assert len(published(second)) == sum(size for size in groups.values() if size >= k)
    assert second.found.to_dict()["unpublished_customers"] == sum(size for size in groups.values() if size < k)
    third = anonymize_rows(rows_now, k, earlier=[released(first), released(second)], seed=2, **SEARCH)
    assert min(crowds(third, first, second).values()) >= k


@settings(max_examples=10, deadline=None)
@given(histories(9, 2), st.lists(st.sampled_from([1, 5]), min_size=9, max_size=9))
def test_no_division_of_the_groups_is_below_the_bound(people: list[list[Row]], groups: list[int]) -> None:
    found_groups = [[place for place, group in enumerate(groups) if group == one] for one in sorted(set(groups))]
    found = anonymize_history(history(people), 2, groups=np.array(groups))
    assert isinstance(found, GroupedHistory)
    whole = BruteForce(people)
    best = 0.0
    for group in found_groups:
        part = BruteForce([people[place] for place in group])
        # What a distance costs is the same for all groups.
        part.deviations, part.limits = whole.deviations, whole.limits
        best += part.best(2) if len(group) > 1 else 4 * len(people[group[0]])
    assert found.bound <= best / 4 / sum(map(len, people)) + 1e-9 <= found.utility + 2e-9
    # Of groups that can be only one class no bound is computed.
    assert not found.bound or not {2, 3} & set(map(len, found_groups))


def test_without_groups_that_divide_the_search_is_as_without_groups() -> None:
    original = history([[(day, item, 1, 1)] for day in range(1, 6) for item in "ab"])
    plain = anonymize_history(original, 2, seed=3, rounds=3)
    grouped = anonymize_history(original, 2, seed=3, rounds=3, groups=np.full(10, 7))
    assert_same(plain.history, grouped.history)
    assert (plain.utility, plain.bound) == (grouped.utility, grouped.bound)


def test_small_groups_are_aligned_without_looking_at_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "pair_costs", None)
    original = history([[(1 + place % 28, "abcd"[place % 4], 1 + place % 9, 1)] * 2 for place in range(300)])
    found = anonymize_history(original, 3, groups=np.arange(300) // 3, fast=True)
    assert (found.sizes[0], found.converged, found.bound) == (3, True, 0.0)


@settings(max_examples=8, deadline=None)
@given(histories(12, 3))
def test_a_group_of_one_class_is_aligned_as_the_search_aligns_it(people: list[list[Row]]) -> None:
    three = history(people[:3])
    found = anonymize_history(three, 3, groups=np.zeros(3, np.int64))
    assert found.utility <= anonymize_history(three, 3).utility + 1e-9


@settings(max_examples=6, deadline=None)
@given(histories(12, 3))
def test_the_same_seed_gives_the_same_history_on_any_number_of_threads(people: list[list[Row]]) -> None:
    groups = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2])
    first, second = (
        anonymize_history(history(people), 2, groups=groups, seed=3, rounds=3, threads=threads) for threads in (1, 2)
    )
    assert_same(first.history, second.history)


def test_a_time_that_is_over_at_once_still_keeps_the_groups() -> None:
    people = [[(1 + place, "ab"[place % 2], 1, 1)] * (1 + place % 3) for place in range(14)]
    found = anonymize_history(history(people), 2, groups=np.arange(14) // 5, seconds=1e-9)
    assert (min(found.sizes) >= 2, found.converged, found.bound) == (True, False, 0.0)
    check_crowds(history(people), found.history, np.arange(14) // 5, 2)


def test_time_is_shared_by_the_numbers_of_rows_those_with_few_first(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[tuple[Deadline, float]] = []
    part = Deadline.part

    def recorded(self: Deadline, share: float) -> Deadline:
        shares.append((self, share))
        return part(self, share)

    monkeypatch.setattr(Deadline, "part", recorded)
    # Three customers can be only one class, four have five rows each, one is not published, and eight have one row.
    groups = np.repeat([0, 1, 2, 3], [3, 4, 1, 8])
    people = [[(1 + place, "a", 1, 1)] * (5 if group == 1 else 1) for place, group in enumerate(groups.tolist())]
    anonymize_history(history(people), 2, groups=groups, seconds=60)
    whole = shares[0][0]
    assert [share for deadline, share in shares if deadline is whole] == [3 / 31, 8 / 28, 20 / 20]


def test_a_history_that_mixes_groups_is_noticed() -> None:
    original = history([[(1, "a", 1, 1)]] * 4)
    found = anonymize_history(original, 2)
    check_crowds(original, found.history, np.array([0, 0, 1, 1]), 2)
    with pytest.raises(AssertionError, match="fewer than 2 members of a group"):
        check_crowds(original, found.history, np.array([0, 1, 1, 1]), 2)


@pytest.mark.parametrize("groups", [np.zeros(3, np.int64), np.zeros((4, 1), np.int64), np.zeros(0, np.int64)])
def test_every_customer_needs_a_group(groups: np.ndarray) -> None:
    with pytest.raises(OptionNotUsable, match="groups must have one number per customer, 4 in all"):
        anonymize_history(history([[(1, "a", 1, 1)]] * 4), 2, groups=groups)


@pytest.mark.parametrize("model", ["suppression", "levels", "concealment", "untouched"])
def test_only_classes_can_stay_the_same_people(model: str) -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    with pytest.raises(OptionNotUsable, match=rf"earlier cannot be used with the model {model}.\nHint: .* classes\."):
        anonymize_rows(single(SECOND), 2, model=model, earlier=[released(first)], **SEARCH)
    with pytest.raises(OptionNotUsable, match=f"groups cannot be used with the model {model}"):
        sudare.histories.anonymize_by_model(single(SECOND).history, 2, model=model, groups=np.zeros(6, np.int64))


def test_a_limit_on_the_mean_does_not_know_earlier_releases() -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    with pytest.raises(OptionNotUsable, match="mean_limit promises no classes, so earlier cannot be used with it"):
        anonymize_rows(single(SECOND), mean_limit=0.5, earlier=[released(first)], attacks=False)


def test_rows_of_another_history_are_no_release_of_this_one() -> None:
    first = anonymize_rows(single(FIRST), 2, **SEARCH)
    with pytest.raises(OptionNotUsable, match="does not have the rows and columns of the original"):
        EarlierRelease(single({10: FIRST[10], 20: FIRST[20]}), first.history)
    mixed = replace(first.history, persons=np.array([1, 1, 2, 3, 4, 5]))
    with pytest.raises(OptionNotUsable, match="A pseudonym stands for several customers"):
        EarlierRelease(first.rows, mixed)


PURCHASES = "who,day,item\n" + "".join(f"{name},2024-05-{n:02},{'ab'[n % 2]}\n" for n, name in enumerate("pqrstuvw", 1))
# Another period, other columns, other numbers within: "a" is new, "p" is gone.
LATER = "day,who,item,price\n" + "".join(f"2024-06-{n:02},{name},c,{n}.5\n" for n, name in enumerate("wvutsrqa", 1))


def test_names_say_who_is_who_in_files_of_any_form(tmp_path: Path) -> None:
    (tmp_path / "may.csv").write_text(PURCHASES)
    (tmp_path / "june.csv").write_text(LATER)
    with sudare.read_history(tmp_path / "may.csv", columns={"customer": "who"}) as may:
        first = may.anonymize(k=2, **SEARCH)
        first.publish(tmp_path / "first.csv")
        first.write_aligned(tmp_path / "key.csv")
        read = sudare.histories.read_earlier_release(may.rows(), tmp_path / "first.csv", tmp_path / "key.csv")
    with sudare.read_history(tmp_path / "june.csv", columns={"customer": "who"}) as june:
        second = june.anonymize(k=2, earlier=[read], **SEARCH)
        second.write_aligned(tmp_path / "second.csv")
        seen = [lines_of(PURCHASES, tmp_path / "key.csv", 0), lines_of(LATER, tmp_path / "second.csv", 1)]
        customers = set().union(*seen)
        alike = Counter((seen[0].get(name), seen[1].get(name)) for name in customers)
        assert all(alike[seen[0].get(name), rows] >= 2 for name, rows in seen[1].items())
        # The new one is alone, and so is the one whose like is gone.
        assert "a" not in seen[1]
        assert second.found.to_dict()["unpublished_customers"] == 8 - len(seen[1]) == 2
        with pytest.raises(BadRows, match=r"does not fit the rows of its original.*\nHint: .* with original\."):
            sudare.histories.read_earlier_release(june.rows(), tmp_path / "first.csv", tmp_path / "key.csv")


def lines_of(original: str, aligned: Path, place: int) -> dict[str, tuple[str, ...]]:
    """Return the published rows of each name, which is in one place of the lines of the original."""
    rows: dict[str, list[str]] = {}
    for before, after in zip(original.splitlines()[1:], aligned.read_text().splitlines()[1:], strict=True):
        pseudonym, _, row = after.partition(",")
        if pseudonym != "*":
            rows.setdefault(before.split(",")[place], []).append(row)
    return {name: tuple(sorted(own)) for name, own in rows.items()}
