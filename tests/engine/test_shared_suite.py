"""What every engine answers alike: reading, all kinds of knowledge, table risk, what-ifs.

The ten attackers of real data are in test_spark.py, with a worker that is killed.
"""

from __future__ import annotations

import datetime as dt
import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine, Engine, quote_text
from sudare.histories.attackers.crowds import count_crowds
from sudare.histories.attackers.knowledge import parse_knowledge
from sudare.tables.derived import add_records
from sudare.tables.generalized import generalize_table
from sudare.tables.hierarchies.model import make_hierarchy
from tests.conftest import PEOPLE
from tests.engine.looking import rows_of
from tests.histories import brute_force
from tests.histories.brute_force import Row

ROWS = [
    Row("a", "2024-01-31", "tea", None), Row("a", "2024-01-31", "bread", 1.0), Row("a", "2024-01-31", "tea", 2.5),
    Row("a", "2024-02-01", "book", 1.0), Row("a", "2024-02-05", "tea", None), Row("b", "2024-01-31", "tea", 2.5),
    Row("b", "2024-02-01", "bread", None), Row("b", "2024-02-01", "book", 1.0), Row("c", "2024-02-05", "tea", 2.5),
]  # fmt: skip
DESCRIPTIONS = ("weekday", "item + price", "day*2", "(month + item*2)*2", "days + (weekday)*2", "kinds + item")


@pytest.mark.parametrize("gathered", [False, True])
def test_all_kinds_of_knowledge_equal_enumeration(
    any_engine: Engine, monkeypatch: pytest.MonkeyPatch, gathered: bool
) -> None:
    """Whether the rows of a customer lie together or not."""
    if gathered:
        monkeypatch.setattr("sudare.engine.protocol.PART_ROWS", 1)
        monkeypatch.setattr(any_engine, "parts", 2)
    with sudare.read_history(brute_force.frame(ROWS), engine=any_engine) as history:
        for text in DESCRIPTIONS:
            known = parse_knowledge(text)
            expected = brute_force.facts(ROWS, known)
            crowds = count_crowds(history, known)
            assert (text, crowds.values) == (text, len(brute_force.crowds(expected)))
            for weighting in ("occurrence", "record"):
                assert crowds.measured(weighting) == pytest.approx(brute_force.measured(expected, weighting), abs=1e-12)


def test_time_price_and_quantity_of_the_toy_history(any_engine: Engine, toy_file: Path) -> None:
    with sudare.read_history(toy_file, engine=any_engine) as history:
        assert history.parts == ("time", "price", "quantity")
        # Hours 8, 8, 20, 10, 15, 11, 11, 15, 15, 15: customer 1 and 3 share 15, the others are alone.
        assert sudare.histories.assess_knowledge(history, "hour").measured == pytest.approx((6 + 4 / 2) / 10)


def test_decimals_are_the_numbers_that_their_texts_say(any_engine: Engine) -> None:
    texts = ["9.95", "0.07", "1234567890123.45", "0.00"]
    rows = polars.DataFrame({"customer": ["a", "b", "c", "d"], "day": ["2024-01-05"] * 4, "item": ["x"] * 4})
    price = polars.Series("price", [Decimal(text) for text in texts], polars.Decimal(15, 2))
    with sudare.read_history(rows.with_columns(price), engine=any_engine) as history:
        found = rows_of(any_engine, f"SELECT price FROM {history.table('purchase')} ORDER BY customer")
    assert [value for (value,) in found] == [float(text) for text in texts]


MOMENTS = {
    "2010/12/1": "2010-12-01 00:00", "2010-12-1 8:45": "2010-12-01 08:45", "2010-12-01T08:45:00Z": "2010-12-01 08:45",
    "2010-12-01T08:45:00+09:00": "2010-12-01 08:45", "20101201": "2010-12-01 00:00", "40513.5": "2010-12-01 12:00",
    "2010 12 1": "2010-12-01 00:00", "2010-12": None, "2010": None, "2010-13-01": None, "2010-12/1": None,
    "12:00": None, "2010-12-01 8": None, "2010-12-01 08:61": None, "it's a \\ day": None,
    "2010-12-1 8:45 PM": None, "2010-12-01 08:45:00 nowhere": None, "epoch": None, "infinity": None, "08:45:00Z": None,
}  # fmt: skip

