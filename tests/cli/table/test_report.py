"""`sudare table report` as a user meets it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

TABLE = "sex;age;town\nm;30;x\nm;30;x\nm;40;x\nf;40;x\nf;40;y\nf;50;y\n"
COMMAND = [sys.executable, "-c", "from sudare.cli import main; main()"]
Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(app, ["table", "report", *(str(word) for word in words)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text(TABLE)
    return tmp_path / "table.csv"


def test_report_writes_a_page(run: Run, file: Path, tmp_path: Path) -> None:
    result = run(file, "-o", tmp_path / "r.html", "--known", "sex, age", "--limit", "0.5", "--lang", "ja")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert f"{tmp_path / 'r.html'} を書き出しました" in result.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert '<html lang="ja">' in page
    assert "等しいレコードが2件以上" in page


def test_report_takes_hierarchies_from_a_folder_and_one_by_one(run: Run, file: Path, tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "age.csv").write_text("30;30-40;*\n40;30-40;*\n50;50;*\n")
    (tmp_path / "sexes.csv").write_text("m;*\nf;*\n")
    words = ["--hierarchies", tmp_path / "h", "--hierarchy", f"sex={tmp_path / 'sexes.csv'}", "--sensitive", "town"]
    result = run(file, "-o", tmp_path / "r.html", "--limit", "0.5", *words)
    assert result.exit_code == 0, result.output
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'id="levels"' in page
    assert 'id="sensitive"' in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--known", "aeg"], "Did you mean age"),
        (["--known", "town", "--sensitive", "town"], "the sensitive one may not be known"),
        (["--limit", "2"], "above 0 and at most 1"),
        (["--lang", "fr"], "the value must be en or ja"),
        (["--hierarchies", "nowhere"], "nowhere"),
        (["--hierarchies", "empty"], "No file in empty is named after an attribute"),
        (["--hierarchy", "age"], "must have the form NAME=VALUE"),
        (["-o", "no/r.html"], "does not exist"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(file.parent)
    (file.parent / "empty").mkdir()
    result = run(file, "-o", "r.html", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert {entry.name for entry in file.parent.iterdir()} == {"table.csv", "empty"}


@pytest.mark.slow
def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    # Forty attributes: gathering takes far longer than the signal needs, whatever the machine.
    draw = random.Random(1)
    rows = (",".join(str(draw.randrange(2 + n % 5)) for n in range(40)) for _ in range(2_000))
    (tmp_path / "table.csv").write_text("\n".join([",".join(f"a{n}" for n in range(40)), *rows]))
    (tmp_path / "out").mkdir()
    (tmp_path / "temporary").mkdir()
    process = subprocess.Popen(
        [*COMMAND, "table", "report", str(tmp_path / "table.csv"), "-o", str(tmp_path / "out" / "r.html")],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Read ")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert "Interrupted. Nothing was left half-written." in said
    assert list((tmp_path / "out").iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []
