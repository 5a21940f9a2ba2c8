"""The evaluation of a round: U, attacks, standings and uses of all finals."""

from __future__ import annotations

from pathlib import Path

import pytest

from sudare.contest.evaluation import FinalFiles, evaluate_finals
from sudare.errors import BadRows
from sudare.histories.generalized.rule_sets import load_rules
from sudare.histories.generalized.text import read_original
from sudare.histories.utility.use_cases import MEASURES
from tests.web.small_contest import T, anonymized, guesses


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "t": T,
        "blue": anonymized(shift=0),
        "red": anonymized(dates=False, shift=2),
        "on_blue": guesses(right=11, shift=0),
        "on_red": guesses(right=5, shift=2),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, newline="")
    return tmp_path


def finals(folder: Path) -> list[FinalFiles]:
    return [
        FinalFiles("blue", folder / "blue", {"red": folder / "on_blue"}),
        FinalFiles("red", folder / "red", {"blue": folder / "on_red"}),
    ]


def test_finals_are_measured_judged_and_ranked(folder: Path) -> None:
    rules = load_rules()
    found = evaluate_finals(read_original(folder / "t"), finals(folder), rules)
    # A quarter of the cells of red are deleted; r(12) = 11.
    assert [(final.name, final.utility.utility) for final in found.finals] == [("blue", 0.0), ("red", 0.25)]
    judged = {(attack.attacker, attack.target): attack.judgement for attack in found.attacks}
    assert [judged["red", "blue"].hits, judged["red", "blue"].contest.margin] == [11, 0]
    assert [judged["blue", "red"].hits, judged["blue", "red"].contest.margin] == [5, -6]
    assert [(entry.name, entry.rank, entry.outcome) for entry in found.standings] == [
        ("red", 1, "withstood"),
        ("blue", None, "broken"),
    ]
    assert [final.classes.k for final in found.finals if final.classes] == [1, 1]
    assert [final.uses for final in found.finals] == [None, None]


def test_uses_are_measured_if_asked_for(folder: Path) -> None:
    found = evaluate_finals(read_original(folder / "t"), finals(folder), load_rules(), draws=2).to_dict()
    blue, red = (final["uses"] for final in found["finals"])
    assert blue["draws"] == 2
    assert [error["measure"] for error in blue["errors"]] == list(MEASURES)
    # Nothing is changed but the names of customers.
    assert all(error["mean"] == pytest.approx(0) for error in blue["errors"] if not error["measure"].startswith("rfm"))
    assert any(error["mean"] > 0 for error in red["errors"])


def test_rules_with_other_columns_have_no_uses(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        'name = "own"\np = "1/3"\nalpha = "0.01/20"\nattacks = 3\nmost_items = 9\nmost_characters = 99\n'
        '[[columns]]\nname = "who"\nform = "person"\ndigits = 6\n[[columns]]\nname = "book"\nform = "item"\n'
    )
    rules = load_rules(tmp_path / "rules.toml")
    (tmp_path / "t").write_text("1,a\n2,b\n", newline="")
    (tmp_path / "a").write_text("7,{a;b}\n8,{a;b}\n", newline="")
    original = read_original(tmp_path / "t", rules)
    found = evaluate_finals(original, [FinalFiles("red", tmp_path / "a", {})], rules, draws=2)
    assert (found.finals[0].utility.utility, found.finals[0].uses) == (0.5, None)
    assert [entry.outcome for entry in found.standings] == ["not_attacked"]


def test_without_finals_nothing_is_ranked(folder: Path) -> None:
    found = evaluate_finals(read_original(folder / "t"), [], load_rules(), draws=2)
    assert (found.finals, found.attacks, found.standings) == ((), (), ())


def test_a_final_that_breaks_the_rules_is_refused(folder: Path) -> None:
    (folder / "blue").write_text("x\n")
    with pytest.raises(BadRows):
        evaluate_finals(read_original(folder / "t"), finals(folder), load_rules())
