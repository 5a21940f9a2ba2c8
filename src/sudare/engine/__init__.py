"""Where tables are grouped and counted: one SQL text for every engine."""

from __future__ import annotations

from sudare.engine.duckdb import DuckDBEngine
from sudare.engine.opening import engine_for, engine_or_own, engine_to_keep, open_engine, scratch_engine
from sudare.engine.options import closed
from sudare.engine.protocol import Engine, fresh_name, quote_name, quote_text

__all__ = [
    "DuckDBEngine",
    "Engine",
    "closed",
    "engine_for",
    "engine_or_own",
    "engine_to_keep",
    "fresh_name",
    "open_engine",
    "quote_name",
    "quote_text",
    "scratch_engine",
]
