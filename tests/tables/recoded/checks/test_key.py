"""Secret keys are read again: an entry for each record, and the values of the right record behind each line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sudare
from sudare.tables.model import Table
from sudare.tables.recoded.checks.key import wrong_entries
from sudare.tables.recoded.write import published_lines, write_key
from tests.tables.recoded.members import members, recoded_members
from tests.tables.recoded.partitioned import partitioned, roles_of

Rows = list[str]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with members(tmp_path_factory.mktemp("members")) as found:
        yield found


def _swapped(rows: Rows) -> Rows:
    """Exchange the lines of the first two records."""
    (one, first), (other, second) = (row.split(",") for row in rows[1:3])
    return [rows[0], f"{one},{second}", f"{other},{first}", *rows[3:]]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda rows: rows, 0),
        (_swapped, 2),
        (lambda rows: rows[:-1], 2),
        (lambda rows: [*rows, rows[-1]], 2),
        (lambda rows: [*rows[:-1], f"{rows[-1]}0000"], 2),
        (lambda rows: [*rows[:-1], rows[-1].partition(",")[0] + ","], 1),
    ],
)
def test_wrong_entries_are_counted(table: Table, tmp_path: Path, change: Callable[[Rows], Rows], wrong: int) -> None:
    found, path = recoded_members(table, suppressed="Cid"), tmp_path / "key.csv"
    write_key(found, path, seed=1)
    path.write_text("".join(f"{row}\n" for row in change(path.read_text().splitlines())))
    assert wrong_entries(path, table, found.rows[published_lines(found, 1)]) == wrong


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_weights_are_counted(tmp_path: Path, ending: str) -> None:
    (tmp_path / "weights.csv").write_text("a,n\nx,2\ny,3\nx,1\n")
    with sudare.read_table(tmp_path / "weights.csv", weight="n") as table:
        found = partitioned(table, roles_of(table), [0, 0, 0, 1, 1, -1])
        write_key(found, tmp_path / f"key{ending}", seed=1)
        assert wrong_entries(tmp_path / f"key{ending}", table, found.rows[published_lines(found, 1)]) == 0
