"""The engine for clusters: the same SQL on Apache Spark, where the data are; only counts leave it.

Everything is SQL, so the machines of the cluster need neither Python nor sudare.
"""

from __future__ import annotations

import itertools
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from sudare import interruption
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
from sudare.engine.protocol import BLANKS, OFFSET, ZONE, Column, PartFunction, Row, quote_name
from sudare.errors import (
    BadRows,
    EngineNotAvailable,
    MemoryNotEnough,
    NotOnEngine,
    OptionNotUsable,
    SourceNotReadable,
)
from sudare.limits import MEMORY

if TYPE_CHECKING:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import DataFrame, SparkSession

LEAST_JAVA = 17
MASTER_SECONDS = 5.0
_MASTER = re.compile(r"local(?:\[(?:\*|[1-9][0-9]*)\])?|spark://(?P<host>[^:/,]+):(?P<port>[0-9]+)")
_numbers = itertools.count(1)

# How the one SQL text is to be understood: names in double quotes, errors instead of wrong values.
LANGUAGE = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    # Else a line with too few cells is only found if the last ones are asked for.
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    # A moment without a zone stays one; what has a zone becomes a day by the same clock on every machine.
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": ZONE,
}

# A date of any divider as one of hyphens, and what such a text must look like: Spark itself would take less.
_HYPHENS = r"regexp_replace(words, '^([0-9]{1,4})([/ ])([0-9]{1,2})\2([0-9]{1,2})', '$1-$3-$4')"
# Spark takes an offset after seconds only.
_MOMENT = f"regexp_replace({_HYPHENS}, '^([^:]*:[0-9]+)(?=[^0-9:])', '$1:00')"
_DATE = "^[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:.*)?$"
# The time of a text; a moment has one too.
_CLOCK = "regexp_replace(words, '^[0-9]{4}-[0-9]{2}-[0-9]{2} ', '')"
_FORMS = {
    "%Y": "yyyy", "%y": "yy", "%m": "M", "%d": "d", "%H": "H", "%I": "h", "%M": "m", "%S": "s", "%f": "SSSSSS",
    "%b": "MMM", "%B": "MMMM", "%p": "a", "%z": "[XXX][XX][X]", "%Z": "VV", "T": "''T''",
}  # fmt: skip


def _java_form(form: str) -> str:
    for code, letters in _FORMS.items():
        form = f"replace({form}, '{code}', '{letters}')"
    return form


