"""Reading and writing baskets: transaction text, tables of users and items, purchase histories."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import hypothesis
import hypothesis.strategies as st
import openpyxl
import pandas
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine
from tests.conftest import TOY
from tests.engine.looking import rows_of

RECORDS = [["milk", "bread"], [], ["milk"]]


@pytest.fixture
def read(engine: DuckDBEngine, tmp_path: Path) -> Any:
    """Read a text as a file, or any other source, on the shared engine."""

    def reader(source: object, name: str = "b.txt", encoding: str = "utf-8", **options: Any) -> sudare.Baskets:
        if isinstance(source, str):
            path = tmp_path / name
            path.write_bytes(source.encode(encoding))
            source = path
        return sudare.read_baskets(source, engine=engine, **options)

    return reader


def content(baskets: sudare.Baskets) -> dict[str, list[str]]:
    return {user: [baskets.names[item] for item in baskets.record(number)] for number, user in enumerate(baskets.users)}


def reading(baskets: sudare.Baskets) -> sudare.baskets.BasketReading:
    assert baskets.reading is not None
    return baskets.reading


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("milk bread\n\nmilk\n", "spaces"),
        ("milk\tbread\n\nmilk", "spaces"),
        ("milk,bread\n\nmilk\n", "commas"),
        ("milk , bread,\n\n milk", "commas"),
        ("milk -1 bread\n\nmilk\n", "spmf"),
        ("milk -1 bread -1 -2\n-2\nmilk -1 -2\n", "spmf"),
        ("milk bread -1 -2\r\n\r\nmilk -1 -2", "spmf"),
    ],
)
def test_the_form_of_transaction_text_is_found(read: Any, text: str, form: str) -> None:
    found = read(text)
    assert content(found) == {"1": ["bread", "milk"], "2": [], "3": ["milk"]}
    assert found.names == ("bread", "milk")
    assert (reading(found).form, reading(found).guesses["form"]) == (form, form)


def test_a_given_form_is_used(read: Any) -> None:
    assert content(read("a b,c\n", form="spaces")) == {"1": ["a", "b,c"]}
    assert content(read("a b,c\n", form="commas")) == {"1": ["a b", "c"]}
    assert content(read("a -1 b\n", form="spaces")) == {"1": ["-1", "a", "b"]}
    assert "form" not in reading(read("a b\n", form="spaces")).guesses


def test_spmf_is_found_though_the_first_lines_have_one_item_each(read: Any) -> None:
    found = read("a\n" * 2000 + "a -1 b\n")
    assert (found.names, reading(found).form) == (("a", "b"), "spmf")


def test_every_line_is_a_record_and_the_user_is_its_number(read: Any) -> None:
    assert read("\na\n\n").users == ("1", "2", "3")
    assert read("\na\n\nb").users == ("1", "2", "3", "4")


def test_duplicates_in_a_record_count_once_and_are_told(read: Any) -> None:
    found = read("a b a a\nb b\n")
    assert content(found) == {"1": ["a", "b"], "2": ["b"]}
    assert reading(found).duplicates == 3


def test_quoted_names_may_have_commas(read: Any) -> None:
    assert content(read('"milk, 1l", "say ""no""" ,bread\n')) == {"1": ["bread", "milk, 1l", 'say "no"']}
    with pytest.raises(sudare.BadRows, match="line 2: a quotation mark is opened and not closed"):
        read('a,b\n"a,b\n')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_encodings_are_found(read: Any, encoding: str) -> None:
    assert content(read("お茶,ソーセージ\n", encoding=encoding)) == {"1": ["お茶", "ソーセージ"]}


def test_the_hash_of_the_file_is_kept(read: Any) -> None:
    assert reading(read("a b\n")).sha256 == hashlib.sha256(b"a b\n").hexdigest()


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "b.txt", "is empty"),
        ("\n\n", "b.txt", "has no items"),
        (" , ,\n", "b.txt", "has no items"),
        ("user,item\n", "b.csv", "has no items"),
        ("user,item\na,\n", "b.csv", "has no items"),
    ],
)
def test_data_without_items_are_refused(read: Any, text: str, name: str, message: str) -> None:
    with pytest.raises(sudare.SourceNotReadable, match=message):
        read(text, name)


@pytest.mark.parametrize("options", [{"form": "tree"}, {"per": "year"}, {"bad_rows": "mend"}])
def test_words_that_mean_nothing_are_refused(read: Any, options: dict[str, Any]) -> None:
    with pytest.raises(sudare.OptionNotUsable, match=next(iter(options.values()))):
        read("a b\n", **options)


def test_baskets_per_visit_need_a_history(read: Any) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="purchase history"):
        read("a b\n", per="visit", form="spaces")


PAIRS = "user,item\nbob,milk\nalice,milk\nbob,bread\nbob,milk\ncarol,\n"
PAIRS_CONTENT = {"bob": ["bread", "milk"], "alice": ["milk"], "carol": []}


