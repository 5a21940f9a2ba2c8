from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.messages import Texts
from tests.engine.looking import rows_of

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
    table = read(TEXT, missing_values=["?"])
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
    with pytest.raises(sudare.ColumnNotFound, match="Attributes: city, age"):
        read(TEXT).positions(["shoe size"])


def test_an_unknown_attribute_is_told_in_the_language_of_the_reader(read: Any) -> None:
    with pytest.raises(sudare.ColumnNotFound) as refused:
        read("city,age\nKyoto,30\n", attributes=["agee"])
    problem, hint = refused.value.text(Texts("ja")).splitlines()
    assert problem.endswith("table.csv に属性 'agee' はありません。age のことではありませんか。")
    assert hint == "ヒント: 属性: city、age。"


def test_columns_of_one_name_cannot_be_told_apart(read: Any) -> None:
    with pytest.raises(sudare.ColumnNotFound, match=r"'a' occurs more than once in"):
        read("a,b,a\n1,2,3\n")
    assert read("a,b,a\n1,2,3\n", attributes=["b"]).attributes == ("b",)
    with pytest.raises(sudare.ColumnNotFound, match="asked for more than once"):
        read("a,b\n1,2\n", attributes=["a", "a"])


def test_broken_lines_and_empty_tables_are_refused(read: Any) -> None:
    with pytest.raises(sudare.BadRows, match="row 3: 2 columns expected, 1 found"):
        read("a,b\n1,2\n3\n")
    with pytest.raises(sudare.SourceNotReadable, match="no rows of data"):
        read("a,b\n")