# The words of the protocol that Spark does not know by itself. What is written counts, whatever its time zone.
WORDS = (
    "isodow(day DATE) RETURNS INT RETURN weekday(day) + 1",
    # ICU, which Spark brings along, has NFKC as a static method of Java.
    "normal(words STRING) RETURNS STRING RETURN CASE WHEN words IS NULL OR octet_length(words) = length(words) "
    "THEN words ELSE reflect('com.ibm.icu.text.Normalizer', 'compose', words, true) END",
    # Most texts begin and end with visible letters of ASCII, and a regular expression costs more than all else.
    "trimmed(words STRING) RETURNS STRING RETURN CASE WHEN ascii(words) BETWEEN 33 AND 126 "
    "AND ascii(right(words, 1)) BETWEEN 33 AND 126 THEN words "
    f"ELSE regexp_replace(words, '^[{BLANKS}]+|[{BLANKS}]+$', '') END",
    # Java's 1d and 1f are no numbers, and DuckDB reads 1_000.
    "read_number(words STRING) RETURNS DOUBLE RETURN CASE WHEN NOT words RLIKE '[dDfF]$' "
    "THEN try_cast(regexp_replace(words, '(?<=[0-9])_(?=[0-9])', '') AS DOUBLE) END",
    "list_extract(numbers ARRAY<INT>, place INT) RETURNS INT RETURN element_at(numbers, place)",
    "read_moment(words STRING) RETURNS TIMESTAMP_NTZ RETURN CASE "
    f"WHEN {_HYPHENS} RLIKE '{_DATE}' THEN try_cast({_MOMENT} AS TIMESTAMP_NTZ) "
    "WHEN words RLIKE '^[0-9]{8}$' THEN "
    "try_cast(substr(words, 1, 4) || '-' || substr(words, 5, 2) || '-' || substr(words, 7, 2) AS TIMESTAMP_NTZ) "
    "WHEN words RLIKE '^[0-9]{5}([.][0-9]+)?$' THEN TIMESTAMP_NTZ '1899-12-30 00:00:00' "
    "+ make_dt_interval(0, 0, 0, CAST(round(CAST(words AS DOUBLE) * 86400) AS DECIMAL(18, 6))) END",
    "read_moment_in(words STRING, form STRING) RETURNS TIMESTAMP_NTZ "
    f"RETURN CAST(try_to_timestamp(words, {_java_form('form')}) AS TIMESTAMP_NTZ)",
    f"has_offset(words STRING) RETURNS BOOLEAN RETURN words RLIKE '{OFFSET}'",
    "clock_of(words STRING, zone STRING) RETURNS TIMESTAMP_NTZ RETURN "
    # Of a time alone Spark makes one of today.
    f"CASE WHEN {_HYPHENS} RLIKE '{_DATE}' "
    f"THEN convert_timezone('{ZONE}', zone, CAST(try_cast({_MOMENT} AS TIMESTAMP_LTZ) AS TIMESTAMP_NTZ)) END",
    "clock_in(moment TIMESTAMP_NTZ, zone STRING) RETURNS TIMESTAMP_NTZ "
    f"RETURN convert_timezone('{ZONE}', zone, moment)",
    "day_number(day DATE) RETURNS BIGINT RETURN unix_date(day)",
    "is_like(words STRING, form STRING) RETURNS BOOLEAN RETURN words RLIKE ('^(' || form || ')$')",
    "text_at(texts ARRAY<STRING>, place INT) RETURNS STRING RETURN try_element_at(texts, place)",
    "texts_in(texts ARRAY<STRING>) RETURNS INT RETURN size(texts)",
    "joined(texts ARRAY<STRING>) RETURNS STRING RETURN array_join(sort_array(texts), ';')",
    "digest_part(words STRING, place INT) RETURNS BIGINT "
    "RETURN CAST(conv(substr(sha2(words, 256), 15 * place + 1, 15), 16, 10) AS BIGINT)",
    # Most times have this form, and single letters are looked at in a fraction of the time of a regular expression.
    "read_minute(words STRING) RETURNS INT RETURN CASE WHEN length(words) = 5 AND substr(words, 3, 1) = ':' "
    "AND substr(words, 1, 2) BETWEEN '00' AND '23' AND substr(words, 2, 1) BETWEEN '0' AND '9' "
    "AND substr(words, 4, 1) BETWEEN '0' AND '5' AND substr(words, 5, 1) BETWEEN '0' AND '9' "
    "THEN CAST(substr(words, 1, 2) AS INT) * 60 + CAST(substr(words, 4, 2) AS INT) "
    f"WHEN {_CLOCK} RLIKE '^[0-9]{{1,2}}:[0-9]{{1,2}}(:[0-9.]*)?$' "
    f"THEN hour(try_cast('2000-01-01 ' || {_CLOCK} AS TIMESTAMP_NTZ)) * 60 "
    f"+ minute(try_cast('2000-01-01 ' || {_CLOCK} AS TIMESTAMP_NTZ)) END",
)

# What is said where the machines of a cluster have no Python, or one without sudare.
_NO_PYTHON = ("Cannot run program", "ModuleNotFoundError")

# Rows that one task numbers, or all tasks are sent, in less time than it takes to share the work.
ONE_TASK_ROWS = 100_000
# Parts of rows that lie together, for each task that Spark makes of a shuffle: what a part is grouped into should fit
# into a processor's cache.
PARTS_A_TASK = 4
# Spark numbers rows by the part of a frame, and below these bits by the place in it.
_PART_BITS = 33

