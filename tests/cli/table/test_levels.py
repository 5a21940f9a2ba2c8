"""`sudare table levels` with criteria about sensitive values."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

ROWS = "age,disease\n20,flu\n21,flu\n22,ulcer\n31,flu\n32,ulcer\n39,cold\n"
AGES = "20;20s;*\n21;20s;*\n22;20s;*\n31;30s;*\n32;30s;*\n39;30s;*\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "patients.csv").write_text(ROWS)
    (tmp_path / "age.csv").write_text(AGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def levels(*words: str) -> Result:
    asked = ["table", "levels", "patients.csv", "--hierarchy", "age=age.csv", "--k", "3", "--sensitive", "disease"]
    return CliRunner().invoke(app, [*asked, *words])


def test_the_criteria_are_told_and_the_sensitive_column_is_written(folder: Path) -> None:
    shown = levels("--l", "1.5", "--diversity", "entropy", "--t", "0.5", "-o", "safe.csv")
    assert shown.exit_code == 0
    assert "in disease: at least 1.5 values by entropy, at most 0.5 away from the whole table" in shown.output
    assert "every column in it except disease" in " ".join(shown.output.split())
    assert (folder / "safe.csv").read_text().splitlines()[:2] == ["age,disease", "20s,flu"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--l", "4"], 2, "'disease' has 3 different values, so no class can have 4"),
        (["--l", "2", "--diversity", "recursive"], 2, "--diversity recursive needs --c"),
        (["--l", "2", "--report", "page.html"], 2, "does not show levels with --l or --t"),
        (["--l", "2", "--known", "age,disease"], 2, "'disease' cannot be both known and sensitive"),
        (["--l", "2.9", "--diversity", "entropy"], 3, "In the way, perhaps among others"),
    ],
)
def test_what_cannot_be_reached_is_said(words: list[str], code: int, said: str) -> None:
    refused = levels(*words)
    assert refused.exit_code == code
    assert said in " ".join(refused.output.split())
