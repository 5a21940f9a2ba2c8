from collections.abc import Iterator

import numpy as np
import polars
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.errors import OptionNotUsable
from tests.engine.looking import rows_of
from tests.tables.small_tables import Records, record_lists, sizes_of


def collapsed(records: Records, engine: DuckDBEngine) -> sudare.tables.CollapsedTable:
    frame = polars.DataFrame({name: [str(r[a]) for r in records] for a, name in enumerate("abcde"[: len(records[0])])})
    return sudare.tables.collapse_table(frame, engine=engine)


def test_hand_worked_sets(engine: DuckDBEngine) -> None:
    # sex, age: m30 twice, m40, f40 twice.
    rows = [(0, 30), (0, 30), (0, 40), (1, 40), (1, 40)]
    with collapsed(rows, engine) as table:
        assert (table.records, table.distinct) == (5, 3)
        found = sudare.tables.assess_subsets(table, walk="engine", limit=0.4, class_sizes=True)
    assert len(found) == 3
    one, both = found.subset(["a"]), found.subset(["a", "b"])
    assert (one.classes, one.max_risk, one.mean_risk, one.uniques, one.share_above) == (2, 1 / 2, 2 / 5, 0, 2 / 5)
    assert (both.classes, both.max_risk, both.mean_risk, both.uniques, both.share_above) == (3, 1.0, 3 / 5, 1, 1.0)
    assert [(part.size, part.classes, part.records) for part in both.class_sizes or ()] == [(1, 1, 1), (2, 2, 4)]
    assert found.walk.to_dict() == {"how": "engine", "decided_by": "request", "distinct_rows": 3}


@settings(max_examples=25)
@given(record_lists(), st.integers(1, 5), st.sampled_from([0.2, 0.4, 1.0]), st.booleans())
def test_the_walk_on_the_engine_finds_what_the_kernel_finds(
    engine: DuckDBEngine, records: Records, most: int, bound: float, sizes: bool
) -> None:
    most = min(most, len(records[0]))
    with collapsed(records, engine) as table:
        there, here = (
            sudare.tables.assess_subsets(table, walk=walk, max_size=most, limit=bound, class_sizes=sizes)
            for walk in ("engine", "memory")
        )
    assert there.ranked("size") == here.ranked("size")
    assert len(there) == len(here)


def test_some_attributes_of_a_table_are_walked(engine: DuckDBEngine) -> None:
    with collapsed([(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 0, 2)], engine) as table:
        found = sudare.tables.assess_subsets(table, attributes=["c", "a"], walk="engine")
        assert [risk.attributes for risk in found.ranked("size")] == [("c",), ("a",), ("c", "a")]
        assert found.subset(["c", "a"]).classes == 3


def test_missing_values_and_weights_are_counted_on_the_engine(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({"sex": ["m", None, "m", None], "n": [3, 1, 4, 1]})
    with sudare.tables.collapse_table(frame, weight="n", engine=engine) as table:
        found = sudare.tables.assess_subsets(table, walk="engine").subset(["sex"])
        assert (table.records, found.classes, found.max_risk, found.uniques) == (9, 2, 1 / 2, 0)


@pytest.fixture(scope="module")
def guarded() -> Iterator[DuckDBEngine]:
    """An engine that lets no count below three out."""
    with DuckDBEngine(min_cell=3, threads=1) as engine:
        yield engine


@settings(max_examples=20)
@given(record_lists(most_attributes=3))
def test_merged_counts_tell_no_risk_too_low(guarded: DuckDBEngine, records: Records) -> None:
    with collapsed(records, guarded) as table:
        if len(records) < 3:
            with pytest.raises(OptionNotUsable, match="fewer than 3"):
                sudare.tables.assess_subsets(table, walk="engine")
            return
        found = sudare.tables.assess_subsets(table, walk="engine", limit=0.4, class_sizes=True)
    assert found.walk.min_cell == 3
    for risk in found.ranked():
        sizes = sizes_of(records, [found.attributes.index(name) for name in risk.attributes]).values()
        assert risk.classes == len(sizes)
        assert risk.mean_risk >= len(sizes) / len(records) - 1e-12
        assert risk.uniques >= sum(n == 1 for n in sizes)
        assert (risk.share_above or 0) * len(records) >= sum(n for n in sizes if n < 3) - 1e-9
        assert min(part.records for part in risk.class_sizes or ()) >= 3


def test_nothing_is_left_on_the_engine(engine: DuckDBEngine) -> None:
    before = rows_of(engine, "SELECT count(*) FROM duckdb_tables()")
    with collapsed([(0, 0), (0, 1), (1, 1)], engine) as table:
        sudare.tables.assess_subsets(table, walk="engine")
        sudare.tables.assess_subsets(table, walk="sample", samples=10)
        sudare.tables.assess_subsets(table)
    assert rows_of(engine, "SELECT count(*) FROM duckdb_tables()") == before


def test_rows_fetched_twice_are_the_same(engine: DuckDBEngine) -> None:
    with collapsed([(0, 0), (0, 1), (0, 1)], engine) as table:
        first, second = sudare.tables.fetch_table(table), sudare.tables.fetch_table(table)
        assert np.array_equal(first.codes, second.codes)
        assert first.counts.tolist() == [1, 2]
