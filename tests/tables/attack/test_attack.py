"""All attacks together: verdicts, controls, and what is told of attacks that could not be tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sudare.errors import ColumnNotFound
from sudare.messages import Message, Texts
from sudare.tables.attack import attack as attack_module
from sudare.tables.attack.attack import attack_table
from sudare.tables.attack.results import (
    AttackClaim,
    AttackControl,
    AttackName,
    AttackVerdict,
    TableAttack,
    with_controls,
)
from sudare.tables.classes.criteria import Criteria
from sudare.tables.model import Table
from sudare.tables.roles import Role
from tests.tables.recoded.small import recoded_of, starred, unchanged
from tests.tables.small_tables import table_of

SENSITIVE: dict[str, Role] = {"c": "sensitive"}
NAMES: tuple[AttackName, ...] = (
    "linkage",
    "linkage_subset",
    "linkage_tight",
    "inference",
    "membership_distance",
    "membership_weight",
)


def people(n: int = 400) -> Table:
    rows = np.random.default_rng(5).integers(0, [12, 12, 3], (n, 3))
    return table_of([tuple(row) for row in rows.tolist()])


def test_a_table_published_as_it_is_succumbs_to_every_attack() -> None:
    found = attack_table(unchanged(people(), roles=SENSITIVE), criteria=Criteria(k=2))
    assert tuple(attack.name for attack in found.attacks) == NAMES
    promised = dict.fromkeys(NAMES[:3], "above")
    assert {attack.name: attack.verdict for attack in found.attacks} == {**dict.fromkeys(NAMES, "beyond"), **promised}
    assert found.verdict == "above"
    assert (len(found.above), len(found.beyond)) == (3, 3)
    assert (found.records, found.targets, found.sampled) == (400, 400, False)


def test_a_table_of_stars_is_above_in_none() -> None:
    found = attack_table(starred(people(), roles=SENSITIVE), criteria=Criteria(k=2))
    assert found.above == ()
    verdicts = {attack.name: attack.verdict for attack in found.attacks}
    assert [verdicts[name] for name in NAMES[:4]] == ["within"] * 4


def test_the_same_seed_gives_the_same_and_rows_are_the_attacks() -> None:
    recoded = unchanged(people(100), roles=SENSITIVE)
    found = attack_table(recoded, criteria=Criteria(k=2), seed=7)
    assert attack_table(recoded, criteria=Criteria(k=2), seed=7).to_dict() == found.to_dict()
    assert [row["name"] for row in found.to_rows()] == list(NAMES)


def test_progress_names_each_attack() -> None:
    told = list[tuple[str, int, int]]()

    def tell(step: Message, done: int, total: int) -> None:
        told.append((str(step), done, total))

    attack_table(unchanged(people(20), roles=SENSITIVE), criteria=Criteria(), progress=tell)
    assert told == [("attack: linkage", 0, 3), ("attack: inference of c", 1, 3), ("attack: membership", 2, 3)]


def test_without_a_sensitive_column_nothing_is_inferred() -> None:
    found = attack_table(unchanged(people(50)), criteria=Criteria(k=2))
    (inference,) = [attack for attack in found.attacks if attack.name == "inference"]
    assert (inference.verdict, inference.reason) == ("not_tried", "no_sensitive")
    assert found.inference == ()


def test_a_crashed_attack_is_told_and_never_reads_as_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise ValueError("Hanako")

    recoded = starred(people(60), roles=SENSITIVE)
    for name in ("attack_linkage", "judge_linkage", "attack_inference", "attack_membership"):
        with monkeypatch.context() as patched:
            patched.setattr(attack_module, name, crash)
            found = attack_table(recoded, criteria=Criteria(k=2))
        crashed = [attack for attack in found.attacks if attack.reason == "crashed"]
        assert crashed
        assert {(attack.verdict, attack.error) for attack in crashed} == {("not_tried", "ValueError")}
        assert tuple(attack.name for attack in found.attacks) == NAMES
        assert found.verdict != "within"
        assert "Hanako" not in str(found.to_dict())


def test_a_table_without_published_records_is_not_tried() -> None:
    found = attack_table(recoded_of(table_of([(0, 0), (1, 1)]), [[(0,), (0,)]], [-1, -1]), criteria=Criteria(k=2))
    assert {(attack.verdict, attack.reason) for attack in found.attacks} == {("not_tried", "no_records")}
    assert (found.verdict, found.linkage, found.membership) == ("not_tried", None, None)


def test_cells_may_cover_values_that_only_a_population_has() -> None:
    found = starred(people(60), roles=SENSITIVE)
    a, b = found.columns
    wider = replace(a, values=(*a.values, "more"), listed=np.arange(13, dtype=np.int32), ends=np.array([13]))
    attacks = attack_table(replace(found, columns=(wider, b)), criteria=Criteria(k=60)).attacks
    assert [attack.error for attack in attacks] == [None] * 6
    assert [attack.verdict for attack in attacks[:3]] == ["within"] * 3


def test_outsiders_without_a_published_column_are_refused() -> None:
    with pytest.raises(ColumnNotFound):
        attack_table(unchanged(people(20)), criteria=Criteria(), outsiders=table_of([(0, 1)]))


def test_failed_controls_take_back_what_is_not_proven() -> None:
    failed = {name: AttackControl(name, 0.0, 1.0, False) for name in ("original", "shuffled")}

    def verdict(given: AttackVerdict, claim: AttackClaim, control: str) -> str:
        attack = TableAttack("linkage", (), given, "all_tried", claim=claim)
        return with_controls(attack, (failed[control],)).verdict

    assert verdict("within", "proven", "original") == "too_weak"
    assert verdict("within", "estimated", "shuffled") == "too_weak"
    assert verdict("above", "estimated", "shuffled") == "too_weak"
    assert verdict("above", "estimated", "original") == "above"
    assert verdict("beyond", "estimated", "original") == "beyond"
    assert verdict("above", "proven", "shuffled") == "above"


def test_everything_is_said_in_both_languages_and_no_repr_has_names() -> None:
    found = attack_table(unchanged(people(60), roles=SENSITIVE), criteria=Criteria(k=2))
    for attack in found.attacks:
        for said in (attack.title, attack.knowledge, attack.judgement, attack.explanation, attack.certainty):
            assert said is None or Texts("en").say(said) != Texts("ja").say(said)
    assert "'c'" not in repr(found) + repr(found.attacks) + repr(found.inference)
