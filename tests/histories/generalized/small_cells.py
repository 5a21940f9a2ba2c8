"""Small generalized histories in the columns of PWSCUP 2018, made from the texts of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from fractions import Fraction

import numpy as np

from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn, OrderedForm

COLUMNS: dict[str, OrderedForm | None] = {"date": "date", "item": None, "price": "decimal", "quantity": "integer"}


def cells(rows: Sequence[Sequence[str]], names: Sequence[str] | None = None) -> CellHistory:
    """Return rows of five well-formed texts (person, date, item, price, quantity) as a history.

    `names` are the items of T; without them they are those that occur, in order. An A needs the names of its T:
    `cells(rows, names=original.column("item").names)`.
    """
    known = list(names) if names is not None else sorted({item for row in rows for item in _members(row[2])})
    columns = [
        _ordered([row[place] for row in rows], name, form) if form else _items([row[place] for row in rows], known)
        for place, (name, form) in enumerate(COLUMNS.items(), start=1)
    ]
    persons = [0 if row[0] == "*" else int(row[0]) for row in rows]
    return CellHistory(np.array(persons, np.int64), tuple(columns))


def value(text: str, form: OrderedForm) -> int:
    """Return an ordered value as the number that is held: days since 1970, hundredths or units."""
    if form == "date":
        year, month, day = map(int, text.split("/"))
        return (date(year, month, day) - date(1970, 1, 1)).days
    return int(Fraction(text) * (100 if form == "decimal" else 1))


def _ordered(texts: Sequence[str], name: str, form: OrderedForm) -> OrderedColumn:
    kinds, ends = [], []
    for text in texts:
        kinds.append(Kind.DELETED if text == "*" else Kind.RANGE if text[0] == "[" else Kind.EXACT)
        parts = [value(part, form) for part in text.strip("[]").split(";")] if text != "*" else [0]
        ends.append((parts[0], parts[-1]))
    low, high = np.array(ends, np.int64).reshape(-1, 2).T.copy()
    return OrderedColumn(name, form, np.array(kinds, np.uint8), low, high)


def _items(texts: Sequence[str], names: Sequence[str]) -> ItemColumn:
    numbers = {name: number for number, name in enumerate(names)}
    sets = {(number,): number for number in range(len(names))}
    kinds, chosen = [], []
    for text in texts:
        kinds.append(Kind.DELETED if text == "*" else Kind.SET if text[0] == "{" else Kind.EXACT)
        members = tuple(numbers[item] for item in _members(text))
        chosen.append(sets.setdefault(members, len(sets)) if members else -1)
    starts = np.cumsum([0, *map(len, sets)])
    members = np.array([item for found in sets for item in found], np.int32)
    return ItemColumn(
        "item", np.array(kinds, np.uint8), np.array(chosen, np.int32), starts.astype(np.int64), members, tuple(names)
    )


def _members(text: str) -> list[str]:
    return [] if text == "*" else text.strip("{}").split(";")


def assert_same(first: CellHistory, second: CellHistory) -> None:
    """Assert that two histories are held by equal arrays of equal types."""
    assert np.array_equal(first.persons, second.persons)
    assert len(first.columns) == len(second.columns)
    for one, other in zip(first.columns, second.columns, strict=True):
        assert type(one) is type(other)
        for field in fields(one):
            left, right = getattr(one, field.name), getattr(other, field.name)
            if isinstance(left, np.ndarray):
                assert np.array_equal(left, right), (one.name, field.name)
                assert left.dtype == right.dtype, (one.name, field.name)
            else:
                assert left == right
