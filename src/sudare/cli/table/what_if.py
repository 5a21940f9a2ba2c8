"""How commands are told what may change about a table: records added, values generalized."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.history.source import tell_case, tell_reading
from sudare.cli.table.hierarchy_options import HierarchyOptions
from sudare.errors import OptionNotUsable
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.tables.change import Change
    from sudare.tables.collapsed import CollapsedTable
    from sudare.tables.derived import Derived
    from sudare.tables.model import Table


@dataclass(frozen=True, slots=True)
class WhatIfOptions(HierarchyOptions):
    """The words of a table and of what may change about it."""

    added: Annotated[
        Path | None,
        READ,
        typer.Option(metavar="FILE", help="What if the records of this file are added?"),
    ] = None
    levels: Annotated[
        Path | None,
        READ,
        typer.Option(metavar="FILE", help="What if values are at these levels (CSV, TOML, JSON)?"),
    ] = None

    @contextmanager
    def change(self, table: Table | CollapsedTable) -> Iterator[Change | None]:
        """Make the table as it would be, if anything is to change."""
        from sudare.tables.collapsed import CollapsedTable

        if self.added is None and self.levels is None:
            yield None
            return
        if isinstance(table, CollapsedTable):
            raise OptionNotUsable(
                "What added records or levels would change is found in memory only, and the "
                f"{table.distinct:,} distinct rows of the table stay on the engine.\n"
                "Hint: leave --added and --levels out, or add --walk memory."
            )
        with ExitStack() as cleanup:
            yield self._changed(table, cleanup)

    def _changed(self, table: Table, cleanup: ExitStack) -> Change:
        from sudare.tables.change import Change
        from sudare.tables.derived import Derived, add_records, number_values
        from sudare.tables.generalized import generalize_table
        from sudare.tables.hierarchies.levels_file import read_levels

        derived = Derived(table, table, number_values(table.values, table))
        levels: dict[str, int] = {}
        if self.added is not None:
            words = self.missing_value or ()
            derived = derived.then(add_records(table, str(self.added), missing_values=words, **self.form()))
            _tell_added(derived)
            cleanup.enter_context(derived.table)
        if self.levels is not None:
            levels = read_levels(self.levels)
            derived = derived.then(generalize_table(derived.table, self.read_hierarchies(table), levels))
            cleanup.enter_context(derived.table)
        added = derived.table.records - table.records
        return Change(derived, str(self.added) if self.added else None, added, levels)


def _tell_added(derived: Derived) -> None:
    """Say how added records were read, and where with them more names differ from another by case alone."""
    if derived.added is None:
        return
    tell_reading(derived.added)
    before = {spelling.column: spelling.case for spelling in derived.origin.reading.spellings}
    for spelling in derived.table.reading.spellings:
        if spelling.case > before.get(spelling.column, 0):
            tell_case(spelling, f"In both files, column {spelling.column}")
