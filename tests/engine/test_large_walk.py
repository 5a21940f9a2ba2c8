"""Tables that stay on the engine: the same answers there as in memory, on every engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars

import sudare
from sudare.engine import DuckDBEngine, Engine
from sudare.engine.spark import SparkEngine

RNG = np.random.default_rng(7)
ROWS = RNG.integers(0, [2, 3, 9], (60, 3))
FRAME = polars.DataFrame({name: [str(value) for value in ROWS[:, a]] for a, name in enumerate("abc")})


def walked(engine: Engine, **words: Any) -> sudare.SubsetsAssessment:
    with sudare.collapse_table(FRAME, engine=engine) as table:
        return sudare.assess_subsets(table, bound=0.2, **words)


def test_the_engine_finds_what_the_kernel_finds(any_engine: Engine, engine: DuckDBEngine) -> None:
    found = walked(any_engine, memory="1B", class_sizes=True)
    assert (found.walk.how, found.walk.decided_by) == ("engine", "size")
    assert found.ranked("size") == walked(engine, walk="memory", class_sizes=True).ranked("size")


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
    # How many rows there are, cells written otherwise, names that differ by case alone, rare rows, values, and
    # the sizes of classes.
    assert guarded.collected - before == 5 + len(lines)
