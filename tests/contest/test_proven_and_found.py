"""What is proven of attackers and what was only found bear different names, and bounds are what is called a bound.

Two classes of nine make all plans too many to try: of these classes 20.9 % is proven, and a plan of 7.3 % was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sudare.contest import frontier as module
from sudare.contest.frontier import FrontierSearch, trace_frontier
from sudare.contest.frontier_points import FrontierPoint
from sudare.histories.anonymize.classes import AnonymizedHistory
from sudare.histories.attack.duel import run_duel
from sudare.histories.safety.classes import class_safety
from sudare.histories.safety.matching_safety import matching_safety
from sudare.histories.safety.matchings import Matchings
from sudare.messages import LANGUAGES, Texts, catalogue
from sudare.report.contest.frontier import write_frontier_page
from sudare.report.contest.report import write_contest_report
from sudare.report.contest.safety_text import show_classes
from sudare.report.history.anonymized_text import show_anonymized
from sudare.report.numbers import Numbers
from tests.histories.anonymize.small_histories import history

SIZES = [2] * 12 + [9] * 2
PEOPLE = history([[(1, f"i{number:02d}", 1, 1)] for number, size in enumerate(SIZES) for _ in range(size)])
SAFETY = class_safety(SIZES, attacks=3)
MADE = AnonymizedHistory(PEOPLE, 2, 0, 42, 42, 0, tuple(SIZES), 0.5, 0.4, converged=True, seconds=1.0)
BOUND, FOUND = SAFETY.tests[0].bound, SAFETY.tests[0].plan_found.probability


def test_the_bound_is_above_what_was_found() -> None:
    assert not SAFETY.tests[0].proven
    assert (round(FOUND, 4), round(BOUND, 4)) == (0.0730, 0.2093)


def test_what_is_said_to_survive_follows_from_the_bound() -> None:
    test = SAFETY.tests[0]
    assert test.survives_at_least_if_independent == pytest.approx((1 - BOUND) ** 3)
    assert test.survives_at_least == pytest.approx(1 - 3 * BOUND)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shown", ["anonymize", "classes"])
def test_texts_give_the_bound_and_call_the_plan_the_best_found(
    capsys: pytest.CaptureFixture[str], language: str, shown: str
) -> None:
    texts = Texts(language)
    if shown == "anonymize":
        show_anonymized(MADE, SAFETY, None, "T.csv", texts)
    else:
        show_classes(SAFETY, "A.csv", texts)
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"at most (20\.93 %|0\.2093)|(20\.93%|0\.2093) ?以下", said)
    before = re.findall(r"[^.。]*(?:7\.30 ?%|0\.0730)", said)
    assert before
    assert all("found" in words or "見つかった" in words for words in before)


def test_a_point_of_the_frontier_has_the_bound_and_its_page_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "anonymize_by_model", lambda *_, **__: MADE)
    found = trace_frontier(PEOPLE, [2], search=FrontierSearch(duel=False, attacks=3))
    point = found.points[0]
    assert (point.chance_bound, point.chance_found) == (BOUND, FOUND)
    assert point.survives_at_least == SAFETY.tests[0].survives_at_least
    drawing, page = write_frontier_page(found, tmp_path)
    assert "20.93\u00a0%" in page.read_text(encoding="utf-8")
    assert "one attack succeeds with at most 20.93\u00a0%" in drawing.read_text(encoding="utf-8")


def test_a_report_says_at_most_of_the_bound_only(tmp_path: Path) -> None:
    write_contest_report(PEOPLE, PEOPLE, tmp_path / "r.html", draws=1)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "probability of at most 20.93\u00a0%" in page
    assert "at most 7.30" not in page


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _keys(inner)


def test_no_result_has_a_key_that_could_be_mistaken_for_a_proven_one() -> None:
    matching = matching_safety(Matchings([[0, 1], [0, 1]]), samples=20)
    duel = run_duel(PEOPLE, PEOPLE, methods=["scoreboard"])
    assert duel.classes is not None
    for found in (SAFETY.to_dict(), matching.to_dict(), duel.classes.to_dict()):
        assert {"best", "survives", "chance", "low", "high"}.isdisjoint(_keys(found))
    assert "probability" not in matching.to_dict()
    assert {"probability", "survives", "bound"}.isdisjoint(field.name for field in fields(FrontierPoint))


@pytest.mark.parametrize(("language", "word"), [("en", "found"), ("ja", "見つかった")])
def test_texts_with_what_was_found_say_that_it_was_found(language: str, word: str) -> None:
    names = re.compile(r"\{\w*found\w*\}")
    rooms = ("anonymize.", "frontier.", "contest.", "report.contest.", "report.frontier.", "web.")
    said = {key: text for key, text in catalogue(language).items() if key.startswith(rooms) and names.search(text)}
    assert len(said) >= 6
    assert {key for key, text in said.items() if word not in text} == set()
    assert not [key for key, text in said.items() if re.search(r"at (most|least|best) \{\w*found", text)]


@pytest.mark.parametrize(
    ("share", "most", "least"),
    [
        (0.19314, "19.32", "19.31"),
        (0.5, "50.00", "50.00"),
        (299 / 4096, "7.30", "7.29"),
        (1e-9, "0.01", "0"),
        (1 - 1e-9, "100", "99.99"),
        (0.0, "0", "0"),
        (1.0, "100", "100"),
    ],
)
def test_bounds_are_rounded_to_the_side_on_which_they_are_true(share: float, most: str, least: str) -> None:
    numbers = Numbers(Texts("ja"))
    assert (numbers.at_most(share), numbers.at_least(share)) == (f"{most}%", f"{least}%")
