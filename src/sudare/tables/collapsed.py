"""The distinct rows of a table as numbers, counted on an engine and left there.

Values get their numbers first, so that cells are taken as text once for each way of writing them, and rows are grouped
by numbers. Most tables are then fetched as arrays (`sudare.tables.model`); where they are too many for memory, or must
not leave the engine, they stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path

from sudare.arguments import checked
from sudare.engine import Engine, closed, engine_to_keep, fresh_name
from sudare.engine.small_counts import Refuse
from sudare.errors import NotOnEngine, SourceNotReadable
from sudare.messages import Language, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.cell_text import MissingRule
from sudare.sources.opening import Source, open_source
from sudare.sources.options import SourceOptions
from sudare.sources.readings import Reading
from sudare.sources.rejects import check_rejects
from sudare.sources.spellings import Spelling
from sudare.tables.rows import (
    Columns,
    RowsLater,
    Written,
    as_written_rows,
    cells_query,
    choose_columns,
    load_rows,
    refuse_heavy,
    reject_rows,
    table_spellings,
    unknown_attribute,
)

# Distinct rows that stand for fewer records than may leave the engine.
RARE = Refuse(lambda count, least: NotOnEngine("errors.tables.rare", count=count, least=least))


@dataclass(frozen=True, slots=True)
class Grouped:
    """How many rows a table has, how many records they stand for, and how many of them are distinct.

    `rewritten` is how many values are written otherwise than they are taken; where nobody looked, it is not 0.
    """

    rows: int
    records: int
    distinct: int
    rewritten: int


@dataclass(eq=False)
class CollapsedTable:
    """A table whose distinct rows stay on an engine.

    `grouped` says how many there are. Use it in a `with` block, or close it.
    """

    engine: Engine
    reading: Reading
    attributes: tuple[str, ...]
    grouped: Grouped
    _name: str = field(repr=False)
    missing: MissingRule = "value"
    weight: str | None = None
    person: str | None = None
    later: RowsLater | None = field(default=None, repr=False)
    own_engine: bool = field(default=False, repr=False)
    _closed: bool = field(default=False, repr=False)

    @property
    def name(self) -> str:
        """The common prefix of the SQL names of its tables."""
        if self._closed:
            raise closed("table")
        return self._name

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
        """The columns that make rows distinct: the person, if there is one, and the attributes a0, a1, ..."""
        return _keys(len(self.attributes), self.person is not None)

    @checked
    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the positions of attributes; an unknown name raises ColumnNotFound with similar names."""
        for name in names:
            if name not in self.attributes:
                raise unknown_attribute(name, self.attributes, self.reading.source)
        return [self.attributes.index(name) for name in names]

    def rare_records(self) -> int:
        """Return how many records share their attributes with too few others to leave the engine."""
        least = self.engine.min_cell
        if least == 1:
            return 0
        return int(
            self.engine.total(f"SELECT coalesce(sum(records), 0) FROM {self.numbered} WHERE records < {least}")[0]
        )

    @property
    def numbered(self) -> str:
        """The SQL name of the table of distinct rows: the numbers of the keys, and records."""
        return f"{self.name}_numbered"

    def drop_numbers(self) -> None:
        """Drop the distinct rows and the numbers of the values."""
        drop_numbers(self.engine, self._name, self.keys)

    def close(self) -> None:
        """Close the engine if the table opened it; otherwise drop its tables."""
        if self.own_engine:
            self.engine.close()
        else:
            self.engine.drop(self._name)
            self.drop_numbers()
        self._closed = True

    def __enter__(self) -> CollapsedTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@checked
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
    table: str | None = None,
    time_zone: str | None = None,
    rejects: str | Path | None = None,
    language: Language = "en",
    engine: Engine | None = None,
    progress: Progress = silent,
) -> CollapsedTable:
    """Group a table by all its attributes and leave the distinct rows on the engine.

    The sources are those of `read_table`. Use it where the distinct rows may not fit in memory, or must not leave the
    engine.
    """
    form = SourceOptions(
        delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, table=table, time_zone=time_zone,
        rejects=rejects, language=language,
    )  # fmt: skip
    name = new_name()
    keys: list[str] = []
    with engine_to_keep(engine, source) as (place, own), ExitStack() as cleanup:
        forget = cleanup.enter_context(ExitStack())
        forget.callback(lambda: _forget(place, name, keys))
        progress(message("progress.reading"), 0, 2)
        check_rejects(form, place)
        opened = open_source(source, place, form, cleanup)
        columns = choose_columns(opened, attributes, weight, person)
        keys += _keys(len(columns.attributes), person is not None)
        grouped, later = _grouped(place, opened, columns, missing_values, name, form)
        values = value_tables(name, columns)
        rewritten = grouped.rewritten > 0
        spellings = table_spellings(place, opened, columns, missing_values, values, rewritten=rewritten)
        reading = reading_of(opened, grouped.rows, columns, spellings)
        progress(message("progress.grouping_rows"), 1, 2)
        forget.pop_all()
        names = tuple(columns.attributes)
        return CollapsedTable(place, reading, names, grouped, name, missing, weight, person, later, own)


