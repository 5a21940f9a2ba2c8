"""Generalized cells as Parquet: what others see in the file, exact round trips, files that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars
import pytest

from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.model import CellHistory
from sudare.histories.generalized.parquet import read_cells_parquet, write_cells_parquet
from sudare.histories.generalized.text import read_original
from tests.histories.generalized.small_cells import assert_same, cells

T = [
    ["12", "2010/12/1", "a", "3.75", "24"],
    ["12", "2010/12/8", "b", "5.2", "3"],
    ["7", "2011/1/31", "c", "0.85", "999999"],
    ["7", "2011/1/31", "a", "0.85", "1"],
]
A = [
    ["5", "[2010/11/30;2010/12/2]", "{b;a}", "*", "24"],
    ["*", "*", "*", "*", "*"],
    ["9", "*", "{c}", "[0.8;1]", "[1;999999]"],
    ["9", "2011/1/31", "{a;b}", "0.85", "*"],
]


def anonymized() -> CellHistory:
    return cells(A, names=["a", "b", "c"])


def test_other_programs_see_dates_decimals_and_lists(tmp_path: Path) -> None:
    write_cells_parquet(anonymized(), tmp_path / "A.parquet")
    frame = polars.read_parquet(tmp_path / "A.parquet")
    assert frame["person"].to_list() == [5, None, 9, 9]
    assert frame["date_kind"].to_list() == ["range", "deleted", "deleted", "exact"]
    assert frame["date_low"].to_list() == [date(2010, 11, 30), None, None, date(2011, 1, 31)]
    assert frame["item_items"].to_list() == [["b", "a"], None, ["c"], ["a", "b"]]
    assert frame["price_high"].to_list() == [None, None, Decimal("1.00"), Decimal("0.85")]
    assert frame["quantity_low"].to_list() == [24, None, 1, None]


@pytest.mark.parametrize("rows", [T, T[:1]])
def test_an_original_is_read_as_it_was_written(rows: list[list[str]], tmp_path: Path) -> None:
    write_cells_parquet(cells(rows), tmp_path / "T.parquet")
    assert_same(read_cells_parquet(tmp_path / "T.parquet"), cells(rows))


def test_an_anonymized_history_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_cells_parquet(anonymized(), tmp_path / "A.parquet")
    assert_same(read_cells_parquet(tmp_path / "A.parquet", cells(T)), anonymized())


def test_a_history_of_deleted_rows_is_read_as_it_was_written(tmp_path: Path) -> None:
    deleted = cells([["*"] * 5] * 3, names=["a", "b", "c"])
    write_cells_parquet(deleted, tmp_path / "A.parquet")
    assert_same(read_cells_parquet(tmp_path / "A.parquet", cells(T)), deleted)


def test_the_contest_history_is_read_as_it_was_written(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    truth = read_original(real_data("pwscup2018-T.csv"))
    write_cells_parquet(truth, tmp_path / "T.parquet")
    assert_same(read_cells_parquet(tmp_path / "T.parquet"), truth)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("date_kind", polars.lit("about")),
        ("date_kind", polars.lit("exact")),
        ("date_low", polars.lit(None, polars.Date)),
        ("item_kind", polars.lit("exact")),
        ("item_items", polars.lit(["a", "a"])),
        ("person", polars.lit(None, polars.Int64)),
        ("person", polars.lit(0, polars.Int64)),
    ],
)
def test_kinds_and_values_that_do_not_fit_are_refused(column: str, value: polars.Expr, tmp_path: Path) -> None:
    write_cells_parquet(cells(A[:1], names=["a", "b"]), tmp_path / "A.parquet")
    frame = polars.read_parquet(tmp_path / "A.parquet").with_columns(value.alias(column))
    frame.write_parquet(tmp_path / "B.parquet")
    with pytest.raises(BadRows, match="do not match in row 1"):
        read_cells_parquet(tmp_path / "B.parquet")


def test_items_that_the_original_does_not_have_are_refused(tmp_path: Path) -> None:
    for item in ("x", "{a;x}"):
        write_cells_parquet(cells([["1", "*", item, "*", "*"]]), tmp_path / "A.parquet")
        with pytest.raises(BadRows, match="items that the original does not have"):
            read_cells_parquet(tmp_path / "A.parquet", cells(T))


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "A.parquet").write_text("1,2\n")
    with pytest.raises(SourceNotReadable, match="cannot be read as Parquet"):
        read_cells_parquet(tmp_path / "A.parquet")
    polars.DataFrame({"x": [1]}).write_parquet(tmp_path / "A.parquet")
    with pytest.raises(SourceNotReadable, match="no column person"):
        read_cells_parquet(tmp_path / "A.parquet")
    polars.DataFrame({"person": [1], "x_kind": ["exact"]}).write_parquet(tmp_path / "A.parquet")
    with pytest.raises(SourceNotReadable, match="x_kind needs either x_low"):
        read_cells_parquet(tmp_path / "A.parquet")
    with pytest.raises(OptionNotUsable, match=r"its name must end in \.parquet"):
        write_cells_parquet(anonymized(), tmp_path / "A.csv")


def test_items_that_are_no_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_bytes(b"1,2010/12/1,\x83A,1,1\n")
    with pytest.raises(OptionNotUsable, match=r"the item \\x83A, which is not UTF-8"):
        write_cells_parquet(read_original(tmp_path / "T.csv"), tmp_path / "T.parquet")
    assert not (tmp_path / "T.parquet").exists()
