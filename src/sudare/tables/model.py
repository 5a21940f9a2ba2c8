"""Tables of records with attributes, collapsed to their distinct rows with counts.

Risk depends on which records are equal on which attributes, so the distinct rows and how often each stands in the
table are all that the analyses need: one pass of the engine, then arrays.

A row can stand for several records (a weight column), and a person can have several records (a person column): then the
rows are distinct in the attributes and the person, and a class counts persons.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import Engine, closed
from sudare.errors import MemoryNotEnough, NotOnEngine
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.cells import MissingRule
from sudare.sources.opening import SourceOptions, open_source
from sudare.sources.readings import Reading
from sudare.sources.spellings import Spelling
from sudare.statistics.distinct import first_rows, number_rows, row_order
from sudare.tables.collapsed import (
    CollapsedTable,
    collapse_table,
    group_rows,
    key_values,
    new_name,
    reading_of,
    value_tables,
)
from sudare.tables.person_kinds import fetch_person_kinds
from sudare.tables.rows import (
    RowsLater,
    case_counts,
    cell_names,
    choose_columns,
    load_rows,
    table_spellings,
    unknown_attribute,
)

_numbers = itertools.count(1)


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
        name = f"{self._name}_marks{next(_numbers)}"
        self.engine.attach_columns(name, {**keys, **{key: mark[firsts] for key, mark in marks.items()}})
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


@checked
def read_table(
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
    time_zone: str | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Table:
    """Read a table from a CSV, Parquet or Excel file, a DuckDB relation or any dataframe.

    `attributes` chooses columns (None: all but weight and person). Cells are taken in Unicode's form NFKC, without
    blanks at their ends, and `reading` says where that made one value of several; moments with a time zone are taken by
    the clock of `time_zone` (None: UTC). An empty cell and the `missing_values` are missing. A missing value is a value
    of its own (`missing="value"`) or equal to any other (`missing="any"`). `weight` names a column that says how many
    records a row stands for, `person` one that says whose the record is: then a class counts persons. Lines that do not
    divide into the columns are refused.
    """
    collapsed = collapse_table(
        source,
        attributes=attributes,
        weight=weight,
        person=person,
        missing=missing,
        missing_values=missing_values,
        delimiter=delimiter,
        header=header,
        encoding=encoding,
        sheet=sheet,
        time_zone=time_zone,
        engine=engine,
        progress=progress,
    )
    try:
        table = fetch_table(collapsed)
    except BaseException:
        collapsed.close()
        raise
    collapsed.drop_numbers()
    table._own_engine = collapsed.own_engine
    progress("reading", 2, 2)
    return table


@checked
def fetch_table(collapsed: CollapsedTable) -> Table:
    """Fetch the distinct rows of a table from its engine; the answer can be used until the other is closed.

    Rows that stand for fewer records than may leave the engine are refused, and more rows than this machine can hold.
    """
    engine, keys = collapsed.engine, collapsed.keys
    by_kinds = collapsed.person is not None and not engine.shows_people
    if not by_kinds:
        _refuse_rare(collapsed)
    _refuse_huge(collapsed)
    values = [key_values(collapsed, key) for key in keys if key != "person"]
    query = f"SELECT {', '.join([*keys, 'records'])} FROM {collapsed.numbered}"
    if by_kinds:
        arrays = fetch_person_kinds(engine, query, collapsed.name, len(collapsed.attributes))
    else:
        arrays = engine.columns(query)
    numbers = np.vstack([np.asarray(arrays[key], dtype=np.int32) for key in keys])
    order = row_order(numbers)
    persons, codes = (numbers[0][order], numbers[1:]) if collapsed.person else (None, numbers)
    counts = np.asarray(arrays["records"], dtype=np.int64)[order]
    return Table(
        engine, collapsed.reading, collapsed.attributes, np.take(codes, order, axis=1), counts, tuple(values),
        collapsed.name, missing=collapsed.missing, persons=persons, weight=collapsed.weight, person=collapsed.person,
        _later=collapsed.later,
    )  # fmt: skip


def _refuse_rare(collapsed: CollapsedTable) -> None:
    """Refuse a table of which some distinct rows stand for fewer records than may leave the engine."""
    few = collapsed.rare_records()
    if few:
        raise NotOnEngine(
            f"{few:,} records have attributes that fewer than {collapsed.engine.min_cell} records share, and such "
            "rows may not leave the engine.\n"
            "Hint: look at fewer attributes, allow smaller counts with --min-cell, or let the engine go through the "
            "sets of attributes: sudare risk subsets --walk engine."
        )


def _refuse_huge(collapsed: CollapsedTable) -> None:
    """Refuse more distinct rows than the memory of this machine can hold."""
    # As they are fetched, and as they are stacked; the counts.
    needed = collapsed.distinct * (8 * len(collapsed.keys) + 8)
    if needed > machine_bytes():
        raise MemoryNotEnough(
            f"{collapsed.reading.source} has {collapsed.distinct:,} distinct rows of {len(collapsed.attributes)} "
            f"attributes, {needed / 1e9:,.0f} GB or more, and this machine has {machine_bytes() / 1e9:,.0f} GB.\n"
            "Hint: look at fewer attributes, or let the engine go through the sets of attributes: "
            "sudare risk subsets --walk engine."
        )


def machine_bytes() -> int:
    """Return how much memory this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A table made of another one, `origin`.

    `codes[a][v]` is the number that value v of the attribute a of the origin has become. `added` says how records that
    were added were read, if there are any.
    """

    origin: Table
    table: Table
    codes: tuple[NDArray[np.int32], ...]
    added: Reading | None = None

    @checked
    def then(self, later: Derived) -> Derived:
        """Return a table made of this one as made of the first."""
        codes = tuple(new[old] for old, new in zip(self.codes, later.codes, strict=True))
        return Derived(self.origin, later.table, codes, later.added or self.added)


@checked
def add_records(
    table: Table,
    source: object,
    *,
    missing_values: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    time_zone: str | None = None,
) -> Derived:
    """Return the table with further records, from a file or dataframe that has the same columns (and may have more).

    How they were read is `added`; the `reading` of the new table counts what was written otherwise in both, and the
    values that differ by case alone in the two together.
    """
    engine, name = table.engine, new_name()
    with ExitStack() as cleanup:
        opened = open_source(source, engine, SourceOptions(delimiter, header, encoding, sheet, time_zone), cleanup)
        columns = choose_columns(opened, table.attributes, table.weight, table.person)
        cleanup.callback(engine.drop, f"{name}_added")
        load_rows(engine, opened, columns, missing_values, f"{name}_added")
        values = {key: f"(SELECT {key} AS value FROM {name}_added)" for key in value_tables(name, columns)}
        spellings = table_spellings(engine, opened, columns, missing_values, values)
        more = reading_of(opened, engine.rows(f"SELECT count(*) FROM {name}_added")[0][0], columns, spellings)
        cells = ", ".join(cell_names(columns))
        engine.hold(
            name,
            f"SELECT record, {cells} FROM {table.rows} UNION ALL "
            f"SELECT record + {table.reading.rows}, {cells} FROM {name}_added",
        )
    grouped = group_rows(engine, name, name, columns)
    reading = _together(engine, table, more, value_tables(name, columns))
    shape = (table.missing, table.weight, table.person)
    collapsed = CollapsedTable(engine, reading, table.attributes, grouped, name, *shape)
    try:
        made = fetch_table(collapsed)
    finally:
        collapsed.drop_numbers()
    return Derived(table, made, number_values(table.values, made), more)


def _together(engine: Engine, table: Table, more: Reading, values: Mapping[str, str]) -> Reading:
    """Return how a table and further records were read."""
    old = table.reading
    titles = {f"a{number}": attribute for number, attribute in enumerate(table.attributes)}
    cases = {titles.get(key, table.person): count for key, count in case_counts(engine, values).items()}
    written = [spelling for reading in (old, more) for spelling in reading.spellings]
    spellings = tuple(
        Spelling(
            str(column),
            sum(spelling.rows for spelling in written if spelling.column == column),
            sum(spelling.merged for spelling in written if spelling.column == column),
            case,
        )
        for column, case in cases.items()
    )
    return Reading(
        f"{old.source} + {more.source}", old.format, {}, old.guesses, old.rows + more.rows,
        spellings=tuple(spelling for spelling in spellings if spelling.remarkable), clock=old.clock or more.clock,
        others=old.others,
    )  # fmt: skip


def number_values(values: Sequence[Sequence[str | None]], table: Table) -> tuple[NDArray[np.int32], ...]:
    """Return the numbers that values have in a table, attribute by attribute."""
    numbers = [{text: number for number, text in enumerate(held)} for held in table.values]
    return tuple(
        np.asarray([held[text] for text in texts], np.int32) for texts, held in zip(values, numbers, strict=True)
    )
