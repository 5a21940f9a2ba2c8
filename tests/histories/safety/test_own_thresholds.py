"""A contest's own thresholds: everything that takes them refuses the same ones, with the same words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.errors import OptionNotUsable
from sudare.histories.attack.guesses import Guesses
from tests.histories.anonymize.small_histories import history
from tests.public import public

PEOPLE = history([[(1, "a", 1, 1)]] * 4)
FOUR = np.arange(1, 5)
# Whoever is asked with four guesses that can be made.
TAKERS: dict[str, Callable[[Any], object]] = {
    "judge_hits": lambda own: sudare.contest.judge_hits(4, 4, thresholds=own),
    "judge_guesses": lambda own: sudare.contest.judge_guesses(Guesses(FOUR, FOUR), PEOPLE, PEOPLE, thresholds=own),
    "run_duel": lambda own: sudare.contest.run_duel(PEOPLE, PEOPLE, methods=[], thresholds=own),
    "class_safety": lambda own: sudare.histories.class_safety([2, 2], thresholds=own),
    "matching_safety": lambda own: sudare.histories.matching_safety(
        sudare.histories.Matchings([[0, 1, 2, 3]] * 4), thresholds=own
    ),
    "find_best_guesses": lambda own: sudare.histories.find_best_guesses({2: 2}, own),
}
# Those that write thresholds, or read them from a file and hand them on.
OTHERS = {"write_thresholds", "write_contest_report"}


def test_all_that_take_thresholds_are_tried_here() -> None:
    taking = {
        name
        for name, found in public().items()
        if inspect.isfunction(found) and "thresholds" in inspect.signature(found).parameters
    }
    assert taking == {*TAKERS, *OTHERS}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize(
    ("own", "words"),
    [
        (np.array([1, 2]), "There can be 4 guesses, but there is no threshold for 2"),
        (np.array([1, 2, 3, 4]), "There can be 4 guesses, but there is no threshold for 4"),
        (np.array([], np.int64), "there is no threshold for 0"),
        (np.array([1, 2, 3, 2, 5]), "The thresholds fall: 3 for 2 guesses, but 2 for 3"),
        (np.array([1, 1, 0, 1, 2]), "With the threshold for 2 guesses, an attack would succeed without a single hit"),
        (np.array([[1, 1, 2, 3, 4]]), "array of whole numbers"),
    ],
)
def test_thresholds_that_judge_not_every_possible_guess_are_refused(taker: str, own: Any, words: str) -> None:
    with pytest.raises(OptionNotUsable, match=r"\nHint: ") as caught:
        TAKERS[taker](own)
    assert words in str(caught.value)


@pytest.mark.parametrize("taker", TAKERS)
def test_thresholds_that_are_no_whole_numbers_are_refused(taker: str) -> None:
    with pytest.raises(TypeError, match=r"thresholds must be an array of whole numbers.*, not an array of float64"):
        TAKERS[taker](np.array([1.0, 1.0, 2.0, 3.0, 4.0]))


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("own", [[1, 1, 2, 3, 4], [1, 9, 9, 9, 9], [1, 1, 1, 1, 1, 1, 2]])
def test_thresholds_that_do_are_taken(taker: str, own: list[int]) -> None:
    assert TAKERS[taker](np.array(own)) is not None


def test_what_was_published_counts_and_not_what_was_guessed() -> None:
    """One guess where four are possible: the contest's file has to judge the other three too."""
    one = Guesses(FOUR[:1], FOUR[:1])
    with pytest.raises(OptionNotUsable, match="There can be 4 guesses, but there is no threshold for 4"):
        sudare.contest.judge_guesses(one, PEOPLE, PEOPLE, thresholds=np.array([1, 2, 3, 3]))
    judged = sudare.contest.judge_guesses(one, PEOPLE, PEOPLE, thresholds=np.array([1, 1, 2, 3, 3]))
    assert judged.contest.threshold == 1


@pytest.mark.parametrize("own", [[5, 0, -3], [1, 2, 1], [], [[1, 2]]])
def test_nothing_is_written_that_could_not_be_read(own: list[Any], tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match="threshold"):
        sudare.histories.write_thresholds(np.array(own, np.int64), tmp_path / "R.csv")
    assert not (tmp_path / "R.csv").exists()
    sudare.histories.write_thresholds(np.array([1, 1, 2]), tmp_path / "R.csv")
    assert sudare.histories.read_thresholds(tmp_path / "R.csv").tolist() == [1, 1, 2]


def test_a_report_refuses_them_too_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "R.csv").write_text("1,1\n2,2\n3,3\n")
    with pytest.raises(OptionNotUsable, match="There can be 4 guesses, but there is no threshold for 4"):
        sudare.contest.write_contest_report(PEOPLE, PEOPLE, tmp_path / "r.html", thresholds=tmp_path / "R.csv")
    assert not (tmp_path / "r.html").exists()
