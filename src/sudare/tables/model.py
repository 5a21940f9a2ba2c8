"""Tables of records with attributes, collapsed to their distinct rows with counts.

Risk depends on which records are equal on which attributes, so the distinct rows and how often each stands in the
table are all that the analyses need: one pass of the engine, then arrays.

A row can stand for several records (a weight column), and a person can have several records (a person column): then the
rows are distinct in the attributes and the person, and a class counts persons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import Engine, closed, fresh_name
from sudare.showing import dataclass
from sudare.sources.cells import MissingRule
from sudare.sources.readings import Reading
from sudare.statistics.distinct import first_rows, number_rows
from sudare.tables.rows import RowsLater, unknown_attribute


@dataclass(eq=False)
class Table:
    """A table on an engine and its distinct rows.

    `codes[a, i]` is the number of the value of attribute a in distinct row i, `values[a]` the values by number (a
    missing one is None and comes last), `counts[i]` how many records are like row i. If several records can be of one
    person, `persons[i]` is the number of the person, and the rows are in the order of the persons. Use it in a `with`
    block, or close it.
    """

    engine: Engine
    reading: Reading
    attributes: tuple[str, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    values: tuple[tuple[str | None, ...], ...]
    _name: str = field(repr=False)
    _own_engine: bool = field(default=False, repr=False)
    missing: MissingRule = "value"
    persons: NDArray[np.int32] | None = None
    weight: str | None = None
    person: str | None = None
    _later: RowsLater | None = field(default=None, repr=False)
    _closed: bool = field(default=False, repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def rows(self) -> str:
        """The SQL name of the table of all rows: record (from 1), weight, person, and the attributes a0, a1, ...

        The rows of a file that the analyses did not need are read now; a file that has changed is refused.
        """
        if self._closed:
            raise closed("table")
        if self._later is not None:
            self._later.load(self.engine, self._name)
            self._later = None
        return self._name

    @property
    def wildcards(self) -> NDArray[np.int32]:
        """For each attribute the number of the value that is equal to any other, -1 if there is none."""
        ends = [len(values) - 1 if self.missing == "any" and values[-1] is None else -1 for values in self.values]
        return np.asarray(ends, np.int32)

    @checked
    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the places of attributes; an unknown name raises ColumnNotFound with those that are near."""
        for name in names:
            if name not in self.attributes:
                raise unknown_attribute(name, self.attributes, self.reading.source)
        return [self.attributes.index(name) for name in names]

    @checked
    @contextmanager
    def marked(self, positions: Sequence[int], marks: Mapping[str, NDArray[Any]]) -> Iterator[str]:
        """Yield a FROM clause of the rows `r` joined with marks `m` of the distinct rows.

        Rows that are equal on the attributes at `positions` have the same marks. The clause can be used within the
        block only.
        """
        numbers, found = number_rows(self.codes[list(positions)])
        firsts = first_rows(numbers, found)
        keys = {f"a{a}": np.array([self.values[a][code] for code in self.codes[a, firsts]], object) for a in positions}
        name = fresh_name(f"{self._name}_marks")
        self.engine.attach(name, {**keys, **{key: mark[firsts] for key, mark in marks.items()}})
        same = " AND ".join(f"m.a{a} IS NOT DISTINCT FROM r.a{a}" for a in positions) or "true"
        try:
            yield f"{self.rows} AS r JOIN {name} AS m ON {same}"
        finally:
            self.engine.drop(name)

    def close(self) -> None:
        """Give back the engine if the table made it, else drop its rows; its distinct rows stay in memory."""
        self._closed = True
        if self._own_engine:
            self.engine.close()
        else:
            self.engine.drop(self._name)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
