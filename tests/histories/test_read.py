"""Reading purchase histories: formats, roles, guesses and bad rows."""

from __future__ import annotations

import datetime as dt
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas
import polars
import pyarrow
import pytest

import sudare
from sudare.engine import DuckDBEngine
from tests.conftest import TOY
from tests.engine.looking import rows_of


def content(history: sudare.History) -> list[tuple[Any, ...]]:
    return rows_of(
        history.engine,
        f"SELECT c.name, day, i.name FROM {history.table('purchase')} AS p "
        f"JOIN {history.table('customer')} AS c ON c.code = customer "
        f"JOIN {history.table('item')} AS i ON i.code = item ORDER BY ALL",
    )


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


SMALL = "customer,day,item\na,2024/1/5,tea\nb,2024-01-06,bread\n"
SMALL_CONTENT = [("a", dt.date(2024, 1, 5), "tea"), ("b", dt.date(2024, 1, 6), "bread")]


@pytest.fixture
def read(engine: DuckDBEngine, tmp_path: Path) -> Any:
    """Read a text as a file, or any other source, on the shared engine."""

    def reader(source: object, **options: Any) -> sudare.History:
        if isinstance(source, str):
            source = write(tmp_path / "history.csv", source)
        return sudare.read_history(source, engine=engine, **options)

    return reader


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_found_and_reported(read: Any, delimiter: str) -> None:
    history = read(SMALL.replace(",", delimiter))
    assert content(history) == SMALL_CONTENT
    assert history.reading.guesses["delimiter"] == ("tab" if delimiter == "\t" else delimiter)


@pytest.mark.parametrize(
    ("encoding", "reported"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("cp932", "cp932"), ("utf-16", "utf-16")],
)
def test_encodings_are_found_and_reported(read: Any, tmp_path: Path, encoding: str, reported: str) -> None:
    text = "顧客ID,購買日,購買商品\n一,2024/1/5,お茶\n二,2024/1/6,ソーセージ\n"
    history = read(write(tmp_path / "h.csv", text, encoding))
    assert content(history) == [("一", dt.date(2024, 1, 5), "お茶"), ("二", dt.date(2024, 1, 6), "ソーセージ")]
    assert history.reading.guesses["encoding"] == reported


def test_a_given_encoding_is_used(read: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "h.csv", "customer,day,item\nañb,2024/1/5,café\n", "latin-1")
    assert content(read(path, encoding="latin-1")) == [("añb", dt.date(2024, 1, 5), "café")]


@pytest.mark.parametrize(
    "header",
    [
        "CustomerID,InvoiceDate,StockCode",
        "customer id,Date,Product Code",
        "顧客ID,購買日,購買商品",
        "会員番号,日付,商品コード",
        "ＣｕｓｔｏｍｅｒＩＤ,購入日,ＪＡＮコード",
    ],
)
def test_columns_are_found_by_name_in_english_and_japanese(read: Any, header: str) -> None:
    assert content(read(SMALL.replace("customer,day,item", header))) == SMALL_CONTENT


def test_the_better_name_wins(read: Any) -> None:
    history = read("商品名,商品ID,顧客ID,日付\ntea,22,a,2024/1/5\n")
    assert history.reading.columns == {"customer": "顧客ID", "day": "日付", "item": "商品ID", "item_name": "商品名"}


def test_columns_can_be_given_by_name_or_position(read: Any) -> None:
    text = "who,customer,when,thing\na,x,2024/1/5,tea\nb,x,2024/1/6,bread\n"
    assert content(read(text, columns={"customer": "who", "day": "when", "item": "4"})) == SMALL_CONTENT


def test_headerless_five_and_seven_columns_are_the_contests_formats(read: Any) -> None:
    five = read("a,2024/1/5,tea,1.5,2\nb,2024/1/6,bread,2,1\n")
    assert (content(five), five.parts) == (SMALL_CONTENT, ("price", "quantity"))
    seven = read("a,1,2024/1/5,8:45,tea,1.5,2\nb,2,2024/1/6,20:10,bread,2,1\n")
    assert (content(seven), seven.parts) == (SMALL_CONTENT, ("time", "price", "quantity"))
    assert seven.reading.guesses["header"] == "no"