def test_closing_a_table_drops_its_rows(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with sudare.read_table(tmp_path / "t.csv", engine=engine) as table:
        name = table.rows()
        assert rows_of(engine, f"SELECT count(*) FROM {name}") == [(1,)]
    assert rows_of(engine, f"SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE '{name}%'") == [(0,)]


def test_the_rows_of_a_file_are_there_when_they_are_asked_for(read: Any) -> None:
    table = read(TEXT, missing_values=["?"])
    expected = [(1, "Kyoto", "30"), (2, "Kyoto", "30"), (3, "Nara", None), (4, "Nara", None)]
    for _ in range(2):
        assert rows_of(table.engine, f"SELECT * FROM {table.rows()} ORDER BY record") == expected


@pytest.mark.parametrize("later", ["city,age\nKyoto,31\nKyoto, 30\nNara,?\nNara,\n", None])
def test_a_file_that_changed_after_it_was_read_is_refused_when_its_rows_are_needed(
    read: Any, tmp_path: Path, later: str | None
) -> None:
    table = read(TEXT)
    assert sudare.tables.assess_records(table).classes == 3
    if later is None:
        (tmp_path / "table.csv").unlink()
    else:
        (tmp_path / "table.csv").write_text(later)
    with pytest.raises(sudare.SourceNotReadable, match="has changed since it was read"):
        sudare.tables.write_record_risks(table, ["city"], tmp_path / "risks.csv")
    assert not (tmp_path / "risks.csv").exists()


@pytest.mark.parametrize(
    ("text", "options"), [("a,b\n1,2\n3\n", {}), ("a,b\n", {}), ("a,n\nx,1\ny,0\n", {"weight": "n"})]
)
def test_a_refused_table_leaves_nothing_on_a_shared_engine(
    engine: DuckDBEngine, read: Any, text: str, options: dict[str, str]
) -> None:
    held = "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'table%' ORDER BY 1"
    before = rows_of(engine, held)
    with pytest.raises(sudare.SudareError):
        read(text, **options)
    assert rows_of(engine, held) == before


def test_a_weight_says_how_many_records_a_row_stands_for(read: Any) -> None:
    table = read("city,n\nKyoto,3\nKyoto,1\nNara,2.0\n", weight="n")
    assert (table.attributes, table.records, table.counts.tolist()) == (("city",), 6, [4, 2])
    assert sudare.tables.assess_records(table).max_risk == 0.5


@pytest.mark.parametrize(
    "weight", [2.0**53, Decimal("9007199254740993.00"), "1000000000000001.0", "123456789012345678"]
)
def test_large_weights_are_taken_where_they_are_exact(engine: DuckDBEngine, weight: Any) -> None:
    frame = pandas.DataFrame({"city": ["Kyoto"], "n": [weight]})
    with sudare.read_table(frame, weight="n", engine=engine) as table:
        assert table.records == int(Decimal(weight))


@pytest.mark.parametrize("weight", [2.0**53 + 2, np.float32(2**24 + 2), 1.5])
def test_weights_in_floating_point_that_may_have_been_rounded_are_refused(engine: DuckDBEngine, weight: Any) -> None:
    frame = pandas.DataFrame({"city": ["Kyoto"], "n": [weight]})
    with pytest.raises(sudare.BadRows, match=r"the weight in 1 row of data .* holds exactly"):
        sudare.read_table(frame, weight="n", engine=engine)


def test_weights_are_added_up_exactly(read: Any) -> None:
    """In floating point 2^53 + 1 is 2^53."""
    table = read(f"city,sex,n\nKyoto,f,{2**53}\nKyoto,f,1\nKyoto,m,1\nNara,m,007\n", weight="n")
    assert table.records == 2**53 + 9
    assert [part.size for part in sudare.tables.assess_records(table, ["city"]).sizes] == [7, 2**53 + 2]
    assert [part.size for part in sudare.tables.assess_records(table).sizes] == [1, 7, 2**53 + 1]


def test_more_records_than_can_be_counted_are_refused(read: Any, engine: DuckDBEngine) -> None:
    most = 10**18 - 1
    table = read(f"a,n\nx,{most}\n", weight="n")
    assert table.records == most
    with pytest.raises(sudare.BadRows, match="add up to 1,999,999,999,999,999,998 records"):
        read(f"a,n\nx,{most}\ny,{most}\n", weight="n")
    with pytest.raises(sudare.BadRows, match="add up to"):
        sudare.tables.add_records(table, polars.DataFrame({"a": ["x"], "n": [most]}))
    with pytest.raises(sudare.BadRows, match="at most 18 digits"):
        read(f"a,n\nx,{10**18}\n", weight="n")


def test_a_person_says_whose_a_record_is(read: Any) -> None:
    table = read("who,city\nb,Nara\na,Kyoto\na,Kyoto\nb,Kyoto\n", person="who")
    assert (table.attributes, table.persons.tolist(), table.counts.tolist()) == (("city",), [0, 1, 1], [2, 1, 1])
    assert [(part.size, part.records) for part in sudare.tables.assess_records(table).sizes] == [(1, 1), (2, 3)]


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        ("a,n\nx,1\ny,0\nz,1.5\nz,?\n", {"weight": "n"}, sudare.BadRows, r"'n': the weights in 3 rows .*2, 3, 4"),
        ("a,who\nx,p\ny,\n", {"person": "who"}, sudare.BadRows, r"'who': the person is missing in 1 .*\(row 2\)"),
        ("a,n,who\nx,1,p\n", {"weight": "n", "person": "who"}, sudare.OptionNotUsable, "weight and person cannot"),
        ("a,n\nx,1\n", {"weight": "m"}, sudare.ColumnNotFound, "has no attribute 'm'"),
        ("a,n\nx,1\n", {"weight": "n", "attributes": ["a", "n"]}, sudare.ColumnNotFound, "asked for more than once"),
        ("a,n\n1,1\n", {"attributes": []}, sudare.ColumnNotFound, "No attribute"),
        ("a\n1\n", {"missing": "?"}, sudare.OptionNotUsable, "missing must be value or any"),
    ],
)  # fmt: skip
def test_weights_and_persons_that_cannot_be_used(
    read: Any, text: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read(text, **options)


def test_names_that_differ_in_case_or_are_used_inside_are_columns_like_others(read: Any, tmp_path: Path) -> None:
    table = read("record,Record,a0,weight\n1,2,3,4\n1,5,3,4\n")
    assert (table.attributes, table.records) == (("record", "Record", "a0", "weight"), 2)
    sudare.tables.write_record_risks(table, ["record", "a0"], tmp_path / "risks.csv")
    assert (tmp_path / "risks.csv").read_text().splitlines()[1] == "1,1,3,2,0.5"
