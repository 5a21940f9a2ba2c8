"""How a source was read: what was found, guessed and left out."""

from __future__ import annotations

from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.spellings import Spelling

# The clock of moments that are text with an offset, where no time zone was chosen.
AS_WRITTEN = "as written"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows left out of a history for one reason."""

    reason: str
    column: str
    rows: int


@dataclass(frozen=True, slots=True)
class Reading(Result):
    """How a source was read: what was found, what was guessed, what was left out, what was written in several ways.

    `clock` says by which clock moments with a time zone became days, if there were any: a zone's, or AS_WRITTEN.
    `others` are the columns of a table's source that are no attributes.
    """

    source: str
    format: str
    columns: dict[str, str]
    guesses: dict[str, str]
    rows: int
    dropped: tuple[Dropped, ...] = ()
    sha256: str | None = None
    spellings: tuple[Spelling, ...] = ()
    clock: str | None = None
    others: tuple[str, ...] = ()

    @property
    def dropped_rows(self) -> int:
        """The number of rows left out."""
        return sum(part.rows for part in self.dropped)
