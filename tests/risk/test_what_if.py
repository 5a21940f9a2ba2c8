from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sudare
from sudare.data.generalized import generalize_table
from sudare.data.hierarchy import make_hierarchy
from sudare.data.table import Table, add_records
from sudare.engine import DuckDBEngine
from sudare.risk.what_if import changed_sets, moved_records, moved_sets
from tests.risk.small_tables import Case, Record, cases, names, subsets

HAND = {"age": ["20", "21", "40"], "sex": ["f", "f", "m"]}
AGE = make_hierarchy("age", {1: ("20", "20s"), 2: ("21", "20s"), 3: ("40", "40s"), 4: ("41", "40s")})


@pytest.fixture
def people(engine: DuckDBEngine) -> Any:
    with sudare.read_table(pl.DataFrame(HAND), engine=engine) as table:
        yield table


def test_added_records_worked_by_hand(people: Table) -> None:
    """Two more of (20, f) and one of (41, m): the first record is then one of three, the others stay alone."""
    added = add_records(people, pl.DataFrame({"sex": ["f", "f", "m"], "age": ["20", "20", "41"], "more": [1, 2, 3]}))
    with added.table as after:
        assert (after.records, after.values) == (6, (("20", "21", "40", "41"), ("f", "m")))
        moved = moved_records(people, added)
        assert (moved.records, moved.moved, moved.no_longer_unique) == (3, 1, 1)
        assert (moved.mean_before, moved.mean_after) == (1.0, pytest.approx((1 / 3 + 1 + 1) / 3))
        assert (moved.max_before, moved.max_after) == (1.0, 1.0)
        assert moved_records(people, added, ["sex"]).to_dict()["moved"] == 3
        assert moved_records(people, added, []).mean_after == pytest.approx(1 / 6)


def test_generalized_values_worked_by_hand(people: Table) -> None:
    """At level 1 of age the first two are alike; the third is still the only one over 40."""
    general = generalize_table(people, {"age": AGE}, {"age": 1})
    with general.table as after:
        assert (after.values[0], after.counts.tolist()) == (("20s", "40s"), [2, 1])
        moved = moved_records(people, general)
    assert (moved.moved, moved.no_longer_unique, moved.mean_after) == (2, 2, pytest.approx(2 / 3))


def test_records_are_added_and_then_generalized(people: Table) -> None:
    added = add_records(people, pl.DataFrame({"age": ["41"], "sex": ["m"]}))
    with added.table, generalize_table(added.table, {"age": AGE}, {"age": 1}).table as after:
        both = added.then(generalize_table(added.table, {"age": AGE}, {"age": 1}))
        assert after.counts.tolist() == [2, 2]
        assert moved_records(people, both).max_after == 0.5


def test_added_records_need_the_columns_of_the_table(people: Table) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="There is no attribute 'sex'"):
        add_records(people, pl.DataFrame({"age": ["20"]}))
    with pytest.raises(sudare.SourceNotReadable, match="no rows"):
        add_records(people, pl.DataFrame({"age": [], "sex": []}, schema={"age": pl.String, "sex": pl.String}))


def frame(case: Case, records: list[Record], persons: list[int] | None) -> pl.DataFrame:
    columns = {name: [r[a] for r in records] for a, name in enumerate(names(range(case.width)))}
    whose = {} if persons is None else {"whose": persons}
    return pl.DataFrame({**columns, **whose}, schema=dict.fromkeys((*columns, *whose), pl.Int64))


@given(cases(most_attributes=3), st.integers(0, 15))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_added_records_equal_counting_all_records(engine: DuckDBEngine, case: Case, cut: int) -> None:
    """The records before and after a cut are the table and what is added."""
    cut = min(cut, len(case.records) - 1)
    if not cut:
        return
    persons = (None, None) if case.persons is None else (case.persons[:cut], case.persons[cut:])
    person = None if case.persons is None else "whose"
    first = Case(case.records[:cut], persons[0], case.missing)
    data = frame(case, first.records, persons[0])
    with sudare.read_table(data, person=person, missing=case.missing, engine=engine) as table:
        added = add_records(table, frame(case, case.records[cut:], persons[1]))
        with added.table as after:
            for chosen in subsets(range(case.width)):
                before, then = first.sizes(chosen), case.sizes(chosen)
                found = sudare.assess_records(after, names(chosen))
                assert found.mean_risk == pytest.approx(sum(1 / n for n in then) / len(then))
                moved = moved_records(table, added, names(chosen))
                pairs = list(zip(before, then[:cut], strict=True))
                assert moved.moved == sum(a != b for a, b in pairs)
                assert moved.no_longer_unique == sum(a == 1 < b for a, b in pairs)
                assert moved.mean_after == pytest.approx(sum(1 / b for _, b in pairs) / cut)
                assert moved.max_after == 1 / min(then[:cut])


