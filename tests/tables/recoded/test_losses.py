"""The losses of recoded tables, worked by hand and against brute force over the records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare
from sudare.engine import DuckDBEngine
from sudare.tables.model import Table
from sudare.tables.recoded.losses import table_loss
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded, record_rows
from sudare.tables.roles import ColumnRole, Roles
from tests.tables.small_tables import Records, record_lists, table_of

Cell = tuple[int, ...]


def recoded_of(table: Table, classes: Sequence[Sequence[Cell]], owner: Sequence[int]) -> RecodedTable:
    """Return a table whose class c has the cells (the numbers of the values they cover) `classes[c]`."""
    roles = Roles(tuple(ColumnRole(name, "quasi") for name in table.attributes))
    listed = [sorted({cells[a] for cells in classes}) for a in range(len(table.attributes))]
    columns = [
        column_of(*column) for column in zip(table.attributes, table.values, listed, strict=True)
    ]  # fmt: skip
    numbers = np.asarray([[listed[a].index(cells[a]) for cells in classes] for a in range(len(columns))], np.int32)
    return recoded(table, roles, columns, record_rows(table), np.asarray(owner, np.int32), numbers)


def column_of(name: str, values: tuple[str | None, ...], cells: Sequence[Cell]) -> CellColumn:
    ends = np.cumsum([len(cell) for cell in cells], dtype=np.int64)
    listed = np.asarray([value for cell in cells for value in cell], np.int32)
    texts = tuple("|".join(map(str, cell)) for cell in cells)
    return CellColumn(name, values, texts, listed, np.append(0, ends[:-1]), ends)


def test_records_that_keep_their_values_lose_nothing() -> None:
    table = table_of([(0, 0), (0, 1), (1, 2), (1, 2)])
    loss = table_loss(recoded_of(table, [((0,), (0,)), ((0,), (1,)), ((1,), (2,))], [0, 1, 2, 2]))
    assert (loss.entropy, loss.ncp, loss.suppressed_cells, loss.suppressed_records) == (0, 0, 0, 0)
    assert loss.discernibility == 1 + 1 + 4
    assert [column.highest_entropy for column in loss.columns] == [1.0, 1.5]


def test_a_worked_example() -> None:
    # Of four records, the first two share the cell {0, 1} of b, the third keeps 2, and the fourth is suppressed.
    table = table_of([(0, 0), (0, 1), (1, 2), (1, 3)])
    loss = table_loss(recoded_of(table, [((0,), (0, 1)), ((0, 1), (2,))], [0, 0, 1, -1]))
    a, b = loss.columns
    assert (a.entropy, a.highest_entropy, a.ncp, a.suppressed_cells) == (0.5, 1.0, 0.5, 1)
    assert (b.entropy, b.highest_entropy, b.suppressed_cells) == (1.0, 2.0, 0)
    assert b.ncp == pytest.approx((2 * 1 / 3 + 1) / 4)
    assert (loss.entropy, loss.highest_entropy) == (1.5, 3.0)
    assert loss.ncp == pytest.approx((a.ncp + b.ncp) / 2)
    assert loss.discernibility == 2 * 2 + 1 * 1 + 4
    assert (loss.suppressed_records, loss.suppressed_cells) == (1, 1)
    assert [row["attribute"] for row in loss.to_rows()] == ["a", "b"]


def test_the_only_value_of_a_column_is_never_lost() -> None:
    table = table_of([(0, 0), (0, 1)])
    published = table_loss(recoded_of(table, [((0,), (0, 1))], [0, 0]))
    suppressed = table_loss(recoded_of(table, [((0,), (0, 1))], [-1, -1]))
    assert (published.ncp, published.suppressed_cells) == (0.5, 2)
    assert (suppressed.ncp, suppressed.suppressed_cells, suppressed.discernibility) == (0.5, 0, 4)
    assert published.entropy == suppressed.entropy == 1.0


def test_a_range_loses_certainty_by_the_distance_of_its_ends() -> None:
    # The values are 10, 20, 50 and a missing one. Ranges: 10 to 20 is a quarter of 10 to 50.
    column = CellColumn(
        "a", ("10", "20", "50", None), ("10-20", "20-50", "50 or none", "50"), np.arange(4, dtype=np.int32),
        np.asarray([0, 1, 2, 2]), np.asarray([2, 3, 4, 3]), amounts=np.asarray([10, 20, 50, np.nan]),
    )  # fmt: skip
    table = table_of([(0,), (1,), (1,), (2,), (None,)])
    roles = Roles((ColumnRole("a", "quasi"),))
    cells = np.arange(4, dtype=np.int32)[None, :]
    owner = np.asarray([0, 0, 1, 3, 2], np.int32)
    loss = table_loss(recoded(table, roles, [column], record_rows(table), owner, cells))
    assert loss.ncp == pytest.approx((2 * 0.25 + 0.75 + 0 + 1) / 5)


def test_stars_everywhere_lose_the_entropy_of_the_columns_of_adult(
    real_data: Callable[[str], Path], engine: DuckDBEngine
) -> None:
    with sudare.read_table(real_data("adult/adult.csv"), engine=engine) as table:
        stars = [tuple(tuple(range(len(values))) for values in table.values)]
        loss = table_loss(recoded_of(table, stars, [0] * table.records))
    assert (round(loss.entropy, 3), loss.ncp, loss.suppressed_cells) == (18.511, 1.0, 9 * table.records)
    assert loss.highest_entropy == pytest.approx(loss.entropy)


@st.composite
def recoded_tables(draw: st.DrawFn) -> tuple[Records, list[list[Cell]], list[int]]:
    """Draw records, some classes of their rows or none, and cells that cover more than the values of a class."""
    records = sorted(draw(record_lists(3, 10)))
    owner = [draw(st.integers(-1, 2)) for _ in records]
    classes = []
    for c in range(3):
        members = [record for record, mine in zip(records, owner, strict=True) if mine == c]
        covered = [{r[a] for r in members} | draw(st.sets(st.sampled_from(records))) for a in range(len(records[0]))]
        classes.append([tuple(v if isinstance(v, int) else v[a] for v in cell) for a, cell in enumerate(covered)])
    return records, [[tuple(sorted({*cell} or {0})) for cell in cells] for cells in classes], owner


@settings(max_examples=150, deadline=None)
@given(drawn=recoded_tables())
def test_losses_are_those_counted_record_by_record(drawn: tuple[Records, list[list[Cell]], list[int]]) -> None:
    records, classes, owner = drawn
    table = table_of(records)
    loss = table_loss(recoded_of(table, classes, owner))
    width = len(records[0])
    whole = [tuple(range(len(values))) for values in table.values]
    bits = certainty = stars = 0.0
    for record, c in zip(records, owner, strict=True):
        cells = whole if c < 0 else classes[c]
        for a in range(width):
            covered = sum(other[a] in cells[a] for other in records)
            bits += math.log2(covered / sum(other[a] == record[a] for other in records))
            certainty += (len(cells[a]) - 1) / max(len(whole[a]) - 1, 1)
            stars += c >= 0 and len(cells[a]) == len(whole[a]) > 1
    alike = [
        len(records) if c < 0 else sum(d >= 0 and classes[d] == classes[c] for d in owner) for c in owner
    ]  # fmt: skip
    assert loss.entropy == pytest.approx(bits / len(records), abs=1e-12)
    assert loss.ncp == pytest.approx(certainty / len(records) / width, abs=1e-12)
    assert loss.suppressed_cells == stars == sum(column.suppressed_cells for column in loss.columns)
    assert (loss.discernibility, loss.suppressed_records) == (sum(alike), owner.count(-1))
