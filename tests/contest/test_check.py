"""Whether anonymized histories and guesses follow the rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.contest.check import check_anonymized, check_guesses
from sudare.errors import BadRows
from sudare.histories.attack.guesses import Guesses, read_guesses, write_guesses
from tests.histories.generalized.small_cells import cells

T = cells([["12", "2010/12/1", "a", "1", "1"], ["7", "2010/12/2", "b", "2", "2"], ["7", "2010/12/3", "b", "2", "2"]])
PUBLISHED = cells([["101", "*", "a", "*", "*"], ["1", "*", "*", "*", "*"]], names=["a", "b"])


def test_a_valid_history_has_no_errors(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text("12,2010/12/1,a,1,1\n7,2010/12/2,b,2,2\n")
    found = check_anonymized(tmp_path / "T.csv", tmp_path / "T.csv")
    assert found.to_dict() == {"valid": True, "rows": 2, "errors": [], "total_errors": 0, "totals": {}}


def test_errors_have_row_cell_kind_and_message(tmp_path: Path) -> None:
    (tmp_path / "A.csv").write_text("5,2010/12/2,a,1,1\n6,*,*,*,*\n")
    found = check_anonymized(T, tmp_path / "A.csv").to_dict()
    assert not found["valid"]
    assert [(error["row"], error["cell"], error["kind"]) for error in found["errors"]] == [
        (1, 2, "must-cover"),
        (3, 1, "rows"),
    ]
    assert found["errors"][0]["message"] == "'2010/12/2' does not cover the value of T; T has 2010/12/1"
    assert found["totals"] == {"must-cover": 1, "rows": 1}


def test_the_original_is_checked_first(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text("12,2010/12/1,*,1,1\n")
    (tmp_path / "A.csv").write_text("x\n")
    with pytest.raises(BadRows, match="is not an original history"):
        check_anonymized(tmp_path / "T.csv", tmp_path / "A.csv")


def guess_places(text: bytes, tmp_path: Path) -> list[tuple[int, int, str]]:
    (tmp_path / "F.csv").write_bytes(text)
    found = check_guesses(T, PUBLISHED, tmp_path / "F.csv")
    assert found.valid == (not found.errors)
    return [(error.row, error.cell, error.kind) for error in found.errors]


@pytest.mark.parametrize("text", [b"", b"101,12\n", b"101,12\r\n1,12", b"1,7\n101,7\n"])
def test_guesses_may_be_none_and_claim_a_customer_twice(text: bytes, tmp_path: Path) -> None:
    assert guess_places(text, tmp_path) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"102,12\n", (1, 1, "invalid")),
        (b"0101,12\n", (1, 1, "invalid")),
        (b"101,13\n", (1, 2, "invalid")),
        (b"101,012\n", (1, 2, "invalid")),
        (b"pid,12\n", (1, 1, "invalid")),
        (b" 101,12\n", (1, 1, "invalid")),
        (b"101,12 \n", (1, 2, "invalid")),
        (b'101,"12"\n', (1, 2, "invalid")),
        (b"101,*\n", (1, 2, "invalid")),
        (b"\xef\xbb\xbf101,12\n", (1, 1, "invalid")),
        ("101,１２\n".encode(), (1, 2, "invalid")),
        (b"101,1\x002\n", (1, 2, "invalid")),
        (b"101,\n", (1, 2, "invalid")),
        (b"101\n", (1, 2, "columns")),
        (b"101,12,\n", (1, 3, "columns")),
        (b"101,12\n\n", (2, 2, "columns")),
        (b"101,12\r", (1, 2, "newline")),
        (b"101\r,12\n", (1, 1, "newline")),
        (b"101,12\n101,7\n", (2, 1, "consistency")),
        (b"1" * 100_000 + b"\n", (1, 1, "length")),
    ],
)
def test_a_bad_guess_is_found_in_its_place(text: bytes, place: tuple[int, int, str], tmp_path: Path) -> None:
    assert guess_places(text, tmp_path) == [place]


def test_all_bad_guesses_are_reported_in_order(tmp_path: Path) -> None:
    assert guess_places(b"x,y\n101,12\n" + b"9" * 9999 + b"\n101,99\n1,7\n\n", tmp_path) == [
        (1, 1, "invalid"),
        (1, 2, "invalid"),
        (3, 1, "length"),
        (4, 1, "consistency"),
        (4, 2, "invalid"),
        (6, 2, "columns"),
    ]


def test_guess_errors_are_capped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "F.csv").write_text("x,y\n" * 5)
    found = check_guesses(T, PUBLISHED, tmp_path / "F.csv", most_errors=2)
    assert (len(found.errors), found.total, found.rows) == (2, 10, 5)


def test_the_published_history_is_checked_before_guesses(tmp_path: Path) -> None:
    (tmp_path / "P.csv").write_text("*,*,*,*,*\n")
    (tmp_path / "F.csv").write_text("")
    with pytest.raises(BadRows, match="is not a published history"):
        check_guesses(T, tmp_path / "P.csv", tmp_path / "F.csv")


@given(st.dictionaries(st.sampled_from([1, 101]), st.sampled_from([7, 12])))
def test_guesses_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, guesses: dict[int, int]
) -> None:
    path = tmp_path_factory.mktemp("guesses") / "F.csv"
    made = Guesses(np.array(list(guesses), np.int64), np.array(list(guesses.values()), np.int64))
    write_guesses(made, path)
    found = read_guesses(path, T, PUBLISHED)
    assert dict(zip(found.pids.tolist(), found.customers.tolist(), strict=True)) == guesses
    assert len(found) == len(guesses)


def test_bad_guesses_are_refused_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "F.csv").write_text("102,12\n")
    with pytest.raises(BadRows, match=r"row 1, cell 1: '102' is not a pseudonym of the published data(.|\n)*Hint:"):
        read_guesses(tmp_path / "F.csv", T, PUBLISHED)
