"""A look into an engine, past what it lets out: tests compare what lies there."""

from __future__ import annotations

from sudare.engine import Engine
from sudare.engine.gate import Gate
from sudare.engine.protocol import Row


def rows_of(engine: Engine, sql: str) -> list[Row]:
    """Return the rows of any query, whatever the engine shows to others."""
    assert isinstance(engine, Gate)
    return engine._fetch_rows(sql)
