import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["table", "population", *(str(word) for word in words)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Nine records: classes of 1, 1, 1, 2 and 4 by a; one class by b."""
    path = tmp_path / "sample.csv"
    path.write_text("a;b\n1;x\n2;x\n3;x\n4;x\n4;x\n5;x\n5;x\n5;x\n5;x\n")
    return path


def test_all_models_and_the_choice_are_shown(run: Run, file: Path) -> None:
    result = run(file, "--share", "0.05")
    assert result.exit_code == 0, result.output
    assert "The table holds 9 of the 180 records of the population (5.00 %)." in result.stdout
    assert "Unique records of the table: 3 (33.33 %). Classes of two records: 1." in result.stdout
    assert all(f"{model} " in result.stdout for model in ("Pitman*", "Zayatz", "SNB"))
    assert "Chosen: Pitman, because at most a tenth of the population was drawn" in result.stdout
    assert "Only 1 class has two records." in result.stdout


def test_a_model_without_an_answer_says_why(run: Run, file: Path) -> None:
    file.write_text("a;b\n1;x\n2;x\n3;x\n")
    result = run(file, "--population-size", "100")
    assert "Pitman has no answer: no two records are alike." in result.stdout
    assert "Every record of the table is unique" in result.stdout
    assert "どのレコードも一意" in run(file, "--population-size", "100", "--lang", "ja").stdout


def test_without_unique_records_that_is_said(run: Run, file: Path) -> None:
    result = run(file, "--share", "0.5", "--known", "b")
    assert result.exit_code == 0, result.output
    assert "No record of the table is unique" in result.stdout


def test_json_has_every_estimate(run: Run, file: Path) -> None:
    found = json.loads(run(file, "--population-size", "90", "--known", "a", "--json").stdout)
    assert (found["share"], found["uniques"], found["chosen"], found["reason"]) == (0.1, 3, "pitman", "small_share")
    assert [entry["model"] for entry in found["estimates"]] == ["pitman", "zayatz", "snb"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "The size of the population is unknown"),
        (["--share", "0.1", "--population-size", "90"], "cannot be used together"),
        (["--share", "1.5"], "above 0 and below 1, not 1.5"),
        (["--population-size", "8"], "A population of 8 is not larger than the table, which has 9 records"),
        (["--share", "0.1", "--known", "c"], "no attribute 'c'"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(run: Run, file: Path, words: list[str], message: str) -> None:
    result = run(file, *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
