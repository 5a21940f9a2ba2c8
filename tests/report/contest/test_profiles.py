"""The section of a contest's report about somebody who knows these people from another time."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from sudare.histories.another_time import profiles_before_and_after
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.text import write_cells
from sudare.report.contest.report import write_contest_report
from tests.histories.attack.histories import anonymize_classes, history, name
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import habitual_rows
from tests.report.pages import numbers_of, shown_text

# Whole pages, about a second each.
pytestmark = pytest.mark.slow

ROWS = habitual_rows(1, 30, items=30)


def reported(folder: Path, original: CellHistory, anonymized: CellHistory, language: str = "en") -> str:
    write_cells(original, folder / "T.csv")
    write_cells(anonymized, folder / "A.csv")
    made = dt.datetime(2025, 1, 31)
    write_contest_report(
        folder / "T.csv",
        folder / "A.csv",
        folder / "report.html",
        draws=1,
        made=made,
        language=language,  # type: ignore[arg-type]
    )
    return (folder / "report.html").read_text(encoding="utf-8")


def section(page: str) -> str:
    found = page[page.index('id="profiles"') :]
    return shown_text(found[: found.index("<section", 10)])


def test_the_numbers_are_those_of_the_attack_before_and_after(tmp_path: Path) -> None:
    original, anonymized = history(ROWS), anonymize_classes(ROWS, 3)
    found = profiles_before_and_after(original, anonymized)
    page = reported(tmp_path, original, anonymized)
    assert numbers_of(page, "profiles-identified") == [found.before.right, found.after.right]
    text = section(page)
    assert "Someone who knows these people from another time" in text
    assert f"Rows that are certainly of the later half {found.before.rows} {found.after.rows}" in text
    assert f"Pseudonyms with such rows {found.before.pseudonyms} {found.after.pseudonyms}" in text
    assert "Can be identified at most 100 % 33.33 %" in text
    assert "says nothing about the risk" not in text


def test_what_was_not_attacked_is_not_safe(tmp_path: Path) -> None:
    names = [name(item) for item in sorted({row[2] for row in ROWS})]
    everything = cells([[str(row[0]), "*", name(row[2]), "*", "*"] for row in ROWS], names)
    text = section(reported(tmp_path, history(ROWS), everything))
    assert "No published row is certainly of the later half" in text
    assert "says nothing about the risk" in text
    assert "0 % (" not in text


def test_why_nothing_was_measured_is_said(tmp_path: Path) -> None:
    rows = [(n, 5, n, 100, 1) for n in range(1, 4)]
    page = reported(tmp_path, history(rows), history(rows), "ja")
    text = section(page)
    assert "測定していない。理由:" in text
    assert "片方に何も残りません" in text
