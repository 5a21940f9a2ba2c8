"""A published file as it is read again: its columns, and its cells as numbers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.engine import DuckDBEngine, quote_name, scratch_engine
from sudare.messages import message
from sudare.showing import dataclass

_PARQUET = ".parquet"


@dataclass(frozen=True, eq=False)
class PublishedFile:
    """The lines of a file: `codes[a, i]` is the number of the text of line i in column a, `texts[a]` are in order.

    An empty cell is None, which comes last.
    """

    columns: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: NDArray[np.int32]

    @property
    def lines(self) -> int:
        """The number of lines."""
        return int(self.codes.shape[1])

    def column(self, name: str) -> tuple[tuple[str | None, ...], NDArray[np.int32]]:
        """Return the texts of a column, and which of them each line has."""
        place = self.columns.index(name)
        return self.texts[place], self.codes[place]


def columns_of(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a file."""
    if path.suffix.lower() == _PARQUET:
        with scratch_engine() as engine:
            return tuple(engine.describe(engine.parquet(path)))
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(next(csv.reader(file), ()))


def read_published(path: Path, columns: Sequence[str]) -> PublishedFile:
    """Read the lines of a file that has these columns."""
    with scratch_engine() as engine:
        cells = ", ".join(f"{quote_name(name)} AS c{place}" for place, name in enumerate(columns))
        engine.keep("lines", f"SELECT {engine.record_number} AS line, {cells} FROM {_source(engine, path, columns)}")
        texts = tuple(_texts(engine, place) for place in range(len(columns)))
        return PublishedFile(tuple(columns), texts, _codes(engine, len(columns)))


def _source(engine: DuckDBEngine, path: Path, columns: Sequence[str]) -> str:
    if path.suffix.lower() == _PARQUET:
        return engine.parquet(path)
    return engine.csv(path, columns=columns, delimiter=",", header=True)


def _texts(engine: DuckDBEngine, place: int) -> tuple[str | None, ...]:
    """Return the different texts of a column in their order, and keep their numbers on the engine."""
    different = f"SELECT DISTINCT CAST(c{place} AS VARCHAR) AS text FROM lines"
    engine.keep(
        f"texts{place}",
        f"SELECT text, CAST(row_number() OVER (ORDER BY text NULLS LAST) - 1 AS INTEGER) AS code FROM ({different})",
    )
    found = engine.people(f"SELECT text FROM texts{place} ORDER BY code", message("errors.people.records"))
    return tuple(text for (text,) in found)


def _codes(engine: DuckDBEngine, columns: int) -> NDArray[np.int32]:
    cells = ", ".join(f"t{place}.code AS c{place}" for place in range(columns))
    joins = " ".join(
        f"JOIN texts{place} AS t{place} ON t{place}.text IS NOT DISTINCT FROM l.c{place}" for place in range(columns)
    )
    query = f"SELECT {cells} FROM lines AS l {joins} ORDER BY l.line"
    found = engine.people_columns(query, message("errors.people.records"))
    return np.vstack([found[f"c{place}"].astype(np.int32) for place in range(columns)])
