"""What-ifs, weights, persons and missing values from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

TABLE = "sex,age,town\nm,30,x\nm,30,x\nm,40,x\nf,40,x\nf,40,y\nf,50,y\n"
AGES = "30;young;*\n40;old;*\n50;old;*\n60;old;*\n"
SEXES = "f;*\nm;*\n"
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    files = {"t.csv": TABLE, "more.csv": "sex,age,town\nf,50,y\nf,60,y\n", "levels.csv": "age,1\n", "age.csv": AGES}
    for name, text in {**files, "sex.csv": SEXES, "costs.csv": "sex,1\nage,1\ntown,1\n"}.items():
        (tmp_path / name).write_text(text)
    return lambda *words: CliRunner().invoke(app, ["table", *words])


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


ADDED = ("--what-if-added", "more.csv")
LEVELS = ("--what-if-levels", "levels.csv", "--hierarchy", "age=age.csv")


def test_record(run: Run) -> None:
    found = answer(run("risk", "t.csv", *ADDED, "--json"))
    assert (found["records"], found["uniques"]) == (6, 4)
    what_if = found["what_if"]
    assert (what_if["added"], what_if["levels"], what_if["after"]["records"]) == (2, None, 8)
    # Only (f, 50, y) has company then.
    assert (what_if["moved"]["moved"], what_if["moved"]["no_longer_unique"]) == (1, 1)
    shown = run("risk", "t.csv", *ADDED, *LEVELS).stdout
    assert "What if the 2 records of more.csv are added" in shown
    assert "What if values are generalized to other levels: age 1" in shown
    assert "2 are no longer unique." in shown
    assert "2件のレコードを加えた場合" in run("risk", "t.csv", *ADDED, "--lang", "ja").stdout


def test_subsets(run: Run) -> None:
    found = answer(run("subsets", "t.csv", *LEVELS, "--json"))
    age = next(pair for pair in found["what_if"]["moved"] if pair["attributes"] == ["age"])
    assert (age["max_before"], age["max_after"], age["mean_before"], age["mean_after"]) == (1.0, 0.5, 0.5, 1 / 3)
    assert all("age" in pair["attributes"] for pair in found["what_if"]["moved"])
    shown = run("subsets", "t.csv", *LEVELS, "--top", "2").stdout
    assert "Sets whose risk changes" in shown
    same = run(
        "subsets", "t.csv", "--attributes", "sex,town", "--hierarchy", "sex=sex.csv", "--what-if-levels", "zero.toml"
    )
    assert same.exit_code == 2
    assert "zero.toml" in same.stderr


def test_nothing_moves_at_level_0(run: Run) -> None:
    Path("zero.toml").write_text("sex = 0\n")
    assert "No risk changes." in run("subsets", "t.csv", "--what-if-levels", "zero.toml").stdout


def test_class_sizes_of_all_subsets(run: Run) -> None:
    found = answer(run("subsets", "t.csv", "--attributes", "sex,age", "--class-sizes", "sizes.csv", "--json"))
    assert found["subsets"][1]["class_sizes"] == [
        {"size": 1, "classes": 1, "records": 1},
        {"size": 2, "classes": 1, "records": 2},
        {"size": 3, "classes": 1, "records": 3},
    ]
    lines = Path("sizes.csv").read_text().splitlines()
    assert lines[:3] == ["attributes,size,classes,records,risk", "sex,3,2,6,0.3333333333333333", "age,1,1,1,1.0"]


def test_sample(run: Run) -> None:
    found = answer(run("sample", "t.csv", *ADDED, "--json"))
    assert found["sizes"][0]["mean_risk"]["value"] == pytest.approx(1 / 6)
    assert found["what_if"]["after"]["sizes"][0]["mean_risk"]["value"] == pytest.approx(1 / 8)
    assert run("sample", "t.csv", *ADDED).stdout.count("Mean risk of sets") == 2


def test_disclosable(run: Run) -> None:
    found = answer(run("disclosable", "t.csv", "--limit", "0.5", *LEVELS, "--json"))
    assert found["maximal"] == [["sex"], ["town"]]
    # Young are two, old four: age can be given out with nothing else (a young or old f/m: old m is one).
    assert found["what_if"]["after"]["maximal"] == [["age", "town"], ["sex"]]
    # The town alone can still be given out, as a part of the larger set; its risk is as before, one of two.
    assert (found["what_if"]["entered"], found["what_if"]["left"]) == ([["age", "town"], ["age"]], [])
    assert (found["what_if"]["moved"], found["what_if"]["complete"]) == ([], True)
    shown = run("disclosable", "t.csv", "--limit", "0.5", *LEVELS).stdout
    assert "Added (2): age + town; age" in shown
    assert "Dropped (0): -" in shown
    assert "The sets that stay keep their risk." in shown


def test_disclosable_lists_sets_that_stay_with_another_risk(run: Run) -> None:
    words = ("disclosable", "t.csv", "--limit", "0.5", *ADDED)
    # Two more f in y: there are four of each town then, and five f beside the three m.
    found = answer(run(*words, "--json"))["what_if"]
    assert (found["entered"], found["left"]) == ([], [])
    moves = {tuple(pair["attributes"]): (pair["max_before"], pair["max_after"]) for pair in found["moved"]}
    assert moves == {("town",): (1 / 2, 1 / 4), ("sex",): (1 / 3, 1 / 3)}
    assert "Sets that stay, with a different risk" in run(*words).stdout
    every = answer(run(*words, "--all", "--json"))["what_if"]["moved"]
    assert [pair["attributes"] for pair in every if not pair["attributes"]] == [[]]


def test_added_records_are_counted_by_their_weights(run: Run) -> None:
    Path("w.csv").write_text("a,n\nx,3\ny,2\n")
    Path("v.csv").write_text("a,n\nx,10\nz,20\n")
    found = answer(run("risk", "w.csv", "--weight", "n", "--what-if-added", "v.csv", "--json"))["what_if"]
    assert (found["added"], found["after"]["records"]) == (30, 35)


def test_dangerous(run: Run) -> None:
    found = answer(run("dangerous", "t.csv", "--factor", "2.5", *LEVELS, "--json"))
    # (40, y) is one record, of three aged 40; at level 1 it is one of two old ones in y.
    assert [entry["attributes"] for entry in found["sets"]] == [["sex", "town"], ["sex", "age"], ["age", "town"]]
    assert (found["what_if"]["entered"], found["what_if"]["left"]) == ([], [["age", "town"]])
    shown = run("dangerous", "t.csv", "--factor", "3", *LEVELS).stdout
    assert "Added (1): sex + age" in shown
    assert "Dropped (0): -" in shown


def test_dangerous_tells_what_becomes_of_each_rise(run: Run) -> None:
    words = ("dangerous", "t.csv", "--factor", "2.5", *LEVELS, "--record-risks", "r.csv")
    moved = answer(run(*words, "--json"))["what_if"]["moved"]
    # (40, y) is one record, of three aged 40: 3; at level 1 one of two, of four in x. (m, old) is one, of four old.
    assert {tuple(m["attributes"]): (m["before"], m["after"], m["difference"]) for m in moved} == {
        ("age", "town"): (3.0, 2.0, -1.0),
        ("sex", "age"): (3.0, 4.0, 1.0),
    }
    shown = run(*words).stdout
    assert "Sets whose largest rise changes" in shown
    assert "-1.0000" in shown
    assert "+1.0000" in shown
    lines = Path("r.csv").read_text().splitlines()
    assert lines[0].endswith("rise,class_size_after,risk_after,rise_after,risk_difference,rise_difference")
    assert "age + town,5,1,1.0,3.0,2,0.5,2.0,-0.5,-1.0" in lines


def test_record_writes_both_risks_of_each_record(run: Run) -> None:
    run("risk", "t.csv", "--known", "sex,age", *LEVELS, "--record-risks", "r.csv")
    lines = Path("r.csv").read_text().splitlines()
    assert lines[0] == "record,sex,age,class_size,risk,class_size_after,risk_after,risk_difference"
    # f, 50 is as old as f, 40.
    assert lines[6].startswith("6,f,50,1,1.0,3,0.333")


def test_affordable(run: Run) -> None:
    words = ("affordable", "t.csv", "--costs", "costs.csv", "--budget", "1", *LEVELS)
    moved = answer(run(*words, "--json"))["what_if"]["moved"]
    assert [(pair["attributes"], pair["max_before"], pair["max_after"]) for pair in moved] == [(["age"], 1.0, 0.5)]
    assert "Highest risk, after" in run(*words).stdout


def test_levels(run: Run) -> None:
    words = ("levels", "t.csv", "--hierarchies", ".", "--known", "age,sex", "--limit", "0.5")
    found = answer(run(*words, "--json"))
    assert found["minimal"] == [{"age": 1, "sex": 1}, {"age": 2, "sex": 0}]
    # From level 1 of age on the same choices are left, and level 2 of age is no other.
    after = answer(run(*words, "--what-if-levels", "levels.csv", "--json"))["what_if"]
    assert after["after"]["minimal"] == found["minimal"]
    assert (after["entered"], after["left"], after["after"]["highest"]) == ([], [], {"age": 2, "sex": 1})
    more = answer(run(*words, *ADDED, "--json"))["what_if"]
    assert more["after"]["records"] == 8
    assert "Added (0): -" in run(*words, *ADDED).stdout


def test_the_json_of_levels_is_a_file_of_levels(run: Run) -> None:
    words = ("levels", "t.csv", "--hierarchies", ".", "--known", "age,sex", "--limit", "0.5", "--json")
    Path("found.json").write_text(run(*words).stdout)
    found = answer(
        run("risk", "t.csv", "--known", "age,sex", "--what-if-levels", "found.json", "--hierarchies", ".", "--json")
    )
    assert found["what_if"]["after"]["max_risk"] <= 0.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--what-if-levels", "levels.csv"), "'age' has no level 1"),
        (("--what-if-levels", "none.csv"), "There is no file none.csv"),
        (("--what-if-added", "none.csv"), "none.csv"),
        (("--what-if-added", "age.csv"), "age.csv has no attribute 'sex'"),
        (("--hierarchy", "agee=age.csv", "--what-if-levels", "levels.csv"), "Did you mean age"),
        (("--missing", "?"), "--missing: the value must be value or any"),
        (("--person", "whose"), "t.csv has no attribute 'whose'"),
    ],
)
def test_what_cannot_be_done_is_told(run: Run, words: tuple[str, ...], message: str) -> None:
    result = run("risk", "t.csv", *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_weights_persons_and_missing_values(run: Run) -> None:
    Path("w.csv").write_text("who,a,n\np,1,2\nq,?,1\np,3,1\n")
    assert answer(run("risk", "w.csv", "--weight", "n", "--known", "a", "--json"))["records"] == 4
    assert answer(run("risk", "w.csv", "--person", "who", "--known", "a", "--json"))["uniques"] == 3
    words = ("risk", "w.csv", "--attributes", "a", "--missing-value", "?", "--missing", "any", "--json")
    assert answer(run(*words))["max_risk"] == 0.5


def test_remarks_on_columns(run: Run) -> None:
    Path("c.csv").write_text("id,country\n1,JP\n2,JP\n")
    told = run("risk", "c.csv").stderr
    assert "Note: id is different in every record" in told
    assert "Note: country is the same in all records" in told


@pytest.mark.parametrize("words", [(), ("--walk", "engine"), ("--walk", "sample", "--sample-records", "9")])
def test_names_that_differ_by_case_alone_are_told_whichever_way_is_walked(run: Run, words: tuple[str, ...]) -> None:
    Path("c.csv").write_text("who,town\nann,Nara\nAnn,nara\nbob,Kobe\n")
    told = run("subsets", "c.csv", "--person", "who", *words).stderr
    assert "Column who: 1 name differs from another only by upper and lower case" in told
    assert "Column town: 1 name differs from another only by upper and lower case" in told


def test_how_added_records_were_read_is_told(run: Run) -> None:
    Path("c.csv").write_text("sex,town\nm,Nara\nf,Kobe\n")
    Path("more.csv").write_text("sex;town\nm;nara\nｆ;Kobe\n")
    told = run("risk", "c.csv", "--what-if-added", "more.csv").stderr
    assert "Read more.csv: CSV, 2 rows, encoding utf-8, delimiter semicolon, header yes" in told
    assert "Column sex: 1 cell normalized to Unicode NFKC" in told
    assert "Both files together, column town: 1 name differs from another only by upper and lower case" in told
