"""Several releases in the same columns, classes once, and values drawn from cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sudare.histories.generalized.model import CellHistory, Kind, OrderedColumn
from sudare.histories.generalized.written_text import cell_texts
from sudare.histories.releases.cells import is_exact, one_of_each_class, stacked
from sudare.histories.releases.drawing import draw_exact
from tests.histories.generalized.small_cells import assert_same, cells
from tests.histories.releases.small_releases import values_of

WIDE = [
    ["5", "[2011/1/1;2011/1/3]", "{a;b}", "[1;1.02]", "*"],
    ["5", "2011/1/2", "*", "2", "[1;3]"],
    ["2", "*", "c", "*", "7"],
]


def lines(history: CellHistory) -> list[tuple[str, ...]]:
    texts = zip(*map(cell_texts, history.columns), strict=True)
    return [(str(person), *row) for person, row in zip(history.persons.tolist(), texts, strict=True)]


def test_one_pseudonym_of_each_class_is_kept_with_how_many_there_are() -> None:
    history = cells(
        [
            ["9", "2011/1/1", "{a;b}", "1", "1"],
            ["4", "2011/1/1", "a", "1", "1"],
            ["2", "2011/1/1", "{b;a}", "1", "1"],
            ["*"] * 5,
            ["7", "2011/1/1", "{a}", "1", "[1;1]"],
            ["3", "2011/1/1", "c", "1", "1"],
        ]
    )
    found = one_of_each_class(history)
    assert sorted(set(found.cells.persons.tolist())) == [2, 3, 4]
    assert found.sizes.tolist() == [2, 1, 2]
    assert len(found.cells) == 3


def test_releases_are_stacked_with_items_and_units_alike() -> None:
    first = cells([["1", "2011/1/1", "{b;a}", "[1;2]", "3"]])
    second = cells([["1", "*", "{a;c;b}", "2.5", "*"], ["2", "2011/2/1", "ａ ", "*", "[1;2]"]])
    quantity = second.column("quantity")
    assert isinstance(quantity, OrderedColumn)
    # Text files hold quantities as decimals.
    decimal = replace(quantity, form="decimal", low=quantity.low * 100, high=quantity.high * 100)
    second = CellHistory(second.persons, (*second.columns[:3], decimal))
    found = stacked([first, second])
    assert found.column("item").names[:2] == ("a", "b")  # type: ignore[union-attr]
    assert lines(found) == [
        ("1", "2011-01-01", "{a;b}", "[1;2]", "3"),
        ("1", "*", "{a;b;c}", "2.5", "*"),
        ("2", "2011-02-01", "a", "*", "[1;2]"),
    ]


def test_only_columns_that_all_releases_have_are_compared() -> None:
    whole = cells(WIDE)
    bare = CellHistory(whole.persons, whole.columns[:3])
    assert [column.name for column in stacked([whole, bare]).columns] == ["date", "item", "price"]
    assert [column.name for column in stacked([bare, whole]).columns] == ["date", "item", "price"]


def test_values_are_drawn_from_what_cells_can_be() -> None:
    history = stacked([cells(WIDE)])
    assert not is_exact(history)
    seen: list[list[set[int]]] = [[set() for _ in history.columns] for _ in WIDE]
    for seed in range(60):
        found, drawn = draw_exact(history, seed)
        assert drawn
        assert is_exact(found)
        assert (found.persons == history.persons).all()
        for row, own in enumerate(seen):
            for place, values in enumerate(values_of(found, row)):
                assert len(values) == 1
                own[place] |= values
    for row, own in enumerate(seen):
        # Prices have as many values as there are hundredths; not all of these are drawn.
        for place, (drawn_values, possible) in enumerate(zip(own, values_of(history, row), strict=True)):
            assert drawn_values <= possible
            assert drawn_values == possible or (place == 2 and len(possible) > 3)


def test_the_same_seed_draws_the_same_and_exact_cells_stay() -> None:
    history = stacked([cells(WIDE)])
    assert_same(draw_exact(history, 3)[0], draw_exact(history, 3)[0])
    exact = cells([["1", "2011/1/1", "a", "1", "1"]])
    assert draw_exact(exact, 1) == (exact, False)


def test_where_nothing_says_what_was_bought_it_is_one_thing() -> None:
    found, drawn = draw_exact(stacked([cells([["1", "2011/1/1", "*", "1", "*"], ["2", "2011/1/1", "*", "1", "*"]])]), 1)
    assert drawn
    assert lines(found) == [("1", "2011-01-01", "*", "1", "0"), ("2", "2011-01-01", "*", "1", "0")]
    assert np.array_equal(found.column("item").kinds, [Kind.EXACT] * 2)
