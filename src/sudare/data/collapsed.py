"""The distinct rows of a table, counted on an engine and left there.

One pass of the engine groups a source by all its attributes. Most tables are then fetched as arrays
(`sudare.data.table`); where they are too many for memory, or must not leave the engine, they stay where they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import get_args

from sudare.data.history import Reading
from sudare.data.rules import MissingRule
from sudare.data.sources import Source, SourceOptions, open_source
from sudare.data.table_rows import (
    Columns,
    RowsLater,
    cells_query,
    choose_columns,
    load_rows,
    refuse_broken,
    unknown_attribute,
)
from sudare.engine import Engine, engine_for
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.progress import Progress, silent

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Grouped:
    """How many rows a table has, how many records they stand for, and how many of them are distinct."""

    rows: int
    records: int
    distinct: int


@dataclass(eq=False)
class CollapsedTable:
    """A table of which the distinct rows lie on an engine.

    `grouped` says how many there are. Use it in a `with` block, or close it.
    """

    engine: Engine
    reading: Reading
    attributes: tuple[str, ...]
    grouped: Grouped
    name: str = field(repr=False)
    missing: MissingRule = "value"
    weight: str | None = None
    person: str | None = None
    later: RowsLater | None = field(default=None, repr=False)
    own_engine: bool = field(default=False, repr=False)
    _numbered: str | None = field(default=None, repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return self.grouped.records

    @property
    def distinct(self) -> int:
        """The number of distinct rows."""
        return self.grouped.distinct

    @property
    def keys(self) -> list[str]:
        """The columns in which the rows are distinct: the person, if there is one, and the attributes a0, a1, ..."""
        return _keys(len(self.attributes), self.person is not None)

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the places of attributes; an unknown name raises ColumnNotFound with those that are near."""
        for name in names:
            if name not in self.attributes:
                raise unknown_attribute(name, self.attributes, self.reading.source)
        return [self.attributes.index(name) for name in names]

    def rare_records(self) -> int:
        """Return how many records have attributes that fewer records share than may leave the engine."""
        least = self.engine.min_cell
        if least == 1:
            return 0
        few = self.engine.rows(f"SELECT coalesce(sum(records), 0) FROM {self.name}_distinct WHERE records < {least}")
        return int(few[0][0])

    def make_numbers(self) -> str:
        """Give the values of each key numbers in their order and return a query of the distinct rows as numbers.

        The values are in tables `NAME_KEY` (value, code).
        """
        joins = []
        for key in self.keys:
            self.engine.keep(
                f"{self.name}_{key}",
                f"SELECT value, CAST(row_number() OVER (ORDER BY value NULLS LAST) - 1 AS INTEGER) AS code "
                f"FROM (SELECT DISTINCT {key} AS value FROM {self.name}_distinct)",
            )
            joins.append(f"JOIN {self.name}_{key} AS d_{key} ON d_{key}.value IS NOT DISTINCT FROM t.{key}")
        codes = ", ".join(f"d_{key}.code AS {key}" for key in self.keys)
        return f"SELECT {codes}, records FROM {self.name}_distinct AS t {' '.join(joins)}"

    def drop_numbers(self) -> None:
        """Forget the numbers of the values."""
        self.engine.drop(*(f"{self.name}_{key}" for key in self.keys))

    @property
    def numbered(self) -> str:
        """The SQL name of the table of the distinct rows as numbers; it is made when it is first needed."""
        if self._numbered is None:
            try:
                self.engine.keep(f"{self.name}_numbered", self.make_numbers())
            finally:
                self.drop_numbers()
            self._numbered = f"{self.name}_numbered"
        return self._numbered

    def close(self) -> None:
        """Give back the engine if the table made it, else drop what lies on it."""
        if self.own_engine:
            self.engine.close()
        else:
            self.engine.drop(self.name, f"{self.name}_distinct", f"{self.name}_numbered")

    def __enter__(self) -> CollapsedTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def collapse_table(
    source: object,
    *,
    attributes: Sequence[str] | None = None,
    weight: str | None = None,
    person: str | None = None,
    missing: MissingRule = "value",
    missing_values: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> CollapsedTable:
    """Group a table by all its attributes and leave the distinct rows on the engine.

    It takes what `read_table` takes. Use it where the distinct rows may be too many for memory, or where they must not
    leave the engine.
    """
    if missing not in get_args(MissingRule):
        raise OptionNotUsable(
            f"A missing value cannot be taken as {missing!r}.\n"
            "Hint: value or any; words that mean missing are given with --missing-value."
        )
    form = SourceOptions(delimiter, header, encoding, sheet)
    own = engine is None
    engine = engine or engine_for(source)
    name = new_name()
    try:
        with ExitStack() as cleanup:
            progress("reading", 0, 2)
            opened = open_source(source, engine, form, cleanup)
            columns = choose_columns(opened, attributes, weight, person)
            later = None
            # Weights and persons are looked at row by row.
            if opened.in_place and not (weight or person):
                later = RowsLater(opened, cells_query(opened, columns, missing_values))
            else:
                load_rows(engine, opened, columns, missing_values, name)
            grouped = group_rows(engine, f"({later.query})" if later else name, name, columns)
            if later:
                refuse_broken(engine, opened)
            reading = reading_of(opened, grouped.rows)
            progress("collapsing", 1, 2)
            names = tuple(columns.attributes)
            return CollapsedTable(engine, reading, names, grouped, name, missing, weight, person, later, own)
    except BaseException:
        if own:
            engine.close()
        else:
            engine.drop(name, f"{name}_distinct")
        raise


def new_name() -> str:
    """Return a name for the rows of a table that no other has."""
    return f"table{next(_numbers)}_rows"


def reading_of(source: Source, rows: int) -> Reading:
    """Return how a source was read; one without rows is refused."""
    if not rows:
        raise SourceNotReadable(f"{source.name} has no rows of data.\nHint: give a file with at least one row of data.")
    return Reading(source.name, source.format, {}, source.guesses, rows, (), source.sha256)


def group_rows(engine: Engine, rows: str, name: str, columns: Columns) -> Grouped:
    """Make the table `NAME_distinct` of the distinct rows with their records."""
    keys = ", ".join(_keys(len(columns.attributes), columns.person is not None))
    records = "count(*)" if columns.weight is None else "CAST(sum(weight) AS BIGINT)"
    engine.keep(
        f"{name}_distinct",
        f"SELECT {keys}, {records} AS records, count(*) AS rows FROM {rows} GROUP BY {keys}",
    )
    sums = "coalesce(sum(rows), 0), coalesce(sum(records), 0), count(*)"
    return Grouped(*(int(number) for number in engine.rows(f"SELECT {sums} FROM {name}_distinct")[0]))


def _keys(attributes: int, person: bool) -> list[str]:
    return [*(["person"] if person else []), *(f"a{number}" for number in range(attributes))]
