"""Options for which hierarchies belong to a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sudare.cli.files import Input, InputFolder
from sudare.cli.frame import pairs
from sudare.cli.table.source import TableOptions
from sudare.errors import OptionNotUsable
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.tables.hierarchies.model import Hierarchy
    from sudare.tables.model import Table

ForceOption = Annotated[bool, typer.Option("--force")]


@dataclass(frozen=True, slots=True)
class HierarchyOptions(TableOptions):
    """The words of a table and of the hierarchies of its attributes."""

    hierarchies: Annotated[Path | None, InputFolder(), typer.Option(metavar="DIR")] = None
    hierarchy: Annotated[list[str] | None, Input(named=True), typer.Option(metavar="A=FILE")] = None

    def read_hierarchies(self, table: Table) -> dict[str, Hierarchy]:
        """Read the hierarchies of the attributes of a table."""
        from sudare.sources.writing import protect
        from sudare.tables.hierarchies.model import find_hierarchies, read_hierarchy

        chosen = pairs(self.hierarchy, "--hierarchy", "age=age.csv")
        given = {attribute: Path(files[-1]) for attribute, files in chosen.items()}
        table.positions(list(given))
        found = find_hierarchies(self.hierarchies, table.attributes) if self.hierarchies else {}
        protect(found.values())
        return {attribute: read_hierarchy(file, attribute) for attribute, file in {**found, **given}.items()}

    def found_hierarchies(self, table: Table) -> dict[str, Hierarchy]:
        """Read the hierarchies of a table; a folder without any for it is a mistake."""
        found = self.read_hierarchies(table)
        if self.hierarchies and not found:
            raise OptionNotUsable(
                "errors.usage.no_hierarchies", folder=self.hierarchies, file=self.file, example=table.attributes[0]
            )
        return found
