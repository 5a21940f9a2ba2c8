"""`sudare baskets report` and `sudare baskets suppress --report` as a user meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sudare.baskets.suppress import suppression
from sudare.cli.app import app

BASKETS = "milk medicine\nmilk medicine\nmilk bread\n"
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.txt").write_text(BASKETS)
    (tmp_path / "s.txt").write_text("medicine\n")
    return lambda *words: CliRunner().invoke(app, ["baskets", *words])


def files(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - {"b.txt", "s.txt"}


def test_report_suppresses_and_writes_a_page_only(run: Run, tmp_path: Path) -> None:
    words = ["--sensitive", "s.txt", "--rho", "0.5", "-o", "r.html", "--lang", "ja", "--strategy", "best"]
    result = run("report", "b.txt", *words)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "r.html を書き出しました" in result.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert '<html lang="ja">' in page
    assert 'data-answer="safe"' in page
    assert files(tmp_path) == {"r.html"}


def test_report_shows_a_published_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("medicine\nmilk\nmilk bread\n")
    words = ["--sensitive", "s.txt", "--rho", "0.5", "--published", "p.txt", "-o", "r.html"]
    assert run("report", "b.txt", *words).exit_code == 0
    assert "given as a file" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_report_of_what_is_not_safe_is_written_and_ends_with_3(run: Run, tmp_path: Path) -> None:
    words = ["--sensitive", "s.txt", "--rho", "0.5", "--published", "b.txt", "-o", "r.html", "--hide-records"]
    result = run("report", "b.txt", *words)
    assert result.exit_code == 3, result.output
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'data-answer="not_safe"' in page
    assert "left out" in page


def test_suppress_writes_a_report_with_the_certificate(run: Run, tmp_path: Path) -> None:
    words = ["--sensitive", "s.txt", "--rho", "0.5", "--max-known", "1", "-o", "p.txt", "--report", "r.html", "--json"]
    result = run("suppress", "b.txt", *words)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["report"] == "r.html"
    assert "The certificate agrees" in (tmp_path / "r.html").read_text(encoding="utf-8")
    # What is not said is as the certificate says.
    words = ["--sensitive", "s.txt", "--rho", "0.5", "--published", "p.txt", "-o", "again.html"]
    again = run("report", "b.txt", *words, "--certificate", "p.txt.certificate.json")
    assert again.exit_code == 0, again.output
    assert run("report", "b.txt", *words, "--certificate", "p.txt.certificate.json", "--max-known", "2").exit_code == 3


def test_a_report_of_a_result_that_is_not_kept_is_not_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*args: Any) -> None:
        raise suppression.TimeOver

    monkeypatch.setattr(suppression, "repair_all", stopped)
    words = ["--sensitive", "s.txt", "--rho", "0.5", "-o", "p.txt", "--report", "r.html"]
    assert run("suppress", "b.txt", *words).exit_code == 3
    assert files(tmp_path) == set()
    assert run("suppress", "b.txt", *words, "--keep-unsafe").exit_code == 3
    assert 'data-answer="interrupted"' in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_an_interruption_leaves_no_report(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(suppression, "repair_all", interrupted)
    result = run("report", "b.txt", "--sensitive", "s.txt", "--rho", "0.5", "-o", "r.html")
    assert result.exit_code == 130
    assert files(tmp_path) == set()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rho", "2"], "at most 1"),
        (["--epsilon", "0.1"], "--epsilon and --delta"),
        (["--lang", "fr"], "the value must be en or ja"),
        (["--certificate", "c.json"], "--published"),
        (["--published", "s.txt"], "is not a suppression"),
        (["-o", "b.txt"], "Cannot write b.txt: it is read"),
        (["-o", "no/r.html"], "does not exist"),
        (["--sensitive", "nothing.txt"], "nothing.txt"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    result = run("report", "b.txt", "--sensitive", "s.txt", "--rho", "0.5", "-o", "r.html", *words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert files(tmp_path) == set()
    assert (tmp_path / "b.txt").read_text() == BASKETS
