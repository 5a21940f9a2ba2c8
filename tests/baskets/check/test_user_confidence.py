"""How sure the surest adversary of each user is, by hand and against everybody enumerated."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given

from sudare.baskets.check import user_confidence
from sudare.baskets.check.user_confidence import UserConfidence, confidence_by_user
from sudare.baskets.model import make_baskets, sensitive_rows
from sudare.errors import OptionNotUsable
from tests.baskets.small_baskets import Case, cases, unsafe_by_hand

# Three buy milk, two of them medicine, which only the first keeps secret.
RECORDS = [{"milk", "medicine"}, {"milk", "medicine"}, {"milk", "bread"}]
SECRETS: list[set[str]] = [{"medicine"}, set(), {"medicine"}]


def found_for(case: Case) -> UserConfidence:
    return confidence_by_user(
        case.baskets, case.sensitive, rho=case.rho, published=case.published, max_known=case.max_known,
        knowledge=case.knowledge,
    )  # fmt: skip


def greatest_by_hand(case: Case) -> list[float]:
    found = []
    for u, record in enumerate(case.records if case.knowledge == "original" else case.shown):
        shares = [Fraction(0)]
        for size in range(1, min(len(record), case.max_known or len(record)) + 1):
            for known in map(set, combinations(sorted(record), size)):
                crowd = [other for other in case.shown if known <= other]
                shares += [
                    Fraction(sum(e in other for other in crowd), len(crowd)) for e in case.secrets[u] - known if crowd
                ]
        found.append(float(max(shares)))
    return found


def test_who_buys_milk_has_medicine_with_two_thirds() -> None:
    found = found_for(Case(RECORDS, RECORDS, SECRETS, "0.5", None, "original"))
    # Who knows the bread of the third finds one record, without medicine; who knows milk, all three.
    assert found.greatest.tolist() == [2 / 3, 0, 2 / 3]
    assert found.at_risk.tolist() == [True, False, True]
    assert found.users_at_risk == 2
    assert [(s.size, s.adversaries, s.checked, s.unsafe) for s in found.sizes] == [(1, 6, 6, 2), (2, 3, 3, 0)]
    # One of two items of the first and of the third tells, none of the second.
    assert [s.mean_share for s in found.sizes] == [Fraction(1, 3), 0]


def test_suppressed_items_may_be_known_but_tell_nothing_where_nobody_shows_them() -> None:
    shown = [{"milk"}, {"milk", "medicine"}, {"milk", "bread"}]
    found = found_for(Case(RECORDS, shown, SECRETS, "0.5", None, "original"))
    assert found.greatest.tolist() == [1 / 3, 0, 1 / 3]
    assert found.users_at_risk == 0
    assert [s.adversaries for s in found.sizes] == [6, 3]
    of_published = found_for(Case(RECORDS, shown, SECRETS, "0.5", None, "published"))
    assert [s.adversaries for s in of_published.sizes] == [5, 2]


def test_a_confidence_of_rho_is_no_risk() -> None:
    records = [{"a", "s"}, {"a"}]
    found = found_for(Case(records, records, [{"s"}, {"s"}], "0.5", None, "original"))
    assert found.greatest.tolist() == [0.5, 0.5]
    assert found.users_at_risk == 0


@given(cases())
def test_it_agrees_with_enumerating_everybody(case: Case) -> None:
    found = found_for(case)
    assert found.greatest.tolist() == greatest_by_hand(case)
    unsafe = unsafe_by_hand(case)
    assert set(np.flatnonzero(found.at_risk).tolist()) == {u for u, _ in unsafe}
    assert found.exact
    for size in found.sizes:
        assert size.unsafe == sum(len(known) == size.size for _, known in unsafe)
        records = case.records if case.knowledge == "original" else case.shown
        of_users = [
            Fraction(sum((u, len(known)) == (v, size.size) for v, known in unsafe), comb(len(record), size.size))
            for u, record in enumerate(records)
            if len(record) >= size.size
        ]
        assert size.mean_share == sum(of_users) / len(of_users)


@given(cases())
def test_sizes_that_are_too_many_are_drawn(case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_confidence, "MOST_ADVERSARIES", 0)
        patch.setattr(user_confidence, "DRAWN", 40)
        found = found_for(case)
    unsafe = unsafe_by_hand(case)
    for size in found.sizes[1:]:
        there = sum(len(known) == size.size for _, known in unsafe)
        assert size.checked == 40
        assert (size.unsafe > 0) <= (there > 0)
        if there == size.adversaries:
            assert size.unsafe == size.checked
    assert found.max_known == min(1, len(found.sizes))


def test_the_same_seed_draws_the_same() -> None:
    rng = np.random.default_rng(1)
    baskets = make_baskets([[str(n) for n in rng.integers(0, 12, 8)] for _ in range(40)])
    sensitive = sensitive_rows(rng.random((40, len(baskets.names))) < 0.3, np.arange(40, dtype=np.int32), "some")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_confidence, "MOST_ADVERSARIES", 0)
        one, two, other = (
            confidence_by_user(baskets, sensitive, rho=0.3, max_known=4, seed=seed).sizes for seed in (0, 0, 1)
        )
    assert one == two
    assert one != other


def test_baskets_of_other_users_are_refused() -> None:
    two = make_baskets([["a"], ["a"]])
    sensitive = sensitive_rows(np.ones((1, 1), np.bool_), np.zeros(1, np.int32), "all")
    with pytest.raises(OptionNotUsable, match="do not belong together"):
        confidence_by_user(two, sensitive, rho=0.5)
