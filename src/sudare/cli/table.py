"""How commands are told which table to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.history import tell_reading
from sudare.cli.options import ReadingOptions
from sudare.progress import Progress

if TYPE_CHECKING:
    from sudare.data.table import Table


def names(words: str | None) -> list[str] | None:
    """Read attribute names divided by commas; None stays None."""
    return None if words is None else [word.strip() for word in words.split(",") if word.strip()]


@dataclass(frozen=True, slots=True)
class TableOptions(ReadingOptions):
    """The words that say which table to read and how."""

    attributes: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Attributes to look at. All if not given.")
    ] = None
    missing: Annotated[
        list[str] | None, typer.Option(metavar="VALUE", help="A value that means missing, such as '?' (repeatable).")
    ] = None

    @contextmanager
    def read(self, progress: Progress) -> Iterator[Table]:
        """Read the table, tell how it was read, and close it at the end."""
        from sudare.data.table import read_table

        with self.engine() as engine:
            table = read_table(
                self.file,
                attributes=names(self.attributes),
                **self.form(),
                missing=self.missing or (),
                engine=engine,
                progress=progress,
            )
            tell_reading(table.reading)
            yield table