# DuckDB's names of the types that are read in ways of their own.
_TYPES = {
    "string": "VARCHAR", "double": "DOUBLE", "float": "FLOAT", "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip


class SparkEngine:
    """Spark on this machine (`local[2]`), on a standalone cluster (`spark://host:port`) or in a session that runs.

    Of a `session` it takes a session of its own beside it, so that no setting and no table of yours is touched; one
    that it started itself it stops. `memory` is what this process may use, `spill` the folder for what does not fit,
    and `settings` are further ones of Spark. Kept tables lie on the cluster, in memory or on its disks, and are made
    again if a machine is lost. `session` is the one given or started, `collected` how many rows have left the cluster.
    """

    name = "spark"
    shows_people = False
    # Rows have no order on a cluster; within one reading the numbers are different, and that is all.
    record_number = "monotonically_increasing_id()"
    # A query costs some tenths of a second, whatever it is about; so many rows are grouped in some seconds.
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
                session = _start(master or "local[*]", memory, folder, settings or {})
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            self._stop = weakref.finalize(self, _end, session, folder)
        elif "connect" in type(session).__module__:
            raise NotOnEngine(
                "A session of Spark Connect cannot be used: sudare works in a session of its own beside it.\n"
                "Hint: give a session that runs in this process, or name the cluster: spark://host:7077"
            )
        self.session = session
        self._session = _beside(session)
        self.parts = PARTS_A_TASK * int(self._session.conf.get("spark.sql.shuffle.partitions"))  # type: ignore[arg-type]
        for word in WORDS:
            self._query(f"CREATE OR REPLACE TEMPORARY FUNCTION {word}")
        interruption.watch(self)

    def keep(self, table: str, query: str, *, near: str = "") -> None:
        """Make a table of the result of a query, in place of one that has the name; see the protocol for `near`."""
        with _explained():
            if near:
                # A plan that Spark changes as it goes does not say beforehand which rows lie together.
                with self._planned_at_once():
                    self._keep(table, self._query(query).repartition(self.parts, near))
            else:
                self._keep(table, self._query(query))

    def keep_numbered(self, table: str, query: str, *, number: str, order: str) -> None:
        """Make a table of the result of a query with one column more: the place of each row in an order, from 1.

        Few rows are numbered by one task. Of many all machines sort and number: a sorted frame lies in parts one after
        another, so that a row is numbered by the parts before its own and its place there.
        """
        from pyspark import StorageLevel

        with _explained():
            rows = self._query(query).persist(StorageLevel.MEMORY_AND_DISK)
            rows.createOrReplaceTempView(f"{table}_rows")
            numbered = self._numbered_by_one if rows.count() <= ONE_TASK_ROWS else self._numbered_by_all
            frame, *needed = numbered(f"{table}_rows", number, order)
            self._keep(table, frame)
            self._session.catalog.dropTempView(f"{table}_rows")
            for other in (*needed, rows):
                other.unpersist()

    def _numbered_by_one(self, rows: str, number: str, order: str) -> tuple[DataFrame, ...]:
        counted = f"CAST(row_number() OVER (ORDER BY {order}) AS INTEGER) AS {number}"
        return (self._query(f"SELECT *, {counted} FROM {rows}"),)

    def _numbered_by_all(self, rows: str, number: str, order: str) -> tuple[DataFrame, ...]:
        """Return the numbered rows, and the kept frame that they are made of."""
        from pyspark import StorageLevel
        from pyspark.sql.functions import broadcast

        columns = self._query(f"SELECT * FROM {rows}").columns
        ordered = f"SELECT * FROM {rows} ORDER BY {order}"
        placed = self._query(f"SELECT *, monotonically_increasing_id() AS sudare_place FROM ({ordered})")
        # Read twice, and sorted only once: a second sorting might divide the parts elsewhere.
        placed.persist(StorageLevel.MEMORY_AND_DISK)
        part = f"shiftright(sudare_place, {_PART_BITS}) AS sudare_part"
        sizes = placed.selectExpr(part).groupBy("sudare_part").count()
        before = sizes.selectExpr("sudare_part", "sum(count) OVER (ORDER BY sudare_part) - count AS before")
        counted = f"CAST(before + (sudare_place & {(1 << _PART_BITS) - 1}) + 1 AS INTEGER) AS {number}"
        own = placed.selectExpr("*", part).join(broadcast(before), "sudare_part")
        return own.selectExpr(*map(quote_name, columns), counted), placed

    def keep_mapped(self, table: str, query: str, *, part: str, columns: str, function: PartFunction) -> None:
        """Make a table of what a function makes of the rows of a query, those with the same `part` at a time.

        The rows go through Arrow to Python on the machines of the cluster, which need sudare for it.
        """
        with _explained(), _without_warnings():
            grouped = self._query(query).groupBy(part)
            self._keep(table, grouped.applyInArrow(lambda rows: _of_part(function, rows), columns))

    def _keep(self, table: str, frame: DataFrame) -> None:
        """Make a frame now, since what it is made of may be dropped next, and give it a name.

        A plan has in it how all its tables were made, however often it names them: of tables made of one another it
        takes longer than the work. So plans end at kept tables, which still know how to be made again if a machine is
        lost, which columns they have and which rows lie together. Small ones are marked to be sent to all tasks.
        """
        from pyspark import StorageLevel
        from pyspark.sql.functions import broadcast

        made = self._as_leaf(frame)
        small = made.persist(StorageLevel.MEMORY_AND_DISK).count() <= ONE_TASK_ROWS
        leaf = self._cached(made)
        self.drop(table)
        (broadcast(leaf) if small else leaf).createOrReplaceTempView(table)
        self._kept[table] = made

    @contextmanager
    def _planned_at_once(self) -> Iterator[None]:
        """Have Spark plan queries before they run, and not again while they do."""
        adaptive, before = "spark.sql.adaptive.enabled", self._session.conf.get("spark.sql.adaptive.enabled")
        self._session.conf.set(adaptive, "false")
        try:
            yield
        finally:
            self._session.conf.set(adaptive, before)  # type: ignore[arg-type]

    def _as_leaf(self, frame: DataFrame) -> DataFrame:
        """Return a frame whose plan says nothing of how it is made but which rows lie together."""
        java = frame._jdf
        plans: Any = getattr(self._session._jvm, "org.apache.spark.sql.execution.LogicalRDD$")
        leaf = getattr(plans, "MODULE$")
        # Later versions of Spark take one thing more, and say what it is if nothing is said.
        more = "fromDataset$default$4"
        others = [getattr(leaf, more)()] if more in dir(leaf) else []
        return self._of_plan(leaf.fromDataset(java.queryExecution().toRdd(), java, False, *others))

    def _cached(self, frame: DataFrame) -> DataFrame:
        """Return a frame that reads what was kept of another, column by column."""
        manager = self._session._jsparkSession.sharedState().cacheManager()
        return self._of_plan(manager.lookupCachedData(frame._jdf).get().cachedRepresentation())

    def _of_plan(self, plan: Any) -> DataFrame:
        from pyspark.sql import DataFrame

        session = self._session._jsparkSession
        datasets: Any = self._session._jvm.org.apache.spark.sql.classic.Dataset  # type: ignore[union-attr]
        return DataFrame(datasets.ofRows(session, plan), self._session)

    def hold(self, table: str, query: str) -> None:
        """Name the rows of a source; they are read again each time."""
        with _explained():
            self._query(query).createOrReplaceTempView(table)
        self._views.append(table)

    def drop(self, *tables: str) -> None:
        """Forget tables, as far as they are there; a closed engine has none."""
        if isinstance(self._session, ClosedPlace):
            return
        for table in tables:
            self._session.catalog.dropTempView(table)
            frame = self._kept.pop(table, None)
            if frame is not None:
                frame.unpersist()

    def rows(self, sql: str) -> list[Row]:
        """Answer a query whose result is small."""
        with _explained():
            found = [tuple(row) for row in self._query(sql).collect()]
        self.collected += len(found)
        return found

    def columns(self, sql: str) -> dict[str, Column]:
        """Answer a query with one array a column."""
        with _explained():
            found = self._query(sql).toArrow()
        self.collected += found.num_rows
        return {name: found.column(name).to_numpy() for name in found.column_names}

    def describe(self, table: str) -> dict[str, str]:
        """Return the columns of a table or table expression and their SQL types, as DuckDB names them."""
        with _explained():
            fields = self._query(f"SELECT * FROM {table}").schema.fields
        types = {field.name: field.dataType.simpleString() for field in fields}
        return {name: _TYPES.get(type_, type_.upper()) for name, type_ in types.items()}

    def in_order(self, numbers: Sequence[str]) -> str:
        """Return an expression for the list of some numbers, the smallest first."""
        return f"sort_array(array({', '.join(numbers)}))"

    def attach_columns(self, table: str, columns: Mapping[str, Column]) -> None:
        """Make a table of arrays of equal length."""
        import pyarrow as pa

        self.attach_frame(table, pa.table({name: _arrow(column) for name, column in columns.items()}))

    def attach_frame(self, table: str, frame: object) -> None:
        """Make a dataframe readable under a name: Spark's own where it is, any other sent to the cluster."""
        import pyarrow as pa
        from pyspark.sql import DataFrame

        if isinstance(frame, DataFrame):
            # Sessions of one application share nothing else that has a name.
            shared = f"sudare_{os.getpid()}_{next(_numbers)}"
            frame.createOrReplaceGlobalTempView(shared)
            made = self._session.table(f"global_temp.{shared}")
            made.createOrReplaceTempView(table)
            self._session.catalog.dropGlobalTempView(shared)
        else:
            with _without_warnings():
                self._session.createDataFrame(_plain(pa.table(frame))).createOrReplaceTempView(table)

    def each(self, texts: str) -> str:
        """Return an expression that makes a row of each text of a list."""
        return f"explode({texts})"

    def hold_lines(self, table: str, source: str | Path) -> None:
        """Make a table of the lines of a text, of the texts of a folder or of an address, with their numbers.

        Nothing is sorted: a block of a file is read in order, so that only the blocks have to be numbered.
        """
        if "://" not in str(source):
            check_lines(Path(source))
        addresses = [str(source)] if "://" in str(source) else list(map(_address, line_files(Path(source))))
        with _explained():
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

    def detach_frame(self, table: str) -> None:
        """Forget a dataframe."""
        self._session.catalog.dropTempView(table)

    def csv(self, path: Path, *, columns: Sequence[str], delimiter: str, header: bool) -> str:
        """Return a table expression that reads a UTF-8 CSV file as text; a broken line is refused when it is read."""
        reader = self._session.read.schema(", ".join(f"{name} STRING" for name in columns))
        options = {"sep": delimiter, "header": header, "quote": '"', "escape": '"', "mode": "FAILFAST"}
        return self._named(reader.options(**options).csv(_address(path)))  # type: ignore[arg-type]

    def parquet(self, path: Path) -> str:
        """Return a table expression that reads a Parquet file or a folder of them; others are SourceNotReadable."""
        files = parquet_files(path)
        base = f"file://{path.resolve()}" if is_partitioned(path, files) else None
        return self._named(self._read_parquet(list(map(_address, files)), str(path), base=base))

    def find(self, name: str, /) -> str | None:
        """Return a table expression for a table of the catalog or the address of Parquet files, such as s3a://..."""
        if Path(name).exists():
            return None
        with _explained():
            if re.match(r"[a-z][a-z0-9]*://", name):
                return self._named(self._read_parquet([name], name))
            known = re.fullmatch(r"\w+(\.\w+){0,2}", name) and self._session.catalog.tableExists(name)
        if not known:
            raise SourceNotReadable(
                f"There is no file {name}, and no table of that name in the catalog of Spark.\n"
                "Hint: a table is called name, database.name or catalog.database.name, and files of the cluster by "
                "their address, such as hdfs://host/folder."
            )
        return name

    def _read_parquet(self, addresses: Sequence[str], name: str, *, base: str | None = None) -> DataFrame:
        """Read Parquet files; folders like year=2024 between `base` and a file are a column of it."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            with _explained():
                reader = self._session.read
                return (reader.option("basePath", base) if base else reader).parquet(*addresses)
        except (PySparkException, Py4JError) as error:
            reason = next((line for line in str(error).splitlines() if "Exception" in line), str(error).splitlines()[0])
            raise not_parquet(name, reason) from None

    def rejected_lines(self) -> list[tuple[int, str]]:
        """Return nothing: a text with a broken line has been refused."""
        return []

    def write(self, _query: str, _path: Path, /) -> None:
        """Refuse: what is written to files is about single values, records or people."""
        raise NotOnEngine(
            "The engine spark writes no files of values, records or people: only counts leave the cluster.\n"
            "Hint: leave the file out, or read the data with --engine duckdb."
        )

    def interrupt(self) -> None:
        """End the jobs that are running, from another thread."""
        self._session.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Give back memory; a session that was started here ends."""
        self.drop(*self._kept, *self._views)
        self._session = cast(Any, ClosedPlace())
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _query(self, sql: str) -> DataFrame:
        """Plan a query; a backslash of the one SQL text is no escape."""
        return self._session.sql(sql.replace("\\", "\\\\"))

    def _named(self, frame: DataFrame) -> str:
        name = f"sudare_source_{next(_numbers)}"
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name


def check_master(master: str) -> None:
    """Raise an error unless Spark can be started here, or runs there and answers."""
    found = _MASTER.fullmatch(master)
    if not found:
        raise OptionNotUsable(
            f"There is no engine {master!r}.\n"
            "Hint: duckdb, local[2] (Spark on this machine) or spark://host:7077; for any other cluster give the "
            "library your session: SparkEngine(session=spark)."
        )
    _check_packages()
    _check_java()
    if found["host"]:
        try:
            socket.create_connection((found["host"], int(found["port"])), MASTER_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise OptionNotUsable(
                f"No Spark master answers at {master}: {error}.\nHint: check host and port; the port is mostly 7077."
            ) from None


def _check_packages() -> None:
    for package in ("pyspark", "pyarrow"):
        if find_spec(package) is None:
            raise EngineNotAvailable(
                f"The engine spark needs a package that is not installed: {package}.\nHint: pip install 'sudare[spark]'"
            )


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    told = ""
    if java:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    found = re.search(r'version "(\d+)', told)
    if not found or int(found.group(1)) < LEAST_JAVA:
        where = f"{home}/bin (JAVA_HOME)" if home else "the search path"
        what = f"Java {found.group(1)}" if found else "no Java"
        raise EngineNotAvailable(
            f"The engine spark needs Java {LEAST_JAVA} or newer, and there is {what} in {where}.\n"
            "Hint: apt-get install openjdk-17-jre-headless, or set JAVA_HOME."
        )


def _start(master: str, memory: str, folder: str, settings: Mapping[str, str]) -> SparkSession:
    """Start a session that says nothing on the terminal and opens no page."""
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    quiet = Path(folder) / "log4j2.properties"
    quiet.write_text("rootLogger.level = off\n", encoding="utf-8")
    own = {
        "spark.driver.memory": f"{max(bytes_of(memory) >> 20, 512)}m",
        # All that Java puts down lies in the folder that is removed.
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={quiet} -Dderby.system.home={folder} -Djava.io.tmpdir={folder}"
        ),
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local"):
        # Spark's own 200 are meant for clusters; a few for each thread keep all of them busy.
        threads = re.sub(r"\D", "", master) or str((os.cpu_count() or 1) if "*" in master else 1)
        own["spark.sql.shuffle.partitions"] = str(4 * int(threads))
    if SparkSession.getActiveSession() is not None:
        raise OptionNotUsable(
            "A Spark session runs in this process already, and there can be one only.\n"
            "Hint: give it to the engine: SparkEngine(session=spark)."
        )
    try:
        with _without_warnings():
            conf = SparkConf().setMaster(master).setAppName("sudare")
            for key, value in {**own, **settings}.items():
                conf.set(key, f"{own[key]} {value}" if key.endswith("JavaOptions") and key in own else value)
            return SparkSession(_silent_context(conf))
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise EngineNotAvailable(
            f"Spark could not be started: {reason}\nHint: check --memory and the settings of Spark."
        ) from None


def _silent_context(conf: SparkConf) -> SparkContext:
    """Start Spark with a Java whose words stay off the terminal: they are nothing that a user can mend."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    # A Java that ran for an earlier session of this process is used again.
    started: Any = SparkContext._gateway
    gateway = started or launch_gateway(conf, {"stderr": subprocess.DEVNULL})  # type: ignore[no-untyped-call]
    context = SparkContext(gateway=gateway, conf=conf)
    if str(context.master).startswith("local"):
        # Else it is any Python of the search path, perhaps one without sudare.
        context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
    return context


def _end(session: SparkSession, folder: str) -> None:
    session.stop()
    shutil.rmtree(folder, ignore_errors=True)


def _beside(session: SparkSession) -> SparkSession:
    """Return a session of ours in the same application; its days are those of UTC, whatever zone the other has."""
    own = session.newSession()
    for key, value in LANGUAGE.items():
        own.conf.set(key, value)
    return own


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keep back what pyspark has to say about versions of pandas, which is not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep pyspark from repeating each error of this thread on the terminal, with the lines of Java."""
    from pyspark.logger import PySparkLogger

    def is_of_others(record: logging.LogRecord) -> bool:
        return record.thread != own

    own, logger = threading.get_ident(), PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.addFilter(is_of_others)
    try:
        yield
    finally:
        logger.removeFilter(is_of_others)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what a cluster says about broken lines and lost work into our errors."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    interruption.safe_point()
    try:
        with _unlogged():
            yield
    except (PySparkException, Py4JError) as error:
        # Jobs that were cancelled for it fail.
        interruption.safe_point()
        if "MALFORMED_RECORD" in str(error) or "MALFORMED_CSV" in str(error):
            raise BadRows(
                "A text has lines that do not divide into the columns; nothing was read.\n"
                "Hint: mend or remove them; --engine duckdb says which they are."
            ) from None
        if "java.lang.OutOfMemoryError" in str(error):
            raise MemoryNotEnough(
                "The work needs more memory than Spark may use.\n"
                "Hint: allow more with --memory 8GB, or more for the machines of the cluster (spark.executor.memory)."
            ) from None
        if any(sign in str(error) for sign in _NO_PYTHON):
            raise EngineNotAvailable(
                "This analysis runs in Python on the machines of the cluster, and they have none with sudare.\n"
                "Hint: pip install 'sudare[spark]' there, and name that Python in the variable PYSPARK_PYTHON here."
            ) from None
        if "aborted" in str(error) or "SparkContext was shut down" in str(error):
            reason = str(error).splitlines()[0]
            raise EngineNotAvailable(
                f"The cluster gave the work up: {reason}\nHint: look at its logs; more memory or machines may help."
            ) from None
        raise


def _of_part(function: PartFunction, rows: Any) -> Any:
    """Run a function on an Arrow table."""
    import pyarrow as pa

    return pa.table(dict(function({name: rows.column(name).to_numpy() for name in rows.column_names})))


def _address(path: Path) -> str:
    """Return the address of a file; what would be a pattern in it is taken literally."""
    return "file://" + re.sub(r"[*?\[\]{}\\]", r"\\\g<0>", str(path.resolve()))


def _arrow(column: Column) -> Any:
    import pyarrow as pa

    return pa.array(column.tolist(), pa.string()) if column.dtype == np.object_ else pa.array(column)


def _plain(table: Any) -> Any:
    """Return an Arrow table with texts and categories in the one form that Spark takes."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_string_view(field.type):
            chunks = [_decoded(chunk) for chunk in table.column(place).chunks]
            table = table.set_column(place, field.name, pa.chunked_array(chunks, None if chunks else pa.string()))
    return table


def _decoded(chunk: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(chunk.type):
        return _decoded(chunk.dictionary).take(chunk.indices)
    return chunk.cast(pa.string()) if pa.types.is_string_view(chunk.type) else chunk
