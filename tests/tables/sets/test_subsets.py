from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.kernels.tables.lattice_ends import BELOW, CLASSES, SMALLEST, UNIQUES
from sudare.statistics.distinct import collapse
from sudare.tables.sets.subsets import class_size_within
from sudare.tables.walks.memory import walk_subsets


def test_hand_worked_subsets(people: sudare.Table) -> None:
    found = sudare.tables.assess_subsets(people, limit=0.4)
    assert len(found) == 7
    sex = found.subset(["sex"])
    assert (sex.classes, sex.max_risk, sex.mean_risk, sex.uniques, sex.share_above) == (2, 1 / 3, 2 / 6, 0, 0.0)
    age = found.subset(["age"])  # 30 twice, 40 three times, 50 once
    assert (age.classes, age.max_risk, age.uniques, age.share_above) == (3, 1.0, 1, 3 / 6)
    both = found.subset(["sex", "age"])  # m30 twice, f40 twice, m40, f50
    assert (both.classes, both.mean_risk, both.uniques, both.share_above) == (4, 4 / 6, 2, 1.0)
    assert found.subset(["town"]).max_risk == 1 / 2


def test_sets_are_ranked_by_any_measure(people: sudare.Table) -> None:
    found = sudare.tables.assess_subsets(people)
    assert found.ranked("mean_risk", 1)[0].attributes == ("sex", "age", "town")
    assert [len(risk.attributes) for risk in found.ranked("size")] == [1, 1, 1, 2, 2, 2, 3]
    assert found.ranked("uniques")[-1].uniques == 0
    with pytest.raises(sudare.OptionNotUsable, match="Unknown measure 'danger'"):
        found.ranked("danger")


def test_sets_can_be_limited_in_size(people: sudare.Table) -> None:
    found = sudare.tables.assess_subsets(people, max_size=2)
    assert {len(risk.attributes) for risk in found.ranked()} == {1, 2}
    with pytest.raises(sudare.OptionNotUsable, match="max_size must be between 1 and 3, not 4"):
        sudare.tables.assess_subsets(people, max_size=4)


