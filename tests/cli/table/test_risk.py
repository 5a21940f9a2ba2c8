import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

TABLE = "sex;age;town\nm;30;x\nm;30;x\nm;40;x\nf;40;x\nf;40;y\nf;50;y\n"
Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["table", *(str(word) for word in words)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text(TABLE)
    return tmp_path / "table.csv"


def test_record_shows_summary_and_curve(run: Run, file: Path, tmp_path: Path) -> None:
    result = run("risk", file, "--known", "sex, age", "--limit", "0.5", "--record-risks", tmp_path / "r.csv")
    assert f"{tmp_path / 'r.csv'} tells about single people: keep it secret." in result.stderr
    assert result.exit_code == 0, result.output
    assert "6 records in 4 classes of equal records; the smallest class has 1." in result.stdout
    assert "Highest risk: 100 %; mean risk: 66.67 %. Unique records: 2 (33.33 %)." in result.stdout
    assert "33.33 % of the records have a risk above 50 %." in result.stdout
    assert (tmp_path / "r.csv").read_text().count("\n") == 7


def test_a_table_of_one_column_is_not_told_what_a_history_needs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("sex\nm\nf\n")
    result = run("risk", tmp_path / "one.csv")
    assert result.exit_code == 2
    assert "A table has at least two columns" in result.stderr


def test_record_shows_what_classes_give_away(run: Run, file: Path) -> None:
    result = run("risk", file, "--known", "sex", "--sensitive", "town")
    assert (
        "town: every class has at least 3 records (k), at least 1 different values (l; 1.00 by entropy)"
        in result.stdout
    )
    found = json.loads(run("risk", file, "--sensitive", "town", "--json").stdout)
    assert found["attributes"] == ["sex", "age"]
    assert found["diversity"]["revealed"] == 4


def test_record_prints_json(run: Run, file: Path) -> None:
    found = json.loads(run("risk", file, "--known", "sex", "--json").stdout)
    assert (found["classes"], found["max_risk"], found["uniques"]) == (2, 1 / 3, 0)
    assert found["class_sizes"] == [{"size": 3, "classes": 2, "records": 6}]


def test_subsets_show_the_most_risky_sets_first(run: Run, file: Path, tmp_path: Path) -> None:
    result = run("subsets", file, "--top", "2", "-o", tmp_path / "sets.parquet")
    assert result.exit_code == 0, result.output
    assert "Risk of 7 sets of 3 attributes on 6 records" in result.stdout
    assert "2 of 7 sets are shown" in result.stdout
    assert (tmp_path / "sets.parquet").exists()


def test_subsets_print_json(run: Run, file: Path) -> None:
    found = json.loads(run("subsets", file, "--attributes", "sex,age", "--json").stdout)
    assert [entry["attributes"] for entry in found["subsets"]] == [["sex"], ["age"], ["sex", "age"]]


def test_subsets_say_how_they_were_gone_through(run: Run, file: Path, tmp_path: Path) -> None:
    assert "measured in memory, on 5 distinct rows. All numbers are exact." in run("subsets", file).stdout
    engine = run("subsets", file, "--walk", "engine", "--class-sizes", tmp_path / "sizes.csv").stdout
    assert "on the engine, where the 5 distinct rows stay. All numbers are exact." in engine
    few = " ".join(run("subsets", file, "--min-cell", "3").stdout.split())
    assert "Counts below 3 were merged before they left the engine, so that no risk is shown too low." in few
    told = json.loads(run("subsets", file, "--walk", "engine", "--json").stdout)
    assert told.pop("walk") == {"how": "engine", "decided_by": "request", "distinct_rows": 5}
    plain = json.loads(run("subsets", file, "--json").stdout)
    assert plain.pop("walk") == {"how": "memory", "decided_by": "size", "distinct_rows": 5}
    assert told == plain


def test_subsets_estimated_from_a_sample_have_intervals(run: Run, file: Path, tmp_path: Path) -> None:
    words = ("subsets", file, "--walk", "sample", "--sample-records", "2000", "--seed", "1", "--limit", "0.4")
    shown = " ".join(run(*words, "-o", tmp_path / "sets.csv").stdout.split())
    assert "Estimated from 2,000 records drawn at random (seed 1); the 5 distinct rows stay on the engine." in shown
    told = json.loads(run(*words, "--json").stdout)
    assert told["walk"]["how"] == "sample"
    assert 0 < told["walk"]["error"] < 0.1
    sex = told["subsets"][0]
    assert sex["intervals"]["mean_risk"][0] <= 1 / 3 <= sex["intervals"]["mean_risk"][1]
    header, first = (tmp_path / "sets.csv").read_text().splitlines()[:2]
    assert header.startswith("attributes,size,max_risk_at_least,mean_risk,uniques,")
    assert "Classes" not in shown
    assert header.endswith(
        "share_above,mean_risk_low,mean_risk_high,uniques_low,uniques_high,share_above_low,share_above_high"
    )
    assert first.startswith("sex,1,0.")


def test_disclosable_shows_maximal_sets_and_what_is_over_the_limit(run: Run, file: Path) -> None:
    result = run("disclosable", file, "--limit", "0.5")
    assert result.exit_code == 0, result.output
    assert any(line.startswith("sex ") and "33.33 %" in line for line in result.stdout.splitlines())
    assert "Smallest sets that exceed it (2): age; sex + town" in result.stdout
    assert "nothing can be disclosed" in run("disclosable", file, "--limit", "0.5", "--known", "age").stdout


def test_disclosable_says_how_many_records_a_quantile_leaves_above_the_limit(run: Run, file: Path) -> None:
    shown = run("disclosable", file, "--limit", "0.3", "--quantile", "0.5").stdout
    title = shown.splitlines()[0]
    assert title.startswith("Sets of attributes that can be disclosed: at most 3 of the records (50.00 %) have a risk")
    assert title.endswith("above 30 % (classes of fewer than 4)")
    assert "no risk above" not in shown
    refused = run("disclosable", file, "--limit", "0.3", "--quantile", "0.9", "--known", "age").stdout
    assert "What is known already exceeds the limit: nothing can be disclosed." in refused


def test_a_limit_is_shown_as_it_was_asked_for(run: Run, file: Path) -> None:
    assert "no risk above 33.334 % (classes of 3 or more)" in run("disclosable", file, "--limit", "0.33334").stdout
    assert "no risk above 0.001 %" in run("disclosable", file, "--limit", "0.00001").stdout


def test_where_every_set_can_be_disclosed_that_is_said(run: Run, file: Path) -> None:
    assert "Smallest sets that exceed it (0): -" in run("disclosable", file, "--limit", "1").stdout


def test_disclosable_prints_json(run: Run, file: Path) -> None:
    found = json.loads(run("disclosable", file, "--limit", "0.5", "--all", "--json").stdout)
    assert found["maximal"] == [["sex"], ["town"]]
    assert found["complete"] is True


def test_sample_estimates_the_risk_by_size(run: Run, file: Path) -> None:
    found = json.loads(run("sample", file, "--sets", "40", "--seed", "1", "--json").stdout)
    assert [entry["size"] for entry in found["sizes"]][-1] == 3
    result = run("sample", file, "--sets", "40", "--by", "uniform")
    assert result.exit_code == 0, result.output
    assert "Mean risk of sets of attributes by their size, from 40 sets (seed 0)" in result.stdout


def test_dangerous_shows_the_largest_rise_first(run: Run, file: Path) -> None:
    # The fourth record: three like it by sex, four by town, one by both.
    found = json.loads(run("dangerous", file, "--size", "2", "--factor", "3", "--json").stdout)
    assert found["sets"] == [{"attributes": ["sex", "town"], "records": 1, "max_factor": 4.0}]
    assert "1 of 3 sets of 2 attributes" in run("dangerous", file, "--size", "2", "--factor", "3").stdout


def test_affordable_shows_what_the_budget_buys(run: Run, file: Path) -> None:
    costs = file.parent / "costs.csv"
    costs.write_text("attribute,cost\nsex,1\nage,3\ntown,2\nage+town,4\n")
    found = json.loads(run("affordable", file, "--costs", costs, "--budget", "4", "--json").stdout)
    assert {tuple(entry["attributes"]): entry["cost"] for entry in found["maximal"]} == {
        ("sex", "town"): 3,
        ("sex", "age"): 4,
        ("age", "town"): 4,
    }
    assert "What an attacker can learn for 4" in run("affordable", file, "--costs", costs, "--budget", "4").stdout


def test_costs_are_shown_where_they_are_asked_for(run: Run, file: Path) -> None:
    costs = file.parent / "costs.csv"
    costs.write_text("attribute,cost\nsex,1\nage,3\ntown,2\nage+town,4\n")
    asked = ("--costs", costs)
    shown = run("risk", file, "--known", "sex,age", *asked, "--budget", "3", "--sort", "cost").stdout
    assert "Learning this costs the attacker 4, which is more than the budget." in shown
    found = json.loads(run("risk", file, *asked, "--budget", "5", "--json").stdout)
    assert (found["cost"], found["affordable"]) == (5, True)
    assert {entry["attribute"]: entry["cost"] for entry in found["without"]} == {"sex": 4, "age": 3, "town": 4}
    shown = run("disclosable", file, "--limit", "0.5", *asked, "--budget", "3").stdout
    assert "age (cost 3); sex + town (cost 3)" in shown
    assert "maximal sets left out because they cost more: 0" in " ".join(shown.split())
    found = json.loads(run("dangerous", file, "--factor", "2", *asked, "--sort", "cost", "--json").stdout)
    assert [entry["cost"] for entry in found["sets"]] == [3, 4, 4]
    assert "Only sets that cost 3 or less count." in run("dangerous", file, *asked, "--budget", "3").stdout
    refused = run("dangerous", file, "--budget", "3")
    assert (refused.exit_code, "needs the costs" in refused.stderr) == (2, True)


def test_dangerous_writes_the_records_of_its_sets(run: Run, file: Path) -> None:
    out = file.parent / "records.csv"
    result = run("dangerous", file, "--factor", "3", "--record-risks", out)
    assert out.read_text().splitlines() == ["attributes,record,class_size,risk,rise", "sex + town,4,1,1.0,4.0"]
    assert f"{out} tells about single people: keep it secret." in result.stderr


def test_drawn_sets_say_how_sure_they_are(run: Run, file: Path) -> None:
    shown = " ".join(run("dangerous", file, "--factor", "2", "--sets", "2").stdout.split())
    assert "among 2 drawn of 3 sets of 2 attributes" in shown
    assert "with 95 % confidence between 0 % and 100 %. No set raises the risk of a record by a factor above 4" in shown
    costs = file.parent / "costs.csv"
    costs.write_text("sex,1\nage,1\ntown,1\n")
    words = ("affordable", file, "--costs", costs, "--budget", "1", "--sets", "2")
    shown = " ".join(run(*words).stdout.split())
    assert "There are 3 maximal sets, too many to measure all. These are among 2 drawn" in shown
    assert "riskier than the riskiest drawn is at most 77.64 %." in shown
    assert json.loads(run(*words, "--json").stdout)["estimate"]["maximal"] == 3


def test_levels_choose_and_write_the_best(run: Run, file: Path) -> None:
    folder = file.parent
    (folder / "h_age.csv").write_text("30;30-40;*\n40;30-40;*\n50;50;*\n")
    (folder / "h_sex.csv").write_text("m;*\nf;*\n")
    words = ["--hierarchies", folder, "--limit", "0.5", "--known", "sex,age"]
    found = json.loads(run("levels", file, *words, "--json").stdout)
    assert found["best"] == {"sex": 0, "age": 2}
    assert {"loss", "suppressed", "minimal", "evaluated", "nodes"} <= found.keys()
    result = run("levels", file, *words, "-o", folder / "out.csv")
    assert result.exit_code == 0, result.output
    assert (folder / "out.csv").read_text().splitlines() == ["sex,age", *["f,*"] * 3, *["m,*"] * 3]
    shown = " ".join(result.stdout.split())
    assert "Records in the file: 6. Columns: sex, age." in shown
    assert "Columns of the source left out of the file: town." in shown
    assert "unique records: 0; highest risk 33.33 %, mean risk 33.33 %" in shown


def test_levels_write_the_choice_that_is_named(run: Run, file: Path) -> None:
    folder = file.parent
    (folder / "h_age.csv").write_text("30;30-40;*\n40;30-40;*\n50;50;*\n")
    (folder / "h_sex.csv").write_text("m;*\nf;*\n")
    words = ["levels", file, "--hierarchies", folder, "--limit", "0.5", "--known", "sex,age"]
    minimal = json.loads(run(*words, "--json").stdout)["minimal"]
    result = run(*words, "--choice", "1", "-o", folder / "out.csv")
    assert "  1: sex 0, age 2" in result.stdout
    assert (folder / "out.csv").read_text().splitlines()[1:] == ["f,*"] * 3 + ["m,*"] * 3
    found = json.loads(run(*words, "--choice", "sex=1, age=2", "-o", folder / "other.csv", "--json").stdout)
    assert minimal == [{"sex": 0, "age": 2}]
    assert found["written"]["levels"] == {"sex": 1, "age": 2}
    assert (folder / "other.csv").read_text().splitlines()[1:] == ["*,*"] * 6
    text = run(*words, "--choice", "sex=1,age=2", "-o", folder / "other.parquet").stdout
    assert "Written at the chosen levels: sex 1, age 2. Records left out there: 0 (0 %)." in " ".join(text.split())
    for choice, message in (
        ("2", "numbered from 1 to 1"),
        ("age", "neither a number nor a list of levels"),
        ("0", "There is no choice 0"),
    ):
        result = run(*words, "--choice", choice, "-o", folder / "no.csv")
        assert (result.exit_code, message in result.stderr) == (2, True), result.output
        assert not (folder / "no.csv").exists()
    assert "--choice chooses what is written" in run(*words, "--choice", "1").stderr


def test_levels_of_too_many_choices_say_how_far_from_the_best_they_can_be(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = file.parent
    (folder / "h_age.csv").write_text("30;30-40;*\n40;30-40;*\n50;50;*\n")
    (folder / "h_sex.csv").write_text("m;*\nf;*\n")
    words = ["levels", file, "--hierarchies", folder, "--limit", "0.5", "--known", "sex,age"]
    monkeypatch.setattr("sudare.tables.anonymize.levels.MOST_NODES", 0)
    shown = run(*words).stdout
    assert "too many to settle all" in shown
    assert "It is proven that no other choice of levels within the limit loses less." in shown
    monkeypatch.setattr("sudare.tables.anonymize.bounded_search.MOST_IN_BLOCK", 0)
    shown = run(*words, "--seconds", "1e-9").stdout
    assert "loses less than 0: at most 100 % of this loss could be avoided." in shown
    found = json.loads(run(*words, "--seconds", "1e-9", "--json").stdout)
    assert (found["complete"], found["bound"], found["gap"], found["safe_choices"]) == (False, 0, 1, None)


@pytest.fixture
def members(tmp_path: Path) -> Path:
    """Forty members, two of each age, with all that a shop knows of them."""
    family = ("Sato", "Suzuki", "Takahashi", "Tanaka")
    rows = [f"{family[n % 4]} {chr(65 + n // 4)},m{n}@example.org,090-1234-{1000 + n},{20 + n // 2}" for n in range(40)]
    (tmp_path / "members.csv").write_text("name,contact,call,age\n" + "\n".join(rows) + "\n")
    (tmp_path / "h").mkdir()
    lines = (f"{age};{age // 10}0s;*" for age in range(20, 40))
    (tmp_path / "h" / "age.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "members.csv"


def test_levels_do_not_write_what_was_not_made_safe(run: Run, members: Path) -> None:
    out = members.parent / "out.csv"
    words = ("levels", members, "--hierarchies", members.parent / "h", "--limit", "0.2", "-o", out)
    # With a hierarchy of one attribute alone, the others stay as they are: nothing is safe.
    result = run(*words)
    assert result.exit_code == 3
    assert not out.exists()
    shown = " ".join(result.stdout.split())
    assert shown.startswith("These columns look like identifiers: name (")
    assert "contact (e-mail addresses), call (telephone numbers)" in shown
    assert "Even the highest levels are not safe. In the way, perhaps among others: name, contact, call." in shown
    assert "Nothing was written" in result.stderr
    told = json.loads(run(*words, "--json").stdout)
    assert (told["best"], told["written"], told["known"]) == (None, None, ["name", "contact", "call", "age"])
    assert [entry["attribute"] for entry in told["identifiers"]] == ["name", "contact", "call"]

    found = json.loads(run(*words, "--known", "age", "--json").stdout)
    assert out.read_text().splitlines()[:2] == ["age", "20s"]
    assert found["written"]["left_out"] == ["name", "contact", "call"]
    assert (found["written"]["uniques"], found["written"]["max_risk"]) == (0, 1 / 20)


def test_levels_name_every_column_of_the_source_that_is_left_out(run: Run, members: Path) -> None:
    out = members.parent / "out.csv"
    words = ("levels", members, "--hierarchies", members.parent / "h", "--limit", "0.2", "-o", out)
    shown = " ".join(run(*words, "--attributes", "age").stdout.split())
    assert "Columns of the source left out of the file: name, contact, call." in shown
    found = json.loads(run(*words, "--attributes", "age,call", "--known", "age", "--person", "name", "--json").stdout)
    assert found["written"]["left_out"] == ["call", "name", "contact"]


def test_levels_tell_the_rows_and_the_weights_of_a_file(run: Run, members: Path) -> None:
    weighted = members.parent / "weighted.csv"
    weighted.write_text("age,n\n20,3\n21,4\n30,5\n31,\n".replace("31,", ",6"))
    words = ("levels", weighted, "--hierarchies", members.parent / "h", "--weight", "n", "--limit", "0.2")
    for rule, told in (("value", "as a value of its own"), ("any", "as equal to any other (--missing any)")):
        result = run(*words, "--missing", rule, "-o", members.parent / "out.csv")
        shown = " ".join(result.stdout.split())
        rows = len((members.parent / "out.csv").read_text().splitlines()) - 1
        assert f"Rows in the file: {rows}, for 18 records. Columns: age, and n, the number of records" in shown
        assert f"A missing value counts {told}" in shown


def test_levels_tell_the_risk_of_the_whole_file_with_what_is_kept(run: Run, members: Path) -> None:
    out = members.parent / "out.csv"
    words = ("levels", members, "--hierarchies", members.parent / "h", "--limit", "0.2", "--known", "age")
    result = run(*words, "-o", out, "--keep", "name", "--keep", "call")
    assert result.exit_code == 0, result.output
    assert out.read_text().splitlines()[0] == "name,call,age"
    shown = " ".join(result.stdout.split())
    assert "Kept as they are, and not made safe: name, call. The limit of 20 % holds only for an attacker who" in shown
    assert "for an attacker who knows every column in it: unique records: 40; highest risk 100 %" in shown
    assert "元の値のまま残した" in run(*words, "-o", out, "--keep", "name", "--lang", "ja").stdout
    assert run(*words, "--keep", "name").exit_code == 2
    assert "cannot be kept" in run(*words, "-o", out, "--keep", "age").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["risk", "TABLE", "--known", "aeg"], "Did you mean age"),
        (["risk", "TABLE", "--limit", "2"], "above 0 and at most 1"),
        (["subsets", "TABLE", "--max-size", "9"], "must be between 1 and 3, not 9"),
        (["subsets", "TABLE", "--sort", "danger"], "--sort: the value must be mean_risk"),
        (["subsets", "TABLE", "-o", "sets.xlsx"], "end in .csv or .parquet"),
        (["subsets", "missing.csv"], "There is no file missing.csv"),
        (["subsets", "TABLE", "--walk", "magic"], "memory, engine or sample"),
        (["subsets", "TABLE", "--walk", "sample", "--sample-records", "1"], "at least 2, not 1"),
        (
            ["subsets", "TABLE", "--walk", "engine", "--what-if-added", "TABLE"],
            "What-if options need the table in memory",
        ),
        (["disclosable", "TABLE", "--limit", "0"], "above 0 and at most 1"),
        (["dangerous", "TABLE", "--size", "4"], "attributes"),
        (["sample", "TABLE", "--by", "mood"], "--by: the value must be size or uniform"),
        (["affordable", "TABLE", "--costs", "missing.csv", "--budget", "1"], "missing.csv"),
        (["levels", "TABLE", "--limit", "0.5", "--hierarchy", "agee=x.csv"], "Did you mean age"),
        (["levels", "TABLE", "--limit", "0.5", "--hierarchies", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(file.parent)
    result = run(*(str(file) if word == "TABLE" else word for word in words))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_levels_write_a_report_too(run: Run, file: Path, tmp_path: Path) -> None:
    words = ("levels", file, "--k", "1", "--report", tmp_path / "r.html")
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "sudare table levels" in re.sub("<[^>]+>", "", (tmp_path / "r.html").read_text(encoding="utf-8"))
