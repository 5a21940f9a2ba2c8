"""Files people have: compressed, in archives and databases, several at once, and what comes from a pipe."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import openpyxl
import polars
import pytest
from backports import zstd

import sudare
from sudare.baskets.read import read_baskets
from sudare.engine import DuckDBEngine
from sudare.messages import Texts
from tests.engine.looking import rows_of

TEXT = b"customer,day,item\na,2024/1/5,x\nb,2024/1/6,y\n"
OTHER = b"customer,day,item\nc,2024/1/7,z\n"


def zstd_with_checksum(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd_with_checksum}


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def customers(source: str | Path, engine: DuckDBEngine, **options: str) -> list[str]:
    with sudare.read_history(source, engine=engine, **options) as found:  # type: ignore[arg-type]
        return [row[0] for row in rows_of(engine, f"SELECT name FROM {found.table('customer')} ORDER BY name")]


@pytest.mark.parametrize("kind", PACKERS)
def test_compressed_files_are_read(engine: DuckDBEngine, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"h.csv.{kind}"
    path.write_bytes(PACKERS[kind](TEXT))
    with sudare.read_history(path, engine=engine) as found:
        assert found.customers == 2
        assert found.reading.source == str(path)
        assert found.reading.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert len(found.cells()) == 2
    with sudare.read_table(path, engine=engine) as table:
        assert table.attributes == ("customer", "day", "item")
    assert read_baskets(path).users == ("a", "b")
    lines = tmp_path / f"b.txt.{kind}"
    lines.write_bytes(PACKERS[kind](b"1 2 3\n2 3\n"))
    assert len(read_baskets(lines)) == 2


@pytest.mark.parametrize("kind", PACKERS)
def test_several_streams_in_one_file_are_read(engine: DuckDBEngine, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"h.csv.{kind}"
    path.write_bytes(PACKERS[kind](TEXT) + PACKERS[kind](OTHER.partition(b"\n")[2]))
    assert customers(path, engine) == ["a", "b", "c"]


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("harm", ["cut", "changed"])
def test_a_damaged_archive_is_named(engine: DuckDBEngine, tmp_path: Path, kind: str, harm: str) -> None:
    whole = PACKERS[kind](os.urandom(100_000))
    path = tmp_path / f"h.csv.{kind}"
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] if harm == "cut" else whole[:20] + bytes(1000) + whole[1020:])
    with pytest.raises(sudare.SourceNotReadable) as caught:
        sudare.read_history(path, engine=engine)
    assert caught.value.key == "errors.sources.corrupt"
    assert str(path) in str(caught.value)


def test_a_compressed_parquet_or_excel_file_is_what_it_holds(engine: DuckDBEngine, tmp_path: Path) -> None:
    polars.read_csv(TEXT).write_parquet(tmp_path / "h.parquet")
    (tmp_path / "h.parquet.gz").write_bytes(gzip.compress((tmp_path / "h.parquet").read_bytes()))
    assert customers(tmp_path / "h.parquet.gz", engine) == ["a", "b"]


def test_a_zip_with_one_file_is_read(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "h.zip"
    path.write_bytes(zipped(**{"folder/h.csv": TEXT, "__MACOSX/h.csv": b"x", "folder/.DS_Store": b"x"}))
    assert customers(path, engine) == ["a", "b"]


def test_a_zip_with_several_files_names_them(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.zip").write_bytes(zipped(**{"a.csv": TEXT, "b.csv": OTHER}))
    with pytest.raises(sudare.SourceNotReadable, match=r"2 files: a\.csv, b\.csv"):
        sudare.read_history(tmp_path / "h.zip", engine=engine)
    (tmp_path / "none.zip").write_bytes(zipped())
    with pytest.raises(sudare.SourceNotReadable, match="without files"):
        sudare.read_history(tmp_path / "none.zip", engine=engine)


def test_a_tar_archive_is_named(engine: DuckDBEngine, tmp_path: Path) -> None:
    import tarfile

    (tmp_path / "h.csv").write_bytes(TEXT)
    with tarfile.open(tmp_path / "h.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "h.csv", "h.csv")
    with pytest.raises(sudare.SourceNotReadable, match="is a tar archive"):
        sudare.read_history(tmp_path / "h.tar.gz", engine=engine)


def test_an_empty_file_in_an_archive_is_empty(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.csv.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(sudare.SourceNotReadable, match=r"h\.csv\.gz is empty"):
        sudare.read_history(tmp_path / "h.csv.gz", engine=engine)


def test_a_pattern_stands_for_all_files_that_match(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "2011-01.csv").write_bytes(TEXT)
    (tmp_path / "2011-02.csv.gz").write_bytes(gzip.compress(OTHER))
    (tmp_path / "2012-01.csv").write_bytes(b"customer,day,item\nd,2024/1/7,z\n")
    pattern = str(tmp_path / "2011-*")
    with sudare.read_history(pattern, engine=engine) as found:
        assert (found.records, found.customers) == (3, 3)
        assert found.reading.files == (str(tmp_path / "2011-01.csv"), str(tmp_path / "2011-02.csv.gz"))
        assert len(found.cells()) == 3
    with sudare.read_table(pattern, engine=engine) as table:
        assert table.reading.rows == 3
    assert read_baskets(pattern).users == ("a", "b", "c")
    for number in (1, 2):
        (tmp_path / f"b{number}.txt").write_text(f"{number} 9")
    assert len(read_baskets(str(tmp_path / "b?.txt"))) == 2


def test_a_name_that_is_there_is_no_pattern(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h*.csv").write_bytes(TEXT)
    (tmp_path / "hx.csv").write_bytes(OTHER)
    assert customers(str(tmp_path / "h*.csv"), engine) == ["a", "b"]
    (tmp_path / "h*.csv").unlink()
    assert customers(str(tmp_path / "h*.csv"), engine) == ["c"]


def test_parquet_and_excel_files_that_match_are_read_together(engine: DuckDBEngine, tmp_path: Path) -> None:
    for number, text in enumerate((TEXT, OTHER)):
        polars.read_csv(text).write_parquet(tmp_path / f"h{number}.parquet")
        book = openpyxl.Workbook()
        for line in text.decode().split():
            book.active.append(line.split(","))
        book.save(tmp_path / f"h{number}.xlsx")
    assert customers(tmp_path / "h*.parquet", engine) == ["a", "b", "c"]
    assert customers(tmp_path / "h*.xlsx", engine) == ["a", "b", "c"]
    with pytest.raises(sudare.SourceNotReadable, match="files of different kinds"):
        sudare.read_history(tmp_path / "h*", engine=engine)


def test_a_bad_row_is_found_in_its_own_file(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(TEXT.rstrip())
    (tmp_path / "2.csv").write_bytes(b"\n" + OTHER + b"\nd,2024/1/7,\n")
    with pytest.raises(sudare.BadRows, match=r"the item is missing \(.*2\.csv, row 5\)"):
        sudare.read_history(str(tmp_path / "?.csv"), engine=engine)


def test_files_with_other_columns_are_refused(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(TEXT)
    (tmp_path / "2.csv").write_bytes(b"day,customer,item\n2024/1/5,a,x\n")
    with pytest.raises(sudare.SourceNotReadable, match="do not have the same columns"):
        sudare.read_history(str(tmp_path / "?.csv"), engine=engine)


def test_a_pattern_that_nothing_matches_is_named(tmp_path: Path) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="No file matches"):
        sudare.read_history(str(tmp_path / "*.csv"))


def test_what_a_pattern_stands_for_is_not_written_over(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(b"customer,day,item\n" + b"".join(b"%d,2024/1/5,x\n" % n for n in range(3)))
    with sudare.read_history(str(tmp_path / "?.csv"), engine=engine) as found:
        safe = found.anonymize(k=3, seconds=5, attacks=False)
        with pytest.raises(sudare.OutputNotWritable, match="it is read"):
            safe.publish(tmp_path / "1.csv")


def sqlite_file(path: Path, *tables: str) -> Path:
    with sqlite3.connect(path) as connection:
        for table in tables:
            connection.execute(f'CREATE TABLE "{table}" (customer REAL, day TEXT, item TEXT)')
            rows = [(17850.0, "2024-01-05", "x"), (17851.0, "2024-01-06", None)]
            connection.executemany(f'INSERT INTO "{table}" VALUES (?, ?, ?)', rows)
    connection.close()
    return path


def duckdb_file(path: Path, *tables: str) -> Path:
    with duckdb.connect(path) as connection:
        for table in tables:
            connection.execute(
                f"CREATE TABLE {table} AS SELECT 17850.0::DOUBLE AS customer, DATE '2024-01-05' AS day, 'x' AS item "
                "UNION ALL SELECT 17851.0, DATE '2024-01-06', NULL"
            )
    return path


@pytest.mark.parametrize("make", [sqlite_file, duckdb_file])
def test_the_only_table_of_a_database_is_read(engine: DuckDBEngine, tmp_path: Path, make: object) -> None:
    path = make(tmp_path / "h.db", "sales")  # type: ignore[operator]
    with sudare.read_history(path, engine=engine, bad_rows="drop") as found:
        assert found.reading.guesses == {"table": "sales"}
        assert found.reading.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        names = rows_of(engine, f"SELECT name FROM {found.table('customer')}")
        assert names == [("17850",)]
    with pytest.raises(sudare.BadRows, match=r"column item: the item is missing \(row 2\)"):
        sudare.read_history(path, engine=engine)
    with sudare.read_table(path, engine=engine) as table:
        assert table.reading.rows == 2
    assert read_baskets(path).users == ("17850", "17851")


@pytest.mark.parametrize("make", [sqlite_file, duckdb_file])
def test_one_of_several_tables_is_chosen(engine: DuckDBEngine, tmp_path: Path, make: object) -> None:
    path = make(tmp_path / "h.db", "sales", "visits")  # type: ignore[operator]
    with pytest.raises(sudare.OptionNotUsable) as caught:
        sudare.read_history(path, engine=engine)
    assert str(caught.value).endswith('has 2 tables: sales and visits.\nHint: Choose one with table="sales".')
    with pytest.raises(sudare.OptionNotUsable, match="no table 'nothing'"):
        sudare.read_history(path, engine=engine, table="nothing")
    with sudare.read_table(path, engine=engine, table="visits") as table:
        assert table.reading.rows == 2
        assert table.reading.guesses == {}


def test_a_table_of_another_schema_is_called_with_it(engine: DuckDBEngine, tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "h.duckdb") as connection:
        connection.execute("CREATE SCHEMA shop; CREATE TABLE shop.sales AS SELECT 1 AS age; CREATE TABLE a AS SELECT 1")
    with sudare.read_table(tmp_path / "h.duckdb", engine=engine, table="shop.sales") as table:
        assert table.attributes == ("age",)


def test_a_table_of_a_text_is_refused(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_bytes(TEXT)
    with pytest.raises(sudare.OptionNotUsable, match="is not a database"):
        sudare.read_history(tmp_path / "h.csv", engine=engine, table="sales")


def test_a_damaged_database_is_named(engine: DuckDBEngine, tmp_path: Path) -> None:
    (tmp_path / "h.db").write_bytes(b"SQLite format 3\0" + bytes(range(256)))
    with pytest.raises(sudare.SourceNotReadable, match="cannot be read as SQLite"):
        sudare.read_history(tmp_path / "h.db", engine=engine)
    (tmp_path / "d.db").write_bytes(bytes(8) + b"DUCK" + bytes(range(256)))
    with pytest.raises(sudare.SourceNotReadable, match="cannot be read as a DuckDB database"):
        sudare.read_history(tmp_path / "d.db", engine=engine)


READ = """
import sudare
with sudare.read_history("-") as found:
    print(found.customers, len(found.cells()), found.reading.source)
