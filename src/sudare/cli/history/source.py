"""Options for which purchase history to read, and how to show what was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sudare.cli.frame import note, note_secret, pairs
from sudare.cli.options import ReadingOptions
from sudare.errors import OptionNotUsable
from sudare.messages import Joined
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from sudare.histories.model import History
    from sudare.messages import Message
    from sudare.sources.readings import Reading
    from sudare.sources.spellings import Spelling


@dataclass(frozen=True, slots=True)
class HistoryOptions(ReadingOptions):
    """The words that say which history to read and how."""

    column: Annotated[list[str] | None, typer.Option(metavar="ROLE=NAME")] = None
    date_format: Annotated[str | None, typer.Option(metavar="FORMAT")] = None
    missing_value: Annotated[list[str] | None, typer.Option(metavar="ROLE=VALUE")] = None
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
            tell_reading(history.reading, self.rejects)
            yield history


def single_columns(found: dict[str, list[str]]) -> dict[str, str]:
    """Return the one column of each role."""
    for role, names in found.items():
        if len(names) > 1:
            raise OptionNotUsable("errors.usage.column_twice", role=role, names=Joined(names))
    return {role: names[0] for role, names in found.items()}


def tell_reading(reading: Reading, rejects: Path | None = None) -> None:
    """Say on stderr what was read, detected, chosen and skipped, and what was written in several ways.

    `rejects` is the file that rows were written to that cannot be used, if there is one.
    """
    from sudare.messages import Joined, message

    found = [_detected(name, value) for name, value in reading.guesses.items()]
    facts = [reading.format, message("files.rows", count=reading.rows), *found]
    note("notes.reading.read", source=reading.source, facts=Joined(facts, "comma"))
    if reading.files:
        note("notes.reading.files", count=len(reading.files), files=Joined(reading.files, "comma"))
    if reading.columns:
        columns = Joined([f"{role}={column}" for role, column in reading.columns.items()], "comma")
        note("notes.reading.columns", columns=columns)
    _tell_choices(reading)
    for part in reading.dropped:
        key = "notes.reading.skipped_in" if part.column else "notes.reading.skipped"
        note(key, count=part.rows, reason=part.reason, column=part.column)
    for spelling in reading.spellings:
        _tell_spelling(spelling)
    _tell_clock(reading)
    if rejects is not None:
        note_secret(rejects)


def _detected(name: str, value: str) -> Message:
    """Say what was detected in a file."""
    from sudare.messages import message

    word = {",": "comma", ";": "semicolon", "|": "bar"}.get(value, value)
    # A sheet or a table may be called "no"; its name is not a word of ours.
    known = name in ("delimiter", "header") and word in ("comma", "semicolon", "bar", "tab", "yes", "no")
    shown = message(f"report.history.guessed.{word}") if known else value
    return message("notes.reading.detected", name=message(f"report.history.guess.{name}"), value=shown)


def _tell_choices(reading: Reading) -> None:
    """Say what else could have been taken, and how to choose it."""
    from sudare.messages import Joined

    for role, others in reading.alternatives.items():
        if role == "sheet":
            sheet = reading.guesses["sheet"]
            note("notes.reading.other_sheets", sheet=sheet, others=Joined(others, "comma"), first=others[0])
        else:
            column = reading.columns.get(role) or reading.columns.get("user", "")
            note("notes.reading.other_columns", role=role, column=column, others=Joined(others, "or"), first=others[0])
    if "table" in reading.guesses:
        note("notes.reading.only_table", table=reading.guesses["table"])


def _tell_clock(reading: Reading) -> None:
    from sudare.sources.readings import AS_WRITTEN

    if reading.clock == AS_WRITTEN:
        note("notes.reading.clock_written")
    elif reading.clock:
        note("notes.reading.clock", zone=reading.clock)


def _tell_spelling(spelling: Spelling) -> None:
    counts = {"normalized": spelling.rows, "merged": spelling.merged, "case": spelling.case}
    for kind, count in counts.items():
        if count:
            note(f"notes.reading.{kind}", column=spelling.column, count=count)
