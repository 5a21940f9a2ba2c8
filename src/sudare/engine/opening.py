"""Opening engines: the caller's choice by name, or our own if none was passed.

Nothing else in the library opens an engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.arguments import checked
from sudare.engine.duckdb import DuckDBEngine
from sudare.engine.protocol import Engine
from sudare.errors import OptionNotUsable
from sudare.limits import MEMORY


@checked
def open_engine(
    name: str = "duckdb",
    *,
    memory: str = MEMORY,
    threads: int | None = None,
    spill: str | Path | None = None,
    min_cell: int = 1,
) -> Engine:
    """Start an engine by its name: `duckdb`, `local[2]` (Spark on this machine) or `spark://host:port`."""
    if not name:
        raise OptionNotUsable("errors.engine.no_name")
    if name == "duckdb":
        return DuckDBEngine(memory=memory, threads=threads, spill=spill, min_cell=min_cell)
    from sudare.engine.spark.engine import SparkEngine

    return SparkEngine(name, memory=memory, spill=spill, min_cell=min_cell)


def engine_for(source: object) -> Engine:
    """Start the engine for a source: Spark, in the session of a dataframe of Spark; else DuckDB."""
    if type(source).__module__.startswith("pyspark.sql."):
        from sudare.engine.spark.engine import SparkEngine

        return SparkEngine(session=source.sparkSession)  # type: ignore[attr-defined]
    return DuckDBEngine()


@contextmanager
def engine_or_own(engine: Engine | None, source: object = None) -> Iterator[Engine]:
    """Yield the engine that was passed in, or one of our own for a source, which is closed at the end of the block."""
    if engine is not None:
        yield engine
        return
    with engine_for(source) as own:
        yield own


@contextmanager
def engine_to_keep(engine: Engine | None, source: object = None) -> Iterator[tuple[Engine, bool]]:
    """Yield the engine that was passed in, or one of our own for a source, and whether it is our own.

    What the block returns is to close our own; if the block fails, it is closed here.
    """
    place = engine or engine_for(source)
    try:
        yield place, engine is None
    except BaseException:
        if engine is None:
            place.close()
        raise


def scratch_engine(*, memory: str = MEMORY, threads: int | None = None) -> DuckDBEngine:
    """Start a DuckDB that reads or writes one file for arrays of this process, and knows nothing else."""
    return DuckDBEngine(memory=memory, threads=threads)
