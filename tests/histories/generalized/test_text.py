"""Texts of generalized cells: every rule alone and together, against a plain check; read and written again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from hypothesis.strategies import DrawFn

from sudare.histories.generalized import blocks as cell_blocks
from sudare.histories.generalized.complaints import Complaints
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.text import (
    ParsedCells,
    format_rows,
    read_anonymized,
    read_original,
)
from tests.histories.generalized.plain_check import check as plain_check
from tests.histories.generalized.small_cells import assert_same, cells

T = [
    ["12", "2010/12/1", "a", "3.75", "24"],
    ["12", "2010/12/8", "b", "5.2", "3"],
    ["12", "2010/12/8", "商品", "1", "1"],
    ["7", "2011/1/31", "a", "0.85", "999999"],
]
ITEMS = ["a", "b", "商品"]
IDENTITY = "".join(",".join(row) + "\n" for row in T)


def original(rows: Sequence[Sequence[str]] = T) -> CellHistory:
    return cells(rows)


def parsed(text: str | bytes, tmp_path: Path) -> ParsedCells:
    path = tmp_path / "A.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_anonymized(path, original())


def places(found: Complaints) -> list[tuple[int, int, str]]:
    return [(error.row, error.cell, error.kind) for error in found.errors]


def complaints(text: str | bytes, tmp_path: Path) -> list[tuple[int, int, str]]:
    return places(parsed(text, tmp_path).complaints)


def changed(cell: str, place: int, row: int = 1) -> str:
    rows = [list(line) for line in T]
    rows[row - 1][place - 1] = cell
    return "".join(",".join(line) + "\n" for line in rows)


def test_the_original_is_read_with_its_items_in_order(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text(IDENTITY, encoding="utf-8")
    assert_same(read_original(tmp_path / "T.csv"), original())


def test_the_original_itself_is_a_valid_anonymized_history(tmp_path: Path) -> None:
    found = parsed(IDENTITY, tmp_path)
    assert (found.complaints, found.rows) == (Complaints(), 4)
    assert_same(found.history, original())


GOOD = {
    1: ("1", "999999999"),
    2: ("*", "2010/12/01", "[2010/12/1;2010/12/1]", "[2010/1/1;2011/12/31]", "[2010/12/01;2011/2/28]"),
    3: ("*", "{a}", "{b;a}", "{商品;a;b}"),
    4: ("*", "3.75", "[3.75;3.75]", "[0.01;99999.99]", "[3;4]", "[3.7;3.8]"),
    5: ("*", "24", "[24;24]", "[1;999999]"),
}


@pytest.mark.parametrize(("place", "cell"), [(place, cell) for place, found in GOOD.items() for cell in found])
def test_a_cell_that_covers_is_accepted(place: int, cell: str, tmp_path: Path) -> None:
    text = IDENTITY.replace("12,20", f"{cell},20") if place == 1 else changed(cell, place)
    assert complaints(text, tmp_path) == []


BAD_DATES = (
    "2010/12 2010-12-01 10/12/1 2010/12/001 2010/13/1 2010/2/29 2010/0/1 2010/1/0 2009/12/31 2012/1/1 2010/12/1/1 ** "
    "[2010/12/2;2010/12/1] [2010/12/1] [2010/12/1;] [;2010/12/1] [2010/12/1;2010/12/1 2010/12/1;2010/12/1] {2010/12/1} "
    "[2010/12/1;2010/12/1;2010/12/1] [*;2010/12/1] [2009/12/31;2010/12/1] [2010/12/1;2012/1/1] 2010/1２/1 [ []"
)
BAD = {
    1: (*"0 01 1234567890 * -1 1.0 a １２".split(), "", " 12", "12 ", '"12"'),
    2: (*BAD_DATES.split(), "", "2010/12/1 ", "[2010/12/1; 2010/12/2]"),
    3: (*"c A {} {a a} {a;a} {a;c} {a;} {;a} {a;;b} {*} [a;b] a;b { } {{a}}".split(), "", " a", "{a; b}", '"a"'),
    4: (
        *"0 0.00 0.0 100000 99999.991 3.750 03.75 .75 3. -3.75 +3.75 3.7.5 1e2 [4;3] [3.75;3.74] {3.75}".split(),
        *("", "[3.75 ;4]", "9" * 40, "\0"),
    ),
    5: (*"0 1000000 024 24.0 -24 +24 [25;24] [0;24] [24;1000000]".split(), "", "2 4", "9" * 40),
}
INVALID = [(cell, place) for place, found in BAD.items() for cell in found]


@pytest.mark.parametrize(("cell", "place"), INVALID)
def test_a_cell_that_is_not_well_formed_is_invalid(cell: str, place: int, tmp_path: Path) -> None:
    assert complaints(changed(cell, place), tmp_path) == [(1, place, "invalid")]


@pytest.mark.parametrize(
    ("cell", "place", "truth"),
    [
        ("2010/12/2", 2, "2010/12/1"),
        ("[2010/12/2;2010/12/9]", 2, "2010/12/1"),
        ("[2010/1/1;2010/11/30]", 2, "2010/12/1"),
        ("b", 3, "a"),
        ("{b}", 3, "a"),
        ("{b;商品}", 3, "a"),
        ("3.74", 4, "3.75"),
        ("[3.76;4]", 4, "3.75"),
        ("25", 5, "24"),
        ("[1;23]", 5, "24"),
    ],
)
def test_a_cell_that_misses_the_value_of_the_original_must_cover_it(
    cell: str, place: int, truth: str, tmp_path: Path
) -> None:
    found = parsed(changed(cell, place), tmp_path).complaints
    assert places(found) == [(1, place, "must-cover")]
    assert f"T has {truth}" in found.errors[0].message


def test_a_set_has_at_most_a_hundred_items(tmp_path: Path) -> None:
    names = [f"i{number:03}" for number in range(101)]
    truth = cells([["1", "2010/12/1", name, "1", "1"] for name in names])
    rows = [f"1,2010/12/1,{{{';'.join(names[:100])}}},1,1"] + ["*,*,*,*,*"] * 100
    path = tmp_path / "A.csv"
    path.write_text("\n".join(rows))
    assert read_anonymized(path, truth).complaints.total == 0
    path.write_text("\n".join(rows).replace("i000;", "i000;i100;"))
    found = read_anonymized(path, truth).complaints
    assert places(found) == [(1, 3, "invalid")]
    assert "more than 100 items" in found.errors[0].message


def test_deleted_rows_take_no_part_in_the_map_of_persons(tmp_path: Path) -> None:
    assert complaints("*,*,*,*,*\n" * 4, tmp_path) == []
    assert complaints(IDENTITY.replace(",".join(T[0]), "*,*,*,*,*").replace("12,20", "9,20"), tmp_path) == []


def test_a_row_may_be_deleted_but_for_its_pseudonym(tmp_path: Path) -> None:
    assert complaints(IDENTITY.replace(",".join(T[0]), "12,*,*,*,*"), tmp_path) == []
    assert complaints(IDENTITY.replace(",".join(T[0]), "*,2010/12/1,*,*,*"), tmp_path) == [(1, 1, "invalid")]


def test_pseudonyms_are_one_to_one_with_customers(tmp_path: Path) -> None:
    two_for_one = parsed(changed("13", 1, row=3), tmp_path).complaints
    assert places(two_for_one) == [(3, 1, "consistency")]
    assert "customer 12 has had pseudonym 12 since row 1, but here '13'" in two_for_one.errors[0].message
    one_for_two = parsed(changed("12", 1, row=4), tmp_path).complaints
    assert places(one_for_two) == [(4, 1, "consistency")]
    assert "'12' has stood for customer 12 since row 1, but here for customer 7" in one_for_two.errors[0].message
    assert complaints(IDENTITY.replace("12,20", "7,20").replace("7,2011", "12,2011"), tmp_path) == []


def test_one_wrong_pseudonym_is_one_complaint(tmp_path: Path) -> None:
    rows = [["1", "2010/12/1", "a", "1", "1"], ["2", "2010/12/1", "a", "1", "1"], ["2", "2010/12/1", "a", "1", "1"]]
    path = tmp_path / "A.csv"
    path.write_text("\n".join(",".join(row) for row in rows).replace("2,2010", "1,2010", 1).replace("1,2010", "1,2010"))
    assert places(read_anonymized(path, cells(rows)).complaints) == [(2, 1, "consistency")]


@pytest.mark.parametrize("text", [IDENTITY.replace("\n", "\r\n"), IDENTITY.replace("\n", "\r\n", 2), IDENTITY[:-1]])
def test_lines_end_in_lf_or_crlf_and_the_last_end_is_optional(text: str, tmp_path: Path) -> None:
    assert complaints(text, tmp_path) == []


def test_a_lone_carriage_return_is_an_error_of_its_line(tmp_path: Path) -> None:
    assert complaints(IDENTITY.replace("a,3.75", "a\r,3.75"), tmp_path) == [(1, 3, "newline")]
    assert complaints(IDENTITY.replace("24\n", "24\r\r\n"), tmp_path) == [(1, 5, "newline")]
    assert complaints(IDENTITY[:-1] + "\r", tmp_path) == [(4, 5, "newline")]
    assert complaints(IDENTITY.replace("\n", "\r"), tmp_path) == [(1, 5, "newline"), (2, 1, "rows")]


def test_a_row_has_five_cells(tmp_path: Path) -> None:
    assert complaints(IDENTITY.replace(",24", ""), tmp_path) == [(1, 5, "columns")]
    assert complaints(IDENTITY.replace(",24", ",24,"), tmp_path) == [(1, 6, "columns")]
    found = parsed(IDENTITY.replace(",".join(T[1]), ""), tmp_path).complaints
    assert places(found) == [(2, 2, "columns")]
    assert "empty" in found.errors[0].message


def test_there_are_as_many_rows_as_in_the_original(tmp_path: Path) -> None:
    lines = IDENTITY.splitlines(keepends=True)
    assert complaints("".join(lines[:2]), tmp_path) == [(3, 1, "rows")]
    assert complaints("".join([*lines, "x"]), tmp_path) == [(5, 1, "rows")]
    assert complaints(IDENTITY + "\n", tmp_path) == [(5, 1, "rows")]
    assert complaints("", tmp_path) == [(1, 1, "rows")]


def test_a_line_has_at_most_eight_thousand_characters(tmp_path: Path) -> None:
    long = IDENTITY.replace(",24\n", ",24" + "商" * (8000 - len(",".join(T[0]))) + "\n")
    assert complaints(long, tmp_path) == [(1, 5, "invalid")]
    assert complaints(long.replace("商\n", "商商\n", 1), tmp_path) == [(1, 5, "length")]


def test_lines_that_are_too_long_are_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_blocks, "BLOCK_BYTES", 64)
    text = IDENTITY.replace(",24\n", "9" * 200_000 + "\n").replace(",3\n", ",3" + "\x80" * 40_000 + "\n", 1)
    raw = text.encode("latin-1", errors="ignore").replace(b"b,", b"b,")
    assert [place for place in complaints(raw, tmp_path) if place[2] == "length"] == [
        (1, 4, "length"),
        (2, 5, "length"),
    ]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (b"\xef\xbb\xbf" + IDENTITY.encode(), (1, 1), "byte order mark"),
        (IDENTITY.encode().replace(b"a,3", b"a\0,3"), (1, 3), "NUL"),
        (IDENTITY.encode("cp932"), (3, 3), "not UTF-8"),
        (IDENTITY.encode().replace(b",a,3", b", a,3"), (1, 3), "spaces around it"),
        (IDENTITY.encode().replace(b",a,3", b',"a",3'), (1, 3), "quotation marks"),
    ],
)
def test_what_is_wrong_with_the_bytes_is_said(text: bytes, place: tuple[int, int], words: str, tmp_path: Path) -> None:
    found = parsed(text, tmp_path).complaints
    assert places(found) == [(*place, "invalid")]
    assert words in found.errors[0].message


def test_every_bad_cell_of_every_row_is_reported_in_order_then_the_rows(tmp_path: Path) -> None:
    text = "0,2010/2/30,c,[2;1],x\n*,*,*,*,*\n12,2010/12/9,{a;b},1,*,*\n1,2010/12/9,{a;b},1,[2;3]\n\n"
    assert complaints(text, tmp_path) == [
        (1, 1, "invalid"), (1, 2, "invalid"), (1, 3, "invalid"), (1, 4, "invalid"), (1, 5, "invalid"),
        (3, 6, "columns"), (4, 2, "must-cover"), (4, 4, "must-cover"), (4, 5, "must-cover"), (5, 1, "rows"),
    ]  # fmt: skip


def test_complaints_are_capped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "A.csv"
    path.write_text("x,x,x,x,x\n" * 4)
    found = read_anonymized(path, original(), most_complaints=3).complaints
    assert places(found) == [(1, 1, "invalid"), (1, 2, "invalid"), (1, 3, "invalid")]
    assert (found.total, dict(found.totals)) == (20, {"invalid": 20})


def test_complaints_speak_japanese(tmp_path: Path) -> None:
    path = tmp_path / "A.csv"
    path.write_text(changed("2010/12/2", 2))
    [error] = read_anonymized(path, original(), language="ja").complaints.errors
    assert error.message == "'2010/12/2' はTの値を含みません。Tの値は 2010/12/1 です"


def test_bad_cells_and_missing_rows_are_deleted_in_the_history(tmp_path: Path) -> None:
    found = parsed("0,2010/12/1,a,3.75,24\n12,2010/12/9,c,[5;6],3\n", tmp_path).history
    wanted = [["*"] * 5, ["12", "2010/12/9", "*", "[5;6]", "3"], ["*"] * 5, ["*"] * 5]
    assert_same(found, cells(wanted, names=ITEMS))


@st.composite
def valid_cells(draw: DrawFn) -> list[list[str]]:
    """Draw a valid anonymized history."""
    pids = dict(zip(("12", "7"), draw(st.permutations(["7", "12", "999999999"])), strict=False))
    rows = []
    for row in T:
        if draw(st.integers(0, 4)) == 0:
            rows.append(["*"] * 5)
            continue
        others = draw(st.permutations(sorted({row[2], *draw(st.sets(st.sampled_from(ITEMS)))})))
        item = draw(st.sampled_from(["*", row[2], "{" + ";".join(others) + "}"]))
        rows.append([pids[row[0]], draw(_dates(row[1])), item, draw(_prices(row[3])), draw(_quantities(row[4]))])
    return rows


def _dates(truth: str) -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(["*", truth]),
        st.tuples(st.sampled_from(["2010/1/1", truth]), st.sampled_from([truth, "2011/12/31"])).map(_range),
    )


def _prices(truth: str) -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(["*", truth]),
        st.tuples(st.sampled_from(["0.01", "0.5", truth]), st.sampled_from([truth, "6", "99999.99"])).map(_range),
    )


def _quantities(truth: str) -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(["*", truth]),
        st.tuples(st.sampled_from(["1", truth]), st.sampled_from([truth, "999999"])).map(_range),
    )


def _range(both: tuple[str, str]) -> str:
    return f"[{both[0]};{both[1]}]"


def joined(rows: Sequence[Sequence[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


@given(valid_cells())
def test_a_valid_history_is_accepted_and_text_to_columns_and_back_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("cells") / "A.csv"
    path.write_bytes(joined(rows).encode())
    found = read_anonymized(path, original())
    assert found.complaints.total == 0
    assert_same(found.history, cells(rows, names=ITEMS))
    assert b"".join(format_rows(found.history)) == joined(rows).encode()


@given(valid_cells(), st.integers(0, 3), st.sampled_from(INVALID))
def test_one_broken_cell_is_found_exactly(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], row: int, broken: tuple[str, int]
) -> None:
    cell, place = broken
    if rows[row] == ["*"] * 5:
        rows[row] = [
            next(r[0] for r in [*rows, ["5"]] if r[0] != "*" and r[0] not in _others(rows, row)),
            "*",
            "*",
            "*",
            "*",
        ]
    rows[row][place - 1] = cell
    if rows[row] == ["*"] * 5:
        return
    path = tmp_path_factory.mktemp("cells") / "A.csv"
    path.write_bytes(joined(rows).encode())
    assert places(read_anonymized(path, original()).complaints) == [(row + 1, place, "invalid")]


def _others(rows: Sequence[Sequence[str]], row: int) -> set[str]:
    """Return the pseudonyms of the other customers."""
    return {found[0] for found, truth in zip(rows, T, strict=True) if truth[0] != T[row][0]}


PIECES = (
    *"* 12 7 1 2010/12/1 2010/12/08 a b 商品 {a;b} [ ] { } ; , 3.75 24 0 999999999".split(),
    *("\n", "\r", "\r\n", "\0", " ", '"', "\ufeff", "\x80"),
)


@given(
    st.one_of(valid_cells().map(joined), st.just(IDENTITY)),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 9), st.sampled_from(PIECES)), max_size=6),
    st.integers(1, 200),
)
@example("\n", [], 1)
@example("12\r", [], 1)
def test_the_reader_agrees_with_a_plain_check_on_mutated_text(
    tmp_path_factory: pytest.TempPathFactory, text: str, edits: list[tuple[int, int, str]], block: int
) -> None:
    for place, gone, piece in edits:
        text = text[:place] + piece + text[place + gone :]
    raw = text.encode()
    path = tmp_path_factory.mktemp("cells") / "A.csv"
    path.write_bytes(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_blocks, "BLOCK_BYTES", block)
        assert complaints_of(path) == plain_check(T, raw)


def complaints_of(path: Path) -> list[tuple[int, int, str]]:
    return places(read_anonymized(path, original()).complaints)
