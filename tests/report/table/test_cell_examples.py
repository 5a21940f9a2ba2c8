"""The example of a column: a value that changed, and its cell."""

from __future__ import annotations

import numpy as np

from sudare.report.table.cell_examples import CellExample, cell_examples
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded, record_rows
from sudare.tables.roles import ColumnRole, Roles
from tests.tables.small_tables import table_of

ROLES = Roles((ColumnRole("a", "quasi"), ColumnRole("b", "quasi")))


def column(name: str, values: tuple[str | None, ...], cells: dict[str | None, list[int]]) -> CellColumn:
    ends = np.cumsum([len(covered) for covered in cells.values()], dtype=np.int64)
    listed = np.asarray([value for covered in cells.values() for value in covered], np.int32)
    return CellColumn(name, values, tuple(cells), listed, np.append(0, ends[:-1]), ends)


def table(a: CellColumn, b: CellColumn, owner: list[int], cells: list[list[int]]) -> RecodedTable:
    original = table_of([(0, 0), (1, 0), (1, 1), (2, 1), (2, 1), (2, 1)])
    numbers = np.asarray(cells, np.int32)
    return recoded(original, ROLES, (a, b), record_rows(original), np.asarray(owner, np.int32), numbers)


def test_a_cell_that_joins_values_is_shown_before_single_values_and_stars() -> None:
    a = column("a", ("0", "1", "2"), {"0-1": [0, 1], "2": [2]})
    b = column("b", ("0", "1"), {"*": [0, 1], "1": [1]})
    found = cell_examples(table(a, b, [0, 0, 0, 1, 1, 1], [[0, 1], [0, 1]]), k=2)
    # Two records have the value 1 of a, one has 0; no cell of b joins some but not all of its values.
    assert found == (CellExample("a", 3, 2, "1", "0-1"), CellExample("b", 2, 2, "1", "1"))


def test_of_single_values_and_stars_those_that_most_records_have_are_shown() -> None:
    a = column("a", ("0", "1", "2"), {"*": [0, 1, 2], "2": [2]})
    b = column("b", ("0", "1"), {"0": [0], "1": [1]})
    fewer = cell_examples(table(a, b, [0, 0, 0, 1, 1, 1], [[0, 1], [0, 1]]), k=2)
    assert (fewer[0].value, fewer[0].cell) == ("2", "2")
    more = cell_examples(table(a, b, [0, 0, 0, 0, 1, 1], [[0, 1], [0, 1]]), k=2)
    assert (more[0].value, more[0].cell) == ("2", "*")


def test_a_column_of_stars_shows_its_most_common_value() -> None:
    a = column("a", ("0", "1", "2"), {"*": [0, 1, 2]})
    b = column("b", ("0", "1"), {"*": [0, 1]})
    found = cell_examples(table(a, b, [0] * 6, [[0], [0]]), k=2)
    assert found == (CellExample("a", 3, 1, "2", "*"), CellExample("b", 2, 1, "1", "*"))


def test_a_value_of_fewer_persons_than_a_class_must_have_is_not_told() -> None:
    b = column("b", ("0", "1"), {"*": [0, 1]})
    original = table_of([(0, 0), (1, 0), (2, 1), (3, 1)])
    wide = column("a", ("0", "1", "2", "3"), {"0-1": [0, 1], "2-3": [2, 3]})
    owner, cells = np.asarray([0, 0, 1, 1], np.int32), np.asarray([[0, 1], [0, 0]], np.int32)
    found = cell_examples(recoded(original, ROLES, (wide, b), record_rows(original), owner, cells), k=2)
    assert found == (CellExample("a", 4, 2, None, "0-1", rare=True), CellExample("b", 2, 1, "0", "*"))


def test_a_value_counts_persons_where_a_person_has_several_records() -> None:
    original = table_of([(0, 0), (0, 0), (1, 1), (1, 1)], persons=[0, 0, 1, 2])
    a = column("a", ("0", "1"), {"*": [0, 1]})
    b = column("b", ("0", "1"), {"*": [0, 1]})
    rows = record_rows(original)
    found = cell_examples(
        recoded(original, ROLES, (a, b), rows, np.zeros(4, np.int32), np.zeros((2, 1), np.int32)), k=3
    )
    # Three persons are in the class; two of them have the value 1.
    assert [(example.value, example.rare) for example in found] == [(None, True), (None, True)]


def test_a_table_without_published_records_has_no_examples() -> None:
    a = column("a", ("0", "1", "2"), {"*": [0, 1, 2]})
    b = column("b", ("0", "1"), {"*": [0, 1]})
    assert cell_examples(table(a, b, [-1] * 6, [[0], [0]]), k=2) == ()
