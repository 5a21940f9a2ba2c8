from dataclasses import replace

import numpy as np
import pytest

from sudare.errors import OptionNotUsable
from sudare.histories.attack.duel import run_duel, with_pseudonyms
from sudare.histories.attack.methods import METHODS, PROFILES, Attacks, Links
from sudare.histories.attack.truth import true_customers
from sudare.histories.generalized.model import CellHistory
from tests.histories.attack.histories import anonymize, anonymize_classes, history, made_rows

ROWS = made_rows(3, most_rows=20)
ORIGINAL = history(ROWS)


def test_pseudonyms_replace_customers_one_to_one_by_the_seed() -> None:
    found = with_pseudonyms(ORIGINAL, seed=1)
    pids, customers = true_customers(ORIGINAL, found)
    assert pids.tolist() == list(range(1, 31))
    assert len(set(customers.tolist())) == 30
    assert found.persons.tolist() == with_pseudonyms(ORIGINAL, seed=1).persons.tolist()
    assert found.persons.tolist() != with_pseudonyms(ORIGINAL, seed=2).persons.tolist()


@pytest.mark.parametrize("how", ["identity", "dates", "items", "cells", "random"])
def test_bad_anonymizations_are_broken(how: str) -> None:
    found = run_duel(ORIGINAL, anonymize(ROWS, how))
    assert found.verdict == "broken"
    assert {"feasibility", "likelihood", "assignment", "best"} <= set(found.broken_by)
    assert [attack.method for attack in found.attacks] == list(METHODS)
    # These people buy at random, without habits by which they could be recognized at another time.
    assert {attack.method for attack in found.attacks if not (attack.control and attack.control.effective)} == {
        PROFILES
    }


def test_classes_of_ten_are_not_broken_and_nothing_is_called_safe() -> None:
    found = run_duel(ORIGINAL, anonymize_classes(ROWS, 10))
    assert found.verdict == "not_broken"
    assert found.broken_by == ()
    outcomes = {attack.method: attack.outcome for attack in found.attacks}
    assert outcomes["best"] == "failed"
    # Joins find no exact cell, so they tried nothing.
    assert outcomes["item-date-join"] == "nothing_tried"
    assert found.classes is not None
    assert found.classes.k == 10
    best = next(attack for attack in found.attacks if attack.method == "best")
    assert best.attack is not None
    assert best.attack.chance <= found.classes.tests[0].bound * (1 + 1e-9)


def test_an_attack_that_fails_its_control_proves_nothing() -> None:
    # With six customers no number of hits is enough, not even on T itself.
    rows = [row for row in ROWS if row[0] <= 106]
    found = run_duel(history(rows), anonymize(rows, "identity"))
    assert found.verdict == "not_tried"
    assert {attack.outcome for attack in found.attacks} == {"proves_nothing"}


def test_an_attack_that_needs_a_column_that_is_missing_is_not_possible() -> None:
    kept = ("date", "item")
    original, anonymized = (
        replace(found, columns=tuple(column for column in found.columns if column.name in kept))
        for found in (ORIGINAL, anonymize(ROWS, "identity"))
    )
    outcomes = {attack.method: attack.outcome for attack in run_duel(original, anonymized).attacks}
    missing = {method for method, outcome in outcomes.items() if outcome == "not_possible"}
    assert missing == {method for method in METHODS if "price" in method or "quantity" in method}
    assert outcomes["best"] == "broke"


def test_an_attack_that_crashes_tried_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> Links:
        raise MemoryError("too much")

    monkeypatch.setattr(Attacks, "run", crash)
    found = run_duel(ORIGINAL, anonymize(ROWS, "identity"), methods=["best"])
    assert found.verdict == "not_tried"
    assert (found.attacks[0].outcome, found.attacks[0].error) == ("crashed", "MemoryError: too much")
    assert found.attacks[0].to_dict()["judgement"] is None


def test_an_effective_attack_counts_even_if_its_control_crashed(monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = Attacks.run, []

    def crash_later(self: Attacks, method: str) -> Links:
        calls.append(method)
        if len(calls) == 2:
            raise MemoryError("too much")
        return real(self, method)

    monkeypatch.setattr(Attacks, "run", crash_later)
    found = run_duel(ORIGINAL, anonymize(ROWS, "identity"), methods=["best"])
    assert (found.verdict, found.attacks[0].error) == ("broken", "MemoryError: too much")


def test_a_history_without_rows_was_not_tried() -> None:
    found = run_duel(ORIGINAL, anonymize_classes(ROWS, 31))
    assert (found.verdict, found.pseudonyms, found.classes) == ("not_tried", 0, None)
    outcomes = {attack.method: attack.outcome for attack in found.attacks}
    assert outcomes.pop(PROFILES) == "proves_nothing"
    assert set(outcomes.values()) == {"nothing_tried"}


def test_customers_who_keep_their_number_are_counted() -> None:
    published = anonymize_classes(ROWS, 10)
    same = CellHistory(np.where(published.deleted, 0, ORIGINAL.persons), published.columns)
    assert run_duel(ORIGINAL, published, methods=["best"]).same_numbers == 0
    assert run_duel(ORIGINAL, same, methods=["best"]).same_numbers == 30


def test_a_duel_as_plain_values() -> None:
    found = run_duel(ORIGINAL, anonymize(ROWS, "identity"), methods=["best", "unique-rows"]).to_dict()
    assert found["verdict"] == "broken"
    assert found["broken_by"] == ["best", "unique-rows"]
    assert found["pseudonyms"] == 30
    assert found["attacks"][0]["judgement"]["hits"] == 30
    assert found["attacks"][0]["control"]["effective"]
    assert found["classes"]["k"] == 1


def test_the_best_attack_came_nearest_to_success_of_those_that_say_something() -> None:
    found = run_duel(ORIGINAL, anonymize_classes(ROWS, 10))
    margins = {attack.method: attack.judgement.contest.margin for attack in found.telling if attack.judgement}
    assert found.best is not None
    assert margins[found.best.method] == max(margins.values())
    assert "item-date-join" not in margins
    assert found.to_dict()["best"] == found.best.method
    silent = run_duel(ORIGINAL, anonymize_classes(ROWS, 31), methods=["best"])
    assert (silent.telling, silent.best) == ((), None)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(OptionNotUsable, match="'magic'"):
        run_duel(ORIGINAL, ORIGINAL, methods=["magic"])
