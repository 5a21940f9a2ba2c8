"""What the gate prints."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sudare.gate.run import GateRun, run_gate
from sudare.gate.suggestion import suggest_policy
from sudare.messages import LANGUAGES, Texts
from sudare.report.gate.text import show_gate, show_suggested
from tests.gate.small_gates import PEOPLE, write, write_policy

SOURCE = {"s": {"kind": "table", "file": "people.csv"}}


@pytest.fixture
def found(tmp_path: Path) -> GateRun:
    """A run with checks that pass, warn and fail, in that order in the policy."""
    write(tmp_path, people_csv=PEOPLE)
    asked = [
        {"name": "fine", "source": "s", "measure": "identifiers", "fail": 0},
        {"name": "near", "source": "s", "measure": "mean-risk", "known": ["sex"], "warn": 0.1},
        {"name": "bad", "source": "s", "measure": "uniques", "known": ["sex", "age"], "fail": 0.05},
    ]
    return run_gate(write_policy(tmp_path, SOURCE, *asked, title="Members"))


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [re.sub(r" +", " ", line).strip() for line in capsys.readouterr().out.splitlines()]


def test_the_worst_checks_come_first_and_the_answer_last(found: GateRun, capsys: pytest.CaptureFixture[str]) -> None:
    show_gate(found, Texts("en"))
    lines = lines_of(capsys)
    assert lines[0] == "Gate: Members"
    assert [line.split(" ")[0] for line in lines[3:6]] == ["bad", "near", "fine"]
    assert lines[3].split("│")[1:] == [" 33.33 % ", " at most 5 % ", " fails"]
    assert lines[-1] == "NO: 1 check fails, 1 warns, 1 passes."


def test_checks_that_do_not_pass_say_more_and_the_command_that_tells_it(
    found: GateRun, capsys: pytest.CaptureFixture[str]
) -> None:
    show_gate(found, Texts("en"))
    text = "\n".join(lines_of(capsys))
    assert "bad: fails\n2 of 6 records\n$ sudare table risk " in text
    assert "near: warns\n$ sudare table risk " in text
    assert "fine: " not in text


def test_a_run_without_failures_says_yes(found: GateRun, capsys: pytest.CaptureFixture[str]) -> None:
    passing = replace(found, checks=tuple(check for check in found.checks if check.verdict == "pass"))
    show_gate(passing, Texts("en"))
    assert lines_of(capsys)[-1] == "Yes: 1 passes."


def test_the_answer_is_said_in_japanese(found: GateRun, capsys: pytest.CaptureFixture[str]) -> None:
    show_gate(found, Texts("ja"))
    lines = lines_of(capsys)
    assert lines[0] == "ゲート: Members"
    assert lines[-1] == "不可。不合格 1件、警告 1件、合格 1件。"


def test_examples_are_printed_if_the_policy_allows_them(found: GateRun, capsys: pytest.CaptureFixture[str]) -> None:
    show_gate(replace(found, checks=(replace(found.checks[0], examples=("[bold]f, 50[/bold]",)),)), Texts("en"))
    assert "Example from the data: [bold]f, 50[/bold]" in lines_of(capsys)


def test_markup_in_names_is_printed_as_it_is(found: GateRun, capsys: pytest.CaptureFixture[str]) -> None:
    named = replace(found.checks[0], name="[red]x[/red] [/]")
    show_gate(replace(found, title="[b]T[/b] [/]", checks=(named,)), Texts("en"))
    text = "\n".join(lines_of(capsys))
    assert "Gate: [b]T[/b] [/]" in text
    assert text.count("[red]x[/red] [/]") == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_suggested_checks_are_printed_with_todays_values(
    language: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, people_csv=PEOPLE)
    show_suggested(suggest_policy(tmp_path / "people.csv", kind="table"), Texts(language))
    text = "\n".join(lines_of(capsys))
    assert Texts(language)("gate.measure.identifiers") in text
    assert Texts(language)("gate.kind.table") in text
    assert "│ 0 │" in text
