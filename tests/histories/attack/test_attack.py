from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sudare.errors import OptionNotUsable
from sudare.histories.attack.attack import attack_history
from sudare.histories.attack.duel import with_pseudonyms
from sudare.histories.attack.known import know_history
from sudare.histories.generalized.text import read_original
from sudare.histories.safety.classes import class_safety
from tests.histories.attack.histories import anonymize, anonymize_classes, history, made_rows


def test_an_attack_tells_its_guesses_and_what_it_expects() -> None:
    rows = made_rows(3)
    found = attack_history(know_history(history(rows)), anonymize(rows, "identity"))
    assert found.to_dict() == {
        "method": "best",
        "known": know_history(history(rows)).to_dict(),
        "pseudonyms": 30,
        "tried": 30,
        "linked": 30,
        "guesses": 30,
        "needed": 22,
        "expected_hits": pytest.approx(30),
        "chance": pytest.approx(1),
        "confidence": {"greatest": pytest.approx(1), "median": pytest.approx(1), "least": pytest.approx(1)},
    }
    assert (np.diff(found.confidence) <= 0).all()


def test_so_many_guesses_are_made_as_asked_for() -> None:
    rows = made_rows(3)
    known, published = know_history(history(rows)), anonymize(rows, "random")
    assert [len(attack_history(known, published, guesses=number)) for number in (0, 5, 1000)] == [0, 5, 30]
    with pytest.raises(OptionNotUsable, match="not -1"):
        attack_history(known, published, guesses=-1)


def test_the_chance_on_classes_is_what_the_classes_alone_give() -> None:
    rows = made_rows(5, customers=40, most_rows=20)
    found = attack_history(know_history(history(rows)), anonymize_classes(rows, 2))
    assert found.chance == pytest.approx(class_safety([2] * 20).tests[0].plan_found.probability)


def test_hits_in_classes_are_as_frequent_as_the_classes_say() -> None:
    rows, hits, guesses = made_rows(5, customers=30, most_rows=20), 0, 0
    known = know_history(history(rows))
    for seed in range(20):
        published = anonymize_classes(rows, 3, seed)
        found = attack_history(known, published, guesses=30, seed=seed)
        truth = dict(zip(published.persons.tolist(), known.history.persons.tolist(), strict=True))
        hits += sum(truth[pid] == customer for pid, customer in zip(found.pids, found.customers, strict=True))
        guesses += len(found)
    # Each is right with probability 1/3; four standard deviations of classes of three with one hit in the mean.
    assert hits == pytest.approx(guesses / 3, abs=4 * (guesses / 3) ** 0.5)


def test_a_real_history_is_broken_by_who_knows_a_tenth(real_data: Callable[[str], Path]) -> None:
    original = read_original(real_data("pwscup2018-T.csv"))
    published = with_pseudonyms(original, seed=3)
    found = attack_history(know_history(original, share=0.1, columns=["date", "item"], seed=1), published)
    truth = dict(zip(published.persons.tolist(), original.persons.tolist(), strict=True))
    hits = sum(
        truth[pid] == customer for pid, customer in zip(found.pids.tolist(), found.customers.tolist(), strict=True)
    )
    assert hits >= found.needed
    assert found.expected == pytest.approx(hits, rel=0.05)
