"""Commands read the files that people have, and say what they took and what they left out."""

from __future__ import annotations

import gzip
import sqlite3
import stat
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner, Result

from sudare.cli.app import app

TEXT = "customer,day,item\na,2024/1/5,x\nb,2024/1/6,y\n"


def run(*words: object, data: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=data)


@pytest.mark.parametrize("command", [("history", "attackers"), ("table", "risk"), ("baskets", "km")])
def test_standard_input_is_read(command: tuple[str, str]) -> None:
    words = ["--k", "1", "--m", "1"] if command[0] == "baskets" else []
    for data in (TEXT.encode(), gzip.compress(TEXT.encode())):
        result = run(*command, "-", *words, data=data)
        assert result.exit_code in (0, 3), result.output
        assert "Read stdin: " in result.stderr


def test_a_quoted_pattern_and_its_files_are_told(tmp_path: Path) -> None:
    for name in ("2011-01", "2011-02"):
        (tmp_path / f"{name}.csv").write_text(TEXT)
    result = run("history", "attackers", tmp_path / "2011-*.csv")
    assert result.exit_code == 0, result.output
    assert f"Files (2): {tmp_path / '2011-01.csv'}, {tmp_path / '2011-02.csv'}" in result.stderr


def test_a_table_of_a_database_is_chosen(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "h.db") as connection:
        for table in ("sales", "visits"):
            connection.execute(f"CREATE TABLE {table} (customer, day, item)")
            connection.execute(f"INSERT INTO {table} VALUES ('a', '2024-01-05', 'x')")
    connection.close()
    refused = run("history", "attackers", tmp_path / "h.db")
    assert refused.exit_code == 2
    assert "has 2 tables: sales and visits.\nHint: Choose one with --table sales." in refused.stderr
    assert run("history", "attackers", tmp_path / "h.db", "--table", "visits").exit_code == 0


def test_other_sheets_and_columns_are_told_with_how_to_choose_them(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for line in ("member,customer,day,item", "1,a,2024/1/5,x"):
        book.active.append(line.split(","))
    book.create_sheet("stores")
    book.save(tmp_path / "h.xlsx")
    said = run("history", "attackers", tmp_path / "h.xlsx").stderr
    assert "Sheet Sheet was read; the others are stores. To choose: --sheet stores" in said
    assert "The customer is column customer; member would fit too. To choose: --column customer=member" in said


def test_refused_rows_are_written_and_kept_secret(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(TEXT + ",2024/1/7,z\n")
    words = ["history", "attackers", tmp_path / "h.csv", "--rejects", tmp_path / "bad.csv"]
    refused = run(*words)
    assert refused.exit_code == 2
    assert "skip them with --bad-rows drop" in refused.stderr
    assert (tmp_path / "bad.csv").read_text().splitlines()[1] == "4,customer,the customer is missing,,2024/1/7,z"
    dropped = run(*words, "--bad-rows", "drop", "--lang", "ja")
    assert dropped.exit_code == 0
    assert "1行を読み飛ばしました: 顧客が欠けている（列 customer）" in dropped.stderr
    assert (tmp_path / "bad.csv").read_text().startswith("行,列,理由")
    assert stat.S_IMODE((tmp_path / "bad.csv").stat().st_mode) == 0o600
    assert run(*words[:-1], tmp_path / "h.csv").exit_code == 2


def test_a_web_address_is_refused_in_the_language_of_the_reader() -> None:
    result = run("table", "risk", "https://example.org/t.csv", "--lang", "ja")
    assert result.exit_code == 2
    assert "ウェブのアドレスです" in result.stderr
