"""Originals, published histories and those of other rules: read, refused, written in their canonical form."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.errors import BadRows, OptionNotUsable, SourceNotReadable
from sudare.histories.generalized import blocks as cell_blocks
from sudare.histories.generalized.model import CellHistory, ItemColumn
from sudare.histories.generalized.rule_sets import RuleSet, load_rules
from sudare.histories.generalized.text import (
    check_alone,
    format_rows,
    read_anonymized,
    read_original,
    read_published,
    write_cells,
)
from tests.histories.generalized.small_cells import assert_same, cells

T = [
    ["12", "2010/12/1", "a", "3.75", "24"],
    ["12", "2010/12/8", "b", "5.2", "3"],
    ["12", "2010/12/8", "商品", "1", "1"],
    ["7", "2011/1/31", "a", "0.85", "999999"],
]
ITEMS = ["a", "b", "商品"]
IDENTITY = "".join(",".join(row) + "\n" for row in T)


def original() -> CellHistory:
    return cells(T)


def item_names(history: CellHistory) -> tuple[str, ...]:
    column = history.column("item")
    assert isinstance(column, ItemColumn)
    return column.names


def joined(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


def test_items_and_sets_grow_over_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_blocks, "BLOCK_BYTES", 100)
    rows = [[str(n + 1), "2010/12/1", f"item{n:04}", "1", "1"] for n in range(500)]
    (tmp_path / "T.csv").write_text(joined(rows))
    truth = read_original(tmp_path / "T.csv")
    assert_same(truth, cells(rows))
    wide = [
        [*row[:2], f"{{item{n:04};item{(n * 7) % 499 + (n == (n * 7) % 499):04}}}", *row[3:]]
        for n, row in enumerate(rows)
    ]
    (tmp_path / "A.csv").write_text(joined(wide))
    found = read_anonymized(tmp_path / "A.csv", truth)
    assert found.complaints.total == 0
    assert_same(found.history, cells(wide, names=item_names(truth)))


BAD_ORIGINALS = [
    ("1,2010/12/1,a,1,1\n1,2010/12/1,a,[1;2],1\n", "row 2, cell 4: '[1;2]' is not a single value"),
    ("1,2010/12/1,{a},1,1\n", "row 1, cell 3: '{a}' is not a single value"),
    ("*,*,*,*,*\n", "row 1, cell 1: the pseudonym is *"),
    ("1,2010/12/1,,1,1\n", "row 1, cell 3: the value is empty"),
    ("1,2010/12/1,a;b,1,1\n", "row 1, cell 3: 'a;b' cannot be an item"),
    ("1,2010/12/1,a}b,1,1\n", "row 1, cell 3: 'a}b' cannot be an item"),
    ("customer,date,item,price,quantity\n", "4 errors"),
    ("1,2010/12/1,a,1\n", "row 1, cell 5: expected 5 cells, found 4"),
    ("\n", "row 1, cell 2: the line is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), BAD_ORIGINALS)
def test_a_malformed_original_is_refused_with_its_places(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text(text)
    with pytest.raises(BadRows) as caught:
        read_original(tmp_path / "T.csv")
    assert words in str(caught.value)
    assert "Hint:" in str(caught.value)


def test_a_malformed_original_shows_ten_places_and_the_total(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text("x,x,x,x,x\n" * 50)
    with pytest.raises(BadRows, match=r"200 errors(.|\n)*and 190 more"):
        read_original(tmp_path / "T.csv")


# Blanks, marks that other cells have, controls, the same letters in two forms of Unicode, and bytes that are no UTF-8.
ODD_ITEMS = [b" a", b"a ", b'"a"', b"[a]", b"\t", b"\0", b"\x1b", b"**", "aé商😀".encode(), b"e\xcc\x81", b"\xc3\xa9"]
ODD_ITEMS += [b"\xff", b"\x83A", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe3\x81"]


def test_items_are_compared_as_bytes(tmp_path: Path) -> None:
    lines = [b"1,2010/12/1,%s,1,1\n" % item for item in ODD_ITEMS]
    (tmp_path / "T.csv").write_bytes(b"".join(lines))
    truth = read_original(tmp_path / "T.csv")
    assert len(item_names(truth)) == len(ODD_ITEMS)
    write_cells(truth, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == b"".join(lines)
    every = b"{%s}" % b";".join(ODD_ITEMS)
    for written, complaints in ((ODD_ITEMS, 0), ([every] * len(ODD_ITEMS), 0), (ODD_ITEMS[::-1], len(ODD_ITEMS) - 1)):
        (tmp_path / "A.csv").write_bytes(b"".join(b"7,2010/12/1,%s,1,1\n" % item for item in written))
        found = read_anonymized(tmp_path / "A.csv", truth)
        assert found.complaints.totals == ({"must-cover": complaints} if complaints else {})
    assert found.complaints.errors[0].message.endswith("T has  a")
    assert found.complaints.errors[-6].message.endswith(r"T has \xff")


def test_what_looks_like_an_item_of_t_in_other_bytes_is_none(tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_text("1,2010/12/1,\u00e9,1,1\n", encoding="utf-8")
    truth = read_original(tmp_path / "T.csv")
    for other in (b"e\xcc\x81", b"\xe9", b"\xc3\xa9 "):
        (tmp_path / "A.csv").write_bytes(b"7,2010/12/1," + other + b",1,1\n")
        assert read_anonymized(tmp_path / "A.csv", truth).complaints.totals == {"invalid": 1}


def test_the_limit_of_characters_is_one_of_anonymized_histories(tmp_path: Path) -> None:
    item = "x" * 8_000
    (tmp_path / "T.csv").write_text(f"1,2010/12/1,{item},1,1\n")
    truth = read_original(tmp_path / "T.csv")
    (tmp_path / "A.csv").write_text("7,2010/12/1,*,1,1\n")
    assert read_anonymized(tmp_path / "A.csv", truth).complaints.total == 0
    assert read_anonymized(tmp_path / "T.csv", truth).complaints.totals == {"length": 1}


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x1f\x8b\x08", b"PAR1", b"\xff\xfe1\0", b"%PDF-1.5"])
def test_other_kinds_of_files_are_named(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "T.csv").write_bytes(start + bytes(100))
    with pytest.raises(SourceNotReadable, match="not a text file in UTF-8"):
        read_original(tmp_path / "T.csv")


def test_missing_files_folders_and_empty_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match="There is no file"):
        read_original(tmp_path / "none.csv")
    with pytest.raises(SourceNotReadable, match="Cannot read"):
        read_original(tmp_path)
    (tmp_path / "T.csv").write_text("")
    with pytest.raises(SourceNotReadable, match="empty"):
        read_original(tmp_path / "T.csv")


def test_a_published_history_has_rows_in_any_order_and_none_deleted(tmp_path: Path) -> None:
    path = tmp_path / "P.csv"
    path.write_text("8,*,{b;a},*,[1;2]\n9,2011/5/1,b,99,5\n", encoding="utf-8")
    wanted = cells([["8", "*", "{b;a}", "*", "[1;2]"], ["9", "2011/5/1", "b", "99", "5"]], names=ITEMS)
    assert_same(read_published(path, original()), wanted)
    path.write_text("8,*,{b;a},*,[1;2]\n*,*,*,*,*\n")
    with pytest.raises(BadRows, match="row 2, cell 1: the row is deleted"):
        read_published(path, original())
    path.write_text("8,*,*,*,*\n" * 5)
    with pytest.raises(BadRows, match="found 5 rows, more than the 4 of T"):
        read_published(path, original())
    path.write_text("8,*,z,*,*\n")
    with pytest.raises(BadRows, match="'z' is not an item of T"):
        read_published(path, original())
    path.write_text("")
    assert len(read_published(path, original())) == 0


def test_without_the_original_the_form_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "A.csv"
    path.write_text("8,*,{y;z},[1;2],9\n*,*,*,*,*\n")
    check_alone(path)
    for bad in ("8,*,{y;y},*,*", "8,*,{y;},*,*", "8,*,y}z,*,*", "8,*,*,[2;1],*", "*,*,y,*,*", "8,*,*,*", "8,*,*,*,*\r"):
        path.write_bytes(bad.encode())
        with pytest.raises(BadRows):
            check_alone(path)


def test_written_cells_are_canonical(tmp_path: Path) -> None:
    text = "12,2010/12/01,{a},3.70,24\n12,[2010/12/08;2011/01/01],b,[5.00;5.2],*\n*,*,*,*,*\n7,*,*,*,*\n"
    truth = cells([["12", "2010/12/1", "a", "3.7", "24"], *T[1:]])
    (tmp_path / "A.csv").write_text(text)
    found = read_anonymized(tmp_path / "A.csv", truth)
    assert found.complaints.total == 0
    write_cells(found.history, tmp_path / "B.csv")
    assert (tmp_path / "B.csv").read_text() == (
        "12,2010/12/1,{a},3.7,24\n12,[2010/12/8;2011/1/1],b,[5;5.2],*\n*,*,*,*,*\n7,*,*,*,*\n"
    )


@given(st.dates(), st.integers(-(10**12), 10**12))
def test_every_day_and_number_is_written_and_read_again(
    tmp_path_factory: pytest.TempPathFactory, day: date, number: int
) -> None:
    folder = tmp_path_factory.mktemp("cells")
    rules = wide_rules(folder)
    text = f"{day.year:04}-{day.month}-{day.day},{number},1,{_hundredths(number)}\n"
    (folder / "T.csv").write_text(text)
    assert b"".join(format_rows(read_original(folder / "T.csv", rules), rules)) == text.encode()


def _hundredths(number: int) -> str:
    whole, part = divmod(abs(number), 100)
    return f"{'-' if number < 0 else ''}{whole}" + f".{part:02}".rstrip("0").rstrip(".")


def wide_rules(folder: Path) -> RuleSet:
    path = folder / "wide.toml"
    path.write_text(
        'name = "wide"\nmost_items = 3\nmost_characters = 100\np = 0.5\nalpha = 0.05\nattacks = 2\n'
        '[[columns]]\nname = "day"\nform = "date"\nlow = 0001-01-01\nhigh = 9999-12-31\nseparator = "-"\n'
        '[[columns]]\nname = "balance"\nform = "integer"\nlow = -1000000000000\nhigh = 1000000000000\n'
        '[[columns]]\nname = "who"\nform = "person"\ndigits = 3\n'
        '[[columns]]\nname = "fee"\nform = "decimal"\nlow = -10000000000\nhigh = 10000000000.00\n'
    )
    return load_rules(path)


OTHER_RULES = """\
name = "library"
most_items = 2
most_characters = 60
p = "1/2"
alpha = 0.05
attacks = 3
[[columns]]
name = "book"
form = "item"
[[columns]]
name = "reader"
form = "person"
digits = 2
[[columns]]
name = "branch"
form = "item"
[[columns]]
name = "lent"
form = "date"
low = "2020-02-01"
high = "2020-03-31"
separator = "-"
"""


def test_other_rules_with_other_columns_dates_and_limits(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(OTHER_RULES)
    rules = load_rules(tmp_path / "rules.toml")
    (tmp_path / "T.csv").write_text("b,1,north,2020-2-29\na,1,south,2020-3-1\nnorth,2,b,2020-3-2\n")
    truth = read_original(tmp_path / "T.csv", rules)
    assert [column.name for column in truth.columns] == ["book", "branch", "lent"]
    good = "{a;b},99,{south;north},[2020-2-1;2020-3-31]\n{a},99,*,2020-03-01\nnorth,1,{north;b},*\n"
    (tmp_path / "A.csv").write_text(good)
    found = read_anonymized(tmp_path / "A.csv", truth, rules)
    assert found.complaints.total == 0
    assert b"".join(format_rows(found.history, rules)).decode() == good.replace("-03-01", "-3-1")
    bad = "{a;b;north},100,{a;north},[2020-1-31;2020-3-31]\n{a;south},99,south,2020/3/1\n"
    (tmp_path / "A.csv").write_text(bad + "*,*,*,*\n")
    found = [(error.row, error.cell) for error in read_anonymized(tmp_path / "A.csv", truth, rules).complaints.errors]
    assert found == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 4)]


def test_a_history_of_other_rules_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(OTHER_RULES)
    with pytest.raises(OptionNotUsable, match="the rules library have book"):
        write_cells(original(), tmp_path / "A.csv", load_rules(tmp_path / "rules.toml"))
    assert not (tmp_path / "A.csv").exists()


MEASURED = """
import sys
from pathlib import Path
from sudare.histories.generalized.text import read_anonymized, read_original
truth = read_original(sys.argv[1])
read_anonymized(sys.argv[1], truth)
peak = lambda: int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
before = peak()
found = read_anonymized(sys.argv[2], truth).complaints
print(peak() - before, [(e.row, e.kind) for e in found.errors])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize("filler", [b"9", b"\0", b"\n"])
def test_memory_stays_bounded_whatever_the_lines_are(filler: bytes, tmp_path: Path) -> None:
    """A gigabyte of one line is found in the memory of a few blocks; the file is sparse where it can be."""
    (tmp_path / "T.csv").write_text(IDENTITY, encoding="utf-8")
    with (tmp_path / "A.csv").open("wb") as file:
        if filler == b"\0":
            file.truncate(1 << 30)
        else:
            for _ in range(100):
                file.write(filler * (1 << 20))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path / "T.csv"), str(tmp_path / "A.csv")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    kilobytes, found = done.stdout.split(" ", 1)
    assert int(kilobytes) < 300_000
    assert ("length" in found) == (filler != b"\n")


def test_the_contest_history_is_read_and_written_as_it_is(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    path = real_data("pwscup2018-T.csv")
    truth = read_original(path)
    assert (len(truth), len(np.unique(truth.persons)), len(item_names(truth))) == (81776, 1000, 3254)
    assert read_anonymized(path, truth).complaints.total == 0
    assert b"".join(format_rows(truth)) == path.read_bytes().replace(b"\r\n", b"\n")
