"""How a source was read, in words: its columns, what was detected, and the rows left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sudare.messages import Texts, has_entry
from sudare.report.page import shortened
from sudare.sources.readings import AS_WRITTEN, Dropped, Reading

_DELIMITERS = {",": "comma", ";": "semicolon", "|": "bar"}


def column_names(reading: Reading, texts: Texts) -> Mapping[str, str]:
    """Return the column of each role; columns without a header are named by their places."""
    placed = all(column.isdecimal() for column in reading.columns.values())
    if not placed:
        return {role: shortened(column, texts) for role, column in reading.columns.items()}
    return {role: texts("report.history.read.column_number", number=column) for role, column in reading.columns.items()}


def guesses(reading: Reading, texts: Texts) -> list[str]:
    """Return what was found out of the file, in words."""
    return [_guess(name, value, texts) for name, value in reading.guesses.items()]


def reading_notes(reading: Reading, texts: Texts) -> list[str]:
    """Return what became one name of several spellings, and by which clock moments became days."""
    told = []
    for part in reading.spellings:
        column = shortened(part.column, texts)
        for key, value in (("normalized", part.rows), ("merged", part.merged), ("case", part.case)):
            if value:
                told.append(texts(f"report.history.read.{key}", column=column, count=value))
    if reading.clock == AS_WRITTEN:
        told.append(texts("report.history.read.clock_written"))
    elif reading.clock:
        told.append(texts("report.history.read.clock", zone=reading.clock))
    return told


def _guess(name: str, value: str, texts: Texts) -> str:
    shown = shortened(value, texts)
    # A sheet or a table may be called "no"; its name is not a word of ours.
    if name not in ("sheet", "table"):
        shown = _text_or(f"report.history.guessed.{_DELIMITERS.get(value, value)}", shown, texts)
    return texts("report.history.read.guess", name=_text_or(f"report.history.guess.{name}", name, texts), value=shown)


def _text_or(key: str, otherwise: str, texts: Texts) -> str:
    return texts(key) if has_entry(texts.language, key) else otherwise


def left_out(reading: Reading, texts: Texts) -> str:
    """Return how many rows were left out, and for which reasons."""
    if not reading.dropped:
        return texts("report.history.read.not_dropped")
    return texts("list.semicolon").join(_left_out(part, texts) for part in reading.dropped)


def _left_out(part: Dropped, texts: Texts) -> str:
    words = {"column": shortened(part.column, texts), "reason": part.reason}
    return texts("report.page.left_out_for", count=part.rows, **words)


def file_name(reading: Reading | None) -> str:
    """Return the name of the file that was read as one types it; FILE for a source that is not a file."""
    return Path(reading.source).name if reading and reading.sha256 else "FILE"


def input_hash(reading: Reading | None, texts: Texts) -> str:
    """Return the hash of the file that was read; some sources are not a single file."""
    return (reading and reading.sha256) or texts("report.page.no_hash")
