"""What is written of a recoded table, and in which order."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sudare
from sudare.errors import OutputNotWritable
from sudare.tables.recoded.model import record_rows
from sudare.tables.recoded.write import write_key, write_recoded
from tests.tables.recoded.members import LINES, members, recoded_members
from tests.tables.recoded.partitioned import partitioned, roles_of

PUBLISHED = [
    ["20-29", "Ueno", "cold", "2"],
    ["20-29", "Ueno", "flu", "1"],
    ["30-39", "*", "cold", "4"],
    ["30-39", "*", "flu", "3"],
    ["50-59", "Kanda", "asthma", "6"],
    ["50-59", "Kanda", "flu", "5"],
    ["60-69", "*", "cold", "7"],
    ["60-69", "*", "flu", "8"],
]


def rows_of(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def test_cells_and_original_values_of_published_columns_are_written(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        assert write_recoded(recoded_members(table), tmp_path / "safe.csv", seed=1) == 8
    header, *rows = rows_of(tmp_path / "safe.csv")
    assert header == ["age", "town", "disease", "visits"]
    assert sorted(rows) == PUBLISHED
    assert rows != PUBLISHED


def test_suppressed_records_are_not_written(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        assert write_recoded(recoded_members(table, suppressed="Fay"), tmp_path / "safe.csv", seed=1) == 6
    assert sorted(rows_of(tmp_path / "safe.csv")[1:]) == PUBLISHED[:4] + PUBLISHED[6:]


def test_a_missing_value_is_an_empty_cell(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        found = partitioned(table, roles_of(table), [0, 1, 2, 3, 4, 5, 6, 7])
        write_recoded(found, tmp_path / "same.csv", seed=1)
    assert ["Gil", "61", "", "cold", "7"] in rows_of(tmp_path / "same.csv")


def test_parquet_holds_the_same_lines(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        found = recoded_members(table)
        write_recoded(found, tmp_path / "safe.csv", seed=1)
        write_recoded(found, tmp_path / "safe.parquet", seed=1)
    with sudare.read_table(tmp_path / "safe.csv") as text, sudare.read_table(tmp_path / "safe.parquet") as binary:
        assert text.values == binary.values
        assert np.array_equal(text.codes, binary.codes)


def test_one_seed_gives_one_order_and_another_seed_another(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            write_recoded(recoded_members(table), tmp_path / f"{name}.csv", seed=seed)
    texts = [(tmp_path / f"{name}.csv").read_text() for name in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_the_order_of_the_source_leaves_no_trace(tmp_path: Path) -> None:
    header, *lines = LINES.splitlines()
    for name, order in (("a", lines), ("b", lines[::-1])):
        with members(tmp_path, lines="\n".join([header, *order]) + "\n") as table:
            write_recoded(recoded_members(table), tmp_path / f"{name}.csv", seed=1)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_the_order_of_hidden_values_leaves_no_trace(tmp_path: Path) -> None:
    # Whoever knows the seed can undo the shuffle; behind it must not lie the order of exact ages.
    texts = []
    for ages in (range(20, 40), range(39, 19, -1)):
        lines = [f"{age},disease {number}" for number, age in enumerate(ages)]
        (tmp_path / "ages.csv").write_text("\n".join(["age,disease", *lines]) + "\n")
        with sudare.read_table(tmp_path / "ages.csv") as table:
            write_recoded(
                partitioned(table, roles_of(table, disease="sensitive"), [0] * 20), tmp_path / "s.csv", seed=1
            )
        texts.append((tmp_path / "s.csv").read_text())
    assert texts[0] == texts[1]


def test_the_key_says_which_record_each_line_stands_for(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        found = recoded_members(table, suppressed="Cid")
        write_recoded(found, tmp_path / "safe.csv", seed=5)
        assert write_key(found, tmp_path / "key.csv", seed=5) == 8
    header, *key = rows_of(tmp_path / "key.csv")
    published, source = rows_of(tmp_path / "safe.csv"), rows_of(tmp_path / "members.csv")
    assert header == ["record", "line"]
    assert [int(record) for record, _ in key] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert [record for record, line in key if not line] == ["3", "4"]
    for record, line in key:
        if line:
            # Disease and number of visits are published as they are.
            assert published[int(line)][2:] == source[int(record)][3:]


def test_only_the_owner_may_read_the_key(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        write_key(recoded_members(table), tmp_path / "key.csv", seed=5)
    assert (tmp_path / "key.csv").stat().st_mode & 0o777 == 0o600


def test_equal_records_are_dealt_out_by_the_seed(tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text("a,b\n" + "x,1\n" * 20)
    keys = []
    with sudare.read_table(tmp_path / "same.csv") as table:
        found = partitioned(table, roles_of(table), [0] * 10 + [-1] * 10)
        for seed in (1, 1, 2):
            write_key(found, tmp_path / "key.csv", seed=seed)
            keys.append(rows_of(tmp_path / "key.csv")[1:])
    assert keys[0] == keys[1] != keys[2]
    assert sorted(int(line) for _, line in keys[0] if line) == list(range(1, 11))


def test_a_row_with_a_weight_has_a_line_for_each_record(tmp_path: Path) -> None:
    (tmp_path / "weights.csv").write_text("a,n\nx,2\ny,3\nx,1\n")
    with sudare.read_table(tmp_path / "weights.csv", weight="n") as table:
        found = partitioned(table, roles_of(table), [0, 0, 0, 1, 1, -1])
        assert write_recoded(found, tmp_path / "safe.csv", seed=1) == 5
        write_key(found, tmp_path / "key.csv", seed=1)
    published, key = rows_of(tmp_path / "safe.csv"), rows_of(tmp_path / "key.csv")[1:]
    assert sorted(published[1:]) == [["x"], ["x"], ["x"], ["y"], ["y"]]
    assert [record for record, _ in key] == ["1", "1", "2", "2", "2", "3"]
    assert {published[int(line)][0] for record, line in key if line and record != "2"} == {"x"}


def test_records_of_persons_are_told_apart_in_the_key(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("who,a\nz,1\ny,1\nz,2\nx,1\ny,2\n")
    with sudare.read_table(tmp_path / "people.csv", person="who") as table:
        rows = record_rows(table)
        # Only the records of the first person, x, and the second, y, are published.
        assert table.persons is not None
        owner = [0 if table.persons[row] < 2 else -1 for row in rows]
        write_key(partitioned(table, roles_of(table), owner), tmp_path / "key.csv", seed=1)
    assert [record for record, line in rows_of(tmp_path / "key.csv")[1:] if line] == ["2", "4", "5"]


def test_the_source_is_never_replaced(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        with pytest.raises(OutputNotWritable):
            write_recoded(recoded_members(table), tmp_path / "members.csv", seed=1)
        with pytest.raises(OutputNotWritable):
            write_key(recoded_members(table), tmp_path / "members.csv", seed=1)
    assert (tmp_path / "members.csv").read_text() == LINES


def test_a_key_of_other_rows_is_refused(tmp_path: Path) -> None:
    with members(tmp_path) as table:
        found = recoded_members(replace(table, counts=table.counts + 1))
        with pytest.raises(RuntimeError, match="not those of the table"):
            write_key(found, tmp_path / "key.csv", seed=1)
