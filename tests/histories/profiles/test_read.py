"""Histories for comparison, from any file: exact ones, and what sudare and contests publish."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import numpy as np
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import BadRows, NotOnEngine
from sudare.histories import assess_profiles
from sudare.histories.generalized.conversion import read_history_rows
from sudare.histories.generalized.model import CellHistory, Kind, OrderedColumn
from sudare.histories.generalized.written_text import cell_texts
from sudare.histories.profiles.assessment import ProfileAssessment
from sudare.histories.profiles.read import NamedCells, cells_of
from sudare.sources.purchases.load import PurchaseForm
from tests.histories.generalized.small_cells import assert_same, cells

HEADER = "customer,day,item,price,quantity\n"
EXACT = "Ann,2011-01-05,tea,1.50,2\nBen,2011-01-06,cake,2.00,1\nAnn,2011-01-07,cake,2.00,3\n"
# The same rows in cells that contests and sudare write.
WIDE = "x1,[2011/1/5;2011/1/9],{tea;cake},[1;2.5],*\nx2,2011/1/6,*,2,[1;4]\nx1,*,cake,*,3\n"
SHOWN = [
    ["2011-01-06", "[2011-01-05;2011-01-09]", "*"],
    ["*", "{tea;cake}", "cake"],
    ["2", "[1;2.5]", "*"],
    ["[1;4]", "*", "3"],
]


def read(source: object, engine: DuckDBEngine, **form: object) -> NamedCells:
    return cells_of(source, PurchaseForm(**form), engine=engine)  # type: ignore[arg-type]


def texts(found: NamedCells) -> list[tuple[str, ...]]:
    """Return all rows as they are written, by the names of people, sorted."""
    rows = zip(*map(cell_texts, found.cells.columns), strict=True)
    return sorted(
        (found.names[person - 1], *row) for person, row in zip(found.cells.persons.tolist(), rows, strict=True)
    )


def written(folder: Path, text: str, name: str = "file.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def wide_texts() -> list[tuple[str, ...]]:
    people = ["x2", "x1", "x1"]
    return sorted(zip(people, *SHOWN, strict=True))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_exact_rows_are_read_as_any_history(engine: DuckDBEngine, tmp_path: Path, delimiter: str) -> None:
    found = read(written(tmp_path, (HEADER + EXACT).replace(",", delimiter)), engine)
    assert texts(found) == [
        ("Ann", "2011-01-05", "tea", "1.5", "2"),
        ("Ann", "2011-01-07", "cake", "2", "3"),
        ("Ben", "2011-01-06", "cake", "2", "1"),
    ]
    assert found.reading is not None
    assert found.reading.rows == 3


def test_missing_and_fractional_numbers(engine: DuckDBEngine, tmp_path: Path) -> None:
    text = "customer,day,item,price,quantity\nAnn,2011-01-05,tea,,0.5\nAnn,2011-01-06,tea,0,\nBen,2011-01-06,tea,3,1\n"
    found = read(written(tmp_path, text), engine)
    assert texts(found) == [
        ("Ann", "2011-01-05", "tea", "*", "0.5"),
        ("Ann", "2011-01-06", "tea", "0", "*"),
        ("Ben", "2011-01-06", "tea", "3", "1"),
    ]


@pytest.mark.parametrize("header", ["", HEADER, "pseudonym,date,item,price,quantity\n"])
def test_cells_are_read_with_and_without_a_header(engine: DuckDBEngine, tmp_path: Path, header: str) -> None:
    columns = {"columns": {"customer": "pseudonym"}} if header.startswith("pseudonym") else {}
    assert texts(read(written(tmp_path, header + WIDE), engine, **columns)) == wide_texts()


def test_a_first_line_with_ranges_is_no_header_and_any_can_be_said_to_be_one(
    engine: DuckDBEngine, tmp_path: Path
) -> None:
    path = written(tmp_path, "x1,*,{tea;cake},*,*\nx2,*,tea,*,*\n")
    assert read(path, engine).names == ("x1", "x2")
    assert read(path, engine, header=False).names == ("x1", "x2")
    columns = {"customer": "x1", "day": "*", "item": "{tea;cake}"}
    assert read(path, engine, header=True, columns=columns).names == ("x2",)


def test_columns_stand_in_any_order_and_some_may_be_missing(engine: DuckDBEngine, tmp_path: Path) -> None:
    text = "item,quantity,customer,day\n{tea;cake},[1;4],x1,[2011-01-05;2011-01-09]\n"
    assert texts(read(written(tmp_path, text), engine)) == [("x1", "[2011-01-05;2011-01-09]", "{tea;cake}", "[1;4]")]


def test_a_packed_file_is_unpacked(engine: DuckDBEngine, tmp_path: Path) -> None:
    with gzip.open(tmp_path / "wide.csv.gz", "wt", encoding="utf-8") as file:
        file.write(HEADER + WIDE)
    assert texts(read(tmp_path / "wide.csv.gz", engine)) == wide_texts()


@pytest.mark.parametrize(("more", "form"), [("", "integer"), ("x3,*,tea,1,[1;2.5]\n", "decimal")])
def test_quantities_are_whole_numbers_unless_one_of_them_is_not(
    engine: DuckDBEngine, tmp_path: Path, more: str, form: str
) -> None:
    quantity = read(written(tmp_path, WIDE + more), engine).cells.column("quantity")
    assert isinstance(quantity, OrderedColumn)
    assert quantity.form == form
    scale = 1 if form == "integer" else 100
    assert (quantity.low[1], quantity.high[1]) == (scale, 4 * scale)


def test_deleted_rows_are_nobodys(engine: DuckDBEngine, tmp_path: Path) -> None:
    found = read(written(tmp_path, f"{WIDE}*,*,*,*,*\n"), engine)
    assert texts(found) == wide_texts()
    assert found.names == ("x1", "x2")


@pytest.mark.parametrize("item", ["{tea;cake}", "*"])
def test_a_file_whose_only_wide_cells_are_items_is_not_taken_for_an_exact_one(
    engine: DuckDBEngine, tmp_path: Path, item: str
) -> None:
    found = read(written(tmp_path, f"{HEADER}x1,2011-01-05,{item},1,1\nx2,2011-01-05,tea,1,1\n"), engine)
    kinds = found.cells.column("item").kinds.tolist()
    assert kinds == [Kind.SET if item != "*" else Kind.DELETED, Kind.EXACT]


def test_a_set_of_one_is_its_item_and_a_range_of_one_value_its_value(engine: DuckDBEngine, tmp_path: Path) -> None:
    text = HEADER + "x1,[2011-01-05;2011-01-05],{tea},[1;1],-0\nx2,2011-01-05,tea,1,0\n"
    found = read(written(tmp_path, text), engine)
    known = assess_profiles(found, found, engine=engine)
    assert isinstance(known, ProfileAssessment)
    assert known.classes is not None
    assert known.classes.classes == 1


@pytest.mark.parametrize(
    ("cell", "column", "header"),
    [
        ("[2011-01-09;2011-01-05]", "day", HEADER),
        ("[2011-01-05;soon]", "day", HEADER),
        ("2011-02-30", "2", ""),
        ("{}", "item", HEADER),
        ("{tea;}", "item", HEADER),
        ("{tea;tea}", "3", ""),
        ("[2;1]", "price", HEADER),
        ("[1;x]", "price", HEADER),
        ("1.005", "price", HEADER),
        ("inf", "price", HEADER),
        ("nan", "quantity", HEADER),
        ("1e30", "quantity", HEADER),
        ("[1;", "5", ""),
    ],
)
def test_a_bad_cell_is_named_by_file_row_and_column(
    engine: DuckDBEngine, tmp_path: Path, cell: str, column: str, header: str
) -> None:
    place = {"day": 1, "2": 1, "item": 2, "3": 2, "price": 3, "quantity": 4, "5": 4}[column]
    row = "x1,2011-01-05,tea,1,1".split(",")
    row[place] = cell
    path = written(tmp_path, f"{header}{WIDE}{','.join(row)}\n")
    with pytest.raises(BadRows) as refused:
        read(path, engine)
    assert f"{path}, row {5 if header else 4}, column {column}: {cell!r} is neither" in str(refused.value)


def test_a_line_with_too_few_cells_is_named(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(BadRows, match=r"file\.csv, row 4: expected 5 cells"):
        read(written(tmp_path, WIDE + "x1,*,tea\n"), engine)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("contest", [True, False])
def test_what_sudare_publishes_is_read_back(engine: DuckDBEngine, tmp_path: Path, ending: str, contest: bool) -> None:
    """An exact history of three is published by hand with wide cells."""
    lines = "1,2011/1/5,tea,1.50,2\n2,2011/1/6,cake,2,1\n1,2011/1/7,cake,2,3\n"
    rows = read_history_rows(written(tmp_path, ("" if contest else HEADER) + lines), engine=engine)
    names = rows.history.column("item").names  # type: ignore[union-attr]
    changed = [
        ["7", "[2011/1/5;2011/1/9]", "{tea;cake}", "[1;2.5]", "[2;3]"],
        ["8", "*", "*", "2", "*"],
        ["*", "*", "*", "*", "*"],
    ]
    anonymized = cells(changed, names)
    rows.publish(anonymized, tmp_path / f"published.{ending}")
    found = read(tmp_path / f"published.{ending}", engine)
    assert texts(found) == [
        ("7", "[2011-01-05;2011-01-09]", "{tea;cake}", "[1;2.5]", "[2;3]"),
        ("8", "*", "*", "2", "*"),
    ]


def test_a_plain_parquet_file_whose_customers_are_called_persons_is_no_file_of_cells(
    engine: DuckDBEngine, tmp_path: Path
) -> None:
    frame = polars.DataFrame({"person": ["Ann", "Ben"], "day": [date(2011, 1, 5)] * 2, "item": ["tea", "cake"]})
    frame.write_parquet(tmp_path / "log.parquet")
    found = read(tmp_path / "log.parquet", engine, columns={"customer": "person"})
    assert texts(found) == [("Ann", "2011-01-05", "tea"), ("Ben", "2011-01-05", "cake")]


def test_several_files_are_one_history(engine: DuckDBEngine, tmp_path: Path) -> None:
    first, *others = EXACT.splitlines()
    written(tmp_path, f"{HEADER}{first}\n", "a1.csv")
    written(tmp_path, HEADER + "\n".join(others), "a2.csv")
    assert len(texts(read(tmp_path / "a*.csv", engine))) == 3


def test_names_are_the_same_in_full_width_in_exact_and_in_wide_files(engine: DuckDBEngine, tmp_path: Path) -> None:
    known = read(written(tmp_path, f"{HEADER}Ａｎｎ ,2011-01-05,ｔｅａ,1,1\n", "k.csv"), engine)
    published = read(written(tmp_path, f"{HEADER}Ａｎｎ ,[2011-02-05;2011-02-06],ｔｅａ ,1,*\n", "p.csv"), engine)
    assert known.names == published.names == ("Ann",)
    found = assess_profiles(known, published, engine=engine, truth={"Ａｎｎ": "Ann "})
    assert isinstance(found, ProfileAssessment)
    assert [one.item for one in found.items] == ["tea"]


def test_rows_that_cannot_be_used_are_refused_or_dropped_and_listed(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}{EXACT}Cem,never,tea,1,1\nCem,2011-01-05,tea,-1,1\n")
    with pytest.raises(BadRows, match="2 rows that cannot be used"):
        read(path, engine)
    found = read(path, engine, bad_rows="drop", rejects=tmp_path / "rejects.csv")
    assert (len(found.cells), found.names) == (3, ("Ann", "Ben"))
    assert found.reading is not None
    assert sum(part.rows for part in found.reading.dropped) == 2
    assert len((tmp_path / "rejects.csv").read_text().splitlines()) == 3


def test_a_file_with_ranges_is_no_file_of_bad_rows(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + WIDE)
    assert texts(read(path, engine, bad_rows="drop", rejects=tmp_path / "rejects.csv")) == wide_texts()
    assert not (tmp_path / "rejects.csv").exists()


def test_cells_and_histories_are_taken_as_they_are(engine: DuckDBEngine, tmp_path: Path) -> None:
    found = cells([["3", "2011/1/5", "a", "1", "1"], ["1", "*", "b", "1", "1"]])
    named = read(found, engine)
    assert isinstance(named.cells, CellHistory)
    assert_same(named.cells, found)
    assert named.names == ("1", "2", "3")
    assert read(named, engine) is named
    assert len(named.taken(np.array([1])).cells) == 1
    with sudare.read_history(written(tmp_path, HEADER + EXACT), engine=engine) as history:
        assert texts(read(history, engine)) == texts(read(tmp_path / "file.csv", engine))


class Hiding(DuckDBEngine):
    """An engine that shows no people, as a cluster."""

    shows_people = False


def test_engines_that_show_no_people_refuse(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + EXACT)
    said = "does not show what each customer bought, by which people are recognized: only counts leave the cluster"
    with Hiding() as hiding:
        with pytest.raises(NotOnEngine, match=said):
            read(path, hiding)
        with sudare.read_history(path, engine=hiding) as history, pytest.raises(NotOnEngine, match=said):
            history.profiles()
