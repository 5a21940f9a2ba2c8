"""Recoded tables made of any partition of the records: each class gets the narrowest cells that cover its values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from sudare.tables.hierarchies.model import Hierarchy
from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, RecodedTable, recoded, record_rows
from sudare.tables.recoded.texts import STAR, mean_text, range_text, set_text
from sudare.tables.roles import ColumnRole, Role, Roles

Cell = tuple[str | None, tuple[int, ...]]
Maker = Callable[[Collection[int]], Cell]


def roles_of(table: Table, **roles: Role) -> Roles:
    """Return the roles of columns; those that are not named are quasi-identifiers."""
    return Roles(tuple(ColumnRole(name, roles.get(name.replace("-", "_"), "quasi")) for name in table.attributes))


def partitioned(
    table: Table,
    roles: Roles,
    owner: Sequence[int],
    *,
    cells: str = "nodes",
    hierarchies: Mapping[str, Hierarchy] | None = None,
    means: Collection[str] = (),
) -> RecodedTable:
    """Recode the records in classes; `owner` is the class of each record of `record_rows`, -1 if suppressed."""
    rows, owners = record_rows(table), np.asarray(owner, np.int32)
    columns, numbers = [], []
    for name in roles.quasi:
        place = table.attributes.index(name)
        maker = _maker(name, table.values[place], cells, hierarchies or {}, mean=name in means)
        column, number = _column(name, table.values[place], table.codes[place][rows], owners, maker, name in means)
        columns.append(column)
        numbers.append(number)
    return recoded(table, roles, columns, rows, owners, np.vstack(numbers).astype(np.int32))


def _column(
    name: str,
    values: tuple[str | None, ...],
    codes: np.ndarray,
    owner: np.ndarray,
    maker: Maker,
    mean: bool,
) -> tuple[CellColumn, list[int]]:
    held: dict[int, list[int]] = {}
    for one, code in zip(owner.tolist(), codes.tolist(), strict=True):
        held.setdefault(one, []).append(code)
    made: dict[Cell, int] = {}
    made_of: dict[tuple[int, ...], int] = {}
    numbers = []
    for one in range(int(owner.max(initial=-1)) + 1):
        given = held.get(one) or [0]
        kept = tuple(sorted(given) if mean else sorted(set(given)))
        if kept not in made_of:
            made_of[kept] = made.setdefault(maker(kept), len(made))
        numbers.append(made_of[kept])
    ends = np.cumsum([len(covered) for _, covered in made], dtype=np.int64)
    listed = np.asarray([code for _, covered in made for code in covered], np.int32)
    texts = tuple(text for text, _ in made)
    begins = np.append(0, ends[:-1]).astype(np.int64)
    return CellColumn(name, values, texts, listed, begins, ends, mean), numbers


def _maker(
    name: str, values: tuple[str | None, ...], cells: str, hierarchies: Mapping[str, Hierarchy], *, mean: bool
) -> Maker:
    if mean:
        return lambda codes: _mean(values, codes)
    if cells == "nodes" and name in hierarchies:
        levels = [hierarchies[name].generalize(values, level) for level in range(hierarchies[name].levels)]
        return lambda codes: _node(levels, codes)
    if cells == "ranges" and all(value is None or value.lstrip("-").replace(".", "").isdigit() for value in values):
        return lambda codes: _range(values, codes)
    if cells == "sets":
        return lambda codes: (set_text([values[code] for code in codes]), tuple(codes))
    return lambda codes: (values[min(codes)], tuple(codes)) if len(codes) == 1 else (STAR, tuple(range(len(values))))


def _node(levels: Sequence[Sequence[str | None]], codes: Collection[int]) -> Cell:
    for level in levels:
        texts = {level[code] for code in codes}
        if len(texts) == 1:
            (text,) = texts
            return text, tuple(code for code, other in enumerate(level) if other == text)
    return STAR, tuple(range(len(levels[0])))


def _range(values: Sequence[str | None], codes: Collection[int]) -> Cell:
    numbers = {code: float(value) for code, value in enumerate(values) if value is not None}
    present = sorted((code for code in codes if code in numbers), key=lambda code: numbers[code])
    if not present:
        return None, tuple(codes)
    low, high = present[0], present[-1]
    missing = [code for code in codes if code not in numbers]
    covered = [code for code in numbers if numbers[low] <= numbers[code] <= numbers[high]]
    text = range_text(values[low] or "", values[high] or "", missing=bool(missing))
    return text, tuple(sorted([*covered, *missing]))


def _mean(values: Sequence[str | None], codes: Collection[int]) -> Cell:
    numbers = [float(values[code] or "") for code in codes if values[code] is not None]
    text = mean_text(sum(numbers) / len(numbers)) if numbers else None
    low, high = min(numbers, default=0), max(numbers, default=0)
    within = (code for code, value in enumerate(values) if value is not None and low <= float(value) <= high)
    return text, tuple(sorted({*within, *codes}))
