"""Publishing: written, read again, checked; and what is left if the check fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest
from typer.testing import CliRunner

import sudare
from sudare.cli.app import app
from sudare.errors import AnswerIsNo, OptionNotUsable, OutputNotWritable
from sudare.messages import Texts
from sudare.tables.classes.criteria import Criteria
from sudare.tables.model import Table
from sudare.tables.recoded import publish
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.recoded.publish import PublishedTable, publish_recoded
from sudare.tables.recoded.write import write_key, write_recoded
from tests.tables.recoded.members import HIERARCHIES, members, recoded_members
from tests.tables.recoded.partitioned import partitioned, roles_of


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with members(tmp_path_factory.mktemp("members")) as found:
        yield found


def published(found: RecodedTable, path: Path, k: int = 2, aligned: Path | None = None) -> PublishedTable:
    criteria = Criteria(k=k, l=2, suppress=0.25)
    return publish_recoded(
        found, path, criteria=criteria, hierarchies=HIERARCHIES, cells="nodes", seed=4, aligned=aligned
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_result_says_what_is_in_the_file(table: Table, tmp_path: Path) -> None:
    found = published(recoded_members(table, suppressed="Hal"), tmp_path / "safe.csv")
    assert (found.columns, found.rows, found.suppressed) == (("age", "town", "disease", "visits"), 6, 2)
    assert found.check.holds
    assert found.to_dict()["check"]["holds"] is True
    assert "aligned" not in found.to_dict()


def test_the_files_are_those_that_are_written_one_by_one(table: Table, tmp_path: Path) -> None:
    recoded = recoded_members(table)
    published(recoded, tmp_path / "safe.csv", aligned=tmp_path / "key.csv")
    write_recoded(recoded, tmp_path / "safe2.csv", seed=4)
    write_key(recoded, tmp_path / "key2.csv", seed=4)
    assert (tmp_path / "safe.csv").read_text() == (tmp_path / "safe2.csv").read_text()
    assert (tmp_path / "key.csv").read_text() == (tmp_path / "key2.csv").read_text()
    assert (tmp_path / "key.csv").stat().st_mode & 0o777 == 0o600


def test_a_file_that_fails_is_not_left_behind(table: Table, tmp_path: Path) -> None:
    with pytest.raises(AnswerIsNo, match=r"failed its check \(smallest class \(k\): 2 instead of 3\)"):
        published(recoded_members(table), tmp_path / "safe.csv", k=3, aligned=tmp_path / "key.csv")
    assert names(tmp_path) == []


def test_a_file_that_fails_leaves_the_one_before_it(table: Table, tmp_path: Path) -> None:
    published(recoded_members(table), tmp_path / "safe.csv")
    before = (tmp_path / "safe.csv").read_text()
    with pytest.raises(AnswerIsNo):
        published(recoded_members(table), tmp_path / "safe.csv", k=3)
    assert (tmp_path / "safe.csv").read_text() == before


def test_a_writer_that_does_something_else_is_caught(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leak(found: RecodedTable, lines: object, path: Path) -> None:
        path.write_text("name,age\nAnn,21\n")

    monkeypatch.setattr(publish, "fill_recoded_file", leak)
    with pytest.raises(AnswerIsNo, match="columns other than those to be published") as error:
        published(recoded_members(table), tmp_path / "safe.csv")
    assert "公開する列との相違" in error.value.text(Texts("ja"))
    assert names(tmp_path) == []


def test_the_key_is_not_written_over_the_table(table: Table, tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable):
        published(recoded_members(table), tmp_path / "safe.csv", aligned=tmp_path / "safe.csv")
    with pytest.raises(OutputNotWritable):
        published(recoded_members(table), tmp_path / "safe.csv", aligned=tmp_path / "none" / "key.csv")
    assert names(tmp_path) == []


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_published_file_is_a_table_whose_risk_is_one_in_k(table: Table, tmp_path: Path, ending: str) -> None:
    published(recoded_members(table), tmp_path / f"safe{ending}")
    with sudare.read_table(tmp_path / f"safe{ending}") as safe:
        risk = safe.risk(known=["age", "town"])
        assert (risk.max_risk, risk.classes, risk.records) == (1 / 2, 4, 8)
        assert safe.diversity("disease", known=["age", "town"]).l == 2


ODD = ['a,"b"', "two\nlines", "{x}", "*", "日本", "a b", "-", "NULL"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("cells", ["nodes", "sets", "ranges"])
def test_values_of_any_characters_are_read_back(tmp_path: Path, ending: str, cells: str) -> None:
    frame = polars.DataFrame({"a": ODD * 2, "b": [*ODD, *ODD[::-1]]})
    with sudare.read_table(frame) as table:
        owner = [place // 4 for place in range(16)]
        found = partitioned(table, roles_of(table, b="sensitive"), owner, cells=cells)
        criteria = Criteria(k=2)
        made = publish_recoded(
            found, tmp_path / f"safe{ending}", criteria=criteria, hierarchies={}, cells=cells, seed=1
        )
    assert (made.rows, made.check.holds) == (16, True)


def test_a_csv_file_of_one_column_cannot_hold_missing_values(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("a,b\nx,1\n,2\nx,3\n")
    with sudare.read_table(tmp_path / "m.csv") as table:
        found = partitioned(table, roles_of(table, b="dropped"), [0, 1, 2])
        with pytest.raises(OutputNotWritable, match=r"Write a \.parquet file"):
            publish_recoded(found, tmp_path / "s.csv", criteria=Criteria(), hierarchies={}, cells="nodes", seed=1)
        publish_recoded(found, tmp_path / "s.parquet", criteria=Criteria(), hierarchies={}, cells="nodes", seed=1)
    assert names(tmp_path) == ["m.csv", "s.parquet"]


def test_the_command_finds_the_risk_of_the_published_file(table: Table, tmp_path: Path) -> None:
    published(recoded_members(table), tmp_path / "safe.csv")
    words = ["table", "risk", str(tmp_path / "safe.csv"), "--known", "age,town", "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["max_risk"] == 1 / 2
