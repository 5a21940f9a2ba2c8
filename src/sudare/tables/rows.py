"""From source rows to table rows on an engine: selecting columns, reading cells, refusing bad rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sudare.engine import Engine
from sudare.engine.small_counts import LeaveOut
from sudare.errors import BadRows, ColumnNotFound, OptionNotUsable, SourceNotReadable
from sudare.messages import Joined, Message, message
from sudare.messages.near import did_you_mean
from sudare.showing import dataclass
from sudare.sources.cell_text import cell_text
from sudare.sources.opening import Source, refuse_broken
from sudare.sources.options import SourceOptions
from sudare.sources.rejects import BadRowsFound, Problem, write_rejects
from sudare.sources.spellings import Spelling, told_counts
from sudare.sources.text import file_hash

# The digits of a weight, and how many records a table can have: all sums of them are exact in 64 bits.
WEIGHT_DIGITS = 18
MOST_RECORDS = 10**WEIGHT_DIGITS
# Up to where floating point has all whole numbers.
_EXACT_FLOATS = {"DOUBLE": 2**53, "FLOAT": 2**24}
# What the names of types begin with whose equal values have one text.
_ONE_TEXT = (
    "VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of the columns that are read."""

    attributes: dict[str, int]
    weight: int | None
    person: int | None


def choose_columns(source: Source, attributes: Sequence[str] | None, weight: str | None, person: str | None) -> Columns:
    """Find the chosen columns; names that stand twice cannot be told apart."""
    if weight is not None and person is not None:
        raise OptionNotUsable("errors.tables.weights_and_persons")
    twice = [name for name in dict.fromkeys(source.columns) if source.columns.count(name) > 1]
    apart = [name for name in (weight, person) if name is not None]
    wanted = list(attributes) if attributes is not None else [name for name in source.columns if name not in apart]
    for name in [*wanted, *apart]:
        if name not in source.columns:
            raise unknown_attribute(name, source.columns, source.name)
        if name in twice:
            raise ColumnNotFound("errors.tables.column_twice", column=name, source=source.name)
        if [*wanted, *apart].count(name) > 1:
            raise ColumnNotFound("errors.tables.column_asked_twice", column=name, source=source.name)
    if not wanted:
        raise ColumnNotFound("errors.tables.no_attributes", source=source.name)
    places = {name: source.columns.index(name) for name in wanted}
    return Columns(
        places,
        None if weight is None else source.columns.index(weight),
        None if person is None else source.columns.index(person),
    )


def unknown_attribute(name: str, known: Sequence[str], source: str | Message) -> ColumnNotFound:
    """Return the error about a name that no attribute has, with those that are near."""
    return ColumnNotFound(
        "errors.tables.unknown_attribute",
        name=name,
        source=source,
        meant=did_you_mean(str(name), known),
        attributes=Joined(known, "comma"),
    )


def cells_query(source: Source, columns: Columns, missing: Sequence[str]) -> str:
    """Return a query for the rows of a source: the attributes as a0, a1, ..., weight, person."""

    def text(place: int) -> str:
        return cell_text(source.expressions[place], source.types[place], missing)

    cells = [f"{text(place)} AS a{number}" for number, place in enumerate(columns.attributes.values())]
    if columns.weight is not None:
        cells.append(f"{_weight(text(columns.weight), source.types[columns.weight])} AS weight")
    if columns.person is not None:
        cells.append(f"{text(columns.person)} AS person")
    return f"SELECT {', '.join(cells)} FROM {source.table}"


def _weight(text: str, type_: str) -> str:
    """Return an expression for the whole number from 1 on that a text says, NULL if it says none.

    Digits are read as they are, with or without a fraction of zeros: floating point, in which 1e3 is read, is exact
    only for smaller numbers. A column of floating point has been rounded already, so no larger number of it is taken.
    """
    number = f"read_number({text})"
    most = _EXACT_FLOATS.get(type_, 10**15)
    small = f"CASE WHEN {number} BETWEEN 1 AND {most} THEN {number} = floor({number}) END"
    whole = f"WHEN {small} THEN CAST({number} AS BIGINT) END"
    if type_ not in _EXACT_FLOATS:
        digits = f"is_like({text}, '0*[0-9]{{1,{WEIGHT_DIGITS}}}([.]0*)?')"
        whole = f"WHEN {digits} THEN CAST(split_part({text}, '.', 1) AS BIGINT) {whole}"
    return f"nullif(CASE {whole}, 0)"


