"""How the rows of a source become the rows of a table on an engine: columns chosen, cells read, bad rows refused."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from sudare.data.rules import cell_text
from sudare.data.sources import Source
from sudare.data.text import file_hash
from sudare.engine import Engine
from sudare.errors import BadRows, ColumnNotFound, OptionNotUsable, SourceNotReadable


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of the columns that are read."""

    attributes: dict[str, int]
    weight: int | None
    person: int | None


def choose_columns(source: Source, attributes: Sequence[str] | None, weight: str | None, person: str | None) -> Columns:
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
            raise unknown_attribute(name, source.columns, source.name)
        if name in twice or [*wanted, *apart].count(name) > 1:
            raise ColumnNotFound(
                f"The column {name!r} stands in {source.name} more than once, or was asked for twice.\n"
                "Hint: give each column a name of its own, and one use."
            )
    if not wanted:
        raise ColumnNotFound(f"No attribute of {source.name} is to be read.\nHint: name at least one.")
    places = {name: source.columns.index(name) for name in wanted}
    return Columns(
        places,
        None if weight is None else source.columns.index(weight),
        None if person is None else source.columns.index(person),
    )


def unknown_attribute(name: str, known: Sequence[str], source: str) -> ColumnNotFound:
    """Return the error about a name that no attribute has, with those that are near."""
    near = difflib.get_close_matches(name, known, n=3)
    meant = f"Did you mean {' or '.join(near)}?\n" if near else ""
    return ColumnNotFound(f"There is no attribute {name!r} in {source}.\n{meant}Attributes there: {', '.join(known)}.")


def cells_query(source: Source, columns: Columns, missing: Sequence[str]) -> str:
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


def cell_names(columns: Columns) -> list[str]:
    """Return the names of the cells of a row of all rows, in their order."""
    apart = [name for name in ("weight", "person") if getattr(columns, name) is not None]
    return [*(f"a{number}" for number in range(len(columns.attributes))), *apart]


def _hold(engine: Engine, query: str, name: str) -> None:
    """Make the table of all rows of a query, with their numbers."""
    engine.hold(name, f"SELECT {engine.record_number} AS record, * FROM ({query})")


def load_rows(engine: Engine, source: Source, columns: Columns, missing: Sequence[str], name: str) -> None:
    """Make the table of all rows of a source and check their weights or persons."""
    _hold(engine, cells_query(source, columns, missing), name)
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
            raise SourceNotReadable(f"{self.source.name} has changed since it was read.\nHint: read it again.")