# Nine in the evening in Tokyo, written by other clocks.
ZONED_MOMENTS = (
    "2024-01-05 12:00:00Z", "2024-1-5 12:00Z", "2024/1/5 12:00Z", "2024-01-05T12:00+00", "2024-01-05 12:00:00 +0000",
    "2024-01-05 12:00:00+00:00:00", "2024-01-05 07:00:00 EST", "2024-01-05 7:00 EST", "2024-01-05 13:00:00.0 CET",
    "2024-01-05 07:00:00 Etc/GMT+5", "2024-01-05 07:00:00 America/Port-au-Prince", "2024-01-05 21:00:00 Asia/Tokyo",
)  # fmt: skip


def test_whatever_follows_a_time_is_its_zone(any_engine: Engine) -> None:
    rows = ", ".join(f"({quote_text(text)})" for text in ZONED_MOMENTS)
    found = rows_of(
        any_engine,
        "SELECT has_offset(words), read_moment(words) IS NOT NULL, CAST(clock_of(words, 'Asia/Tokyo') AS STRING) "
        f"FROM (VALUES {rows}) AS t(words)",
    )
    assert found == [(True, True, "2024-01-05 21:00:00")] * len(ZONED_MOMENTS)
    none = "(VALUES ('12:00:00Z'), ('2024-01-05 8:00 PM'), ('2024-01-05 12:00:00 nowhere')) AS t(words)"
    assert rows_of(any_engine, f"SELECT clock_of(words, 'Asia/Tokyo') FROM {none}") == [(None,)] * 3


def test_days_and_times_are_read_alike(any_engine: Engine) -> None:
    texts = ", ".join(f"({quote_text(text)})" for text in MOMENTS)
    found = rows_of(any_engine, f"SELECT words, CAST(read_moment(words) AS STRING) FROM (VALUES {texts}) AS t(words)")
    assert {words: moment and moment[:16] for words, moment in found} == MOMENTS
    times = {"8:45": 525, "08:45:30": 525, "2024-01-05 08:45:00": 525, "8": None, "8:60": None, "08:45:00Z": None,
             "08:45:00 EST": None, "8:45:00 PM": None}  # fmt: skip
    texts = ", ".join(f"({quote_text(text)})" for text in times)
    found = rows_of(any_engine, f"SELECT words, read_minute(words) FROM (VALUES {texts}) AS t(words)")
    assert dict(found) == times
    form = "read_moment_in(words, '%d.%m.%Y')"
    assert rows_of(any_engine, f"SELECT CAST({form} AS STRING) FROM (VALUES ('1.12.2010'), ('x')) AS t(words)") == [
        ("2010-12-01 00:00:00",),
        (None,),
    ]


JAPANESE_MOMENTS = {
    "2010年12月1日": "2010-12-01 00:00", "2010年12月1日(水) 8:26": "2010-12-01 08:26", "2010.12.1": "2010-12-01 00:00",
    "平成22年12月1日": "2010-12-01 00:00", "平成22年12月1日8時26分5秒": "2010-12-01 08:26",
    "H22.12.1": "2010-12-01 00:00",
    "R1/5/1": "2019-05-01 00:00", "令和元年5月1日": "2019-05-01 00:00", "S64-1-7": "1989-01-07 00:00",
    "平成元年1月7日": None, "平成31年5月1日": None, "平成32年1月1日": None, "令和0年1月1日": None, "H22.12/1": None,
    "2010年2月30日": None, "22年12月1日": None, "2010年12月1日 8:26 PM": None, "x": None, "": None,
}  # fmt: skip
YEARS_LAST = {
    "31/12/2010": ("2010-12-31", None), "12/31/2010 8:26": (None, "2010-12-31"),
    "1.2.2010": ("2010-02-01", "2010-01-02"), "1-2-2010": ("2010-02-01", "2010-01-02"), "1/2.2010": (None, None),
    "1/2/10": (None, None), "2010/1/2": (None, None),
}  # fmt: skip


