from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.engine import DuckDBEngine
from sudare.errors import ColumnNotFound, OptionNotUsable
from sudare.messages import Message
from sudare.tables.read import read_table
from sudare.tables.sets.sample import sample_subsets
from sudare.tables.sets.subsets import assess_subsets
from tests.tables.small_tables import Records, record_lists, sizes_of, table_of

# Classes: a: 4 + 4, b: 4 + 4, c: 6 + 2; ab: 2 + 2 + 2 + 2; ac: 4 + 2 + 2; bc: 3 + 3 + 1 + 1; abc: 2 + 2, four alone.
WORKED = [(0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]


def test_worked_example() -> None:
    found = sample_subsets(table_of(WORKED), samples=100, seed=1, limit=0.5)
    assert [(entry.size, entry.sample, entry.exact) for entry in found.sizes] == [
        (0, 1, True), (1, 3, True), (2, 3, True), (3, 1, True),
    ]  # fmt: skip
    assert [entry.max_risk.value for entry in found.sizes] == pytest.approx([1 / 8, 1 / 3, 2 / 3, 1])
    assert [entry.mean_risk.value for entry in found.sizes] == pytest.approx([1 / 8, 2 / 8, 11 / 24, 6 / 8])
    assert [entry.unique_share.value for entry in found.sizes] == pytest.approx([0, 0, 2 / 24, 4 / 8])
    assert [entry.share_above.value for entry in found.sizes] == pytest.approx([0, 0, 2 / 24, 4 / 8])


@settings(deadline=None, max_examples=60)
@given(record_lists(), st.sets(st.integers(0, 4), max_size=2), st.sampled_from([1.0, 0.5, 0.25]))
def test_sizes_gone_through_equal_counting(records: Records, known: set[int], bound: float) -> None:
    fixed = sorted(a for a in known if a < len(records[0]))
    free = [a for a in range(len(records[0])) if a not in fixed]
    found = sample_subsets(table_of(records), samples=200, seed=0, known=["abcde"[a] for a in fixed], limit=bound)
    for entry in found.sizes:
        assert entry.size is not None
        sets = [sizes_of(records, [*fixed, *s]) for s in itertools.combinations(free, entry.size)]
        n = len(records)
        assert entry.max_risk.value == pytest.approx(np.mean([1 / min(c.values()) for c in sets]))
        assert entry.mean_risk.value == pytest.approx(np.mean([len(c) / n for c in sets]))
        unique = [sum(v for v in c.values() if v == 1) / n for c in sets]
        assert entry.unique_share.value == pytest.approx(np.mean(unique))
        above = [sum(v for v in c.values() if 1 / v > bound) / n for c in sets]
        assert entry.share_above.value == pytest.approx(np.mean(above))


def wide_table(attributes: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:  # type: ignore[type-arg]
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 3, size=(200, attributes)) * (rng.random((200, attributes)) < 0.4)
    return rows, [tuple(map(int, row)) for row in rows]


def test_intervals_hold_the_truth() -> None:
    _, records = wide_table(12)
    table = table_of(records)
    truth = assess_subsets(table)
    for by in ("size", "uniform"):
        found = sample_subsets(table, samples=1300, seed=3, by=by)  # type: ignore[arg-type]
        for entry in found.sizes:
            if entry.size:
                sets = [truth.subset(s) for s in itertools.combinations(table.attributes, entry.size)]
                means = {
                    "max_risk": np.mean([s.max_risk for s in sets]),
                    "mean_risk": np.mean([s.mean_risk for s in sets]),
                    "unique_share": np.mean([s.uniques / table.records for s in sets]),
                }
                for name, mean in means.items():
                    shown = getattr(entry, name)
                    assert shown.low - 1e-12 <= mean <= shown.high + 1e-12
                    assert shown.low <= shown.value <= shown.high


def test_all_sets_alike() -> None:
    _, records = wide_table(10)
    table = table_of(records)
    found = sample_subsets(table, samples=4000, seed=2, by="uniform")
    assert found.overall is not None
    assert found.overall.sample == sum(entry.sample for entry in found.sizes) == 4000
    truth = (1 / table.records + sum(s.mean_risk for s in assess_subsets(table).ranked())) / 1024
    assert found.overall.mean_risk.low <= truth <= found.overall.mean_risk.high
    assert found.overall.mean_risk.value == pytest.approx(truth, abs=0.02)


def test_the_same_seed_draws_the_same_sets() -> None:
    table = table_of(wide_table(12)[1])
    one = sample_subsets(table, samples=130, seed=9)
    assert one == sample_subsets(table, samples=130, seed=9, threads=1)
    assert one != sample_subsets(table, samples=130, seed=10)


def test_a_hundred_attributes() -> None:
    table = table_of(wide_table(26)[1])
    table.codes = np.ascontiguousarray(np.vstack([table.codes] * 4)[:100])
    table.values = (table.values * 4)[:100]
    table.attributes = tuple(f"x{a}" for a in range(100))
    found = sample_subsets(table, samples=505, seed=1)
    assert [entry.size for entry in found.sizes] == list(range(101))
    assert found.sizes[100].exact
    assert not found.sizes[50].exact
    assert found.estimated
    assert found.to_dict()["sizes"][100]["max_risk"]["value"] == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 7}, "at least 8"),
        ({"samples": 1, "by": "uniform"}, "at least 2"),
        ({"by": "chance"}, "size or uniform"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionNotUsable, match=message):
        sample_subsets(table_of(WORKED), **{"samples": 100, "seed": 1, **options})  # type: ignore[arg-type]


def test_unknown_attributes_and_bounds() -> None:
    with pytest.raises(ColumnNotFound, match="no attribute 'd'"):
        sample_subsets(table_of(WORKED), samples=100, seed=1, known=["d"])
    with pytest.raises(OptionNotUsable, match="above 0"):
        sample_subsets(table_of(WORKED), samples=100, seed=1, limit=0)


def test_adult(real_data: Callable[[str], Path], engine: DuckDBEngine) -> None:
    with read_table(real_data("adult/adult.csv"), engine=engine) as table:
        found = sample_subsets(table, samples=200, seed=1, known=["sex"])
        assert found.sizes[8].mean_risk.value == pytest.approx(assess_subsets(table).subset(table.attributes).mean_risk)


@pytest.mark.parametrize("by", ["size", "uniform"])
def test_an_interruption_leaves_the_estimates_from_the_sets_measured_so_far(by: str) -> None:
    table = table_of(wide_table(12)[1])

    def interrupt(step: Message, done: int, total: int) -> None:
        if done == 600:
            raise KeyboardInterrupt

    found = sample_subsets(table, samples=1300, seed=1, by=by, progress=interrupt)  # type: ignore[arg-type]
    whole = sample_subsets(table, samples=1300, seed=1, by=by)  # type: ignore[arg-type]
    assert (found.complete, whole.complete, found.samples) == (False, True, 600)
    assert (found.overall is None) == (by == "size")
    of_size = {entry.size: entry for entry in whole.sizes}
    risks = assess_subsets(table).ranked()
    for entry in found.sizes:
        assert entry.exact <= of_size[entry.size].exact
        assert entry.exact or 1 < entry.sample <= of_size[entry.size].sample
        truth = np.mean([risk.mean_risk for risk in risks if len(risk.attributes) == entry.size] or [1 / table.records])
        assert entry.mean_risk.low - 1e-12 <= truth <= entry.mean_risk.high + 1e-12


def test_an_interruption_before_anything_is_measured_is_one() -> None:
    def interrupt(step: Message, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample_subsets(table_of(wide_table(12)[1]), samples=100, seed=1, progress=interrupt)
