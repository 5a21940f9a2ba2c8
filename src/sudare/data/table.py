"""Tables of records with attributes, collapsed to their distinct rows with counts.

Risk depends on which records are equal on which attributes, so the distinct rows and how often each stands in the
table are all that the analyses need: one pass of the engine, then arrays.

A row can stand for several records (a weight column), and a person can have several records (a person column): then the
rows are distinct in the attributes and the person, and a class counts persons.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.data.distinct import first_rows, number_rows
from sudare.data.history import Reading
from sudare.data.rules import MissingRule, cell_text
from sudare.data.sources import Source, SourceOptions, open_source
from sudare.data.text import file_hash
from sudare.engine import Engine, engine_for, refuse_people
from sudare.errors import BadRows, ColumnNotFound, NotOnEngine, OptionNotUsable, SourceNotReadable
from sudare.progress import Progress, silent

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class _Later:
    """The rows of a file, read only when they are needed: most analyses need the distinct ones alone."""

    source: Source
    query: str

    def load(self, engine: Engine, name: str) -> None:
        """Make the table of all rows, if the file is still the one that was read."""
        try:
            self._refuse_changed()
            _hold(engine, self.query, name)
            self._refuse_changed()
        except BaseException:
            engine.drop(name)
            raise

    def _refuse_changed(self) -> None:
        path = self.source.in_place
        try:
            same = path is not None and file_hash(path) == self.source.sha256
        except OSError:
            same = False
        if not same:
            raise SourceNotReadable(f"{self.source.name} has changed since it was read.\nHint: read it again.")


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
    _later: _Later | None = field(default=None, repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def rows(self) -> str:
        """The SQL name of the table of all rows: record (from 1), weight, person, and the attributes a0, a1, ...

        The rows of a file that the analyses did not need are read now; a file that has changed is refused.
        """
        if self._later is not None:
            self._later.load(self.engine, self._name)
            self._later = None
        return self._name

    @property
    def wildcards(self) -> NDArray[np.int32]:
        """For each attribute the number of the value that is equal to any other, -1 if there is none."""
        ends = [len(values) - 1 if self.missing == "any" and values[-1] is None else -1 for values in self.values]
        return np.asarray(ends, np.int32)

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the places of attributes; an unknown name raises ColumnNotFound with those that are near."""
        for name in names:
            if name not in self.attributes:
                raise _unknown(name, self.attributes, self.reading.source)
        return [self.attributes.index(name) for name in names]

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
        """Give back the engine if the table made it, else drop its rows."""
        if self._own_engine:
            self.engine.close()
        else:
            self.engine.drop(self._name)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Table:
    """Read a table from a CSV, Parquet or Excel file, a DuckDB relation or any dataframe.

    `attributes` chooses columns (None: all but weight and person). Cells are trimmed; an empty cell and the
    `missing_values` are missing. A missing value is a value of its own (`missing="value"`) or equal to any other
    (`missing="any"`). `weight` names a column that says how many records a row stands for, `person` one that says whose
    the record is: then a class counts persons. Lines that do not divide into the columns are refused.
    """
    if missing not in get_args(MissingRule):
        raise OptionNotUsable(
            f"A missing value cannot be taken as {missing!r}.\n"
            "Hint: value or any; words that mean missing are given with --missing-value."
        )
    form = SourceOptions(delimiter, header, encoding, sheet)
    own = engine is None
    engine = engine or engine_for(source)
    name = f"table{next(_numbers)}_rows"
    try:
        with ExitStack() as cleanup:
            progress("reading", 0, 2)
            opened = open_source(source, engine, form, cleanup)
            columns = _choose(opened, attributes, weight, person)
            later = None
            # Weights and persons are looked at row by row.
            if opened.in_place and not (weight or person):
                later = _Later(opened, _cells(opened, columns, missing_values))
            else:
                _load(engine, opened, columns, missing_values, name)
            rows = _group(engine, f"({later.query})" if later else name, name, columns)
            if later:
                refuse_broken(engine, opened)
            reading = _reading(opened, rows)
            progress("collapsing", 1, 2)
            table = _numbered(engine, name, tuple(columns.attributes), reading, missing, weight, person)
            table._later, table._own_engine = later, own
            progress("reading", 2, 2)
            return table
    except BaseException:
        if own:
            engine.close()
        else:
            engine.drop(name, f"{name}_distinct")
        raise


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A table made of another one; `codes[a][v]` is the number that value v of the other's attribute a has become."""

    table: Table
    codes: tuple[NDArray[np.int32], ...]

    def then(self, later: Derived) -> Derived:
        """Return a table made of this one as made of the first."""
        return Derived(later.table, tuple(new[old] for old, new in zip(self.codes, later.codes, strict=True)))


