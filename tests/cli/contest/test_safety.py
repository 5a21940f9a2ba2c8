import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.histories.safety.thresholds import success_thresholds

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["contest", *(str(word) for word in words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty customers of one row; in A they are pairs, but for the first two, who are alone."""
    customers = range(101, 131)
    rows = [f"{customer},2011/1/{customer - 100},a,1,{customer}" for customer in customers]
    (tmp_path / "T.csv").write_text("\n".join(rows))
    anonymized = [f"{c - 100},*,a,1,{c if c < 103 else f'[{c - 1 + c % 2};{c + c % 2}]'}" for c in customers]
    (tmp_path / "A.csv").write_text("\n".join(anonymized))
    return tmp_path


def guess(folder: Path, *, right: int, wrong: int) -> Path:
    lines = [f"{pid},{pid + 100 if pid <= right else 101}\n" for pid in range(1, right + wrong + 1)]
    (folder / "F.csv").write_text("".join(lines))
    return folder / "F.csv"


def test_thresholds_of_both_tests_are_shown(run: Run) -> None:
    result = run("thresholds", "--most-guesses", 100)
    assert result.exit_code == 0, result.output
    lines = [[word.strip() for word in line.split("│")] for line in result.stdout.splitlines()]
    assert ["6", "*", "*"] in lines
    assert ["24", "18", "18"] in lines
    assert ["100", "65", "53"] in lines
    assert "p = 1/3 and alpha = 1/2000" in result.stdout
    assert "再識別が有効となる正解数" in run("thresholds", "--lang", "ja").stdout


def test_thresholds_are_written_in_the_form_of_the_contest(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "R.csv"
    assert run("thresholds", "--most-guesses", 24, "-o", out).exit_code == 0
    assert out.read_text().splitlines()[-2:] == ["23,18", "24,18"]
    run("thresholds", "--most-guesses", 100, "--test", "tight", "-o", out)
    assert out.read_text().splitlines()[100] == "100,53"


def test_thresholds_as_json_are_complete(run: Run) -> None:
    found = json.loads(run("thresholds", "--most-guesses", 300, "--p", "0.5", "--alpha", "0.05/2", "--json").stdout)
    assert (found["p"], found["alpha"], found["max"]) == ("1/2", "1/40", 300)
    assert found["thresholds"]["contest"] == success_thresholds(300, "1/2", "1/40").tolist()
    assert found["thresholds"]["tight"] == success_thresholds(300, "1/2", "1/40", test="tight").tolist()


def test_an_effective_attack_is_not_safe(run: Run, folder: Path) -> None:
    result = run("safety", folder / "T.csv", folder / "A.csv", guess(folder, right=8, wrong=0))
    assert result.exit_code == 3, result.output
    assert "Guesses: 8. Right: 8." in result.stdout
    assert "The contest's test: 8 right guesses needed, margin +0." in result.stdout
    assert "NOT SAFE: the attack was effective." in result.stdout


def test_an_attack_that_fails_is_not_called_safe(run: Run, folder: Path) -> None:
    result = run("safety", folder / "T.csv", folder / "A.csv", guess(folder, right=8, wrong=2))
    assert result.exit_code == 0, result.output
    assert "This attack was not effective." in result.stdout
    assert "safe" not in result.stdout.lower()


def test_so_few_guesses_that_no_attack_can_be_effective_are_told(run: Run, folder: Path) -> None:
    result = run("safety", folder / "T.csv", folder / "A.csv", guess(folder, right=6, wrong=0))
    assert result.exit_code == 0
    assert "with so few guesses (6), an attack is never effective" in result.stdout


def test_an_empty_guess_file_is_nothing_tried(run: Run, folder: Path) -> None:
    words = ("safety", folder / "T.csv", folder / "A.csv", guess(folder, right=0, wrong=0))
    result = run(*words)
    assert result.exit_code == 3
    assert "NOTHING WAS TRIED" in result.stdout
    assert "何も試されていません" in run(*words, "--lang", "ja").stdout
    assert json.loads(run(*words, "--json").stdout)["tried"] is False


def test_a_contests_own_thresholds_win(run: Run, folder: Path) -> None:
    own = folder / "R.csv"
    own.write_text("".join(f"{n},{min(n, 2)}\n" for n in range(1, 31)))
    found = run(
        "safety", folder / "T.csv", folder / "A.csv", guess(folder, right=2, wrong=0), "--thresholds", own, "--json"
    )
    assert found.exit_code == 3
    assert json.loads(found.stdout) == {
        "schema": "sudare.judgement/1",
        "tried": True,
        "guesses": 2,
        "hits": 2,
        "threshold": 2,
        "margin": 0,
        "effective": True,
        "tight": {"threshold": 3, "margin": -1, "effective": False},
    }


def test_classes_are_shown_with_the_best_guesses(run: Run, folder: Path) -> None:
    result = run("classes", folder / "T.csv", folder / "A.csv", "--attacks", 13)
    assert result.exit_code == 0, result.output
    assert "Pseudonyms: 30. Classes: 16. Smallest class: k = 1." in result.stdout
    assert "recognizes them: 2." in result.stdout
    assert "needs classes of at least 7; the smallest has 1: it does not hold." in result.stdout
    assert "7 guesses, of which 7 must be right; probability 0.1250." in result.stdout
    assert "effective with a probability of at most 0.1250, whatever the guesses." in result.stdout
    assert "It is proven that no other guesses are better than this plan." in result.stdout
    assert "All of them fail with a probability of at least 17.62 %" in result.stdout
    assert "区別できない仮名ID" in run("classes", folder / "T.csv", folder / "A.csv", "--lang", "ja").stdout


def test_an_engine_finds_the_same_classes(run: Run, folder: Path) -> None:
    words = ("classes", folder / "T.csv", folder / "A.csv", "--json")
    assert run(*words, "--engine", "duckdb", "--memory", "100MB").stdout == run(*words).stdout
    refused = run(*words, "--engine", "duckdb", "--min-cell", 3)
    assert refused.exit_code == 2
    assert "2 pseudonyms are in classes of a size that fewer than 3" in refused.stderr


def test_classes_as_json_have_sizes_and_both_tests(run: Run, folder: Path) -> None:
    found = json.loads(run("classes", folder / "T.csv", folder / "A.csv", "--json").stdout)
    assert [(size["size"], size["classes"]) for size in found["sizes"]] == [(1, 2), (2, 14)]
    assert [test["test"] for test in found["tests"]] == ["contest", "tight"]
    assert found["tests"][0]["plan_found"]["parts"][0] == {"size": 1, "classes": 2, "claims": [1]}
    assert found["tests"][0]["attacks"] == 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["thresholds", "--p", "third"], "p must be a number or a fraction"),
        (["thresholds", "--alpha", "2"], "alpha must be above 0 and at most 1"),
        (["thresholds", "--p", "0"], "p must be above 0"),
        (["thresholds", "--test", "loose"], "--test: the value must be contest or tight"),
        (["thresholds", "-o", "{folder}"], "it is a folder"),
        (["thresholds", "--rules", "none"], "neither a built-in set of rules nor a file"),
        (["safety", "{folder}/T.csv", "{folder}/A.csv", "{folder}/A.csv"], "is not a valid file of guesses"),
        (["safety", "{folder}/T.csv", "{folder}/A.csv", "{folder}/none"], "none"),
        (["safety", "{folder}/T.csv", "{folder}/A.csv", "{folder}/F.csv", "--thresholds", "{folder}/A.csv"], "line 1"),
        (["safety", "{folder}/T.csv", "{folder}/F.csv", "{folder}/F.csv"], "breaks the rules"),
        (["classes", "{folder}/T.csv", "{folder}/F.csv"], "breaks the rules"),
        (["classes", "{folder}/F.csv", "{folder}/A.csv"], "is not an original history"),
        (["classes", "{folder}/T.csv", "{folder}/D.csv"], "Every row of"),
    ],
)
def test_what_cannot_be_used_is_one_message(run: Run, folder: Path, words: list[str], message: str) -> None:
    guess(folder, right=3, wrong=0)
    (folder / "D.csv").write_text("*,*,*,*,*\n" * 30)
    result = run(*(word.format(folder=folder) for word in words))
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Hint: " in result.stderr
