"""`sudare anonymize`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

Run = Callable[..., Result]
ROWS = "1,2011/1/1,a,1.5,1\n2,2011/1/1,a,1.5,1\n3,2011/1/3,b,2,4\n4,2011/1/5,b,2,4\n"


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "T.csv"
    path.write_text(ROWS)
    return path


def test_the_history_is_written_and_follows_the_rules(run: Run, original: Path, tmp_path: Path) -> None:
    out = tmp_path / "A.csv"
    result = run("anonymize", original, "--k", 2, "-o", out)
    assert result.exit_code == 0, result.output
    assert "Classes x customers: 2 x 2." in result.stdout
    assert "Deleted rows: 0." in result.stdout
    cells = sorted(line.split(",", 1)[1] for line in out.read_text().splitlines())
    assert cells == ["2011/1/1,a,1.5,1"] * 2 + ["[2011/1/3;2011/1/5],b,2,4"] * 2
    assert run("contest", "check", original, out).exit_code == 0
    assert "有用性" in run("anonymize", original, "--k", 2, "-o", out, "--lang", "ja").stdout


def test_json_has_utility_bound_and_safety(run: Run, original: Path, tmp_path: Path) -> None:
    result = run("anonymize", original, "--k", 2, "-o", tmp_path / "A.csv", "--fast", "--json")
    found = json.loads(result.stdout)
    assert (found["k"], found["sizes"], found["customers"], found["rows"]) == (2, [2, 2], 4, 4)
    assert found["bound"] <= found["utility"]
    assert found["safety"]["k"] == 2
    assert found["out"] == str(tmp_path / "A.csv")


def test_the_same_seed_writes_the_same_file(run: Run, original: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("A.csv", "B.csv"):
        run("anonymize", original, "--k", 3, "--seed", 5, "-o", tmp_path / name)
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--k", "1"], "k is 2 or more, not 1"),
        (["--k", "5"], "There are 4 customers, fewer than k = 5"),
        (["--k", "2", "--time-limit", "0"], "A time limit is above 0 seconds"),
        (["--k", "2", "--rules", "none"], "Hint"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    run: Run, original: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    out = tmp_path / "A.csv"
    result = run("anonymize", original, "-o", out, *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Hint:" in result.stderr
    assert not out.exists()


def test_the_original_is_never_written_over(run: Run, original: Path) -> None:
    result = run("anonymize", original, "--k", 2, "-o", original)
    assert (result.exit_code, original.read_text()) == (2, ROWS)
