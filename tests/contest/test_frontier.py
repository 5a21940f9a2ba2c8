"""U and safety against k: what is measured, and that finished points are kept."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from sudare.contest import frontier as module
from sudare.contest.frontier import FrontierSearch, trace_frontier
from sudare.contest.frontier_points import FrontierFile, FrontierPoint
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.classes import anonymize_history
from sudare.histories.anonymize.concealment import conceal_history
from sudare.histories.safety.classes import class_safety
from tests.histories.attack.histories import history, made_rows

ORIGINAL = history(made_rows(3, customers=24, most_rows=5))
QUICK = FrontierSearch(fast=True, rounds=3, duel=False, attacks=13)
POINT = FrontierPoint(2, 0.25, 0.2, 3, 4, True, 0.5, 0.3, 0.1, "not_broken", -3, False, 1.5)


def test_each_point_is_what_the_anonymized_history_is() -> None:
    found = trace_frontier(ORIGINAL, [4, 2], search=QUICK)
    assert [point.k for point in found.points] == [2, 4]
    assert (found.customers, found.rows, found.search) == (24, len(ORIGINAL), QUICK)
    for point in found.points:
        made = anonymize_history(ORIGINAL, point.k, fast=True, rounds=3)
        test = class_safety(made.sizes, attacks=13).tests[0]
        assert (point.utility, point.utility_bound, point.deleted_rows) == (made.utility, made.bound, made.deleted_rows)
        assert (point.classes, point.chance_bound, point.chance_found, point.survives_at_least) == (
            len(made.sizes), test.bound, test.plan_found.probability, test.survives_at_least,
        )  # fmt: skip
        assert (point.verdict, point.margin) == (None, None)


def test_the_built_in_attacks_are_made_on_each_history() -> None:
    found = trace_frontier(ORIGINAL, [8], search=replace(QUICK, duel=True))
    assert found.points[0].verdict == "not_broken"
    assert found.points[0].margin is not None
    assert found.points[0].margin < 0
    assert found.points[0].holds


@pytest.mark.slow
def test_of_concealment_the_possible_matchings_say_how_safe_a_point_is() -> None:
    search = replace(QUICK, model="concealment")
    point = trace_frontier(ORIGINAL, [3], search=search).points[0]
    safety = conceal_history(ORIGINAL, 3, rounds=3, fast=True, attacks=13).safety
    assert (point.chance_found, point.classes) == (safety.probability_found, safety.parts)
    assert (point.chance_bound, point.survives_at_least) == (None, None)
    assert not point.holds


def test_what_is_finished_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = trace_frontier(ORIGINAL, [2, 3], search=QUICK, folder=tmp_path)

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "anonymize_by_model", stop)
    with pytest.raises(KeyboardInterrupt):
        trace_frontier(ORIGINAL, [2, 3, 4], search=QUICK, folder=tmp_path)
    assert trace_frontier(ORIGINAL, [3, 2], search=QUICK, folder=tmp_path) == first


def test_points_of_another_history_or_search_are_refused(tmp_path: Path) -> None:
    trace_frontier(ORIGINAL, [2], search=QUICK, folder=tmp_path)
    with pytest.raises(OptionNotUsable, match="contains other results: seed is 0 there and 1 here"):
        trace_frontier(ORIGINAL, [2], search=replace(QUICK, seed=1), folder=tmp_path)
    other = history(made_rows(4, customers=24, most_rows=5))
    with pytest.raises(OptionNotUsable, match="contains other results: original"):
        trace_frontier(other, [2], search=QUICK, folder=tmp_path)


@pytest.mark.parametrize(
    ("ks", "search", "words"),
    [
        ([1, 2], QUICK, "each must be 2 or more"),
        ([], QUICK, "at least one k"),
        ([2, 25], QUICK, "only 24 customers, fewer than k = 25"),
        ([2], replace(QUICK, model="magic"), "Unknown model 'magic'"),
        ([2], replace(QUICK, model="untouched"), "leaves customers unchanged whatever k is"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(ks: list[int], search: FrontierSearch, words: str) -> None:
    with pytest.raises(OptionNotUsable, match=words):
        trace_frontier(ORIGINAL, ks, search=search)


@pytest.mark.parametrize(
    "point",
    [
        POINT,
        replace(POINT, verdict=None, margin=None, holds=False, converged=True, chance_found=1 / 3),
        replace(POINT, chance_bound=None, survives_at_least=None),
    ],
)
def test_points_are_read_as_they_were_written(tmp_path: Path, point: FrontierPoint) -> None:
    FrontierFile(tmp_path, {"seed": 1}).add(point)
    again = FrontierFile(tmp_path, {"seed": 1})
    assert again.find(2) == point
    assert again.find(3) is None


@pytest.mark.parametrize("text", ["", "k,u\n2,1\n", "no csv", "{header}\n2,x,0,0,0,True,0,0,0,,,True,0\n"])
def test_a_file_that_was_not_written_here_is_refused(tmp_path: Path, text: str) -> None:
    FrontierFile(tmp_path, {"seed": 1}).add(POINT)
    path = tmp_path / "frontier.csv"
    path.write_text(text.replace("{header}", path.read_text().splitlines()[0]))
    with pytest.raises(OptionNotUsable, match="has rows that sudare did not write"):
        FrontierFile(tmp_path, {"seed": 1})


def test_a_frontier_as_plain_values() -> None:
    found = module.Frontier(8, 20, replace(QUICK, p=Fraction(1, 3)), (POINT,)).to_dict()
    assert (found["customers"], found["rows"], found["model"], found["p"]) == (8, 20, "classes", "1/3")
    assert found["points"][0]["verdict"] == "not_broken"
