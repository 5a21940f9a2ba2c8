"""Cells of a plain history as text, written and read again: what `HistoryRows` writes as CSV.

A cell is a value, a range [low;high], a set {a;b} or *, which is deleted; the first column has pseudonyms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.errors import BadRows
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn, OrderedForm
from sudare.histories.generalized.rule_sets import EPOCH, MOST_VALUE, ColumnRule
from sudare.histories.generalized.values import written
from sudare.sources.encodings import find_text
from sudare.sources.text import csv_rows

Value = TypeVar("Value")

_HUNDREDTHS = 100


def cell_texts(column: Column) -> list[str]:
    """Return each cell as it is written; days as 2010-12-01."""
    if isinstance(column, ItemColumn):
        return _texts([column.kinds, column.sets], partial(_set_text, column))
    write = _day_text if column.form == "date" else partial(written, rule=ColumnRule(column.name, column.form))
    return _texts([column.kinds, column.low, column.high], partial(_ordered_text, write))


def _texts(parts: Sequence[NDArray[np.integer[Any]]], text: Callable[..., str]) -> list[str]:
    """Return the text of each cell from its kind and what else it is; that of equal cells is made once."""
    different, of_row = np.unique(np.stack([part.astype(np.int64) for part in parts]), axis=1, return_inverse=True)
    texts = ["*" if cell[0] == Kind.DELETED else text(*cell) for cell in different.T.tolist()]
    return [texts[number] for number in of_row.ravel().tolist()]


def _set_text(column: ItemColumn, kind: int, number: int) -> str:
    members = column.members[column.starts[number] : column.starts[number + 1]].tolist()
    items = ";".join(column.names[item] for item in members)
    return f"{{{items}}}" if kind == Kind.SET else items


def _ordered_text(write: Callable[[int], str], kind: int, low: int, high: int) -> str:
    return f"[{write(low)};{write(high)}]" if kind == Kind.RANGE else write(low)


def _day_text(day: int) -> str:
    return (EPOCH + timedelta(days=day)).isoformat()


def read_written_text(path: Path, original: CellHistory, header: Sequence[str]) -> CellHistory:
    """Read rows of cells whose items and columns are those of the original.

    BadRows names the first cell that cannot be read, or that has an item that the original does not have.
    """
    found = find_text(path)
    with path.open(encoding=found.encoding, newline="") as file:
        (_, names), *rows = [*csv_rows(file, ",")] or [(1, [])]
    if tuple(names) != tuple(header):
        raise BadRows("errors.written_cells.other_columns", path=path, found=", ".join(names), wanted=", ".join(header))
    wrong = next((line for line, cells in rows if len(cells) != len(header)), None)
    if wrong is not None:
        raise BadRows("errors.written_cells.cells_missing", path=path, row=wrong, wanted=len(header))
    lines = [line for line, _ in rows]
    texts = list(zip(*(cells for _, cells in rows), strict=True)) or [()] * len(header)

    def refuse(number: int, place: int) -> BadRows:
        return BadRows(
            "errors.written_cells.bad_cell",
            path=path,
            row=lines[place],
            column=header[number],
            text=texts[number][place],
        )

    persons = parse_cells(texts[0], _person, partial(refuse, 0))
    columns = [
        _column(column, texts[number], partial(refuse, number))
        for number, column in enumerate(original.columns, start=1)
    ]
    read = CellHistory(np.array(persons, np.int64), tuple(columns), (str(path), *original.sources))
    return read.in_file(path)


def parse_cells(texts: Sequence[str], parse: Callable[[str], Value], refuse: Callable[[int], BadRows]) -> list[Value]:
    """Read the cells of a column; equal ones are read once."""
    known: dict[str, Value] = {}
    for place, text in enumerate(texts):
        if text not in known:
            try:
                known[text] = parse(text)
            except (ValueError, KeyError, InvalidOperation):
                raise refuse(place) from None
    return [known[text] for text in texts]


def _person(text: str) -> int:
    found = 0 if text == "*" else int(text)
    if found < 0 or (found == 0 and text != "*"):
        raise ValueError(text)
    return found


def _column(column: Column, texts: Sequence[str], refuse: Callable[[int], BadRows]) -> Column:
    if isinstance(column, ItemColumn):
        return _items(column, texts, refuse)
    value = _VALUES[column.form]
    cells = parse_cells(texts, lambda text: parse_range(text, value), refuse)
    kinds, low, high = np.array(cells, np.int64).reshape(-1, 3).T
    return OrderedColumn(column.name, column.form, kinds.astype(np.uint8), low.copy(), high.copy())


def parse_range(text: str, value: Callable[[str], int]) -> tuple[int, int, int]:
    """Read a cell of ordered values: its kind and its ends."""
    if text == "*":
        return Kind.DELETED, 0, 0
    if text.startswith("[") and text.endswith("]"):
        low, _, high = text[1:-1].partition(";")
        ends = value(low), value(high)
        if ends[0] > ends[1]:
            raise ValueError(text)
        return Kind.RANGE, *ends
    return Kind.EXACT, value(text), value(text)


def _day(text: str) -> int:
    return (date.fromisoformat(text) - EPOCH).days


def parse_hundredths(text: str) -> int:
    """Read a decimal number of at most two places as hundredths."""
    scaled = Decimal(text) * _HUNDREDTHS
    if not abs(scaled) <= MOST_VALUE or scaled != scaled.to_integral_value():
        raise ValueError(text)
    return int(scaled)


def _whole(text: str) -> int:
    found = int(text)
    if abs(found) > MOST_VALUE:
        raise ValueError(text)
    return found


_VALUES: dict[OrderedForm, Callable[[str], int]] = {"date": _day, "decimal": parse_hundredths, "integer": _whole}


def _items(column: ItemColumn, texts: Sequence[str], refuse: Callable[[int], BadRows]) -> ItemColumn:
    numbers = {name: number for number, name in enumerate(column.names)}
    several: dict[tuple[int, ...], int] = {}

    def cell(text: str) -> tuple[int, int]:
        if text == "*":
            return Kind.DELETED, -1
        if not (text.startswith("{") and text.endswith("}")):
            return Kind.EXACT, numbers[text]
        members = tuple(numbers[name] for name in text[1:-1].split(";"))
        if len(set(members)) != len(members):
            raise ValueError(text)
        if len(members) == 1:
            return Kind.SET, members[0]
        return Kind.SET, several.setdefault(members, len(numbers) + len(several))

    kinds, sets = np.array(parse_cells(texts, cell, refuse), np.int64).reshape(-1, 2).T
    sizes = [1] * len(numbers) + [len(members) for members in several]
    members = [*range(len(numbers)), *(item for found in several for item in found)]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).astype(np.int64)
    return ItemColumn(
        column.name, kinds.astype(np.uint8), sets.astype(np.int32), starts, np.array(members, np.int32), column.names
    )