def test_another_headerless_width_asks_for_positions(read: Any) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="no header and 4 columns"):
        read("a,2024/1/5,tea,1.5\n")
    given = read("a,2024/1/5,tea,1.5\n", columns={"customer": "1", "day": "2", "item": "3"})
    assert given.records == 1


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2010/12/1", dt.date(2010, 12, 1)),
        ("2010-12-01", dt.date(2010, 12, 1)),
        ("2010-12-01T08:26:00", dt.date(2010, 12, 1)),
        ("2010-12-01T23:30:00+09:00", dt.date(2010, 12, 1)),
        ("2010/12/1 8:26", dt.date(2010, 12, 1)),
        ("20101201", dt.date(2010, 12, 1)),
        ("40513", dt.date(2010, 12, 1)),
        ("40513.5", dt.date(2010, 12, 1)),
    ],
)
def test_forms_of_days(read: Any, text: str, day: dt.date) -> None:
    assert content(read(f"customer,day,item\na,{text},tea\n")) == [("a", day, "tea")]


def test_a_date_format_can_be_given(read: Any) -> None:
    history = read("customer,day,item\na,12/1/2010 8:26,tea\n", date_format="%m/%d/%Y %H:%M")
    assert content(history) == [("a", dt.date(2010, 12, 1), "tea")]
    assert history.parts == ("time",)


def test_a_date_time_gives_the_time_of_day_too(read: Any) -> None:
    assert read("customer,day,item\na,2010/12/1 8:26,tea\n").parts == ("time",)
    assert read("customer,day,item\na,2010/12/1 00:00,tea\n").parts == ()


def test_excel_is_read_with_its_dates(read: Any, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["CustomerID", "InvoiceDate", "StockCode", "Quantity"])
    sheet.append([17850, dt.datetime(2010, 12, 1, 8, 26), "85123A", 6])
    sheet.append([13047, dt.date(2010, 12, 2), 22423, 1])
    book.save(tmp_path / "h.xlsx")
    history = read(tmp_path / "h.xlsx")
    assert content(history) == [("13047", dt.date(2010, 12, 2), "22423"), ("17850", dt.date(2010, 12, 1), "85123A")]
    assert history.reading.format == "Excel"
    with pytest.raises(sudare.OptionNotUsable, match="Its sheets are: Sheet"):
        read(tmp_path / "h.xlsx", sheet="purchases")


def test_parquet_files_and_folders_are_read(read: Any, tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {"customer": ["a", "b"], "day": [dt.date(2024, 1, 5), dt.date(2024, 1, 6)], "item": ["tea", "bread"]}
    )
    frame.write_parquet(tmp_path / "h.parquet")
    assert content(read(tmp_path / "h.parquet")) == SMALL_CONTENT
    (tmp_path / "parts").mkdir()
    frame.head(1).write_parquet(tmp_path / "parts" / "1.parquet")
    frame.tail(1).write_parquet(tmp_path / "parts" / "2.parquet")
    assert content(read(tmp_path / "parts")) == SMALL_CONTENT


COLUMNS = {
    "CustomerID": [1.0, 2.0],
    "day": [dt.datetime(2024, 1, 5, 9), dt.datetime(2024, 1, 6)],
    "item": ["tea", "bread"],
}
FRAME_CONTENT = [("1", dt.date(2024, 1, 5), "tea"), ("2", dt.date(2024, 1, 6), "bread")]


@pytest.mark.parametrize(
    "frame",
    [pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS), polars.LazyFrame(COLUMNS), pyarrow.table(COLUMNS)],
    ids=["pandas", "polars", "polars-lazy", "pyarrow"],
)
def test_dataframes_are_read(read: Any, frame: object) -> None:
    history = read(frame)
    assert content(history) == FRAME_CONTENT
    assert "dataframe" in history.reading.source


def test_a_duckdb_relation_is_read(read: Any) -> None:
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 'a' AS customer, DATE '2024-01-05' AS day, 'tea' AS item")
        assert content(read(relation)) == [("a", dt.date(2024, 1, 5), "tea")]
        del relation


def test_what_is_no_source_is_refused(read: Any) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="from a value of type dict"):
        read({"customer": [1]})


BAD = """\
customer,day,item,time,price,quantity
a,2024/1/5,tea,9:00,1.5,2
,2024/1/5,tea,9:00,1.5,2
a,,tea,9:00,1.5,2
a,5. Jan 2024,tea,9:00,1.5,2
a,0001-01-05,tea,9:00,1.5,2
a,2024/1/5,,9:00,1.5,2

a,2024/1/5,tea,25:99,1.5,2
a,2024/1/5,tea,9:00,cheap,2
a,2024/1/5,tea,9:00,-1,2
a,2024/1/5,tea,9:00,1.5,many
a,2024/1/5,tea,9:00,1.5,-2
a,2024/1/5,tea
a,2024/1/5,tea,9:00,1.5,0
"""


