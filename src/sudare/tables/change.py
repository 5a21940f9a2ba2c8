"""Changes to a table for what-if questions: records added, values generalized."""

from __future__ import annotations

from typing import Any

from sudare.showing import dataclass
from sudare.tables.derived import Derived
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A table as it would be, and what has changed about it."""

    derived: Derived
    source: str | None
    added: int
    levels: dict[str, int]

    @property
    def table(self) -> Table:
        """The table as it would be."""
        return self.derived.table

    def told(self, **found: Any) -> dict[str, Any]:
        """Return what has changed and what follows as plain values, for the JSON of a command."""
        return {"what_if": {"added": self.added or None, "levels": self.levels or None, **found}}
