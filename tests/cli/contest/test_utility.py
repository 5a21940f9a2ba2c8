import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.contest import correlation

Run = Callable[..., Result]

ORIGINAL = """\
1,2011/1/1,a,1,1
1,2011/1/2,b,2,1
2,2011/1/2,c,3,3
2,2011/1/3,d,4,3
"""
ANONYMIZED = """\
7,2011/1/1,a,1,[1;5]
7,2011/1/2,{a;b},*,1
*,*,*,*,*
8,[2011/1/1;2011/1/3],d,4,3
"""


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["contest", *(str(word) for word in words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the original and three anonymized histories."""
    found = tmp_path / "histories"
    found.mkdir()
    (found / "T.csv").write_text(ORIGINAL)
    (found / "A1.csv").write_text(ANONYMIZED)
    (found / "A2.csv").write_text(ORIGINAL)
    (found / "A3.txt").write_text(ORIGINAL.replace(",3\n", ",[2;9]\n"))
    (found / "notes.md").write_text("no history")
    return found


def test_utility_is_explained(run: Run, folder: Path) -> None:
    result = run("utility", folder / "T.csv", folder / "A1.csv")
    assert result.exit_code == 0, result.output
    # One deleted row (4), one deleted cell (1), a set of two (1/2), quantities of 0 to 4 away with deviation 1 (2),
    # days of 2, 1, 0 away with the deviation sqrt(1/2).
    assert f"U = {(4 + 1 + 0.5 + 2 + 1 / 0.5**0.5) / 16:.6f}" in result.stdout
    assert "1 range of the column quantity costs more than * would" in result.stdout
    assert "cell of a deleted row" in result.stdout


def test_an_engine_measures_the_same(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("utility", folder / "T.csv", folder / "A1.csv", "--json")
    expected, found = (json.loads(run(*words, *more).stdout) for more in ((), ("--engine", "duckdb")))
    assert found["utility"] == pytest.approx(expected["utility"], rel=1e-12)
    assert found["cells"] == [pytest.approx(cell) for cell in expected["cells"]]
    refused = run(*words, "--engine", "duckdb", "--unchecked")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "Leave out --engine." in refused.stderr
    monkeypatch.setattr("sudare.engine.DuckDBEngine.shows_people", False)
    hidden = run(*words, "--engine", "duckdb")
    assert json.loads(hidden.stdout)["customers"] == []
    assert "only counts leave the cluster" in hidden.stderr


def test_utility_as_json(run: Run, folder: Path) -> None:
    found = json.loads(run("utility", folder / "T.csv", folder / "A1.csv", "--top", "1", "--json").stdout)
    assert found["utility"] == pytest.approx((7.5 + 2**0.5) / 16)
    assert [column["name"] for column in found["columns"]] == ["date", "item", "price", "quantity"]
    assert found["cells"] == [{"row": 1, "column": "quantity", "original": "1", "cell": "[1;5]", "error": 2.0}]
    assert len(found["customers"]) == 1


@pytest.mark.parametrize("command", ["utility", "use-cases"])
def test_a_history_that_breaks_the_rules_is_refused_unless_told_otherwise(run: Run, folder: Path, command: str) -> None:
    (folder / "A1.csv").write_text(ANONYMIZED.replace("[1;5]", "[2;5]"))
    result = run(command, folder / "T.csv", folder / "A1.csv")
    assert result.exit_code == 2
    assert "breaks the rules" in result.stderr
    assert "row 1, cell 5" in result.stderr
    assert result.stdout == ""
    unchecked = run(command, folder / "T.csv", folder / "A1.csv", "--unchecked")
    assert unchecked.exit_code == 0
    assert "breaks the rules" in unchecked.stderr


def test_use_cases_are_measured(run: Run, folder: Path) -> None:
    words = ("use-cases", folder / "T.csv", folder / "A1.csv", "--draws", "3", "--seed", "5")
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "item similarity, wholesale" in result.stdout
    assert "up to 3 items, in at least 1 visits, in T as in each draw" in result.stdout
    assert " ".join(result.stdout.split()).count("inferred from the values of its report") == 2
    assert "in days from 2010-01-01" in result.stdout
    found = json.loads(run(*words, "--support", "2", "--max-size", "1", "--json").stdout)
    assert (found["draws"], found["seed"], found["support"], found["length"]) == (3, 5, 2, 1)
    assert {error["measure"]: error["mean"] for error in found["errors"]}["rows"] == 1


def test_correlations_are_shown_and_written(run: Run, folder: Path, tmp_path: Path) -> None:
    words = ("correlate", folder, "--draws", "2", "-o", tmp_path / "out")
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "the critical value at 5.00 % for 3 histories" in result.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "correlation.svg",
        "measures.csv",
        "parameters.json",
    }
    found = json.loads(run(*words, "--json").stdout)
    assert [history["name"] for history in found["histories"]] == ["A2", "A3", "A1"]
    japanese = run("correlate", folder, folder / "T.csv", "--draws", "1", "--lang", "ja")
    assert "相関係数" in japanese.stdout


def test_published_results_and_tables_of_values_are_correlated(run: Run, folder: Path, tmp_path: Path) -> None:
    # Table 6 of the report prints 0.654, 0.612, 0.877, 0.949 and 0.594, of values with more digits than it shows.
    found = json.loads(run("correlate", "pwscup2018", "-o", tmp_path / "out", "--json").stdout)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"correlation.svg", "parameters.json"}
    assert found["critical"] == pytest.approx(0.5529, abs=5e-5)
    uses = [round(entry["correlation"], 3) for entry in found["measures"][:5]]
    assert uses == [0.654, 0.613, 0.878, 0.949, 0.591]
    shown = run("correlate", "pwscup2018").stdout
    assert "0.5529" in shown
    assert "0.949*" in shown
    # What was measured is a table, too.
    kept = json.loads(run("correlate", folder, "--draws", "2", "-o", tmp_path / "kept", "--json").stdout)
    again = json.loads(run("correlate", tmp_path / "kept" / "measures.csv", "--json").stdout)
    assert again["measures"] == kept["measures"]
    (tmp_path / "some.csv").write_text("rfm,utility,name\n1,0.1,a\n2,0.2,b\n4,0.3,c\n")
    some = run("correlate", tmp_path / "some.csv").stdout
    assert "RFM table" in some
    assert "frequent itemsets" not in some
    other = run("correlate", tmp_path / "some.csv", "-o", tmp_path / "out")
    assert (other.exit_code, other.stdout) == (2, "")
    assert "contains other results" in other.stderr


def test_an_interruption_says_that_the_rest_can_follow(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(correlation.UseCaseMeasures, "measure", interrupt)
    result = run("correlate", folder, "-o", tmp_path / "out")
    assert result.exit_code == 130
    assert "Run the same command again to continue" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["utility", "T.csv", "missing.csv"], "missing.csv"),
        (["utility", "T.csv", "A1.csv", "--rules", "other"], "'other'"),
        (["use-cases", "T.csv", "A1.csv", "--draws", "0"], "--draws must be 1 or more, not 0"),
        (["use-cases", "T.csv", "A1.csv", "--support", "often"], "--support 'often' is not a number"),
        (["correlate", "T.csv"], "T.csv has no column name"),
        (["correlate", "missing"], "There is no file"),
        (["correlate", "pwscup2018", "T.csv"], "measured values need no original history"),
        (["correlate", "pwscup2018", "-o", "."], "is not empty"),
        (["correlate", ".", "-o", "."], "Cannot write .: it is read"),
        (["correlate", ".", "A1.csv"], "is not an original history"),
        (["correlate", "few", "T.csv"], "at least 3 anonymized histories; there are only 0"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(
    run: Run, folder: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "few").mkdir()
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
