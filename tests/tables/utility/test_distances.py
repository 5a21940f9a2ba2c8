"""How far distributions moved: worked by hand, and against spreading record by record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable
from sudare.tables.utility.distances import MOST_GROUPS, grouped, marginals_moved, pairs_moved, value_groups
from sudare.tables.utility.estimates import compared
from tests.tables.recoded.small import recoded_of, starred, unchanged
from tests.tables.small_tables import Records, record_lists, table_of
from tests.tables.utility.brute_force import distance, estimated, original, recoded_tables


def moved(found: RecodedTable) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    sides = compared(found)
    columns = [grouped(column) for column in sides.columns]
    marginals = {one.attribute: one.distance for one in marginals_moved(sides, columns)}
    return marginals, {(one.first, one.second): one.distance for one in pairs_moved(sides, columns)}


def test_a_cell_is_spread_by_the_exact_values_of_its_column() -> None:
    # Two records say 0; two say one of 0, 1, 2, which is spread 3 : 1 : 1 (a record more for each value). So 3.2, 0.4
    # and 0.4 of four records are estimated to have 0, 1 and 2, where 2, 1 and 1 have them.
    found = recoded_of(table_of([(0,), (0,), (1,), (2,)]), [[(0,)], [(0, 1, 2)]], [0, 0, 1, 1])
    assert moved(found)[0] == {"a": pytest.approx(0.8 - 0.5)}


def test_a_cell_is_spread_evenly_where_no_value_is_exact() -> None:
    # 0 and 1 are estimated to have 1.5 records each instead of 1 and 2; 2 and 3 to have 0.5 each instead of 1 and 0.
    table = table_of([(0,), (1,), (1,), (3,)])
    found = recoded_of(table, [[(0, 1)], [(2, 3)]], [0, 0, 0, 1])
    assert moved(found)[0] == {"a": pytest.approx((0.5 + 0.5 + 0.5 + 0.5) / 4 / 2)}


def test_everything_hidden_leaves_even_and_independent_distributions() -> None:
    # a has 3/4 and 1/4 instead of halves, b 1/2, 1/4 and 1/4 instead of thirds. Of the six pairs, three have 1/2, 1/4
    # and 1/4 instead of sixths, and three have nothing.
    found = starred(table_of([(0, 0), (0, 0), (0, 1), (1, 2)]))
    marginals, pairs = moved(found)
    assert marginals == {"a": pytest.approx(1 / 4), "b": pytest.approx(1 / 6)}
    assert pairs == {("a", "b"): pytest.approx(1 / 3 + 1 / 12 + 1 / 12)}


def test_an_unchanged_column_keeps_its_distribution_and_loses_what_it_has_to_do_with_hidden_ones() -> None:
    # b repeats a. With a hidden, half of the records of each value of b are estimated to have the other value of a.
    found = starred(table_of([(0, 0), (0, 0), (1, 1), (1, 1)]), roles={"b": "sensitive"})
    assert moved(found) == ({"a": 0.0, "b": 0.0}, {("a", "b"): 0.5})


def test_suppressed_records_are_missing_from_the_shares() -> None:
    found = recoded_of(table_of([(0,), (0,), (1,)]), [[(0,)]], [0, 0, -1])
    assert moved(found)[0] == {"a": pytest.approx(1 / 3)}


def test_nothing_published_has_nothing_in_common_with_the_original() -> None:
    found = recoded_of(table_of([(0, 0), (1, 1)]), [], [-1, -1])
    assert moved(found) == ({"a": 1.0, "b": 1.0}, {("a", "b"): 1.0})


def test_values_that_only_a_population_has_are_covered_too() -> None:
    # The cell covers 0, 1 and a value that no record of the table has: thirds instead of halves and nothing.
    found = starred(table_of([(0, 0), (1, 1)]))
    a, b = found.columns
    wider = replace(a, values=("0", "1", "2"), listed=np.arange(3, dtype=np.int32), ends=np.array([3]))
    marginals, pairs = moved(replace(found, columns=(wider, b)))
    assert marginals == {"a": pytest.approx(1 / 3), "b": 0.0}
    assert pairs == {("a", "b"): pytest.approx((1 / 3 + 1 / 3 + 4 / 6) / 2)}


def test_dropped_columns_are_not_compared() -> None:
    found = starred(table_of([(0, 0), (1, 1)]), roles={"a": "dropped"})
    assert moved(found) == ({"b": 0.0}, {})


@given(record_lists())
def test_unchanged_records_move_nothing(records: Records) -> None:
    marginals, pairs = moved(unchanged(table_of(records)))
    assert set(marginals.values()) == {0.0}
    assert set(pairs.values()) == {0.0}


@given(recoded_tables())
def test_distances_are_those_of_spreading_record_by_record(found: RecodedTable) -> None:
    marginals, pairs = moved(found)
    for names, got in [*(((name,), one) for name, one in marginals.items()), *pairs.items()]:
        wanted = distance(original(found, names), estimated(found, names))
        assert got == pytest.approx(float(wanted), abs=1e-12), names


def many_values(values: tuple[str | None, ...]) -> Table:
    """Return a table with as many records of a value as its place says, from one."""
    table = table_of([(value,) for value in range(len(values))])
    return replace(table, values=(values,), counts=np.arange(1, len(values) + 1, dtype=np.int64))


def test_many_numbers_are_compared_in_ranges_of_about_equally_many_records() -> None:
    table = many_values((*map(str, range(1_000)), None))
    (column,) = compared(unchanged(table)).columns
    group = value_groups(column)
    assert (np.diff(group) >= 0).all()
    held = np.bincount(group, table.counts)
    assert len(held) == MOST_GROUPS
    assert held[-1] == 1_001  # what is missing has a group of its own
    assert held[:-1].max() < 1.3 * held[:-1].mean()


def test_a_number_that_most_records_have_leaves_groups_to_the_others() -> None:
    table = many_values(tuple(map(str, range(1_000))))
    table = replace(table, counts=np.array([100_000] + [1] * 999))
    group = value_groups(compared(starred(table)).columns[0])
    assert (np.bincount(group)[0], len(set(group))) == (1, pytest.approx(MOST_GROUPS / 2, abs=5))


def test_of_many_names_the_rare_ones_are_compared_together() -> None:
    table = many_values(tuple(f"name {i}" for i in range(1_000)))
    (column,) = compared(unchanged(table)).columns
    group = value_groups(column)
    assert len(set(group[-(MOST_GROUPS - 1) :])) == MOST_GROUPS - 1
    assert set(group[: -(MOST_GROUPS - 1)]) == {MOST_GROUPS - 1}


def test_a_column_that_is_compared_in_groups_says_so() -> None:
    found = unchanged(many_values(tuple(map(str, range(1_000)))))
    sides = compared(found)
    (one,) = marginals_moved(sides, [grouped(column) for column in sides.columns])
    assert (one.distance, one.groups) == (0.0, MOST_GROUPS - 1)


def test_hidden_numbers_are_spread_over_their_groups() -> None:
    # 200 numbers, each of one record, hidden: every group has the share of its numbers, before and after.
    table = table_of([(value,) for value in range(200)])
    assert moved(starred(table))[0] == {"a": pytest.approx(0.0, abs=1e-12)}
