"""How commands are told which table to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.history import tell_reading
from sudare.cli.options import (
    DelimiterOption,
    EncodingOption,
    FileArgument,
    HeaderOption,
    MemoryOption,
    SheetOption,
    ThreadsOption,
)
from sudare.limits import MEMORY
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.data.table import Table


def names(words: str | None) -> list[str] | None:
    """Read attribute names divided by commas; None stays None."""
    return None if words is None else [word.strip() for word in words.split(",") if word.strip()]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The words that say which table to read and how."""

    file: FileArgument
    attributes: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Attributes to look at. All if not given.")
    ] = None
    delimiter: DelimiterOption = None
    header: HeaderOption = None
    encoding: EncodingOption = None
    sheet: SheetOption = None
    missing: Annotated[
        list[str] | None, typer.Option(metavar="VALUE", help="A value that means missing, such as '?' (repeatable).")
    ] = None
    memory: MemoryOption = MEMORY
    threads: ThreadsOption = None

    @contextmanager
    def read(self, progress: Progress) -> Iterator[Table]:
        """Read the table, tell how it was read, and close it at the end."""
        from sudare.data.table import read_table
        from sudare.engine import DuckDBEngine

        with DuckDBEngine(memory=self.memory, threads=self.threads) as engine:
            table = read_table(
                self.file,
                attributes=names(self.attributes),
                delimiter=self.delimiter,
                header=self.header,
                encoding=self.encoding,
                sheet=self.sheet,
                missing=self.missing or (),
                engine=engine,
                progress=progress,
            )
            tell_reading(table.reading)
            yield table
