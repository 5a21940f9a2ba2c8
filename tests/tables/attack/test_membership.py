"""Membership: members are told from outsiders where the file tells them, and not where it does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sudare.tables.attack import membership
from sudare.tables.attack.covering import published_kinds
from sudare.tables.attack.membership import attack_membership, record_kinds
from sudare.tables.attack.outsiders import given_outsiders, in_table, synthetic_outsiders
from sudare.tables.attack.results import MembershipFound, TableAttack
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable
from tests.tables.recoded.small import recoded_of, starred, unchanged
from tests.tables.small_tables import table_of


def people(seed: int, n: int = 300) -> Table:
    """Return people with three attributes of ten values each, most of whom are unique."""
    rows = np.random.default_rng(seed).integers(0, 10, (n, 3))
    every = [(i, i, i) for i in range(10)]
    return table_of([*every, *(tuple(row) for row in rows.tolist())])


def attacked(found: RecodedTable, outsiders: Table | None) -> tuple[MembershipFound, dict[str, TableAttack]]:
    done = attack_membership(found, outsiders, 0)
    assert done is not None
    reached, attacks = done
    return reached, {attack.name: attack for attack in attacks}


def test_an_exact_table_shows_who_is_in_it() -> None:
    reached, attacks = attacked(unchanged(people(1)), people(2))
    assert (reached.members, reached.outsiders, reached.synthetic) == (310, 310, False)
    for attack in attacks.values():
        assert (attack.verdict, attack.claim, attack.reason) == ("beyond", "estimated", "coin")
        # About a fifth of the outsiders look like a member.
        assert attack.success is not None
        assert attack.success > 0.8
        assert attack.controls[0].success == 1.0
        assert [control.passed for control in attack.controls] == [True, True]


def test_a_table_of_stars_shows_nobody() -> None:
    reached, attacks = attacked(starred(people(1)), people(2))
    for attack in attacks.values():
        assert (attack.verdict, attack.success, attack.highest) == ("within", 0.5, 0.0)
    assert {score.area for score in reached.scores} == {0.5}


def test_synthetic_outsiders_and_left_out_members_are_both_reported() -> None:
    reached, attacks = attacked(unchanged(people(1)), None)
    assert reached.synthetic
    shown = {(score.attack, score.against): score for score in reached.scores}
    assert len(shown) == 4
    for name, attack in attacks.items():
        assert attack.verdict == "beyond"
        # The verdict is about the lower of the two.
        assert attack.success == shown[name, "left_out"].area  # type: ignore[index]
        assert attack.success > 0.8


def test_what_only_synthetic_outsiders_show_is_too_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    # Outsiders with values that nobody has: they are told from members, but not by membership.
    strange = np.full((3, 310), -1, np.int32)
    monkeypatch.setattr(membership, "synthetic_outsiders", lambda *_: strange)
    _, attacks = attacked(starred(people(1)), None)
    attack = attacks["membership_weight"]
    assert (attack.verdict, attack.claim, attack.reason) == ("too_weak", None, "unlike_people")
    # To be in no cell costs as much as stars do.
    assert attacks["membership_distance"].verdict == "within"


def test_an_outsider_who_equals_a_member_is_no_control() -> None:
    table = table_of([(0, 0), (1, 1), (2, 2)])
    _, attacks = attacked(unchanged(table), table)
    for attack in attacks.values():
        assert (attack.verdict, attack.reason) == ("too_weak", "original_failed")


def test_without_outsiders_nothing_is_tried() -> None:
    # Mixing equal records makes nobody new.
    assert attack_membership(starred(table_of([(0, 1), (0, 1)])), None, 0) is None


def test_a_kept_column_belongs_to_the_whole_record() -> None:
    table = table_of([(0, 0), (0, 1), (1, 0), (1, 0)])
    found = recoded_of(table, [[(0, 1)]], [0, 0, 0, -1], roles={"b": "kept"})
    assert record_kinds(found, ["b"]).tolist() == [0, 1, 0, -1]
    assert record_kinds(found, []).tolist() == [0, 0, 0, -1]


def test_the_own_record_is_left_out() -> None:
    # Two classes of one record each: without its own, the first sees only the other.
    found = unchanged(table_of([(0, 0), (1, 1)]))
    kinds = published_kinds(found)
    known = membership._Known(found.table.codes, np.array([0, 1], np.int32), np.array([1, 1]))
    distance, weight = membership._scores(kinds, known)
    assert (distance.tolist(), weight.tolist()) == ([0, 0], [4, 4])
    distance, weight = membership._scores(kinds, known, left_out=True)
    assert (distance.tolist(), weight.tolist()) == ([-2, -2], [0, 0])


def test_a_left_out_record_is_replaced_by_another_one_of_its_class() -> None:
    # A class of three records, which cover everything: two have the kept value 0, one has 1.
    found = recoded_of(table_of([(0, 0), (0, 0), (0, 1)]), [[(0,)]], [0, 0, 0], roles={"b": "kept"})
    kinds = published_kinds(found, ["b"])
    known = membership._Known(np.array([[0, 0], [0, 1]], np.int32), np.array([0, 1], np.int32), np.array([3, 3]))
    _, weight = membership._scores(kinds, known)
    # A record weighs 1 / (the share of its kept value).
    assert weight.tolist() == pytest.approx([2 / (2 / 3), 1 / (1 / 3)])
    distance, weight = membership._scores(kinds, known, left_out=True)
    # Of the other two records one has 0, so 1.5 of three are expected; none has 1.
    assert weight.tolist() == pytest.approx([1.5 / (2 / 3), 0])
    assert distance.tolist() == [0, -1]


def test_outsiders_have_the_numbers_of_the_table() -> None:
    others = table_of([(1, 0), (4, 3)])
    a, b = unchanged(table_of([(0, 2), (1, 3)])).columns
    # The values of a are 0 and 1, those of b 0 to 3.
    assert given_outsiders(others, [b, a], 10, 0).tolist() == [[0, 3], [1, -1]]
    assert given_outsiders(others, [a], 1, 0).shape == (1, 1)
    # A population has the value 4 too.
    wider = replace(a, values=("0", "1", "4"))
    assert given_outsiders(others, [wider], 10, 0).tolist() == [[1, 2]]


def test_synthetic_outsiders_are_mixtures_of_two_records() -> None:
    codes = np.asarray(people(3).codes)
    made = synthetic_outsiders(codes, 200, 0)
    assert made.shape == (3, 200)
    rows = codes.T
    for person in made.T[:50]:
        shared = rows == person
        assert (shared.sum(axis=1) >= 1).any()
        # Two records have all of its values between them.
        assert any((one | other).all() for one in shared[shared.any(axis=1)] for other in shared)
    assert in_table(codes, made).mean() < 0.5
    assert synthetic_outsiders(codes, 200, 0).tolist() == made.tolist() != synthetic_outsiders(codes, 200, 1).tolist()


def test_who_is_in_the_table() -> None:
    codes = np.array([[0, 1], [1, 2]], np.int32)
    others = np.array([[0, 1, 0, -1], [1, 1, 2, 2]], np.int32)
    assert in_table(codes, others).tolist() == [True, False, False, False]
