"""How commands are told which purchase history to read, and how they show what was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sudare.cli.frame import counted, note, pairs
from sudare.cli.options import ReadingOptions
from sudare.errors import OptionNotUsable
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.histories.model import History
    from sudare.sources.readings import Reading
    from sudare.sources.spellings import Spelling


@dataclass(frozen=True, slots=True)
class HistoryOptions(ReadingOptions):
    """The words that say which history to read and how."""

    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=NAME",
        ),
    ] = None
    date_format: Annotated[str | None, typer.Option(metavar="FORMAT")] = None
    missing_value: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=VALUE"),
    ] = None
    bad_rows: Annotated[Literal["refuse", "drop"], typer.Option()] = "refuse"

    @contextmanager
    def read(self, progress: Progress) -> Iterator[History]:
        """Read the history, tell how it was read, and close it at the end."""
        from sudare.histories.read import read_history

        with self.engine() as engine:
            history = read_history(
                self.file,
                columns=single_columns(pairs(self.column, "--column", "customer=CustomerID")),
                **self.form(),
                date_format=self.date_format,
                missing_values=pairs(self.missing_value, "--missing-value", "customer=0"),
                bad_rows=self.bad_rows,
                engine=engine,
                progress=progress,
            )
            tell_reading(history.reading)
            yield history


def single_columns(found: dict[str, list[str]]) -> dict[str, str]:
    """Return the one column of each role."""
    for role, names in found.items():
        if len(names) > 1:
            raise OptionNotUsable(f"--column {role} is given twice: {' and '.join(names)}.\nHint: give one.")
    return {role: names[0] for role, names in found.items()}


def tell_reading(reading: Reading) -> None:
    """Say on stderr what was read, guessed and dropped, and what was written in several ways."""
    from sudare.sources.readings import AS_WRITTEN

    guessed = "".join(f", {name} {value!r}" for name, value in reading.guesses.items())
    note(f"Read {reading.source}: {reading.format}, {counted(reading.rows, 'row')}{guessed}")
    if reading.columns:
        note("Columns: " + ", ".join(f"{role}={column}" for role, column in reading.columns.items()))
    for part in reading.dropped:
        where = f" (column {part.column})" if part.column else ""
        note(f"Dropped {counted(part.rows, 'row')}: {part.reason}{where}")
    for spelling in reading.spellings:
        _tell_spelling(spelling)
    if reading.clock:
        by = "the clock as written" if reading.clock == AS_WRITTEN else f"the clock of {reading.clock}"
        note(f"Moments with a time zone are taken by {by} (--time-zone chooses another)")


def _tell_spelling(spelling: Spelling) -> None:
    where = f"Column {spelling.column}: "
    if spelling.rows:
        note(f"{where}{counted(spelling.rows, 'cell')} normalized to Unicode NFKC, such as １２ to 12")
    if spelling.merged:
        note(f"{where}{counted(spelling.merged, 'spelling')} taken for a name also written otherwise (width, blanks)")
    if spelling.case:
        tell_case(spelling, f"Column {spelling.column}")


def tell_case(spelling: Spelling, where: str) -> None:
    """Say on stderr how many names differ by case alone."""
    note(
        f"{where}: {counted(spelling.case, 'name')} differing from another by case alone, and kept apart; "
        "write them alike in the file if they are the same"
    )
