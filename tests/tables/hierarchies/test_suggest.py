from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.sources.spellings import plain


def rows(found: sudare.tables.SuggestedHierarchy) -> list[tuple[str, ...]]:
    return [tuple(step[value] for step in found.hierarchy.steps) for value in found.hierarchy.steps[0]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["17", "18", "90"], "number"),
        (["-1.5", "2e3", "1,000"], "number"),
        (["2020-01-05", "2021/1/7"], "date"),
        (["20200105", "20191231"], "date"),
        (["2020-01-05 10:11", "2020-01-05T12:00:00"], "date"),
        (["123-4567", "600-8001"], "postal"),
        (["0600001", "1000001"], "postal"),
        (["SW1A 1AA", "EC1 1BB"], "postal"),
        (["001", "002", "011", "012"], "code"),
        (["E11.0", "E11.1", "E12.0", "E12.1"], "code"),
        (["yes", "No"], "boolean"),
        (["0", "1"], "boolean"),
        (["red", "green"], "text"),
        (["東京都", "大阪府"], "text"),
    ],
)
def test_the_kind_of_values_is_found(values: list[str], kind: str) -> None:
    assert sudare.tables.suggest_hierarchy("x", values).kind == kind


def test_a_name_tells_postal_codes_from_numbers() -> None:
    values = ["12345", "12399", "54321"]
    assert sudare.tables.suggest_hierarchy("price", values).kind == "number"
    assert rows(sudare.tables.suggest_hierarchy("ZIP", values))[0] == ("12345", "123**", "*")
    assert sudare.tables.suggest_hierarchy("郵便番号", values).kind == "postal"


def test_a_given_kind_is_taken() -> None:
    found = sudare.tables.suggest_hierarchy("x", ["12345", "12399", "54321"], kind="text")
    assert (found.kind, found.hierarchy.levels) == ("text", 2)


def test_levels_that_join_nothing_are_left_out() -> None:
    # Neither day nor quarter joins dates that the month does not; the year joins all but the last.
    found = sudare.tables.suggest_hierarchy("x", ["2020-01-05", "2020-01-07", "2020-06-01", "2021-06-01"])
    assert rows(found)[0] == ("2020-01-05", "2020-01", "2020", "*")


def test_few_words_go_to_a_star_at_once() -> None:
    assert rows(sudare.tables.suggest_hierarchy("x", ["a", "b"], counts=[1000, 1])) == [("a", "*"), ("b", "*")]


def test_values_of_another_kind_are_joined_and_remarked() -> None:
    found = sudare.tables.suggest_hierarchy("age", [*map(str, range(20, 60)), "?", "unknown"])
    assert (found.kind, found.remarks) == ("number", ("others",))
    assert rows(found)[:2] == [("?", "other", "other", "other", "*"), ("unknown", "other", "other", "other", "*")]


def test_the_label_for_other_values_is_no_value() -> None:
    values = ["Other", "b", "c", "d", "e", "f"]
    found = sudare.tables.suggest_hierarchy("x", values, counts=[500, 500, 500, 500, 1, 1])
    assert rows(found)[-1] == ("f", "other_", "*")


def test_a_constant_goes_to_a_star() -> None:
    found = sudare.tables.suggest_hierarchy("x", ["2020-01-05", None], counts=[9, 2])
    assert (rows(found), found.remarks) == ([("2020-01-05", "*")], ("constant",))
    assert found.hierarchy.generalize([None], 1) == ["*"]


def test_a_missing_value_stays_missing_until_all_are_one() -> None:
    found = sudare.tables.suggest_hierarchy("x", ["17", "18", "40", None, ""]).hierarchy
    assert [found.generalize([None], level) for level in range(found.levels)] == [
        *[[None]] * (found.levels - 1),
        ["*"],
    ]


@pytest.mark.parametrize("values", [[], [None], [None, ""]])
def test_without_values_missing_ones_become_a_star(values: list[str | None]) -> None:
    found = sudare.tables.suggest_hierarchy("x", values)
    assert (rows(found), found.remarks) == ([("", "*")], ("nothing",))
    assert found.hierarchy.generalize([None], 1) == ["*"]


def test_values_of_their_own_are_identifiers() -> None:
    names = [f"person {number:x}" for number in range(30)]
    for values in (names, [str(1000 + number) for number in range(30)]):
        found = sudare.tables.suggest_hierarchy("x", values, counts=[1] * 30)
        assert (found.kind, found.hierarchy.levels, found.remarks) == ("identifier", 2, ("identifier",))
    incomes = sudare.tables.suggest_hierarchy("x", [str(number**3) for number in range(30)], counts=[1] * 30)
    assert (incomes.kind, incomes.remarks) == ("number", ("every_value_once",))
    assert sudare.tables.suggest_hierarchy("x", names).kind == "text"


