from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

import sudare
from sudare.statistics.distinct import collapse, row_order, sum_by
from sudare.tables.model import Table
from sudare.tables.sets.disclosable import disclosable_sets
from tests.tables.small_tables import names, subsets, table_of

Weighted = list[tuple[tuple[int, int, int], int]]

weighted_rows = st.lists(
    st.tuples(st.tuples(*[st.integers(0, 2)] * 3), st.integers(1, 2**58) | st.sampled_from([1, 2**53])),
    min_size=1,
    max_size=12,
    unique_by=lambda pair: pair[0],
)


def heavy(rows: Weighted) -> Table:
    """A table of distinct rows that stand for very many records."""
    table = table_of([row for row, _ in rows])
    weights = dict(rows)
    # Each value v is the number v: the values are as many as their largest.
    distinct = [tuple(int(table.values[a][code] or 0) for a, code in enumerate(row)) for row in table.codes.T]
    table.counts[:] = [weights[row] for row in distinct]  # type: ignore[index]
    return table


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2**58)), max_size=30))
def test_sums_are_those_of_whole_numbers(pairs: list[tuple[int, int]]) -> None:
    numbers, counts = np.array([n for n, _ in pairs], np.int64), np.array([c for _, c in pairs], np.int64)
    assert sum_by(numbers, counts, 5).tolist() == [sum(c for n, c in pairs if n == place) for place in range(5)]


@given(weighted_rows, st.integers(1, 2**54))
def test_every_analysis_adds_up_weights_exactly(rows: Weighted, k: int) -> None:
    table = heavy(rows)
    found = sudare.tables.assess_subsets(table)
    for chosen in subsets(range(3)):
        classes: dict[tuple[int, ...], int] = {}
        for row, weight in rows:
            key = tuple(row[a] for a in sorted(chosen))
            classes[key] = classes.get(key, 0) + weight
        sizes = sudare.tables.assess_records(table, names(chosen)).sizes
        assert [part.size for part in sizes for _ in range(part.classes)] == sorted(classes.values())
        if chosen:
            assert found.subset(names(chosen)).max_risk == 1 / min(classes.values())
        _, counts = collapse(table.codes[sorted(chosen)], table.counts)
        assert sorted(counts.tolist()) == sorted(classes.values())
    assert sum(part.records for part in sudare.tables.assess_records(table).sizes) == sum(weight for _, weight in rows)
    safe = {entry.attributes for entry in disclosable_sets(table, limit=1 / k, every=True).sets or ()}
    assert all(sudare.tables.assess_records(table, chosen).max_risk <= 1 / k for chosen in safe)


# Columns of 2^31 values: three of them do not fit into one number of 63 bits.
@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 2**18, 2**31 - 1])] * 4), max_size=30))
def test_rows_are_ordered_by_their_columns(rows: list[tuple[int, ...]]) -> None:
    codes = np.array(rows, np.int32).reshape(-1, 4).T.copy()
    assert row_order(codes).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