def add_records(
    table: Table,
    source: object,
    *,
    missing_values: Sequence[str] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Derived:
    """Return the table with further records, from a file or dataframe that has the same columns (and may have more)."""
    engine, name = table.engine, f"table{next(_numbers)}_rows"
    with ExitStack() as cleanup:
        opened = open_source(source, engine, SourceOptions(delimiter, header, encoding, sheet), cleanup)
        columns = _choose(opened, table.attributes, table.weight, table.person)
        cleanup.callback(engine.drop, f"{name}_added")
        _load(engine, opened, columns, missing_values, f"{name}_added")
        more = _reading(opened, engine.rows(f"SELECT count(*) FROM {name}_added")[0][0])
        cells = ", ".join(_cell_names(columns))
        engine.hold(
            name,
            f"SELECT record, {cells} FROM {table.rows} UNION ALL "
            f"SELECT record + {table.reading.rows}, {cells} FROM {name}_added",
        )
    old = table.reading
    reading = Reading(f"{old.source} + {more.source}", old.format, {}, old.guesses, old.rows + more.rows, ())
    _group(engine, name, name, columns)
    made = _numbered(engine, name, table.attributes, reading, table.missing, table.weight, table.person)
    return Derived(made, number_values(table.values, made))


def number_values(values: Sequence[Sequence[str | None]], table: Table) -> tuple[NDArray[np.int32], ...]:
    """Return the numbers that values have in a table, attribute by attribute."""
    numbers = [{text: number for number, text in enumerate(held)} for held in table.values]
    return tuple(
        np.asarray([held[text] for text in texts], np.int32) for texts, held in zip(values, numbers, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Columns:
    """The places of the columns that are read."""

    attributes: dict[str, int]
    weight: int | None
    person: int | None


def _choose(source: Source, attributes: Sequence[str] | None, weight: str | None, person: str | None) -> _Columns:
    """Find the chosen columns; names that stand twice cannot be told apart."""
    if weight is not None and person is not None:
        raise OptionNotUsable(
            "A table cannot have weights and persons at once.\n"
            "Hint: give the person alone, one row a record, or the weight alone, if every row is of other people."
        )
    twice = [name for name in dict.fromkeys(source.columns) if source.columns.count(name) > 1]
    apart = [name for name in (weight, person) if name is not None]
    wanted = list(attributes) if attributes is not None else [name for name in source.columns if name not in apart]
    for name in [*wanted, *apart]:
        if name not in source.columns:
            raise _unknown(name, source.columns, source.name)
        if name in twice or [*wanted, *apart].count(name) > 1:
            raise ColumnNotFound(
                f"The column {name!r} stands in {source.name} more than once, or was asked for twice.\n"
                "Hint: give each column a name of its own, and one use."
            )
    if not wanted:
        raise ColumnNotFound(f"No attribute of {source.name} is to be read.\nHint: name at least one.")
    places = {name: source.columns.index(name) for name in wanted}
    return _Columns(
        places,
        None if weight is None else source.columns.index(weight),
        None if person is None else source.columns.index(person),
    )


def _unknown(name: str, known: Sequence[str], source: str) -> ColumnNotFound:
    near = difflib.get_close_matches(name, known, n=3)
    meant = f"Did you mean {' or '.join(near)}?\n" if near else ""
    return ColumnNotFound(f"There is no attribute {name!r} in {source}.\n{meant}Attributes there: {', '.join(known)}.")


def _cells(source: Source, columns: _Columns, missing: Sequence[str]) -> str:
    """Return a query for the rows of a source: the attributes as a0, a1, ..., weight, person."""

    def text(place: int) -> str:
        return cell_text(source.expressions[place], source.types[place], missing)

    cells = [f"{text(place)} AS a{number}" for number, place in enumerate(columns.attributes.values())]
    if columns.weight is not None:
        weight = f"read_number({text(columns.weight)})"
        whole = f"CASE WHEN {weight} BETWEEN 1 AND 1e15 THEN {weight} = floor({weight}) END"
        cells.append(f"CASE WHEN {whole} THEN CAST({weight} AS BIGINT) END AS weight")
    if columns.person is not None:
        cells.append(f"{text(columns.person)} AS person")
    return f"SELECT {', '.join(cells)} FROM {source.table}"


def _cell_names(columns: _Columns) -> list[str]:
    """Return the names of the cells of a row of all rows, in their order."""
    apart = [name for name in ("weight", "person") if getattr(columns, name) is not None]
    return [*(f"a{number}" for number in range(len(columns.attributes))), *apart]


def _hold(engine: Engine, query: str, name: str) -> None:
    """Make the table of all rows of a query, with their numbers."""
    engine.hold(name, f"SELECT {engine.record_number} AS record, * FROM ({query})")


def _load(engine: Engine, source: Source, columns: _Columns, missing: Sequence[str], name: str) -> None:
    """Make the table of all rows of a source and check their weights or persons."""
    _hold(engine, _cells(source, columns, missing), name)
    refuse_broken(engine, source)
    if columns.weight is not None:
        hint = "a weight says how many records a row stands for: 1, 2, 3, ..."
        _refuse_empty(engine, source, name, "weight", columns.weight, "is not a whole number from 1 on", hint)
    if columns.person is not None:
        hint = "say whose each record is, or leave such rows out."
        _refuse_empty(engine, source, name, "person", columns.person, "is missing", hint)


def refuse_broken(engine: Engine, source: Source) -> None:
    """Refuse a text, now read, of which some lines do not divide into the columns."""
    broken = source.broken_lines(engine)
    if broken:
        shown = "\n".join(f"  row {line:,}: {reason}" for line, reason in list(broken.items())[:10])
        raise BadRows(
            f"{source.name} has {len(broken):,} lines that do not divide into the columns; nothing was read.\n{shown}\n"
            "Hint: mend or remove them."
        )


def _refuse_empty(engine: Engine, source: Source, name: str, column: str, place: int, reason: str, hint: str) -> None:
    """Refuse rows without a usable weight or person."""
    count = engine.rows(f"SELECT count(*) FROM {name} WHERE {column} IS NULL")[0][0]
    if count:
        where = _first_empty(engine, name, column, count) if engine.shows_people else ""
        raise BadRows(
            f"{source.name}, column {source.columns[place]!r}: the {column} {reason} in {count:,} "
            f"of the rows of data{where}; nothing was read.\nHint: {hint}"
        )


def _first_empty(engine: Engine, name: str, column: str, count: int) -> str:
    found = engine.rows(f"SELECT record FROM {name} WHERE {column} IS NULL ORDER BY record LIMIT 10")
    return f" (row {', '.join(f'{row[0]:,}' for row in found)}{', ...' if count > 10 else ''})"


def _reading(source: Source, rows: int) -> Reading:
    if not rows:
        raise SourceNotReadable(f"{source.name} has no rows of data.\nHint: give a file with at least one row of data.")
    return Reading(source.name, source.format, {}, source.guesses, rows, (), source.sha256)


def _group(engine: Engine, rows: str, name: str, columns: _Columns) -> int:
    """Make the table of the distinct rows with their records; return how many rows there were."""
    if columns.person is not None:
        refuse_people(engine, "the records of each person, which a table with a person column is about")
    keys = ", ".join(_keys(len(columns.attributes), columns.person is not None))
    records = "count(*)" if columns.weight is None else "CAST(sum(weight) AS BIGINT)"
    engine.keep(
        f"{name}_distinct",
        f"SELECT {keys}, {records} AS records, count(*) AS rows FROM {rows} GROUP BY {keys}",
    )
    _refuse_small(engine, name)
    return int(engine.rows(f"SELECT coalesce(sum(rows), 0) FROM {name}_distinct")[0][0])


def _refuse_small(engine: Engine, name: str) -> None:
    """Refuse a table of which some distinct rows stand for fewer records than may leave the engine."""
    if engine.min_cell > 1:
        few = engine.rows(f"SELECT coalesce(sum(records), 0) FROM {name}_distinct WHERE records < {engine.min_cell}")
        if few[0][0]:
            raise NotOnEngine(
                f"{int(few[0][0]):,} records have attributes that fewer than {engine.min_cell} records share, and such "
                "rows may not leave the engine.\n"
                "Hint: look at fewer attributes, or allow smaller counts with --min-cell."
            )


def _keys(attributes: int, person: bool) -> list[str]:
    return [*(["person"] if person else []), *(f"a{number}" for number in range(attributes))]


def _numbered(
    engine: Engine,
    name: str,
    attributes: tuple[str, ...],
    reading: Reading,
    missing: MissingRule,
    weight: str | None,
    person: str | None,
) -> Table:
    """Return the table whose distinct rows lie on the engine, with these as numbers."""
    keys = _keys(len(attributes), person is not None)
    joins, values = [], []
    for key in keys:
        engine.keep(
            f"{name}_{key}",
            f"SELECT value, CAST(row_number() OVER (ORDER BY value NULLS LAST) - 1 AS INTEGER) AS code "
            f"FROM (SELECT DISTINCT {key} AS value FROM {name}_distinct)",
        )
        joins.append(f"JOIN {name}_{key} AS d_{key} ON d_{key}.value IS NOT DISTINCT FROM t.{key}")
        if key != "person":
            values.append(tuple(row[0] for row in engine.rows(f"SELECT value FROM {name}_{key} ORDER BY code")))
    arrays = engine.columns(
        f"SELECT {', '.join(f'd_{key}.code AS {key}' for key in keys)}, records FROM {name}_distinct AS t "
        f"{' '.join(joins)} ORDER BY {', '.join(f'd_{key}.code' for key in keys)}"
    )
    engine.drop(*(f"{name}_{suffix}" for suffix in ("distinct", *keys)))
    codes = np.vstack([np.asarray(arrays[f"a{number}"], dtype=np.int32) for number in range(len(attributes))])
    persons = np.asarray(arrays["person"], dtype=np.int32) if person else None
    counts = np.asarray(arrays["records"], dtype=np.int64)
    return Table(
        engine, reading, attributes, np.ascontiguousarray(codes), counts, tuple(values), name,
        missing=missing, persons=persons, weight=weight, person=person,
    )  # fmt: skip
