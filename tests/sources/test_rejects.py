"""Rows that cannot be used: one example for each reason, and all of them in a file."""

from __future__ import annotations

import stat
from pathlib import Path

import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.messages import Texts

TEXT = """customer,day,item,quantity,note
a,2024/1/5,x,1,"two
lines"
,2024/1/6,y,1,
c,yesterday,z,1,"with, comma"

d,2024/1/7
e,2024/1/7,z,-1,
,2024/1/8,y,1,second
"""
REJECTED = """row,column,reason,customer,day,item,quantity,note
4,customer,the customer is missing,,2024/1/6,y,1,
5,day,not a date in a known format,c,yesterday,z,1,"with, comma"
7,,"5 columns expected, 2 found",d,2024/1/7
8,quantity,the quantity is not above zero,e,2024/1/7,z,-1,
9,customer,the customer is missing,,2024/1/8,y,1,second
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log.csv").write_text(TEXT)
    return tmp_path / "log.csv"


def test_each_reason_has_one_example_and_a_count(engine: DuckDBEngine, log: Path) -> None:
    with pytest.raises(sudare.BadRows) as caught:
        sudare.read_history(log, engine=engine)
    first, *lines = str(caught.value).splitlines()
    assert first == f"{log} has 5 rows that cannot be used; nothing was read."
    assert lines[:4] == [
        "  1 row: the line does not divide into the columns (row 7: 5 columns expected, 2 found)",
        "  2 rows, column customer: the customer is missing (first: row 4)",
        "  1 row, column day: not a date in a known format (row 5: 'yesterday')",
        "  1 row, column quantity: the quantity is not above zero (row 8: '-1')",
    ]
    assert 'bad_rows="drop"' in str(caught.value)
    japanese = caught.value.text(Texts("ja"))
    assert "2行、列 customer: 顧客が欠けている（最初は 4行目）" in japanese


@pytest.mark.parametrize("bad_rows", ["refuse", "drop"])
def test_refused_rows_are_written_as_they_were_for_their_owner_only(
    engine: DuckDBEngine, log: Path, tmp_path: Path, bad_rows: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("old")
    path.chmod(0o644)
    if bad_rows == "refuse":
        with pytest.raises(sudare.BadRows, match=r"All of them are in .*bad\.csv"):
            sudare.read_history(log, engine=engine, rejects=path)
    else:
        with sudare.read_history(log, engine=engine, bad_rows="drop", rejects=path) as found:
            assert found.records == 1
    assert path.read_text() == REJECTED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_reasons_are_in_the_language_of_the_reader(engine: DuckDBEngine, log: Path, tmp_path: Path) -> None:
    with pytest.raises(sudare.BadRows):
        sudare.read_history(log, engine=engine, rejects=tmp_path / "bad.csv", language="ja")
    assert (tmp_path / "bad.csv").read_text().splitlines()[:2] == [
        "行,列,理由,customer,day,item,quantity,note",
        "4,customer,顧客が欠けている,,2024/1/6,y,1,",
    ]


def test_a_file_without_rows_says_that_all_are_good(engine: DuckDBEngine, tmp_path: Path) -> None:
    rows = polars.DataFrame({"customer": ["a"], "day": ["2024-01-05"], "item": ["x"]})
    sudare.read_history(rows, engine=engine, rejects=tmp_path / "bad.csv").close()
    assert (tmp_path / "bad.csv").read_text() == "row,column,reason,customer,day,item\n"


def test_rejected_rows_of_a_dataframe_have_the_numbers_of_its_records(engine: DuckDBEngine, tmp_path: Path) -> None:
    rows = polars.DataFrame({"customer": [1, None], "day": ["2024-01-05", "2024-01-06"], "item": ["x", "y"]})
    sudare.read_history(rows, engine=engine, bad_rows="drop", rejects=tmp_path / "bad.csv").close()
    assert (tmp_path / "bad.csv").read_text().splitlines()[1] == "2,customer,the customer is missing,,2024-01-06,y"


def test_many_rejected_rows_are_written_part_by_part(
    engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sudare.sources.rejects._CHUNK_ROWS", 3)
    rows = polars.DataFrame({"customer": ["a", *[None] * 10], "day": "2024-01-05", "item": [str(n) for n in range(11)]})
    sudare.read_history(rows, engine=engine, bad_rows="drop", rejects=tmp_path / "bad.csv").close()
    written = polars.read_csv(tmp_path / "bad.csv")
    assert written["row"].to_list() == list(range(2, 12))
    assert written["item"].to_list() == list(range(1, 11))


def test_what_is_read_is_not_written_over(engine: DuckDBEngine, log: Path) -> None:
    with pytest.raises(sudare.OutputNotWritable, match="it is read"):
        sudare.read_history(log, engine=engine, rejects=log)
    assert log.read_text() == TEXT
    with pytest.raises(sudare.OptionNotUsable, match=r"\.csv"):
        sudare.read_history(log, engine=engine, rejects=log.with_suffix(".xlsx"))


def test_rejected_rows_of_several_files_name_theirs(engine: DuckDBEngine, tmp_path: Path) -> None:
    for name in "12":
        (tmp_path / f"{name}.csv").write_text("customer,day,item\na,2024/1/5,x\n,2024/1/5,y\n")
    sudare.read_history(str(tmp_path / "?.csv"), engine=engine, bad_rows="drop", rejects=tmp_path / "bad.csv").close()
    found = [line.split(",")[0] for line in (tmp_path / "bad.csv").read_text().splitlines()[1:]]
    assert found == [f"{tmp_path / '1.csv'}:3", f"{tmp_path / '2.csv'}:3"]


def test_bad_weights_and_persons_of_tables_are_written(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,weight,who\n30,1,a\n40,half,\n50,2\n")
    with pytest.raises(sudare.BadRows):
        sudare.read_table(tmp_path / "t.csv", engine=engine, weight="weight", rejects=tmp_path / "bad.csv")
    assert (tmp_path / "bad.csv").read_text() == (
        "row,column,reason,age,weight,who\n3,weight,the weight is not a whole number of 1 or more,40,half,\n"
        '4,,"3 columns expected, 2 found",50,2\n'
    )
    (tmp_path / "t.csv").write_text("age,weight,who\n30,1,a\n40,half,\n")
    with pytest.raises(sudare.BadRows):
        sudare.read_table(tmp_path / "t.csv", engine=engine, person="who", rejects=tmp_path / "bad.csv")
    assert (tmp_path / "bad.csv").read_text().splitlines()[1] == "3,who,the person is missing,40,half,"


@pytest.mark.parametrize("bad_rows", ["refuse", "drop"])
def test_users_that_are_missing_in_baskets_are_written(engine: DuckDBEngine, tmp_path: Path, bad_rows: str) -> None:
    (tmp_path / "b.csv").write_text("user,item\na,x\n,y\n")
    if bad_rows == "refuse":
        with pytest.raises(sudare.BadRows, match=r"1 row, column user: the user is missing \(row 3\)"):
            sudare.read_baskets(tmp_path / "b.csv", rejects=tmp_path / "bad.csv")
    else:
        sudare.read_baskets(tmp_path / "b.csv", bad_rows="drop", rejects=tmp_path / "bad.csv")
    assert (tmp_path / "bad.csv").read_text() == "row,column,reason,user,item\n3,user,the user is missing,,y\n"
