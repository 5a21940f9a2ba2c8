"""What the rest of sudare may ask of an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Row = tuple[Any, ...]
Column = np.ndarray[Any, np.dtype[Any]]


class Engine(Protocol):
    """A place that holds tables and answers SQL; only counts and small results leave it."""

    def run(self, sql: str) -> None:
        """Run a statement for its effect."""

    def rows(self, sql: str) -> list[Row]:
        """Answer a query whose result is small."""

    def columns(self, sql: str) -> dict[str, Column]:
        """Answer a query with one array a column."""

    def describe(self, table: str) -> dict[str, str]:
        """Return the columns of a table or table expression and their SQL types."""

    def attach_columns(self, table: str, columns: Mapping[str, Column]) -> None:
        """Make a table of arrays of equal length."""

    def attach_frame(self, table: str, frame: object) -> None:
        """Make a dataframe readable under a name, without copying it."""

    def detach_frame(self, table: str) -> None:
        """Forget a dataframe."""

    def csv(self, path: Path, *, columns: Sequence[str], delimiter: str, header: bool) -> str:
        """Return a table expression that reads a UTF-8 CSV file as text; broken lines go to `rejected_lines`."""

    def parquet(self, path: Path) -> str:
        """Return a table expression that reads a Parquet file or a folder of them."""

    def rejected_lines(self) -> list[tuple[int, str]]:
        """Return byte position and reason of the lines `csv` could not split into columns, in order."""

    def write(self, query: str, path: Path) -> None:
        """Write a query's result to a CSV or Parquet file, by its ending."""

    def close(self) -> None:
        """Give back memory and temporary files."""


def quote_name(name: str) -> str:
    """Quote a column or table name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text value for SQL, where a parameter cannot stand."""
    return "'" + text.replace("'", "''") + "'"