"""


def piped(data: bytes, folder: Path, code: str = READ) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, env=environment, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda text: zipped(**{"h.csv": text})])
def test_standard_input_is_read_and_leaves_nothing(tmp_path: Path, pack: object) -> None:
    done = piped(pack(TEXT), tmp_path)  # type: ignore[operator]
    assert done.stdout.decode() == "2 2 stdin\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_standard_input_may_be_parquet_or_excel(tmp_path: Path) -> None:
    made = io.BytesIO()
    polars.read_csv(TEXT).write_parquet(made)
    assert piped(made.getvalue(), tmp_path).stdout.decode() == "2 2 stdin\n"
    made, book = io.BytesIO(), openpyxl.Workbook()
    for line in TEXT.decode().split():
        book.active.append(line.split(","))
    book.save(made)
    assert piped(made.getvalue(), tmp_path).stdout.decode() == "2 2 stdin\n"


@pytest.mark.slow
def test_standard_input_without_anything_is_empty(tmp_path: Path) -> None:
    assert "stdin is empty" in piped(b"", tmp_path).stderr.decode()


@pytest.mark.parametrize("address", ["https://example.org/h.csv", "HTTP://example.org/h.csv", "ftp://example.org/h"])
def test_a_web_address_is_refused_by_name(engine: DuckDBEngine, address: str) -> None:
    for read in (sudare.read_history, sudare.read_table, sudare.read_baskets):
        with pytest.raises(sudare.SourceNotReadable) as caught:
            read(address)
        assert caught.value.key == "errors.sources.web_address"
        assert "ネットワーク" in caught.value.text(Texts("ja"))


def test_another_address_is_no_file_of_this_machine(engine: DuckDBEngine) -> None:
    with pytest.raises(sudare.SourceNotReadable, match="is an address"):
        sudare.read_history("s3://bucket/h.parquet", engine=engine)


def test_the_sheet_that_was_taken_and_the_others_are_told(engine: DuckDBEngine, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for line in TEXT.decode().split():
        book.active.append(line.split(","))
    book.create_sheet("stores")
    book.save(tmp_path / "h.xlsx")
    with sudare.read_history(tmp_path / "h.xlsx", engine=engine) as found:
        assert found.reading.guesses["sheet"] == "Sheet"
        assert found.reading.alternatives == {"sheet": ("stores",)}
    with sudare.read_history(tmp_path / "h.xlsx", engine=engine, sheet="Sheet") as found:
        assert found.reading.alternatives == {}


def test_columns_that_could_have_a_role_too_are_told(engine: DuckDBEngine, tmp_path: Path) -> None:
    text = "会員番号,顧客ID,購入日,商品コード,商品名\n1,a,2024/1/5,x,Bread\n"
    (tmp_path / "h.csv").write_text(text)
    with sudare.read_history(tmp_path / "h.csv", engine=engine) as found:
        assert found.reading.columns["customer"] == "顧客ID"
        assert found.reading.alternatives == {"customer": ("会員番号",)}
    with sudare.read_history(tmp_path / "h.csv", engine=engine, columns={"customer": "会員番号"}) as found:
        assert found.reading.alternatives == {}
