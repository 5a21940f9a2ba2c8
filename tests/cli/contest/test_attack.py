import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app
from sudare.histories.generalized.text import write_cells
from tests.histories.attack.histories import anonymize, anonymize_classes, history, made_rows

Run = Callable[..., Result]
ROWS = made_rows(3, most_rows=20)


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path, run: Run) -> Path:
    write_cells(history(ROWS), tmp_path / "T.csv")
    write_cells(anonymize(ROWS, "random"), tmp_path / "A.csv")
    write_cells(anonymize_classes(ROWS, 10), tmp_path / "K.csv")
    assert run("contest", "publish", tmp_path / "A.csv", "-o", tmp_path / "P.csv").exit_code == 0
    return tmp_path


def test_an_attack_writes_guesses_that_can_be_judged(run: Run, folder: Path) -> None:
    result = run("contest", "attack", folder / "T.csv", folder / "P.csv", "-o", folder / "F.csv")
    assert result.exit_code == 0, result.output
    assert f"{folder / 'F.csv'} tells about single people: keep it secret." in result.stderr
    assert "(method best)" in result.stdout
    assert "Guesses: 30, with a confidence of" in result.stdout
    assert "Right guesses needed for an effective attack: 22." in result.stdout
    assert "cannot be known without A" in result.stdout
    judged = run("contest", "safety", folder / "T.csv", folder / "A.csv", folder / "F.csv")
    assert judged.exit_code == 3
    assert "Guesses: 30." in judged.stdout


def test_an_attack_as_json_with_partial_knowledge(run: Run, folder: Path) -> None:
    words = [
        "--known-share",
        0.5,
        "--known-columns",
        "date, item",
        "--noisy-dates",
        1,
        "--most-guesses",
        9,
        "--seed",
        4,
    ]
    result = run("contest", "attack", folder / "T.csv", folder / "P.csv", "-o", folder / "F.csv", *words, "--json")
    found = json.loads(result.stdout)
    assert (found["guesses"], found["needed"], found["method"]) == (9, 9, "best")
    assert (found["known"]["columns"], found["known"]["noisy_dates"]) == (["date", "item"], 1)
    first = (folder / "F.csv").read_bytes()
    assert first.count(b"\n") == 9
    run("contest", "attack", folder / "T.csv", folder / "P.csv", "-o", folder / "F.csv", *words)
    assert (folder / "F.csv").read_bytes() == first


def test_all_guesses_are_written(run: Run, folder: Path) -> None:
    words = ["--most-guesses", "all", "--method", "scoreboard", "--lang", "ja", "--noisy-dates", 1]
    result = run("contest", "attack", folder / "T.csv", folder / "P.csv", "-o", folder / "F.csv", *words)
    assert "確信度" in result.stdout
    assert "最大1日の誤差" in result.stdout
    assert (folder / "F.csv").read_bytes().count(b"\n") == 30


def test_no_guess_worth_making_is_said(run: Run, folder: Path) -> None:
    assert run("contest", "publish", folder / "K.csv", "-o", folder / "P.csv").exit_code == 0
    words = ("contest", "attack", folder / "T.csv", folder / "P.csv", "-o", folder / "F.csv", "--method", "unique-rows")
    result = run(*words)
    assert "No guesses" in result.stdout
    assert (folder / "F.csv").read_bytes() == b""
    assert json.loads(run(*words, "--json").stdout)["confidence"]["greatest"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "magic"], "--method: the value must be unique-rows"),
        (["--most-guesses", "many"], "'many'"),
        (["--known-share", "2"], "at most 1"),
        (["--known-columns", "colour"], "'colour'"),
        (["--noisy-dates", "-1"], "not -1"),
    ],
)
def test_bad_words_are_one_message_and_nothing_is_written(
    run: Run, folder: Path, words: list[str], message: str
) -> None:
    result = run("contest", "attack", folder / "T.csv", folder / "P.csv", "-o", folder / "F.csv", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Hint:" in result.stderr
    assert not (folder / "F.csv").exists()


def test_a_duel_that_breaks_ends_with_3(run: Run, folder: Path) -> None:
    result = run("contest", "duel", folder / "T.csv", folder / "A.csv")
    assert result.exit_code == 3, result.output
    assert "Not safe: broken by" in result.stdout
    assert "Control" in result.stdout
    assert "Smallest class: k = 1" in result.stdout
    found = json.loads(run("contest", "duel", folder / "T.csv", folder / "A.csv", "--json").stdout)
    assert "best" in found["broken_by"]


def test_a_duel_that_does_not_break_never_says_safe(run: Run, folder: Path) -> None:
    result = run("contest", "duel", folder / "T.csv", folder / "K.csv", "--seed", 1)
    assert result.exit_code == 0, result.output
    assert "Not broken by these attacks" in result.stdout
    assert "nothing tried" in result.stdout
    japanese = run("contest", "duel", folder / "T.csv", folder / "K.csv", "--lang", "ja").stdout
    assert "これらの攻撃では破られませんでした" in japanese


def test_a_duel_with_too_few_customers_is_not_tried(run: Run, folder: Path) -> None:
    rows = [row for row in ROWS if row[0] <= 103]
    write_cells(history(rows), folder / "T.csv")
    result = run("contest", "duel", folder / "T.csv", folder / "T.csv")
    assert result.exit_code == 0
    assert "Not tried" in result.stdout
    assert "proves nothing" in result.stdout
    assert "3 pseudonyms are the customers' own numbers" in result.stdout


def test_an_anonymized_history_that_breaks_the_rules_is_refused(run: Run, folder: Path) -> None:
    (folder / "A.csv").write_text("1,2011/1/1,x,1,1\n")
    result = run("contest", "duel", folder / "T.csv", folder / "A.csv")
    assert result.exit_code == 2
    assert "breaks the rules" in result.stderr
