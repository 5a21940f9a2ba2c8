"""What is read is what was named, on every machine: names with patterns, time zones, errors of the engine."""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import sudare
from sudare.engine import DuckDBEngine, quote_text
from sudare.errors import MemoryNotEnough
from sudare.histories.generalized.conversion import read_history_rows
from tests.engine.looking import rows_of

TRAPS = {
    "log[1]": "log1", "what?": "whats", "a*b": "axb", "{a}": "a", "back\\slash": "backslash", "it's": "its",
    "b\\[1]": "b/[1]", "b\\x*": "b/x*", "\\[": "[",
}  # fmt: skip


def history(item: str) -> str:
    return f"customer,day,item\na,2024/1/5,{item}\nb,2024/1/6,{item}\n"


def items(found: sudare.History) -> list[str]:
    return [row[0] for row in rows_of(found.engine, f"SELECT name FROM {found.table('item')} ORDER BY name")]


@pytest.mark.parametrize(("name", "other"), TRAPS.items())
def test_a_name_is_no_pattern(engine: DuckDBEngine, tmp_path: Path, name: str, other: str) -> None:
    named, beside = tmp_path / f"{name}.csv", tmp_path / f"{other}.csv"
    beside.parent.mkdir(exist_ok=True)
    named.write_text(history("named"))
    beside.write_text(history("beside"))
    with sudare.read_history(named, engine=engine) as found:
        assert items(found) == ["named"]
        assert found.reading.sha256 == hashlib.sha256(named.read_bytes()).hexdigest()
    assert read_history_rows(named).history.columns[1].names == ("named",)  # type: ignore[union-attr]
    for path in (named, beside):
        polars.read_csv(path.read_bytes()).write_parquet(path.with_suffix(".parquet"))
    with sudare.read_history(named.with_suffix(".parquet"), engine=engine) as found:
        assert items(found) == ["named"]


def test_a_folder_is_no_pattern(engine: DuckDBEngine, tmp_path: Path) -> None:
    for name, item in (("x[1]", "named"), ("x1", "beside")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "h.csv").write_text(history(item))
        polars.read_csv(history(item).encode()).write_parquet(tmp_path / name / "p.parquet")
    for source in (tmp_path / "x[1]", tmp_path / "x[1]" / "h.csv"):
        with sudare.read_history(source, engine=engine) as found:
            assert items(found) == ["named"]


def test_names_beside_a_file_do_not_matter(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "log[1].csv").write_text(history("named"))
    (tmp_path / "\\beside.csv").write_text(history("beside"))
    with sudare.read_history(tmp_path / "log[1].csv", engine=engine) as found:
        assert items(found) == ["named"]


def test_values_in_the_names_of_folders_may_have_brackets(engine: DuckDBEngine, tmp_path: Path) -> None:
    for kind in ("a[1]", "b"):
        folder = tmp_path / "x=1" / "t*" / f"kind={kind}"
        folder.mkdir(parents=True)
        polars.DataFrame({"age": [1]}).write_parquet(folder / "p?.parquet")
    with sudare.read_table(tmp_path / "x=1" / "t*", engine=engine) as table:
        assert dict(zip(table.attributes, table.values, strict=True)) == {"age": ("1",), "kind": ("a[1]", "b")}