def test_what_cannot_be_of_a_kind_is_refused() -> None:
    with pytest.raises(sudare.OptionNotUsable, match="'x' has no value of the kind date"):
        sudare.tables.suggest_hierarchy("x", ["red", "green"], kind="date")
    with pytest.raises(sudare.OptionNotUsable, match="Unknown kind of values 'mood'"):
        sudare.tables.suggest_hierarchy("x", ["red"], kind="mood")


texts = st.one_of(
    st.text(max_size=8),
    st.integers(-(10**6), 10**6).map(str),
    st.integers(0, 999).map(lambda number: f"{number:05}"),
    st.floats(-1e4, 1e4).map(str),
    st.dates(dt.date(1700, 1, 1)).map(str),
    st.datetimes(dt.datetime(1990, 1, 1)).map(str),
    st.from_regex(r"[A-C][0-9]{1,2}[.][0-9]", fullmatch=True),
    st.from_regex(r"[0-9]{3}-[0-9]{4}", fullmatch=True),
    st.sampled_from(["*", "other", "", " ", "20-29", "[0, 10)", "a;b", 'say "x"', " a ", "a\nb;c\r\nd", "1*", "true"]),
)
columns = st.one_of(
    *(st.lists(kind, max_size=40) for kind in (texts, *texts.branches)),  # type: ignore[attr-defined]
).flatmap(lambda values: st.tuples(st.just(values), st.lists(st.integers(1, 1000), min_size=40, max_size=40)))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    column=columns,
    missing=st.booleans(),
    kind=st.sampled_from([None, "number", "date", "postal", "code", "boolean", "text", "identifier"]),
)
def test_any_values_get_a_complete_hierarchy_that_can_be_written(
    tmp_path: Path, column: tuple[list[str], list[int]], missing: bool, kind: str | None
) -> None:
    values: list[str | None] = [*column[0], *([None] if missing else [])]
    try:
        found = sudare.tables.suggest_hierarchy("x", values, kind=kind, counts=[*column[1], 1][: len(values)])
    except sudare.OptionNotUsable:
        assert kind in ("number", "date", "postal")
        return
    trimmed = [plain(value or "") or None for value in values]
    last = found.hierarchy.levels - 1
    assert set(found.hierarchy.generalize(trimmed, last)) <= {"*"}
    assert last >= 1
    if any("\0" in value for value in column[0]):
        with pytest.raises(sudare.HierarchyNotUsable, match="NUL"):
            sudare.tables.write_hierarchy(found.hierarchy, tmp_path / "x.csv")
        return
    sudare.tables.write_hierarchy(found.hierarchy, tmp_path / "x.csv")
    assert sudare.tables.read_hierarchy(tmp_path / "x.csv", "x").steps == found.hierarchy.steps


def test_hierarchies_of_a_table_fit_its_values(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({"a": ["x\t", "y", None], "b": ['q"; ', "\ta", "z\nz"], "c": [1.5, None, 3.0]})
    with sudare.read_table(frame, engine=engine) as table:
        found = {entry.attribute: entry.hierarchy for entry in sudare.tables.suggest_hierarchies(table)}
        best = sudare.tables.find_levels(table, found, limit=0.34).best
    assert best == {"a": 1, "b": 1, "c": 1}


def test_an_unknown_attribute_with_a_kind_is_refused(people: sudare.Table) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="no attribute 'agee'"):
        sudare.tables.suggest_hierarchies(people, kinds={"agee": "number"})


def test_adult_is_generalized_with_suggested_hierarchies(
    real_data: Callable[[str], Path], engine: DuckDBEngine, tmp_path: Path
) -> None:
    with sudare.read_table(real_data("adult/adult.csv"), engine=engine) as table:
        found = {entry.attribute: entry for entry in sudare.tables.suggest_hierarchies(table)}
        assert {name: entry.kind for name, entry in found.items() if entry.kind != "text"} == {"age": "number"}
        sudare.tables.write_hierarchies({name: entry.hierarchy for name, entry in found.items()}, tmp_path / "h")
        files = sudare.tables.find_hierarchies(tmp_path / "h", table.attributes)
        assert list(files) == list(table.attributes)
        read = {name: sudare.tables.read_hierarchy(path, name) for name, path in files.items()}
        levels = sudare.tables.find_levels(table, read, limit=0.2)
        by_hand = {
            name: sudare.tables.read_hierarchy(path, name)
            for name, path in sudare.tables.find_hierarchies(real_data("adult"), table.attributes).items()
        }
        careful = sudare.tables.find_levels(table, by_hand, limit=0.2)
    assert levels.best is not None
    assert any(0 < level < levels.highest[name] for name, level in levels.best.items())
    # Hardly more is lost than with hierarchies that people made.
    assert levels.loss is not None
    assert careful.loss is not None
    assert levels.loss < 1.1 * careful.loss
