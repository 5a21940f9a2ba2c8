from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables.derived import add_records
from sudare.tables.generalized import generalize_table
from sudare.tables.hierarchies.model import make_hierarchy
from sudare.tables.model import Table
from sudare.tables.sets import what_if
from sudare.tables.sets.attribute_sets import SetRisk
from sudare.tables.sets.dangerous import dangerous_sets
from sudare.tables.sets.disclosable import DisclosableSets, disclosable_sets
from sudare.tables.sets.what_if import (
    changed_disclosable,
    changed_sets,
    moved_records,
    moved_risks,
    moved_sets,
    stayed_disclosable,
)
from tests.engine.looking import rows_of
from tests.tables.small_tables import Case, Record, cases, names, record_lists, subsets, table_of

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
        moved = moved_records(added)
        assert (moved.records, moved.moved, moved.no_longer_unique) == (3, 1, 1)
        assert (moved.mean_before, moved.mean_after) == (1.0, pytest.approx((1 / 3 + 1 + 1) / 3))
        assert (moved.max_before, moved.max_after) == (1.0, 1.0)
        assert moved_records(added, ["sex"]).to_dict()["moved"] == 3
        assert moved_records(added, []).mean_after == pytest.approx(1 / 6)


def test_generalized_values_worked_by_hand(people: Table) -> None:
    """At level 1 of age the first two are alike; the third is still the only one over 40."""
    general = generalize_table(people, {"age": AGE}, {"age": 1})
    with general.table as after:
        assert (after.values[0], after.counts.tolist()) == (("20s", "40s"), [2, 1])
        moved = moved_records(general)
    assert (moved.moved, moved.no_longer_unique, moved.mean_after) == (2, 2, pytest.approx(2 / 3))


def test_records_are_added_and_then_generalized(people: Table) -> None:
    added = add_records(people, pl.DataFrame({"age": ["41"], "sex": ["m"]}))
    with added.table, generalize_table(added.table, {"age": AGE}, {"age": 1}).table as after:
        both = added.then(generalize_table(added.table, {"age": AGE}, {"age": 1}))
        assert after.counts.tolist() == [2, 2]
        assert moved_records(both).max_after == 0.5


def test_added_records_need_the_columns_of_the_table(people: Table) -> None:
    with pytest.raises(sudare.ColumnNotFound, match="has no attribute 'sex'"):
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
                found = sudare.tables.assess_records(after, names(chosen))
                assert found.mean_risk == pytest.approx(sum(1 / n for n in then) / len(then))
                moved = moved_records(added, names(chosen))
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
                assert sudare.tables.assess_records(after, names(chosen)).uniques == then.count(1)
                moved = moved_records(derived, names(chosen))
                assert moved.moved == sum(a != b for a, b in zip(before, then, strict=True))
                assert moved.mean_after == pytest.approx(sum(1 / n for n in then) / len(then))


def test_sets_that_enter_and_leave_keep_their_order() -> None:
    changed = changed_sets([("a",), ("b", "c"), ("d",)], [("d",), ("b",), ("a", "b")])
    assert (changed.entered, changed.left) == ((("b",), ("a", "b")), (("a",), ("b", "c")))
    assert changed.to_dict() == {"entered": [["b"], ["a", "b"]], "left": [["a"], ["b", "c"]], "complete": True}
    assert changed_sets([["a", "b"]], [["b", "a"]]) == sudare.tables.SetsChanged((), ())
    with pytest.raises(TypeError, match="after is a list of sets of attributes"):
        changed_sets([], [{"a": [1]}])
    levels = changed_sets([{"age": 1}], [{"age": 1}, {"age": 2}])
    assert levels.to_dict() == {"entered": [{"age": 2}], "left": [], "complete": True}


class Counted(tuple[str, ...]):
    """A set of attributes that counts how often it is compared with another."""

    compared = 0
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return tuple.__eq__(self, other)


def test_two_thousand_sets_are_not_compared_with_each_other_one_by_one() -> None:
    sets = [Counted((f"a{a}", f"b{a}")) for a in range(2000)]
    Counted.compared = 0
    changed = changed_sets(sets, [Counted((*one, "c")) for one in sets])
    assert (len(changed.entered), len(changed.left)) == (2000, 2000)
    # Every set with every other would be four million and more.
    assert Counted.compared < 20_000


