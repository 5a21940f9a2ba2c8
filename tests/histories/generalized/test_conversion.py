"""Any purchase history as cells: which columns are taken, what is refused, what is written again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import polars
import pytest

from sudare.contest.publish import publish_anonymized
from sudare.errors import BadRows, ColumnNotFound, OutputNotWritable, SourceNotReadable
from sudare.histories.generalized import conversion as module
from sudare.histories.generalized.conversion import HistoryRows, read_history_rows
from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.parquet import read_cells_parquet, write_cells_parquet
from sudare.histories.generalized.rule_sets import load_rules
from sudare.histories.generalized.text import read_original, write_cells
from tests.histories.generalized.small_cells import assert_same, cells

TABLE = """InvoiceNo;CustomerID;InvoiceDate;StockCode;UnitPrice;Quantity;Country
9001;bob;2010-12-01 08:26;pen, red;2.55;6;UK
9001;bob;2010-12-01 08:26;mug;3.39;6;UK
9002;ann;2011-01-31 17:00;mug;3.39;12;UK
"""


def file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def days(history: CellHistory) -> list[int]:
    column = history.column("date")
    assert isinstance(column, OrderedColumn)
    return column.low.tolist()


def test_columns_are_found_by_name_and_days_lose_their_time(tmp_path: Path) -> None:
    found = read_history_rows(file(tmp_path / "log.csv", TABLE))
    items, price = found.history.column("item"), found.history.column("price")
    assert isinstance(items, ItemColumn)
    assert isinstance(price, OrderedColumn)
    assert found.header == ("CustomerID", "InvoiceDate", "StockCode", "UnitPrice", "Quantity")
    assert found.customers == ("ann", "bob")
    assert found.history.persons.tolist() == [2, 2, 1]
    assert days(found.history) == [14944, 14944, 15005]
    assert (items.names, items.sets.tolist()) == (("mug", "pen, red"), [1, 0, 0])
    assert (price.form, price.low.tolist()) == ("decimal", [255, 339, 339])


def test_invoice_time_and_unknown_columns_are_named_as_not_published(tmp_path: Path) -> None:
    found = read_history_rows(file(tmp_path / "log.csv", TABLE))
    assert tuple(map(str, found.remarks)) == ("Not published: InvoiceNo, Country, time of day",)


def test_rules_describe_the_columns_and_keep_the_test_of_the_contest(tmp_path: Path) -> None:
    rules, contest = read_history_rows(file(tmp_path / "log.csv", TABLE)).rules, load_rules()
    assert [(rule.name, rule.form) for rule in rules.columns] == [
        ("customer", "person"), ("date", "date"), ("item", "item"), ("price", "decimal"), ("quantity", "integer"),
    ]  # fmt: skip
    assert (rules.columns[3].low, rules.columns[3].high) == (255, 339)
    assert (rules.p, rules.alpha, rules.attacks) == (contest.p, contest.alpha, contest.attacks)


def test_a_history_may_lack_price_and_quantity(tmp_path: Path) -> None:
    found = read_history_rows(file(tmp_path / "log.csv", "user,date,item\n7,2011/1/2,a\n5,2011/1/3,b\n"))
    assert [column.name for column in found.history.columns] == ["date", "item"]
    assert found.remarks == ()


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = file(tmp_path / "log.csv", "who,on,what\n7,2.1.2011,a\n")
    with pytest.raises(ColumnNotFound, match="looks like customer"):
        read_history_rows(path)
    named = {"customer": "who", "day": "on", "item": "what"}
    assert days(read_history_rows(path, columns=named, date_format="%d.%m.%Y").history) == [14976]


def test_parts_of_units_are_held_in_hundredths_and_rounding_is_told(tmp_path: Path) -> None:
    path = file(tmp_path / "log.csv", "user,date,item,price,qty\n7,2011/1/2,a,1.999,0.25\n5,2011/1/3,b,0.29,3\n")
    found = read_history_rows(path)
    price, quantity = found.history.column("price"), found.history.column("quantity")
    assert isinstance(price, OrderedColumn)
    assert isinstance(quantity, OrderedColumn)
    assert price.low.tolist() == [200, 29]
    assert (quantity.form, quantity.low.tolist()) == ("decimal", [25, 300])
    assert tuple(map(str, found.remarks)) == ("Rounded to hundredths: price in 1 row",)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (",2011/1/2,a,1", "column user: the customer is missing (row 3)"),
        ("7,2011/1/2,a,", "column price: the price is missing (row 3)"),
        ("7,2011/1/2,a,1e12", "price is too large"),
        ("7,2011/1/2,a;b,1", "item is * or contains ; { or }"),
        ("7,2011/1/2,*,1", "item is * or contains ; { or }"),
    ],
)
def test_rows_that_cannot_be_measured_or_written_are_refused_or_dropped(
    line: str, complaint: str, tmp_path: Path
) -> None:
    path = file(tmp_path / "log.csv", f"user,date,item,price\n7,2011/1/2,a,1\n{line}\n5,2011/1/3,b,1\n")
    with pytest.raises(BadRows) as refused:
        read_history_rows(path)
    assert complaint in str(refused.value)
    assert 'bad_rows="drop"' in str(refused.value)
    left = read_history_rows(path, bad_rows="drop")
    assert left.customers == ("5", "7")
    assert tuple(map(str, left.remarks)) == (
        "Rows that were dropped have no row in what is written; the others keep their order.",
    )


def test_no_file_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match="There is no file"):
        read_history_rows(tmp_path / "none.csv")
    with pytest.raises(SourceNotReadable, match="is empty"):
        read_history_rows(file(tmp_path / "log.csv", ""))


def small_file(tmp_path: Path) -> tuple[HistoryRows, CellHistory]:
    """Return a file of three rows and an anonymized form with a range, a set and a deleted row."""
    found = read_history_rows(file(tmp_path / "log.csv", TABLE))
    date, item, price, quantity = found.history.columns
    assert isinstance(date, OrderedColumn)
    assert isinstance(item, ItemColumn)
    kinds = np.array([Kind.RANGE, Kind.DELETED, Kind.EXACT], np.uint8)
    low, high = np.array([14940, 0, 15005]), np.array([14944, 0, 15005])
    starts, members = np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1], np.int32)
    set_kinds = np.array([Kind.SET, Kind.DELETED, Kind.EXACT], np.uint8)
    sets = np.array([2, -1, 0], np.int32)
    columns = [OrderedColumn("date", "date", kinds, low, high)]
    columns += [_without(column, 1) for column in (price, quantity) if isinstance(column, OrderedColumn)]
    items = ItemColumn("item", set_kinds, sets, starts, members, item.names)
    return found, CellHistory(np.array([9, 0, 4]), (columns[0], items, *columns[1:]))


def _without(column: OrderedColumn, row: int) -> OrderedColumn:
    gone = np.arange(len(column.low)) == row
    kinds = np.where(gone, Kind.DELETED, column.kinds).astype(np.uint8)
    values = np.where(gone, 0, column.low)
    return OrderedColumn(column.name, column.form, kinds, values, values)


def test_each_row_is_written_in_its_place_under_the_names_of_the_columns(tmp_path: Path) -> None:
    found, anonymized = small_file(tmp_path)
    found.write_aligned(anonymized, tmp_path / "A.csv")
    assert (tmp_path / "A.csv").read_text() == (
        "CustomerID,InvoiceDate,StockCode,UnitPrice,Quantity\n"
        '9,[2010-11-27;2010-12-01],"{mug;pen, red}",2.55,6\n'
        "*,*,*,*,*\n"
        "4,2011-01-31,mug,3.39,12\n"
    )


def test_published_are_the_rows_that_are_left_sorted(tmp_path: Path) -> None:
    found, anonymized = small_file(tmp_path)
    assert found.publish(anonymized, tmp_path / "P.csv") == 2
    assert (tmp_path / "P.csv").read_text() == (
        "CustomerID,InvoiceDate,StockCode,UnitPrice,Quantity\n"
        "4,2011-01-31,mug,3.39,12\n"
        '9,[2010-11-27;2010-12-01],"{mug;pen, red}",2.55,6\n'
    )


def test_a_name_that_ends_in_parquet_is_written_so(tmp_path: Path) -> None:
    found, anonymized = small_file(tmp_path)
    found.write_aligned(anonymized, tmp_path / "A.parquet")
    assert_same(read_cells_parquet(tmp_path / "A.parquet", found.history), anonymized)
    found.publish(anonymized, tmp_path / "P.parquet")
    assert polars.read_parquet(tmp_path / "P.parquet")["person"].to_list() == [4, 9]


CONTEST = [["7", "2011/1/2", "a", "0.5", "1"], ["12", "2011/1/3", "b", "0.5", "2"], ["12", "2011/1/3", "a", "9", "2"]]


def test_five_columns_without_header_are_read_written_and_published_as_a_contest_does(tmp_path: Path) -> None:
    write_cells(cells(CONTEST), tmp_path / "T.csv")
    found = read_history_rows(tmp_path / "T.csv")
    assert found.of_contest
    assert found.rules == load_rules()
    assert_same(found.history, read_original(tmp_path / "T.csv"))
    anonymized = cells(
        [["20", "*", "{a;b}", "0.5", "1"], ["*"] * 5, ["3", "[2011/1/1;2011/1/3]", "a", "9", "2"]], names=["a", "b"]
    )
    found.write_aligned(anonymized, tmp_path / "A.csv")
    write_cells(anonymized, tmp_path / "same.csv")
    assert (tmp_path / "A.csv").read_bytes() == (tmp_path / "same.csv").read_bytes()
    assert (
        found.publish(anonymized, tmp_path / "P.csv")
        == publish_anonymized(tmp_path / "A.csv", tmp_path / "official.csv")
        == 2
    )
    assert (tmp_path / "P.csv").read_bytes() == (tmp_path / "official.csv").read_bytes()


def test_five_columns_without_header_can_be_read_as_any_history(tmp_path: Path) -> None:
    path = file(tmp_path / "log.csv", "ann,2021/1/2,a,0.5,1\nbob,2021/1/3,b,0.5,2\n")
    with pytest.raises(BadRows, match="under the rules pwscup2018"):
        read_history_rows(path)
    found = read_history_rows(path, header=False)
    assert (found.header, found.customers) == (("customer", "day", "item", "price", "quantity"), ("ann", "bob"))


def test_seven_columns_without_header_are_those_of_an_earlier_contest(tmp_path: Path) -> None:
    path = file(tmp_path / "log.csv", "5,9001,2010/12/1,8:26,a,2.55,6\n6,9002,2010/12/1,8:28,b,1.85,6\n")
    found = read_history_rows(path)
    assert found.customers == ("5", "6")
    assert tuple(map(str, found.remarks)) == ("Not published: invoice, time",)


def test_the_contest_history_and_a_real_log_are_read(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    truth = read_history_rows(real_data("pwscup2018-T.csv"))
    assert (truth.of_contest, len(truth.history)) == (True, 81_776)
    log = read_history_rows(real_data("online-retail-400.csv"))
    assert log.reading is not None
    assert len(log.history) == log.reading.rows
    log.write_aligned(log.history, tmp_path / "A.csv")
    assert read_history_rows(tmp_path / "A.csv").history.persons.tolist() == _renumbered(log.history.persons)


def _renumbered(persons: np.ndarray) -> list[int]:
    """Return the numbers of persons in the order of their numbers as text."""
    numbers = {name: number for number, name in enumerate(sorted(set(map(str, persons.tolist()))), start=1)}
    return [numbers[str(person)] for person in persons.tolist()]


@pytest.mark.parametrize("name", ["P.csv", "P.parquet"])
def test_what_is_not_read_as_it_was_written_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    found, anonymized = small_file(tmp_path)
    monkeypatch.setattr(module, "_check_read", _refuse)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(AssertionError, match="read again"):
        found.publish(anonymized, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


def _refuse(read: Iterable[object], written: Iterable[object]) -> None:
    assert list(read) == list(written)
    raise AssertionError("read again")


def test_a_long_cell_and_a_carriage_return_are_written_as_they_were(tmp_path: Path) -> None:
    long = "x" * 200_000
    (tmp_path / "log.csv").write_bytes(f'customer,day,item\na,2024-01-05,"a\rb"\nb,2024-01-06,{long}\n'.encode())
    found = read_history_rows(tmp_path / "log.csv")
    rows = b'customer,day,item\n1,2024-01-05,"a\rb"\n2,2024-01-06,' + long.encode() + b"\n"
    found.write_aligned(found.history, tmp_path / "A.csv")
    assert (tmp_path / "A.csv").read_bytes() == rows
    found.publish(found.history, tmp_path / "P.csv")
    assert (tmp_path / "P.csv").read_bytes() == rows


@pytest.mark.parametrize("name", ["A.csv", "A.parquet"])
@pytest.mark.parametrize("contest", [False, True])
def test_rows_in_their_places_are_read_again_before_they_get_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, contest: bool
) -> None:
    if contest:
        write_cells(cells(CONTEST), tmp_path / "T.csv")
        found = read_history_rows(tmp_path / "T.csv")
        anonymized = found.history
    else:
        found, anonymized = small_file(tmp_path)
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(module, "_check_read", _refuse)
    with pytest.raises(AssertionError, match="read again"):
        found.write_aligned(anonymized, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_read_otherwise_than_it_was_written_is_told() -> None:
    with pytest.raises(OutputNotWritable, match="would not read back as it was written"):
        module._check_read(["a"], ["b"])


@pytest.mark.parametrize("write", [write_cells, write_cells_parquet])
def test_what_is_written_row_by_row_is_for_its_owner_only(
    tmp_path: Path, write: Callable[[CellHistory, Path], None]
) -> None:
    path = tmp_path / ("A.csv" if write is write_cells else "A.parquet")
    write(cells(CONTEST), path)
    assert path.stat().st_mode & 0o777 == 0o600
