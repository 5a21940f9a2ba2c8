"""Rows that cells can stand for, drawn: what somebody might know of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.releases.cells import is_exact, item_column


def draw_exact(cells: CellHistory, seed: int) -> tuple[CellHistory, bool]:
    """Return a history of exact cells that the given ones can stand for, and whether anything had to be drawn.

    Each value of a cell is equally probable; a deleted one can be any that its column has.
    """
    if is_exact(cells):
        return cells, False
    rng = np.random.default_rng(seed)
    return replace(cells, columns=tuple(_drawn(column, rng) for column in cells.columns)), True


def _drawn(column: Column, rng: np.random.Generator) -> Column:
    gone, exact = column.kinds == Kind.DELETED, np.full(len(column.kinds), Kind.EXACT, np.uint8)
    if isinstance(column, ItemColumn):
        if not column.names:
            # Nothing says what anybody bought: it can be one thing as well as another.
            return item_column(("*",), (), np.zeros(len(exact), np.int32), exact)
        sizes = np.append(column.sizes, len(column.names))[column.sets]
        starts = np.append(column.starts[:-1], 0)[column.sets]
        # The first sets are the single items, so that any place among them is an item.
        items = column.members[starts + rng.integers(0, sizes)]
        return replace(column, kinds=exact, sets=items.astype(np.int32))
    return _drawn_range(column, gone, exact, rng)


def _drawn_range(column: OrderedColumn, gone: np.ndarray, exact: np.ndarray, rng: np.random.Generator) -> OrderedColumn:
    there = ~gone
    least, greatest = (int(column.low[there].min()), int(column.high[there].max())) if there.any() else (0, 0)
    low, high = np.where(gone, least, column.low), np.where(gone, greatest, column.high)
    values = rng.integers(low, high, endpoint=True)
    return replace(column, kinds=exact, low=values, high=values)
