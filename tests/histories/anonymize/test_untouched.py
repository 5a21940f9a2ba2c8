"""Some customers are left as they were; all others look like k - 1 more."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.text import format_rows
from tests.histories.attack.histories import history, made_rows

# Twelve customers of two rows; the last two have many, each at prices of their own.
PLAIN = [(c, day, 1, 100 + c % 3, 1) for c in range(101, 111) for day in (1, 2)]
DEAR = [(c, 3 * n, n, 1000 * n + c, n) for c in (111, 112) for n in range(1, 8)]
MADE = history(PLAIN + DEAR)


def lines(found: CellHistory) -> list[list[str]]:
    return [line.split(",") for line in b"".join(format_rows(found)).decode().splitlines()]


def as_they_were(original: CellHistory, found: CellHistory) -> set[str]:
    """Return the customers all of whose rows are left with the values that they had."""
    pairs = list(zip(lines(original), lines(found), strict=True))
    return {before[0] for before, _ in pairs} - {before[0] for before, after in pairs if before[1:] != after[1:]}


def sizes(found: CellHistory) -> dict[str, int]:
    """Return how many pseudonyms have the same rows, for each of them."""
    rows: dict[str, list[str]] = {}
    for pid, *cells in lines(found):
        if pid != "*":
            rows.setdefault(pid, []).append(",".join(cells))
    alike = Counter(tuple(sorted(own)) for own in rows.values())
    return {pid: alike[tuple(sorted(own))] for pid, own in rows.items()}


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 99), st.integers(2, 4), st.integers(1, 5))
def test_some_are_as_they_were_and_all_others_look_like_k(seed: int, k: int, untouched: int) -> None:
    original = history(made_rows(seed, customers=12, most_rows=4))
    found = sudare.histories.leave_untouched(original, k, untouched=untouched, fast=True, rounds=2, seed=seed)
    left = as_they_were(original, found.history)
    pid_of = dict(zip(original.persons.astype(str), found.history.persons.astype(str), strict=True))
    alike = sizes(found.history)
    assert len(left) >= untouched
    alone = [customer for customer in left if alike[pid_of[customer]] == 1]
    assert found.exposed == len(alone) <= found.untouched == untouched
    assert sum(size < k for size in alike.values()) <= untouched
    assert all(
        size >= k for customer, size in ((c, alike.get(p)) for c, p in pid_of.items()) if size and customer not in left
    )
    assert found.utility == sudare.histories.cell_utility(original, found.history).utility


def test_the_dearest_are_left_and_that_is_cheaper() -> None:
    found = sudare.histories.leave_untouched(MADE, 2, untouched=2, fast=True, rounds=3)
    assert {"111", "112"} <= as_they_were(MADE, found.history)
    assert found.exposed == 2
    assert found.utility < sudare.histories.anonymize_history(MADE, 2, fast=True, rounds=3).utility
    assert (found.bound, found.model, found.to_dict()["untouched"]) == (0, "untouched", 2)
    described = sudare.contest.describe_anonymization(MADE, found.history)
    assert (described.kind, described.untouched_unique) == ("untouched_and_k_anonymous", 2)
    assert described.k >= 2


def test_one_of_the_dearest_class_is_the_one_with_most_rows() -> None:
    longer = history([*PLAIN, *DEAR, (112, 99, 9, 5000, 9)])
    found = sudare.histories.leave_untouched(longer, 2, untouched=1, fast=True, rounds=3)
    assert "112" in as_they_were(longer, found.history)
    assert "111" not in as_they_were(longer, found.history)


def test_who_is_left_untouched_and_like_others_is_not_exposed() -> None:
    same = history([(c, 1, 1, 100, 1) for c in range(101, 107)])
    found = sudare.histories.leave_untouched(same, 2, untouched=2, fast=True, rounds=2)
    assert (found.exposed, found.utility, found.sizes) == (0, 0.0, (6,))


@pytest.mark.parametrize(
    ("k", "untouched", "said"),
    [(2, 0, "untouched must be 1 or more"), (3, 10, "fewer than k = 3"), (1, 2, "k must be 2 or more")],
)
def test_what_cannot_be_is_refused(k: int, untouched: int, said: str) -> None:
    with pytest.raises(OptionNotUsable, match=said) as caught:
        sudare.histories.leave_untouched(MADE, k, untouched=untouched)
    assert "Hint:" in str(caught.value)
