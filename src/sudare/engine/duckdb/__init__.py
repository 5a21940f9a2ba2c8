"""The embedded engine."""

from sudare.engine.duckdb.engine import DuckDBEngine

__all__ = ["DuckDBEngine"]
