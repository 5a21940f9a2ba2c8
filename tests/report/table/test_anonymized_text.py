"""What is printed of an anonymized table: short, in both languages, and no more than is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import sudare
from sudare.tables.anonymize.publication import AnonymizedTable, anonymize_table
from sudare.tables.attack.results import TableAttack, TableAttacks
from sudare.tables.classes.criteria import Criteria
from sudare.tables.utility.model import ClassifierAccuracy, MarginalMoved, QueriesError, TableUtility

ROWS = [(sex, 20 + 3 * i, disease) for i in range(12) for sex, disease in (("m", "flu"), ("f", "gout"), ("f", "flu"))]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnonymizedTable]:
    path = tmp_path_factory.mktemp("table") / "t.csv"
    path.write_text("sex,age,disease\n" + "".join(f"{sex},{age},{disease}\n" for sex, age, disease in ROWS))
    with sudare.read_table(path) as table:
        yield anonymize_table(table, k=3, sensitive="disease", model="levels", attacks=False, utility=False)


def utility(classifier: ClassifierAccuracy | None = None) -> TableUtility:
    queries = (QueriesError(2, 10, 0.125, 0.1, 0.2, 0.2, 0.5, 1.0),)
    why = None if classifier else "not_installed"
    return TableUtility(36, 36, (MarginalMoved("sex", 0.25),), (), (), queries, classifier, why, 0)


def attacks(*found: TableAttack, targets: int = 36) -> TableAttacks:
    return TableAttacks(found, None, (), None, 36, targets, 7)


ABOVE = TableAttack("inference", ("sex",), "above", "closeness", "disease", success=0.5, limit=0.25, claim="estimated")
NO_SENSITIVE = TableAttack("inference", ("sex",), "not_tried", "no_sensitive")


def test_print_shows_columns_classes_loss_and_settings(made: AnonymizedTable) -> None:
    shown = str(made)
    assert shown.splitlines()[0].endswith("t.csv, anonymized with model levels")
    assert "Asked for: k = 3. Nothing was written, so nothing is claimed yet." in shown
    assert "Nothing was asked for disease: l or t protects sensitive values." in shown
    assert "No attacks were run on this table." in shown
    assert "Settings: loss entropy, suppress 0 %, seed 0; converged in" in shown
    assert "Use:" not in shown


def test_the_kind_of_cells_is_a_setting_of_the_model_with_cells_of_their_own(made: AnonymizedTable) -> None:
    assert "Settings: cells nodes, loss entropy" in replace(made, model="local").text()


def test_k_is_not_said_to_be_asked_for_where_only_a_population_is(made: AnonymizedTable) -> None:
    asked = replace(made, criteria=Criteria(k_map=3, presence=0.5)).text()
    assert "Asked for: k-map = 3, presence = 0.5." in asked
    recursive = replace(made, criteria=Criteria(3, 2, "recursive", 1.5, 0.25)).text()
    assert "Asked for: k = 3, l = 2 (recursive, c = 1.5), t = 0.25." in recursive


def test_a_bound_is_printed_rounded_down_with_its_unit(made: AnonymizedTable) -> None:
    shown = replace(made, bound=1.2599).text()
    assert "Proven: no table of such cells that meets the criteria loses less than 1.25 bits." in shown
    assert "Proven" not in replace(made, bound=None).text()
    assert "Proven" not in replace(made, bound=0.0).text()
    assert "less than 0.0123 in NCP." in replace(made, bound=0.01239, loss_name="ncp").text()


def test_use_is_printed_with_or_without_a_classifier(made: AnonymizedTable) -> None:
    without = replace(made, utility=utility()).text()
    assert "moved by 25.00 % (pairs of columns -); counts of random queries are off by 12.50 % (2 columns)" in without
    assert "pip install 'sudare[learn]'" in without
    accuracy = ClassifierAccuracy("disease", "sensitive", 0.75, 0.625, 0.5, 24, 24, 12)
    shown = replace(made, utility=utility(accuracy)).text()
    assert "is right in 62.50 % of cases (trained on the original: 75.00 %; guessing: 50.00 %)." in shown


def test_attacks_are_printed_with_limit_and_verdict_and_what_to_do_if_one_is_above(made: AnonymizedTable) -> None:
    shown = replace(made, attacks=attacks(ABOVE, targets=20)).text()
    line = next(line for line in shown.splitlines() if line.startswith("inference"))
    assert " ".join(line.replace("│", " ").split()) == (
        "inference of a sensitive value (disease) 50.00 % 25.00 % above (estimated)"
    )
    assert "Records attacked: 20 of 36 (seed 7). Other attacks may reach more." in shown
    assert (
        "To lower what attacks reach: ask for a larger k, for l or t on sensitive columns, or publish fewer columns."
        in shown
    )
    quiet = replace(made, attacks=attacks(NO_SENSITIVE)).text()
    assert "inference" not in quiet
    assert "To lower" not in quiet


def test_an_attack_that_beats_chance_where_nothing_is_promised_says_so(made: AnonymizedTable) -> None:
    member = TableAttack(
        "membership_weight", ("sex",), "beyond", "coin", success=0.6734, limit=0.5, claim="estimated"
    )  # fmt: skip
    shown = " ".join(replace(made, attacks=attacks(member, targets=20)).text().split())
    assert "AUC 0.673 │ AUC 0.500 │ beats chance, nothing promised (estimated)" in shown
    assert "No criterion limits the attacks that beat chance" in shown


def test_the_text_is_there_in_japanese(made: AnonymizedTable) -> None:
    shown = replace(made, bound=1.2599, utility=utility(), attacks=attacks(ABOVE)).text("ja")
    assert "損失は1.25ビットを下回らないことが証明されています。" in shown
    assert "限度超過（推定）" in shown


def test_weights_and_persons_are_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("who,sex\n" + "".join(f"p{i // 2},{'mf'[i // 2 % 2]}\n" for i in range(24)))
    with sudare.read_table(path, person="who") as table:
        made = anonymize_table(table, k=3, model="levels", attacks=False, utility=False)
        shown = made.text()
    assert "24 records in 2 classes: smallest 6 persons, mean 6.0;" in shown
    assert "Not published: who, which identifies persons; classes count persons." in shown
    path.write_text("sex,n\nm,3\nf,4\n")
    with sudare.read_table(path, weight="n") as table:
        made = anonymize_table(table, k=3, model="levels", attacks=False, utility=False)
        assert "Not published: n, the weight; every record has a line of its own." in made.text()
