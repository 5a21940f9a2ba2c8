"""Histories for comparison, from any source: exact ones, and published ones whose cells are ranges, sets or deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from decimal import InvalidOperation
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np

from sudare.engine import Engine
from sudare.errors import BadRows, ColumnNotFound
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn, OrderedForm
from sudare.histories.generalized.parquet import PERSON, read_cells_parquet
from sudare.histories.generalized.rule_sets import EPOCH
from sudare.histories.generalized.written_text import parse_cells, parse_hundredths, parse_range
from sudare.histories.model import History
from sudare.kernels.common.arrays import Ints
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.local.files import find_files
from sudare.sources.local.prepared import LocalText, is_parquet, text_of
from sudare.sources.purchases.load import PurchaseForm, load_purchases
from sudare.sources.purchases.roles import assign_roles
from sudare.sources.readings import Reading
from sudare.sources.spellings import plain
from sudare.sources.text import csv_rows, looks_like_header

# What a cell begins with that is not a single value: a range, a set, or nothing but a star.
_GENERALIZED = re.compile(r"\[.*;.*\]|\{.*\}|\*")
_PEOPLE = message("errors.people.profiles")
_HUNDREDTHS = 100


@dataclass(frozen=True, slots=True, eq=False)
class NamedCells:
    """A history as cells; person number n is called `names[n - 1]`. `reading` says how an exact one was read."""

    cells: CellHistory
    names: tuple[str, ...]
    source: str = ""
    reading: Reading | None = None

    def digest(self) -> str:
        """Return a hash of the rows, and of the names of people."""
        return sha256("\n".join((self.cells.digest(), *self.names)).encode(errors="surrogateescape")).hexdigest()

    def taken(self, rows: Ints) -> NamedCells:
        """Return some rows."""
        return replace(self, cells=self.cells.taken(rows))


def cells_of_history(history: History) -> NamedCells:
    """Return the rows of a history as exact cells, in any order; a missing price or quantity is a deleted cell.

    An engine that shows no people refuses.
    """
    engine, parts = history.engine, [part for part in ("price", "quantity") if part in history.parts]
    columns, order = ", ".join(["customer", "day_number(day) AS day", "item", *parts]), ", ".join(parts)
    # In one order, so that sums do not depend on how an engine divides its work.
    query = (
        f"SELECT {columns} FROM {history.table('purchase')} ORDER BY customer, day, item{', ' + order if parts else ''}"
    )
    found = engine.people_columns(query, _PEOPLE)
    names = {
        role: engine.people_columns(f"SELECT name FROM {history.table(role)} ORDER BY code", _PEOPLE)["name"]
        for role in ("customer", "item")
    }
    rows = len(found["customer"])
    exact, single = np.zeros(rows, np.uint8), np.arange(len(names["item"]) + 1)
    day = np.asarray(found["day"], np.int64)
    item_names = tuple(map(str, names["item"].tolist()))
    sets = (np.asarray(found["item"]) - 1).astype(np.int32)
    cells: list[Column] = [
        OrderedColumn("date", "date", exact, day, day),
        ItemColumn("item", exact, sets, single, single[:-1].astype(np.int32), item_names),
    ]
    cells += [_numbers(part, np.asarray(found[part], np.float64)) for part in parts]
    persons = np.asarray(found["customer"], np.int64)
    people = tuple(map(str, names["customer"].tolist()))
    return NamedCells(CellHistory(persons, tuple(cells)), people, history.reading.source, history.reading)


def _numbers(name: str, values: np.ndarray) -> OrderedColumn:
    missing = np.isnan(values)
    values = np.where(missing, 0, values)
    whole = name == "quantity" and bool((values == np.floor(values)).all())
    found = np.rint(values if whole else values * _HUNDREDTHS).astype(np.int64)
    kinds = np.where(missing, Kind.DELETED, Kind.EXACT).astype(np.uint8)
    return OrderedColumn(name, "integer" if whole else "decimal", kinds, found, found)


def cells_of(source: object, form: PurchaseForm, *, engine: Engine, progress: Progress = silent) -> NamedCells:
    """Read a history from any source, exact or published by sudare with ranges, sets and deleted cells."""
    if isinstance(source, NamedCells):
        return source
    if isinstance(source, CellHistory):
        people = int(source.persons.max(initial=0))
        return NamedCells(source, tuple(map(str, range(1, people + 1))), "".join(source.sources[:1]))
    if isinstance(source, History):
        return cells_of_history(source)
    engine.check_people(_PEOPLE)
    with ExitStack() as cleanup:
        file = _single_file(source)
        if file is not None and is_parquet(file) and _has_cells(engine.describe(engine.parquet(file))):
            return _with_own_names(read_cells_parquet(file), str(file))
        text = None if file is None else text_of(str(source), form.encoding, cleanup)
        return _cells_of_rows(source, form, text, engine=engine, progress=progress)


def _cells_of_rows(
    source: object, form: PurchaseForm, text: LocalText | None, *, engine: Engine, progress: Progress
) -> NamedCells:
    """Read exact rows; where a text has ranges, sets or deleted cells, read these."""

    def load(form: PurchaseForm) -> History:
        return load_purchases(source, form, History, engine=engine, own_engine=False, progress=progress)

    try:
        # A range is neither a day nor a price: before rows are dropped, it is asked whether they are such rows.
        history = load(form if text is None else replace(form, bad_rows="refuse", rejects=None))
    except (BadRows, ColumnNotFound):
        if text is not None and _has_ranges(text):
            return _read_text(text, form)
        if text is None or (form.bad_rows == "refuse" and form.rejects is None):
            raise
        history = load(form)
    with history:
        if text is not None and _has_sets(history):
            return _read_text(text, form)
        return cells_of_history(history)


def _with_own_names(cells: CellHistory, source: str) -> NamedCells:
    """Return cells whose persons are called by their numbers."""
    pids = np.unique(cells.persons[cells.persons > 0])
    persons = np.where(cells.persons > 0, np.searchsorted(pids, cells.persons) + 1, 0)
    return NamedCells(replace(cells, persons=persons), tuple(map(str, pids.tolist())), source)


def _single_file(source: object) -> Path | None:
    files = find_files(source) if isinstance(source, str | Path) else []
    return files[0] if len(files) == 1 and files[0].is_file() else None


def _has_cells(columns: Mapping[str, str]) -> bool:
    """Say whether these are columns of cells: customers may be called persons elsewhere, too."""
    return PERSON in columns and any(name.endswith("_kind") for name in columns)


def _has_sets(history: History) -> bool:
    """Say whether items are sets or deleted cells."""
    found = history.engine.total(
        f"SELECT count(*) FROM {history.table('item')} WHERE name = '*' OR (name LIKE '{{%' AND name LIKE '%}}')"
    )
    return bool(found[0])


def _has_ranges(text: LocalText) -> bool:
    """Say whether a text has a cell that is a range, a set or deleted."""
    return any(_GENERALIZED.fullmatch(cell) for _, cells in _lines(text) for cell in cells)


def _lines(text: LocalText) -> list[tuple[int, list[str]]]:
    with text.file.open(encoding=text.encoding, newline="") as file:
        return list(csv_rows(file, ","))


def _read_text(text: LocalText, form: PurchaseForm) -> NamedCells:
    """Read rows of cells as sudare publishes them: CSV with a header, or the lines of a contest."""
    lines, source = _lines(text), text.name
    first, header = lines[0][1], form.header
    if header is None:
        header = looks_like_header(first) and not any(map(_GENERALIZED.fullmatch, first))
    names = first if header else [str(number + 1) for number in range(len(first))]
    roles = assign_roles(names, form.columns, header=header, source=source)
    rows = lines[1:] if header else lines
    short = next((row for row, cells in rows if len(cells) != len(names)), None)
    if short is not None:
        raise BadRows("errors.written_cells.cells_missing", path=source, row=short, wanted=len(names))
    rows = [(row, cells) for row, cells in rows if cells[roles["customer"]] != "*"]
    texts = {role: [cells[place] for _, cells in rows] for role, place in roles.items()}
    persons = [plain(text) for text in texts["customer"]]

    def refuse(role: str, place: int) -> BadRows:
        return BadRows(
            "errors.written_cells.bad_cell",
            path=source, row=rows[place][0], column=names[roles[role]], text=texts[role][place],
        )  # fmt: skip

    columns: list[Column] = [
        _ordered("date", "date", texts["day"], _day, partial(refuse, "day")),
        _items(texts["item"], partial(refuse, "item")),
    ]
    for role in ("price", "quantity"):
        if role in texts:
            column = _ordered(role, "decimal", texts[role], parse_hundredths, partial(refuse, role))
            columns.append(_in_units(column) if role == "quantity" else column)
    people = sorted(set(persons))
    numbers = {name: number for number, name in enumerate(people, start=1)}
    found = np.fromiter((numbers[name] for name in persons), np.int64, len(rows))
    return NamedCells(CellHistory(found, tuple(columns), (source,)), tuple(people), source)


def _ordered(
    name: str, form: OrderedForm, texts: list[str], value: Callable[[str], int], refuse: Callable[[int], BadRows]
) -> OrderedColumn:
    cells = parse_cells(texts, lambda text: parse_range(text, value), refuse)
    kinds, low, high = np.array(cells, np.int64).reshape(-1, 3).T
    return OrderedColumn(name, form, kinds.astype(np.uint8), low.copy(), high.copy())


def _in_units(column: OrderedColumn) -> OrderedColumn:
    """Return whole numbers as such: a cell from 1 to 3 is three of them, and not 201 hundredths."""
    if (column.low % _HUNDREDTHS).any() or (column.high % _HUNDREDTHS).any():
        return column
    return replace(column, form="integer", low=column.low // _HUNDREDTHS, high=column.high // _HUNDREDTHS)


def _day(text: str) -> int:
    """Read a day as sudare or a contest writes it: 2010-12-01 or 2010/12/1."""
    year, month, day = (int(part) for part in text.replace("/", "-").split("-"))
    return (date(year, month, day) - EPOCH).days


def _items(texts: list[str], refuse: Callable[[int], BadRows]) -> ItemColumn:
    def members(text: str) -> tuple[str, ...]:
        if text == "*":
            return ()
        found = tuple(text[1:-1].split(";")) if text.startswith("{") and text.endswith("}") else (text,)
        if not all(found) or len(set(found)) < len(found):
            raise InvalidOperation(text)
        return found

    cells = parse_cells(texts, members, refuse)
    names = tuple(sorted({name for cell in set(cells) for name in cell}))
    numbers = {name: number for number, name in enumerate(names)}
    several: dict[tuple[str, ...], int] = {}
    of_cell = {
        cell: -1 if not cell
        else numbers[cell[0]] if len(cell) == 1
        else several.setdefault(cell, len(names) + len(several))
        for cell in dict.fromkeys(cells)
    }  # fmt: skip
    sets = np.fromiter((of_cell[cell] for cell in cells), np.int32, len(cells))
    sizes = [1] * len(names) + [len(cell) for cell in several]
    every = [*range(len(names)), *(numbers[name] for cell in several for name in cell)]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    kinds = np.where(sets < 0, Kind.DELETED, np.where(sets < len(names), Kind.EXACT, Kind.SET)).astype(np.uint8)
    return ItemColumn("item", kinds, sets, starts, np.array(every, np.int32), names)
