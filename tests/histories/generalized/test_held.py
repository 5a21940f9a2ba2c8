from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.held import hold_cells
from sudare.messages import Texts
from tests.engine.looking import rows_of

T = "1,2011/1/1,a,1.00,1\n1,2011/1/2,b,2.5,1\n2,2011/1/3,c,3,30\n"
A = "7,[2011/1/1;2011/1/9],{b;a},[0.01;2],*\n*,*,*,*,*\n8,2011/01/03,{c},3.0,[1;30]\n"


def texts(folder: Path, original: str, anonymized: str) -> tuple[Path, Path]:
    paths = folder / "T.csv", folder / "A.csv"
    for path, text in zip(paths, (original, anonymized), strict=True):
        path.write_bytes(text.encode())
    return paths


def test_cells_stand_side_by_side(engine: DuckDBEngine, tmp_path: Path) -> None:
    with hold_cells(*texts(tmp_path, T, A), engine=engine) as held:
        assert held.rows == 3
        found = rows_of(
            engine, f"SELECT customer, pid, v0, l0, h0, s1, n1, c1, l2, h2, k3 FROM {held.table} ORDER BY row"
        )
    assert found == [
        (1, 7, 14975, 14975, 14983, "a;b", 2, True, 1, 200, 3),
        (1, 0, 14976, None, None, "*", 1, False, None, None, 3),
        (2, 8, 14977, 14977, 14977, "c", 1, True, 300, 300, 1),
    ]
    assert rows_of(engine, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'cells%'") == [(0,)]


def test_a_folder_is_read_in_the_order_of_its_texts_and_blank_lines_are_left_out(
    engine: DuckDBEngine, tmp_path: Path
) -> None:
    original, whole = texts(tmp_path, T.replace("\n", "\r\n\n"), A)
    folder = tmp_path / "parts"
    folder.mkdir()
    lines = whole.read_text().splitlines()
    (folder / "2.csv").write_text("\n".join(lines[1:]) + "\n")
    (folder / "1.csv").write_text(lines[0])
    with hold_cells(original, folder, engine=engine) as held:
        assert [row[0] for row in rows_of(engine, f"SELECT pid FROM {held.table} ORDER BY row")] == [7, 0, 8]


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("{b;a}", "{b;c}", "must_cover"),
        ("{b;a}", "{a;x}", "invalid"),
        ("[0.01;2]", "[0.01;2", "invalid"),
        ("8,", "7,", "consistency"),
        ("*,*,*,*,*", "9,*,*,*,*", "consistency"),
        ("[1;30]", "[1;30],1", "columns"),
        ("{c}", "{c" + ";c" * 4000 + "}", "length"),
    ],
)
def test_an_a_that_breaks_the_rules_is_refused_with_the_kinds_of_errors(
    engine: DuckDBEngine, tmp_path: Path, before: str, after: str, kind: str
) -> None:
    said = re.escape(Texts("en")(f"contest_check.kinds.{kind}"))
    words = rf"A\.csv breaks the rules pwscup2018\. Errors: {said} \(1\)\. (?s:.*)Hint: "
    with pytest.raises(BadRows, match=words):
        hold_cells(*texts(tmp_path, T, A.replace(before, after)), engine=engine)


def test_what_is_no_pair_of_histories_is_refused(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(
        BadRows, match=r"T\.csv is not an original history under the rules pwscup2018. Errors: invalid cells \(1\)"
    ):
        hold_cells(*texts(tmp_path, T.replace("2.5", "*"), A), engine=engine)
    with pytest.raises(OptionNotUsable, match="3 in the original, 2 in the anonymized history"):
        hold_cells(*texts(tmp_path, T, A[: A.index("8,")]), engine=engine)
    with pytest.raises(SourceNotReadable, match=r"nothing\.csv"):
        hold_cells(tmp_path / "nothing.csv", tmp_path / "A.csv", engine=engine)
    with pytest.raises(SourceNotReadable, match="is empty"):
        hold_cells(*texts(tmp_path, "", A), engine=engine)


PIECES = ["", "*", "a", "{a}", "{a;b}", "{b}", "{a;a}", "{;a}", "{a;x}", "a;b", " a", 'a"', "{*}", "[a;b]", "-1", "+1"]
PIECES += ["0", "01", "1", "1.", "1.0", "1.00", "1.000", ".5", "[1;2]", "[2;1]", "[1;2;3]", "[1]", "[0;1]", "[1;]"]
PIECES += ["1000000", "999999", "[0.01;99999.99]", "[1;99999999999999999999]", "1e1", "\u30001", "1\x01", "\x7f"]
PIECES += ["2011/1/1", "2011/01/01", "2011/1/001", "[2011/1/1;2011/1/1]", "2011/2/29", "2009/12/31", "2011-1-1"]


@given(st.integers(0, 4), st.sampled_from(PIECES), st.booleans())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_same_cells_are_refused_as_in_memory(
    engine: DuckDBEngine, tmp_path: Path, place: int, piece: str, in_original: bool
) -> None:
    rows = [["1", "2011/1/1", "a", "1", "1"], ["2", "2011/1/2", "b", "2", "2"]]
    changed = [list(row) for row in rows]
    changed[0][place] = piece
    original, anonymized = (changed, rows) if in_original else (rows, changed)
    paths = texts(tmp_path, *("\n".join(map(",".join, side)) + "\n" for side in (original, anonymized)))
    refused = 0
    try:
        sudare.histories.read_valid_anonymized(paths[1], sudare.histories.read_original(paths[0]))
    except BadRows:
        refused = 1
    try:
        hold_cells(*paths, engine=engine).close()
    except BadRows:
        refused += 2
    assert refused in (0, 3)


def test_items_have_any_letters_and_the_original_lines_of_any_length(engine: DuckDBEngine, tmp_path: Path) -> None:
    odd = [" a", "a ", '"a"', "[a]", "\t", "é", "x" * 8_000]
    original = "".join(f"1,2011/1/1,{item},1,1\n" for item in odd)
    anonymized = "".join(f"7,2011/1/1,{item},1,1\n" for item in [*odd[:3], "{[a]; a}", *odd[4:6], "*"])
    with hold_cells(*texts(tmp_path, original, anonymized), engine=engine) as held:
        found = rows_of(engine, f"SELECT v1, c1 FROM {held.table} ORDER BY row")
    assert found == [*((item, True) for item in odd[:-1]), (odd[-1], False)]
