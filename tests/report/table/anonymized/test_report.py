"""The report of an anonymized table: it has every number of the results, and no value but those it says it shows."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sudare
from sudare.messages import LANGUAGES, catalogue, message
from sudare.report.presentation import html_of
from sudare.report.table.anonymized.report import write_anonymized_report
from sudare.tables.classes.criteria import Criteria
from sudare.tables.hierarchies.model import make_hierarchy
from sudare.tables.recoded.check import CheckedProperty, TableCheck
from sudare.tables.roles import Roles
from tests.report.pages import Nesting, answer_of, numbers_of, shown_text
from tests.report.table.anonymized.small import (
    ATTACKS,
    CHECK,
    FRONTIER,
    NAMES,
    ROLES,
    UTILITY,
    anonymized_people,
    published_people,
)

# Whole pages, a third of a second each.
pytestmark = pytest.mark.slow

MADE = dt.datetime(2025, 1, 31, 9, 30)
EVIL = "<script>alert(1)</script>"

Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function from changes of the small anonymized table to its report."""

    def report(
        *, language: str = "en", check: TableCheck | None = CHECK, frontier: Any = FRONTIER, **changed: Any
    ) -> str:
        published = published_people(tmp_path, check) if check else None
        with anonymized_people(tmp_path, **changed) as made:
            write_anonymized_report(
                made,
                tmp_path / "r.html",
                published=published,
                frontier=frontier,
                language=language,  # type: ignore[arg-type]  # one of the two languages
                made=MADE,
            )
        return (tmp_path / "r.html").read_text(encoding="utf-8")

    return report