def _grouped(
    engine: Engine, source: Source, columns: Columns, missing: Sequence[str], name: str, options: SourceOptions
) -> tuple[Grouped, RowsLater | None]:
    """Group the rows of a source, and say how all of them can be read later, if they were not."""
    # Weights and persons are looked at row by row.
    if source.in_place is None or columns.weight is not None or columns.person is not None:
        load_rows(engine, source, columns, missing, name, options)
        return group_rows(engine, name, name, columns), None
    later = RowsLater(source, cells_query(source, columns, missing))
    # The embedded engine reads single columns of Parquet again in no time.
    again = engine.name == "duckdb" and source.format == "Parquet"
    written = as_written_rows(source, columns, missing)
    grouped = group_rows(engine, f"({written.query})", name, columns, written=written, again=again)
    reject_rows(engine, source, columns, options)
    return grouped, later


def _forget(engine: Engine, name: str, keys: Sequence[str]) -> None:
    """Drop what lies on an engine of a table that could not be read."""
    engine.drop(name)
    drop_numbers(engine, name, keys)


def new_name() -> str:
    """Return a name for the rows of a table that no other has."""
    return f"{fresh_name('table')}_rows"


def reading_of(source: Source, rows: int, columns: Columns, spellings: tuple[Spelling, ...] = ()) -> Reading:
    """Return how a source was read; one without rows is refused."""
    if not rows:
        raise SourceNotReadable("errors.tables.no_rows", source=source.name)
    clock = source.clock if set(source.zoned) & set(columns.attributes.values()) else None
    others = tuple(name for name in source.columns if name not in columns.attributes)
    return Reading(
        source.name, source.format, {}, source.guesses, rows, (), source.sha256, spellings, clock, others,
        source.alternatives, source.files,
    )  # fmt: skip


def group_rows(
    engine: Engine, rows: str, name: str, columns: Columns, *, written: Written | None = None, again: bool = False
) -> Grouped:
    """Make the table `NAME_numbered` of the distinct rows as numbers with their records.

    The tables `NAME_KEY` (raw, value, code) have the values of each key, numbered in their order. `written` says how
    to get a value from what the source has, where the two differ. Equal rows are merged first, in one scan; with
    `again` the source is scanned once per key instead, which is cheaper where single columns can be read.
    """
    keys = _keys(len(columns.attributes), columns.person is not None)
    if columns.weight is not None:
        refuse_heavy(engine, rows)
    summed = "count(*)"
    if not again:
        records = "count(*)" if columns.weight is None else "CAST(sum(weight) AS BIGINT)"
        listed = ", ".join(keys)
        engine.keep(
            f"{name}_raw", f"SELECT {listed}, {records} AS records, count(*) AS rows FROM {rows} GROUP BY {listed}"
        )
        rows, summed = f"{name}_raw", "CAST(sum(records) AS BIGINT)"
    joins = []
    for key in keys:
        value = written.taken[key] if written else "raw"
        engine.keep(
            f"{name}_{key}",
            "SELECT raw, value, CAST(dense_rank() OVER (ORDER BY value NULLS LAST) - 1 AS INTEGER) AS code "
            f"FROM (SELECT raw, {value} AS value FROM (SELECT DISTINCT {key} AS raw FROM {rows}))",
        )
        joins.append(f"JOIN {name}_{key} AS d_{key} ON d_{key}.raw IS NOT DISTINCT FROM t.{key}")
    codes = ", ".join(f"d_{key}.code AS {key}" for key in keys)
    engine.keep(
        f"{name}_numbered",
        f"SELECT {codes}, {summed} AS records FROM {rows} AS t {' '.join(joins)} "
        f"GROUP BY {', '.join(f'd_{key}.code' for key in keys)}",
    )
    total = "coalesce(sum(records), 0)"
    read = total if again else f"(SELECT coalesce(sum(rows), 0) FROM {name}_raw)"
    rows_read, records, distinct = engine.total(f"SELECT {read}, {total}, count(*) FROM {name}_numbered")
    engine.drop(f"{name}_raw")
    return Grouped(int(rows_read), int(records), int(distinct), _rewritten(engine, name, written))


def _rewritten(engine: Engine, name: str, written: Written | None) -> int:
    if written is None:
        return 1
    changed = (f"SELECT count(*) AS n FROM {name}_{key} WHERE raw <> value" for key in sorted(written.texts))
    every = " UNION ALL ".join(["SELECT 0 AS n", *changed])
    return int(engine.total(f"SELECT sum(n) FROM ({every})")[0])


def key_values(collapsed: CollapsedTable, key: str) -> tuple[str | None, ...]:
    """Return the values of a key in the order of their numbers; a missing one comes last."""
    # Any value is about one record at least; where that is not enough, the records are counted.
    lines = f"SELECT DISTINCT code, value, 1 AS records FROM {collapsed.name}_{key} ORDER BY code"
    if collapsed.engine.min_cell > 1:
        lines = (
            f"SELECT d.code, d.value, t.records FROM (SELECT DISTINCT code, value FROM {collapsed.name}_{key}) AS d "
            f"JOIN (SELECT {key} AS code, sum(records) AS records FROM {collapsed.numbered} GROUP BY {key}) AS t "
            "ON t.code = d.code ORDER BY d.code"
        )
    return tuple(value for _, value, _ in collapsed.engine.counts(lines, cell="records", small=RARE))


def value_tables(name: str, columns: Columns) -> dict[str, str]:
    """Return the tables of the values of keys that `group_rows` made."""
    return {key: f"{name}_{key}" for key in _keys(len(columns.attributes), columns.person is not None)}


def drop_numbers(engine: Engine, name: str, keys: Sequence[str]) -> None:
    """Forget what `group_rows` made."""
    engine.drop(*(f"{name}_{part}" for part in ("raw", "numbered", *keys)))


def _keys(attributes: int, person: bool) -> list[str]:
    return [*(["person"] if person else []), *(f"a{number}" for number in range(attributes))]
