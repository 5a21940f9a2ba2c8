"""`sudare contest check`, `check-guesses` and `publish` as a user meets them: answers, messages, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

T = "12,2010/12/1,a,3.75,24\r\n12,2010/12/8,b,5.20,3\r\n7,2011/1/31,a,0.85,1\r\n"
A = "5,[2010/12/1;2010/12/31],{a;b},*,24\n*,*,*,*,*\n1,2011/1/31,a,[0.5;1],1\n"
BAD = "5,2010/12/2,{a;b},*,24\n*,*,*,*,*\n5,2011/1/32,[a],[0.5;1],1\n1\n"
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name, text in {"T.csv": T, "A.csv": A, "bad.csv": BAD, "F.csv": "5,7\n1,7\n"}.items():
        Path(name).write_bytes(text.encode())
    return lambda *words: CliRunner().invoke(app, ["contest", *words])


def answer(result: Result, code: int = 0) -> Any:
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_check_accepts_a_valid_history(run: Run) -> None:
    result = run("check", "T.csv", "A.csv")
    assert (result.exit_code, result.stdout) == (0, "VALID: A.csv follows the rules pwscup2018. Rows: 3.\n")
    assert answer(run("check", "T.csv", "A.csv", "--json"))["valid"] is True


def test_check_shows_what_is_wrong_and_ends_with_3(run: Run) -> None:
    result = run("check", "T.csv", "bad.csv")
    assert result.exit_code == 3
    assert "NOT VALID: bad.csv does not follow the rules pwscup2018. Errors: 5." in result.stdout
    assert "cells that do not cover the value of T: 1" in result.stdout
    assert "'2010/12/2' does not cover the value of T; T has 2010/12/1" in result.stdout


def test_check_caps_what_it_shows_and_tells_the_total(run: Run) -> None:
    shown = run("check", "T.csv", "bad.csv", "--top", "1").stdout
    assert "2010/12/2" in shown
    assert "2011/1/32" not in shown
    assert "and 4 more" in shown


def test_check_has_all_errors_in_json(run: Run) -> None:
    found = answer(run("check", "T.csv", "bad.csv", "--top", "1", "--json"), 3)
    assert found["valid"] is False
    assert [(error["row"], error["cell"], error["kind"]) for error in found["errors"]] == [
        (1, 2, "must-cover"), (3, 1, "consistency"), (3, 2, "invalid"), (3, 3, "invalid"), (4, 1, "rows"),
    ]  # fmt: skip
    assert found["total_errors"] == 5


def test_check_speaks_japanese(run: Run) -> None:
    assert (
        "無効: bad.csv はルール pwscup2018 を満たしていません。"
        in run("check", "T.csv", "bad.csv", "--lang", "ja").stdout
    )


@pytest.mark.parametrize(
    ("original", "words"),
    [
        (b"", "is empty"),
        (b"12,2010/12/1,a,3.75\n", "is not an original history"),
        (b"\xef\xbb\xbf" + T.encode(), "byte order mark"),
        (T.encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04" + bytes(99), "zip archive"),
        (bytes(range(256)) * 9, "errors"),
        (T.encode().replace(b"a", b"a;b"), "cannot be an item"),
        (T.encode().replace(b"\r\n", b"\r"), "carriage return"),
        (
            b"customer,date,item,price,quantity\n" + T.encode(),
            "row 1, cell 1: 'customer' is not the number of a person",
        ),
    ],
)
def test_a_malformed_original_is_one_message_and_exit_code_2(run: Run, original: bytes, words: str) -> None:
    Path("T.csv").write_bytes(original)
    result = run("check", "T.csv", "A.csv", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    told = json.loads(result.stderr)
    assert (told["schema"], told["exit_code"]) == ("sudare.error/1", 2)
    assert told["problem"].startswith("T.csv")
    assert words in result.stderr
    assert told["hint"]


@pytest.mark.parametrize("words", [("none.csv", "A.csv"), ("T.csv", "none.csv"), (".", "A.csv"), ("T.csv", ".")])
def test_files_that_cannot_be_read_are_exit_code_2(run: Run, words: tuple[str, str]) -> None:
    result = run("check", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")


@pytest.mark.parametrize("text", [b"", b"\xff" * 99, b"\0" * 99, b"\n" * 99, b"\r" * 9, b"9" * 99_999, A.encode()[:-4]])
def test_a_malformed_anonymized_history_is_not_valid(run: Run, text: bytes) -> None:
    Path("A.csv").write_bytes(text)
    assert answer(run("check", "T.csv", "A.csv", "--json"), 3)["errors"]


def test_unknown_rules_are_refused(run: Run) -> None:
    result = run("check", "T.csv", "A.csv", "--rules", "pwscup1999")
    assert result.exit_code == 2
    assert "Hint: Use pwscup2018" in result.stderr


def test_publish_writes_what_guesses_are_checked_against(run: Run) -> None:
    result = run("publish", "A.csv", "-o", "P.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Wrote P.csv (2 rows)\n")
    assert Path("P.csv").read_text() == "1,2011/1/31,a,[0.5;1],1\n5,[2010/12/1;2010/12/31],{a;b},*,24\n"
    assert answer(run("publish", "A.csv", "-o", "P.csv", "--json")) == {
        "schema": "sudare.published/1",
        "out": "P.csv",
        "rows": 2,
    }
    assert answer(run("check-guesses", "T.csv", "P.csv", "F.csv", "--json"))["valid"] is True
    Path("F.csv").write_text("5,7\n5,12\n6,1\n")
    found = run("check-guesses", "T.csv", "P.csv", "F.csv")
    assert found.exit_code == 3
    assert "pseudonym '5' already has a guess, in row 1" in found.stdout
    assert len(answer(run("check-guesses", "T.csv", "P.csv", "F.csv", "--json"), 3)["errors"]) == 3


def test_publish_refuses_what_is_not_well_formed_and_writes_nothing(run: Run) -> None:
    result = run("publish", "bad.csv", "-o", "P.csv")
    assert result.exit_code == 2
    assert "row 3, cell 2" in result.stderr
    assert not Path("P.csv").exists()
    assert run("publish", "bad.csv", "-o", "P.csv", "--unchecked").exit_code == 0
    assert len(Path("P.csv").read_text().splitlines()) == 3


def test_publish_asks_first_whether_it_can_write(run: Run) -> None:
    assert run("publish", "A.csv", "-o", "none/P.csv").exit_code == 2
    assert run("publish", "A.csv", "-o", ".").exit_code == 2