def test_bad_rows_are_refused_with_place_and_reason(read: Any) -> None:
    with pytest.raises(sudare.BadRows) as caught:
        read(BAD)
    text = str(caught.value)
    assert "history.csv has 12 rows that cannot be used; nothing was read." in text
    assert "1 row, column customer: the customer is missing (row 3)" in text
    assert "1 row, column day: the day is missing (row 4)" in text
    assert "1 row, column day: not a date in a known format (row 5: '5. Jan 2024')" in text
    assert "1 row, column day: the day is not within the years 1900 to 2199 (row 6: '0001-01-05')" in text
    assert "1 row, column item: the item is missing (row 7)" in text
    assert "1 row, column time: not a time of day (row 9: '25:99')" in text
    assert "1 row, column price: the price is not a number (row 10: 'cheap')" in text
    assert "1 row, column price: the price is negative (row 11: '-1')" in text
    assert "1 row, column quantity: the quantity is not a number (row 12: 'many')" in text
    assert "2 rows, column quantity: the quantity is not above zero (first: row 13: '-2')" in text
    assert "1 row: the line does not divide into the columns (row " in text
    assert 'bad_rows="drop"' in text
    assert 'date_format="' in text


def test_bad_rows_are_dropped_and_counted(read: Any) -> None:
    history = read(BAD, bad_rows="drop")
    assert history.records == 1
    assert (history.reading.rows, history.reading.dropped_rows) == (13, 12)
    reasons = {(str(part.reason), part.column): part.rows for part in history.reading.dropped}
    assert reasons["the customer is missing", "customer"] == 1
    assert reasons["the quantity is not above zero", "quantity"] == 2
    assert reasons["the line does not divide into the columns", ""] == 1


def test_rows_are_found_behind_broken_lines_and_cells_with_line_breaks(read: Any) -> None:
    text = 'customer,day,item\na,2024/1/5,"tea\nand\nmilk"\na,2024/1/5\n\na,x,tea\n'
    with pytest.raises(sudare.BadRows) as caught:
        read(text)
    assert "row 5: 3 columns expected, 2 found" in str(caught.value)
    assert "not a date in a known format (row 7: 'x')" in str(caught.value)


def test_values_can_mean_missing(read: Any) -> None:
    text = "customer,day,item\n0,2024/1/5,tea\na,2024/1/5,tea\n"
    history = read(text, missing_values={"customer": ["0"]}, bad_rows="drop")
    assert (history.records, history.reading.dropped[0].rows) == (1, 1)
    with pytest.raises(sudare.OptionNotUsable, match="Unknown role 'who'"):
        read(text, missing_values={"who": ["0"]})


def test_missing_optional_cells_are_a_value_of_their_own(read: Any) -> None:
    history = read("customer,day,item,price\na,2024/1/5,tea,\nb,2024/1/6,tea,\nc,2024/1/6,tea,2\n")
    found = {value.value["price"]: value.customers for value in sudare.histories.most_identifying(history, "price")}
    assert found == {None: 2, 2.0: 1}


def test_spaces_around_cells_do_not_count(read: Any) -> None:
    assert content(read("customer , day,item\n a , 2024/1/5 , tea \n")) == [("a", dt.date(2024, 1, 5), "tea")]


def test_the_hash_is_that_of_the_file(read: Any, toy_file: Path) -> None:
    import hashlib

    assert read(toy_file).reading.sha256 == hashlib.sha256(TOY.encode()).hexdigest()


@pytest.mark.parametrize(
    ("name", "content_", "message"),
    [
        ("empty.csv", b"", "is empty"),
        ("blank.csv", b"\n\n", "is empty"),
        ("header.csv", b"customer,day,item\n", "has no rows of data"),
        ("binary.csv", bytes(range(256)) * 20, "is not text in UTF-8"),
        ("zip.csv", b"PK\x03\x04rest", "cannot be unpacked as zip"),
        ("gzip.csv", b"\x1f\x8brest", "damaged or incomplete"),
        ("one.csv", b"customer\na\n", "is a single column"),
        (
            "columns.csv",
            b"name,when,thing\na,2024/1/5,tea\n",
            "has no column whose name looks like customer, day and item",
        ),
        ("bad.parquet", b"PAR1 but not really", "cannot be read as Parquet"),
        ("bad.xlsx", b"not a workbook", "cannot be read as Excel"),
        ("long.csv", b"a" * (1 << 22) + b"\n", "longer than"),
    ],
)
def test_unusable_files_are_refused_with_a_hint(
    read: Any, tmp_path: Path, name: str, content_: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content_)
    with pytest.raises(sudare.InputError, match=message) as caught:
        read(tmp_path / name)
    assert "Hint: " in str(caught.value)
    assert name in str(caught.value)


