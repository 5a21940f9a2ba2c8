from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.tables.derived import Derived, add_records
from sudare.tables.read import read_table
from sudare.tables.sets.dangerous import compare_dangerous, dangerous_sets
from sudare.tables.sets.dangerous_records import dangerous_records, write_dangerous_records, write_moved_rises
from tests.tables.small_tables import Case, Records, cases, names, record_lists, sizes_of, table_of

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
        "estimate": None,
        "budget": None,
    }


@pytest.mark.parametrize(
    ("size", "factor", "message"),
    [
        (1, 2.0, "size must be at least 2"),
        (4, 2.0, "the table has 3 attributes"),
        (2, 0.0, "above 0"),
        (2, -1.0, "above 0"),
        (2, float("nan"), "factor must be a finite number"),
    ],
)
def test_options_that_do_not_fit(size: int, factor: float, message: str) -> None:
    with pytest.raises(OptionNotUsable, match=message):
        dangerous_sets(table_of(WORKED), size=size, factor=factor)


# Eight attributes: each record has a value of its own in one of them, else zeros.
WIDE = [tuple(int(a == n % 8) for a in range(8)) for n in range(40)] + [(0,) * 8] * 24


@settings(deadline=None, max_examples=100)
@given(record_lists(), st.integers(2, 4), st.sampled_from([0.5, 1.0, 1.5, 2.0]), st.integers(0, 3))
def test_drawn_sets_have_the_numbers_of_all_sets(records: Records, size: int, factor: float, seed: int) -> None:
    size = min(size, len(records[0]))
    whole = dangerous_sets(table_of(records), size=size, factor=factor, most=None)
    found = dangerous_sets(table_of(records), size=size, factor=factor, most=None, samples=2, seed=seed)
    if whole.combinations <= 2:
        assert found == whole
        return
    assert found.estimate is not None
    assert set(found.sets) <= set(whole.sets)
    assert found.found == len(found.sets) == len(set(found.sets))
    assert (found.estimate.drawn, found.combinations) == (2, whole.combinations)
    true = max((max(rises(records, c)) for c in itertools.combinations(range(len(records[0])), size)), default=0)
    assert true <= found.estimate.max_factor_at_most
    assert found.estimate.low <= whole.found / whole.combinations <= found.estimate.high


@settings(deadline=None, max_examples=30)
@given(cases(), st.sampled_from([1.0, 1.5]))
def test_drawn_sets_of_persons_and_missing_values_have_the_numbers_of_all(case: Case, factor: float) -> None:
    whole = dangerous_sets(case.table, size=2, factor=factor, most=None)
    found = dangerous_sets(case.table, size=2, factor=factor, most=None, samples=2)
    assert set(found.sets) <= set(whole.sets)


def test_many_drawn_sets_tell_the_share_of_all() -> None:
    # A set is dangerous if one of its attributes has the value 1 five times: all records but the 24 have one.
    whole = dangerous_sets(table_of(WIDE), size=4, factor=9)
    found = dangerous_sets(table_of(WIDE), size=4, factor=9, samples=60, seed=5)
    assert found.estimate is not None
    assert whole.estimate is None
    assert found.estimate.low <= whole.found / whole.combinations <= found.estimate.high
    assert found.sets[0].max_factor == whole.sets[0].max_factor <= found.estimate.max_factor_at_most
    assert found == dangerous_sets(table_of(WIDE), size=4, factor=9, samples=60, seed=5)


def test_too_many_combinations_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.tables.sets.dangerous.MOST_COMBINATIONS", 69)
    monkeypatch.setattr("sudare.tables.sets.dangerous.SAMPLES", 10)
    found = dangerous_sets(table_of(WIDE), size=4, factor=2)
    assert found.estimate is not None
    assert (found.combinations, found.estimate.drawn, found.estimate.samples) == (70, 10, 10)


def test_an_interruption_leaves_a_smaller_sample() -> None:
    def interrupt(_: str, done: int, __: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    found = dangerous_sets(table_of(WIDE), size=4, factor=2, samples=20, progress=interrupt)
    assert found.estimate is not None
    assert (found.estimate.drawn, found.estimate.samples) == (7, 20)
    short = dangerous_sets(table_of(WIDE), size=4, factor=2, samples=20, seconds=1e-9)
    assert short.estimate is not None
    assert short.estimate.drawn == 2


def rises_after(records: Records, levels: int) -> Records:
    """Return records whose first attribute is without its last digits."""
    return [(record[0] // levels, *record[1:]) for record in records]


@settings(deadline=None, max_examples=60)
@given(record_lists(), st.sampled_from([1.0, 1.5, 2.0]), st.sampled_from([None, 2]))
def test_what_becomes_of_the_rises_is_what_they_are_in_both_tables(
    records: Records, factor: float, samples: int | None
) -> None:
    coarse = rises_after(records, 2)
    derived = Derived(table_of(records), table_of(coarse), ())
    found = compare_dangerous(derived, size=2, factor=factor, samples=samples)
    sets = list(itertools.combinations(range(len(records[0])), 2))
    pairs = {names(s): (max(rises(records, s)), max(rises(coarse, s))) for s in sets}
    moved = {entry.attributes: (entry.before, entry.after) for entry in found.moved}
    expected = {s: pair for s, pair in pairs.items() if max(pair) > factor and pair[0] != pair[1]}
    assert moved == expected if samples is None or len(sets) <= 2 else moved.items() <= expected.items()
    assert found.before == dangerous_sets(derived.origin, size=2, factor=factor, samples=samples, most=None)
    assert found.after == dangerous_sets(derived.table, size=2, factor=factor, samples=samples, most=None)
    sizes = [abs(entry.difference) for entry in found.moved]
    assert sizes == sorted(sizes, reverse=True)


def test_the_records_of_dangerous_sets_are_written_one_by_one(tmp_path: Path, engine: DuckDBEngine) -> None:
    rows = pl.DataFrame({"a": [str(r[0]) for r in WORKED], "b's": [str(r[1]) for r in WORKED]})
    more = pl.DataFrame({"a": ["1", "1"], "b's": ["1", "1"]})
    with read_table(rows, engine=engine) as table:
        write_dangerous_records(table, [("a", "b's")], 2, tmp_path / "r.csv")
        plain = pl.read_csv(tmp_path / "r.csv")
        derived = add_records(table, more)
        with derived.table:
            write_moved_rises(derived, [("a", "b's")], 2, tmp_path / "r.csv")
        write_dangerous_records(table, [], 2, tmp_path / "none.csv")
    # Zeros: three of eight with b 0. The last record: one of the six with a 1, and with two more one of three of eight.
    assert plain.columns == ["attributes", "record", "class_size", "risk", "rise"]
    assert plain["record"].to_list() == [1, 2, 3, 12]
    assert plain.row(3) == ("a + b's", 12, 1, 1.0, 6.0)
    after = pl.read_csv(tmp_path / "r.csv").filter(pl.col("record") == 12).to_dicts()[0]
    assert (after["class_size_after"], after["rise_after"]) == (3, pytest.approx(8 / 3))
    assert (after["risk_difference"], after["rise_difference"]) == (pytest.approx(-2 / 3), pytest.approx(8 / 3 - 6))
    assert (tmp_path / "none.csv").read_text().strip() == "attributes,record,class_size,risk,rise"


def test_records_need_known_attributes_and_two_of_them() -> None:
    with pytest.raises(ColumnNotFound, match="no attribute 'z'"):
        dangerous_records(table_of(WORKED), ["a", "z"], 2)
    with pytest.raises(OptionNotUsable, match="at least two attributes"):
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
