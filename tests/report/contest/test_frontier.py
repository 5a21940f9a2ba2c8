"""The page and the chart of what anonymity costs."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from sudare.contest.frontier import Frontier, FrontierSearch
from sudare.contest.frontier_points import FrontierPoint
from sudare.histories.generalized.rule_sets import ContestResult
from sudare.messages import Texts
from sudare.report.charts.frontier import frontier_chart
from sudare.report.contest.frontier import write_frontier_page

MADE = dt.datetime(2025, 1, 31, 9, 30)
POINTS = (
    FrontierPoint(2, 0.25, 0.2, 3, 4, False, 0.1931, 0.0730, 0.0, "broken", 2, False, 1.5),
    FrontierPoint(3, 0.35, 0.0, 5, 3, False, None, 0.0093, None, None, None, True, 1.5),
    FrontierPoint(7, 0.5, 0.3, 9, 1, True, 0.0, 0.0, 1.0, "not_broken", -4, True, 1.5),
)
FOUND = Frontier(8, 20, FrontierSearch(fast=True, seconds=30.0), POINTS)
RESULTS = (ContestResult(0.206, safe=True), ContestResult(0.193, safe=False))


def values_of(page: str, row: str) -> list[float]:
    found = re.search(rf'(?s)<tr id="{row}".*?</tr>', page)
    assert found
    return [float(value) for value in re.findall(r'<data value="([^"]+)">', found.group())]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_shows_every_point_and_the_results_of_the_contest(tmp_path: Path, language: str) -> None:
    written = write_frontier_page(
        FOUND, tmp_path, source="<T>.csv", rules="cup", results=RESULTS, language=language, made=MADE
    )
    assert [path.name for path in written] == ["frontier.svg", "index.html"]
    page = written[1].read_text(encoding="utf-8")
    assert values_of(page, "k-2") == [2, 0.25, 0.2, 3, 4, 0.1931, 0.073, 0, 2]
    assert values_of(page, "k-3") == [3, 0.35, 5, 3, 0.0093]
    # Too few customers are left for any effective attack: a bound of 0 is no safety, and no number is shown.
    assert values_of(page, "k-7") == [7, 0.5, 0.3, 9, 1, -4]
    assert Texts(language)("frontier.too_few_meaning") in page
    assert 'id="k-3" data-verdict="not_attacked"' in page
    assert "0.206" in page
    assert "0.193" in page
    assert "&lt;T&gt;.csv" in page
    assert "<script" not in page
    assert "safe for" not in page


def test_without_results_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    written = write_frontier_page(FOUND, tmp_path, made=MADE)
    page = written[1].read_text(encoding="utf-8")
    assert "For comparison" not in page
    assert "the original history" in page


def test_the_drawing_says_in_words_what_it_shows(tmp_path: Path) -> None:
    written = write_frontier_page(FOUND, tmp_path, results=RESULTS, made=MADE)
    drawn = written[0].read_text(encoding="utf-8")
    assert drawn.startswith("<svg ")
    assert "k = 2: U 0.2500, one attack succeeds with at most 19.31\u00a0%, the best plan found with 7.30" in drawn
    assert "k = 3: U 0.3500, the best plan found succeeds with 0.93" in drawn
    assert "best safe history of the contest: 0.206" in drawn


def test_nothing_is_drawn_where_nobody_can_succeed_or_no_bound_is_known() -> None:
    texts = Texts("en")
    both = frontier_chart(FOUND, (), texts).spec["vconcat"]
    assert len(both) == 2
    # A probability of 0 has no place on the axis of powers of ten.
    assert [row["k"] for row in both[1]["layer"][0]["data"]["values"]] == [2, 2, 3]
    alone = frontier_chart(Frontier(8, 20, FrontierSearch(), POINTS[2:]), (), texts).spec["vconcat"]
    assert len(alone) == 1
    lines = next(layer for layer in both[0]["layer"] if layer["mark"]["type"] == "line")
    assert [row["value"] for row in lines["data"]["values"]] == [0.25, 0.35, 0.5, 0.2, 0.3]


def test_a_broken_history_is_drawn_otherwise() -> None:
    symbols = frontier_chart(FOUND, (), Texts("en")).spec["vconcat"][0]["layer"][-1]
    assert [row["shape"] for row in symbols["data"]["values"]] == ["diamond", "circle", "circle"]
