"""Where tables are grouped and counted: one SQL text for every engine."""

from __future__ import annotations

from pathlib import Path

from sudare.arguments import checked
from sudare.engine.duckdb import DuckDBEngine
from sudare.engine.options import closed
from sudare.engine.protocol import Engine, quote_name, quote_text
from sudare.errors import OptionNotUsable
from sudare.limits import MEMORY

__all__ = ["DuckDBEngine", "Engine", "closed", "engine_for", "open_engine", "quote_name", "quote_text"]


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
        raise OptionNotUsable("The engine has no name.\nHint: duckdb, local[2] or spark://host:7077")
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
