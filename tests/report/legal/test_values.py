"""What reports say to the legal map: the measures they have taken, and nothing where nothing was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.gate.measures.registry import MEASURES
from sudare.histories.attack.duel import Duel
from sudare.messages import Texts, message
from sudare.progress import silent
from sudare.report.baskets.findings import gather_findings as gather_baskets
from sudare.report.contest.report import write_contest_report
from sudare.report.legal.map import LegalValue
from sudare.report.legal.values import anonymized_legal, baskets_legal, contest_legal, history_legal, table_legal
from sudare.report.table.anonymized.findings import gather_findings as gather_anonymized
from sudare.report.table.findings import gather_findings as gather_table
from sudare.report.table.question import ask
from tests.report.table.anonymized.small import ATTACKS, anonymized_people

TEXTS = Texts("en")
# Six records: m,30 twice; m,40; f,40 twice, of two towns; f,50.
PEOPLE = "sex,age,town\nm,30,x\nm,30,x\nm,40,x\nf,40,x\nf,40,y\nf,50,y\n"


def by_measure(values: Sequence[LegalValue]) -> dict[str, float]:
    """Return values by their measures, each of which is taken once."""
    found = {value.measure: value.value for value in values}
    assert len(found) == len(values)
    return found


def of_table(folder: Path, text: str, limit: float = 0.4, **question: Any) -> list[LegalValue]:
    (folder / "people.csv").write_text(text, encoding="utf-8")
    with sudare.read_table(folder / "people.csv") as table:
        asked = ask(
            table, known=question.pop("known", None), limit=limit, sensitive=question.pop("sensitive", None),
            hierarchies={}, suppress=0.0, seed=0,
        )  # fmt: skip
        return list(table_legal(table, gather_table(table, asked, threads=1, progress=silent), limit, TEXTS))


def test_a_table_says_what_its_classes_say(tmp_path: Path) -> None:
    found = of_table(tmp_path, PEOPLE, known=["sex", "age"])
    # Classes of 2, 1, 2 and 1 records.
    assert by_measure(found) == pytest.approx({
        "highest-risk": 1.0, "mean-risk": (2 * 0.5 + 1 + 2 * 0.5 + 1) / 6, "uniques": 2 / 6, "smallest-class": 1,
        "above-limit": 1.0, "identifiers": 0, "codes": 0, "card-numbers": 0,
    })  # fmt: skip
    assert {value.about for value in found if value.measure in ("highest-risk", "uniques")} == {"sex, age"}
    assert next(value.about for value in found if value.measure == "above-limit") == "40\N{NO-BREAK SPACE}%"


def test_a_table_with_a_sensitive_attribute_says_its_diversity(tmp_path: Path) -> None:
    found = of_table(tmp_path, PEOPLE, known=["sex"], sensitive="town")
    measured = by_measure(found)
    # All men live in x, so that l is 1 there; in the whole table 4 of 6 do.
    assert (measured["l"], measured["smallest-class"]) == (1, 3)
    assert measured["t"] == pytest.approx(1 / 3)
    assert {value.about for value in found if value.measure in ("l", "t")} == {"town"}


def test_columns_of_names_and_numbers_are_counted(tmp_path: Path) -> None:
    rows = [f"p{n}@example.org,4{n:03d}" for n in range(8)]
    text = "email,passport number,card,sex\n" + "".join(
        f"{row},{card},{'fm'[n % 2]}\n" for n, (row, card) in enumerate(zip(rows, CARDS, strict=True))
    )
    measured = by_measure(of_table(tmp_path, text, known=["sex"]))
    assert (measured["codes"], measured["card-numbers"]) == (1, 1)
    assert measured["identifiers"] >= 1


# Numbers with the check digit of payment cards, worked out by hand: 15 digits and their sum to the next ten.
def with_check_digit(digits: str) -> str:
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(digits)]
    return f"{digits}{-sum(value - 9 * (value > 9) for value in doubled) % 10}"


CARDS = [with_check_digit(f"40000000000{n:04d}") for n in range(8)]


def of_anonymized(folder: Path, **changed: Any) -> list[LegalValue]:
    with anonymized_people(folder, **changed) as made:
        return list(anonymized_legal(gather_anonymized(made.recoded), made, TEXTS))


def test_an_anonymized_table_says_what_is_published(tmp_path: Path) -> None:
    found = of_anonymized(tmp_path)
    # Four women and three men are published.
    measured = by_measure(found)
    assert measured["smallest-class"] == 3
    assert measured["highest-risk"] == pytest.approx(1 / 3)
    assert measured["mean-risk"] == pytest.approx(2 / 7)
    assert measured["uniques"] == 0
    assert {value.about for value in found if value.measure == "highest-risk"} == {"what is published"}


@pytest.mark.parametrize(
    ("verdicts", "succeeded"),
    [
        (("within", "within"), 0), (("above", "within"), 1), (("above", "beyond"), 2), (("beyond", "within"), 1),
        # What proves nothing says nothing, unless something succeeded.
        (("within", "too_weak"), None), (("not_tried", "within"), None), (("above", "too_weak"), 1),
    ],
)  # fmt: skip
def test_attacks_that_prove_nothing_are_not_attacks_that_failed(
    tmp_path: Path, verdicts: tuple[Any, Any], succeeded: int | None
) -> None:
    attacks = tuple(
        replace(attack, verdict=verdict) for attack, verdict in zip(ATTACKS.attacks, verdicts, strict=False)
    )
    measured = by_measure(of_anonymized(tmp_path, attacks=replace(ATTACKS, attacks=attacks)))
    assert measured.get("attacks") == succeeded


@pytest.mark.parametrize(("verdict", "share"), [("within", 0.511), ("above", 0.511), ("too_weak", None)])
def test_guesses_of_sensitive_values_are_told_if_the_attack_passed_its_control(
    tmp_path: Path, verdict: Any, share: float | None
) -> None:
    attacks = (ATTACKS.attacks[0], replace(ATTACKS.attacks[1], verdict=verdict))
    found = of_anonymized(tmp_path, attacks=replace(ATTACKS, attacks=attacks))
    assert by_measure(found).get("inference") == share
    assert [(value.about, value.basis) for value in found if value.measure == "inference"] == (
        [("illness", "attacked")] if share else []
    )


def test_a_table_that_was_not_attacked_says_nothing_of_attacks(tmp_path: Path) -> None:
    assert {"attacks", "inference"}.isdisjoint(by_measure(of_anonymized(tmp_path, attacks=None)))


def test_a_history_says_what_the_strongest_attacker_reaches(toy: sudare.History) -> None:
    found = sudare.histories.assess_attackers(toy)
    values = list(history_legal(found, message("gate.unproven.not_tried"), None, TEXTS))
    strongest = max(risk.measured for risk in found.attackers)
    assert [(one.measure, one.value, one.about) for one in values] == [("attackers", strongest, "the data as they are")]


# Two customers with two rows each; one row is deleted.
ORIGINAL = "101,2011/1/1,a,1,1\n101,2011/1/2,b,1,1\n102,2011/1/1,c,1,1\n102,2011/1/3,d,1,1\n"
ANONYMIZED = "1,2011/1/1,a,1,[1;2]\n1,2011/1/2,b,1,1\n2,[2011/1/1;2011/1/3],c,1,1\n*,*,*,*,*\n"


@pytest.mark.slow
def test_an_anonymized_history_says_what_its_classes_and_attacks_say(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text(ORIGINAL, encoding="utf-8")
    (tmp_path / "A.csv").write_text(ANONYMIZED, encoding="utf-8")
    original = sudare.histories.read_original(tmp_path / "T.csv")
    anonymized = sudare.histories.read_valid_anonymized(tmp_path / "A.csv", original)
    duel = sudare.contest.run_duel(original, anonymized)
    written: Any = write_contest_report(tmp_path / "T.csv", tmp_path / "A.csv", tmp_path / "r.html", duel=duel, draws=2)
    measured = by_measure(list(contest_legal(written, TEXTS)))
    assert measured["smallest-class"] == written.safety.k
    assert measured["uniques"] == written.safety.uniques / written.safety.persons
    assert measured.get("attacks") == attacks_of(duel)
    # One attack that crashed: as long as none succeeded, their number says nothing any more.
    crashed = replace(duel, attacks=(replace(duel.attacks[0], judgement=None, possible=True), *duel.attacks[1:]))
    assert crashed.attacks[0].outcome == "crashed"
    measured = by_measure(list(contest_legal(replace(written, duel=crashed), TEXTS)))
    assert measured.get("attacks") == attacks_of(crashed)
    unbroken = replace(crashed, attacks=tuple(one for one in crashed.attacks if one.outcome != "broke"))
    assert "attacks" not in by_measure(list(contest_legal(replace(written, duel=unbroken), TEXTS)))
    nothing = replace(written, duel=None)
    assert "attacks" not in by_measure(list(contest_legal(nothing, TEXTS)))


def attacks_of(duel: Duel) -> int | None:
    """Return how many attacks succeeded, None where their number says nothing."""
    outcomes = [attack.outcome for attack in duel.attacks]
    if "broke" in outcomes:
        return outcomes.count("broke")
    return 0 if "failed" in outcomes and not {"crashed", "proves_nothing"} & set(outcomes) else None


def of_baskets(folder: Path, **change: Any) -> list[LegalValue]:
    (folder / "b.txt").write_text("milk,medicine\nmilk,medicine\nmilk,bread\n\n", encoding="utf-8")
    (folder / "secrets.csv").write_text("user,item\n1,medicine\n3,medicine\n", encoding="utf-8")
    original = sudare.read_baskets(folder / "b.txt", form="commas")
    sensitive = sudare.baskets.read_sensitive(str(folder / "secrets.csv"), original)
    findings = gather_baskets(sudare.baskets.suppress_baskets(original, sensitive, rho="0.5"), None, silent)
    verdict = replace(findings.after.verdict, **change)
    return list(baskets_legal(replace(findings, after=replace(findings.after, verdict=verdict)), TEXTS))


def test_suppressed_baskets_say_how_many_adversaries_are_surer(tmp_path: Path) -> None:
    (value,) = of_baskets(tmp_path)
    assert (value.measure, value.value, value.about) == ("rho", 0, "rho 50\N{NO-BREAK SPACE}%")


def test_baskets_whose_check_did_not_end_say_nothing(tmp_path: Path) -> None:
    assert of_baskets(tmp_path, complete=False) == []


def test_units_and_directions_are_those_of_the_gate(tmp_path: Path) -> None:
    values = [*of_table(tmp_path, PEOPLE, known=["sex", "age"], sensitive="town"), *of_anonymized(tmp_path)]
    values += of_baskets(tmp_path)
    measures = {name: measure for kind in MEASURES.values() for name, measure in kind.items()}
    for value in values:
        if value.measure in measures:
            assert (value.unit, value.better) == (measures[value.measure].unit, measures[value.measure].better)
