"""Inference of sensitive values, worked by hand and against looking at each record."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from sudare.tables.attack import inference
from sudare.tables.attack.inference import attack_inference
from sudare.tables.attack.results import InferenceFound, TableAttack, TellingClass
from sudare.tables.attack.targets import draw_targets
from sudare.tables.classes.criteria import Criteria
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.roles import Role
from tests.tables.attack.drawn import Published, published_tables
from tests.tables.recoded.small import recoded_of, starred, unchanged
from tests.tables.small_tables import table_of

SENSITIVE: dict[str, Role] = {"b": "sensitive"}


def attacked(found: RecodedTable, criteria: Criteria | None = None) -> tuple[InferenceFound, TableAttack]:
    return attack_inference(found, draw_targets(found, 0), found.roles.sensitive[0], criteria or Criteria(), 0)


def two_classes() -> RecodedTable:
    """Three records with a = 0, of which two have the value 0 of b; one with a = 1, which has the value 1."""
    table = table_of([(0, 0), (0, 0), (0, 1), (1, 1)])
    return recoded_of(table, [[(0,)], [(1,)]], [0, 0, 0, 1], roles=SENSITIVE)


def test_guesses_with_and_without_the_own_record() -> None:
    found, _ = attacked(two_classes())
    # Everybody with a = 0 is guessed to have 0, the last one 1.
    assert found.success == 3 / 4
    # Both values are equally common in the file.
    assert found.marginal == 1 / 2
    # Without the own record: a tie, a tie, wrong, and the marginals for the last one.
    assert found.left_out == (1 / 2 + 1 / 2 + 0 + 1 / 2) / 4
    assert found.gain == found.success - found.left_out
    assert found.certain == 1


def test_homogeneous_and_skewed_classes_are_counted_without_their_values() -> None:
    found, _ = attacked(two_classes())
    assert (found.homogeneous, found.homogeneous_records) == (1, 1)
    # The share 2/3 is not twice 1/2; the share 1 is, and 1/2 above.
    assert (found.skewed, found.skewed_records, found.factor, found.above) == (1, 1, 2.0, 0.4)
    assert found.examples == (TellingClass(1, 1, 1.0, 0.5),)


@given(published_tables(sensitive=True))
def test_guesses_are_those_of_looking_at_each_record(published: Published) -> None:
    found, _ = attacked(published.found)
    truth = [record[-1] for record in published.records]
    places = list(range(len(published.found.columns)))
    whole = Counter(truth[i] for i, cells in enumerate(published.cells) if cells is not None)

    def weight(record: int) -> int:
        """Return how much a record counts: the inverse of the share of records that its cells would cover."""
        cells, all_records = published.cells[record] or [], published.records
        shares = [Fraction(sum(r[a] in cell for r in all_records), len(all_records)) for a, cell in enumerate(cells)]
        return round(2**12 / math.prod(shares))

    def right(record: int, seen: list[int]) -> float:
        counts: Counter[int] = Counter()
        for i in seen:
            counts[truth[i]] += weight(i)
        counts = counts or whole
        common = [value for value, count in counts.items() if count == max(counts.values())]
        return (truth[record] in common) / len(common)

    with_own, without = [], []
    for i, person in enumerate(published.persons):
        seen = published.covering(i, places)
        with_own.append(right(i, seen))
        without.append(right(i, [j for j in seen if published.persons[j] != person]))
    assert found.success == pytest.approx(np.mean(with_own))
    assert found.left_out == pytest.approx(np.mean(without))
    assert found.marginal == pytest.approx(np.mean([right(i, []) for i in range(len(truth))]))


def test_chunks_of_targets_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    table = table_of([tuple(row) for row in rng.integers(0, 4, (60, 3)).tolist()])
    whole = attacked(unchanged(table, roles={"c": "sensitive"}))
    monkeypatch.setattr(inference, "CHUNK_COUNTS", 12)
    assert attacked(unchanged(table, roles={"c": "sensitive"})) == whole


def many(cells: str) -> RecodedTable:
    """Return 600 records whose sensitive value nothing tells, published as they are or with stars only."""
    rng = np.random.default_rng(0)
    table = table_of([tuple(row) for row in rng.integers(0, [30, 3], (600, 2)).tolist()])
    made = unchanged if cells == "exact" else starred
    return made(table, roles=SENSITIVE)


def test_nothing_is_learned_where_all_records_look_alike() -> None:
    found, attack = attacked(many("stars"))
    assert found.success == found.marginal
    assert (attack.verdict, attack.claim, attack.reason) == ("within", "estimated", "participation")
    assert [control.passed for control in attack.controls] == [True, True]
    assert attack.controls[0].success > found.marginal + 0.05


def test_taking_part_reveals_a_value_that_nothing_else_tells() -> None:
    found, attack = attacked(many("exact"))
    assert found.success > 0.42 > 0.36 > found.left_out
    assert (attack.verdict, attack.claim, attack.reason) == ("beyond", "estimated", "participation")
    assert attack.limit == found.left_out


def test_shuffled_values_are_guessed_by_chance_only() -> None:
    _, attack = attacked(many("exact"))
    shuffled = attack.controls[1]
    assert shuffled.name == "shuffled"
    assert shuffled.passed
    assert shuffled.success < shuffled.expected + 0.05


def test_guesses_that_cannot_be_wrong_on_the_original_are_needed() -> None:
    # All have the same value: there is nothing to guess, and nothing that an attack could show.
    found = starred(table_of([(0, 0), (1, 0), (2, 0), (3, 0)]), roles=SENSITIVE)
    _, attack = attacked(found)
    assert (attack.verdict, attack.claim, attack.reason) == ("too_weak", None, "original_failed")


@pytest.mark.parametrize(
    ("criteria", "verdict", "reason", "limit"),
    [
        (Criteria(l=2), "above", "class_shares", 2 / 3),
        (Criteria(l=1), "within", "diverse_classes", 1.0),
        (Criteria(l=2, diversity="entropy"), "above", "class_shares", 0.5),
        (Criteria(l=2, diversity="recursive", c=3.0), "above", "class_shares", 0.75),
        (Criteria(t=0.2), "above", "closeness", 0.7),
        (Criteria(t=0.3), "within", "closeness", 0.8),
        (Criteria(l=1, t=0.2), "above", "closeness", 0.7),
        (Criteria(l=1, t=0.3), "within", "diverse_classes", 1.0),
    ],
)
def test_the_verdict_is_about_what_was_asked_for(criteria: Criteria, verdict: str, reason: str, limit: float) -> None:
    # Three of four guesses are right, half by the marginals; one class has a single value.
    _, attack = attacked(two_classes(), criteria)
    assert (attack.verdict, attack.reason, attack.claim) == (verdict, reason, "proven")
    assert attack.limit == pytest.approx(limit)
