"""Made-up member lists: repeatable, whole, skewed, correlated, and with hierarchies that fit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import OptionNotUsable, OutputNotWritable
from sudare.messages import Message
from sudare.tables import synthetic as synthetic_table
from sudare.tables.synthetic import generate_table, hierarchy_rows
from sudare.tables.synthetic_members import ATTRIBUTES, SENSITIVE


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A list of 50,000 members as the table `members`."""
    path = tmp_path_factory.mktemp("members") / "members.parquet"
    generate_table(path, records=50_000, seed=1)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE members AS FROM '{path}'")
        yield connection


def ask(members: duckdb.DuckDBPyConnection, expression: str, where: str = "true") -> float:
    row = members.execute(f"SELECT {expression} FROM members WHERE {where}").fetchone()
    assert row is not None
    return float(row[0])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{n}.{ending}" for n in range(3)]
    for path, seed in zip(paths, (7, 7, 8), strict=True):
        generate_table(path, records=50, seed=seed)
    first, second, other = (path.read_bytes() for path in paths)
    assert first == second != other


def test_size_of_the_chunks_does_not_change_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate_table(tmp_path / "whole.csv", records=100)
    monkeypatch.setattr(synthetic_table, "RECORDS_PER_CHUNK", 7)
    generate_table(tmp_path / "chunked.csv", records=100)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "chunked.csv").read_bytes()


def test_more_records_begin_with_the_same_ones(tmp_path: Path) -> None:
    generate_table(tmp_path / "few.csv", records=10)
    generate_table(tmp_path / "many.csv", records=20)
    assert (tmp_path / "many.csv").read_text().startswith((tmp_path / "few.csv").read_text())


def test_one_record_is_enough(tmp_path: Path) -> None:
    made = generate_table(tmp_path / "a.csv", records=1)
    assert (made.records, made.hierarchies) == (1, ())
    assert (tmp_path / "a.csv").read_text().count("\n") == 2


def test_the_result_becomes_plain_json(tmp_path: Path) -> None:
    made = generate_table(tmp_path / "a.csv", records=3, seed=5, hierarchies=tmp_path / "h")
    plain = json.loads(json.dumps(made.to_dict()))
    assert (plain["records"], plain["seed"], plain["sensitive"]) == (3, 5, "favourite")
    assert plain["attributes"] == list(ATTRIBUTES)
    assert len(plain["hierarchies"]) == 8


def test_hierarchies_fit_the_table_so_that_levels_can_be_found(tmp_path: Path) -> None:
    generate_table(tmp_path / "a.csv", records=500, hierarchies=tmp_path / "h")
    with sudare.read_table(tmp_path / "a.csv") as table:
        files = sudare.tables.find_hierarchies(tmp_path / "h", table.attributes)
        assert list(files) == [name for name in ATTRIBUTES if name != SENSITIVE]
        hierarchies = {name: sudare.tables.read_hierarchy(path, name) for name, path in files.items()}
        found = sudare.tables.find_levels(table, hierarchies, limit=0.2, suppress=0.05)
    assert found.best is not None
    assert found.max_risk is not None
    assert found.max_risk <= 0.2


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if name != SENSITIVE])
def test_every_value_has_a_line_in_its_hierarchy(members: duckdb.DuckDBPyConnection, name: str) -> None:
    values = {row[0] for row in members.execute(f"SELECT DISTINCT {name}::VARCHAR FROM members").fetchall()} - {None}
    assert values <= {row[0] for row in hierarchy_rows()[name]}


def test_distributions_are_skewed(members: duckdb.DuckDBPyConnection) -> None:
    assert ask(members, "avg((sex = 'female')::INT)") == pytest.approx(0.62, abs=0.01)
    often = "(SELECT prefecture, count(*) AS often FROM members GROUP BY prefecture)"
    row = members.execute(f"SELECT count(*), max(often) / median(often) FROM {often}").fetchone()
    assert row is not None
    assert row[0] == 47
    assert row[1] > 20


def test_attributes_depend_on_each_other(members: duckdb.DuckDBPyConnection) -> None:
    student, retired = "avg((occupation = 'student')::INT)", "avg((occupation = 'retired')::INT)"
    assert ask(members, student, "age < 25") > 0.3 > 0.01 > ask(members, student, "age >= 35")
    assert ask(members, retired, "age >= 75") > 0.5 > 0.01 > ask(members, retired, "age < 45")
    rich = "avg((income IN ('10M-15M', '15M and more'))::INT)"
    assert ask(members, rich, "education = 'master or doctor'") > 2 * ask(members, rich, "education = 'high school'")
    baby = "avg((favourite = 'baby goods')::INT)"
    assert ask(members, baby, "age BETWEEN 25 AND 34 AND sex = 'female'") > 10 * ask(members, baby, "age >= 55")


def test_some_values_are_missing_and_ages_and_months_are_within_their_range(members: duckdb.DuckDBPyConnection) -> None:
    shares = {name: ask(members, f"avg(({name} IS NULL)::INT)") for name in ATTRIBUTES}
    missing = {name: share for name, share in shares.items() if share}
    assert missing == pytest.approx({"occupation": 0.015, "education": 0.03, "income": 0.06}, abs=0.005)
    assert (ask(members, "min(age)"), ask(members, "max(age)")) == (18, 94)
    assert ask(members, "min(joined[:4]::INT)") == 2010
    assert ask(members, "min(joined[:4]::INT)", "age < 25") == 2019


def test_records_are_common_on_one_attribute_and_rare_on_several(tmp_path: Path) -> None:
    generate_table(tmp_path / "a.csv")
    with sudare.read_table(tmp_path / "a.csv") as table:
        assert sudare.tables.assess_records(table, ["age"]).mean_risk < 0.05
        assert sudare.tables.assess_records(table, ["sex", "age", "prefecture", "occupation"]).mean_risk > 0.7


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("records", 0, "records must be at least 1, not 0"),
        ("seed", -1, "seed must be 0 or more, not -1"),
    ],
)
def test_numbers_below_their_least_are_refused(tmp_path: Path, option: str, value: int, message: str) -> None:
    with pytest.raises(OptionNotUsable, match=message):
        generate_table(tmp_path / "a.csv", **{option: value})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionNotUsable, match=r"must end in \.csv or \.parquet"):
        generate_table(tmp_path / "a.xlsx")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputNotWritable, match="Cannot make the folder"):
        generate_table(tmp_path / "a.csv", hierarchies=tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failure_leaves_no_file_and_keeps_earlier_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill_the_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "age.csv").write_text("earlier")
    monkeypatch.setattr(DuckDBEngine, "write", fill_the_disk)
    with pytest.raises(OutputNotWritable, match="No space left"):
        generate_table(tmp_path / "a.csv", hierarchies=tmp_path / "h", overwrite=True)
    assert {path.name: path.is_file() and path.read_text() for path in tmp_path.rglob("*")} == {
        "h": False,
        "age.csv": "earlier",
    }


def test_a_failure_leaves_no_folder_that_was_not_there(tmp_path: Path) -> None:
    def interrupt(step: Message, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_table(tmp_path / "a.csv", hierarchies=tmp_path / "h", progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_progress_goes_up_to_its_total_in_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_table, "RECORDS_PER_CHUNK", 30)
    calls: list[tuple[Message, int, int]] = []
    generate_table(tmp_path / "a.csv", records=100, progress=lambda *call: calls.append(call))
    for step in ("progress.making_records", "progress.writing"):
        done = [(part, whole) for said, part, whole in calls if said.key == step]
        assert done == sorted(done)
        assert done[-1] == (100, 100)
