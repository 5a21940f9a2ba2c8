from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine

TEXT = "city,age\nKyoto,30\nKyoto, 30\nNara,?\nNara,\n"


@pytest.fixture
def read(engine: DuckDBEngine, tmp_path: Path) -> Any:
    def reader(text: str, **options: Any) -> sudare.Table:
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return sudare.read_table(path, engine=engine, **options)

    return reader


def test_a_table_is_collapsed_to_distinct_rows_with_counts(read: Any) -> None:
    table = read(TEXT)
    assert (table.records, table.attributes) == (4, ("city", "age"))
    assert table.values == (("Kyoto", "Nara"), ("30", "?", None))
    rows = {tuple(table.codes[:, i]): int(table.counts[i]) for i in range(3)}
    assert rows == {(0, 0): 2, (1, 1): 1, (1, 2): 1}


def test_values_can_mean_missing_and_missing_is_one_value(read: Any) -> None:
    table = read(TEXT, missing=["?"])
    assert table.values[1] == ("30", None)
    assert sorted(table.counts.tolist()) == [2, 2]


def test_attributes_can_be_chosen_in_any_order(read: Any) -> None:
    assert read(TEXT, attributes=["age", "city"]).attributes == ("age", "city")
    assert read(TEXT, attributes=["city"]).codes.shape == (1, 2)


def test_dataframes_are_tables_too(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({"a": [1, 1, 2], "b": [0.5, None, 2.0]})
    with sudare.read_table(frame, engine=engine) as table:
        assert table.values == (("1", "2"), ("0.5", "2", None))
        assert np.sort(table.counts).tolist() == [1, 1, 1]


def test_an_unknown_attribute_is_told_with_near_ones(read: Any) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="Did you mean city"):
        read(TEXT, attributes=["citty"])
    with pytest.raises(sudare.ColumnNotFound, match="Attributes there: city, age"):
        read(TEXT).positions(["shoe size"])


def test_columns_of_one_name_cannot_be_told_apart(read: Any) -> None:
    with pytest.raises(sudare.ColumnNotFound, match=r"'a' stands in .* more than once"):
        read("a,b,a\n1,2,3\n")
    assert read("a,b,a\n1,2,3\n", attributes=["b"]).attributes == ("b",)
    with pytest.raises(sudare.ColumnNotFound, match="asked for twice"):
        read("a,b\n1,2\n", attributes=["a", "a"])


def test_broken_lines_and_empty_tables_are_refused(read: Any) -> None:
    with pytest.raises(sudare.BadRows, match="row 3: Expected Number of Columns: 2 Found: 1"):
        read("a,b\n1,2\n3\n")
    with pytest.raises(sudare.SourceNotReadable, match="no rows of data"):
        read("a,b\n")


def test_closing_a_table_drops_its_rows(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with sudare.read_table(tmp_path / "t.csv", engine=engine) as table:
        assert engine.rows(f"SELECT count(*) FROM {table.rows}") == [(1,)]
    assert engine.rows(f"SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE '{table.rows}%'") == [(0,)]
