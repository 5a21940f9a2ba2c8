"""Options for changes to a table: records added, values generalized."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import READ
from sudare.cli.frame import note
from sudare.cli.history.source import tell_reading
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

    what_if_added: Annotated[Path | None, READ, typer.Option(metavar="FILE")] = None
    what_if_levels: Annotated[Path | None, READ, typer.Option(metavar="FILE")] = None

    @contextmanager
    def change(self, table: Table | CollapsedTable) -> Iterator[Change | None]:
        """Make the table as it would be, if anything is to change."""
        from sudare.tables.collapsed import CollapsedTable

        if self.what_if_added is None and self.what_if_levels is None:
            yield None
            return
        if isinstance(table, CollapsedTable):
            raise OptionNotUsable("errors.usage.what_if_memory", count=table.distinct)
        with ExitStack() as cleanup:
            yield self._changed(table, cleanup)

    def _changed(self, table: Table, cleanup: ExitStack) -> Change:
        from sudare.tables.change import Change
        from sudare.tables.derived import Derived, add_records, number_values
        from sudare.tables.generalized import generalize_table
        from sudare.tables.hierarchies.levels_file import read_levels

        derived = Derived(table, table, number_values(table.values, table))
        levels: dict[str, int] = {}
        if self.what_if_added is not None:
            words = self.missing_value or ()
            added = add_records(table, str(self.what_if_added), missing_values=words, **self.text_form())
            derived = derived.then(added)
            _tell_added(derived)
            cleanup.enter_context(derived.table)
        if self.what_if_levels is not None:
            levels = read_levels(self.what_if_levels)
            derived = derived.then(generalize_table(derived.table, self.read_hierarchies(table), levels))
            cleanup.enter_context(derived.table)
        more = derived.table.records - table.records
        return Change(derived, str(self.what_if_added) if self.what_if_added else None, more, levels)


def _tell_added(derived: Derived) -> None:
    """Say how added records were read, and where with them more names differ from another by case alone."""
    if derived.added is None:
        return
    tell_reading(derived.added)
    before = {spelling.column: spelling.case for spelling in derived.origin.reading.spellings}
    for spelling in derived.table.reading.spellings:
        if spelling.case > before.get(spelling.column, 0):
            note("notes.reading.case_in_both", column=spelling.column, count=spelling.case)
