"""The tool that names the real data and checks a folder of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import polars
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def fetch_data(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import fetch_data

    return fetch_data


@pytest.fixture
def folder(fetch_data: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a right and a wrong text and a Parquet file; a fourth file is missing."""
    source = fetch_data.Source("Small", "nowhere", "none")
    (tmp_path / "right.csv").write_bytes(b"1,2\n")
    (tmp_path / "wrong.csv").write_bytes(b"1,3\n")
    frame(7).write_parquet(tmp_path / "rows.parquet", compression="snappy")
    hashes = {name: hashlib.sha256(text).hexdigest() for name, text in (("a", b"1,2\n"), ("b", b""))}
    rows = fetch_data.rows_hash(tmp_path / "rows.parquet")
    files = (
        fetch_data.File("right.csv", source, 4, hashes["a"]),
        fetch_data.File("wrong.csv", source, 4, hashes["a"]),
        fetch_data.File("missing.csv", source, 0, hashes["b"]),
        fetch_data.File("rows.parquet", source, 0, hashes["b"], rows),
    )
    monkeypatch.setattr(fetch_data, "FILES", files)
    return tmp_path


def frame(last: int) -> polars.DataFrame:
    return polars.DataFrame({"who": ["a", "b"], "price": [0.5, float(last)]})


def verdicts(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()]


def test_a_folder_is_checked_file_by_file(
    fetch_data: ModuleType, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch_data.main(["--check", str(folder)]) == 2
    said = capsys.readouterr()
    assert verdicts(said.out) == ["right", "wrong", "missing", "right"]
    assert str(folder / "missing.csv") in said.out
    assert "where they come from" in said.err
    (folder / "wrong.csv").write_bytes(b"1,2\n")
    (folder / "missing.csv").write_bytes(b"")
    assert fetch_data.main(["--check", str(folder)]) == 0
    assert capsys.readouterr().err == ""


def test_parquet_is_compared_by_its_rows(fetch_data: ModuleType, folder: Path) -> None:
    *_, file = fetch_data.FILES
    path = folder / "rows.parquet"
    before = path.read_bytes()
    frame(7).write_parquet(path, compression="zstd", row_group_size=1)
    assert path.read_bytes() != before
    assert fetch_data.verdict(file, path) == "right"
    frame(8).write_parquet(path)
    assert fetch_data.verdict(file, path) == "wrong"
    frame(7).rename({"who": "whom"}).write_parquet(path)
    assert fetch_data.verdict(file, path) == "wrong"
    path.write_bytes(b"no Parquet")
    assert fetch_data.verdict(file, path) == "wrong"


def test_without_words_every_source_and_file_is_named(
    fetch_data: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch_data.main([]) == 0
    text = capsys.readouterr().out
    for file in fetch_data.FILES:
        assert f"{file.name}: {file.size:,} bytes, SHA-256 {file.sha256}" in text
        assert file.source.home in text


def test_the_real_files_are_those_that_are_named(fetch_data: ModuleType, real_data: Callable[[str], Path]) -> None:
    for file in fetch_data.FILES:
        path = real_data(file.name)
        assert fetch_data.verdict(file, path) == "right", file.name
        assert path.stat().st_size == file.size or file.rows, file.name


def test_nothing_is_downloaded() -> None:
    text = (ROOT / "tools" / "fetch_data.py").read_text(encoding="utf-8")
    assert not any(word in text for word in ("urllib", "http", "socket", "requests"))
