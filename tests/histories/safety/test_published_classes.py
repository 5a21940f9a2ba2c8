from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from sudare.histories.generalized.model import CellHistory, OrderedColumn
from sudare.histories.safety.published_classes import published_classes
from tests.histories.generalized.small_cells import cells

DAY = "2011/1/1"


def partition(history: CellHistory) -> list[list[int]]:
    found = published_classes(history)
    assert found.sizes.tolist() == np.bincount(found.classes).tolist()
    return [found.pids[found.classes == number].tolist() for number in range(len(found.sizes))]


def test_pseudonyms_with_the_same_rows_are_one_class_whatever_the_order() -> None:
    rows = [
        ["5", DAY, "a", "1", "2"],
        ["7", DAY, "b", "1", "2"],
        ["7", DAY, "a", "1", "2"],
        ["5", DAY, "b", "1", "2"],
        ["3", DAY, "a", "1", "2"],
    ]
    assert partition(cells(rows)) == [[3], [5, 7]]


def test_how_often_a_row_occurs_matters() -> None:
    assert partition(cells([["1", DAY, "a", "1", "2"]] * 2 + [["2", DAY, "a", "1", "2"]])) == [[1], [2]]


def test_cells_that_stand_for_the_same_values_are_the_same() -> None:
    rows = [
        ["1", f"[{DAY};{DAY}]", "{a;b}", "[1.00;1]", "*"],
        ["2", DAY, "{b;a}", "1", "*"],
        ["3", DAY, "{a}", "1", "[0;0]"],
        ["4", DAY, "a", "1", "0"],
        ["5", DAY, "*", "1", "0"],
    ]
    assert partition(cells(rows)) == [[1, 2], [3, 4], [5]]


def test_a_deleted_cell_is_not_a_zero_and_deleted_rows_are_left_out() -> None:
    rows = [["1", DAY, "a", "1", "*"], ["2", DAY, "a", "1", "0"], ["*"] * 5, ["2", DAY, "a", "1", "*"]]
    assert partition(cells(rows)) == [[1], [2]]


def test_pseudonyms_with_equal_sums_and_other_rows_are_different() -> None:
    rows = [["1", DAY, "a", "1", "1"], ["1", DAY, "a", "3", "3"], ["2", DAY, "a", "2", "2"], ["2", DAY, "a", "2", "2"]]
    assert partition(cells([*rows, ["3", DAY, "a", "3", "3"], ["3", DAY, "a", "1", "1"]])) == [[1, 3], [2]]


def test_rows_of_values_far_apart_are_told_apart() -> None:
    # Together their ends take more than 64 bits.
    values = np.array([0, 2**40, 0, 2**40, 2**40, 0])
    columns = tuple(
        OrderedColumn(name, "integer", np.zeros(6, np.uint8), part, part)
        for name, part in (("x", values), ("y", values), ("z", values[::-1].copy()))
    )
    assert partition(CellHistory(np.array([1, 1, 2, 2, 3, 3]), columns)) == [[1, 3], [2]]


def test_a_history_without_rows_has_no_classes() -> None:
    found = published_classes(cells([["*"] * 5], names=["a"]))
    assert (found.pids.tolist(), found.classes.tolist(), found.sizes.tolist()) == ([], [], [])


one_cell = st.sampled_from(["1", "[1;1]", "[1;2]", "2", "*"])
one_item = st.sampled_from(["a", "{a}", "{a;b}", "{b;a}", "b", "*"])
one_row = st.tuples(st.sampled_from("1234"), st.just(DAY), one_item, one_cell, one_cell)


@given(st.lists(one_row, min_size=1, max_size=12))
def test_classes_are_those_of_multisets_of_values(rows: list[tuple[str, ...]]) -> None:
    def meaning(cell: str) -> frozenset[str]:
        return frozenset(cell.strip("{}").split(";")) if "[" not in cell else frozenset(cell.strip("[]").split(";"))

    by_person: dict[int, Counter[tuple[frozenset[str], ...]]] = {}
    for person, *others in rows:
        by_person.setdefault(int(person), Counter())[tuple(map(meaning, others))] += 1
    alike = {person: sorted(p for p, c in by_person.items() if c == by_person[person]) for person in by_person}
    assert sorted(partition(cells([list(row) for row in rows], names=["a", "b"]))) == sorted(
        {tuple(group): group for group in alike.values()}.values()
    )
