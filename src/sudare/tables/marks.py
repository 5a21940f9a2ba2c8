"""Marks of the distinct rows of a table, joined with all of its rows on the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.engine import fresh_name
from sudare.statistics.distinct import first_rows, number_rows

if TYPE_CHECKING:
    from sudare.tables.model import Table


@contextmanager
def marked_rows(table: Table, positions: Sequence[int], marks: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """Yield a FROM clause of the rows `r` of a table joined with marks `m`; see `Table.marked`."""
    numbers, found = number_rows(table.codes[list(positions)])
    firsts = first_rows(numbers, found)
    keys = {f"a{a}": np.array([table.values[a][code] for code in table.codes[a, firsts]], object) for a in positions}
    rows = table.rows()
    name = fresh_name(f"{rows}_marks")
    table.engine.attach(name, {**keys, **{key: mark[firsts] for key, mark in marks.items()}})
    same = " AND ".join(f"m.a{a} IS NOT DISTINCT FROM r.a{a}" for a in positions) or "true"
    try:
        yield f"{rows} AS r JOIN {name} AS m ON {same}"
    finally:
        table.engine.drop(name)