def test_an_error_names_the_file_and_not_the_link_to_it(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "bad[1].parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(sudare.SourceNotReadable) as refused:
        sudare.read_table(tmp_path / "bad[1].parquet", engine=engine)
    assert "sudare-" not in str(refused.value)


def test_a_pattern_in_file_and_spill_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log[1].csv").write_text(history("named"))
    (tmp_path / "spill[1]").mkdir()
    with (
        DuckDBEngine(spill=tmp_path / "spill[1]") as engine,
        pytest.raises(sudare.OptionNotUsable, match="with spill"),
    ):
        sudare.read_history(tmp_path / "log[1].csv", engine=engine)


@pytest.mark.parametrize("name", ["file:", "s3:", "http:", "~"])
def test_a_relative_name_is_no_address(
    engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).mkdir()
    (Path(name) / "h.csv").write_text(history("named"))
    with sudare.read_history(f"{name}/h.csv", engine=engine) as found:
        assert items(found) == ["named"]


def test_an_address_is_not_read_from_the_network() -> None:
    with pytest.raises(sudare.SourceNotReadable, match="is a web address; sudare makes no network calls"):
        sudare.read_history("https://example.org/h.parquet")


def test_a_text_named_like_an_archive_is_read_as_it_is(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.csv.gz").write_text(history("named"))
    with sudare.read_history(tmp_path / "h.csv.gz", engine=engine) as found:
        assert items(found) == ["named"]


def test_folders_above_a_file_are_no_columns_of_it(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "year=2024").mkdir()
    path = tmp_path / "year=2024" / "t.parquet"
    polars.DataFrame({"age": [1, 2]}).write_parquet(path)
    with sudare.read_table(path, engine=engine) as table:
        assert table.attributes == ("age",)
    with sudare.read_table(tmp_path, engine=engine) as table:
        assert set(table.attributes) == {"age", "year"}


def test_memory_that_runs_out_while_parquet_is_opened_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    polars.DataFrame({"age": [1]}).write_parquet(tmp_path / "t.parquet")

    def no_memory(*_: object) -> Any:
        raise MemoryNotEnough("errors.arguments.memory", function="describe")

    monkeypatch.setattr(DuckDBEngine, "describe", no_memory)
    with pytest.raises(MemoryNotEnough):
        sudare.read_table(tmp_path / "t.parquet")


# 20:00 in UTC is the next day in Tokyo; 02:00 in UTC is the day before in New York.
MOMENTS = [
    dt.datetime(2024, 1, 5, 20, tzinfo=dt.UTC), dt.datetime(2024, 1, 10, 2, tzinfo=dt.UTC),
]  # fmt: skip
COLUMNS = {"customer": ["a", "b"], "day": MOMENTS, "item": ["tea", "tea"]}
DAYS = {None: ["2024-01-05", "2024-01-10"], "Asia/Tokyo": ["2024-01-06", "2024-01-10"],
        "America/New_York": ["2024-01-05", "2024-01-09"]}  # fmt: skip


def days(found: sudare.History) -> list[str]:
    rows = rows_of(found.engine, f"SELECT CAST(day AS STRING) FROM {found.table('purchase')} ORDER BY customer")
    return [row[0] for row in rows]


@pytest.mark.parametrize("zone", DAYS)
@pytest.mark.parametrize(
    "frame",
    [pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS), pyarrow.table(COLUMNS)],
    ids=["pandas", "polars", "pyarrow"],
)
def test_moments_with_a_zone_become_days_by_one_clock(engine: DuckDBEngine, frame: object, zone: str | None) -> None:
    with sudare.read_history(frame, engine=engine, time_zone=zone) as found:
        assert days(found) == DAYS[zone]
        assert found.reading.clock == (zone or "UTC")
    with sudare.read_table(frame, attributes=["day"], engine=engine, time_zone=zone) as table:
        assert [str(value)[:10] for value in table.values[0]] == DAYS[zone]
        assert table.reading.clock == (zone or "UTC")


SCRIPT = """
import json, sys, sudare
with sudare.read_history(sys.argv[1]) as found, sudare.read_table(sys.argv[1], attributes=["day"]) as table:
    query = f"SELECT CAST(day AS STRING), time FROM {found.table('purchase')} ORDER BY customer"
    rows = found.engine.people(query, "days")
    print(json.dumps([rows, table.values[0], found.reading.clock]))
"""


@pytest.mark.slow
def test_days_do_not_depend_on_the_zone_of_the_machine(tmp_path: Path) -> None:
    polars.DataFrame(COLUMNS).write_parquet(tmp_path / "h.parquet")
    told = []
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / "h.parquet")], env={**os.environ, "TZ": zone},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.append(json.loads(run.stdout))
    assert told[0] == [
        [["2024-01-05", 1200], ["2024-01-10", 120]],
        ["2024-01-05 20:00:00", "2024-01-10 02:00:00"],
        "UTC",
    ]
    assert told[1] == told[2] == told[0]


