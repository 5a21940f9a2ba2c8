from collections import Counter
from itertools import accumulate
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.statistics.intervals import mean_interval
from sudare.tables.walks.sampled import _FACTORS, _PARTS, _drawn
from tests.engine.looking import rows_of
from tests.tables.small_tables import Records, record_lists


def collapsed(records: Records, engine: DuckDBEngine) -> sudare.tables.CollapsedTable:
    frame = polars.DataFrame({name: [str(r[a]) for r in records] for a, name in enumerate("abcde"[: len(records[0])])})
    return sudare.tables.collapse_table(frame, engine=engine)


def numbered(records: Records) -> Records:
    """Give the values of each column numbers in their order."""
    values = [sorted({r[a] for r in records}) for a in range(len(records[0]))]
    return [tuple(values[a].index(r[a]) for a in range(len(values))) for r in records]


def drawn(records: Records, samples: int, seed: int) -> Records:
    """Draw from the records one by one, in the order of the parts."""

    def place(row: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return sum(code * factor for code, factor in zip(row, _FACTORS, strict=False)) % _PARTS, row

    ordered = sorted(numbered(records), key=place)
    return [ordered[i] for i in np.sort(np.random.default_rng(seed).integers(0, len(records), samples))]


@pytest.mark.slow
@settings(max_examples=25)
@given(record_lists(), st.integers(0, 3))
def test_records_are_drawn_by_their_position(engine: DuckDBEngine, records: Records, seed: int) -> None:
    with collapsed(records, engine) as table, _drawn(table, 12, seed) as name:
        keys = ", ".join(table.keys)
        found = rows_of(engine, f"SELECT {keys} FROM {name} ORDER BY draw")
    assert found == drawn(records, 12, seed)


@pytest.mark.slow
@settings(max_examples=25)
@given(record_lists(most_attributes=4), st.integers(0, 3))
def test_estimates_are_the_means_over_the_draws(engine: DuckDBEngine, records: Records, seed: int) -> None:
    with collapsed(records, engine) as table:
        found = sudare.tables.assess_subsets(table, walk="sample", samples=15, seed=seed, limit=0.4)
    draws, n = drawn(records, 15, seed), len(records)
    for risk in found.ranked():
        places = [found.attributes.index(name) for name in risk.attributes]
        counted = Counter(tuple(row[a] for a in places) for row in numbered(records))
        sizes = np.array([counted[tuple(row[a] for a in places)] for row in draws])
        mean, low, high = mean_interval(1 / sizes)
        _, fewest, most = mean_interval((sizes == 1) * 1.0)
        assert risk.intervals is not None
        assert (risk.mean_risk, risk.max_risk_at_least) == pytest.approx((mean, 1 / sizes.min()))
        assert risk.max_risk is None
        assert risk.intervals.mean_risk == pytest.approx((max(low, 1 / n), high))
        assert risk.intervals.uniques == (int(fewest * n), int(np.ceil(most * n)))
        assert risk.intervals.share_above == pytest.approx(mean_interval((sizes < 3) * 1.0)[1:])
    assert found.walk.error is not None
    assert (found.walk.samples, found.walk.seed, found.walk.confidence) == (15, seed, 0.95)


def test_intervals_hold_the_truth_and_the_error_is_their_widest_side(engine: DuckDBEngine) -> None:
    rng = np.random.default_rng(1)
    rows: Records = [tuple(int(v) for v in row) for row in rng.integers(0, [2, 9, 40, 3], (400, 4))]
    with collapsed(rows, engine) as table:
        truth = sudare.tables.assess_subsets(table, limit=0.2)
        found = sudare.tables.assess_subsets(table, limit=0.2, walk="sample", samples=3000, seed=1)
    sides = []
    for exact in truth.ranked("size"):
        told = found.subset(exact.attributes)
        assert told.intervals is not None
        assert told.intervals.share_above is not None
        assert told.intervals.mean_risk[0] <= exact.mean_risk <= told.intervals.mean_risk[1]
        assert told.intervals.uniques[0] <= exact.uniques <= told.intervals.uniques[1]
        assert told.intervals.share_above[0] <= (exact.share_above or 0) <= told.intervals.share_above[1]
        assert exact.max_risk is not None
        assert told.max_risk_at_least <= exact.max_risk == exact.max_risk_at_least
        sides += [abs(end - told.mean_risk) for end in told.intervals.mean_risk]
    assert max(sides) <= (found.walk.error or 0) < 0.06


def test_what_a_sample_does_not_tell_does_not_bear_the_name_of_the_exact_one(
    engine: DuckDBEngine, tmp_path: Path
) -> None:
    with collapsed([(0, 0), (0, 1), (0, 1)], engine) as table:
        sampled = sudare.tables.assess_subsets(table, walk="sample", samples=5, seed=1)
        exact = sudare.tables.assess_subsets(table, walk="engine")
    assert sampled.ranked("max_risk")
    for found, name, other in ((sampled, "max_risk_at_least", "max_risk"), (exact, "max_risk", "max_risk_at_least")):
        assert all(name in entry and other not in entry for entry in found.to_dict()["subsets"])
        assert all(("classes" in entry) == (found is exact) for entry in found.to_dict()["subsets"])
        sudare.tables.write_subsets(found, tmp_path / "sets.csv")
        columns = (tmp_path / "sets.csv").read_text().splitlines()[0].split(",")
        assert name in columns
        assert other not in columns
    with pytest.raises(sudare.OptionNotUsable, match="estimated from a sample"):
        sudare.tables.moved_sets(sampled.ranked(), exact.ranked())


def test_records_of_common_rows_are_drawn_more_often(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({"sex": ["m", "f"], "n": [900_000_000, 100_000_000]})
    with sudare.tables.collapse_table(frame, weight="n", engine=engine) as table, _drawn(table, 1000, 1) as name:
        counts = dict(rows_of(engine, f"SELECT a0, count(*) FROM {name} GROUP BY a0"))
    assert list(accumulate(counts[key] for key in sorted(counts)))[-1] == 1000
    assert 60 < counts[0] < 140


def test_a_sample_of_one_record_says_nothing(engine: DuckDBEngine) -> None:
    with collapsed([(0, 0)], engine) as table, pytest.raises(sudare.OptionNotUsable, match="at least 2"):
        sudare.tables.assess_subsets(table, walk="sample", samples=1)
