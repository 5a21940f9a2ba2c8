"""Linkage, worked by hand and against looking at each record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables.attack import linkage, targets
from sudare.tables.attack.covering import original_kinds
from sudare.tables.attack.linkage import attack_linkage, judge_linkage, linkage_controls
from sudare.tables.attack.results import AttackControl, TableAttack
from sudare.tables.attack.targets import draw_targets
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.roles import Role
from tests.tables.attack.drawn import Published, published_tables
from tests.tables.recoded.small import recoded_of, unchanged
from tests.tables.small_tables import table_of


def judged(found: RecodedTable, k: int) -> dict[str, TableAttack]:
    people = draw_targets(found, 0)
    attacks = judge_linkage(found, people, Criteria(k=k), attack_linkage(found, people, 0), 0)
    return {attack.name: attack for attack in attacks}


def overlapping() -> RecodedTable:
    """Four records with a = 0, 1, 2, 3: two are in the cell {0, 1, 2}, one in {2}, the last is suppressed."""
    return recoded_of(table_of([(0,), (1,), (2,), (3,)]), [[(0, 1, 2)], [(2,)]], [0, 0, 1, -1])


def test_overlapping_cells_are_candidates_and_suppressed_records_are_never_found() -> None:
    found = overlapping()
    reached = attack_linkage(found, draw_targets(found, 0), 0)
    # Candidates: 2 for 0 and 1, 3 for 2 (all published), 0 for 3.
    assert reached.mean == pytest.approx((1 / 2 + 1 / 2 + 1 / 3 + 0) / 4)
    assert (reached.highest, reached.smallest, reached.sure) == (0.5, 2, 0)
    # Guesses until the right one: 1.5, 1.5 and 2.
    assert reached.guesses == pytest.approx(5 / 3)


def test_who_expects_the_smallest_cells_finds_the_class_of_its_own() -> None:
    found = overlapping()
    tight = attack_linkage(found, draw_targets(found, 0), 0).tight
    # The record with 2 is in the smaller of its two cells, and alone there.
    assert tight.mean == pytest.approx((1 / 2 + 1 / 2 + 1 + 0) / 4)
    assert (tight.highest, tight.right_class) == (1.0, 0.75)


def test_equally_tight_cells_are_guessed_in_expectation() -> None:
    # Both classes cover the value 1 of the third record, and each covers two of the four records.
    found = recoded_of(table_of([(0,), (1,), (1,), (2,)]), [[(0, 1)], [(1, 2)]], [0, 0, 1, 1])
    tight = attack_linkage(found, draw_targets(found, 0), 0).tight
    assert tight.right_class == pytest.approx((1 + 1 / 2 + 1 / 2 + 1) / 4)
    assert tight.mean == pytest.approx((1 / 2 + 1 / 4 + 1 / 4 + 1 / 2) / 4)


def test_persons_are_found_by_any_of_their_records() -> None:
    # Person 0 has two of the three records of the only class.
    found = recoded_of(table_of([(0,), (1,), (2,)], persons=[0, 0, 1]), [[(0, 1, 2)]], [0, 0, 0])
    reached = attack_linkage(found, draw_targets(found, 0), 0)
    assert reached.mean == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)
    assert reached.highest == pytest.approx(2 / 3)
    attack = judged(found, 2)["linkage"]
    assert (attack.verdict, attack.claim, attack.reason) == ("above", "proven", "several_records")


@given(published_tables())
def test_linkage_is_what_looking_at_each_record_gives(published: Published) -> None:
    people = draw_targets(published.found, 0)
    reached = attack_linkage(published.found, people, 0)
    names = published.found.quasi
    knowledge = {tuple(names): (reached.mean, reached.highest, reached.smallest, reached.sure)}
    knowledge = {one.attributes: (one.mean, one.highest, one.smallest, one.sure) for one in reached.subsets} | knowledge
    for known, found in knowledge.items():
        expected = by_hand(published, [names.index(name) for name in known])
        assert found == pytest.approx(expected)


def by_hand(published: Published, places: list[int]) -> tuple[float, float, int, int]:
    success, smallest, sure = [], [], set()
    for i, person in enumerate(published.persons):
        candidates = published.covering(i, places)
        own = sum(published.persons[j] == person for j in candidates)
        success.append(own / max(len(candidates), 1))
        smallest += [len(candidates)] if own else []
        sure |= {person} if own and own == len(candidates) else set()
    return sum(success) / len(success), max(success), min(smallest, default=0), len(sure)


def test_classes_of_k_prove_that_linkage_is_within() -> None:
    found = recoded_of(table_of([(0, 0), (0, 1), (1, 0), (1, 1)]), [[(0,), (0, 1)], [(1,), (0, 1)]], [0, 0, 1, 1])
    for attack in judged(found, 2).values():
        assert (attack.verdict, attack.claim, attack.reason) == ("within", "proven", "class_sizes")
        assert attack.limit == 0.5


def test_a_class_below_k_is_above() -> None:
    attacks = judged(overlapping(), 3)
    assert {name: attack.verdict for name, attack in attacks.items()} == dict.fromkeys(attacks, "above")
    assert (attacks["linkage"].claim, attacks["linkage"].reason) == ("proven", "somebody")
    # Nobody is found for sure by all candidates, but by the tightest cells one is.
    assert judged(overlapping(), 2)["linkage_tight"].verdict == "above"
    assert judged(overlapping(), 2)["linkage"].verdict == "within"


def test_cells_that_do_not_cover_their_record_prove_nothing_by_the_size_of_the_class() -> None:
    found = recoded_of(table_of([(0,), (1,)]), [[(0,)]], [0, 0])
    attack = judged(found, 2)["linkage"]
    assert (attack.verdict, attack.claim, attack.reason) == ("within", "proven", "all_tried")
    assert attack.success == pytest.approx((1 / 2 + 0) / 2)


def test_the_original_is_linked_as_its_uniques_say() -> None:
    # Two unique records, and two equal ones.
    found = recoded_of(table_of([(0,), (1,), (2,), (2,)]), [[(0, 1, 2)]], [0, 0, 0, 0])
    original, shuffled = linkage_controls(found, draw_targets(found, 0), 0)
    assert original == AttackControl("original", (1 + 1 + 1 / 2 + 1 / 2) / 4, 3 / 4, True)
    assert shuffled.passed


def test_a_shuffled_truth_is_found_by_chance_only() -> None:
    rng = np.random.default_rng(1)
    found = unchanged(table_of([tuple(row) for row in rng.integers(0, 5, (400, 3)).tolist()]))
    original, shuffled = linkage_controls(found, draw_targets(found, 0), 0)
    assert original.success > 0.2
    assert shuffled.success < 0.02
    assert shuffled.passed


def test_an_attack_that_fails_on_the_original_is_too_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recoded_of(table_of([(0,), (1,), (2,), (2,)]), [[(0, 1, 2)]], [0, 0, 0, 0])
    assert judged(found, 4)["linkage"].verdict == "within"
    everything = replace(original_kinds(found, ["a"]), sizes=np.full(3, 9))
    monkeypatch.setattr(linkage, "original_kinds", lambda *_: everything)
    attack = judged(found, 4)["linkage"]
    assert (attack.verdict, attack.claim, attack.reason) == ("too_weak", None, "original_failed")


def test_adult_is_linked_as_its_risk_says(real_data: Callable[[str], Path], engine: DuckDBEngine) -> None:
    known = ["sex", "age", "race", "education", "occupation"]
    with sudare.read_table(real_data("adult/adult.csv"), engine=engine) as table:
        risk = table.risk(known)
        roles: dict[str, Role] = {name: "dropped" for name in table.attributes if name not in known}
        found = unchanged(table, roles=roles)
        reached = attack_linkage(found, draw_targets(found, 0), 0)
        assert reached.mean == pytest.approx(risk.mean_risk)
        assert (reached.sure, reached.smallest) == (risk.uniques, 1)


def test_many_subsets_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkage, "MOST_SUBSETS", 5)
    found = unchanged(table_of([(0, 1, 0, 1), (1, 0, 1, 0)]))
    reached = attack_linkage(found, draw_targets(found, 0), 0)
    assert (len(reached.subsets), reached.all_subsets) == (5, 4 + 6 + 4)


def test_many_records_are_drawn_and_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "MOST_TARGETS", 100)
    monkeypatch.setattr(targets, "DRAWN_TARGETS", 60)
    found = unchanged(table_of([(i // 2,) for i in range(200)], persons=list(range(200))))
    people = draw_targets(found, 3)
    assert len(people) == 60
    assert draw_targets(found, 3).records.tolist() == people.records.tolist() != draw_targets(found, 4).records.tolist()
    attack = judged(found, 2)["linkage"]
    assert (attack.verdict, attack.claim, attack.reason, attack.success) == ("within", "estimated", "sampled", 0.5)
    assert attack.interval is not None
    assert attack.interval[0] < 0.5 < attack.interval[1]


def test_few_people_with_most_records_are_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "MOST_PAIRS", 50)
    found = unchanged(table_of([(i,) for i in range(20)], persons=[0] * 20))
    people = draw_targets(found, 0)
    assert (len(people), len(people.pair_record)) == (2, 40)