def test_japanese_days_are_read_alike(any_engine: Engine) -> None:
    texts = ", ".join(f"({quote_text(text)})" for text in JAPANESE_MOMENTS)
    found = rows_of(any_engine, f"SELECT words, CAST(read_moment(words) AS STRING) FROM (VALUES {texts}) AS t(words)")
    assert {words: moment and moment[:16] for words, moment in found} == JAPANESE_MOMENTS


def test_days_with_the_year_last_are_read_alike(any_engine: Engine) -> None:
    texts = ", ".join(f"({quote_text(text)})" for text in YEARS_LAST)
    days = ", ".join(f"CAST(CAST(read_moment({order}_first(words)) AS DATE) AS STRING)" for order in ("day", "month"))
    found = rows_of(any_engine, f"SELECT words, {days} FROM (VALUES {texts}) AS t(words)")
    assert {words: tuple(readings) for words, *readings in found} == YEARS_LAST


def test_files_with_japanese_and_mixed_days_are_read_alike(any_engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "h.csv.gz"
    text = 'customer,day,item,price\na,H22.12.1,x,"￥1,200"\nb,1/12/2010,x,1\nc,13/12/2010,x,1\nd,2010年12月4日,y,1\n'
    path.write_bytes(gzip.compress(text.encode()))
    with sudare.read_history(path, engine=any_engine) as history:
        query = f"SELECT CAST(day AS STRING), count(*) FROM {history.table('purchase')} GROUP BY day ORDER BY day"
        assert rows_of(any_engine, query) == [("2010-12-01", 2), ("2010-12-04", 1), ("2010-12-13", 1)]
    path.write_bytes(gzip.compress(b"customer,day,item\na,1/12/2010,x\n"))
    with pytest.raises(sudare.BadRows, match="day and month cannot be told apart"):
        sudare.read_history(path, engine=any_engine)


def test_packed_tables_and_patterns_are_read_alike(any_engine: Engine, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"t{number}.csv.gz").write_bytes(gzip.compress(b"age,sex\n30,f\n30,f\n40,m\n"))
    with sudare.read_table(str(tmp_path / "t?.csv.gz"), engine=any_engine) as table:
        assert (table.reading.rows, sorted(table.counts.tolist())) == (6, [2, 4])


def test_numbers_and_spaces_are_read_alike(any_engine: Engine) -> None:
    texts = ("1e3", "+5", ".5", "1_000", "1d", "1f", "1,000", "0x10", "\u30001\u3000", "it's",
             "¥1,200", "\\1,200", "-1,200.5円", "1,20", "0,5", "¥-5 円", "1,200,300")  # fmt: skip
    rows = ", ".join(f"({quote_text(text)})" for text in texts)
    found = rows_of(any_engine, f"SELECT read_number(trimmed(words)) FROM (VALUES {rows}) AS t(words)")
    assert [row[0] for row in found] == [
        1000.0, 5.0, 0.5, 1000.0, None, None, 1000.0, None, 1.0, None, 1200.0, 1200.0, -1200.5, None, None,
        -5.0, 1200300.0,
    ]  # fmt: skip


def test_typed_columns_are_read_alike(any_engine: Engine) -> None:
    """A customer number with gaps is floating point, a category a text, and a day may have a time."""
    frame = polars.DataFrame(
        {
            "customer": [1.0, 1e20, None],
            "day": [dt.datetime(2024, 1, 1, 23, 30), dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 3)],
            "item": polars.Series(["a", "b", "a"], dtype=polars.Categorical),
            "price": [1.5, float("nan"), 2.0],
        }
    )
    with sudare.read_history(frame, engine=any_engine, bad_rows="drop") as history:
        purchases = f"SELECT customer, CAST(day AS STRING), item, time, price FROM {history.table('purchase')}"
        assert rows_of(any_engine, f"{purchases} ORDER BY customer") == [
            (1, "2024-01-01", 1, 1410, 1.5),
            (2, "2024-01-02", 2, 0, None),
        ]
        assert rows_of(any_engine, f"SELECT name FROM {history.table('customer')} WHERE code = 1") == [("1",)]


