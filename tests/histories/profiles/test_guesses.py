"""The guesses of an attack as a file, and the truth that they are compared with."""

from __future__ import annotations

import csv
import stat
from pathlib import Path

import numpy as np
import pytest

from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.histories.profiles.assessment import link_profiles
from sudare.histories.profiles.guesses import ProfileGuesses, make_guesses, read_truth
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import bought, habitual_rows, halves, links_of, named, sides_of

GUESSES = ProfileGuesses(('x"1', "x;2", "x,3"), ("Ann", "田中", "Ann"), np.array([1.0, 0.25, 1 / 3]))


def test_a_file_has_a_header_and_a_line_for_each_pseudonym_and_is_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "guesses.csv"
    GUESSES.write(path)
    text = path.read_text(encoding="utf-8")
    assert text.splitlines()[0] == "pseudonym,customer,confidence"
    assert list(csv.reader(text.splitlines()[1:])) == [
        ['x"1', "Ann", "1.000000"],
        ["x;2", "田中", "0.250000"],
        ["x,3", "Ann", "0.333333"],
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_only_lines_are_written(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match="csv"):
        GUESSES.write(tmp_path / "guesses.parquet")
    assert list(tmp_path.iterdir()) == []


def test_all_pseudonyms_are_guessed_those_of_a_class_too() -> None:
    sides = sides_of({1: ["a"], 2: ["b"], 3: ["c"]}, {1: ["a"], 2: ["a"], 3: ["b"]})
    found = make_guesses(links_of(sides, [[0.4, 0.1, None], [None, 0.2, 0.7]]), "ABC", ["x", "y", "z"], seed=1)
    assert (found.pseudonyms, found.customers) == (("x", "y", "z"), ("A", "A", "C"))
    # The confidence of a class of two is at most a half.
    assert found.confidence == pytest.approx([0.4, 0.4, 0.7])
    assert len(found) == 3


def test_who_is_like_nobody_is_taken_for_somebody_who_is_drawn() -> None:
    sides = sides_of({n: ["a"] for n in range(1, 6)}, {1: ["a"], 2: ["b"]})
    names = [f"c{n}" for n in range(1, 6)]
    links = links_of(sides, [[0.9, None, None, None, None], [None] * 5])
    drawn = set()
    for seed in range(30):
        found = make_guesses(links, names, ["x", "y"], seed)
        assert found.confidence == pytest.approx([0.9, 0.2])
        drawn.add(found.customers[1])
        assert found.customers == make_guesses(links, names, ["x", "y"], seed).customers
    assert drawn == set(names)


@pytest.mark.parametrize(
    "text", ["pseudonym,customer\nx1,Ann\nx2,Ben\n", "x1,Ann\nx2,Ben,0.5\n", "\n x1 ,Ann\n\nｘ2,Ben"]
)
def test_the_truth_is_read_with_or_without_a_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key.csv"
    path.write_text(text, encoding="utf-8")
    assert read_truth(path) == {"x1": "Ann", "x2": "Ben"}


def test_guesses_can_be_taken_for_the_truth(tmp_path: Path) -> None:
    GUESSES.write(tmp_path / "guesses.csv")
    assert read_truth(tmp_path / "guesses.csv") == dict(zip(GUESSES.pseudonyms, GUESSES.customers, strict=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x1,Ann\nx2\n", "key.csv, row 2: a line of the truth is pseudonym,customer"),
        ("x1,\n", "key.csv, row 1: a line of the truth"),
        (" ,Ann\n", "key.csv, row 1: a line of the truth"),
        ("x1,Ann\nx2,Ben\nx1,Ben\n", "key.csv, row 3: the pseudonym 'x1' was named before"),
        ("x1,Ann\nx1 ,Ben\n", "key.csv, row 2: the pseudonym 'x1' was named before"),
    ],
)
def test_a_bad_line_of_the_truth_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "key.csv").write_text(text)
    with pytest.raises(BadRows, match=said):
        read_truth(tmp_path / "key.csv")


def test_a_truth_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match=r"no file .*key\.csv"):
        read_truth(tmp_path / "key.csv")
    (tmp_path / "key.csv").touch()
    with pytest.raises(SourceNotReadable, match=r"key\.csv is empty"):
        read_truth(tmp_path / "key.csv")


def test_guesses_are_the_same_whatever_the_truth() -> None:
    known, published = halves(habitual_rows(2, 30))
    truths = [
        None,
        {f"x{n}": f"c{n}" for n in range(1, 31)},
        {f"x{n}": f"c{31 - n}" for n in range(1, 31)},
        {"x3": "c3"},
    ]
    found = [link_profiles(named(known, "c"), named(published, "x"), truth=truth, trained=False) for truth in truths]
    first = found[0].guesses
    for one in found[1:]:
        assert (one.guesses.pseudonyms, one.guesses.customers) == (first.pseudonyms, first.customers)
        assert one.guesses.confidence.tolist() == first.confidence.tolist()
        assert one.expected == found[0].expected
    assert found[1].one_to_one != found[2].one_to_one


def test_every_pseudonym_has_a_line_also_one_whose_items_are_deleted() -> None:
    published = cells([["1", "2011/6/1", "a", "1", "1"], ["2", "2011/6/1", "*", "*", "*"], ["*"] * 5], ["a"])
    found = link_profiles(named(bought({1: ["a"], 2: ["b"]}), "c"), named(published, "x"))
    assert found.guesses.pseudonyms == ("x1", "x2")
    assert set(found.guesses.customers) <= {"c1", "c2"}
    assert found.guesses.confidence[1] == 0.5
