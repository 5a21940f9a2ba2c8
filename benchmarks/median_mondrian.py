"""Plain Mondrian (LeFevre, DeWitt and Ramakrishnan 2006): median cuts, widest attribute first; cells are nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cell_tables import table_of_cells
from sudare.tables.hierarchies.model import Hierarchy, level_codes
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable, record_rows
from sudare.tables.roles import Roles

Ints = NDArray[np.integer]


def median_mondrian(
    table: Table, hierarchies: dict[str, Hierarchy], roles: Roles, *, k: int, diverse: int | None
) -> RecodedTable:
    """Return a table of median cuts in which every class has k records and, if asked for, l sensitive values.

    Values are in the order of the hierarchies, so that a node covers neighbours. A cut that leaves one side without k
    records or without its sensitive values is not made, and the next widest attribute is tried.
    """
    rows = record_rows(table)
    levels = [np.array(level_codes(hierarchies[name], table.values[a])) for a, name in named(table, roles)]
    orders = [np.lexsort(of_one) for of_one in levels]
    places = np.array(
        [np.argsort(order)[table.codes[a][rows]] for order, (a, _) in zip(orders, named(table, roles), strict=True)]
    )
    secret = table.codes[table.positions(roles.sensitive)[0]][rows] if diverse else None
    owner = partition(places, secret, k, diverse or 0)
    sets = [covering(orders[a], levels[a], places[a], owner) for a in range(len(places))]
    return table_of_cells(table, roles, rows, owner, sets)


def named(table: Table, roles: Roles) -> list[tuple[int, str]]:
    return list(zip(table.positions(roles.quasi), roles.quasi, strict=True))


def partition(places: Ints, secret: Ints | None, k: int, diverse: int) -> Ints:
    """Return the class of each record."""
    owner = np.zeros(places.shape[1], np.int32)
    spans = np.ptp(places, axis=1)
    waiting, classes = [np.arange(places.shape[1])], 0
    while waiting:
        members = waiting.pop()
        halves = cut(places[:, members], spans, secret if secret is None else secret[members], k, diverse)
        if halves is None:
            owner[members] = classes
            classes += 1
        else:
            waiting += [members[halves], members[~halves]]
    return owner


def cut(places: Ints, spans: Ints, secret: Ints | None, k: int, diverse: int) -> NDArray[np.bool_] | None:
    """Return which records are on the low side of the first cut that is allowed, None if there is none."""
    widths = np.ptp(places, axis=1) / np.maximum(spans, 1)
    for a in np.argsort(-widths, kind="stable"):
        if widths[a] == 0 or places.shape[1] < 2 * k:
            return None
        low = places[a] <= np.median(places[a])
        if low.all():
            low = places[a] < np.median(places[a])
        if min(low.sum(), (~low).sum()) >= k and (
            secret is None or min(len(np.unique(secret[low])), len(np.unique(secret[~low]))) >= diverse
        ):
            return np.asarray(low)
    return None


def covering(order: Ints, levels: Ints, places: Ints, owner: Ints) -> list[tuple[int, ...]]:
    """Return for each class the values of the lowest node that covers those of its records."""
    classes = int(owner.max()) + 1
    low, high = np.full(classes, len(order)), np.zeros(classes, np.int64)
    np.minimum.at(low, owner, places)
    np.maximum.at(high, owner, places)
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for pair in set(zip(low.tolist(), high.tolist(), strict=True)):
        first, last = order[pair[0]], order[pair[1]]
        level = int(np.flatnonzero(levels[:, first] == levels[:, last])[0])
        found[pair] = tuple(np.flatnonzero(levels[level] == levels[level, first]).tolist())
    return [found[pair] for pair in zip(low.tolist(), high.tolist(), strict=True)]