def test_of_text_the_clock_as_written_counts_unless_a_zone_is_chosen(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("customer,day,item\na,2024-01-05T20:00:00Z,tea\nb,2024-01-10T02:00:00+00:00,tea\n")
    for zone, expected in DAYS.items():
        with sudare.read_history(path, engine=engine, time_zone=zone) as found:
            assert days(found) == expected
            assert found.reading.clock == (zone or "as written")
    path.write_text("customer,day,item\na,2024-01-05 20:00:00,tea\nb,2024-01-10,tea\n")
    with sudare.read_history(path, engine=engine, time_zone="Asia/Tokyo") as found:
        assert (days(found), found.reading.clock) == (DAYS[None], None)


def test_no_row_keeps_a_clock_of_its_own_where_a_zone_is_chosen(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("customer,day,item\na,2024-1-5 20:00Z,tea\nb,2024-01-09 21:00:00 EST,tea\n")
    with sudare.read_history(path, engine=engine, time_zone="Asia/Tokyo") as found:
        assert (days(found), found.reading.clock) == (["2024-01-06", "2024-01-10"], "Asia/Tokyo")
    path.write_text("customer,day,item\na,2024-01-05 8:00 PM,tea\n")
    for zone in (None, "Asia/Tokyo"):
        with pytest.raises(sudare.BadRows, match="not a date in a known format"):
            sudare.read_history(path, engine=engine, time_zone=zone)


DATES, TIMES = ("2024-01-05", "2024/1/5"), ("", " 20", " 8:00", "T20:00:00", " 20:00:00.5")
FOLLOWING = ("", "Z", " EST", "+09", "+0900", " -05:00", " PM", "foo", " Asia/Tokyo", "[x]", " ", "1", ":", ".")


def test_what_is_read_without_a_zone_has_nothing_after_its_time(engine: DuckDBEngine) -> None:
    texts = ["".join(parts) for parts in itertools.product(DATES, TIMES, FOLLOWING, FOLLOWING)]
    listed = ", ".join(f"({quote_text(text)})" for text in texts)
    found = rows_of(
        engine,
        "SELECT words FROM (VALUES "
        f"{listed}) AS t(words) WHERE read_moment(words) IS NOT NULL AND NOT has_offset(words)",
    )
    plain = re.compile(r"[0-9]+[-/][0-9]+[-/][0-9]+([ T]+[0-9]+(:[0-9]*)+([.][0-9]*)?)? *")
    assert [text for (text,) in found if not plain.fullmatch(text)] == []
    assert found


def test_the_clock_of_a_column_of_times_is_told(engine: DuckDBEngine) -> None:
    columns = {"customer": ["a", "b"], "day": [dt.date(2024, 1, 5)] * 2, "time": MOMENTS, "item": ["tea", "tea"]}
    with sudare.read_history(polars.DataFrame(columns), engine=engine, time_zone="Asia/Tokyo") as found:
        times = rows_of(engine, f"SELECT time FROM {found.table('purchase')} ORDER BY customer")
        assert ([row[0] for row in times], found.reading.clock) == ([5 * 60, 11 * 60], "Asia/Tokyo")


def test_a_date_format_with_an_offset_is_an_instant(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("customer,day,item\na,05.01.2024 20:00 +0000,tea\nb,10.01.2024 02:00 +0000,tea\n")
    for zone, expected in DAYS.items():
        with sudare.read_history(path, engine=engine, date_format="%d.%m.%Y %H:%M %z", time_zone=zone) as found:
            assert (days(found), found.reading.clock) == (expected, zone or "UTC")


@pytest.mark.parametrize("zone", ["Asia/Tokio", "nowhere", "localtime", ""])
def test_an_unknown_zone_is_refused(tmp_path: Path, zone: str) -> None:
    (tmp_path / "h.csv").write_text(history("tea"))
    with pytest.raises(sudare.OptionNotUsable, match="Unknown time zone") as caught:
        sudare.read_history(tmp_path / "h.csv", time_zone=zone)
    if zone == "Asia/Tokio":
        assert "Asia/Tokyo" in str(caught.value)
