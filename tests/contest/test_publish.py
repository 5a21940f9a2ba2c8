"""What is published of an anonymized history, and the true customers behind pseudonyms."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sudare.contest.publish import publish_anonymized
from sudare.errors import BadRows, OutputNotWritable, SourceNotReadable
from sudare.histories.attack.truth import true_customers
from tests.histories.generalized.small_cells import cells

CELLS = ["*", "{a;b}", "a", "b", "商品", "ａ", "😀", "A", "é"]


def test_deleted_rows_are_left_out_and_lines_are_sorted_by_code_point(tmp_path: Path) -> None:
    rows = ["12,*,商,1,1", "9,*,a,1,1", "*,*,*,*,*", "12,*,A,1,1", "12,2010/12/01,{b;a},1.50,1", "12,*,😀,1,1"]
    (tmp_path / "A.csv").write_text("\r\n".join(rows), encoding="utf-8", newline="")
    assert publish_anonymized(tmp_path / "A.csv", tmp_path / "P.csv") == 5
    assert (tmp_path / "P.csv").read_bytes().decode() == (
        "12,*,A,1,1\n12,*,商,1,1\n12,*,😀,1,1\n12,2010/12/01,{b;a},1.50,1\n9,*,a,1,1\n"
    )


@pytest.mark.parametrize(
    "broken",
    [b"1,*,b,*,*\n1,*,a,*,*\n", b"1,*,a,*,*\n", b"1,*,a,*,*\n1,*,c,*,*\n", b"1,*,a,*,*\n1,*,b,*,*", b""],
)
def test_what_was_written_is_read_again(broken: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "A.csv").write_text("1,*,b,*,*\n*,*,*,*,*\n1,*,a,*,*\n")
    write = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", lambda path, _: write(path, broken))
    with pytest.raises(OutputNotWritable, match="would not hold the rows"):
        publish_anonymized(tmp_path / "A.csv", tmp_path / "P.csv")
    assert not (tmp_path / "P.csv").exists()


@pytest.mark.parametrize("text", ["", "*,*,*,*,*\n" * 3])
def test_nothing_to_publish_is_an_empty_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "A.csv").write_text(text)
    assert publish_anonymized(tmp_path / "A.csv", tmp_path / "P.csv") == 0
    assert (tmp_path / "P.csv").read_bytes() == b""


@given(st.lists(st.tuples(st.integers(1, 300), st.sampled_from(CELLS), st.integers(1, 12)), max_size=120))
def test_lines_are_sorted_as_texts_are(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("publish")
    lines = [f"{pid},*,{item},*,{number}" for pid, item, number in rows]
    (folder / "A.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    publish_anonymized(folder / "A.csv", folder / "P.csv")
    assert (folder / "P.csv").read_text(encoding="utf-8").split("\n")[:-1] == sorted(lines)


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"").rstrip(b"\r")), max_size=80))
def test_unchecked_lines_of_any_bytes_are_sorted(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("publish")
    (folder / "A.csv").write_bytes(b"".join(b"1" + line + b"\n" for line in lines))
    assert publish_anonymized(folder / "A.csv", folder / "P.csv", unchecked=True) == len(lines)
    assert (folder / "P.csv").read_bytes().split(b"\n")[:-1] == sorted(b"1" + line for line in lines)


@pytest.mark.parametrize("text", ["1,*,*,*\n", "x,*,*,*,*\n", "1,*,{a;a},*,*\n", "1,*,*,[2;1],*\n", "1,*,*,*,*\r"])
def test_a_history_that_is_not_well_formed_is_refused_unless_told_otherwise(text: str, tmp_path: Path) -> None:
    (tmp_path / "A.csv").write_bytes(text.encode())
    with pytest.raises(BadRows, match="is not an anonymized history"):
        publish_anonymized(tmp_path / "A.csv", tmp_path / "P.csv")
    assert not (tmp_path / "P.csv").exists()
    assert publish_anonymized(tmp_path / "A.csv", tmp_path / "P.csv", unchecked=True) == 1
    assert (tmp_path / "P.csv").read_bytes() == text.rstrip("\n").encode() + b"\n"


def test_files_that_cannot_be_read_or_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotReadable, match="There is no file"):
        publish_anonymized(tmp_path / "A.csv", tmp_path / "P.csv")
    (tmp_path / "A.csv").write_text("1,*,*,*,*\n")
    with pytest.raises(OutputNotWritable, match="does not exist"):
        publish_anonymized(tmp_path / "A.csv", tmp_path / "none" / "P.csv")


def test_true_customers_are_those_of_the_rows_that_remain() -> None:
    truth = cells([[who, "2010/12/1", "a", "1", "1"] for who in ("12", "7", "12", "30")])
    anonymized = cells([["5", *"****"], ["2", *"****"], ["5", *"****"], ["*", *"****"]], names=["a"])
    pids, customers = true_customers(truth, anonymized)
    assert (pids.tolist(), customers.tolist()) == ([2, 5], [7, 12])
