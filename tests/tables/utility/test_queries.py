"""Counts of random queries: worked by hand, and against spreading record by record."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.tables.recoded.model import RecodedTable
from sudare.tables.utility import queries
from sudare.tables.utility.estimates import Column, Compared, compared
from sudare.tables.utility.queries import Chosen, count_queries, query_errors
from tests.tables.recoded.small import recoded_of, starred, unchanged
from tests.tables.small_tables import Records, record_lists, table_of
from tests.tables.utility.brute_force import estimated, original, recoded_tables


def counts(found: RecodedTable, names: tuple[str, ...], chosen: list[set[int]]) -> tuple[float, float]:
    sides = compared(found)
    columns = [column for column in sides.columns if column.attribute in names]
    masks = [np.isin(np.arange(len(c.values)), list(values)) for c, values in zip(columns, chosen, strict=True)]
    return next(count_queries(sides, columns, [masks]))


def test_a_count_is_estimated_from_the_shares_of_the_cells() -> None:
    # Of the records with {0, 1} x {0, 1, 2}, two thirds of a half are asked for; the record with 1 x 2 is not.
    table = table_of([(0, 0), (0, 2), (1, 1), (1, 2)])
    found = recoded_of(table, [[(0, 1), (0, 1, 2)], [(1,), (2,)]], [0, 0, 0, 1])
    # a is exactly 1 once, so that 0 : 1 are 1 : 2; b is exactly 2 once, so that 0 : 1 : 2 are 1 : 1 : 2.
    assert counts(found, ("a", "b"), [{0}, {0, 1}]) == (1.0, pytest.approx(3 * (1 / 3) * (2 / 4)))
    assert counts(found, ("a", "b"), [{1}, {2}]) == (1.0, pytest.approx(3 * (2 / 3) * (2 / 4) + 1))


def test_hidden_columns_are_counted_by_the_number_of_values_asked_for() -> None:
    found = starred(table_of([(0, 0, 0), (0, 1, 2), (1, 1, 1)]))
    assert counts(found, ("a", "b", "c"), [{0}, {1}, {0, 2}]) == (1.0, pytest.approx(3 * (1 / 2) * (1 / 2) * (2 / 3)))


def test_suppressed_records_are_not_counted() -> None:
    found = recoded_of(table_of([(0, 0), (0, 0), (1, 1)]), [[(0,), (0,)]], [0, -1, -1])
    assert counts(found, ("a", "b"), [{0}, {0}]) == (2.0, 1.0)


@given(recoded_tables(), st.data())
def test_counts_are_those_of_spreading_record_by_record(found: RecodedTable, data: st.DataObject) -> None:
    names = found.roles.published
    names = tuple(sorted(data.draw(st.sets(st.sampled_from(names), min_size=2, max_size=3))))
    places = found.table.positions(names)
    chosen = [data.draw(st.sets(st.integers(0, len(found.table.values[place]) - 1))) for place in places]

    def total(joint: dict[tuple[int, ...], object]) -> float:
        asked = (key for key in joint if all(value in chosen[a] for a, value in enumerate(key)))
        return float(sum(joint[key] for key in asked))  # type: ignore[misc]

    wanted = total(original(found, names)), total(estimated(found, names))
    assert counts(found, names, chosen) == pytest.approx(wanted, abs=1e-12)


@given(record_lists())
def test_unchanged_records_have_no_error(records: Records) -> None:
    sides = compared(unchanged(table_of(records)))
    for attributes in (2, 3):
        errors = query_errors(sides, attributes=attributes, queries=20, seed=0)
        asked = sum(len(column.values) > 1 for column in sides.columns)
        assert (errors is None) == (asked < attributes)
        assert errors is None or (errors.queries, errors.median, errors.mean, errors.ninety) == (20, 0.0, 0.0, 0.0)


def test_every_query_is_wholly_wrong_where_nothing_is_published() -> None:
    sides = compared(recoded_of(table_of([(0, 0), (1, 1)]), [], [-1, -1]))
    errors = query_errors(sides, attributes=2, queries=50, seed=0)
    assert errors is not None
    assert (errors.median, errors.mean, errors.ninety) == (1.0, 1.0, 1.0)


def test_small_counts_are_compared_with_a_share_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every query asks for one record of four, and none is published: one of two is missing.
    sides = compared(recoded_of(table_of([(0, 0), (0, 1), (1, 0), (1, 1)]), [], [-1] * 4))
    monkeypatch.setattr(queries, "FLOOR", 0.5)
    errors = query_errors(sides, attributes=2, queries=20, seed=0)
    assert errors is not None
    assert (errors.floor, errors.median, errors.mean, errors.ninety) == (2.0, 0.5, 0.5, 0.5)


def test_the_share_is_a_thousandth() -> None:
    errors = query_errors(compared(starred(table_of([(0, 0), (1, 1)] * 1_000))), attributes=2, queries=5, seed=0)
    assert errors is not None
    # All queries ask for 1,000 or none of 2,000 records, and estimate 500.
    assert (errors.floor, errors.median) == (2.0, 0.5)


@settings(max_examples=50)
@given(record_lists(), st.integers(0, 3))
def test_a_query_counts_a_record_and_asks_for_less_than_everything(records: Records, seed: int) -> None:
    drawn: list[tuple[float, Chosen]] = []
    counted = queries.count_queries

    def watched(sides: Compared, columns: list[Column], asked: list[Chosen]) -> Iterator[tuple[float, float]]:
        for chosen, found in zip(asked, counted(sides, columns, asked), strict=True):
            drawn.append((found[0], chosen))
            yield found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "count_queries", watched)
        errors = query_errors(compared(unchanged(table_of(records))), attributes=2, queries=15, seed=seed)
    assert len(drawn) == (15 if errors else 0)
    for true, chosen in drawn:
        assert true >= 1
        assert all(values.any() and not values.all() for values in chosen)
        # The values of these tables are numbers in order: ranges, where there are more than two.
        assert all(len(values) == 2 or np.ptp(np.flatnonzero(values)) + 1 == values.sum() for values in chosen)


def test_the_same_seed_asks_the_same_queries() -> None:
    sides = compared(starred(table_of([(a % 7, a % 5, a % 3) for a in range(40)])))
    first, again, other = (query_errors(sides, attributes=2, queries=30, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def test_the_interval_of_a_median_is_between_ranks() -> None:
    # The median lies between the 40th and the 61st of 100 errors if 40 to 60 of 100 tosses are heads: with 96 %.
    found = queries._summary(np.arange(1.0, 101.0), 2, 0.1)
    assert found is not None
    assert (found.median_low, found.median, found.median_high) == (40, 50.5, 61)
    assert (found.mean, found.ninety) == (50.5, pytest.approx(90.1))


def test_large_tables_are_asked_about_some_sets_of_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    counted = queries.count_queries

    def watched(sides: Compared, columns: list[Column], drawn: list[Chosen]) -> Iterator[tuple[float, float]]:
        asked.append([column.attribute for column in columns])
        return counted(sides, columns, drawn)

    monkeypatch.setattr(queries, "count_queries", watched)
    monkeypatch.setattr(queries, "MOST_GROUPED", 0)
    monkeypatch.setattr(queries, "LEAST_SETS", 4)
    table = table_of([tuple((row >> a) & 1 for a in range(6)) for row in range(64)])
    errors = query_errors(compared(unchanged(table)), attributes=3, queries=100, seed=0)
    assert errors is not None
    assert errors.queries == 100
    assert [len(names) for names in asked] == [3] * 4
