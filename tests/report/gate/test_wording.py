"""How checks are put into words."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from sudare.gate.policy import Waiver
from sudare.gate.run import GateCheck
from sudare.messages import LANGUAGES, Texts, message
from sudare.report.gate.wording import (
    about_text,
    check_sentence,
    legal_value_of,
    limit_text,
    limits_text,
    measure_name,
    notes_of,
    shown_value,
)
from tests.gate.small_gates import PEOPLE, measured, write

ENGLISH = Texts("en")


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def check(tmp_path: Path) -> GateCheck:
    """The highest risk of six people by their sex: three are alike."""
    write(tmp_path, people_csv=PEOPLE)
    source = {"kind": "table", "file": "people.csv"}
    return measured(tmp_path, source, {"measure": "highest-risk", "known": ["sex"], "fail": 0.2, "warn": "9%"})


def changed(check: GateCheck, **fields: Any) -> GateCheck:
    from dataclasses import replace

    return replace(check, **fields)


def test_values_are_shown_by_their_units(check: GateCheck) -> None:
    assert plain(shown_value(check, ENGLISH)) == "33.33 %"
    assert shown_value(changed(check, value=1234.0, unit="count"), ENGLISH) == "1,234"
    assert shown_value(changed(check, value=0.5, unit="number"), ENGLISH) == "0.5"


@pytest.mark.parametrize(
    ("limit", "unit", "better", "said"),
    [
        (0.09, "share", "low", "at most 9 %"), (0.5, "share", "high", "at least 50 %"),
        (11, "count", "high", "at least 11"), (1234567, "count", "low", "at most 1,234,567"),
        (0.25, "number", "low", "at most 0.25"),
    ],
)  # fmt: skip
def test_limits_say_which_side_is_allowed(limit: float, unit: Any, better: Any, said: str) -> None:
    assert plain(limit_text(limit, unit, better, ENGLISH)) == said


def test_limits_that_fail_come_before_those_that_warn(check: GateCheck) -> None:
    assert plain(limits_text(check, ENGLISH)) == "at most 20 %; at most 9 % (warning)"
    assert plain(limits_text(changed(check, fail=None), ENGLISH)) == "at most 9 % (warning)"
    assert plain(limits_text(changed(check, warn=None), ENGLISH)) == "at most 20 %"
    assert plain(limits_text(check, Texts("ja"))) == "20%以下；9%以下（警告）"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, ""), ({"known": ("sex", "age")}, "sex, age"), ({"knowledge": "day + item"}, "day + item"),
        ({"size": 2}, "size 2"), ({"people": 3, "known": ("sex",)}, "sex, people 3"),
        ({"known": ("sex",), "sensitive": "town", "limit": 0.2}, "sex, sensitive town, limit 0.2"),
        # Files and switches say nothing about the value.
        ({"aligned": "a.csv", "trained": False}, ""),
    ],
)  # fmt: skip
def test_what_a_value_is_about_is_told_by_the_arguments(arguments: dict[str, Any], said: str) -> None:
    assert about_text(arguments) == said


def test_a_sentence_has_name_measure_value_limits_and_verdict(check: GateCheck) -> None:
    assert plain(check_sentence(check, ENGLISH)) == (
        "1: Highest risk 33.33 %; limit: at most 20 %; at most 9 % (warning); fails."
    )
    assert "不合格" in check_sentence(check, Texts("ja"))


def test_notes_say_facts_baseline_exception_and_basis(check: GateCheck) -> None:
    waiver = Waiver("they delete it", dt.date(2026, 12, 31))
    notes = notes_of(changed(check, before=0.25, drift=0.01, waiver=waiver, basis="estimated"), ENGLISH)
    assert [plain(note) for note in notes] == [
        "6 records are in classes of size 3",
        "Baseline: 25.00 %; may be worse by 1.00 %",
        "Exception until 2026-12-31: they delete it",
        "Estimated, not counted",
    ]
    waived = notes_of(changed(check, verdict="waived", waiver=waiver, facts=()), ENGLISH)
    assert waived == ["Does not count until 2026-12-31: they delete it"]


def test_why_a_check_is_no_answer_is_said_first(check: GateCheck) -> None:
    notes = notes_of(changed(check, unproven=message("gate.unproven.no_model")), ENGLISH)
    assert notes[0] == "No model of the population fits, so nothing is known about it"


def test_the_legal_map_is_told_what_was_measured_and_how(check: GateCheck) -> None:
    value = legal_value_of(changed(check, basis="estimated"))
    assert (value.measure, value.value, value.unit, value.better) == ("highest-risk", 1 / 3, "share", "low")
    assert (value.about, value.basis) == ("sex", "estimated")
    assert legal_value_of(changed(check, arguments={})).about == "s"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_measure_has_a_name(language: Any) -> None:
    from sudare.gate.measures.registry import MEASURES

    names = {name: measure_name(name, Texts(language)) for kind in MEASURES.values() for name in kind}
    assert len(set(names.values())) == len(names)
    assert [name for name in names.values() if not name.strip()] == []