@pytest.mark.parametrize(
    "text",
    [
        PAIRS,
        PAIRS.replace(",", ";").replace("\n", "\r\n"),
        PAIRS.replace("user,item", "顧客ID,商品"),
        PAIRS.replace("user,item", "CustomerID,StockCode"),
    ],
)
def test_tables_of_users_and_items_are_found_by_their_header(read: Any, text: str) -> None:
    found = read(text, "b.csv")
    assert content(found) == PAIRS_CONTENT
    assert (reading(found).form, reading(found).duplicates) == ("pairs", 1)


def test_a_table_without_a_header_has_to_be_named_so(read: Any) -> None:
    text = PAIRS.removeprefix("user,item\n")
    assert content(read(text, form="pairs")) == PAIRS_CONTENT
    assert read(text).users == ("1", "2", "3", "4", "5")


def test_columns_can_be_given(read: Any) -> None:
    text = "who,what,when\nbob,milk,1\nalice,milk,2\n"
    assert content(read(text, columns={"user": "who", "item": "2"})) == {"bob": ["milk"], "alice": ["milk"]}
    with pytest.raises(sudare.ColumnNotFound, match="looks like item"):
        read(text, form="pairs", header=True, columns={"user": "who"})


def test_rows_without_a_user_are_refused_or_dropped(read: Any) -> None:
    text = "user,item\nbob,milk\n\n,milk\n"
    with pytest.raises(sudare.BadRows, match=r"the user is missing \(row 4\)"):
        read(text, "b.csv")
    found = read(text, "b.csv", bad_rows="drop")
    assert content(found) == {"bob": ["milk"]}
    assert [part.rows for part in reading(found).dropped] == [1]


def test_lines_that_do_not_divide_are_refused(read: Any) -> None:
    with pytest.raises(sudare.BadRows, match="1 row: the line does not divide"):
        read("user,item\nbob,milk,bread\n", "b.csv")


FRAME = {"user": ["bob", "alice", "bob"], "item": [7, 7, 12]}
FRAME_CONTENT = {"bob": ["12", "7"], "alice": ["7"]}


def test_dataframes_relations_parquet_and_excel(read: Any, tmp_path: Path) -> None:
    frame = polars.DataFrame(FRAME)
    frame.write_parquet(tmp_path / "b.parquet")
    sheet = openpyxl.Workbook()
    for row in [("user", "item"), *zip(*FRAME.values(), strict=True)]:
        sheet.active.append(row)  # type: ignore[union-attr]
    sheet.save(tmp_path / "b.xlsx")
    relation = duckdb.connect().sql("SELECT * FROM (VALUES ('bob', 7), ('alice', 7), ('bob', 12)) AS t(\"user\", item)")
    for source in (frame, frame.lazy(), pandas.DataFrame(FRAME), relation, tmp_path / "b.parquet", tmp_path / "b.xlsx"):
        assert content(read(source)) == FRAME_CONTENT, type(source)


def test_a_history_has_a_record_a_customer_or_a_visit(read: Any) -> None:
    customers = read(TOY, form="history")
    assert content(customers)["1"] == ["お茶", "パン", "本"]
    assert (customers.users, reading(customers).form, reading(customers).duplicates) == (("1", "2", "3"), "history", 2)
    visits = read(TOY, per="visit")
    assert content(visits) == {
        "1 2010-12-01": ["お茶", "パン", "本"],
        "1 2010-12-02": ["お茶"],
        "2 2010-12-01": ["パン"],
        "3 2010-12-02": ["ジュース", "パン"],
        "3 2010-12-03": ["お茶", "ジュース", "本"],
    }


def test_a_history_that_was_read_can_be_turned_into_baskets(toy: sudare.History) -> None:
    assert len(sudare.read_baskets(toy)) == 3
    assert len(sudare.read_baskets(toy, per="visit")) == 5


def test_bad_days_of_a_history_matter_only_if_days_do(read: Any) -> None:
    text = "customer,day,item\nbob,never,milk\n"
    assert content(read(text)) == {"bob": ["milk"]}
    with pytest.raises(sudare.BadRows, match="not a date"):
        read(text, per="visit")


def test_nothing_stays_on_the_engine(read: Any, engine: DuckDBEngine) -> None:
    def tables() -> list[Any]:
        return rows_of(
            engine, "SELECT table_name FROM duckdb_tables() WHERE table_name NOT LIKE 'reject%' ORDER BY ALL"
        )

    before = tables()
    read(PAIRS, "b.csv")
    read(TOY, per="visit")
    assert tables() == before


