"""Histories by levels and by suppression: cells by hand, the best levels by trying all, classes by independent code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.contest.check import check_anonymized
from sudare.errors import OptionNotUsable
from sudare.histories.anonymize.level_cells import column_level, different_levels, level_names
from sudare.histories.anonymize.levels import (
    anonymize_by_levels,
    level_cost,
    parse_levels,
    publish_levels,
    suppress_history,
)
from sudare.histories.generalized.model import CellHistory, Kind
from sudare.histories.generalized.text import read_original, write_cells
from sudare.histories.utility.cost import cell_text, cell_utility
from tests.histories.anonymize.small_histories import Row, histories, history
from tests.histories.generalized.small_cells import cells

DATES = ["2010/12/1", "2010/12/5", "2010/12/6", "2011/1/31", "2011/4/1"]


def published(original: CellHistory, column: str, level: str, most_items: int = 100) -> list[str]:
    """Return the cells of a column at a level as they are written."""
    found = column_level(original, column, level, most_items=most_items).published
    return [cell_text(found, row) for row in range(len(original))]


def dated(days: list[str]) -> CellHistory:
    return cells([["1", day, "a", "1", "1"] for day in days])


def itemized(items: list[str]) -> CellHistory:
    return cells([["1", "2011/1/1", item, "1", "1"] for item in items])


def priced(prices: list[str]) -> CellHistory:
    return cells([["1", "2011/1/1", "a", price, "1"] for price in prices])


def test_a_week_begins_on_monday_and_ends_with_its_last_day_that_occurs() -> None:
    # 6 December 2010 was a Monday.
    assert published(dated(DATES), "date", "week") == [
        "[2010/12/1;2010/12/5]", "[2010/12/1;2010/12/5]", "2010/12/6", "2011/1/31", "2011/4/1",
    ]  # fmt: skip


def test_months_quarters_and_years_are_those_of_the_calendar() -> None:
    december = ["[2010/12/1;2010/12/6]"] * 3
    assert published(dated(DATES), "date", "month") == [*december, "2011/1/31", "2011/4/1"]
    assert published(dated(DATES), "date", "quarter") == [*december, "2011/1/31", "2011/4/1"]
    assert published(dated(DATES), "date", "year") == [*december, *["[2011/1/31;2011/4/1]"] * 2]


def test_a_range_that_costs_more_than_a_deleted_cell_is_deleted() -> None:
    # Deviation 50: from one end of 101 days the others are 50 days away on average, which is 1.0 deviations.
    original = dated(["2011/1/1", "2011/4/11"])
    assert published(original, "date", "year") == ["*", "*"]
    assert column_level(original, "date", "year").errors.tolist() == [1, 1]


def test_items_that_begin_alike_are_one_set_and_too_many_are_deleted() -> None:
    original = itemized(["84001", "84002A", "84002B", "9", "84002A"])
    assert level_names(original.column("item")) == (
        "full", "prefix5", "prefix4", "prefix3", "prefix2", "prefix1", "all",
    )  # fmt: skip
    pair = "{84002A;84002B}"
    assert published(original, "item", "prefix5") == ["84001", pair, pair, "9", pair]
    three = "{84001;84002A;84002B}"
    assert published(original, "item", "prefix2") == [three, three, three, "9", three]
    assert published(original, "item", "prefix2", most_items=2) == ["*", "*", "*", "9", "*"]


def test_prices_lie_between_powers() -> None:
    original = priced(["0.01", "0.03", "0.04", "0.15", "0.16", "9"])
    assert published(original, "price", "powers4") == [
        "[0.01;0.03]", "[0.01;0.03]", "[0.04;0.15]", "[0.04;0.15]", "0.16", "9",
    ]  # fmt: skip
    low = ["[0.01;0.15]"] * 4
    assert published(original, "price", "powers16") == [*low, "0.16", "9"]


def test_a_price_of_zero_is_below_all_powers() -> None:
    # No contest has such a price, but other histories may.
    original = priced(["0.01", "0.02", "0.5"])
    price = original.column("price")
    zero = CellHistory(original.persons, (original.columns[0], _minus_one(price)))
    assert column_level(zero, "price", "powers2").codes.tolist() == [0, 1, 2]


def _minus_one(column: object) -> object:
    from dataclasses import replace

    return replace(column, low=column.low - 1, high=column.high - 1)  # type: ignore[attr-defined,type-var]


@pytest.mark.parametrize("column", ["date", "item", "price", "quantity"])
def test_the_first_level_is_exact_and_the_last_deleted(column: str) -> None:
    original = history([[(1, "a", 1, 1), (9, "b", 5, 6)], [(28, "b", 2, 1)]])
    first, *_, last = different_levels(original, column)
    assert (first.published.kinds == Kind.EXACT).all()
    assert (first.errors == 0).all()
    assert (last.published.kinds == Kind.DELETED).all()
    assert (last.errors == 1).all()


@given(histories(4, 4))
def test_every_level_covers_what_it_stands_for_and_costs_what_is_measured(people: list[list[Row]]) -> None:
    original = history(people)
    for column in original.columns:
        for level in different_levels(original, column.name):
            others = tuple(level.published if other is column else other for other in original.columns)
            measured = cell_utility(original, CellHistory(original.persons, others), most=0)
            assert measured.utility * len(original) * 4 == pytest.approx(level.errors.sum())
            assert (level.errors <= 1 + 1e-12).all() or column.name != "item"
            # Rows of the same number have the same cell, and only deleted ones may share a cell otherwise.
            shown = [cell_text(level.published, row) for row in range(len(original))]
            assert len(set(zip(level.codes.tolist(), shown, strict=True))) == len(set(shown)) == len(set(level.codes))


@given(histories(3, 4), st.data())
def test_the_cost_of_groups_is_that_of_the_published_history(people: list[list[Row]], data: st.DataObject) -> None:
    original = history(people)
    groups = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=len(original), max_size=len(original))))
    levels = {
        column.name: data.draw(st.sampled_from(list(different_levels(original, column.name))))
        for column in original.columns
    }
    anonymized = publish_levels(original, levels, groups, np.random.default_rng(0))
    cost = sum(level_cost(level, groups) for level in levels.values())
    assert cell_utility(original, anonymized, most=0).utility * len(original) * 4 == pytest.approx(cost)
    for group in set(groups.tolist()) - {-1}:
        rows = np.flatnonzero(groups == group)
        for column in anonymized.columns:
            assert len({cell_text(column, int(row)) for row in rows}) == 1
    assert (anonymized.persons[groups == -1] == 0).all()


def test_rows_that_were_left_out_cost_nothing() -> None:
    level = column_level(history([[(1, "a", 1, 1), (2, "a", 1, 1), (3, "a", 1, 1)]]), "date", "day")
    assert level_cost(level, np.array([0, 0, -2])) == 2
    assert level_cost(level, np.array([0, -2, -2])) == 0
    assert level_cost(level, np.array([0, -1, -2])) == 1


def sizes_of_classes(anonymized: CellHistory) -> list[int]:
    """Return how many pseudonyms have the same rows, each as often: independent of the code under test."""
    of_person: dict[int, Counter[tuple[str, ...]]] = {}
    for row, person in enumerate(anonymized.persons.tolist()):
        if person:
            line = tuple(cell_text(column, row) for column in anonymized.columns)
            of_person.setdefault(person, Counter())[line] += 1
    return sorted(Counter(frozenset(rows.items()) for rows in of_person.values()).values())


def check_passes(original: CellHistory, anonymized: CellHistory, folder: Path) -> bool:
    write_cells(anonymized, folder / "A.csv")
    return check_anonymized(original, folder / "A.csv").valid


@settings(deadline=None, max_examples=8)
@given(histories(5, 3), st.integers(2, 3), st.integers(0, 2))
def test_by_levels_everybody_has_the_rows_of_others(people: list[list[Row]], k: int, seed: int) -> None:
    original = history(people)
    found = anonymize_by_levels(original, k, seed=seed, fast=True, rounds=20, threads=1)
    assert min(sizes_of_classes(found.history)) >= k
    assert sizes_of_classes(found.history) == list(found.sizes)
    assert found.utility == pytest.approx(cell_utility(original, found.history).utility)
    assert set(found.levels) == {"date", "item", "price", "quantity"}


@settings(deadline=None, max_examples=5)
@given(histories(4, 2))
def test_with_one_class_the_levels_are_the_best_for_its_groups(people: list[list[Row]]) -> None:
    original = history([[person[0]] for person in people])
    found = anonymize_by_levels(original, 4, fast=True, rounds=20, threads=1)
    # Everybody has one row: the only class has one group.
    every = [list(different_levels(original, column.name)) for column in original.columns]
    least = min(sum(level_cost(level, np.zeros(4, np.int64)) for level in levels) for levels in product(*every))
    assert found.utility * 16 == pytest.approx(least)


PEOPLE: list[list[Row]] = [
    [(1, "a", 1, 1), (9, "b", 2, 1)],
    [(2, "a", 1, 1), (10, "b", 2, 1)],
    [(15, "c", 9, 6), (16, "c", 9, 5)],
    [(15, "c", 9, 6), (17, "c", 9, 5), (28, "d", 1, 1)],
]


def test_rows_that_are_equal_at_their_levels_are_kept_and_others_deleted(tmp_path: Path) -> None:
    original = history(PEOPLE)
    found = anonymize_by_levels(original, 2, levels={"date": "week"}, fast=True, rounds=20, threads=1)
    assert found.levels == {"date": "week", "item": "full", "price": "exact", "quantity": "exact"}
    # 1 and 2 January 2011 are of one week, 9 January (Sunday) is the last day of the next one.
    dates = [cell_text(found.history.column("date"), row) for row in range(9)]
    assert dates[:2] == dates[2:4] == ["[2011/1/1;2011/1/2]", "*"]
    assert dates[6] == "[2011/1/10;2011/1/16]"
    assert found.history.deleted.tolist() == [False] * 8 + [True]
    assert (found.model, found.deleted_rows, found.sizes, found.bound) == ("levels", 1, (2, 2), 0.0)
    assert found.to_dict()["levels"] == found.levels
    assert check_passes(original, found.history, tmp_path)


def test_by_suppression_cells_are_exact_or_deleted(tmp_path: Path) -> None:
    original = history(PEOPLE)
    found = suppress_history(original, 2, fast=True, rounds=20, threads=1)
    assert found.model == "suppression"
    assert {int(kind) for column in found.history.columns for kind in np.unique(column.kinds)} == {
        Kind.EXACT,
        Kind.DELETED,
    }
    assert min(sizes_of_classes(found.history)) >= 2
    # Eight dates but two of 15 January differ, and a row has no counterpart.
    assert found.utility == pytest.approx((6 + 4) / 36)
    assert check_passes(original, found.history, tmp_path)


def test_the_same_seed_gives_the_same_history() -> None:
    original = history(PEOPLE)
    one, two = (anonymize_by_levels(original, 2, seed=5, fast=True, rounds=20, threads=threads) for threads in (1, 2))
    assert one.history.persons.tolist() == two.history.persons.tolist()
    assert one.levels == two.levels


def test_levels_are_read_from_one_text() -> None:
    assert parse_levels("date=week, item=prefix2") == {"date": "week", "item": "prefix2"}


@pytest.mark.parametrize("text", ["", "date", "date=", "=week", "date=week,date=month", "date=week,,"])
def test_texts_that_are_no_levels_are_refused(text: str) -> None:
    with pytest.raises(OptionNotUsable, match="Hint: Write for example date=week"):
        parse_levels(text)


@pytest.mark.parametrize(
    ("levels", "complaint"),
    [
        ({"day": "week"}, "The history has no column 'day'.\nHint: Its columns are date, item, price, quantity."),
        ({"date": "bins4"}, "no level 'bins4'.\nHint: Its levels are day, week, month, quarter, year, all."),
        ({"item": "prefix7"}, "no level 'prefix7'.\nHint: Its levels are full, all."),
    ],
)
def test_levels_that_a_column_has_not_are_refused(levels: dict[str, str], complaint: str) -> None:
    with pytest.raises(OptionNotUsable) as refused:
        anonymize_by_levels(history(PEOPLE), 2, levels=levels)
    assert complaint in str(refused.value)


def test_the_contest_history_follows_the_rules_at_every_level(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    original = read_original(real_data("pwscup2018-T.csv"))
    rows = np.arange(len(original))
    for levels in ("week full powers2 powers2", "quarter prefix3 powers16 powers16", "year prefix1 powers256 powers4"):
        chosen = {
            column.name: column_level(original, column.name, level)
            for column, level in zip(original.columns, levels.split(), strict=True)
        }
        write_cells(publish_levels(original, chosen, rows, np.random.default_rng(0)), tmp_path / "A.csv")
        assert check_anonymized(original, tmp_path / "A.csv").valid