@dataclass(frozen=True, slots=True)
class Written:
    """The cells of a source as they are written: a query for its rows, and how the text of a cell follows from `raw`.

    `texts` are the cells that were text from the start, which can be written otherwise than they are taken.
    """

    query: str
    taken: dict[str, str]
    texts: frozenset[str]


def as_written_rows(source: Source, columns: Columns, missing: Sequence[str]) -> Written:
    """Return the attributes of a source as they are written.

    Values of a type of which equal ones can be written differently, as intervals, are made text right away.
    """
    cells, taken = [], {}
    for number, place in enumerate(columns.attributes.values()):
        expression, type_ = source.expressions[place], source.types[place]
        if type_.startswith(_ONE_TEXT):
            taken[f"a{number}"] = cell_text("raw", type_, missing)
        else:
            expression, taken[f"a{number}"] = cell_text(expression, type_, missing), "raw"
        cells.append(f"{expression} AS a{number}")
    texts = frozenset(_named_places(source, columns))
    return Written(f"SELECT {', '.join(cells)} FROM {source.table}", taken, texts)


def _named_places(source: Source, columns: Columns) -> dict[str, int]:
    """Return the places of the columns of text, weights aside, by their names in a query of cells."""
    places = {f"a{number}": place for number, place in enumerate(columns.attributes.values())}
    if columns.person is not None:
        places["person"] = columns.person
    return {name: place for name, place in places.items() if source.types[place] == "VARCHAR"}


def table_spellings(
    engine: Engine,
    source: Source,
    columns: Columns,
    missing: Sequence[str],
    values: Mapping[str, str],
    *,
    rewritten: bool = True,
) -> tuple[Spelling, ...]:
    """Return how the texts of a source were written; `values` are tables of the values of its columns.

    If some are written otherwise than they are taken, the source is read again to count them.
    """
    places = _named_places(source, columns)
    cases = case_counts(engine, {name: values[name] for name in places})
    written = _written_counts(engine, source, places, missing) if places and rewritten else {}
    told = (Spelling(source.columns[place], *written.get(name, (0, 0)), cases[name]) for name, place in places.items())
    return tuple(spelling for spelling in told if spelling.remarkable)