@pytest.mark.parametrize("form", ["spaces", "commas", "spmf"])
def test_text_is_written_with_a_line_a_record(tmp_path: Path, form: str) -> None:
    baskets = sudare.baskets.make_baskets(RECORDS)
    sudare.baskets.write_baskets(baskets, tmp_path / "out.txt", form)
    between = {"spaces": " ", "commas": ",", "spmf": " -1 "}[form]
    assert (tmp_path / "out.txt").read_text() == f"bread{between}milk\n\nmilk\n"


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_tables_are_written_with_users_who_have_nothing(read: Any, tmp_path: Path, name: str) -> None:
    baskets = sudare.baskets.make_baskets(RECORDS, ["bob", "alice", "carol"])
    sudare.baskets.write_baskets(baskets, tmp_path / name)
    assert content(read(tmp_path / name)) == {"bob": ["bread", "milk"], "alice": [], "carol": ["milk"]}


def test_a_csv_file_is_a_table_unless_lines_with_commas_were_read(tmp_path: Path) -> None:
    baskets = sudare.baskets.make_baskets(RECORDS)
    sudare.baskets.write_baskets(baskets, tmp_path / "out.csv", "spmf")
    assert (tmp_path / "out.csv").read_text().startswith("user,item\n1,bread\n")
    sudare.baskets.write_baskets(baskets, tmp_path / "out.csv", "commas")
    assert (tmp_path / "out.csv").read_text().startswith("bread,milk\n")


def test_names_that_would_not_be_read_again_are_refused(tmp_path: Path) -> None:
    for name, form in (("green tea", "spaces"), ("green tea", "spmf"), ("-1", "spmf")):
        with pytest.raises(sudare.OptionNotUsable, match=name):
            sudare.baskets.write_baskets(sudare.baskets.make_baskets([[name]]), tmp_path / "out.txt", form)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["pairs", "history", "tree"])
def test_a_table_is_not_written_as_text(tmp_path: Path, form: str) -> None:
    with pytest.raises(sudare.OptionNotUsable):
        sudare.baskets.write_baskets(sudare.baskets.make_baskets(RECORDS), tmp_path / "out.txt", form)


@hypothesis.given(
    records=st.lists(st.lists(st.text("ab,\" 'é", min_size=1).map(str.strip).filter(bool)), min_size=1).filter(any)
)
def test_lines_with_commas_are_read_as_they_were_written(
    records: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("baskets") / "out.txt"
    sudare.baskets.write_baskets(sudare.baskets.make_baskets(records), path, "commas")
    assert content(sudare.read_baskets(path, form="commas")) == content(sudare.baskets.make_baskets(records))


@hypothesis.given(lines=st.lists(st.text("ab -1\t"), min_size=1).filter(lambda lines: any(map(str.split, lines))))
def test_lines_with_spaces_are_sets_of_words(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("baskets") / "b.txt"
    path.write_text("\n".join(lines) + "\n")
    found = sudare.read_baskets(path, form="spaces")
    assert list(content(found).values()) == [sorted(set(line.split())) for line in lines]
    assert reading(found).duplicates == sum(len(line.split()) - len(set(line.split())) for line in lines)


def test_published_records_are_matched_by_user_and_items_by_name() -> None:
    original = sudare.baskets.make_baskets([["b", "c"], ["a", "c"]], ["x", "y"])
    matched = sudare.baskets.match_published(original, sudare.baskets.make_baskets([["c"], ["c", "b"]], ["y", "x"]))
    assert matched.names == original.names
    assert content(matched) == {"x": ["b", "c"], "y": ["c"]}


@pytest.mark.parametrize(
    ("published", "message"),
    [
        ("b c\n", "it lacks line 2 \\(1 record; the original has 2 records\\)"),
        ("b c\na\n\n", "line 3 is not in the original \\(3 records; the original has 2 records\\)"),
        ("b c\nb\n", "line 2 has the item 'b', which the original record does not have"),
        ("b c d\na\n", r"line 1 has the item 'd', which the original record does not have\."),
    ],
)
def test_what_is_no_suppression_is_refused(read: Any, published: str, message: str) -> None:
    original = read("b c\na c\n")
    with pytest.raises(sudare.BadRows, match=message):
        sudare.baskets.match_published(original, read(published, "p.txt"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "records", "items", "short"),
    [("bms-webview-1.txt", 59601, 497, 54736), ("bms-webview-2.txt", 77512, 3340, 58044)],
)
def test_the_data_of_the_paper(
    real_data: Callable[[str], Path], read: Any, tmp_path: Path, name: str, records: int, items: int, short: int
) -> None:
    """Section 4.1: records, items, and the records of at most five items."""
    found = read(real_data(name))
    assert (len(found), len(found.names), int((found.lengths <= 5).sum())) == (records, items, short)
    lines = real_data(name).read_text().split("\n")
    assert [found.names[item] for item in found.record(7)] == sorted(set(lines[7].split()) - {"-1"})
    sudare.baskets.write_baskets(found, tmp_path / "out.txt", reading(found).form)
    again = read(tmp_path / "out.txt", form="spmf")
    assert content(again) == content(found)
