"""In which encoding a text is: Japanese is found, Western text is never taken for it, the rest is asked."""

from __future__ import annotations

import csv
import encodings.aliases
import io
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.sources.encodings import find_text
from sudare.sources.text import csv_line, csv_rows
from sudare.tables.hierarchies.levels_file import read_levels
from sudare.tables.hierarchies.model import read_hierarchy
from sudare.tables.sets.costs import read_costs


def found(folder: Path, text: str, encoding: str) -> str | None:
    """Return the encoding that is found, None where the owner is asked."""
    path = folder / "text.csv"
    path.write_bytes(text.encode(encoding))
    try:
        return find_text(path).encoding
    except sudare.SourceNotReadable as asked:
        assert "Hint: " in str(asked)
        return None


@pytest.mark.parametrize(
    "text",
    [
        "a,お茶\n", "a,茶\n", "氏名\nﾀﾅｶ ﾀﾛｳ\nﾔﾏﾀﾞ\nｽｽﾞｷ ｲﾁﾛｰ\nﾏﾘﾅ\n", "sex\n男\n女\n", "Tシャツ,1\n",
        "髙橋,1\n", "齋藤,1\n", "①,㈱東京\n",
    ],
)  # fmt: skip
def test_short_japanese_is_found_without_asking(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text, "cp932") == "cp932"


@pytest.mark.parametrize(("text", "encoding"), [("お茶とパン\n", "euc_jp"), ("お茶\n", "iso2022_jp")])
def test_other_encodings_of_japanese_are_found(tmp_path: Path, text: str, encoding: str) -> None:
    assert found(tmp_path, text, encoding) == encoding


@pytest.mark.parametrize(
    "text",
    [
        "name,city\na,Málaga\n", "José|Málaga\n", "Straße,Größe\n", "don’t,“Hello”\n", "’t Hart\n", "••••\n", "––\n",
        "ÉCOLE\nÀ\n", "él,ñandú\n", "10 €\n", "äpple är öl\n", "«Été»\n", "19”|x\n",
    ],
)  # fmt: skip
def test_western_text_is_asked_for(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text, "cp1252") is None


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("商品\n", "euc_jp"), ("москва\n", "koi8-r"), ("서울\n", "euc_kr"), ("name\nﾀﾅｶ ﾀﾛｳ\nﾔﾏﾀﾞ\n", "cp932"),
        ("name\nІВАНЕНКО\nЛІДІЯ\nМАРІЯ\n", "cp1251"), ("name\nЛЮДМИЛА\nЛЮБОВЬ\n", "cp1251"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_asked_for(tmp_path: Path, text: str, encoding: str) -> None:
    assert found(tmp_path, text, encoding) is None


ACCENTED = "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšž"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = st.lists(
    st.tuples(
        st.text(LETTERS, min_size=1, max_size=5), st.sampled_from(ACCENTED), st.text(LETTERS + ACCENTED, max_size=5)
    ).map("".join).flatmap(lambda word: st.sampled_from([word, word.capitalize(), word.upper()])),
    min_size=1, max_size=8,
)  # fmt: skip


@given(WORDS, st.sampled_from(",|;\t "), st.sampled_from(["latin-1", "cp1252"]))
def test_western_words_are_never_read_as_japanese(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], delimiter: str, encoding: str
) -> None:
    text = delimiter.join(words).encode(encoding, "ignore").decode(encoding) + "\n"
    assert found(tmp_path_factory.getbasetemp(), text, encoding) in (None, "utf-8")


ALPHABETS = {
    "cp1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїє", "koi8-r": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "cp1253": "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώ",
}  # fmt: skip


@given(st.data(), st.sampled_from(sorted(ALPHABETS)), st.sampled_from([str.upper, str.lower, str.title]))
def test_words_of_other_alphabets_are_never_read_as_japanese(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, encoding: str, case: Callable[[str], str]
) -> None:
    words = data.draw(st.lists(st.text(ALPHABETS[encoding], min_size=1, max_size=9), min_size=1, max_size=9))
    text = case("\n".join(["name", *words])) + "\n"
    assert found(tmp_path_factory.getbasetemp(), text, encoding) != "cp932"


KANA = [chr(code) for code in range(0x3042, 0x3094)] + [chr(code) for code in range(0x30A2, 0x30F4)]
COMMON = list("山田中村木林佐藤鈴高橋伊渡辺小加東京大阪日本人年月会社商品食料理茶牛乳肉野菜魚果物水酒")


JAPANESE = st.text(st.sampled_from(KANA + COMMON), min_size=2, max_size=8).filter(lambda word: len(set(word)) > 1)


