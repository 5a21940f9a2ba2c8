"""Writing recoded tables: what may be published, and the secret key that links it to its source.

The order of the lines depends on nothing but what they say and the seed: lines are sorted by their cells first, then
shuffled. Whoever undoes the shuffle, since the seed is known, finds sorted lines and nothing of the source's order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import DuckDBEngine, fresh_name, quote_name, scratch_engine
from sudare.errors import OutputNotWritable
from sudare.messages import message
from sudare.showing import dataclass
from sudare.sources.writing import check_table_ending, keeps_inputs, whole_file
from sudare.statistics.distinct import number_rows, row_order
from sudare.tables.model import Table
from sudare.tables.recoded.model import RecodedTable

Places = NDArray[np.int64]
# Draws of the same seed for the lines and for the records behind them.
_LINES, _RECORDS = 0, 1


@dataclass(frozen=True, eq=False)
class _Column:
    """A published column: its texts, and for each record of the recoded table which of them it has."""

    attribute: str
    texts: tuple[str | None, ...]
    codes: NDArray[np.int32]


@checked
@keeps_inputs()
def write_recoded(found: RecodedTable, path: str | Path, *, seed: int) -> int:
    """Write the published columns of a recoded table as CSV or Parquet, and return the number of lines.

    Quasi-identifiers are written as cells, sensitive and kept columns with their original values; suppressed records
    are not written. Every record has a line of its own, also if the table has weights. The lines are in random order by
    the seed. Nothing is checked: `publish_recoded` does that too.
    """
    check_table_ending(Path(path))
    lines = published_lines(found, seed)
    with whole_file(Path(path)) as temporary:
        fill_recoded_file(found, lines, temporary)
    return len(lines)


@checked
@keeps_inputs()
def write_key(found: RecodedTable, path: str | Path, *, seed: int) -> int:
    """Write the secret key of the file that `write_recoded` writes with the same seed; return the number of records.

    **Keep it secret: it links the lines of the published file to people.** For each record of the source, it has the
    record number in the source (`record`, from 1) and the line number in the published file (`line`, from 1, without
    the header; empty if the record is suppressed). A row that stands for several records (a weight) has an entry for
    each. Which of several equal records a line stands for is drawn by the seed. Only its owner may read the file.
    """
    check_table_ending(Path(path))
    lines = published_lines(found, seed)
    with whole_file(Path(path), private=True) as temporary:
        fill_key_file(found, lines, temporary, seed=seed)
    return len(found.rows)


def published_lines(found: RecodedTable, seed: int) -> Places:
    """Return the records that are published, in the order of their lines in the file."""
    kept = np.flatnonzero(found.published)
    ranks = [_ranks(column.texts)[column.codes[kept]] for column in _columns(found)]
    ordered = kept[row_order(np.vstack(ranks))]
    return ordered[np.random.default_rng([seed, _LINES]).permutation(len(kept))]


def _columns(found: RecodedTable) -> list[_Column]:
    """Return the published columns, in the order of the source."""
    quasi = {column.attribute: place for place, column in enumerate(found.columns)}
    return [_column(found, name, quasi.get(name)) for name in found.roles.published]


def _column(found: RecodedTable, name: str, place: int | None) -> _Column:
    if place is None:
        return _Column(name, found.table.values[found.table.attributes.index(name)], found.codes(name))
    # Suppressed records have no class; what they get here is never written.
    cells = np.append(found.cells[place], np.int32(0))
    return _Column(name, found.columns[place].texts, cells[found.owner])


def _ranks(texts: Sequence[str | None]) -> NDArray[np.int32]:
    """Return the place of each text in their order; equal texts have the same place, and nothing comes last."""
    ordered = sorted(set(texts), key=lambda text: (text is None, text or ""))
    places = {text: place for place, text in enumerate(ordered)}
    return np.array([places[text] for text in texts], np.int32)


def fill_recoded_file(found: RecodedTable, lines: Places, path: Path) -> None:
    """Write lines to a file."""
    found.table.engine.check_people(message("errors.people.records"))
    columns = _columns(found)
    _refuse_blank_lines(columns, lines, path)
    places = {f"c{number}": column.codes[lines] for number, column in enumerate(columns)}
    cells = ", ".join(f"t{n}.text AS {quote_name(column.attribute)}" for n, column in enumerate(columns))
    joins = " ".join(f"JOIN texts{n} AS t{n} ON t{n}.code = l.c{n}" for n in range(len(columns)))
    with scratch_engine() as engine:
        engine.attach("lines", {"line": np.arange(len(lines)), **places})
        for number, column in enumerate(columns):
            _attach_texts(engine, f"texts{number}", column.texts)
        engine.write(f"SELECT {cells} FROM lines AS l {joins} ORDER BY l.line", path)


def _refuse_blank_lines(columns: Sequence[_Column], lines: Places, path: Path) -> None:
    """Refuse a CSV file of one column with missing values: nobody reads back a line without anything on it."""
    if path.suffix.lower() == ".csv" and len(columns) == 1:
        written = np.unique(columns[0].codes[lines])
        if any(columns[0].texts[code] is None for code in written):
            raise OutputNotWritable("errors.levels.written_differs", ending=".csv")


def _attach_texts(engine: DuckDBEngine, name: str, texts: Sequence[str | None]) -> None:
    engine.attach(f"{name}_given", {"code": np.arange(len(texts)), "text": np.array(texts, object)})
    # Where all are missing, the engine cannot know that they are texts.
    engine.keep(name, f"SELECT code, CAST(text AS VARCHAR) AS text FROM {name}_given")


def fill_key_file(found: RecodedTable, lines: Places, path: Path, *, seed: int) -> None:
    """Write the record of the source and the line of each record of a recoded table."""
    numbers = np.zeros(len(found.rows), np.int64)
    numbers[lines] = np.arange(1, len(lines) + 1)
    records = _source_records(found, seed)
    with scratch_engine() as engine:
        engine.attach("key", {"record": records, "line": numbers})
        engine.write("SELECT record, nullif(line, 0) AS line FROM key ORDER BY record, key.line", path)


def _source_records(found: RecodedTable, seed: int) -> Places:
    """Return for each record of a recoded table its number in the source; equal ones are dealt out at random."""
    numbers, rows = _rows_of_source(found.table)
    if not np.array_equal(np.bincount(rows, minlength=len(found.table.counts)), found.table.counts):
        raise RuntimeError("The rows on the engine are not those of the table.")
    dealt = np.random.default_rng([seed, _RECORDS]).permutation(len(rows))
    by_row = dealt[np.argsort(rows[dealt], kind="stable")]
    records = np.empty(len(rows), np.int64)
    records[np.argsort(found.rows, kind="stable")] = numbers[by_row]
    return records


def _rows_of_source(table: Table) -> tuple[Places, NDArray[np.int64]]:
    """Return the number of each record in the source, and the distinct row of the table that it is equal to."""
    with _coded_rows(table) as query:
        found = table.engine.people_columns(query, message("errors.people.records"))
    keys = [*(["person"] if table.persons is not None else []), *(f"a{a}" for a in range(len(table.attributes)))]
    source = np.vstack([found[key].astype(np.int32) for key in keys])
    distinct = table.codes if table.persons is None else np.vstack([table.persons, table.codes])
    # Distinct rows come first, so that each is numbered by its own place.
    numbers = number_rows(np.hstack([distinct, source]))[0][len(table.counts) :]
    weights = found["weight"].astype(np.int64)
    return np.repeat(found["record"].astype(np.int64), weights), np.repeat(numbers, weights)


@contextmanager
def _coded_rows(table: Table) -> Iterator[str]:
    """Yield a query of all rows of the source with the numbers of their values."""
    rows, names = table.rows(), [fresh_name("key_values") for _ in table.attributes]
    joins = [f"JOIN {name} AS v{a} ON v{a}.value IS NOT DISTINCT FROM r.a{a}" for a, name in enumerate(names)]
    cells = ["r.record", f"{'r.weight' if table.weight else '1'} AS weight"]
    cells += [f"v{a}.code AS a{a}" for a in range(len(names))]
    if table.persons is not None:
        # Persons are numbered in the order of their names, as they were when the table was read.
        listed = (
            f"SELECT person, row_number() OVER (ORDER BY person) - 1 AS code FROM (SELECT DISTINCT person FROM {rows})"
        )
        joins.append(f"JOIN ({listed}) AS p ON p.person = r.person")
        cells.append("p.code AS person")
    try:
        for name, values in zip(names, table.values, strict=True):
            table.engine.attach(name, {"value": np.array(values, object), "code": np.arange(len(values))})
        yield f"SELECT {', '.join(cells)} FROM {rows} AS r {' '.join(joins)} ORDER BY r.record"
    finally:
        table.engine.drop(*names)
