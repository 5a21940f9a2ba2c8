"""One name, one person: full width, blanks and case, in every reader."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.engine import DuckDBEngine, quote_text
from sudare.engine.duckdb.words import STABLE
from sudare.histories.generalized.conversion import read_history_rows
from sudare.sources.spellings import Spelling, plain
from sudare.tables.hierarchies.model import make_hierarchy
from tests.engine.looking import rows_of

FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def history_text(*customers: str) -> str:
    return "customer,day,item\n" + "".join(f"{name},2024/1/5,tea\n" for name in customers)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_full_width_digits_are_the_same_customer_with_a_note(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = write(tmp_path / "h.csv", history_text("12583", "１２５８３", "12583\u3000", "x"))
    with sudare.read_history(path, engine=engine) as history:
        assert history.customers == 2
        assert history.reading.spellings == (Spelling("customer", rows=1, merged=2, case=0),)


def test_400_customers_stay_400_where_some_are_written_in_full_width(
    real_data: Callable[[str], Path], engine: DuckDBEngine, tmp_path: Path
) -> None:
    lines = real_data("online-retail-400.csv").read_text(encoding="utf-8").splitlines()
    changed = 0
    for place in range(len(lines) // 2, len(lines), 7):
        customer, comma, rest = lines[place].partition(",")
        changed += customer.isdecimal()
        lines[place] = customer.translate(FULL_WIDTH) + comma + rest
    path = write(tmp_path / "h.csv", "\n".join(lines) + "\n")
    with sudare.read_history(path, engine=engine) as history:
        assert history.customers == 400
        (spelling,) = [found for found in history.reading.spellings if found.rows]
        assert spelling.rows == changed
        assert spelling.merged > 0


def test_the_cells_that_anonymization_reads_are_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "h.csv", "customer,day,item\n12,2024/1/5,ﾊﾟﾝ\n１２,2024/1/6,パン\n")
    found = read_history_rows(path)
    assert found.customers == ("12",)
    assert found.reading is not None
    assert {spelling.column for spelling in found.reading.spellings} == {"customer", "item"}


def test_names_that_differ_by_case_alone_are_kept_apart_and_told(engine: DuckDBEngine, tmp_path: Path) -> None:
    with sudare.read_history(write(tmp_path / "h.csv", history_text("ann", "Ann", "bob")), engine=engine) as history:
        assert history.customers == 3
        assert history.reading.spellings == (Spelling("customer", rows=0, merged=0, case=1),)


def test_blanks_that_make_no_difference_are_not_told(engine: DuckDBEngine, tmp_path: Path) -> None:
    with sudare.read_history(write(tmp_path / "h.csv", history_text(" a", "\tb ")), engine=engine) as history:
        assert (history.customers, history.reading.spellings) == (2, ())


def test_days_prices_and_missing_values_in_full_width_are_read(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = write(tmp_path / "h.csv", "customer,day,item,price\na,２０２４/１/５,tea,１２.５\n？,2024/1/5,tea,1\n")
    with sudare.read_history(path, engine=engine, missing_values={"customer": ["？"]}, bad_rows="drop") as history:
        assert (history.records, history.reading.dropped_rows) == (1, 1)
        assert rows_of(engine, f"SELECT price FROM {history.table('purchase')}") == [(12.5,)]


@pytest.mark.parametrize("as_frame", [False, True])
def test_values_of_tables_are_the_same_with_a_note(engine: DuckDBEngine, tmp_path: Path, as_frame: bool) -> None:
    rows = {"town": ["Ｎａｒａ", "Nara", "Nara ", "nara"], "age": ["3", "4", "5", "６"]}
    source: object = polars.DataFrame(rows)
    if not as_frame:
        source = tmp_path / "t.csv"
        polars.DataFrame(rows).write_csv(tmp_path / "t.csv")
    with sudare.read_table(source, engine=engine) as table:
        assert table.values == (("Nara", "nara"), ("3", "4", "5", "6"))
        assert table.reading.spellings == (Spelling("town", 1, 2, 1), Spelling("age", 1, 0, 0))


def test_case_is_told_of_persons_and_of_values_alone(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({"who": ["ann", "Ann", "bob"], "town": ["x", "X", "y"], "age": [1, 2, 3]})
    with sudare.read_table(frame, person="who", engine=engine) as table:
        assert table.reading.spellings == (Spelling("town", 0, 0, 1), Spelling("who", 0, 0, 1))
    with sudare.read_table(frame, attributes=["age"], engine=engine) as table:
        assert table.reading.spellings == ()


def test_how_added_records_were_written_is_told(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = write(tmp_path / "added.csv", "who;town\nＡnn;nara\nbob;kobe\n")
    frame = polars.DataFrame({"who": ["ann", "bob"], "town": ["Nara", "kobe"]})
    with sudare.read_table(frame, person="who", engine=engine) as table:
        derived = sudare.tables.add_records(table, path)
        with derived.table as made:
            assert derived.added is not None
            assert derived.added.guesses["delimiter"] == ";"
            assert derived.added.spellings == (Spelling("who", 1, 0, 0),)
            assert set(made.reading.spellings) == {Spelling("who", 1, 0, 1), Spelling("town", 0, 0, 1)}


CATEGORIES = ["１２", "12", "12 ", "", None]
DICTIONARY = pyarrow.array(CATEGORIES).dictionary_encode()


@pytest.mark.parametrize(
    "names",
    [
        pandas.Categorical(CATEGORIES), polars.Series(CATEGORIES, dtype=polars.Categorical),
        polars.Series(CATEGORIES, dtype=polars.Enum(["１２", "12", "12 ", ""])), DICTIONARY, CATEGORIES,
    ],
    ids=["pandas", "polars", "enum", "pyarrow", "relation"],
)  # fmt: skip
def test_categories_are_texts(engine: DuckDBEngine, names: Any) -> None:
    columns = {"customer": names, "day": ["2024-01-05"] * 5, "item": names}
    make = {pandas.Categorical: pandas.DataFrame, polars.Series: polars.DataFrame, list: relation}
    frame = make.get(type(names), pyarrow.table)(columns)
    with sudare.read_table(frame, attributes=["customer"], engine=engine) as table:
        assert table.values == (("12", None),)
        assert table.reading.spellings == (Spelling("customer", 1, 2, 0),)
    with sudare.read_table(frame, attributes=["customer"], missing_values=["12"], engine=engine) as table:
        assert table.values == ((None,),)
    with sudare.read_history(frame, engine=engine, bad_rows="drop") as history:
        assert (history.records, history.customers) == (3, 1)
        assert history.reading.spellings == (Spelling("customer", 1, 2, 0), Spelling("item", 1, 2, 0))
    baskets = sudare.read_baskets(frame, engine=engine, bad_rows="drop")
    assert (baskets.users, baskets.names) == (("12",), ("12",))


def relation(columns: dict[str, list[str | None]]) -> object:
    """Return a relation of DuckDB with a type of categories."""
    made = duckdb.from_arrow(pyarrow.table(columns))
    return made.project(
        "customer::ENUM('１２', '12', '12 ', '') AS customer, day, item::ENUM('１２', '12', '12 ', '') AS item"
    )


def test_bytes_are_no_text(engine: DuckDBEngine) -> None:
    frame = pyarrow.table({"customer": [b"12", b"13"], "age": [1, 2]})
    with pytest.raises(sudare.SourceNotReadable, match='Column "customer" holds bytes'):
        sudare.read_table(frame, engine=engine)
    with sudare.read_table(frame, attributes=["age"], engine=engine) as table:
        assert table.records == 2


def test_a_hierarchy_is_found_for_values_in_full_width() -> None:
    found = make_hierarchy("age", {1: ("３０", "３０代"), 2: ("31", "30代")})
    assert found.generalize(["30", "31"], 1) == ["30代", "30代"]


@pytest.mark.parametrize("text", ["１ ﾊﾟﾝ\n1 パン\n", "user,item\nａ,1\na,１\nａ,ﾊﾟﾝ\na,パン\n"])
def test_items_of_baskets_and_their_secrets_are_the_same(tmp_path: Path, text: str) -> None:
    baskets = sudare.read_baskets(write(tmp_path / "b.csv", text))
    assert baskets.names == ("1", "パン")
    assert baskets.reading is not None
    assert {spelling.column: spelling.merged for spelling in baskets.reading.spellings}["item"] == 2
    secrets = sudare.baskets.read_sensitive(write(tmp_path / "s.txt", "ﾊﾟﾝ\n"), baskets)
    assert [secrets.has(0, item) for item in (0, 1)] == [False, True]
    assert sudare.baskets.read_sensitive("item:ﾊﾟ*", baskets).has(0, 1)


@pytest.mark.slow
@given(st.lists(st.text(st.characters(blacklist_categories=["Cs", "Cc"])), max_size=5))
def test_cells_on_the_engine_are_plain_texts(texts: list[str]) -> None:
    shown = [f"\u3000 {text}\t" for text in texts]
    with DuckDBEngine() as engine:
        found = [rows_of(engine, f"SELECT trimmed(normal({quote_text(text)}))")[0][0] for text in shown]
    assert found == [plain(text) for text in shown]


def test_letters_that_are_not_sent_to_python_never_change() -> None:
    second = set()
    for letter in map(chr, range(sys.maxunicode + 1)):
        parts = unicodedata.decomposition(letter).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            second.add(chr(int(parts[1], 16)))
    import re

    stable = [letter for letter in map(chr, range(128, 0xD7A4)) if re.fullmatch(f"[{STABLE}]", letter)]
    assert len(stable) > 30_000
    for letter in stable:
        assert unicodedata.is_normalized("NFKC", letter)
        assert not unicodedata.combining(letter)
        assert letter not in second


def test_counts_that_are_too_small_to_leave_the_engine_are_not_told(tmp_path: Path) -> None:
    few = history_text("１", "2", "3", "ann", "Ann")
    many = history_text(*(f"{letter}{number}" for number in range(6) for letter in ("a", "Ａ")))
    with DuckDBEngine(min_cell=5) as guarded:
        with sudare.read_history(write(tmp_path / "few.csv", few), engine=guarded) as history:
            assert history.reading.spellings == ()
        with sudare.read_history(write(tmp_path / "many.csv", many), engine=guarded) as history:
            assert history.reading.spellings == (Spelling("customer", rows=6, merged=0, case=6),)
