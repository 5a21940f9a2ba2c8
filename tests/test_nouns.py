"""The three nouns: they take any source, hand their questions on to the functions, and publish what was made."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import sudare
from sudare.results import Result

PURCHASES = """\
CustomerID,Day,Item,Price,Quantity
a,2024-01-05,tea,3.50,1
b,2024-01-05,tea,3.50,2
c,2024-01-06,rice,9.00,1
d,2024-01-06,rice,9.00,1
a,2024-02-01,soap,2.00,1
b,2024-02-01,soap,2.00,1
"""
PEOPLE = "sex,age,town\nm,30,x\nm,30,x\nf,41,x\nf,42,y\nm,30,y\nf,41,y\n"
BASKETS = "bread milk\nbread milk medicine\nbread\nmilk medicine\n"

# The function that each method hands its question on to.
FUNCTIONS: dict[type, dict[str, Callable[..., Any]]] = {
    sudare.History: {
        "attackers": sudare.histories.assess_attackers,
        "knowledge": sudare.histories.assess_knowledge,
        "persons": sudare.histories.assess_persons,
        "values": sudare.histories.most_identifying,
        "risks": sudare.histories.customer_risks,
        "visits": sudare.histories.list_visits,
        "anonymize": sudare.histories.anonymize_rows,
    },
    sudare.Table: {
        "risk": sudare.tables.assess_records,
        "contributions": sudare.tables.attribute_contributions,
        "diversity": sudare.tables.sensitive_diversity,
        "subsets": sudare.tables.assess_subsets,
        "sample": sudare.tables.sample_subsets,
        "disclosable": sudare.tables.disclosable_sets,
        "dangerous": sudare.tables.dangerous_sets,
        "affordable": sudare.tables.affordable_sets,
        "population": sudare.tables.population_risk,
        "levels": sudare.tables.find_levels,
        "report": sudare.tables.write_table_report,
    },
    sudare.Baskets: {
        "check": sudare.baskets.check_baskets,
        "suppress": sudare.baskets.suppress_baskets,
        "verify": sudare.baskets.verify_baskets,
        "utility": sudare.baskets.basket_utility,
        "itemsets": sudare.baskets.frequent_itemsets,
        "rules": sudare.baskets.association_rules,
        "km": sudare.baskets.check_km_anonymity,
    },
}
QUESTIONS = [(kind, name) for kind, names in FUNCTIONS.items() for name in names]
# Where a noun chooses for its user what the function leaves open.
OWN_DEFAULTS = {("Table", "sample", "samples"), ("Table", "levels", "hierarchies")}


@pytest.mark.parametrize(("kind", "name"), QUESTIONS, ids=lambda value: getattr(value, "__name__", value))
def test_a_question_has_the_words_and_defaults_of_its_function(kind: type, name: str) -> None:
    asked = dict(list(inspect.signature(getattr(kind, name)).parameters.items())[1:])
    answered = inspect.signature(FUNCTIONS[kind][name]).parameters
    assert asked.keys() <= answered.keys()
    for word, parameter in asked.items():
        if (kind.__name__, name, word) not in OWN_DEFAULTS:
            assert parameter.default == answered[word].default, word


@pytest.fixture
def purchases(tmp_path: Path) -> Path:
    (tmp_path / "purchases.csv").write_text(PURCHASES)
    return tmp_path / "purchases.csv"


@pytest.fixture(params=["path", "pandas", "polars", "pyarrow"])
def any_source(request: pytest.FixtureRequest, purchases: Path) -> object:
    frames: dict[str, Callable[[], object]] = {
        "path": lambda: purchases,
        "pandas": lambda: pandas.read_csv(purchases),
        "polars": lambda: polars.read_csv(purchases),
        "pyarrow": lambda: pyarrow.Table.from_pandas(pandas.read_csv(purchases)),
    }
    return frames[request.param]()


def test_a_history_of_any_source_is_assessed_anonymized_attacked_and_reported(
    any_source: object, purchases: Path, tmp_path: Path
) -> None:
    with sudare.read_history(any_source) as history, sudare.read_history(purchases) as other:
        assert history.cells().digest() == other.cells().digest()
        assert history.attackers().to_dict() == other.attackers().to_dict()
        safe = history.anonymize(k=2, fast=True, rounds=3)
        assert safe.to_dict()["utility"] == other.anonymize(k=2, fast=True, rounds=3).utility
        assert safe.publish(tmp_path / "published.csv") == 6 - safe.found.deleted_rows
        safe.write_aligned(tmp_path / "A.csv")
        assert (tmp_path / "A.csv").stat().st_mode & 0o777 == 0o600
        safe.report(tmp_path / "safe.html")
        history.report(tmp_path / "history.html")
        assert safe.attackers().attackers[6].after <= safe.attackers().attackers[6].before
        assert len(history.attack(safe.history).pids) >= 0
    assert (tmp_path / "safe.html").read_text().count("<section") > 3


def test_exact_cells_are_a_history_too(purchases: Path) -> None:
    with sudare.read_history(purchases) as history, sudare.read_history(history.cells()) as again:
        measured = [[risk.measured for risk in noun.attackers().attackers] for noun in (history, again)]
        assert measured[0] == measured[1]
        assert again.cells() is history.cells()


def test_rows_of_a_file_that_has_changed_are_refused(purchases: Path) -> None:
    with sudare.read_history(purchases) as history:
        purchases.write_text(PURCHASES + "e,2024-03-01,tea,3.50,1\n")
        with pytest.raises(sudare.SourceNotReadable, match=r"purchases\.csv has changed since it was read"):
            history.cells()


def test_an_attack_that_was_not_tried_is_said_not_to_be(purchases: Path) -> None:
    with sudare.read_history(purchases) as history:
        untried = history.anonymize(k=2, fast=True, rounds=3, attacks=False)
        assert untried.to_dict()["attacks"] is None
        assert repr(untried).endswith("attacks=not_tried)")
        with pytest.raises(sudare.OptionNotUsable, match="either k or mean_limit"):
            history.anonymize()


@pytest.mark.parametrize("frame", [pandas.read_csv, polars.read_csv, lambda path: path])
def test_a_table_answers_and_publishes(frame: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "costs.csv").write_text("sex,1\nage,2\ntown,1\n")
    with sudare.read_table(frame(tmp_path / "people.csv")) as table:
        assert table.risk(known=["sex", "age"]).max_risk == 1
        assert table.risk(known=["sex", "age"]) == sudare.tables.assess_records(table, ["sex", "age"])
        found = table.disclosable(limit=0.5, costs=tmp_path / "costs.csv")
        assert found == table.disclosable(limit=0.5, costs={"sex": 1, "age": 2, "town": 1})
        assert [row.attributes for row in table.subsets(limit=0.5).ranked(most=1)]
        written = table.levels(limit=0.5).publish(tmp_path / "safe.csv")
        assert written.max_risk <= 0.5
        table.levels(limit=0.5).report(tmp_path / "levels.html")
        table.report(tmp_path / "table.html", known=["sex", "age"])
        assert table.affordable(tmp_path / "costs.csv", budget=2).to_rows()
        with pytest.raises(sudare.ColumnNotFound, match="shoe"):
            table.risk(known=["shoe"])


def test_baskets_are_suppressed_published_verified_and_reported(tmp_path: Path) -> None:
    (tmp_path / "visits.txt").write_text(BASKETS)
    with sudare.read_baskets(tmp_path / "visits.txt") as baskets:
        assert not baskets.check(rho=0.5, sensitive="item:medicine").safe
        safe = baskets.suppress(rho=0.5, sensitive="item:medicine")
        certificate = safe.publish(tmp_path / "safe.txt")
        assert certificate.claim
        safe.report(tmp_path / "report.html")
        published = sudare.read_baskets(tmp_path / "safe.txt", allow_empty=True)
        again = baskets.verify(
            published, rho=0.5, sensitive="item:medicine", certificate=tmp_path / "safe.txt.certificate.json"
        )
        assert again.holds
        again.report(tmp_path / "verified.html")
        assert baskets.km(k=2, m=1).anonymous
        assert len(baskets.itemsets(2)) == 5
        assert baskets.rules(2, 0.5).rules
        assert baskets.utility(published).to_dict()
        baskets.write(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == "bread milk\nbread medicine milk\nbread\nmedicine milk\n"


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_what_was_found_comes_out_as_a_frame(backend: Any, purchases: Path) -> None:
    with sudare.read_history(purchases) as history:
        frame = history.attackers(knowledge=["day + item*2"]).to_frame(backend)
    assert type(frame).__module__.partition(".")[0] in (backend, "pyarrow")
    assert len(frame) == 11


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda noun: noun.attackers(seed="x"), TypeError, "seed"),
        (lambda noun: noun.attackers(weighting="x"), sudare.OptionNotUsable, "weighting"),
        (lambda noun: noun.knowledge(5), TypeError, "knowledge"),
        (lambda noun: noun.anonymize(k=1.5), TypeError, "k"),
        (lambda noun: noun.anonymize(k=2, seconds=-1), sudare.OptionNotUsable, "seconds"),
        (lambda noun: noun.report(5), TypeError, "path"),
        (lambda noun: noun.attack("x"), TypeError, "published"),
    ],
)
def test_a_wrong_argument_is_named(
    wrong: Callable[[sudare.History], object], error: type[Exception], words: str, purchases: Path
) -> None:
    with sudare.read_history(purchases) as history, pytest.raises(error, match=words):
        wrong(history)


def test_a_closed_noun_says_so(purchases: Path) -> None:
    history = sudare.read_history(purchases)
    history.close()
    with pytest.raises(sudare.InputError, match="closed"):
        history.attackers()


def test_answers_are_results(purchases: Path) -> None:
    with sudare.read_history(purchases) as history:
        assert isinstance(history.anonymize(k=2, fast=True, rounds=1), Result)
        assert "Attacker" in str(history.attackers()) or "attacker" in str(history.attackers())
        assert "<table" in history.attackers()._repr_html_()


def test_a_function_of_cells_that_is_given_a_history_says_how_to_get_them(purchases: Path) -> None:
    with sudare.read_history(purchases) as history:
        with pytest.raises(TypeError, match=r"Hint: its cells\(\) gives one\."):
            sudare.histories.anonymize_history(history, 2)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"Hint: sudare\.read_history makes one\."):
            sudare.histories.assess_attackers(history.cells())  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"Hint: sudare\.histories\.read_original makes one\."):
            sudare.histories.anonymize_history("x", 2)  # type: ignore[arg-type]