@pytest.mark.parametrize(
    ("chosen", "error", "message"),
    [
        (["nope"], sudare.ColumnNotFound, "The assessment has no attribute 'nope'"),
        (["twon"], sudare.ColumnNotFound, "Did you mean town"),
        ([3], TypeError, "attributes must be a list of texts"),
        (["sex", "age", "town"], sudare.OptionNotUsable, "Only sets of 1 to 2 attributes were assessed, not sets of 3"),
        ([], sudare.OptionNotUsable, "not sets of 0"),
    ],
)  # fmt: skip
def test_subsets_that_were_not_assessed_are_refused(
    people: sudare.Table, chosen: list[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sudare.tables.assess_subsets(people, max_size=2).subset(chosen)


def test_a_member_named_twice_is_one_member(people: sudare.Table) -> None:
    found = sudare.tables.assess_subsets(people)
    assert found.subset(["sex", "sex"]) == found.subset(["sex"])
    assert found.subset(["age", "sex"]) == found.subset(["sex", "age"])


def test_too_many_attributes_are_refused(engine: DuckDBEngine) -> None:
    frame = polars.DataFrame({f"a{n}": [1, 2] for n in range(25)})
    with (
        sudare.read_table(frame, engine=engine) as wide,
        pytest.raises(sudare.OptionNotUsable, match="33,554,431 subsets"),
    ):
        sudare.tables.assess_subsets(wide)


def test_the_json_has_the_promised_names(people: sudare.Table) -> None:
    found = sudare.tables.assess_subsets(people).to_dict()
    assert {"attributes", "classes", "max_risk", "mean_risk", "uniques"} <= found["subsets"][0].keys()
    assert len(found["subsets"]) == 7


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_all_sets_are_written(people: sudare.Table, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"sets{ending}"
    assert sudare.tables.write_subsets(sudare.tables.assess_subsets(people, limit=0.4), path) == 7
    written = polars.read_csv(path) if ending == ".csv" else polars.read_parquet(path)
    assert written["attributes"].to_list()[3:] == ["sex + age", "sex + town", "age + town", "sex + age + town"]
    assert written.columns == ["attributes", "size", "classes", "max_risk", "mean_risk", "uniques", "share_above"]


@pytest.mark.parametrize(
    ("risk", "size"), [(1, 1), (0.5, 2), (0.2, 5), (0.1, 10), (1 / 3, 3), (0.33, 4), (0.3, 4), (0.02, 50)]
)
def test_a_bound_is_a_class_size(risk: float, size: int) -> None:
    assert class_size_within(risk) == size


@pytest.mark.parametrize("risk", [0, -0.1, 1.5, float("nan")])
def test_a_bound_outside_0_and_1_is_refused(risk: float) -> None:
    with pytest.raises(sudare.OptionNotUsable, match="above 0 and at most 1"):
        class_size_within(risk)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 8).flatmap(
        lambda u: st.lists(st.tuples(*[st.integers(0, 2)] * u), min_size=1, max_size=14).map(
            lambda rows: np.array(rows)
        )
    ),
    st.integers(0, 3),
    st.one_of(st.none(), st.integers(1, 4)),
)
def test_every_subset_equals_counting(rows: np.ndarray, bound: int, most: int | None) -> None:
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    codes = np.ascontiguousarray(distinct.T.astype(np.int32))
    found = walk_subsets(codes, counts.astype(np.int64), bound=bound, most=most, threads=2)
    u = rows.shape[1]
    for size in range(1, u + 1):
        for members in combinations(range(u), size):
            row = found[sum(1 << a for a in members)]
            if most is not None and size > most:
                assert not row.any()
                continue
            sizes = Counter(tuple(record[list(members)]) for record in rows).values()
            assert row[CLASSES] == len(sizes)
            assert row[UNIQUES] == sum(n == 1 for n in sizes)
            assert row[SMALLEST] == min(sizes)
            assert row[BELOW] == sum(n for n in sizes if n < bound)


@pytest.mark.parametrize("sizes", [(2, 5, 3, 7, 2), (40, 3, 9, 2, 6, 30, 2)])
def test_attributes_of_different_numbers_of_values_equal_counting(sizes: tuple[int, ...]) -> None:
    # The last attributes are walked as one: how many depends on their values. Classes are of all sizes.
    rows = np.random.default_rng(2).integers(0, sizes, (300, len(sizes)))
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    found = walk_subsets(np.ascontiguousarray(distinct.T.astype(np.int32)), counts, bound=4)
    for mask in range(1, 1 << len(sizes)):
        members = [a for a in range(len(sizes)) if mask >> a & 1]
        n = np.unique(rows[:, members], axis=0, return_counts=True)[1]
        assert found[mask].tolist() == [len(n), (n == 1).sum(), n.min(), n[n < 4].sum()]


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("largest", [2, 70_000])
def test_every_subset_of_many_attributes_equals_counting(largest: int, most: int | None) -> None:
    # Twelve attributes are divided into tasks, and these into walks; large numbers of values take the wide kernel.
    rows = np.random.default_rng(1).integers(0, 3, (40, 12)) * largest // 2
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    found = walk_subsets(np.ascontiguousarray(distinct.T.astype(np.int32)), counts, bound=3, most=most, threads=2)
    for mask in range(1, 1 << 12):
        members = [a for a in range(12) if mask >> a & 1]
        sizes = np.unique(rows[:, members], axis=0, return_counts=True)[1]
        expected = [len(sizes), (sizes == 1).sum(), sizes.min(), sizes[sizes < 3].sum()]
        assert found[mask].tolist() == ([0] * 4 if len(members) > (most or 12) else expected)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=30), st.booleans())
def test_collapsing_keeps_rows_and_weights(rows: list[tuple[int, ...]], wide: bool) -> None:
    codes = np.array(rows, dtype=np.int32).T.copy()
    if wide:  # values so far apart that four columns do not fit into one key
        codes *= 2**28
    distinct, weights = collapse(codes, np.ones(len(rows), np.int64))
    expected = Counter(tuple(int(c) for c in codes[:, i]) for i in range(len(rows)))
    assert {tuple(int(c) for c in distinct[:, i]): int(weights[i]) for i in range(len(weights))} == expected


def test_adult_has_the_known_numbers(real_data, engine: DuckDBEngine) -> None:  # type: ignore[no-untyped-def]
    with sudare.read_table(real_data("adult/adult.csv"), engine=engine) as adult:
        found = sudare.tables.assess_subsets(adult)
        assert len(found) == 511
        everything = found.subset(adult.attributes)
        assert (everything.mean_risk, everything.uniques) == (0.6465751607983555, 15512)
        singles = {name: found.subset([name]).classes for name in ("age", "occupation", "native-country", "sex")}
        assert singles == {"age": 72, "occupation": 14, "native-country": 41, "sex": 2}
