"""An original history of cells as a purchase history on an engine, for everything measured there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.engine import Engine, engine_to_keep, fresh_name
from sudare.errors import OptionNotUsable
from sudare.histories.generalized.conversion import rows_of_cells
from sudare.histories.generalized.item_names import shown_name
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn, OrderedForm
from sudare.histories.model import History
from sudare.sources.readings import Reading

# The forms that the values of a role usually have.
_FORMS: dict[str, OrderedForm] = {"price": "decimal", "quantity": "integer"}
# Decimals are held as hundredths.
HUNDREDTHS = 100


class RoleColumns(NamedTuple):
    """The columns of a history by what they tell: the day, the item, and price and quantity if there are such."""

    day: OrderedColumn
    item: ItemColumn
    ordered: dict[str, OrderedColumn]


def role_columns(history: CellHistory) -> RoleColumns:
    """Return the first column of dates and of items, and the columns named price and quantity.

    Where there is none of that name, the price is the first column of decimals, the quantity the first of whole
    numbers.
    """
    ordered = [column for column in history.columns if isinstance(column, OrderedColumn)]
    numbers = [column for column in ordered if column.form != "date"]
    day = next((column for column in ordered if column.form == "date"), None)
    item = next((column for column in history.columns if isinstance(column, ItemColumn)), None)
    found = {role: next((c for c in numbers if c.name == role), None) for role in _FORMS}
    for role, form in _FORMS.items():
        others = [column for column in numbers if column.form == form and column.name not in _FORMS]
        found[role] = found[role] or next(iter(others), None)
    if day is None:
        raise OptionNotUsable("errors.cells.no_dates")
    if item is None:
        raise OptionNotUsable("errors.cells.no_items")
    return RoleColumns(day, item, {role: column for role, column in found.items() if column is not None})


def unit(column: OrderedColumn) -> int:
    """Return the number by which 1 is held."""
    return HUNDREDTHS if column.form == "decimal" else 1


def purchases_of_cells(
    original: CellHistory, *, reading: Reading | None = None, engine: Engine | None = None
) -> History:
    """Return an original history, every cell of which is a single value, as a purchase history.

    Items keep their numbers. `reading` says where the history is from.
    """
    columns = role_columns(original)
    if not len(original) or any((column.kinds != Kind.EXACT).any() for column in original.columns):
        raise OptionNotUsable("errors.cells.not_exact")
    persons, customer = np.unique(original.persons, return_inverse=True)
    names = persons.astype(str)
    # Customers are numbered in the order of their names, which are texts.
    place = np.argsort(np.argsort(names)) + 1
    if reading is None:
        named: dict[str, Column] = {"day": columns.day, "item": columns.item, **columns.ordered}
        reading = Reading("T", "cells", {role: column.name for role, column in named.items()}, {}, len(original))
    prefix = f"{fresh_name('cells')}_"
    with engine_to_keep(engine) as (home, own):
        parts = _attach(home, prefix, place[customer], columns)
        home.attach(f"{prefix}customer", {"code": place.astype(np.int32), "name": names.astype(object)})
        history = History(home, reading, len(original), len(persons), parts, prefix, _own_engine=own)
        history._rows = rows_of_cells(original)
        return history


def _attach(engine: Engine, prefix: str, customer: NDArray[np.int64], columns: RoleColumns) -> tuple[str, ...]:
    """Make the tables of purchases and items; return the parts beyond day and item."""
    used = np.unique(columns.item.sets)
    names = np.array([shown_name(columns.item.names[number]) for number in used.tolist()], object)
    engine.attach(f"{prefix}item", {"code": used, "name": names})
    values: dict[str, NDArray[Any]] = {"customer": customer.astype(np.int32), "day": columns.day.low}
    values |= {"item": columns.item.sets, **{role: column.low for role, column in columns.ordered.items()}}
    engine.attach(f"{prefix}cells", values)
    taken = [f"{part} / {unit(column)}.0 AS {part}" for part, column in columns.ordered.items()]
    engine.keep(
        f"{prefix}purchase",
        "SELECT customer, DATE '1970-01-01' + CAST(day AS INTEGER) AS day, item"
        f"{''.join(', ' + part for part in taken)} FROM {prefix}cells",
    )
    engine.drop(f"{prefix}cells")
    return tuple(columns.ordered)
