"""Tables of records with attributes, collapsed to their distinct rows with counts.

Risk depends on which records are equal on which attributes, so the distinct rows and how often each stands in the
table are all that the analyses need: one pass of the engine, then arrays.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sudare.data.history import Reading
from sudare.data.rules import cell_text
from sudare.data.sources import Source, SourceOptions, open_source
from sudare.engine import DuckDBEngine, Engine, quote_name
from sudare.errors import BadRows, ColumnNotFound, SourceNotReadable
from sudare.progress import Progress, silent

_numbers = itertools.count(1)


@dataclass(eq=False)
class Table:
    """A table on an engine and its distinct rows.

    `codes[a, i]` is the number of the value of attribute a in distinct row i, `values[a]` the values by number (a
    missing one is None), `counts[i]` how many records are like row i. Use it in a `with` block, or close it.
    """

    engine: Engine
    reading: Reading
    attributes: tuple[str, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    values: tuple[tuple[str | None, ...], ...]
    _name: str = field(repr=False)
    _own_engine: bool = field(default=False, repr=False)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def rows(self) -> str:
        """The SQL name of the table of all records: `record` (from 1) and the attributes as text."""
        return self._name

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the places of attributes; an unknown name raises ColumnNotFound with those that are near."""
        for name in names:
            if name not in self.attributes:
                raise _unknown(name, self.attributes, self.reading.source)
        return [self.attributes.index(name) for name in names]

    def close(self) -> None:
        """Give back the engine if the table made it, else drop its rows."""
        if self._own_engine:
            self.engine.close()
        else:
            self.engine.run(f"DROP TABLE IF EXISTS {self._name}")

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_table(
    source: object,
    *,
    attributes: Sequence[str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    missing: Sequence[str] = (),
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Table:
    """Read a table from a CSV, Parquet or Excel file, a DuckDB relation or any dataframe.

    `attributes` chooses columns (all if None). Cells are trimmed; an empty cell and the values of `missing` are
    missing, and a missing value is a value of its own. Lines that do not divide into the columns are refused.
    """
    own = engine is None
    engine = engine or DuckDBEngine()
    try:
        with ExitStack() as cleanup:
            progress("reading", 0, 2)
            opened = open_source(source, engine, SourceOptions(delimiter, header, encoding, sheet), cleanup)
            chosen = _choose(opened, attributes)
            return _load(engine, opened, chosen, missing, own_engine=own, progress=progress)
    except BaseException:
        if own:
            engine.close()
        raise


def _choose(source: Source, attributes: Sequence[str] | None) -> dict[str, int]:
    """Return the chosen columns and their places; names that stand twice cannot be told apart."""
    twice = [name for name in dict.fromkeys(source.columns) if source.columns.count(name) > 1]
    wanted = list(attributes) if attributes is not None else list(source.columns)
    for name in wanted:
        if name not in source.columns:
            raise _unknown(name, source.columns, source.name)
        if name in twice or wanted.count(name) > 1:
            raise ColumnNotFound(
                f"The column {name!r} stands in {source.name} more than once, or was asked for twice.\n"
                "Hint: give each column a name of its own."
            )
    return {name: source.columns.index(name) for name in wanted}


def _unknown(name: str, known: Sequence[str], source: str) -> ColumnNotFound:
    near = difflib.get_close_matches(name, known, n=3)
    meant = f"Did you mean {' or '.join(near)}?\n" if near else ""
    return ColumnNotFound(f"There is no attribute {name!r} in {source}.\n{meant}Attributes there: {', '.join(known)}.")


def _load(
    engine: Engine,
    source: Source,
    chosen: dict[str, int],
    missing: Sequence[str],
    *,
    own_engine: bool,
    progress: Progress,
) -> Table:
    name = f"table{next(_numbers)}_rows"
    texts = [
        f"{cell_text(source.expressions[place], source.types[place], missing)} AS {quote_name(column)}"
        for column, place in chosen.items()
    ]
    engine.run(
        f"CREATE TEMP TABLE {name} AS SELECT row_number() OVER () AS record, {', '.join(texts)} FROM {source.table}"
    )
    broken = source.broken_lines(engine)
    if broken:
        shown = "\n".join(f"  row {line:,}: {reason}" for line, reason in list(broken.items())[:10])
        raise BadRows(
            f"{source.name} has {len(broken):,} lines that do not divide into the columns; nothing was read.\n{shown}\n"
            "Hint: mend or remove them."
        )
    records = engine.rows(f"SELECT count(*) FROM {name}")[0][0]
    if not records:
        raise SourceNotReadable(f"{source.name} has no rows of data.\nHint: give a file with at least one row of data.")
    progress("collapsing", 1, 2)
    codes, counts, values = _collapse(engine, name, list(chosen))
    progress("reading", 2, 2)
    reading = Reading(source.name, source.format, {}, source.guesses, records, (), source.sha256)
    return Table(engine, reading, tuple(chosen), codes, counts, values, name, own_engine)


def _collapse(
    engine: Engine, table: str, columns: Sequence[str]
) -> tuple[NDArray[np.int32], NDArray[np.int64], tuple[tuple[str | None, ...], ...]]:
    """Return the distinct rows as numbers, their counts, and the values the numbers stand for, in order."""
    names = [quote_name(column) for column in columns]
    engine.run(
        f"CREATE OR REPLACE TEMP TABLE {table}_distinct AS "
        f"SELECT {', '.join(names)}, count(*) AS records FROM {table} GROUP BY {', '.join(names)}"
    )
    selected, joins, values = [], [], []
    for number, column in enumerate(names):
        dictionary = f"{table}_values{number}"
        engine.run(
            f"CREATE OR REPLACE TEMP TABLE {dictionary} AS "
            f"SELECT value, CAST(row_number() OVER (ORDER BY value NULLS LAST) - 1 AS INTEGER) AS code "
            f"FROM (SELECT DISTINCT {column} AS value FROM {table}_distinct)"
        )
        joins.append(f"JOIN {dictionary} AS d{number} ON d{number}.value IS NOT DISTINCT FROM t.{column}")
        selected.append(f"d{number}.code AS c{number}")
        values.append(tuple(row[0] for row in engine.rows(f"SELECT value FROM {dictionary} ORDER BY code")))
    order = ", ".join(f"c{number}" for number in range(len(names)))
    arrays = engine.columns(
        f"SELECT {', '.join(selected)}, records FROM {table}_distinct AS t {' '.join(joins)} ORDER BY {order}"
    )
    for suffix in ("distinct", *(f"values{number}" for number in range(len(names)))):
        engine.run(f"DROP TABLE {table}_{suffix}")
    codes = np.vstack([np.asarray(arrays[f"c{number}"], dtype=np.int32) for number in range(len(names))])
    return np.ascontiguousarray(codes), np.asarray(arrays["records"], dtype=np.int64), tuple(values)