def test_of_two_maximal_sets_that_do_not_stay_the_common_part_does() -> None:
    records = [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 0), (1, 0, 0, 1)]
    before, after = (disclosable_sets(table_of(part), limit=0.5) for part in (records[:2], records))
    assert [[entry.attributes for entry in found.maximal] for found in (before, after)] == [
        [("a", "b", "c")],
        [("b", "c", "d")],
    ]
    assert stayed_disclosable(before, after) == [("b", "c")]


Risks = tuple[float, float]


def safe_sets(records: list[tuple[int, ...]], k: int, known: frozenset[int]) -> dict[tuple[str, ...], Risks]:
    """Count the classes of every set, and return the highest and the mean risk of those with classes of k."""
    safe = {}
    for chosen in subsets(range(len(records[0]))):
        sizes = Case([*records], None, "value").sizes(chosen)
        if known <= chosen and min(sizes) >= k:
            safe[names(chosen)] = 1 / min(sizes), sum(1 / size for size in sizes) / len(sizes)
    return safe


@given(
    records=record_lists(most_attributes=4),
    cut=st.integers(1, 23),
    k=st.integers(1, 5),
    known=st.sets(st.integers(0, 1), max_size=1),
    every=st.booleans(),
)
@settings(max_examples=200)
def test_what_enters_leaves_and_stays_is_that_of_all_disclosable_sets(
    records: list[tuple[int, ...]], cut: int, k: int, known: set[int], every: bool
) -> None:
    """Both ways: records are added, or taken away, so that sets leave too."""
    few = records[: min(cut, len(records))]
    old, new = safe_sets(few, k, frozenset(known)), safe_sets(records, k, frozenset(known))
    # The numbers of values stay, so that both tables have the same attributes.
    tables = table_of(few), table_of(records)
    before, after = (disclosable_sets(table, limit=1 / k, known=names(known), every=every) for table in tables)
    changed, back = changed_disclosable(before, after), changed_disclosable(after, before)
    assert set(changed.entered) == new.keys() - old.keys()
    assert set(changed.left) == old.keys() - new.keys()
    assert len(changed.entered) == len(set(changed.entered))
    assert (set(back.entered), set(back.left)) == (set(changed.left), set(changed.entered))
    assert changed.complete
    stayed = old.keys() & new.keys()
    told = stayed_disclosable(before, after)
    assert set(told) <= stayed
    # Every set that stays is part of one that is told.
    assert {one for one in stayed if any(set(one) <= set(whole) for whole in told)} == stayed
    if every:
        assert set(told) == stayed
    moved = {pair.attributes: pair for pair in moved_risks(*tables, told)}
    for one, pair in moved.items():
        assert (pair.max_before, pair.mean_before) == pytest.approx(old[one])
        assert (pair.max_after, pair.mean_after) == pytest.approx(new[one])
    assert all(old[one] == pytest.approx(new[one]) for one in set(told) - moved.keys())


def test_only_what_is_certain_enters_where_a_search_was_cut_short() -> None:
    def found(maximal: list[tuple[str, ...]], unsafe: list[tuple[str, ...]], complete: bool) -> DisclosableSets:
        sets = tuple(SetRisk(names, 0.1, 0.1) for names in maximal)
        return DisclosableSets(0.1, None, 10, 0, (), True, complete, sets, tuple(unsafe))

    cut = found([("a",)], [("b",)], False)
    # Of c nothing is known before: it need not enter.
    changed = changed_disclosable(cut, found([("b", "c"), ("a",)], [("a", "b"), ("a", "c")], True))
    assert (changed.entered, changed.left, changed.complete) == ((("b", "c"), ("b",)), (), False)


def test_more_sets_than_are_listed_are_told_as_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_if, "MOST_LISTED", 3)
    few, many = table_of([(0, 0, 0), (1, 1, 1)]), table_of([(0, 0, 0)] * 2 + [(1, 1, 1)] * 2)
    changed = changed_disclosable(disclosable_sets(few, limit=0.5), disclosable_sets(many, limit=0.5))
    assert (len(changed.entered), changed.complete) == (3, False)


