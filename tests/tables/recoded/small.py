"""Small recoded tables, whose cells are given as the numbers of the values that they cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded, record_rows
from sudare.tables.roles import ColumnRole, Role, Roles

Cell = tuple[int, ...]


def recoded_of(
    table: Table,
    classes: Sequence[Sequence[Cell]],
    owner: Sequence[int],
    *,
    roles: Mapping[str, Role] | None = None,
    means: Mapping[str, Sequence[str]] | None = None,
) -> RecodedTable:
    """Return a table whose class c has the cells `classes[c]`, one for each quasi-identifier.

    `owner` is the class of each record, -1 if it is suppressed, in the order of the distinct rows of the table.
    Columns are quasi-identifiers unless `roles` says otherwise; those in `means` are means, of one text for each class.
    """
    roles, means = roles or {}, means or {}
    of_columns = Roles(tuple(ColumnRole(name, roles.get(name, "quasi")) for name in table.attributes))
    columns, numbers = [], []
    for a, name in enumerate(of_columns.quasi):
        cells = [(tuple(cells[a]), means[name][c] if name in means else "") for c, cells in enumerate(classes)]
        listed = sorted(set(cells))
        columns.append(_column(name, table.values[table.attributes.index(name)], listed, mean=name in means))
        numbers.append([listed.index(cell) for cell in cells])
    stacked = np.asarray(numbers, np.int32).reshape(len(columns), len(classes))
    return recoded(table, of_columns, columns, record_rows(table), np.asarray(owner, np.int32), stacked)


def _column(name: str, values: tuple[str | None, ...], cells: Sequence[tuple[Cell, str]], *, mean: bool) -> CellColumn:
    ends = np.cumsum([len(cell) for cell, _ in cells], dtype=np.int64)
    listed = np.asarray([value for cell, _ in cells for value in cell], np.int32)
    texts = tuple(text or "|".join(map(str, cell)) for cell, text in cells)
    return CellColumn(name, values, texts, listed, np.append(0, ends[:-1]), ends, mean)


def unchanged(table: Table, *, roles: Mapping[str, Role] | None = None) -> RecodedTable:
    """Return a table of which every record is published as it is."""
    places = [a for a, name in enumerate(table.attributes) if (roles or {}).get(name, "quasi") == "quasi"]
    classes = [tuple((int(table.codes[a, row]),) for a in places) for row in range(len(table.counts))]
    return recoded_of(table, classes, record_rows(table).tolist(), roles=roles)


def starred(table: Table, *, roles: Mapping[str, Role] | None = None) -> RecodedTable:
    """Return a table of which every quasi-identifier is `*`."""
    places = [a for a, name in enumerate(table.attributes) if (roles or {}).get(name, "quasi") == "quasi"]
    everything = tuple(tuple(range(len(table.values[a]))) for a in places)
    return recoded_of(table, [everything], [0] * table.records, roles=roles)
