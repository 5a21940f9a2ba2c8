"""Where tables are grouped and counted: one SQL text for every engine."""

from sudare.engine.duckdb import DuckDBEngine
from sudare.engine.protocol import Engine, quote_name, quote_text

__all__ = ["DuckDBEngine", "Engine", "quote_name", "quote_text"]
