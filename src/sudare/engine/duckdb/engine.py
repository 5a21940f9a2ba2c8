"""The embedded engine: DuckDB in this process, bounded in memory, spilling to a private folder."""

from __future__ import annotations

import errno
import os
import re
import shutil
import unicodedata
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import duckdb
import numpy as np

from sudare import interruption
from sudare.arguments import checked
from sudare.engine.duckdb.files import FileNames
from sudare.engine.duckdb.words import WORDS
from sudare.engine.gate import Gate
from sudare.engine.options import (
    ClosedPlace,
    bytes_of,
    check_lines,
    check_min_cell,
    is_partitioned,
    line_files,
    make_spill_folder,
    not_parquet,
    parquet_files,
)
from sudare.engine.protocol import ZONE, Column, PartFunction, Row, quote_name, quote_text
from sudare.errors import MemoryNotEnough, OptionNotUsable, SourceNotReadable
from sudare.limits import MEMORY
from sudare.messages import Message, message

# What DuckDB says of a Parquet file whose end can be read, and whose pages cannot.
_DAMAGED = re.compile("corrupt|Failed to read|Could not read")


class DuckDBEngine(Gate):
    """An in-memory DuckDB that uses at most `memory` and spills the rest to a folder it removes.

    The folder is created in `spill` (None: the system's temporary folder). Extensions are never downloaded and settings
    are locked, so that no file can make it do more than read. `min_cell` is the smallest count that leaves the engine.
    """

    name = "duckdb"
    shows_people = True
    # The scan keeps the order of the source.
    record_number = "row_number() OVER ()"
    # A query costs next to nothing, and the smaller its groups are in memory, the better.
    grouped_rows = 0
    parts = 1

    @checked
    def __init__(
        self,
        *,
        memory: str = MEMORY,
        threads: int | None = None,
        spill: str | Path | None = None,
        min_cell: int = 1,
    ) -> None:
        self._memory = memory
        self.min_cell = check_min_cell(min_cell)
        self._spill = folder = make_spill_folder(spill)
        self._names = FileNames(folder)
        self._attached: set[str] = set()
        self._parquet: Path | None = None  # what was found to be one, and is read later
        # Runs at close, or when the program ends without it.
        self._remove_spill = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory,
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if threads is not None:
            config["threads"] = threads
        try:
            self._connection: duckdb.DuckDBPyConnection | ClosedPlace = duckdb.connect(config=config)
        except duckdb.Error as error:
            self._remove_spill()
            reason = str(error).splitlines()[0]
            if threads is None:
                raise OptionNotUsable("errors.engine.memory", memory=memory, reason=reason) from None
            raise OptionNotUsable("errors.engine.threads", memory=memory, threads=threads, reason=reason) from None
        self._connection.execute("SET enable_progress_bar = false")
        self._connection.execute(f"SET TimeZone = '{ZONE}'")
        self._connection.create_function("nfkc", _nfkc, ["VARCHAR"], "VARCHAR")
        # A connection that has a function of Python must be closed before the interpreter ends.
        self._close = weakref.finalize(self, self._connection.close)
        for word in WORDS:
            self._connection.execute(f"CREATE TEMP MACRO {word}")
        self._connection.execute("SET lock_configuration = true")
        interruption.watch(self)

    @property
    def memory_bytes(self) -> int:
        """The memory that the engine may use, in bytes."""
        return bytes_of(self._fetch_rows("SELECT current_setting('memory_limit')")[0][0])

    def run(self, sql: str) -> None:
        """Run a statement for its effect."""
        with self._explained():
            self._connection.execute(sql)

    def keep(self, table: str, query: str, *, number: str = "", order: str = "", near: str = "") -> None:  # noqa: ARG002
        """Store the result of a query as a table, replacing one of that name; everything is in one place here."""
        if order:
            query = f"SELECT *, CAST(row_number() OVER (ORDER BY {order}) AS INTEGER) AS {number} FROM ({query})"
        self.run(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}")

    def keep_mapped(self, table: str, query: str, *, part: str, columns: str, function: PartFunction) -> None:
        """Store what a function makes of a query's rows as a table; rows with the same `part` are passed together."""
        self.keep(f"{table}_rows", query)
        self.run(f"CREATE OR REPLACE TEMP TABLE {table} ({columns})")
        for (number,) in self._fetch_rows(f"SELECT DISTINCT {part} FROM {table}_rows ORDER BY {part}"):
            made = function(self._fetch_columns(f"SELECT * FROM {table}_rows WHERE {part} = {number}"))
            self._connection.register("attached_columns", dict(made))
            self.run(f"INSERT INTO {table} BY NAME SELECT * FROM attached_columns")
            self._connection.unregister("attached_columns")
        self.drop(f"{table}_rows")

    def hold(self, table: str, query: str) -> None:
        """Store the rows of a source as a table."""
        self.keep(table, query)

    def drop(self, *tables: str) -> None:
        """Drop tables and attached data that exist; a closed engine has none."""
        if isinstance(self._connection, ClosedPlace):
            return
        for table in tables:
            if table in self._attached:
                self._connection.unregister(table)
                self._attached.discard(table)
            else:
                self.run(f"DROP TABLE IF EXISTS {table}")

    def _fetch_rows(self, sql: str, most: int | None = None) -> list[Row]:
        with self._explained():
            found = self._connection.execute(sql)
            return found.fetchall() if most is None else found.fetchmany(most)

    def _fetch_columns(self, sql: str) -> dict[str, Column]:
        with self._explained():
            found = self._connection.execute(sql).fetchnumpy()
        return {name: _unmasked(column) for name, column in found.items()}

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn DuckDB's ways of saying "no memory", "interrupted" and "damaged file" into ours."""
        interruption.safe_point()
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise MemoryNotEnough("errors.engine.out_of_memory", memory=self._memory) from None
        except (duckdb.InterruptException, RuntimeError) as error:
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from None
            raise
        except duckdb.Error as error:
            # Errors without a class of their own come from what decodes the pages of a file.
            if self._parquet and (type(error) is duckdb.Error or _DAMAGED.search(str(error))):
                raise not_parquet(self._parquet, self._names.in_own_names(str(error).splitlines()[0])) from None
            raise

    def describe(self, table: str) -> dict[str, str]:
        """Return the columns of a table or table expression and their SQL types."""
        return {str(row[0]): str(row[1]) for row in self._fetch_rows(f"DESCRIBE SELECT * FROM {table}")}

    def in_order(self, numbers: Sequence[str]) -> str:
        """Return an expression for a sorted list of numbers, smallest first."""
        return f"list_sort([{', '.join(numbers)}])"

    def attach(self, table: str, rows: Mapping[str, Column] | object) -> None:
        """Make arrays of equal length or a dataframe readable under a table name, without copying."""
        if not isinstance(rows, Mapping):
            self._connection.register(table, rows)
            self._attached.add(table)
            return
        self._connection.register("attached_columns", dict(rows))
        self.run(f"CREATE OR REPLACE TEMP TABLE {quote_name(table)} AS SELECT * FROM attached_columns")
        self._connection.unregister("attached_columns")

    def hold_lines(self, table: str, source: str | Path) -> None:
        """Store the lines of a text file, or of the text files in a folder, as a table with their numbers."""
        path = Path(source)
        check_lines(path)
        files = self._names.listed(path, line_files(path))
        # A line with the character that divides the two columns cannot be a row of cells.
        columns = "delim = '\x01', quote = '', escape = '', nullstr = '\x02', null_padding = true, columns = "
        read = (
            f"read_csv({files}, header = false, compression = 'none', auto_detect = false, strict_mode = false, "
            f"new_line = '\\n', {columns}{{line: 'VARCHAR', rest: 'VARCHAR'}})"
        )
        try:
            self.keep(
                table, f"SELECT row_number() OVER () AS row, CASE WHEN rest IS NULL THEN line END AS line FROM {read}"
            )
        except duckdb.InvalidInputException as error:
            reason = self._names.in_own_names(str(error).splitlines()[0])
            raise SourceNotReadable("errors.engine.not_text", path=path, reason=reason) from None

    def csv(self, path: Path, *, columns: Sequence[str], delimiter: str, header: bool) -> str:
        """Return a table expression that reads a UTF-8 CSV file as text, and forget lines rejected earlier."""
        for table in ("reject_errors", "reject_scans"):
            self.run(f"DROP TABLE IF EXISTS {table}")
        types = ", ".join(f"{quote_text(name)}: 'VARCHAR'" for name in columns)
        files = self._names.listed(path, [path])
        return (
            f"read_csv({files}, delim = {quote_text(delimiter)}, header = {str(header).lower()}, "
            f"quote = '\"', escape = '\"', auto_detect = false, nullstr = '', store_rejects = true, "
            f"compression = 'none', columns = {{{types}}})"
        )

    def parquet(self, path: Path) -> str:
        """Return a table expression that reads a Parquet file or a folder of them, or raise SourceNotReadable."""
        files = parquet_files(path)
        partitioned = str(is_partitioned(path, files)).lower()
        table = f"read_parquet({self._names.listed(path, files)}, hive_partitioning = {partitioned})"
        self._parquet = None
        try:
            self.describe(table)
        except duckdb.Error as error:
            raise not_parquet(path, self._names.in_own_names(str(error).splitlines()[0])) from None
        self._parquet = path
        return table

    def find(self, _name: str, /) -> str | None:
        """Return None: an in-process DuckDB knows only our own tables."""
        return None

    def rejected_lines(self) -> list[tuple[int, Message]]:
        """Return byte position and reason of the lines that `csv` could not split into columns, in order."""
        found = self._fetch_rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'reject_errors'")
        if not found[0][0]:
            return []
        lines = self._fetch_rows(
            "SELECT line_byte_position, arg_min(CAST(error_type AS VARCHAR), column_idx), "
            "arg_min(error_message, column_idx) FROM reject_errors "
            "GROUP BY line_byte_position ORDER BY line_byte_position"
        )
        return [(int(line), _broken(kind, str(reason))) for line, kind, reason in lines]

    def write(self, query: str, path: Path, /) -> None:
        """Write the result of a query to a CSV or Parquet file, depending on its extension."""
        kind = (
            "(FORMAT parquet, COMPRESSION zstd)" if path.suffix.lower() == ".parquet" else "(FORMAT csv, HEADER true)"
        )
        try:
            self.run(f"COPY ({query}) TO {quote_text(str(path.absolute()))} {kind}")
        except duckdb.IOException as error:
            raise _as_system_error(error) from None

    def interrupt(self) -> None:
        """Cancel the running query, from another thread."""
        self._connection.interrupt()

    def close(self) -> None:
        """Release memory and temporary files."""
        if not isinstance(self._connection, ClosedPlace):
            self._close()
            self._connection = ClosedPlace()
        self._remove_spill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _unmasked(column: Column) -> Column:
    """Return an array with NaN, NaT or None where DuckDB masks a NULL."""
    # Asked so, since numpy.ma takes as long to import as many commands need for their answer.
    if not hasattr(column, "mask"):
        return column
    kind = column.dtype.kind
    made: Column = np.array(column.data, np.float64 if kind in "iuf" else column.dtype if kind == "M" else object)
    made[np.ma.getmaskarray(column)] = np.nan if kind in "iuf" else np.datetime64("NaT") if kind == "M" else None
    return made


def _broken(kind: str, reason: str) -> Message:
    """Say in our words what is wrong with a line that DuckDB rejected."""
    if kind in ("MISSING COLUMNS", "TOO MANY COLUMNS"):
        wanted, found = re.findall(r"\d+", reason)[:2]
        return message("errors.engine.line.columns", wanted=int(wanted), found=int(found))
    if kind == "UNQUOTED VALUE":
        return message("errors.engine.line.quote")
    return message("errors.engine.line.rejected", reason=reason.splitlines()[0].rstrip("."))


def _nfkc(words: str) -> str:
    return unicodedata.normalize("NFKC", words)


def _as_system_error(error: duckdb.IOException) -> OSError:
    """Return the error of the system that DuckDB tells of: by its number, or at the end of its first line."""
    found = re.search(r'errno"?:\s*"?(\d+)', str(error))
    if found:
        return OSError(int(found.group(1)), os.strerror(int(found.group(1))))
    return OSError(errno.EIO, str(error).splitlines()[0].rpartition(": ")[2])