@given(st.lists(JAPANESE, min_size=1, max_size=10))
def test_japanese_words_are_found(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    assert found(tmp_path_factory.getbasetemp(), "id,name\n1," + "\n2,".join(words) + "\n", "cp932") == "cp932"


def test_the_question_shows_what_each_encoding_makes_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("name,city\na,Málaga\nb,Nara\n".encode("latin-1"))
    with pytest.raises(sudare.SourceNotReadable) as asked:
        sudare.read_table(tmp_path / "t.csv")
    assert "cp1252, cp1250, cp1254: Málaga" in str(asked.value)
    assert "cp932: M疝aga" in str(asked.value)
    assert "Choose one of these with encoding if it reads right" in str(asked.value)
    with sudare.read_table(tmp_path / "t.csv", encoding="cp1252") as table:
        assert table.values[1] == ("Málaga", "Nara")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Málaga\nSão Paulo\n", "cp850"), ("москва\nпитер\n", "cp1251"), ("Ελλάδα\nΑθήνα\n", "cp1253"),
        ("商品,東京\n", "big5"), ("École\nà la carte\n", "cp1252"),
    ],
)  # fmt: skip
def test_what_reads_best_is_shown_first(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "t.csv").write_bytes(f"name\n{text}".encode(encoding))
    with pytest.raises(sudare.SourceNotReadable) as asked:
        find_text(tmp_path / "t.csv")
    first = str(asked.value).splitlines()[1]
    assert encoding in first
    # The cell alone, without the header above it.
    assert first.endswith(": " + re.split("[,\n]", text)[0])


@pytest.mark.parametrize("encoding", ["rot13", "hex", "base64", "zlib", "undefined", "nothing"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.csv").write_text("name,city\na,b\n")
    with pytest.raises(sudare.OptionNotUsable, match="Unknown encoding"):
        find_text(tmp_path / "t.csv", encoding=encoding)


@pytest.mark.parametrize("encoding", sorted({*encodings.aliases.aliases.values(), "punycode", "idna"}))
def test_every_encoding_of_python_reads_a_file_or_is_refused(
    engine: DuckDBEngine, tmp_path: Path, encoding: str
) -> None:
    (tmp_path / "t.csv").write_bytes(b"name,city\na,\xe1\xb2\n")
    with suppress(sudare.InputError):
        sudare.read_table(tmp_path / "t.csv", encoding=encoding, engine=engine).close()


def test_hierarchies_costs_and_levels_are_found_alike(tmp_path: Path) -> None:
    path = tmp_path / "text.csv"
    path.write_bytes("奈良市,奈良県\n大阪市,大阪府\n".encode("cp932"))
    assert read_hierarchy(path, "town").steps[1]["奈良市"] == "奈良県"
    path.write_bytes("年齢,2\n性別,1\n".encode("cp932"))
    assert read_levels(path) == {"年齢": 2, "性別": 1}
    assert dict(read_costs(path).attributes) == {"年齢": "2", "性別": "1"}
    path.write_bytes("âge,2\n".encode("latin-1"))
    for read in (read_levels, read_costs, lambda file: read_hierarchy(file, "age")):
        with pytest.raises(sudare.SourceNotReadable, match="its encoding is not clear") as asked:
            read(path)
        assert "--encoding" not in str(asked.value)


@given(st.text('ab ",\n', max_size=20), st.booleans())
def test_rows_are_those_of_the_csv_module(text: str, skip_spaces: bool) -> None:
    lines = text.splitlines(keepends=True)
    reader = csv.reader(lines, skipinitialspace=skip_spaces)
    assert list(csv_rows(lines, ",", skip_spaces=skip_spaces)) == [(reader.line_num, row) for row in reader]


@given(st.lists(st.lists(st.text('ab ",;\r\n'), min_size=2, max_size=3), max_size=4))
def test_rows_that_are_written_are_read_as_they_were(rows: list[list[str]]) -> None:
    text = "".join(map(csv_line, rows))
    assert [cells for _, cells in csv_rows(io.StringIO(text, newline=""), ",")] == rows
    assert list(csv.reader(io.StringIO(text, newline=""))) == rows


@pytest.mark.parametrize("line", [1, 60])
def test_a_cell_above_128_kib_is_read(tmp_path: Path, line: int) -> None:
    rows = [f"a{number},x" for number in range(70)]
    rows[line] = f'a{line},"{"y, " * 50_000}"'
    (tmp_path / "t.csv").write_text("name,text\n" + "\n".join(rows) + "\n")
    limit = csv.field_size_limit()
    with sudare.read_table(tmp_path / "t.csv", attributes=["name"]) as table:
        assert table.records == 70
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("line", [1, 60])
def test_a_line_above_two_megabytes_is_refused_by_its_place(tmp_path: Path, line: int) -> None:
    rows = [f"a{number},x" for number in range(70)]
    rows[line] = f"a{line}," + "y" * 2_100_000
    (tmp_path / "t.csv").write_text("name,text\n" + "\n".join(rows) + "\n")
    with pytest.raises(sudare.InputError, match=rf"(row|Line) {line + 2}\b"):
        sudare.read_table(tmp_path / "t.csv")
