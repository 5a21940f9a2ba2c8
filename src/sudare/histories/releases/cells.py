"""The cells of several releases in the same columns, one release after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.purchases import RoleColumns, role_columns, unit
from sudare.histories.safety.published_classes import PersonRows, classes_of
from sudare.kernels.common.arrays import Ints
from sudare.showing import dataclass
from sudare.sources.spellings import plain


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """A release in which each class of pseudonyms with the same rows is one, called by the number of its first one.

    `sizes` says by class, in the order of those numbers, how many pseudonyms it has.
    """

    cells: CellHistory
    sizes: Ints


def one_of_each_class(history: CellHistory) -> Classes:
    """Keep the rows of one pseudonym of each class: nothing tells the others from it."""
    of_persons = PersonRows.of(history)
    found = classes_of(history, of_persons)
    firsts = np.unique(found.classes, return_index=True)[1]
    rows = np.flatnonzero(np.isin(history.persons, found.pids[firsts]))
    order = np.argsort(found.pids[firsts])
    return Classes(history.taken(rows), found.sizes[order])


def stacked(histories: Sequence[CellHistory]) -> CellHistory:
    """Return the rows of several histories one after another, in the columns that all of them have."""
    roles = [role_columns(history) for history in histories]
    common = [name for name in ("price", "quantity") if all(name in of.ordered for of in roles)]
    columns: list[Column] = [_ordered("date", [of.day for of in roles]), _items(roles)]
    columns += [_ordered(name, [of.ordered[name] for of in roles]) for name in common]
    return CellHistory(np.concatenate([history.persons for history in histories]), tuple(columns))


def _ordered(name: str, parts: Sequence[OrderedColumn]) -> OrderedColumn:
    scale = max(unit(part) for part in parts)
    form = "decimal" if scale > 1 else parts[0].form
    kinds = np.concatenate([part.kinds for part in parts])
    low, high = (
        np.concatenate([getattr(part, end) * (scale // unit(part)) for part in parts]) for end in ("low", "high")
    )
    return OrderedColumn(name, form, kinds, low, high)


def _items(roles: Sequence[RoleColumns]) -> ItemColumn:
    places: dict[str, int] = {}
    for of in roles:
        for name in of.item.names:
            places.setdefault(plain(name), len(places))
    sets, kinds = [], []
    several: dict[tuple[int, ...], int] = {}
    for of in roles:
        column = of.item
        numbers = np.array([places[plain(name)] for name in column.names], np.int64)
        table = np.full(len(column.starts), -1, np.int32)
        for number in np.unique(column.sets[column.sets >= 0]).tolist():
            members = tuple(sorted(numbers[column.members[column.starts[number] : column.starts[number + 1]]].tolist()))
            alone = members[0] if len(members) == 1 else -1
            table[number] = alone if alone >= 0 else several.setdefault(members, len(several))
            if alone < 0:
                table[number] += len(places)
        sets.append(table[column.sets])
        kinds.append(column.kinds)
    return item_column(tuple(places), list(several), np.concatenate(sets), np.concatenate(kinds))


def item_column(
    names: tuple[str, ...], several: Sequence[tuple[int, ...]], sets: np.ndarray, kinds: np.ndarray
) -> ItemColumn:
    """Return a column of items: the sets are the single items, then those of several."""
    sizes = [1] * len(names) + [len(members) for members in several]
    members = [*range(len(names)), *(item for found in several for item in found)]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return ItemColumn("item", kinds, sets.astype(np.int32), starts, np.array(members, np.int32), names)


def is_exact(history: CellHistory) -> bool:
    """Say whether all cells are single values."""
    return all(bool((column.kinds == Kind.EXACT).all()) for column in history.columns)
