"""Cells of two histories in the same codes, against plain sets of values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sudare.histories.profiles.coding import CodedColumn, Coding, Ranges, Sets, code_ranges, code_sets, numbered

# A cell of numbers is a pair of ends, one of items a tuple of them; None is a deleted one.
Ends = tuple[int, int]
Cell = Ends | None
Items = tuple[int, ...] | None
ITEMS = 6

ends = st.tuples(st.integers(-9, 20), st.integers(0, 6)).map(lambda cell: (cell[0], cell[0] + cell[1]))
exact = st.integers(-9, 20).map(lambda value: (value, value))
item_sets = st.lists(st.integers(0, ITEMS - 1), min_size=1, max_size=3, unique=True).map(tuple)


def ranges(cells: list[Cell]) -> Ranges:
    low, high = (np.array([cell[end] if cell else 0 for cell in cells], np.int64) for end in (0, 1))
    return Ranges(low, high, np.array([cell is None for cell in cells], np.bool_))


def sets(cells: list[Items]) -> Sets:
    """Return cells as sets that are held once for each way in which they are written, single items first."""
    ways = [*((item,) for item in range(ITEMS)), *dict.fromkeys(cell for cell in cells if cell and len(cell) > 1)]
    numbers = [ways.index(cell) if cell else -1 for cell in cells]
    starts = np.cumsum([0, *map(len, ways)]).astype(np.int64)
    return Sets(np.array(numbers, np.int32), starts, np.array([item for way in ways for item in way], np.int64))


def codes_of(column: CodedColumn) -> list[set[int] | None]:
    """Return the codes that the cell of each row stands for."""
    if column.starts is None or column.codes is None:
        return [None if number < 0 else {number} for number in column.numbers.tolist()]
    expanded = [
        set(column.codes[column.starts[n] : column.starts[n + 1]].tolist()) for n in range(len(column.starts) - 1)
    ]
    return [None if number < 0 else expanded[number] for number in column.numbers.tolist()]


def is_disjoint(cells: list[Cell]) -> bool:
    """Say whether different cells have no value in common."""
    different = sorted({cell for cell in cells if cell})
    return all(one[1] < other[0] for one, other in pairwise(different))


@given(st.lists(st.none() | exact, max_size=8), st.lists(st.none() | ends, max_size=5))
def test_a_known_value_has_the_code_of_the_published_cell_that_holds_it(known: list[Cell], cells: list[Cell]) -> None:
    found = code_ranges(ranges(known), ranges(cells))
    assert found.overlapping != is_disjoint(cells)
    if found.overlapping:
        return
    own, other = codes_of(found.known), codes_of(found.published)
    assert [code is None for code in own + other] == [cell is None for cell in known + cells]
    for place, value in enumerate(known):
        for cell_place, cell in enumerate(cells):
            if value and cell:
                assert (own[place] == other[cell_place]) == (cell[0] <= value[0] <= cell[1])
        for second, another in enumerate(known):
            if value and another and not any(cell and cell[0] <= value[0] <= cell[1] for cell in cells):
                assert (own[place] == own[second]) == (value == another)
    check_middles(found, known, cells)


def check_middles(found: Coding, known: list[Cell], cells: list[Cell]) -> None:
    """Compare the value of each code with the middle of the cells that have it."""
    assert len(found.values) == found.size
    for cell, codes in zip(cells, codes_of(found.published), strict=True):
        if cell and codes:
            assert found.values[min(codes)] == (cell[0] + cell[1]) / 2
    for value, codes in zip(known, codes_of(found.known), strict=True):
        if value and codes and not any(cell and cell[0] <= value[0] <= cell[1] for cell in cells):
            assert found.values[min(codes)] == value[0]


@given(st.lists(st.none() | ends, max_size=6), st.lists(st.none() | ends, max_size=6))
def test_cells_that_overlap_stand_for_single_values(known: list[Cell], cells: list[Cell]) -> None:
    found = code_ranges(ranges(known), ranges(cells))
    if not found.overlapping:
        return
    told = {end for cell in known if cell for end in cell} | {cell[0] for cell in cells if cell and cell[0] == cell[1]}
    assert found.values.tolist() == sorted(told)
    for cell, codes in zip(known + cells, codes_of(found.known) + codes_of(found.published), strict=True):
        if cell is None:
            assert codes is None
        else:
            assert {found.values[code] for code in codes or ()} == {v for v in told if cell[0] <= v <= cell[1]}


def test_known_ranges_that_go_across_published_cells_are_expanded_too() -> None:
    found = code_ranges(ranges([(1, 4)]), ranges([(1, 2), (3, 5)]))
    assert found.overlapping
    assert found.values.tolist() == [1, 4]
    assert codes_of(found.published) == [{0}, {1}]


@given(st.lists(st.none() | item_sets, max_size=6), st.lists(st.none() | item_sets, max_size=6))
def test_items_have_the_code_of_the_set_that_holds_them_or_stand_for_themselves(
    known: list[Items], cells: list[Items]
) -> None:
    found = code_sets(sets(known), sets(cells), ITEMS)
    different = {frozenset(cell) for cell in cells if cell}
    apart = sum(map(len, different)) == len(frozenset().union(*different))
    of = {item: int(found.code_of[item]) for item in range(ITEMS)}
    holder = {item: next((cell for cell in different if item in cell), frozenset((item,))) for item in range(ITEMS)}
    held = all(len({holder[item] for item in cell}) == 1 for cell in known if cell)
    assert found.overlapping != (apart and held)
    if found.overlapping:
        assert (of, found.size) == ({item: item for item in range(ITEMS)}, ITEMS)
    else:
        assert all((of[a] == of[b]) == (holder[a] == holder[b]) for a in range(ITEMS) for b in range(ITEMS))
    for cell, codes in zip(known + cells, codes_of(found.known) + codes_of(found.published), strict=True):
        assert codes == (None if cell is None else {of[item] for item in cell})
        assert codes is None or max(codes) < found.size


def test_sets_that_share_an_item_overlap_and_sets_in_another_order_do_not() -> None:
    assert code_sets(sets([(0,)]), sets([(0, 1), (1, 2)]), ITEMS).overlapping
    found = code_sets(sets([(1,)]), sets([(0, 1), (1, 0)]), ITEMS)
    assert not found.overlapping
    assert codes_of(found.known) == [{0}]
    assert codes_of(found.published) == [{0}, {0}]


def test_nothing_but_deleted_cells_leaves_known_values_as_they_are() -> None:
    found = code_ranges(ranges([(3, 3), (1, 1), (3, 3)]), ranges([None, None]))
    assert codes_of(found.known) == [{1}, {0}, {1}]
    assert codes_of(found.published) == [None, None]
    items = code_sets(sets([(3,), (1,)]), sets([None]), ITEMS)
    assert codes_of(items.published) == [None]
    assert len({tuple(codes or ()) for codes in codes_of(items.known)}) == 2


@pytest.mark.parametrize("far", [0, 1 << 40])
@given(st.lists(st.integers(-50, 50), max_size=20))
def test_values_are_numbered_in_their_order_however_far_they_lie_apart(far: int, values: list[int]) -> None:
    given_values = np.array([*values, *([far] if far else [])], np.int64)
    found, numbers = numbered(given_values)
    assert found.tolist() == sorted(set(given_values.tolist()))
    assert found[numbers].tolist() == given_values.tolist()
