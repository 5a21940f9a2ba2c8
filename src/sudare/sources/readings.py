"""How a source was read: what was found, guessed and left out."""

from __future__ import annotations

from dataclasses import field

from sudare.messages import Message
from sudare.results import Result
from sudare.showing import dataclass
from sudare.sources.spellings import Spelling

# The clock of moments that are text with an offset, where no time zone was chosen.
AS_WRITTEN = "as written"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows left out of a source for one reason; `column` is empty if the reason is not a single column."""

    reason: Message
    column: str
    rows: int


@dataclass(frozen=True, slots=True)
class Reading(Result):
    """How a source was read: what was found, guessed, left out, and written in several ways.

    `clock` is the time zone in which timestamps became days, if there were any: a zone, or AS_WRITTEN. `others` are the
    columns of a table's source that are not attributes. `alternatives` are other possible choices: columns for a role,
    sheets of a file. `files` are the files that a pattern matched, if several.
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
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    @property
    def dropped_rows(self) -> int:
        """The number of rows left out."""
        return sum(part.rows for part in self.dropped)
