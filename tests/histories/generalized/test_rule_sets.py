"""The rules of contests: the built-in ones, others from TOML, and what is said of bad ones."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.rule_sets import ColumnRule, ContestResult, load_rules

SMALL = """\
name = "small"
most_items = 5
most_characters = 200
p = 0.25
alpha = "1/40"
attacks = 4
[[columns]]
name = "who"
form = "person"
digits = 3
[[columns]]
name = "paid"
form = "decimal"
low = -1.5
high = 2.25
"""


def test_the_rules_of_pwscup_2018_are_built_in() -> None:
    rules = load_rules()
    assert rules == load_rules("pwscup2018")
    assert rules.columns == (
        ColumnRule("customer", "person", digits=9),
        ColumnRule("date", "date", low=14610, high=15339),
        ColumnRule("item", "item"),
        ColumnRule("price", "decimal", low=1, high=9_999_999),
        ColumnRule("quantity", "integer", low=1, high=999_999),
    )
    assert (rules.most_items, rules.most_characters, rules.attacks) == (100, 8000, 20)
    assert (rules.p, rules.alpha) == (Fraction(1, 3), Fraction(1, 2000))
    assert (rules.person, [column.name for column in rules.cell_columns]) == (0, ["date", "item", "price", "quantity"])


def test_the_results_of_all_teams_of_pwscup_2018_are_built_in() -> None:
    results = {result.team: result for result in load_rules().results}
    assert len(results) == 13
    assert {team for team, result in results.items() if result.safe} == {"02", "05", "07", "08", "14"}
    assert all(len(result.measures) == 28 for result in results.values())
    assert (results["10"].utility, results["10"].measures["date_mean"]) == (0.193, 0.272)


def test_results_may_have_a_team_and_measures(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    given = '[[results]]\nteam = "x"\nutility = 0.2\nsafe = true\nmeasures.rows = 3\nmeasures.date = { mean = 0.5 }\n'
    path.write_text(SMALL + "[[results]]\nutility = 1\nsafe = false\n" + given)
    assert load_rules(path).results == (
        ContestResult(1.0, safe=False),
        ContestResult(0.2, safe=True, team="x", measures={"rows": 3.0, "date_mean": 0.5}),
    )


def test_other_rules_come_from_a_toml_file(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    rules = load_rules(str(path))
    assert rules.columns == (
        ColumnRule("who", "person", digits=3),
        ColumnRule("paid", "decimal", low=-150, high=225),
    )
    assert (rules.name, rules.p, rules.alpha, rules.results) == ("small", Fraction(1, 4), Fraction(1, 40), ())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "small"', "", "name is missing"),
        ('name = "small"', "name = 3", "name must be a text"),
        ("most_items = 5", "most_items = 0", "most_items must be a whole number from 1"),
        ("most_items = 5", "most_items = true", "most_items must be a whole number"),
        ("most_items = 5", 'most_items = "5"', "most_items must be a whole number"),
        ("p = 0.25", "p = 1.5", "p must be a probability"),
        ("p = 0.25", 'p = "1/0"', "p must be a probability"),
        ("p = 0.25", 'p = "often"', "p must be a probability"),
        ("p = 0.25", 'p = "1e-999999999"', "p must be a probability"),
        ("attacks = 4", "attacks = 4\nrounds = 2", "unknown key rounds"),
        ("attacks = 4", "attacks = 4\nresults = 3", "results must be a list of tables"),
        ("attacks = 4", "attacks = 4\nresults = [{safe = true}]", r"results\[1\].utility is missing"),
        (
            "attacks = 4",
            "attacks = 4\nresults = [{utility = -1, safe = true}]",
            "utility must be a number of 0 or more",
        ),
        ("attacks = 4", "attacks = 4\nresults = [{utility = nan, safe = true}]", "utility must be a number"),
        ("attacks = 4", "attacks = 4\nresults = [{utility = 0, safe = 1}]", "safe must be true or false, not 1"),
        ("attacks = 4", "attacks = 4\nresults = [{utility = 0, who = 1}]", r"unknown key results\[1\].who"),
        ("attacks = 4", "attacks = 4\nresults = [{utility = 0, safe = true, team = 1}]", "team must be a text, not 1"),
        (
            "attacks = 4",
            "attacks = 4\nresults = [{utility = 0, safe = true, measures = 1}]",
            "measures must be a table, not 1",
        ),
        (
            "attacks = 4",
            "attacks = 4\nresults = [{utility = 0, safe = true, measures.date.mean = inf}]",
            r"results\[1\].measures.date.mean must be a number of 0 or more",
        ),
        ("digits = 3", "digits = 19", r"columns\[1\].digits must be a whole number from 1 to 18"),
        ("digits = 3", "", r"columns\[1\].digits is missing"),
        ("digits = 3", "digits = 3\nlow = 1", r"unknown key columns\[1\].low"),
        ('form = "person"', 'form = "name"', r"columns\[1\].form is 'name', an unknown form"),
        ('form = "person"', 'form = "item"', r"unknown key columns\[1\].digits"),
        ('form = "person"\ndigits = 3', 'form = "item"', "exactly one column of the form person, not 0"),
        ('name = "paid"', 'name = "who"', "columns has two columns of the same name"),
        ("low = -1.5", "low = 1.555", r"columns\[2\].low must be a number of at most .* with at most two decimals"),
        ("low = -1.5", "low = 3", r"columns\[2\].low is above high"),
        ("low = -1.5", 'low = "x"', r"columns\[2\].low must be a number"),
        ('form = "decimal"', 'form = "integer"', r"columns\[2\].low must be a whole number"),
        ('form = "decimal"', 'form = "date"', r"columns\[2\].low must be a date, not -1.5"),
        (
            'form = "decimal"',
            'form = "date"\nseparator = "_"',
            r"columns\[2\].separator is '_', which",
        ),
        ("[[columns]]", "[[columns", "not valid TOML"),
    ],
)
def test_a_bad_rule_is_named_by_its_key(old: str, new: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace(old, new))
    with pytest.raises(OptionNotUsable, match=words) as caught:
        load_rules(path)
    assert "Hint:" in str(caught.value)


def test_rules_without_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL[: SMALL.index("[[")] + "columns = 3\n")
    with pytest.raises(OptionNotUsable, match="columns must be a list of tables"):
        load_rules(path)


def test_unknown_and_unreadable_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match="'pwscup1999' is neither a built-in set of rules nor a file"):
        load_rules("pwscup1999")
    (tmp_path / "rules.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SourceNotReadable, match="Cannot read"):
        load_rules(tmp_path / "rules.toml")
    with pytest.raises(SourceNotReadable, match="Cannot read"):
        load_rules(tmp_path)