ABOVE = {0: 10, 1: 10, 2: 11}


@given(cases(most_attributes=3), st.lists(st.integers(0, 1), min_size=3, max_size=3))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_generalized_values_equal_counting_them(engine: DuckDBEngine, case: Case, levels: list[int]) -> None:
    attributes = names(range(case.width))
    steps = {value: (str(value), str(above)) for value, above in ABOVE.items()}
    hierarchies = {name: make_hierarchy(name, steps) for name in attributes}
    general = Case(
        [tuple(ABOVE[v] if v is not None and levels[a] else v for a, v in enumerate(r)) for r in case.records],
        case.persons,
        case.missing,
    )
    person = None if case.persons is None else "whose"
    data = frame(case, case.records, case.persons)
    with sudare.read_table(data, person=person, missing=case.missing, engine=engine) as table:
        derived = generalize_table(table, hierarchies, dict(zip(attributes, levels, strict=False)))
        with derived.table as after:
            for chosen in subsets(range(case.width)):
                before, then = case.sizes(chosen), general.sizes(chosen)
                assert sudare.assess_records(after, names(chosen)).uniques == then.count(1)
                moved = moved_records(table, derived, names(chosen))
                assert moved.moved == sum(a != b for a, b in zip(before, then, strict=True))
                assert moved.mean_after == pytest.approx(sum(1 / n for n in then) / len(then))


def test_sets_that_enter_and_leave_keep_their_order() -> None:
    changed = changed_sets([("a",), ("b", "c"), ("d",)], [("d",), ("b",), ("a", "b")])
    assert (changed.entered, changed.left) == ((("b",), ("a", "b")), (("a",), ("b", "c")))
    assert changed.to_dict() == {"entered": [["b"], ["a", "b"]], "left": [["a"], ["b", "c"]]}
    assert changed_sets([{"age": 1}], [{"age": 1}, {"age": 2}]).to_dict() == {"entered": [{"age": 2}], "left": []}


def test_sets_whose_risk_moves(people: Table) -> None:
    general = generalize_table(people, {"age": AGE}, {"age": 1})
    with general.table as after:
        pairs = moved_sets(sudare.assess_subsets(people).ranked(), sudare.assess_subsets(after).ranked())
    assert [pair.attributes for pair in pairs] == [("age",), ("age", "sex")]
    assert pairs[0].to_dict() == {
        "attributes": ["age"], "max_before": 1.0, "max_after": 1.0, "mean_before": 1.0, "mean_after": 2 / 3,
    }  # fmt: skip


def test_what_was_made_is_gone_after_its_block(people: Table, engine: DuckDBEngine) -> None:
    def tables() -> set[str]:
        return {row[0] for row in engine.rows("SELECT table_name FROM duckdb_tables()")}

    before = tables()
    with add_records(people, pl.DataFrame(HAND)).table as more, generalize_table(more, {"age": AGE}, {"age": 1}).table:
        assert tables() > before
    assert tables() == before


def test_real_levels_move_real_risks(real_data: Callable[[str], Path], engine: DuckDBEngine) -> None:
    folder = real_data("adult/adult.csv").parent
    with sudare.read_table(folder / "adult.csv", engine=engine) as table:
        files = sudare.find_hierarchies(folder, table.attributes)
        hierarchies = {name: sudare.read_hierarchy(path, name) for name, path in files.items()}
        derived = generalize_table(table, hierarchies, {"age": 1, "native-country": 1})
        with derived.table as after:
            moved = moved_records(table, derived)
            assert moved.mean_before == 0.6465751607983555
            assert moved.mean_after == sudare.assess_records(after).mean_risk
            assert moved.no_longer_unique == 15_512 - sudare.assess_records(after).uniques
