"""Known people and pseudonyms in the same codes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.errors import OptionNotUsable
from sudare.histories.generalized.model import CellHistory, OrderedColumn
from sudare.histories.profiles.sides import Side, make_sides, places_of
from tests.histories.generalized.small_cells import cells
from tests.histories.profiles.small_profiles import bought

KNOWN = [
    ["3", "2011/1/1", "a", "1.50", "1"],
    ["1", "2011/1/2", "b", "2", "1"],
    ["3", "2011/1/3", "b", "2", "4"],
    ["*"] * 5,
    ["7", "2011/1/1", "c", "*", "2"],
]


def codes(side: Side, role: str) -> list[list[int]]:
    """Return by person the codes of their rows."""
    return [
        side.columns[role].numbers[start:end].tolist() for start, end in zip(side.starts, side.starts[1:], strict=False)
    ]


def test_rows_stand_by_person_and_deleted_ones_are_gone() -> None:
    sides = make_sides(cells(KNOWN), cells(KNOWN))
    assert sides.customers.tolist() == [1, 3, 7]
    assert sides.known.rows.tolist() == [1, 2, 1]
    assert sides.known.owners.tolist() == [0, 1, 1, 2]
    assert sides.items == ("a", "b", "c")
    assert codes(sides.known, "item") == codes(sides.published, "item")
    assert codes(sides.known, "price")[2] == [-1]
    assert np.isnan(sides.known.numbers["price"]).tolist() == [False, False, False, True]
    assert sides.known.days is not None
    assert (sides.known.days - sides.known.days.min()).tolist() == [1, 0, 2, 0]


def test_pseudonyms_with_the_same_rows_are_one_group_whatever_their_order() -> None:
    published = cells(
        [
            ["4", "2011/6/1", "a", "1", "1"],
            ["4", "2011/6/2", "b", "1", "1"],
            ["2", "2011/6/1", "a", "1", "1"],
            ["9", "2011/6/2", "b", "1", "1"],
            ["9", "2011/6/1", "a", "1", "1"],
        ]
    )
    sides = make_sides(bought({1: ["a"]}), published)
    assert (sides.pids.tolist(), sides.groups.tolist()) == ([2, 4, 9], [0, 1, 1])
    assert (sides.multiplicity.tolist(), sides.grouped) == ([1, 2], True)
    assert sides.published.rows.tolist() == [1, 2]
    assert not make_sides(published, bought({1: ["a"]})).grouped


@pytest.mark.parametrize("whole", ["price", "quantity"])
def test_whole_numbers_in_one_file_are_the_same_with_fractions_in_the_other(whole: str) -> None:
    rows = [[str(n), "2011/1/1", "a", str(n), str(2 * n)] for n in range(1, 5)]
    known = cells(rows)
    column = known.column(whole)
    assert isinstance(column, OrderedColumn)
    scale = 100 if column.form == "integer" else 1
    other = replace(column, form="decimal", low=column.low * scale, high=column.high * scale)
    as_whole = replace(column, form="integer", low=other.low // 100, high=other.high // 100)
    one, two = (
        CellHistory(known.persons, tuple(c if c.name != whole else own for c in known.columns))
        for own in (as_whole, other)
    )
    for sides in (make_sides(one, two), make_sides(two, one)):
        assert codes(sides.known, whole) == codes(sides.published, whole)
        assert sides.known.numbers[whole].tolist() == sides.published.numbers[whole].tolist()


def test_items_are_the_same_in_full_width_and_with_blanks() -> None:
    sides = make_sides(bought({1: ["ﾊﾟﾝ", "tea"]}), bought({1: ["パン", "ｔｅａ "]}))
    assert sides.items == ("tea", "パン")
    assert sorted(codes(sides.known, "item")[0]) == sorted(codes(sides.published, "item")[0])


def test_columns_that_only_one_file_has_are_not_compared() -> None:
    known = cells(KNOWN)
    bare = CellHistory(known.persons, known.columns[:2])
    assert make_sides(known, bare).sizes.keys() == {"item"}
    assert make_sides(known, known).sizes.keys() == {"item", "price", "quantity"}
    assert make_sides(known, known, days=True).sizes.keys() == {"item", "price", "quantity", "day"}


@pytest.mark.parametrize("day", ["*", "[2011/1/1;2011/1/2]"])
def test_days_that_are_not_single_ones_are_none(day: str) -> None:
    published = cells([["1", day, "a", "1", "1"], ["1", "2011/1/1", "a", "1", "1"]])
    assert make_sides(cells(KNOWN), published).published.days is None
    assert make_sides(published, cells(KNOWN)).known.days is None


def test_numbers_of_ranges_are_their_middles() -> None:
    published = cells([["1", "2011/1/1", "a", "[1;2]", "[1;3]"], ["1", "2011/1/1", "a", "*", "5"]])
    sides = make_sides(cells(KNOWN), published)
    assert sides.published.numbers["quantity"].tolist() == [2, 5]
    # The attacker coarsens what is known: 1 lies in 1 to 3, 4 in nothing.
    assert sides.known.numbers["quantity"].tolist() == [2, 2, 4, 2]
    assert sides.published.numbers["price"][0] == 150


@pytest.mark.parametrize("rows", [[], [["*"] * 5]])
def test_a_history_without_rows_is_refused(rows: list[list[str]]) -> None:
    for known, published in ((KNOWN, rows), (rows, KNOWN)):
        with pytest.raises(OptionNotUsable, match="has no rows"):
            make_sides(cells(known, "abc"), cells(published, "abc"))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.data())
def test_some_rows_are_those_of_the_people_who_have_any(sizes: list[int], data: st.DataObject) -> None:
    side = make_sides(
        bought({n: [f"i{n}{row}" for row in range(size)] for n, size in enumerate(sizes, 1)}), bought({1: ["a"]})
    ).known
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=sum(sizes), max_size=sum(sizes))))
    found, people = side.taken(chosen)
    assert people.tolist() == sorted(set(side.owners[chosen].tolist()))
    assert [row for own in codes(found, "item") for row in own] == side.columns["item"].numbers[chosen].tolist()
    assert found.rows.tolist() == [int(chosen[side.owners == person].sum()) for person in people]
    kept = data.draw(st.lists(st.sampled_from(range(len(sizes))), min_size=1, unique=True))
    assert codes(side.of_people(np.array(kept)), "item") == [codes(side, "item")[person] for person in sorted(kept)]


@given(st.lists(st.integers(0, 20), min_size=1, unique=True), st.lists(st.integers(-3, 25)))
def test_places_are_those_in_a_rising_row(rising: list[int], wanted: list[int]) -> None:
    rising.sort()
    found = places_of(np.array(rising), np.array(wanted, np.int64))
    assert found.tolist() == [rising.index(number) if number in rising else -1 for number in wanted]
