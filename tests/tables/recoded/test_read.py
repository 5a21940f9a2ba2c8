"""Published tables that are read again with their key are what was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import BadRows, ColumnNotFound, InputError, OptionNotUsable, SourceNotReadable
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.recoded.read import read_recoded

HEADER = "sex,age,town,disease\n"
PEOPLE = "m,21,x,flu\nm,21,x,cold\nm,25,y,flu\nf,34,y,none\nf,38,,flu\nf,38,x,none\n"
# Node, range, set, everything, and a missing value that stays.
PUBLISHED = 'f,30-39,"{x, y}",none\nm,"[21, 25]",*,flu\nm,"[21, 25]",*,cold\nf,38,,flu\nm,"[21, 25]",*,flu\n'
KEY = "record,line\n1,5\n2,3\n3,2\n4,1\n5,4\n6,\n"


@pytest.fixture
def table(tmp_path: Path, engine: DuckDBEngine) -> Iterator[sudare.Table]:
    (tmp_path / "people.csv").write_text(HEADER + PEOPLE, encoding="utf-8")
    with sudare.read_table(tmp_path / "people.csv", engine=engine) as found:
        yield found


def read(folder: Path, table: sudare.Table, published: str = PUBLISHED, key: str = KEY, **how: Any) -> RecodedTable:
    (folder / "published.csv").write_text(HEADER + published, encoding="utf-8")
    (folder / "key.csv").write_text(key, encoding="utf-8")
    how = {"sensitive": ["disease"], **how}
    return read_recoded(folder / "published.csv", table, key=folder / "key.csv", **how)


def records_of(found: RecodedTable) -> Counter[Any]:
    """Return for each record its values, and the values that each of its cells covers; None if it is suppressed."""

    def one(row: int, owner: int) -> Any:
        values = tuple(values[code] for values, code in zip(found.table.values, found.table.codes[:, row], strict=True))
        if owner < 0:
            return values, None
        cells = [column.covered(int(cell)) for column, cell in zip(found.columns, found.cells[:, owner], strict=True)]
        shown = zip(found.columns, cells, strict=True)
        return values, tuple(frozenset(column.values[code] for code in codes) for column, codes in shown)

    return Counter(one(int(row), int(owner)) for row, owner in zip(found.rows, found.owner, strict=True))


def test_cells_are_nodes_ranges_sets_and_values(tmp_path: Path, table: sudare.Table) -> None:
    found = read(tmp_path, table)
    men = frozenset({"m"}), frozenset({"21", "25"}), frozenset({"x", "y", None})
    women = frozenset({"f"}), frozenset({"34", "38"}), frozenset({"x", "y"})
    assert records_of(found) == Counter(
        {
            (("m", "21", "x", "flu"), men): 1, (("m", "21", "x", "cold"), men): 1, (("m", "25", "y", "flu"), men): 1,
            (("f", "34", "y", "none"), women): 1, (("f", "38", "x", "none"), None): 1,
            (("f", "38", None, "flu"), (frozenset({"f"}), frozenset({"38"}), frozenset({None}))): 1,
        }
    )  # fmt: skip
    assert (found.classes, sorted(found.sizes.tolist())) == (3, [1, 1, 3])
    assert [(role.attribute, role.role) for role in found.roles.columns] == [
        ("sex", "quasi"), ("age", "quasi"), ("town", "quasi"), ("disease", "sensitive"),
    ]  # fmt: skip


def test_columns_that_nobody_knows_are_kept_as_they_are(tmp_path: Path, table: sudare.Table) -> None:
    found = read(tmp_path, table, known=["age", "town"])
    assert (found.quasi, found.roles.named("kept")) == (("age", "town"), ("sex",))


@pytest.mark.parametrize(
    "how",
    [
        {"model": "levels", "suppress": 0.1}, {"model": "local"}, {"model": "local", "cells": "sets"},
        {"model": "local", "cells": "ranges"}, {"model": "suppress"},
    ],
    ids=lambda how: " ".join(map(str, how.values())),
)  # fmt: skip
def test_what_every_model_publishes_is_read_as_it_was_made(tmp_path: Path, engine: DuckDBEngine, how: Any) -> None:
    random = np.random.default_rng(2)
    towns, diseases = (["x", "y z", 'a "b", c', ""], ["flu", "cold", "none"])
    lines = [
        f'{"mf"[n % 2]},{20 + random.integers(30)},"{towns[random.integers(4)].replace(chr(34), chr(34) * 2)}",'
        f"{diseases[random.integers(3)]}\n"
        for n in range(60)
    ]
    (tmp_path / "people.csv").write_text(HEADER + "".join(lines), encoding="utf-8")
    with sudare.read_table(tmp_path / "people.csv", engine=engine) as table:
        made = table.anonymize(k=3, sensitive="disease", seconds=1, attacks=False, utility=False, seed=5, **how)
        made.publish(tmp_path / "published.csv", aligned=tmp_path / "key.csv")
        found = read_recoded(tmp_path / "published.csv", table, key=tmp_path / "key.csv", sensitive=["disease"])
        assert records_of(found) == records_of(made.recoded)
        assert found.roles.published == made.roles.published


def test_given_hierarchies_say_what_their_nodes_cover(tmp_path: Path, table: sudare.Table) -> None:
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "town.csv").write_text("x;inner;*\ny;outer;*\n", encoding="utf-8")
    published, key = "m,21,inner,flu\n", "record,line\n1,1\n2,\n3,\n4,\n5,\n6,\n"
    found = read(tmp_path, table, published, key, hierarchies=folder)
    assert next(iter(records_of(found)))[1] == (frozenset({"m"}), frozenset({"21"}), frozenset({"x"}))
    with pytest.raises(
        BadRows, match=r"(?s)published\.csv, column town: 'inner' is neither a value of .*\nHint: Give the"
    ):
        read(tmp_path, table, published, key)


def test_a_weight_has_an_entry_for_each_record(tmp_path: Path, engine: DuckDBEngine) -> None:
    (tmp_path / "people.csv").write_text("town,age,n\nx,30,2\ny,40,1\n", encoding="utf-8")
    (tmp_path / "published.csv").write_text('town,age\n*,30\n*,"[30, 40]"\n', encoding="utf-8")
    (tmp_path / "key.csv").write_text("record,line\n1,1\n1,2\n2,\n", encoding="utf-8")
    with sudare.read_table(tmp_path / "people.csv", weight="n", engine=engine) as table:
        found = read_recoded(tmp_path / "published.csv", table, key=tmp_path / "key.csv")
    assert (found.classes, sorted(found.owner.tolist())) == (2, [-1, 0, 1])


def test_nothing_may_be_published(tmp_path: Path, table: sudare.Table) -> None:
    found = read(tmp_path, table, "", "record,line\n" + "".join(f"{n},\n" for n in range(1, 7)))
    assert (found.classes, found.published.any(), len(found.rows)) == (0, False, 6)


@pytest.mark.parametrize(
    "key",
    [
        KEY.replace("1,5\n2,3\n", "1,3\n2,5\n"),  # another disease
        KEY.replace("4,1\n6,\n", "4,\n6,1\n").replace("4,1\n", "4,4\n").replace("5,4\n", "5,1\n"),  # another town
        KEY.replace("6,\n", ""), KEY + "7,\n", KEY.replace("6,\n", "6,9\n"), KEY.replace("6,\n", "6,5\n"),
        KEY.replace("5,4\n", "5,\n"), "record,line\n", "a,b\n1,1\n", "record,line\none,two\n", "",
    ],
)  # fmt: skip
def test_a_key_of_another_file_is_refused(tmp_path: Path, table: sudare.Table, key: str) -> None:
    with pytest.raises(
        BadRows, match=r"(?s)key\.csv does not link .*published\.csv to .*people\.csv\.\nHint: Give the key"
    ):
        read(tmp_path, table, key=key)


def test_what_cannot_be_compared_is_refused(tmp_path: Path, table: sudare.Table, engine: DuckDBEngine) -> None:
    with pytest.raises(ColumnNotFound, match="height"):
        read(tmp_path, table, known=["height"])
    with pytest.raises(OptionNotUsable, match="The published file has no column 'age'"):
        (tmp_path / "narrow.csv").write_text("sex,town\nm,x\n", encoding="utf-8")
        read_recoded(tmp_path / "narrow.csv", table, key=tmp_path / "key.csv", known=["sex", "age"])
    with pytest.raises(SourceNotReadable, match=r"none\.csv"):
        read_recoded(tmp_path / "none.csv", table, key=tmp_path / "key.csv")
    with pytest.raises(InputError, match="height"):
        (tmp_path / "wide.csv").write_text("sex,height\nm,180\n", encoding="utf-8")
        read_recoded(tmp_path / "wide.csv", table, key=tmp_path / "key.csv")
    (tmp_path / "persons.csv").write_text("who,town,age\n1,x,20\n2,y,30\n", encoding="utf-8")
    with (
        sudare.read_table(tmp_path / "persons.csv", person="who", engine=engine) as persons,
        pytest.raises(OptionNotUsable, match="not with the persons of a person column"),
    ):
        read_recoded(tmp_path / "published.csv", persons, key=tmp_path / "key.csv")
