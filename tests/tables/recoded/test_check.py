"""The check of a published file: what it measures, and what it catches."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.tables.classes.criteria import Criteria
from sudare.tables.model import Table
from sudare.tables.recoded.check import TableCheck, check_recoded_file
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.recoded.write import published_lines, write_recoded
from tests.tables.recoded.members import HIERARCHIES, members, recoded_members
from tests.tables.recoded.partitioned import partitioned, roles_of
from tests.tables.small_tables import Records, record_lists, table_of

SEED = 3
Rows = list[str]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with members(tmp_path_factory.mktemp("members")) as found:
        yield found


def checked_file(
    found: RecodedTable,
    path: Path,
    criteria: Criteria | None = None,
    *,
    change: Callable[[Rows], Rows] = lambda rows: rows,
    key: np.ndarray | None = None,
    **options: object,
) -> TableCheck:
    """Write a file, change its lines, and check it."""
    write_recoded(found, path, seed=SEED)
    if path.suffix == ".csv":
        path.write_text("".join(f"{row}\n" for row in change(path.read_text().splitlines())))
    given = found.rows[published_lines(found, SEED)] if key is None else key
    wanted = criteria or Criteria(k=2)
    settings_: dict[str, object] = {"hierarchies": HIERARCHIES, "cells": "nodes", "seed": SEED, **options}
    return check_recoded_file(path, found.table, roles=found.roles, criteria=wanted, key=given, **settings_)  # type: ignore[arg-type]


def failed(check: TableCheck) -> set[tuple[str, str | None]]:
    assert check.holds == (not check.failed)
    return {(part.name, part.attribute) for part in check.failed}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_file_that_is_as_promised_passes(table: Table, tmp_path: Path, ending: str) -> None:
    found = checked_file(recoded_members(table), tmp_path / f"safe{ending}", Criteria(k=2, l=2, t=0.6))
    assert found.holds
    assert (found.lines, found.classes, found.k, found.l) == (8, 4, 2, 2)
    # Half have flu, three eighths a cold, one eighth asthma; the class of the fifties has half asthma.
    assert found.t == pytest.approx(0.375)
    assert [part.name for part in found.checks] == [
        "columns", "lines", "records", "order", "values", "values", "cells", "cells", "suppressed", "k", "l", "t",
    ]  # fmt: skip


def swap(old: str, new: str) -> Callable[[Rows], Rows]:
    """Change the first line with a text."""

    def change(rows: Rows) -> Rows:
        place = next(place for place, row in enumerate(rows) if old in row)
        return [*rows[:place], rows[place].replace(old, new), *rows[place + 1 :]]

    return change


@pytest.mark.parametrize(
    ("change", "name", "attribute"),
    [
        (lambda rows: rows[:-1], "lines", None),
        (lambda rows: [*rows, rows[-1]], "lines", None),
        (lambda rows: [*rows[:-1], f"{rows[-1]},7"], "lines", None),
        (lambda rows: [f"{row},{number}" for number, row in enumerate(rows)], "columns", None),
        (lambda rows: [row.rpartition(",")[0] for row in rows], "columns", None),
        (swap("age,town", "town,age"), "columns", None),
        (swap("20-29", "24"), "cells", "age"),
        (swap("20-29", "30-39"), "cells", "age"),
        (swap("20-29", "20-28"), "cells", "age"),
        (swap(",Kanda", ","), "cells", "town"),
        (swap("asthma", "flu"), "values", "disease"),
        (swap("asthma", "gout"), "values", "disease"),
        (swap("asthma,6", "asthma,7"), "values", "visits"),
        (swap("20-29", "*"), "k", None),
        (lambda rows: [rows[0], *sorted(rows[1:])], "order", None),
    ],
)
def test_a_corrupted_file_is_caught_by_name(
    table: Table, tmp_path: Path, change: Callable[[Rows], Rows], name: str, attribute: str | None
) -> None:
    found = checked_file(recoded_members(table), tmp_path / "safe.csv", change=change)
    assert (name, attribute) in failed(found)


def test_lines_in_the_order_of_the_source_are_caught(table: Table, tmp_path: Path) -> None:
    recoded = recoded_members(table)
    lines = published_lines(recoded, SEED)
    order = np.argsort(recoded.rows[lines])
    found = checked_file(
        recoded,
        tmp_path / "safe.csv",
        change=lambda rows: [rows[0], *(rows[1 + place] for place in order)],
        key=np.sort(recoded.rows),
    )
    assert failed(found) == {("order", None)}


def test_two_lines_for_one_record_are_caught(table: Table, tmp_path: Path) -> None:
    recoded = recoded_members(table)
    key = recoded.rows[published_lines(recoded, SEED)]
    assert ("records", None) in failed(checked_file(recoded, tmp_path / "s.csv", key=np.append(key[:-1], key[0])))
    assert ("records", None) in failed(checked_file(recoded, tmp_path / "s.csv", key=np.append(key[:-1], 99)))


@pytest.mark.parametrize(
    ("criteria", "name", "measured"),
    [
        (Criteria(k=3), "k", 2),
        (Criteria(l=3), "l", 2),
        (Criteria(l=2.5, diversity="entropy"), "l", 2),
        (Criteria(l=2, diversity="recursive", c=1), "l", 1),
        (Criteria(t=0.37), "t", 0.375),
        (Criteria(suppress=0.2), "suppressed", 0.25),
    ],
)
def test_criteria_that_do_not_hold_are_caught(
    table: Table, tmp_path: Path, criteria: Criteria, name: str, measured: float
) -> None:
    suppressed = "Ann" if name == "suppressed" else ""
    found = checked_file(recoded_members(table, suppressed=suppressed), tmp_path / "safe.csv", criteria)
    (part,) = found.failed
    assert (part.name, part.measured) == (name, pytest.approx(measured))


def test_suppressed_records_within_the_limit_pass(table: Table, tmp_path: Path) -> None:
    found = checked_file(recoded_members(table, suppressed="Ann"), tmp_path / "s.csv", Criteria(k=2, suppress=0.25))
    assert found.holds
    assert found.lines == 6


def test_a_file_without_lines_has_suppressed_everything(table: Table, tmp_path: Path) -> None:
    nobody = partitioned(table, roles_of(table), [-1] * 8)
    assert failed(checked_file(nobody, tmp_path / "s.csv", Criteria(k=2, suppress=0.5))) == {("suppressed", None)}


def test_classes_count_persons(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("who,a\nx,1\nx,1\ny,1\nz,2\nz,2\nz,2\n")
    with sudare.read_table(tmp_path / "people.csv", person="who") as table:
        by_value = [0, 0, 0, 1, 1, 1]
        found = checked_file(partitioned(table, roles_of(table), by_value), tmp_path / "s.csv", Criteria(k=2))
    assert failed(found) == {("k", None)}
    assert found.k == 1


def test_means_that_keep_sums_pass_and_others_are_caught(table: Table, tmp_path: Path) -> None:
    recoded = recoded_members(table, means=("age",))
    assert checked_file(recoded, tmp_path / "s.csv", means=("age",)).holds
    found = checked_file(recoded, tmp_path / "s.csv", change=_everywhere("22.5", "22.6"), means=("age",))
    assert failed(found) == {("means", "age")}
    unreadable = checked_file(recoded, tmp_path / "s.csv", change=swap("22.5", "young"), means=("age",))
    assert ("means", "age") in failed(unreadable)


@pytest.mark.parametrize("cells", ["sets", "ranges"])
def test_sets_and_ranges_are_read_as_such(table: Table, tmp_path: Path, cells: str) -> None:
    recoded = recoded_members(table, cells=cells)
    assert checked_file(recoded, tmp_path / "s.csv", cells=cells).holds
    old, new = ("{21, 24}", "{21, 35}") if cells == "sets" else ("21-24", "21-23")
    narrowed = _everywhere(old, new)
    assert ("cells", "age") in failed(checked_file(recoded, tmp_path / "s.csv", change=narrowed, cells=cells))
    assert ("cells", "age") in failed(checked_file(recoded, tmp_path / "s.csv", cells="nodes"))


def _everywhere(old: str, new: str) -> Callable[[Rows], Rows]:
    return lambda rows: [row.replace(old, new) for row in rows]


def test_the_population_is_matched_by_the_written_cells(table: Table, tmp_path: Path) -> None:
    # Twenties in Ueno: 3; thirties anywhere: 3; fifties in Kanda: 4; sixties anywhere: 5.
    people = (
        ["21,Ueno"] * 2 + ["24,Ueno"] + ["35,Kanda"] * 3 + ["52,Kanda"] * 4 + ["61,Ueno", "68,"] + ["68,Asakusa"] * 3
    )
    (tmp_path / "people.csv").write_text("\n".join(["age,town", *people]) + "\n")
    recoded = recoded_members(table)
    with sudare.read_table(tmp_path / "people.csv") as population:
        for criteria, missed in (
            (Criteria(k=2, k_map=3, presence=0.67), set()),
            (Criteria(k=2, k_map=4, presence=0.67), {("k_map", None)}),
            (Criteria(k=2, k_map=3, presence=0.66), {("presence", None)}),
        ):
            found = checked_file(recoded, tmp_path / "s.csv", criteria, population=population)
            assert failed(found) == missed
        means = recoded_members(table, means=("age",))
        found = checked_file(means, tmp_path / "s.csv", Criteria(k_map=4), means=("age",), population=population)
        assert [(part.name, part.measured) for part in found.failed] == [("k_map", 3)]


def test_a_population_is_needed_and_needs_the_quasi_identifiers(table: Table, tmp_path: Path) -> None:
    recoded = recoded_members(table)
    with pytest.raises(OptionNotUsable, match="reference population"):
        checked_file(recoded, tmp_path / "s.csv", Criteria(k_map=2))
    (tmp_path / "ages.csv").write_text("age,city\n21,Ueno\n")
    with sudare.read_table(tmp_path / "ages.csv") as population, pytest.raises(ColumnNotFound, match="town"):
        checked_file(recoded, tmp_path / "s.csv", Criteria(k_map=2), population=population)


@st.composite
def recodings(draw: st.DrawFn) -> tuple[Records, list[int], str]:
    records = draw(record_lists(most_attributes=4, most_records=12))
    classes = st.integers(-1, 3)
    owner = draw(st.lists(classes, min_size=len(records), max_size=len(records)))
    return records, owner, draw(st.sampled_from(["nodes", "sets", "ranges"]))


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(recodings())
def test_what_is_measured_is_what_is_counted_one_by_one(
    tmp_path: Path, engine: DuckDBEngine, drawn: tuple[Records, list[int], str]
) -> None:
    records, owner, cells = drawn
    table = replace(table_of(records), engine=engine)
    last = table.attributes[-1]
    recoded = partitioned(table, roles_of(table, **{last: "sensitive"}), owner, cells=cells)
    found = checked_file(recoded, tmp_path / "s.csv", Criteria(k=2, l=2, suppress=0.5), hierarchies={}, cells=cells)
    lines = [tuple(cell for cell in line.split(";")) for line in _lines(tmp_path / "s.csv")]
    sizes = Counter(line[:-1] for line in lines)
    values = {key: {line[-1] for line in lines if line[:-1] == key} for key in sizes}
    assert found.classes == len(sizes)
    if lines:
        assert (found.k, found.l) == (min(sizes.values()), min(map(len, values.values())))
    expected = {
        ("k", None): bool(lines) and min(sizes.values()) < 2,
        ("l", last): bool(lines) and min(map(len, values.values())) < 2,
        ("suppressed", None): len(lines) < len(records) / 2,
    }
    assert failed(found) == {name for name, fails in expected.items() if fails}


def _lines(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return [";".join(row) for row in csv.reader(file)][1:]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine() as opened:
        yield opened
