"""`sudare history attack`: built-in attacks on what was published, with and without the key file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

Run = Callable[..., Result]
# Twenty customers; each has an item of its own, and a day.
ROWS = "".join(f"c{n:02},2024-01-{n:02},own{n},{n}.5,{n}\nc{n:02},2024-02-{n:02},common,1,1\n" for n in range(1, 21))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("h.csv").write_text("customer,day,item,price,quantity\n" + ROWS)
    # Published as it is, but for pseudonyms: everybody is recognized.
    Path("renamed.csv").write_text(
        "customer,day,item,price,quantity\n" + "".join(f"{int(row[1:3])}{row[3:]}\n" for row in ROWS.splitlines())
    )
    lines = Path("renamed.csv").read_text().splitlines(keepends=True)
    Path("shuffled.csv").write_text("".join([lines[0], *sorted(lines[1:], key=lambda line: line[::-1])]))
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_a_file_whose_rows_are_in_order_is_judged_and_broken(run: Run) -> None:
    result = run("history", "attack", "h.csv", "renamed.csv", "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert (found["schema"], found["verdict"]) == ("sudare.duel/1", "broken")
    assert found["same_numbers"] == 0  # customers are c01 to c20, pseudonyms 1 to 20
    shown = run("history", "attack", "h.csv", "renamed.csv")
    assert (shown.exit_code, " T " in shown.stdout, "H0" in shown.stdout) == (3, False, False)


def test_without_the_key_it_is_what_attackers_expect(run: Run) -> None:
    result = run("history", "attack", "h.csv", "shuffled.csv", "--json")
    assert result.exit_code == 3, result.output
    found = json.loads(result.stdout)
    assert (found["schema"], found["verdict"], found["pseudonyms"]) == ("sudare.expected-attacks/1", "expected", 20)
    assert all(attack["telling"] == (attack["guesses"] > 0) for attack in found["attacks"])
    # In their later halves all customers bought the same: whoever knows the earlier halves tries nothing.
    assert [attack["method"] for attack in found["attacks"] if attack["guesses"] == 0] == ["profiles"]
    assert "An attacker expects to succeed." in run("history", "attack", "h.csv", "shuffled.csv").stdout


def test_the_key_file_decides_what_is_right(run: Run) -> None:
    words = ("--k", 2, "--fast", "--rounds", 3, "--skip-attacks", "-o", "p.csv", "--aligned", "key.csv")
    assert run("history", "anonymize", "h.csv", *words).exit_code == 0
    judged = run("history", "attack", "h.csv", "p.csv", "--aligned", "key.csv", "--json")
    assert judged.exit_code in (0, 3)
    assert json.loads(judged.stdout)["schema"] == "sudare.duel/1"
    other = run("history", "attack", "h.csv", "shuffled.csv", "--aligned", "key.csv")
    assert (other.exit_code, "key.csv is not the key file of shuffled.csv" in other.stderr) == (2, True)
    swapped = run("history", "attack", "h.csv", "key.csv", "--aligned", "p.csv")
    assert (swapped.exit_code, "wrote with --aligned, not that of -o" in swapped.stderr) == (2, True)


def test_parquet_is_attacked_as_text_is(run: Run) -> None:
    words = ("--k", 2, "--fast", "--rounds", 3, "--skip-attacks")
    for ending in ("csv", "parquet"):
        run("history", "anonymize", "h.csv", *words, "-o", f"p.{ending}", "--aligned", f"key.{ending}")
    answers = [
        json.loads(run("history", "attack", "h.csv", f"p.{end}", "--aligned", f"key.{end}", "--json").stdout)
        for end in ("csv", "parquet")
    ]
    assert answers[0] == answers[1]


def test_a_report_has_a_command_of_its_own(run: Run) -> None:
    result = run("history", "report", "h.csv", "-o", "r.html")
    assert (result.exit_code, result.stdout) == (0, "")
    text = re.sub("<[^>]+>", "", Path("r.html").read_text(encoding="utf-8"))
    assert "sudare history report h.csv -o r.html" in text


def test_a_contest_gets_its_rows_in_order(run: Run) -> None:
    Path("T.csv").write_text("".join(f"{n},2011/1/{n},i{n // 2},1,1\n" for n in range(1, 9)))
    made = run("contest", "anonymize", "T.csv", "--k", 2, "--fast", "--rounds", 2, "-o", "A.csv")
    assert made.exit_code in (0, 3), made.output
    assert "keep it secret" in made.stderr
    assert run("contest", "check", "T.csv", "A.csv").exit_code == 0
