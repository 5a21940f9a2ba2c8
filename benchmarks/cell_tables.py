"""Tables that others anonymized as recoded tables, so that one loss measures all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import polars
from numpy.typing import NDArray

from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded
from sudare.tables.roles import Roles

Values = tuple[int, ...]


def table_of_cells(
    table: Table, roles: Roles, rows: NDArray[np.int32], owner: NDArray[np.integer], sets: Sequence[Sequence[Values]]
) -> RecodedTable:
    """Make a recoded table of the values, by number, that each class has in each quasi-identifier."""
    columns, cells = [], []
    for name, of_classes in zip(roles.quasi, sets, strict=True):
        numbers: dict[Values, int] = {}
        cells.append([numbers.setdefault(values, len(numbers)) for values in of_classes])
        (place,) = table.positions([name])
        columns.append(cell_column(name, table.values[place], list(numbers)))
    return recoded(table, roles, columns, rows, owner.astype(np.int32), np.array(cells, np.int32))


def cell_column(name: str, values: tuple[str | None, ...], sets: Sequence[Values]) -> CellColumn:
    ends = np.cumsum([len(covered) for covered in sets])
    texts = tuple(",".join(str(values[code]) for code in covered) for covered in sets)
    listed = np.concatenate([np.array(covered, np.int32) for covered in sets])
    return CellColumn(name, values, texts, listed, np.append(0, ends[:-1]), ends)


def read_cells(
    table: Table, roles: Roles, source: str, published: str, hierarchies: dict[str, Hierarchy], *, raised: bool = False
) -> RecodedTable:
    """Read the cells of every record, in the order of the source, that a rival wrote.

    A cell is a value, a text of a hierarchy (of the lowest level that has it), a range `low-high` of a column of
    numbers, which covers the numbers of the column from one to the other, or the list of its values. If they are to be
    `raised`, each cell becomes the lowest node of the hierarchy that covers it.
    """
    frame = polars.read_parquet(published, columns=list(roles.quasi))
    kinds = frame.unique(maintain_order=True).with_row_index("class")
    owner = frame.join(kinds, on=list(roles.quasi), maintain_order="left")["class"].to_numpy()
    sets = []
    for place, name in zip(table.positions(roles.quasi), roles.quasi, strict=True):
        read = cache(partial(covered_values, table.values[place], hierarchies[name], raised))
        sets.append([read(text) for text in kinds[name]])
    return table_of_cells(table, roles, source_rows(table, source), owner, sets)


def covered_values(values: tuple[str | None, ...], hierarchy: Hierarchy, raised: bool, text: str) -> Values:
    """Return the numbers of the values that a cell covers."""
    covered = _as_written(values, hierarchy, text)
    if not raised:
        return covered
    for level in range(hierarchy.levels):
        generalized = hierarchy.generalize(values, level)
        if len({generalized[code] for code in covered}) == 1:
            return _where(generalized, generalized[covered[0]])
    raise ValueError(f"No node of {hierarchy.attribute} covers {text!r}.")


def _as_written(values: tuple[str | None, ...], hierarchy: Hierarchy, text: str) -> Values:
    for level in range(hierarchy.levels):
        found = _where(hierarchy.generalize(values, level), text)
        if found:
            return found
    low, _, high = text.partition("-")
    if low.isdigit() and high.isdigit():
        return tuple(code for code, value in enumerate(values) if int(low) <= int(value or -1) <= int(high))
    return tuple(sorted(values.index(part) for part in text.split(",")))


def _where(texts: Sequence[str | None], text: str | None) -> Values:
    return tuple(code for code, found in enumerate(texts) if found == text)


def source_rows(table: Table, source: str) -> NDArray[np.int32]:
    """Return the distinct row of the table for each line of its source."""
    distinct = {name: [table.values[a][code] for code in table.codes[a]] for a, name in enumerate(table.attributes)}
    known = polars.DataFrame(distinct).with_row_index("row")
    lines = polars.read_csv(source, separator=";", infer_schema=False)
    joined = lines.join(known, on=list(table.attributes), maintain_order="left")
    return joined["row"].to_numpy().astype(np.int32)