def _written_counts(
    engine: Engine, source: Source, places: Mapping[str, int], missing: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return for each column how many cells were not in NFKC, and how many ways of writing were merged."""
    cells = ", ".join(
        f"{cell_text(source.expressions[place], source.types[place], missing)} AS {name}, "
        f"{source.expressions[place]} AS {name}_raw"
        for name, place in places.items()
    )
    counts = (
        (
            f"count(*) FILTER (WHERE trimmed({name}_raw) <> {name})",
            f"count(DISTINCT CASE WHEN {name} IS NOT NULL THEN {name}_raw END) - count(DISTINCT {name})",
        )
        for name in places
    )
    found = told_counts(engine, [count for pair in counts for count in pair], f"(SELECT {cells} FROM {source.table})")
    return dict(zip(places, zip(found[::2], found[1::2], strict=True), strict=True))


def case_counts(engine: Engine, values: Mapping[str, str]) -> dict[str, int]:
    """Return how many values of columns differ from another by case alone; each has a table with a column `value`.

    Counts that are too small to leave the engine are 0.
    """
    if not values:
        return {}
    every = " UNION ALL ".join(
        f"SELECT {place} AS place, value FROM {table}" for place, table in enumerate(values.values())
    )
    different = f"SELECT DISTINCT place, value FROM ({every}) WHERE value IS NOT NULL"
    counts = f"SELECT place, count(*) - count(DISTINCT lower(value)) AS n FROM ({different}) GROUP BY place"
    found = engine.counts(counts, cell="n", small=LeaveOut())
    return dict.fromkeys(values, 0) | {list(values)[place]: int(n) for place, n in found}


def cell_names(columns: Columns) -> list[str]:
    """Return the names of the cells of a row of all rows, in their order."""
    apart = [name for name in ("weight", "person") if getattr(columns, name) is not None]
    return [*(f"a{number}" for number in range(len(columns.attributes))), *apart]


def _hold(engine: Engine, query: str, name: str) -> None:
    """Make the table of all rows of a query, with their numbers."""
    engine.hold(name, f"SELECT {engine.record_number} AS record, * FROM ({query})")


def reject_rows(
    engine: Engine, source: Source, columns: Columns, options: SourceOptions, name: str | None = None
) -> None:
    """Refuse a text with lines that do not divide into the columns; write all bad rows if that was asked for.

    `name` is the table of all rows, if there are weights or persons in them.
    """
    apart = (("weight", "weight_unusable", columns.weight), ("person", "person_missing", columns.person))
    found = [
        (column, Problem(place, message(f"errors.rows.reason.{reason}")))
        for column, reason, place in apart
        if place is not None
    ]
    first = " ".join(f"WHEN {column} IS NULL THEN {number}" for number, (column, _) in enumerate(found, start=1))
    query = f"SELECT record, CASE {first} END AS problem FROM {name}" if found else "SELECT 0 AS record, 0 AS problem"
    broken = source.broken_lines(engine)
    bad = f"SELECT * FROM ({query}) WHERE problem > 0"
    write_rejects(BadRowsFound(engine, source, bad, [problem for _, problem in found], broken), options)
    refuse_broken(engine, source)


def load_rows(
    engine: Engine,
    source: Source,
    columns: Columns,
    missing: Sequence[str],
    name: str,
    options: SourceOptions | None = None,
) -> None:
    """Make the table of all rows of a source and check their weights or persons."""
    _hold(engine, cells_query(source, columns, missing), name)
    reject_rows(engine, source, columns, options or SourceOptions(), name)
    if columns.weight is not None:
        empty = _empty_rows(engine, source, name, "weight", columns.weight)
        if empty and (most := _EXACT_FLOATS.get(source.types[columns.weight])):
            raise BadRows("errors.tables.weight_inexact", most=most, **empty)
        if empty:
            raise BadRows("errors.tables.weight_unusable", digits=WEIGHT_DIGITS, **empty)
    if columns.person is not None and (empty := _empty_rows(engine, source, name, "person", columns.person)):
        raise BadRows("errors.tables.person_missing", **empty)


def refuse_heavy(engine: Engine, rows: str) -> None:
    """Refuse weights whose sum is more than can be counted."""
    total = int(engine.total(f"SELECT coalesce(sum(CAST(weight AS DECIMAL(38, 0))), 0) FROM {rows}")[0])
    if total > MOST_RECORDS:
        raise BadRows("errors.tables.weights_too_large", total=total, most=MOST_RECORDS)


def _empty_rows(engine: Engine, source: Source, name: str, column: str, place: int) -> dict[str, object]:
    """Say where and how many the rows without a usable weight or person are; nothing if there are none."""
    count = engine.total(f"SELECT count(*) FROM {name} WHERE {column} IS NULL")[0]
    if not count:
        return {}
    rows = _first_empty(engine, name, column, count) if engine.shows_people else ""
    return {"source": source.name, "column": source.columns[place], "count": count, "rows": rows}


def _first_empty(engine: Engine, name: str, column: str, count: int) -> Message:
    first = f"SELECT record FROM {name} WHERE {column} IS NULL ORDER BY record LIMIT 10"
    found = [f"{row[0]:,}" for row in engine.people(first, message("errors.people.rows"))]
    return message("errors.tables.at_rows", rows=", ".join([*found, *(["..."] if count > 10 else [])]))


@dataclass(frozen=True, slots=True)
class RowsLater:
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
            raise SourceNotReadable("errors.tables.changed", source=self.source.name)
