"""DuckDB files: their tables, and copies of single tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from sudare.engine.protocol import quote_name, quote_text
from sudare.errors import SourceNotReadable
from sudare.limits import MEMORY

_MARK, _PLACE = b"DUCK", 8
_MAIN = "main"


def is_database(path: Path) -> bool:
    """Tell whether a file is a database of DuckDB, by its first bytes."""
    with path.open("rb") as file:
        return file.read(_PLACE + len(_MARK))[_PLACE:] == _MARK


def table_names(path: Path) -> list[str]:
    """Return the tables and views of a database in order; those of other schemas than the main one as schema.name."""
    with _opened(path, path.parent) as connection:
        return list(_tables(connection))


def copy_table(path: Path, table: str, target: Path) -> Path:
    """Copy a table of a database, by its name in `table_names`, to a Parquet file; rows keep their order."""
    with _opened(path, target.parent) as connection:
        name = _tables(connection)[table]
        connection.execute(f"COPY (SELECT * FROM {name}) TO {quote_text(str(target))} (FORMAT parquet)")
    return target


def _tables(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the tables by name, with what SQL calls them."""
    found = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database() ORDER BY ALL"
    ).fetchall()
    return {
        name if schema == _MAIN else f"{schema}.{name}": f"{quote_name(schema)}.{quote_name(name)}"
        for schema, name in found
    }


@contextmanager
def _opened(path: Path, spill: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(spill),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(path, read_only=True, config=config) as connection:
            connection.execute("SET enable_progress_bar = false")
            yield connection
    except duckdb.Error as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise SourceNotReadable("errors.engine.not_duckdb", path=path, reason=reason) from None
