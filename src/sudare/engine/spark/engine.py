"""The engine for clusters: the same SQL on Apache Spark, where the data are; only counts leave it.

Everything is SQL, so the machines of the cluster need neither Python nor sudare.
"""

from __future__ import annotations

import os
import re
import shutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from sudare import interruption
from sudare.engine.gate import Gate
from sudare.engine.options import (
    ClosedPlace,
    check_lines,
    check_min_cell,
    is_partitioned,
    line_files,
    make_spill_folder,
    parquet_files,
)
from sudare.engine.protocol import Column, PartFunction, Row, fresh_name
from sudare.engine.spark.arrow import array_of, column_of, of_part, plain
from sudare.engine.spark.errors import explained, without_warnings
from sudare.engine.spark.files import address, read_parquet
from sudare.engine.spark.kept import as_leaf, cached, planned_at_once
from sudare.engine.spark.numbering import numbered_by_all, numbered_by_one
from sudare.engine.spark.session import beside, check_master, end, start
from sudare.engine.spark.words import WORDS
from sudare.errors import NotOnEngine, SourceNotReadable
from sudare.limits import MEMORY
from sudare.messages import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# Rows that one task numbers, or all tasks are sent, in less time than it takes to share the work.
ONE_TASK_ROWS = 100_000
# Parts of rows that lie together, for each task that Spark makes of a shuffle: what a part is grouped into should fit
# into a processor's cache.
PARTS_A_TASK = 4

