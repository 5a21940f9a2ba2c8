"""What leaves an engine, and that nothing else does."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, strategies as st

import sudare
from sudare.engine import DuckDBEngine, Engine
from sudare.engine.gate import Gate
from sudare.engine.small_counts import LeaveOut, Merge, Refuse
from sudare.errors import NotOnEngine, OptionNotUsable
from sudare.histories.attackers.assessment import assess_attackers
from sudare.histories.attackers.customers import customer_risks
from sudare.histories.attackers.persons import assess_persons
from sudare.histories.attackers.values import crowd_points, most_identifying
from sudare.histories.generalized.conversion import read_history_rows
from sudare.histories.visit_list import list_visits

SOURCES = Path(sudare.__file__).parent
# What fetches rows from DuckDB, Spark and what they answer with.
FETCHING = {
    "_connection", "_session", "_fetch_rows", "_fetch_columns", "fetchall", "fetchone", "fetchmany", "fetchnumpy",
    "fetchdf", "fetch_arrow_table", "toArrow", "toPandas", "toLocalIterator", "collect",
}  # fmt: skip
# A lazy dataframe of the caller's is collected before any engine has it.
ALLOWED = {"sources/opening.py": {"collect"}}
LEAST = 4


REFUSE = Refuse(lambda count, least: NotOnEngine("errors.tables.rare", count=count, least=least))


def uses_of(names: set[str], path: Path) -> list[str]:
    """Return where a module uses attributes of some names of anything but itself."""
    return [
        f"{path.relative_to(SOURCES)}:{node.lineno} {node.attr}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in names - ALLOWED.get(str(path.relative_to(SOURCES)), set())
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    ]


def test_nothing_but_an_engine_fetches_rows() -> None:
    others = (path for path in SOURCES.rglob("*.py") if not path.is_relative_to(SOURCES / "engine"))
    assert [use for path in others for use in uses_of(FETCHING, path)] == []


def test_nothing_but_the_engines_opens_one() -> None:
    opening = {"DuckDBEngine", "SparkEngine", "engine_for"}
    calls = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in opening
    ]
    assert [call for call in calls if not call.startswith("engine/opening.py")] == []


def test_engines_fetch_for_others_by_their_gate_alone() -> None:
    own = {name for name in vars(Gate) if not name.startswith("_")}
    assert own == {"total", "counts", "count_columns", "check_people", "people", "people_columns"}
    assert not own & set(vars(DuckDBEngine))
    assert not hasattr(Engine, "rows")
    assert not hasattr(Engine, "columns")


class Hiding(DuckDBEngine):
    """An engine that shows no people."""

    shows_people = False


@pytest.fixture(scope="module")
def hidden() -> Iterator[sudare.History]:
    rows = {"customer": ["a", "b", "c"], "day": ["2024-01-05"] * 3, "item": ["tea", "tea", "book"]}
    with Hiding() as engine, sudare.read_history(polars.DataFrame(rows), engine=engine) as history:
        yield history


@pytest.mark.parametrize(
    ("look", "what"),
    [
        (lambda history: list_visits(history), "the visits of customers"),
        (lambda history: customer_risks(history, "item"), "customers"),
        (lambda history: most_identifying(history, "item"), "the values that can be known"),
        (lambda history: crowd_points(history, "item"), "the values that can be known"),
        (lambda history: assess_persons(history, "item", persons=2), "who fits what is known about several customers"),
        (lambda history: sudare.read_baskets(history), "the items of each user"),
        (lambda history: history.engine.people("SELECT 1", "anybody"), "anybody"),
        (lambda history: history.engine.people_columns("SELECT 1 AS n", "anybody"), "anybody"),
    ],
)
def test_people_stay_on_an_engine_that_shows_none(
    hidden: sudare.History, look: Callable[[sudare.History], object], what: str
) -> None:
    with pytest.raises(NotOnEngine, match=f"does not show {what}: only counts leave the cluster"):
        look(hidden)


def test_the_rows_of_a_file_stay_there_too(hidden: sudare.History, tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    path.write_text("customer,day,item,price\na,2024-01-05,tea,1\n")
    with pytest.raises(NotOnEngine, match="does not show single rows"):
        read_history_rows(path, engine=hidden.engine)


def test_what_is_counted_is_the_same_without_people(hidden: sudare.History, engine: DuckDBEngine) -> None:
    rows = {"customer": ["a", "b", "c"], "day": ["2024-01-05"] * 3, "item": ["tea", "tea", "book"]}
    with sudare.read_history(polars.DataFrame(rows), engine=engine) as shown:
        assert assess_attackers(hidden).to_dict() == assess_attackers(shown).to_dict()


@pytest.fixture(scope="module")
def guarded() -> Iterator[DuckDBEngine]:
    """An engine that lets no count below four out."""
    with DuckDBEngine(min_cell=LEAST, threads=1) as engine:
        yield engine


lines = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 20), st.integers(1, 9)), unique_by=lambda line: line[:2])


def attached(engine: DuckDBEngine, found: list[tuple[int, int, int]]) -> str:
    columns = np.array(found, np.int64).reshape(-1, 3).T
    engine.attach("gate_lines", dict(zip(("question", "size", "people"), columns, strict=True)))
    return "SELECT * FROM gate_lines"


@given(lines)
def test_small_lines_are_left_out(guarded: DuckDBEngine, found: list[tuple[int, int, int]]) -> None:
    told = guarded.counts(attached(guarded, found), cell="people", small=LeaveOut())
    assert sorted(told) == sorted(line for line in found if line[2] >= LEAST)


@given(lines)
def test_small_lines_are_refused(guarded: DuckDBEngine, found: list[tuple[int, int, int]]) -> None:
    query, refuse = attached(guarded, found), REFUSE
    few = sum(people for _, _, people in found if people < LEAST)
    if few:
        with pytest.raises(
            NotOnEngine, match=rf"^{few} records? ha(s|ve) values that fewer than {LEAST} records share"
        ):
            guarded.count_columns(query, cell="people", small=refuse)
    else:
        assert sorted(guarded.counts(query, cell="people", small=refuse)) == sorted(found)


@given(lines)
def test_small_lines_are_merged_and_nobody_is_lost(guarded: DuckDBEngine, found: list[tuple[int, int, int]]) -> None:
    expected = Counter[int]()
    for question, _, people in found:
        expected[question] += people
    merge = Merge("size", ("people",), of="question", questions=len(expected))
    if any(people < LEAST for people in expected.values()):
        with pytest.raises(OptionNotUsable, match=f"fewer than {LEAST}"):
            guarded.counts(attached(guarded, found), cell="people", small=merge)
        return
    told = guarded.counts(attached(guarded, found), cell="people", small=merge)
    assert all(people >= LEAST for _, _, people in told)
    assert {(question, size) for question, size, _ in told} <= {(question, size) for question, size, _ in found}
    counted = Counter[int]()
    for question, _, people in told:
        counted[question] += int(people)
    assert counted == expected


def test_a_line_that_does_not_say_how_many_it_is_about_stays(guarded: DuckDBEngine) -> None:
    query = "SELECT 1 AS size, CAST(NULL AS INTEGER) AS people"
    assert guarded.counts(query, cell="people", small=LeaveOut()) == []
    with pytest.raises(NotOnEngine, match="fewer than"):
        guarded.counts(query, cell="people", small=REFUSE)
    with pytest.raises(OptionNotUsable, match="fewer than"):
        guarded.counts(query, cell="people", small=Merge("size", ("people",)))


def test_how_many_a_line_is_about_is_a_column(guarded: DuckDBEngine) -> None:
    with pytest.raises(TypeError, match="a column of the query"):
        guarded.counts("SELECT 1 AS people", cell="1000", small=LeaveOut())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT n FROM (VALUES (1), (2)) AS t(n)",
        "SELECT n FROM (VALUES (1)) AS t(n) WHERE n > 1",
        "SELECT 'a'",
        "SELECT 1, 'a'",
        "SELECT DATE '2024-01-05'",
    ],
)
def test_a_total_is_one_row_of_numbers(any_engine: Engine, query: str) -> None:
    with pytest.raises(TypeError, match="one row of numbers"):
        any_engine.total(query)


def test_a_total_may_have_truth_and_nothing_in_it(any_engine: Engine) -> None:
    query = "SELECT count(*), sum(n), max(n) > 1, max(n) FILTER (WHERE n > 2) FROM (VALUES (1), (2)) AS t(n)"
    assert any_engine.total(query) == (2, 3, True, None)


def test_nulls_leave_alike(any_engine: Engine) -> None:
    query = (
        "SELECT * FROM (VALUES (1, 1, 0.5, 'a', true, DATE '2024-01-05'), (2, NULL, NULL, NULL, NULL, NULL)) "
        "AS t(people, number, share, name, truth, day) ORDER BY people"
    )
    found = any_engine.count_columns(query, cell="people", small=REFUSE)
    assert not any(isinstance(column, np.ma.MaskedArray) for column in found.values())
    assert found["people"].tolist() == [1, 2]
    for name in ("number", "share"):
        assert found[name].dtype.kind == "f"
        assert math.isnan(found[name][1])
    assert found["number"][0] == 1
    assert found["name"].tolist() == ["a", None]
    assert found["truth"].tolist() == [True, None]
    assert np.isnat(found["day"]).tolist() == [False, True]
