"""What is printed of recognizing people from another time, and of several releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sudare.histories.profiles.assessment import ProfileAssessment, link_profiles, split_profiles
from sudare.histories.profiles.evidence import KeptHabit
from sudare.histories.profiles.what_if import WhatIf
from sudare.histories.releases.assessment import assess_releases
from sudare.messages import LANGUAGES, Texts
from sudare.report.history.profiles_text import (
    band_name,
    change_name,
    compared,
    gives_away,
    remarks,
    share_rows,
    show_profiles,
)
from sudare.report.history.releases_text import show_releases
from sudare.report.terminal import percent
from tests.histories.attack.histories import Row, anonymize_classes, history
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import habitual_rows, halves, named
from tests.histories.releases.test_chains import recipients

EN = Texts("en")
Print = Callable[..., str]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return habitual_rows(1, 32)


@pytest.fixture(scope="module")
def split(rows: list[Row]) -> ProfileAssessment:
    return split_profiles(named(history(rows)), "2011-04-11", trained=False, what_if=True)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Print:
    def text(show: Callable[..., None], *given: object) -> str:
        show(*given)
        return " ".join(capsys.readouterr().out.split())

    return text


def said_as(share: float | None) -> str:
    assert share is not None
    return " ".join(percent(share, EN).split())


def cells_of(found: ProfileAssessment) -> dict[str, list[str]]:
    worlds = [found, *([found.open_world] if found.open_world else [])]
    return {label: [" ".join(cell.split()) for cell in cells] for label, cells in share_rows(worlds, EN)}


def test_the_table_has_the_numbers_of_both_worlds(split: ProfileAssessment) -> None:
    found, world = cells_of(split), split.open_world
    assert world is not None
    assert found["Pseudonyms"] == found["Candidates"] == ["32", "32"]
    assert found["Identified by guessing"] == [said_as(1 / 32)] * 2
    for name, label in (("one_to_one", "Identified, one-to-one"), ("alone", "Identified, each by itself")):
        for part, cell in zip((split, world), found[label], strict=True):
            low, high = part.intervals[name]
            assert cell == f"{said_as(getattr(part, name))} ({said_as(low)} to {said_as(high)})"
    assert found["Calibration error"] == [f"{split.calibration_error:.3f}", f"{world.calibration_error:.3f}"]
    # All pseudonyms are those of candidates.
    assert "Pseudonyms of candidates" not in found


def test_strangers_are_counted_and_shares_without_a_truth_are_not_shown(rows: list[Row]) -> None:
    known, published = named(halves(rows)[0], "c"), named(halves(rows)[1], "x")
    some = named(history([row for row in rows if row[0] <= 20 and row[1] < 100]), "c")
    judged = link_profiles(some, published, truth={f"x{n}": f"c{n}" for n in range(1, 33)}, trained=False)
    assert cells_of(judged)["Pseudonyms of candidates"] == ["20"]
    unknown = cells_of(link_profiles(known, published, trained=False))
    assert list(unknown) == ["Pseudonyms", "Candidates", "Identified by guessing", "Expected by the attacker"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_is_printed_in_both_languages(split: ProfileAssessment, printed: Print, language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    shown = printed(show_profiles, split, "[bold]purchases.csv", texts)
    assert "[bold]purchases.csv" in shown
    for key in ("one_to_one", "best_ten", "world.closed", "world.open", "what_if.publish.coarse", "items.share"):
        assert texts(f"profiles.{key}") in shown, key
    assert split.items[0].item in shown


def test_what_was_compared_is_said(rows: list[Row], split: ProfileAssessment) -> None:
    first, second, how = compared(split, EN)
    assert first.startswith("Known: ")
    assert first.endswith("rows of 32 customers, 2011-01-01 to 2011-04-10.")
    assert second.startswith("Published: ")
    assert how == "The attack is untrained: that was asked for."
    assert compared(split, EN, by_default=True)[-1].startswith("The attack is untrained: that is quicker")
    assert compared(replace(split, method="trained"), EN)[-1].startswith("The attack is trained on the known period")
    assert compared(replace(split, gap_days=1), EN)[2] == "Between the two periods lies 1 day."
    assert compared(replace(split, gap_days=9), EN)[2] == "Between the two periods lie 9 days."
    assert "rows are compared by day, too" in compared(replace(split, gap_days=9, same_time=True), EN)[2]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "reason", ["not_installed", "overlapping", "no_days", "few_people", "nothing_repeated", "same_time"]
)
def test_why_nothing_was_learnt_is_said(split: ProfileAssessment, language: str, reason: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    said = compared(replace(split, not_trained=reason), texts)[-1]  # type: ignore[arg-type]
    assert texts(f"profiles.not_trained.{reason}") in said


def test_periods_without_days_are_said_to_have_none(split: ProfileAssessment) -> None:
    undated = replace(split.published_period, first=None, last=None, rows=1, people=1)
    assert (
        compared(replace(split, published_period=undated), EN)[1] == "Published: 1 row of 1 pseudonyms, without a day."
    )
    known = replace(split.known_period, first=None, last=None)
    assert compared(replace(split, known_period=known), EN)[0].endswith("32 customers, without days.")
    assert "日付なし" in compared(replace(split, known_period=known), Texts("ja"))[0]


def test_classes_have_a_ceiling_that_is_not_rounded_down() -> None:
    rows = habitual_rows(6, 42, rows=10, items=25)
    later = [row for row in rows if row[1] >= 100]
    published = anonymize_classes(later, 3)
    owners = dict(zip(published.persons.tolist(), (row[0] for row in later), strict=True))
    truth = {f"x{pid}": f"c{customer}" for pid, customer in owners.items() if pid}
    found = link_profiles(named(halves(rows)[0], "c"), named(published, "x"), truth=truth)
    said = " ".join(" ".join(remarks(found, EN)).split())
    assert "in 14 classes of at least 3" in said
    assert "at most 33.3334 % of the pseudonyms can be identified" in said
    assert found.classes is not None
    assert f"Assigned to the right class: {said_as(found.classes.right_class)} of the customers." in said
    assert "Nobody told" not in said
    alone = " ".join(remarks(link_profiles(named(halves(rows)[0], "c"), named(published, "x")), EN))
    assert "Nobody told who is behind the pseudonyms" in alone
    assert "right class" not in alone


def test_a_correlation_of_next_to_nothing_has_no_sign(split: ProfileAssessment) -> None:
    habits = tuple(KeptHabit(name, value) for name, value in (("rows", 0.126), ("price", -0.001), ("basket", -0.5)))
    said = gives_away(replace(split, habits=habits, views=()), EN)
    assert said == [
        "Habits that people keep (correlation between the two periods): number of rows 0.13, price level 0.00, "
        "rows per visit -0.50."
    ]
    assert gives_away(replace(split, habits=(), views=()), EN) == []


def test_bands_and_changes_have_names() -> None:
    assert (band_name(1, 4, EN), band_name(200, None, EN)) == ("1 to 4", "200 or more")
    for change, value, said in (
        ("nothing", None, "as it is"),
        ("gap_days", 30, "publishing starts 30 days later"),
        ("known_days", 1, "only the last 1 day is known"),
        ("publish", "coarse", "both: three letters and powers of two"),
    ):
        assert change_name(WhatIf(change, value, 10, 10, 0.5, (0.2, 0.8)), EN) == said  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_releases_are_printed_in_both_languages(printed: Print, language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    found = assess_releases([named(one) for one in recipients()])
    shown = printed(show_releases, found, texts)
    assert texts("releases.columns.column") in shown
    # Long lines are broken between any letters of Japanese.
    assert texts("releases.attackers.drawn", seed=0).replace(" ", "") in shown.replace(" ", "")
    assert texts("releases.right") not in shown.split(texts("releases.meaning")[:10])[0].split()


def test_releases_of_exact_cells_with_a_truth_say_what_is_right(rows: list[Row], printed: Print) -> None:
    parts = [named(history([row for row in rows if first <= row[1] < first + 100])) for first in (0, 100)]
    found = assess_releases(parts, truth=True)
    shown = printed(show_releases, found, EN)
    assert "2 releases of the same people, linked by what people buy" in shown
    assert f"became {found.chains} chains; {found.in_releases[1]} of them run through several releases" in shown
    assert "Values per cell" not in shown
    assert "Identified" in shown


def test_a_release_without_days_has_no_period(printed: Print) -> None:
    rows = [[str(n), "*", f"i{n}", "1", "1"] for n in range(1, 4)]
    dated = [[row[0], "2011/1/1", *row[2:]] for row in rows]
    shown = printed(show_releases, assess_releases([named(cells(dated)), named(cells(rows))]), EN)
    assert "2011-01-01 to 2011-01-01 │ 3" in shown
    assert "None" not in shown