@given(record_lists(most_attributes=4), st.integers(1, 23), st.sampled_from([1.5, 2.0, 3.0]))
@settings(max_examples=100)
def test_dangerous_sets_that_enter_and_leave_equal_counting(
    records: list[tuple[int, ...]], cut: int, factor: float
) -> None:
    few = records[: min(cut, len(records))]

    def dangerous(some: list[tuple[int, ...]]) -> set[tuple[str, ...]]:
        case = Case([*some], None, "value")
        found = set()
        for chosen in subsets(range(case.width)):
            alone = [case.sizes([a]) for a in chosen]
            if len(chosen) == 2 and any(
                max(column[i] for column in alone) / size > factor for i, size in enumerate(case.sizes(chosen))
            ):
                found.add(names(chosen))
        return found

    before, after = (
        [s.attributes for s in dangerous_sets(table_of(some), size=2, factor=factor, most=None).sets]
        for some in (few, records)
    )
    changed = changed_sets(before, after)
    assert set(changed.entered) == dangerous(records) - dangerous(few)
    assert set(changed.left) == dangerous(few) - dangerous(records)


def test_adult_gains_four_disclosable_sets_and_loses_none(real_data: Callable[[str], Path]) -> None:
    whole = pl.read_csv(real_data("adult/adult.csv"), separator=";", infer_schema=False)
    with sudare.read_table(whole.head(20_000)) as table, add_records(table, whole.slice(20_000)).table as more:
        before, after = disclosable_sets(table, limit=0.1), disclosable_sets(more, limit=0.1)
        moved = {pair.attributes: pair for pair in moved_risks(table, more, stayed_disclosable(before, after))}
    changed = changed_disclosable(before, after)
    assert {frozenset(entered) for entered in changed.entered} == {
        frozenset({"workclass"}),
        frozenset({"workclass", "salary-class"}),
        frozenset({"marital-status", "salary-class"}),
        frozenset({"sex", "education"}),
    }
    assert len(changed.entered) == 4
    assert changed.left == ()
    for name in ("marital-status", "education"):
        sizes = [int(part.group_by(name).len()["len"].min()) for part in (whole.head(20_000), whole)]  # type: ignore[arg-type]
        assert (moved[(name,)].max_before, moved[(name,)].max_after) == (1 / sizes[0], 1 / sizes[1])


def test_sets_whose_risk_moves(people: Table) -> None:
    general = generalize_table(people, {"age": AGE}, {"age": 1})
    with general.table as after:
        pairs = moved_sets(sudare.tables.assess_subsets(people).ranked(), sudare.tables.assess_subsets(after).ranked())
    assert [pair.attributes for pair in pairs] == [("age",), ("age", "sex")]
    assert pairs[0].to_dict() == {
        "attributes": ["age"], "max_before": 1.0, "max_after": 1.0, "mean_before": 1.0, "mean_after": 2 / 3,
    }  # fmt: skip


def test_what_was_made_is_gone_after_its_block(people: Table, engine: DuckDBEngine) -> None:
    def tables() -> set[str]:
        return {row[0] for row in rows_of(engine, "SELECT table_name FROM duckdb_tables()")}

    before = tables()
    with add_records(people, pl.DataFrame(HAND)).table as more, generalize_table(more, {"age": AGE}, {"age": 1}).table:
        assert tables() > before
    assert tables() == before


def test_real_levels_move_real_risks(real_data: Callable[[str], Path], engine: DuckDBEngine) -> None:
    folder = real_data("adult/adult.csv").parent
    with sudare.read_table(folder / "adult.csv", engine=engine) as table:
        files = sudare.tables.find_hierarchies(folder, table.attributes)
        hierarchies = {name: sudare.tables.read_hierarchy(path, name) for name, path in files.items()}
        derived = generalize_table(table, hierarchies, {"age": 1, "native-country": 1})
        with derived.table as after:
            moved = moved_records(derived)
            assert moved.mean_before == 0.6465751607983555
            assert moved.mean_after == sudare.tables.assess_records(after).mean_risk
            assert moved.no_longer_unique == 15_512 - sudare.tables.assess_records(after).uniques