@pytest.fixture(scope="module", params=LANGUAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The whole report, in each language."""
    folder = tmp_path_factory.mktemp("whole")
    with anonymized_people(folder) as made:
        write_anonymized_report(
            made, folder / "r.html", published=published_people(folder), frontier=FRONTIER, language=request.param,
            made=MADE,
        )  # fmt: skip
    return (folder / "r.html").read_text(encoding="utf-8")


def numbers_in(value: Any) -> Iterator[float]:
    """Yield all numbers of plain values."""
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def test_every_number_of_the_results_stands_on_the_page(page: str) -> None:
    marked = {float(value) for value in re.findall(r'<data value="([^"]+)">', page)}
    text = shown_text(page)
    for result in (UTILITY, ATTACKS, CHECK, FRONTIER):
        for number in numbers_in(result.to_dict()):
            percent = f"{100 * number:.2f}"
            told = number in marked or percent in text or f"{number:,}" in text or f"{number:g}" in text
            assert told, (type(result).__name__, number)


def test_losses_stand_by_column_and_in_all(page: str, tmp_path: Path) -> None:
    with anonymized_people(tmp_path) as made:
        loss = made.loss
    for place, column in enumerate(loss.columns, 1):
        expected = [column.entropy, column.highest_entropy, column.ncp, column.suppressed_cells]
        assert numbers_of(page, f"loss-{place}") == pytest.approx(expected)
    expected = [loss.entropy, loss.highest_entropy, loss.ncp, loss.suppressed_cells]
    assert numbers_of(page, "loss-total") == pytest.approx(expected)
    assert numbers_of(page, "loss-discernibility") == [loss.discernibility]


def test_the_risk_stands_before_and_after(page: str) -> None:
    assert numbers_of(page, "risk-records") == [8, 7]
    assert numbers_of(page, "risk-uniques") == [2, 0]
    assert numbers_of(page, "risk-classes") == [5, 2]
    assert numbers_of(page, "risk-smallest") == [1, 3]
    assert numbers_of(page, "risk-max_risk") == pytest.approx([1, 1 / 3])
    assert numbers_of(page, "risk-mean_risk") == pytest.approx([5 / 8, 2 / 7])
    assert numbers_of(page, "band-1") == [2, 0]
    assert numbers_of(page, "band-2") == [6, 7]


def test_the_answer_comes_first(make: Make) -> None:
    page = make()
    text = shown_text(page)
    assert "What is left: 87.50 % of the records (7 of 8), with 4 of 5 columns." in text
    assert "50.00 % are as they were, 50.00 % are coarser but true, and 0 % say nothing (*)." in text
    assert answer_of(page) == "holds"
    assert "Dropped, because it identifies people by itself: “name”." in text
    assert "Published as they were: “town” and “illness”." in text
    assert (
        "2 of 8 records (25.00 %) stood alone in the original. In the file, every record is one of at least 3." in text
    )
    assert "The highest risk falls from 100 % to 33.33 %, the mean from 62.50 % to 28.57 %." in text
    assert "loses less than 0.75 bits per record" in text
    assert "predicts “illness” correctly in 81.00 % of cases; one that learns from the original in 91.00 %" in text


def test_claims_name_what_was_asked_what_was_measured_and_the_file(make: Make) -> None:
    page = make()
    text = shown_text(page)
    assert "what was measured in safe.csv after it was written" in text
    claims = re.findall(r'<tr id="claim-(\d+)" data-claim="(\w+)" data-verdict="(\w+)">', page)
    assert [claim[1:] for claim in claims] == [
        ("k", "holds"), ("l", "holds"), ("suppressed", "holds"), ("columns", "holds"), ("lines", "holds"),
        ("cells", "holds"),
    ]  # fmt: skip
    assert numbers_of(page, "claim-1") == [3, 3]
    assert numbers_of(page, "claim-2") == [2, 2.75]
    assert "l: different values of “illness” in every class at least 2 2.750 holds proven" in text
    assert "suppressed records at most 25 % 12.50 % holds proven" in text


def test_wrong_cells_of_all_columns_are_added_up(make: Make) -> None:
    wrong = (CheckedProperty("cells", "sex", 0, 2, False), CheckedProperty("cells", "age", 0, 3, False))
    page = make(check=replace(CHECK, checks=wrong))
    assert answer_of(page) == "broken"
    assert "cells that do not cover the true value 0 5 DOES NOT HOLD" in shown_text(page)
    # What could not be measured any more is not said to hold.
    assert re.findall(r'data-claim="(\w+)" data-verdict="unknown"', page) == ["k", "l", "suppressed"]


def test_without_a_file_nothing_is_said_to_be_checked(make: Make) -> None:
    page = make(check=None)
    text = shown_text(page)
    assert answer_of(page) == "unchecked"
    assert "NOT CHECKED: no file was written." in text
    assert "holds proven" not in text
    assert "k: persons in every class at least 3 3 holds counted on the classes" in text
    assert "l: different values of “illness” in every class at least 2 – not checked" in text
    asked = "--k 3 --l 2 --suppress 0.25 --sensitive illness --keep town --cells ranges"
    assert f"sudare table anonymize people.csv {asked} -o safe.csv --report report.html" in text


def test_the_next_step_has_the_options_that_were_asked_for(make: Make, tmp_path: Path) -> None:
    criteria = Criteria(k=3, l=2, diversity="recursive", c=1.5, t=0.3, suppress=0.5)
    columns = tuple(replace(c, reason="named" if c.role == "quasi" else "not_known") for c in ROLES.columns)
    with anonymized_people(tmp_path) as made:
        cells = made.recoded.columns
        means = replace(made.recoded, columns=(cells[0], replace(cells[1], mean=True)))
    changed: dict[str, Any] = {"model": "levels", "loss_name": "ncp", "cells": "nodes", "recoded": means}
    hierarchy = make_hierarchy("sex", {1: ("f", "*"), 2: ("m", "*")})
    text = shown_text(
        make(check=None, criteria=criteria, roles=Roles(columns), hierarchies={"sex": hierarchy}, **changed)
    )
    asked = "--k 3 --l 2 --c 1.5 --t 0.3 --suppress 0.5 --diversity recursive"
    columns_named = "--known sex,age --sensitive illness --microaggregate age --other keep"
    search = "--hierarchies DIR --model levels --loss ncp"
    assert f"sudare table anonymize people.csv {asked} {columns_named} {search} -o safe.csv" in text


def test_an_attack_that_reached_more_than_is_claimed_is_said_first(make: Make) -> None:
    above = replace(ATTACKS.attacks[1], verdict="above", reason="class_shares")
    page = make(attacks=replace(ATTACKS, attacks=(ATTACKS.attacks[0], above)))
    text = shown_text(page)
    assert answer_of(page) == "attacked"
    assert "These attacks reached more than the claims allow: inference of a sensitive value." in text
    assert "--k 6" in text


def test_an_attack_about_which_nothing_is_promised_breaks_no_claim(make: Make) -> None:
    above = replace(ATTACKS.attacks[1], verdict="beyond", reason="participation")
    page = make(attacks=replace(ATTACKS, attacks=(ATTACKS.attacks[0], above)))
    text = shown_text(page)
    assert answer_of(page) == "beyond"
    assert "NOT SAFE" not in text
    assert "of which the claims promise nothing: inference of a sensitive value." in text


@pytest.mark.parametrize("attacks", [None, replace(ATTACKS, attacks=ATTACKS.attacks[2:])])
def test_a_table_that_was_not_attacked_is_not_called_unbroken(make: Make, attacks: Any) -> None:
    page = make(attacks=attacks)
    assert answer_of(page) == "untried"
    assert "No attack that was tried" not in shown_text(page)


def test_controls_that_failed_are_told(make: Make) -> None:
    text = shown_text(make())
    assert "on the original: must reach 80.20 % 80.10 % passed" in text
    assert "truth shuffled: must stay at 10.40 % 10.30 % failed" in text


def test_no_value_is_shown_but_those_that_the_page_names(page: str) -> None:
    text = shown_text(page)
    assert [name for name in NAMES if re.search(rf"\b{name}\b", text)] == []
    # Of the sensitive column and the kept one only the names stand there; 70 is not published, 52 and 41 end ranges.
    assert re.findall(r"\b(?:flu|cold|gout)\b", text) == []
    contents = re.search(r'(?s)<section id="file">.*?</section>', page)
    assert contents
    assert re.search(r"\b(?:70|41|52)\b", re.sub(r"30-(?:41|52)", "", shown_text(contents.group()))) is None


def test_examples_are_what_became_of_the_columns(make: Make) -> None:
    text = shown_text(make())
    assert "age 30 30-41 30-41 (57.14 %, 2 values) 30-52 (42.86 %, 3 values)" in text
    assert "name dropped: identifies people names of people – – –" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_another_language_is_left(make: Make, language: str) -> None:
    other, mine = catalogue("ja" if language == "en" else "en"), catalogue(language)  # type: ignore[arg-type]
    shown = shown_text(make(language=language))
    sentences = [text for key, text in other.items() if "{" not in text and len(text) > 20 and text != mine.get(key)]
    assert [text for text in sentences if text in shown] == []


def test_what_was_not_measured_has_no_section(make: Make) -> None:
    page = make(utility=None, attacks=None, frontier=None)
    assert [name for name in ("use", "attacks", "frontier") if f'<section id="{name}">' in page] == []
    assert page.count("<section") == 9


def test_a_classifier_that_was_not_trained_is_said_to_be_left_out(make: Make) -> None:
    page = make(utility=replace(UTILITY, classifier=None, classifier_not_measured="not_installed"))
    assert "No classifier was trained, because scikit-learn is not installed." in shown_text(page)


@pytest.mark.parametrize(
    ("name", "told"),
    [("entropy", "bits per record"), ("ncp", "(NCP)"), ("discernibility", "(discernibility per record)"),
     ("precision", "bits per record")],
)  # fmt: skip
def test_every_loss_has_its_unit(make: Make, name: str, told: str) -> None:
    text = shown_text(make(loss_name=name, bound=0.001))
    assert re.search(rf"The loss is [\d.,]+ {re.escape(told)}", text)
    # A bound of another measure says nothing of the one that is shown.
    assert ("loses less than" in text) == (name != "precision")


@pytest.mark.parametrize("bound", [None, 0.0])
def test_without_a_bound_nothing_is_said_to_be_proven_about_the_loss(make: Make, bound: float | None) -> None:
    text = shown_text(make(bound=bound))
    assert "loses less than" not in text
    assert "No bound is known for this loss." in text


def test_a_table_of_which_nothing_is_left_makes_a_sensible_page(make: Make, tmp_path: Path) -> None:
    with anonymized_people(tmp_path) as made:
        gone = replace(made.recoded, owner=made.recoded.owner * 0 - 1, cells=made.recoded.cells[:, :0])
    page = make(recoded=gone, utility=None, attacks=None)
    assert answer_of(page) == "nothing"
    assert "Nothing is left: every record is suppressed." in shown_text(page)


def test_names_from_the_data_are_escaped(make: Make, tmp_path: Path) -> None:
    with anonymized_people(tmp_path) as made:
        columns = tuple(replace(c, texts=(EVIL,) * len(c.texts)) for c in made.recoded.columns)
        evil = replace(made.recoded, columns=columns)
    page = make(recoded=evil, utility=replace(UTILITY, marginals=(replace(UTILITY.marginals[0], attribute=EVIL),)))
    assert "<script" not in page
    assert EVIL in shown_text(page)


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(page: str) -> None:
    nesting = Nesting()
    nesting.feed(page)
    assert nesting.open == []
    assert set(re.findall(r"""(?:https?:)?//[^\s"'<>]+""", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|@import|url\(", page)
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))


