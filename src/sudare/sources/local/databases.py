"""Tables in SQLite and DuckDB files, copied into a file that every engine reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sudare.engine.duckdb.database import is_database, table_names
from sudare.engine.protocol import quote_name
from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.messages import Joined
from sudare.sources.text import csv_line

if TYPE_CHECKING:
    from sqlite3 import Connection

_SQLITE = b"SQLite format 3\0"


def database_kind(path: Path) -> str | None:
    """Return SQLite or DuckDB for a file of that kind, by its first bytes; None for any other."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            return "SQLite"
    return "DuckDB" if is_database(path) else None


def choose_table(path: Path, kind: str, wanted: str | None, name: str) -> str:
    """Return the table to read: the wanted one, else the only one; an error lists several."""
    names = _sqlite_tables(path, name) if kind == "SQLite" else table_names(path)
    if not names:
        raise SourceNotReadable("errors.sources.no_tables", name=name)
    if wanted is not None:
        if wanted not in names:
            raise OptionNotUsable("errors.sources.unknown_table", table=wanted, name=name, tables=", ".join(names))
        return wanted
    if len(names) > 1:
        raise OptionNotUsable(
            "errors.sources.several_tables", name=name, count=len(names), tables=Joined(names), first=names[0]
        )
    return names[0]


def copy_sqlite_table(path: Path, table: str, target: Path, name: str) -> tuple[str, ...]:
    """Copy a table of a SQLite file to a text with a header, since each cell has a type of its own; return its columns.

    A number without a fraction is written without one.
    """
    with _reading(name), closing(_connect(path)) as connection, target.open("w", encoding="utf-8", newline="") as file:
        found = connection.execute(f"SELECT * FROM {quote_name(table)}")
        columns = tuple(str(column[0]) for column in found.description)
        file.write(csv_line(columns))
        for row in found:
            cells = [_cell_text(cell, column) for cell, column in zip(row, columns, strict=True)]
            # An empty line would not be a row.
            file.write(csv_line(cells) if cells != [""] else '""\n')
    return columns


def _sqlite_tables(path: Path, name: str) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    with _reading(name), closing(_connect(path)) as connection:
        return sorted(str(table) for (table,) in connection.execute(query))


def _connect(path: Path) -> Connection:
    # Not before it is needed: few files are databases.
    import sqlite3

    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)


def _cell_text(cell: object, column: str) -> str:
    if isinstance(cell, bytes):
        raise SourceNotReadable("errors.sources.bytes", column=column)
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Say in our words what SQLite finds wrong with a file."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        raise SourceNotReadable("errors.sources.not_sqlite", name=name, reason=str(error)) from None
