"""Options for which table to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sudare.cli.frame import note
from sudare.cli.history.source import tell_reading
from sudare.cli.options import ReadingOptions
from sudare.messages import message
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.tables.collapsed import CollapsedTable
    from sudare.tables.model import Table


def names(words: str | None) -> list[str] | None:
    """Read attribute names divided by commas; None stays None."""
    return None if words is None else [word.strip() for word in words.split(",") if word.strip()]


@dataclass(frozen=True, slots=True)
class TableOptions(ReadingOptions):
    """The words that say which table to read and how."""

    attributes: Annotated[str | None, typer.Option(metavar="A,B,...")] = None
    weight: Annotated[str | None, typer.Option(metavar="COLUMN")] = None
    person: Annotated[str | None, typer.Option(metavar="COLUMN")] = None
    missing: Annotated[Literal["value", "any"], typer.Option()] = "value"
    missing_value: Annotated[list[str] | None, typer.Option(metavar="VALUE")] = None

    @contextmanager
    def read(self, progress: Progress) -> Iterator[Table]:
        """Read the table, tell how it was read, and close it at the end."""
        with self.collapse(progress) as collapsed:
            yield self.fetch(collapsed, progress)

    @contextmanager
    def collapse(self, progress: Progress) -> Iterator[CollapsedTable]:
        """Group the table on its engine, tell how it was read, and close it at the end."""
        from sudare.tables.collapsed import collapse_table

        with self.engine() as engine:
            collapsed = collapse_table(
                self.file,
                attributes=names(self.attributes),
                **self.form(),
                weight=self.weight,
                person=self.person,
                missing=self.missing,
                missing_values=self.missing_value or (),
                engine=engine,
                progress=progress,
            )
            tell_reading(collapsed.reading, self.rejects)
            yield collapsed

    def fetch(self, collapsed: CollapsedTable, progress: Progress) -> Table:
        """Fetch the distinct rows, and remark on columns that tell nothing or everything."""
        from sudare.tables.read import fetch_table

        table = fetch_table(collapsed)
        progress(message("progress.reading"), 2, 2)
        _tell_remarks(table)
        return table


def _tell_remarks(table: Table) -> None:
    from sudare.tables.classes.remarks import column_remarks

    for remark in column_remarks(table):
        note(f"notes.column.{remark.kind}", attribute=remark.attribute)
