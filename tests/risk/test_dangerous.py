from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudare.data.table import read_table
from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.risk.dangerous import dangerous_records, dangerous_sets

from .small_tables import Records, names, record_lists, sizes_of, table_of

# Sex and smoking are evenly spread, but there is one woman who smokes; the town adds nothing.
WORKED = [(0, 0, 0)] * 3 + [(0, 1, 0)] * 3 + [(1, 0, 0)] * 5 + [(1, 1, 0)] * 1


def test_worked_example() -> None:
    found = dangerous_sets(table_of(WORKED), size=2, factor=5)
    # (1, 1): sex 1 has 6 records, smoking 1 has 4, both one: 6 / 1. (c is one value: 12 / 4 = 3, 12 / 6 = 2.)
    assert [(entry.attributes, entry.records, entry.max_factor) for entry in found.sets] == [(("a", "b"), 1, 6.0)]
    assert (found.combinations, found.found) == (3, 1)


def test_the_factor_itself_is_not_above_the_factor() -> None:
    assert dangerous_sets(table_of(WORKED), size=2, factor=6).sets == ()
    assert dangerous_sets(table_of(WORKED), size=2, factor=5.99).found == 1


def test_the_records_of_a_dangerous_set_are_shown_with_their_values() -> None:
    found = dangerous_records(table_of(WORKED), ["a", "b"], 2)
    assert [(entry.values, entry.records, entry.factor) for entry in found] == [
        ({"a": "1", "b": "1"}, 1, 6.0),
        ({"a": "0", "b": "0"}, 3, pytest.approx(8 / 3)),
    ]
    assert found[0].to_dict() == {"values": {"a": "1", "b": "1"}, "records": 1, "size": 1, "factor": 6.0, "risk": 1.0}


def rises(records: Records, subset: tuple[int, ...]) -> list[float]:
    together = sizes_of(records, subset)
    alone = {a: sizes_of(records, [a]) for a in subset}
    return [max(alone[a][(r[a],)] for a in subset) / together[tuple(r[a] for a in subset)] for r in records]


@settings(deadline=None, max_examples=150)
@given(record_lists(), st.integers(2, 4), st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0]))
def test_equals_counting_record_by_record(records: Records, size: int, factor: float) -> None:
    size = min(size, len(records[0]))
    expected = {}
    for subset in itertools.combinations(range(len(records[0])), size):
        z = rises(records, subset)
        if max(z) > factor:
            expected[names(subset)] = (sum(value > factor for value in z), max(z))
    found = dangerous_sets(table_of(records), size=size, factor=factor, most=None)
    assert {entry.attributes: (entry.records, entry.max_factor) for entry in found.sets} == expected
    for entry in found.sets:
        assert sum(r.records for r in dangerous_records(table_of(records), entry.attributes, factor)) == entry.records


def test_only_the_most_dangerous_are_reported_but_all_are_counted() -> None:
    every = dangerous_sets(table_of(WORKED), size=2, factor=0.1, most=None)
    one = dangerous_sets(table_of(WORKED), size=2, factor=0.1, most=1)
    assert one.found == every.found == 3
    assert one.sets == every.sets[:1]
    assert [entry.max_factor for entry in every.sets] == sorted((e.max_factor for e in every.sets), reverse=True)


def test_results_are_plain_values() -> None:
    assert dangerous_sets(table_of(WORKED), size=2, factor=5).to_dict() == {
        "size": 2,
        "factor": 5,
        "combinations": 3,
        "found": 1,
        "sets": [{"attributes": ["a", "b"], "records": 1, "max_factor": 6.0}],
    }


@pytest.mark.parametrize(
    ("size", "factor", "message"),
    [
        (1, 2.0, "size from 2"),
        (4, 2.0, "size from 2 to 3"),
        (2, 0.0, "above 0"),
        (2, -1.0, "above 0"),
        (2, float("nan"), "factor must be a finite number"),
    ],
)
def test_options_that_do_not_fit(size: int, factor: float, message: str) -> None:
    with pytest.raises(OptionNotUsable, match=message):
        dangerous_sets(table_of(WORKED), size=size, factor=factor)


def test_too_many_combinations_are_refused_before_any_work() -> None:
    wide = table_of(WORKED)
    wide.attributes = tuple(f"x{a}" for a in range(60))
    with pytest.raises(OptionNotUsable, match="smaller size"):
        dangerous_sets(wide, size=10, factor=2)


def test_records_need_known_attributes_and_two_of_them() -> None:
    with pytest.raises(ColumnNotFound, match="no attribute 'z'"):
        dangerous_records(table_of(WORKED), ["a", "z"], 2)
    with pytest.raises(OptionNotUsable, match="two or more"):
        dangerous_records(table_of(WORKED), ["a", "a"], 2)


def test_adult(real_data: Callable[[str], Path], engine: DuckDBEngine) -> None:
    with read_table(real_data("adult/adult.csv"), engine=engine) as table:
        found = dangerous_sets(table, size=2, factor=10_000)
        assert found.combinations == 36
        # 27,504 records are from the United States; some share their other value with one record.
        assert found.sets[0].max_factor == 27_504
        shown = dangerous_records(table, found.sets[0].attributes, 10_000)
        assert sum(entry.records for entry in shown) == found.sets[0].records
        assert shown[0].records == 1
