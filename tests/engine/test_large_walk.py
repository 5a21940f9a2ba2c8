"""Tables that stay on the engine: the same answers there as in memory, on every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pytest

import sudare
from sudare.engine import DuckDBEngine, Engine, protocol
from sudare.engine.protocol import Row
from sudare.engine.spark.engine import SparkEngine
from sudare.tables.walks import packed_rows

RNG = np.random.default_rng(7)
ROWS = RNG.integers(0, [2, 3, 9], (60, 3))
FRAME = polars.DataFrame({name: [str(value) for value in ROWS[:, a]] for a, name in enumerate("abc")})


def walked(engine: Engine, **words: Any) -> sudare.tables.SubsetsAssessment:
    with sudare.tables.collapse_table(FRAME, engine=engine) as table:
        return sudare.tables.assess_subsets(table, limit=0.2, **words)


def test_the_engine_finds_what_the_kernel_finds(any_engine: Engine, engine: DuckDBEngine) -> None:
    found = walked(any_engine, memory="1B", class_sizes=True)
    assert (found.walk.how, found.walk.decided_by) == ("engine", "size")
    assert found.ranked("size") == walked(engine, walk="memory", class_sizes=True).ranked("size")


@pytest.mark.parametrize(("at_once", "parts", "bits"), [(0, 1, 63), (10**9, 1, 4), (10**9, 2, 63), (50, 2, 4)])
def test_however_sets_are_grouped_the_answer_is_the_same(
    any_engine: Engine, engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch, at_once: int, parts: int, bits: int
) -> None:
    """Set by set or all at once, from classes that lie together or not, in one word or in several."""
    monkeypatch.setattr(any_engine, "grouped_rows", at_once)
    monkeypatch.setattr(any_engine, "parts", parts)
    monkeypatch.setattr(protocol, "PART_ROWS", 1)
    monkeypatch.setattr(packed_rows, "WORD_BITS", bits)
    for asked in ({}, {"max_size": 2}, {"attributes": ["c", "a"]}):
        found = walked(any_engine, walk="engine", class_sizes=True, **asked)
        assert found.ranked("size") == walked(engine, walk="memory", class_sizes=True, **asked).ranked("size")


def test_of_a_level_of_sets_spark_is_asked_a_few_times(spark: SparkEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer = spark._fetch_rows

    def counted(sql: str, most: int | None = None) -> list[Row]:
        asked.append(sql)
        return answer(sql, most)

    monkeypatch.setattr(spark, "_fetch_rows", counted)
    with sudare.tables.collapse_table(FRAME, engine=spark) as table:
        asked.clear()
        sudare.tables.assess_subsets(table, walk="engine")
    # The numbers of values, the sizes of the whole set, of pairs with and without sets to be grouped from them, and of
    # single attributes.
    assert len(asked) == 5


def test_a_seed_draws_the_same_records_on_every_engine(any_engine: Engine, engine: DuckDBEngine) -> None:
    found = walked(any_engine, walk="sample", samples=200, seed=3)
    assert found.ranked("size") == walked(engine, walk="sample", samples=200, seed=3).ranked("size")
    for exact in walked(engine, walk="memory").ranked():
        told = found.subset(exact.attributes).intervals
        assert told is not None
        assert told.mean_risk[0] <= exact.mean_risk <= told.mean_risk[1]
        assert told.uniques[0] <= exact.uniques <= told.uniques[1]


def test_only_counts_leave_the_cluster_and_small_ones_are_merged(spark: SparkEngine) -> None:
    guarded = SparkEngine(session=spark.session, min_cell=5)
    before = guarded.collected
    found = walked(guarded, max_size=1, class_sizes=True)
    assert (found.walk.how, found.walk.decided_by, found.walk.min_cell) == ("engine", "small counts", 5)
    lines = [part for risk in found.ranked() for part in risk.class_sizes or ()]
    assert min(part.records for part in lines) >= 5
    # How many rows there are, rare rows, values, and the sizes of classes. No cells were written otherwise.
    assert guarded.collected - before == 3 + len(lines)
