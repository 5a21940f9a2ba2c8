"""`sudare contest report` as a user meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Twelve customers of one row, in classes of three; F.csv has seven right guesses, W.csv two wrong ones."""
    monkeypatch.chdir(tmp_path)
    customers = range(101, 113)
    Path("T.csv").write_text("".join(f"{c},2011/1/1,a,1,{c}\n" for c in customers))
    first = {c: c - (c - 101) % 3 for c in customers}
    Path("A.csv").write_text("".join(f"{c - 100},2011/1/1,a,1,[{first[c]};{first[c] + 2}]\n" for c in customers))
    Path("F.csv").write_text("".join(f"{n},{n + 100}\n" for n in range(1, 8)))
    Path("W.csv").write_text("1,102\n2,101\n")
    Path("empty.csv").write_text("")
    return lambda *words: CliRunner().invoke(app, ["contest", "report", *words])


def test_a_page_is_written(run: Run) -> None:
    result = run("T.csv", "A.csv", "-o", "r.html", "--lang", "ja", "--draws", "2", "--attacks", "13")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "r.html を書き出しました" in result.stderr
    page = Path("r.html").read_text(encoding="utf-8")
    assert '<html lang="ja">' in page
    assert 'data-answer="chance"' in page
    assert "13回すべて失敗する確率" in page


@pytest.mark.parametrize(
    ("files", "answer", "code"),
    [
        (["W.csv"], "not_effective", 0),
        (["W.csv", "F.csv"], "effective", 3),
        (["W.csv", "empty.csv"], "not_effective", 3),
        (["empty.csv"], "not_tried", 3),
    ],
)
def test_attacks_decide_the_exit_code(run: Run, files: list[str], answer: str, code: int) -> None:
    words = [word for file in files for word in ("--guesses", file)]
    result = run("T.csv", "A.csv", "-o", "r.html", "--draws", "1", *words)
    assert result.exit_code == code, result.output
    assert f'data-answer="{answer}"' in Path("r.html").read_text(encoding="utf-8")


def test_customers_who_are_recognized_for_certain_are_not_safe_without_an_attack(run: Run) -> None:
    result = run("T.csv", "T.csv", "-o", "r.html", "--draws", "1")
    assert result.exit_code == 3, result.output
    assert 'data-answer="exposed"' in Path("r.html").read_text(encoding="utf-8")


def test_an_a_that_breaks_the_rules_is_shown_as_by_check_and_nothing_is_written(run: Run) -> None:
    Path("A.csv").write_text(Path("A.csv").read_text().replace("[101;103]", "[102;103]", 1))
    result = run("T.csv", "A.csv", "-o", "r.html")
    assert result.exit_code == 3, result.output
    check = CliRunner().invoke(app, ["contest", "check", "T.csv", "A.csv"])
    assert result.stdout == check.stdout
    assert check.exit_code == 3
    assert not Path("r.html").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--draws", "0"], "--draws must be 1 or more, not 0"),
        (["--seed", "-1"], "--seed must be 0 or more"),
        (["--lang", "fr"], "the value must be en or ja"),
        (["--guesses", "T.csv"], "is not a valid file of guesses"),
        (["--guesses", "no.csv"], "no.csv"),
        (["--thresholds", "no.csv"], "no.csv"),
        (["--rules", "no.toml"], "no.toml"),
        (["-o", "A.csv"], "Cannot write A.csv: it is read"),
        (["-o", "no/r.html"], "does not exist"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(run: Run, words: list[str], message: str) -> None:
    before = Path("A.csv").read_text()
    result = run("T.csv", "A.csv", "-o", "r.html", *words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert not Path("r.html").exists()
    assert Path("A.csv").read_text() == before