def test_the_same_results_and_date_give_the_same_bytes(make: Make) -> None:
    assert make() == make()


def test_how_to_repeat_names_hashes_versions_and_the_seed(make: Make, tmp_path: Path) -> None:
    page = make()
    repeated = page.split('<section id="parameters">')[1]
    assert len(re.findall(r'<dd class="hash">[0-9a-f]{64}</dd>', repeated)) == 2
    assert f"sudare {sudare.__version__}, Python" in repeated
    assert "anonymized.report(" in shown_text(repeated)
    assert str(tmp_path) not in page


def test_the_command_line_is_shown_where_there_is_one(tmp_path: Path) -> None:
    with anonymized_people(tmp_path) as made:
        write_anonymized_report(made, tmp_path / "r.html", command="sudare table anonymize people.csv --k 3")
    text = shown_text((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "The command that made this report: sudare table anonymize people.csv --k 3" in text


def test_an_output_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    steps: list[object] = []
    with anonymized_people(tmp_path) as made, pytest.raises(sudare.OutputNotWritable, match="does not exist"):
        write_anonymized_report(made, tmp_path / "no" / "r.html", progress=lambda step, *_: steps.append(step))
    assert steps == []


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    steps: list[tuple[Any, int, int]] = []
    with anonymized_people(tmp_path) as made:
        write_anonymized_report(made, tmp_path / "r.html", progress=lambda *step: steps.append(step))
    assert steps[-1] == (message("progress.drawing"), 1, 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_notebook_shows_what_is_left_the_claims_and_the_loss(tmp_path: Path, language: Any) -> None:
    with anonymized_people(tmp_path) as made:
        cell = html_of(made, language)
    assert cell.count("<svg") == 4
    assert numbers_of(cell, "loss-total")[0] == pytest.approx(made.loss.entropy)
    assert [name for name in NAMES if re.search(rf"\b{name}\b", shown_text(cell))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_frontier_shows_itself_as_text_and_in_a_notebook(language: Any) -> None:
    cell = html_of(FRONTIER, language)
    for place, point in enumerate(FRONTIER.points, 1):
        assert numbers_of(cell, f"frontier-{place}")[0] == point.k
        assert f"{point.loss:.3f}" in FRONTIER.text(language)
