"""The section of a report about somebody who knows these people from another time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.histories import assess_attackers
from sudare.histories.profiles.assessment import ProfileAssessment, split_profiles
from sudare.histories.profiles.read import cells_of_history
from sudare.messages import Message, Texts
from sudare.progress import silent
from sudare.report.history.findings import measure_profiles
from sudare.report.history.profiles import profiles_values
from sudare.report.history.profiles_text import band_name
from sudare.report.history.report import write_history_report
from sudare.report.terminal import percent
from tests.histories.attack.histories import history
from tests.histories.profiles.small_profiles import habitual_rows, named
from tests.report.pages import shown_text

EN = Texts("en")
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def purchases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profiles") / "purchases.csv"
    lines = (
        f"c{n},2011-{1 + day // 28:02}-{1 + day % 28:02},{EVIL if item == 1 else f'i{item}'},{cents / 100},{quantity}\n"
        for n, day, item, cents, quantity in habitual_rows(1, 30, items=30)
    )
    path.write_text("customer,day,item,price,quantity\n" + "".join(lines))
    return path


def said_as(share: float | None) -> str:
    assert share is not None
    return " ".join(percent(share, EN).split())


def section(page: str, title: str = "Someone who knows these people from another time") -> str:
    """Return the text of the section, which is the last part with this title."""
    found = page[page.index('id="profiles"') :]
    text = shown_text(found[: found.index("<section", 10)])
    assert title in text
    return text


@pytest.mark.slow
def test_the_numbers_are_those_of_the_untrained_attack(purchases: Path, tmp_path: Path, engine: DuckDBEngine) -> None:
    with sudare.read_history(purchases, engine=engine) as read:
        found = split_profiles(cells_of_history(read), trained=False, what_if=True)
        write_history_report(read, assess_attackers(read), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = section(page)
    assert found.one_to_one is not None
    assert found.best_ten is not None
    low, high = map(said_as, found.intervals["one_to_one"])
    assert f"Identified, one-to-one {said_as(found.one_to_one)} ({low} to {high})" in text
    assert f"Right one among the best ten {said_as(found.best_ten)} (" in text
    assert f"Known: {found.known_period.rows} rows of 30 customers" in text
    assert "that is quicker; sudare history profiles trains it, and finds more" in text
    for case in found.what_if:
        assert f" {case.pseudonyms} {case.candidates} {said_as(case.one_to_one)}" in text
    for item in found.items:
        assert f"{item.item} {item.pairs} {item.people} {said_as(item.share)}" in text
    assert EVIL in [item.item for item in found.items]
    assert EVIL not in page
    answer = shown_text(page[: page.index('id="profiles"')])
    assert (
        f"Someone who knows these people from another time identifies {said_as(found.one_to_one)} of the 30" in answer
    )


@pytest.mark.slow
def test_an_attack_that_was_made_is_shown_as_it_was(purchases: Path, tmp_path: Path, engine: DuckDBEngine) -> None:
    with sudare.read_history(purchases, engine=engine) as read:
        found = replace(split_profiles(cells_of_history(read), "2011-03-05", trained=False), method="trained")
        write_history_report(read, assess_attackers(read), tmp_path / "report.html", profiles=found, language="ja")
    text = section((tmp_path / "report.html").read_text(encoding="utf-8"), "別の時期の購買")
    assert "攻撃は、既知の期間を内部で分割して学習しています。" in text
    assert "2011-03-05" in text
    assert "変更なし" not in text


@pytest.mark.slow
def test_what_could_not_be_measured_is_not_safe(toy: sudare.History, tmp_path: Path) -> None:
    """One customer of the toy history comes in both halves."""
    write_history_report(toy, assess_attackers(toy), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = section(page)
    assert "Not measured: Fewer than two people buy in both periods" in text
    assert "This says nothing about the risk." in text
    assert "Someone who knows these people from another time identifies" not in shown_text(page)


def test_why_it_could_not_be_measured_is_a_message(toy: sudare.History, engine: DuckDBEngine, tmp_path: Path) -> None:
    found = measure_profiles(toy, 0, silent)
    assert isinstance(found, Message)
    assert found.key == "errors.profiles.few_in_both"
    (tmp_path / "day.csv").write_text("customer,day,item\n1,2011-01-01,a\n2,2011-01-01,b\n")
    with sudare.read_history(tmp_path / "day.csv", engine=engine) as one_day:
        found = measure_profiles(one_day, 0, silent)
    assert isinstance(found, Message)
    assert found.key == "errors.profiles.split_outside"


@pytest.fixture(scope="module")
def assessed() -> ProfileAssessment:
    return split_profiles(named(history(habitual_rows(1, 30))), "2011-04-11", trained=False)


def test_figures_show_what_was_measured(assessed: ProfileAssessment) -> None:
    surest, rows = (shown_text(figure.panels[0].svg) for figure in profiles_values(assessed, EN)["profile_figures"])
    for one in assessed.surest:
        assert one.right is not None
        assert f"{said_as(one.share)} of the pseudonyms: {said_as(one.right)} right" in surest
    for band in assessed.by_rows:
        assert f"{band_name(band.least, band.most, EN)} rows ({band.pseudonyms} pseudonym" in rows
        assert f": {said_as(band.identified)}" in rows


def test_without_a_truth_there_is_nothing_to_draw(assessed: ProfileAssessment) -> None:
    blind = tuple(replace(one, right=None, interval=None) for one in assessed.surest)
    values = profiles_values(replace(assessed, one_to_one=None, surest=blind, by_rows=(), open_world=None), EN)
    assert values["profile_figures"] == ()
    assert values["profile_worlds"] == ["Closed world"]
    assert any("Nobody told" in line for line in values["profile_remarks"])