# DuckDB's names of the types that are read in ways of their own.
_TYPES = {
    "string": "VARCHAR", "double": "DOUBLE", "float": "FLOAT", "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip


class SparkEngine(Gate):
    """Spark on this machine (`local[2]`), on a standalone cluster (`spark://host:port`) or in a running session.

    From a given `session` it derives its own, so that your settings and tables are not touched; a session that it
    started itself is stopped on closing. `memory` is the memory this process may use, `spill` the folder for what does
    not fit, and `settings` are further Spark settings. Stored tables are on the cluster, in memory or on its disks, and
    are recomputed if a machine is lost. `session` is the session given or started, `collected` the number of rows that
    have left the cluster.
    """

    name = "spark"
    shows_people = False
    # Rows have no order on a cluster; within one reading the numbers are different, and that is all.
    record_number = "monotonically_increasing_id()"
    # A query costs some tenths of a second, whatever it is about; this number of rows is grouped in some seconds.
    grouped_rows = 30_000_000

    def __init__(
        self,
        master: str | None = None,
        *,
        session: SparkSession | None = None,
        memory: str = MEMORY,
        spill: str | Path | None = None,
        settings: Mapping[str, str] | None = None,
        min_cell: int = 1,
    ) -> None:
        self.min_cell = check_min_cell(min_cell)
        self.collected = 0
        self._kept: dict[str, DataFrame] = {}
        self._views: list[str] = []
        self._stop: Callable[[], object] = lambda: None
        if session is None:
            check_master(master or "local[*]")
            folder = make_spill_folder(spill)
            try:
                session = start(master or "local[*]", memory, folder, settings or {})
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            self._stop = weakref.finalize(self, end, session, folder)
        elif "connect" in type(session).__module__:
            raise NotOnEngine("errors.spark.connect")
        self.session = session
        self._session = beside(session)
        self.parts = PARTS_A_TASK * int(self._session.conf.get("spark.sql.shuffle.partitions"))  # type: ignore[arg-type]
        for word in WORDS:
            self._query(f"CREATE OR REPLACE TEMPORARY FUNCTION {word}")
        interruption.watch(self)

    def keep(self, table: str, query: str, *, number: str = "", order: str = "", near: str = "") -> None:
        """Store the result of a query as a table, replacing one of that name; see the protocol for the rest."""
        if order:
            self._keep_numbered(table, query, number, order, near)
            return
        with explained(), planned_at_once(self._session, near):
            self._keep(table, self._query(query), near)

    def _keep_numbered(self, table: str, query: str, number: str, order: str, near: str) -> None:
        """Keep rows with their places in an order; few are numbered by one task, many by all of them."""
        from pyspark import StorageLevel

        with explained():
            rows = self._query(query).persist(StorageLevel.MEMORY_AND_DISK)
            rows.createOrReplaceTempView(f"{table}_rows")
            numbered = numbered_by_one if rows.count() <= ONE_TASK_ROWS else numbered_by_all
            frame, *needed = numbered(self._query, f"{table}_rows", number, order)
            with planned_at_once(self._session, near):
                self._keep(table, frame, near)
            self._session.catalog.dropTempView(f"{table}_rows")
            for other in (*needed, rows):
                other.unpersist()

    def keep_mapped(self, table: str, query: str, *, part: str, columns: str, function: PartFunction) -> None:
        """Store what a function makes of the rows of a query as a table; rows with the same `part` are passed together.

        The rows pass through Arrow to Python on the machines of the cluster, where sudare must be installed.
        """
        with explained(), without_warnings():
            grouped = self._query(query).groupBy(part)
            self._keep(table, grouped.applyInArrow(lambda rows: of_part(function, rows), columns))

    def _keep(self, table: str, frame: DataFrame, near: str = "") -> None:
        """Make a frame now, since what it is made of may be dropped next, and give it a name.

        A plan has in it how all its tables were made, however often it names them: of tables made of one another it
        takes longer than the work. So plans end at kept tables, which still know how to be made again if a machine is
        lost, which columns they have and which rows lie together. Small ones are marked to be sent to all tasks.
        """
        from pyspark import StorageLevel
        from pyspark.sql.functions import broadcast

        made = as_leaf(self._session, frame.repartition(self.parts, near) if near else frame)
        small = made.persist(StorageLevel.MEMORY_AND_DISK).count() <= ONE_TASK_ROWS
        leaf = cached(self._session, made)
        self.drop(table)
        (broadcast(leaf) if small else leaf).createOrReplaceTempView(table)
        self._kept[table] = made

    def hold(self, table: str, query: str) -> None:
        """Name the rows of a source; they are read again on every use."""
        with explained():
            self._query(query).createOrReplaceTempView(table)
        self._views.append(table)

    def drop(self, *tables: str) -> None:
        """Drop tables that exist; a closed engine has none."""
        if isinstance(self._session, ClosedPlace):
            return
        for table in tables:
            self._session.catalog.dropTempView(table)
            frame = self._kept.pop(table, None)
            if frame is not None:
                frame.unpersist()

    def _fetch_rows(self, sql: str, most: int | None = None) -> list[Row]:
        with explained():
            frame = self._query(sql)
            found = [tuple(row) for row in (frame.collect() if most is None else frame.take(most))]
        self.collected += len(found)
        return found

    def _fetch_columns(self, sql: str) -> dict[str, Column]:
        with explained():
            found = self._query(sql).toArrow()
        self.collected += found.num_rows
        return {name: column_of(found.column(name)) for name in found.column_names}

    def describe(self, table: str) -> dict[str, str]:
        """Return the columns of a table or table expression and their SQL types, as DuckDB names them."""
        with explained():
            fields = self._query(f"SELECT * FROM {table}").schema.fields
        types = {field.name: field.dataType.simpleString() for field in fields}
        return {name: _TYPES.get(type_, type_.upper()) for name, type_ in types.items()}

    def in_order(self, numbers: Sequence[str]) -> str:
        """Return an expression for a sorted list of numbers, smallest first."""
        return f"sort_array(array({', '.join(numbers)}))"

    def attach(self, table: str, rows: Mapping[str, Column] | object) -> None:
        """Make arrays or a dataframe readable under a table name; data that are not already in Spark are sent there."""
        import pyarrow as pa
        from pyspark.sql import DataFrame

        if isinstance(rows, DataFrame):
            # Sessions of one application share nothing else that has a name.
            shared = fresh_name(f"sudare_{os.getpid()}_")
            rows.createOrReplaceGlobalTempView(shared)
            made = self._session.table(f"global_temp.{shared}")
            made.createOrReplaceTempView(table)
            self._session.catalog.dropGlobalTempView(shared)
            return
        if isinstance(rows, Mapping):
            rows = {name: array_of(column) for name, column in rows.items()}
        with without_warnings():
            self._session.createDataFrame(plain(pa.table(rows))).createOrReplaceTempView(table)

    def hold_lines(self, table: str, source: str | Path) -> None:
        """Store the lines of a text file, of the text files in a folder, or of an address as a table, numbered.

        Nothing is sorted: a block of a file is read in order, so that only the blocks have to be numbered.
        """
        if "://" not in str(source):
            check_lines(Path(source))
        addresses = [str(source)] if "://" in str(source) else list(map(address, line_files(Path(source))))
        with explained():
            text = self._session.read.option("lineSep", "\n").text(addresses)
            read = text.selectExpr("value", "_metadata.file_path AS file", "_metadata.file_block_start AS block")
            self.keep(
                f"{table}_blocks",
                "SELECT rtrim('\r', value) AS line, file, block, monotonically_increasing_id() AS place "
                f"FROM {self._named(read)} WHERE length(rtrim('\r', value)) > 0",
            )
        blocks = (
            "SELECT file, block, first, sum(lines) OVER (ORDER BY file, block) - lines AS before FROM (SELECT file, "
            f"block, min(place) AS first, count(*) AS lines FROM {table}_blocks GROUP BY file, block)"
        )
        self.hold(
            table,
            f"SELECT place - first + before + 1 AS row, line FROM {table}_blocks JOIN ({blocks}) USING (file, block)",
        )

    def csv(self, path: Path, *, columns: Sequence[str], delimiter: str, header: bool) -> str:
        """Return a table expression that reads a UTF-8 CSV file as text; a broken line is refused when it is read."""
        reader = self._session.read.schema(", ".join(f"{name} STRING" for name in columns))
        options = {"sep": delimiter, "header": header, "quote": '"', "escape": '"', "mode": "FAILFAST"}
        return self._named(reader.options(**options).csv(address(path)))  # type: ignore[arg-type]

    def parquet(self, path: Path) -> str:
        """Return a table expression that reads a Parquet file or a folder of them, or raise SourceNotReadable."""
        files = parquet_files(path)
        base = f"file://{path.resolve()}" if is_partitioned(path, files) else None
        return self._named(read_parquet(self._session, list(map(address, files)), str(path), base=base))

    def find(self, name: str, /) -> str | None:
        """Return a table expression for a catalog table or the address of Parquet files, such as s3a://..."""
        if Path(name).exists():
            return None
        with explained():
            if re.match(r"[a-z][a-z0-9]*://", name):
                return self._named(read_parquet(self._session, [name], name))
            known = re.fullmatch(r"\w+(\.\w+){0,2}", name) and self._session.catalog.tableExists(name)
        if not known:
            raise SourceNotReadable("errors.spark.no_table", name=name)
        return name

    def rejected_lines(self) -> list[tuple[int, Message]]:
        """Return nothing: a text with a broken line has already been refused."""
        return []

    def write(self, _query: str, _path: Path, /) -> None:
        """Refuse to write: files contain single values, records or people."""
        raise NotOnEngine("errors.spark.no_files")

    def interrupt(self) -> None:
        """Cancel the running jobs, from another thread."""
        self._session.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Release memory, and stop a session that was started here."""
        self.drop(*self._kept, *self._views)
        self._session = cast(Any, ClosedPlace())
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _query(self, sql: str) -> DataFrame:
        """Plan a query; a backslash in the SQL text is not an escape."""
        return self._session.sql(sql.replace("\\", "\\\\"))

    def _named(self, frame: DataFrame) -> str:
        name = fresh_name("sudare_source_")
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name