def test_a_missing_file_names_its_neighbours(read: Any, tmp_path: Path, toy_file: Path) -> None:
    with pytest.raises(sudare.SourceNotReadable, match=r"There is no file .*toy\.txt\. In that folder: toy\.csv"):
        read(tmp_path / "toy.txt")


def test_a_folder_without_parquet_is_refused(read: Any, tmp_path: Path) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="folder without Parquet"):
        read(tmp_path)


def test_a_device_is_refused(read: Any) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="not a regular file"):
        read(Path(os.devnull))


def test_a_wrong_delimiter_names_the_one_it_looks_like(read: Any) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="The delimiter looks like ','"):
        read(SMALL, delimiter=";")


def test_a_given_column_that_is_not_there_lists_those_that_are(read: Any) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="Its columns are: customer, day, item"):
        read(SMALL, columns={"price": "cost"})
    with pytest.raises(sudare.OptionNotUsable, match="Unknown role 'shop'"):
        read(SMALL, columns={"shop": "day"})


def test_a_hundred_columns_are_no_problem(read: Any) -> None:
    names = ",".join(f"extra{n}" for n in range(97))
    cells = ",".join("x" for _ in range(97))
    history = read(f"{names},customer,day,item\n{cells},a,2024/1/5,tea\n")
    assert content(history) == [("a", dt.date(2024, 1, 5), "tea")]
    with pytest.raises(sudare.ColumnNotFound, match=r"\.\.\. \(99 in all\)"):
        read(f"{names},day,item\n{cells},2024/1/5,tea\n")


def test_repeated_and_empty_column_names_are_read(read: Any) -> None:
    history = read(",customer,day,item,item,\n1,a,2024/1/5,tea,x,y\n")
    assert content(history) == [("a", dt.date(2024, 1, 5), "tea")]


def test_dates_mixed_with_unknown_ones_are_refused_by_row(read: Any) -> None:
    with pytest.raises(sudare.BadRows, match=r"day and month cannot be told apart \(row 3: '5/1/2024'\)"):
        read("customer,day,item\na,2024/1/5,tea\na,5/1/2024,tea\n")


@pytest.fixture
def nobody() -> Iterator[None]:
    """Take away root's right to read every file."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_a_file_or_folder_without_the_right_to_read_is_refused(read: Any, nobody: None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "h.csv", SMALL)
        path.chmod(0)
        with pytest.raises(sudare.SourceNotReadable, match=r"h\.csv cannot be read: permission denied"):
            read(path)
        Path(folder).chmod(0)
        with pytest.raises(sudare.SourceNotReadable, match="cannot be read: permission denied"):
            read(path)
        Path(folder).chmod(0o700)


def test_an_unknown_rule_for_bad_rows_is_refused(read: Any) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="refuse or drop"):
        read(SMALL, bad_rows="keep")


def test_progress_reaches_its_total(read: Any) -> None:
    steps: list[tuple[int, int]] = []
    read(SMALL, progress=lambda _, done, total: steps.append((done, total)))
    assert steps[-1] == (3, 3)


def test_temporary_files_are_removed(read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = write(tmp_path / "h.csv", "顧客ID,購買日,購買商品\n一,2024/1/5,お茶\n", "cp932")
    with sudare.read_history(path):
        pass
    assert list((tmp_path / "temporary").iterdir()) == []


def test_closing_a_history_drops_its_tables(engine: DuckDBEngine, toy_file: Path) -> None:
    before = rows_of(engine, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'history%'")
    with sudare.read_history(toy_file, engine=engine) as history:
        sudare.histories.assess_attackers(history, knowledge=["(item + price)*2"])
    assert rows_of(engine, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'history%'") == before


def test_a_refused_source_leaves_nothing_on_the_engine(engine: DuckDBEngine) -> None:
    before = rows_of(engine, "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'history%' ORDER BY ALL")
    frame = polars.DataFrame({"customer": [None], "day": ["2024-01-05"], "item": ["tea"]})
    with pytest.raises(sudare.BadRows, match=r"column customer: the customer is missing \(row 1\)"):
        sudare.read_history(frame, engine=engine)
    assert (
        rows_of(engine, "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'history%' ORDER BY ALL")
        == before
    )
    with pytest.raises(Exception, match="attached_frame"):
        rows_of(engine, "SELECT * FROM attached_frame")