def test_bad_rows_are_counted_by_reason(any_engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(
        "customer,day,item,price\na,2024-01-31,tea,1\na,soon,tea,1\n,2024-01-31,tea,1\nb,2024-01-31,x,nan\n"
    )
    with pytest.raises(sudare.BadRows, match=r"(?s)3 rows that.*customer is missing.*not a date.*not a number"):
        sudare.read_history(path, engine=any_engine)
    with sudare.read_history(path, engine=any_engine, bad_rows="drop") as history:
        assert (history.records, history.reading.dropped_rows) == (1, 3)


def test_lines_that_do_not_divide_are_refused(any_engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("customer,day,item\na,2024-01-31,tea\nb,2024-01-31\n")
    with pytest.raises(sudare.BadRows, match="divide into the columns"):
        sudare.read_history(path, engine=any_engine)


def test_a_folder_of_parquet_files_is_a_table(any_engine: Engine, tmp_path: Path) -> None:
    frame = polars.DataFrame(PEOPLE, schema=["sex", "age", "town"], orient="row")
    for part in (0, 1):
        frame[part * 3 : part * 3 + 3].write_parquet(tmp_path / f"{part}.parquet")
    with sudare.read_table(tmp_path, engine=any_engine) as table:
        assert table.values == (("f", "m"), ("30", "40", "50"), ("x", "y"))
        assert sorted(table.counts.tolist()) == [1, 1, 1, 1, 2]


def test_files_in_folders_of_a_folder_are_read_and_unfinished_ones_are_not(any_engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "sub" / "_temporary").mkdir(parents=True)
    for number, name in enumerate(("a", "sub/c", ".d", "_e", "sub/_temporary/f"), start=1):
        polars.DataFrame({"n": [number]}).write_parquet(tmp_path / f"{name}.parquet")
    with sudare.read_table(tmp_path, engine=any_engine) as table:
        assert table.values == (("1", "2"),)


def test_folders_of_values_are_columns(any_engine: Engine, tmp_path: Path) -> None:
    for kind in ("x", "y"):
        (tmp_path / "above=1" / f"kind={kind}").mkdir(parents=True)
        polars.DataFrame({"n": [1, 2]}).write_parquet(tmp_path / "above=1" / f"kind={kind}" / "a.parquet")
    with sudare.read_table(tmp_path / "above=1", engine=any_engine) as table:
        assert dict(zip(table.attributes, table.values, strict=True)) == {"n": ("1", "2"), "kind": ("x", "y")}


def test_all_511_sets_of_nine_attributes_are_the_same(
    any_engine: Engine, engine: DuckDBEngine, real_data: Callable[[str], Path]
) -> None:
    path = real_data("adult/adult.csv")
    with sudare.read_table(path, engine=any_engine) as table, sudare.read_table(path, engine=engine) as expected:
        assert (table.attributes, table.values) == (expected.attributes, expected.values)
        found = sudare.tables.assess_subsets(table)
        assert len(found.ranked("size")) == 511
        assert (found.results == sudare.tables.assess_subsets(expected).results).all()


def test_what_ifs_worked_by_hand(any_engine: Engine) -> None:
    age = make_hierarchy("age", {1: ("20", "20s"), 2: ("21", "20s"), 3: ("40", "40s"), 4: ("41", "40s")})
    hand = polars.DataFrame({"age": ["20", "21", "40"], "sex": ["f", "f", "m"]})
    with sudare.read_table(hand, engine=any_engine) as people:
        added = add_records(people, polars.DataFrame({"sex": ["m"], "age": ["41"]}))
        with added.table, generalize_table(added.table, {"age": age}, {"age": 1}).table as after:
            assert added.table.counts.tolist() == [1, 1, 1, 1]
            assert (after.values, after.counts.tolist()) == ((("20s", "40s"), ("f", "m")), [2, 2])


def test_weights_are_counted_and_bad_ones_refused(any_engine: Engine) -> None:
    rows = polars.DataFrame({"sex": ["m", "f", "f"], "n": [3, 1, 4]})
    with sudare.read_table(rows, weight="n", engine=any_engine) as table:
        assert (table.values, table.counts.tolist()) == ((("f", "m"),), [5, 3])
    with pytest.raises(sudare.BadRows, match=r"the weight in 1 row of data.* at most 18 digits"):
        sudare.read_table(polars.DataFrame({"sex": ["m", "f"], "n": [3, 0]}), weight="n", engine=any_engine)


@pytest.mark.parametrize("one_task_rows", [100, 10_000])
def test_rows_are_numbered_in_an_order(any_engine: Engine, monkeypatch: pytest.MonkeyPatch, one_task_rows: int) -> None:
    monkeypatch.setattr("sudare.engine.spark.engine.ONE_TASK_ROWS", one_task_rows)
    rows = ", ".join(f"({number * 7919 % 1009}, 'x')" for number in range(1009))
    any_engine.keep("numbered", f'SELECT n, "a b" FROM (VALUES {rows}) AS t(n, "a b")', number="k", order="n")
    try:
        found = rows_of(any_engine, "SELECT count(*), min(k), max(k) FROM numbered WHERE k = n + 1 AND \"a b\" = 'x'")
        assert found == [(1009, 1, 1009)]
    finally:
        any_engine.drop("numbered")


def test_names_are_normalized_alike(any_engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "log[1].csv"
    path.write_text(
        "customer,day,item\n１２,2024/1/5,ﾊﾟﾝ\n12\t,2024/1/5,パン\nann,2024/1/5,①\nAnn,2024/1/5,1\n", encoding="utf-8"
    )
    (tmp_path / "log1.csv").write_text("customer,day,item\nx,2024/1/5,x\n")
    with sudare.read_history(path, engine=any_engine) as history:
        assert (history.records, history.customers) == (4, 3)
        found = [
            (spelling.column, spelling.rows, spelling.merged, spelling.case) for spelling in history.reading.spellings
        ]
        assert found == [("customer", 1, 1, 1), ("item", 2, 2, 0)]
    with sudare.read_table(path, engine=any_engine) as table:
        assert table.values[0] == ("12", "Ann", "ann")
        assert [(spelling.column, spelling.merged) for spelling in table.reading.spellings] == [
            ("customer", 1),
            ("item", 2),
        ]


def test_moments_with_a_zone_are_days_alike(any_engine: Engine, tmp_path: Path) -> None:
    moments = [dt.datetime(2024, 1, 5, 20, tzinfo=dt.UTC), dt.datetime(2024, 1, 10, 2, tzinfo=dt.UTC)]
    frame = polars.DataFrame({"customer": ["a", "b"], "day": moments, "item": ["tea", "tea"]})
    frame.write_parquet(tmp_path / "a*b.parquet")
    text = "customer,day,item\na,2024-01-05T20:00:00Z,tea\nb,2024/1/10 02:00:00+00:00,tea\n"
    (tmp_path / "h.csv").write_text(text)
    naive = frame.with_columns(polars.col("day").dt.replace_time_zone(None))
    expected = {None: (5, 10), "Asia/Tokyo": (6, 10), "America/New_York": (5, 9)}
    for zone, days in expected.items():
        for source in (frame, tmp_path / "a*b.parquet", tmp_path / "h.csv"):
            with sudare.read_history(source, engine=any_engine, time_zone=zone) as history:
                found = rows_of(any_engine, f"SELECT day(day) FROM {history.table('purchase')} ORDER BY customer")
                assert tuple(row[0] for row in found) == days
        with sudare.read_table(
            tmp_path / "a*b.parquet", attributes=["day"], engine=any_engine, time_zone=zone
        ) as table:
            assert tuple(int(str(value)[8:10]) for value in table.values[0]) == days
        with sudare.read_history(naive, engine=any_engine, time_zone=zone) as history:
            found = rows_of(any_engine, f"SELECT day(day) FROM {history.table('purchase')} ORDER BY customer")
            assert tuple(row[0] for row in found) == (5, 10)


def test_a_file_that_is_not_parquet_is_refused(any_engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(sudare.SourceNotReadable, match="cannot be read as Parquet"):
        sudare.read_table(tmp_path / "bad.parquet", engine=any_engine)
