"""Finding out how a text file is written: encoding, delimiter, header, and where its records are."""

from __future__ import annotations

import codecs
import csv
import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sudare.data.roles import is_role_name
from sudare.errors import OptionNotUsable, SourceNotReadable

DELIMITERS = (",", "\t", ";", "|")
# UTF-16 only with its mark; then UTF-8; then what Japanese Windows writes.
ENCODINGS = ("utf-8", "cp932")
SAMPLE_LINES = 50
CHUNK_BYTES = 1 << 20
# The csv module refuses longer cells by default at 128 KiB; this bounds memory on a file without line ends.
MOST_LINE_BYTES = 1 << 22

_VALUE = re.compile(r"[\d\s.,:/+\-T]+")

MAGIC = {
    b"PK\x03\x04": "a zip archive (an Excel file is read if its name ends in .xlsx)",
    b"\x1f\x8b": "a gzip archive; unpack it first",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xd0\xcf\x11\xe0": "an old Office file (an Excel file is read if its name ends in .xls)",
    b"SQLite format": "a database",
}


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a text file is written."""

    encoding: str
    delimiter: str
    header: bool
    columns: tuple[str, ...]


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_encoding(path: Path, *, encoding: str | None = None) -> str:
    """Return the encoding in which the whole file can be read; a given one is only checked."""
    with path.open("rb") as file:
        start = file.read(16)
    kind = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    if kind:
        raise SourceNotReadable(
            f"{path} is no text file: it looks like {kind}.\nHint: give a CSV, Parquet or Excel file."
        )
    if encoding is not None:
        return _check_given(path, encoding)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for candidate in ENCODINGS:
        if _first_error(path, candidate) is None:
            return candidate
    raise SourceNotReadable(
        f"{path} is no text in UTF-8 or cp932 (Shift_JIS): {_first_error(path, 'utf-8')}.\n"
        "Hint: name the encoding (--encoding latin-1), or give a CSV, Parquet or Excel file."
    )


def _check_given(path: Path, encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise OptionNotUsable(f"There is no encoding {encoding!r}.\nHint: utf-8, cp932, euc_jp, latin-1, ...") from None
    error = _first_error(path, name)
    if error:
        raise SourceNotReadable(f"{path} is not {encoding}: {error}.\nHint: leave --encoding away to have it found.")
    return name


def _first_error(path: Path, encoding: str) -> str | None:
    """Return why the file is not text in the encoding, or None if all of it is."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            try:
                if "\0" in decoder.decode(chunk):
                    return f"there is a NUL byte near byte {position:,}"
            except UnicodeDecodeError as error:
                return f"byte {position + error.start:,} does not fit"
            position += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "it ends in the middle of a character"
    return None


def recode(path: Path, encoding: str, target: Path) -> None:
    """Write a copy of a text file in UTF-8."""
    with (
        path.open(encoding=encoding, newline="") as old,
        target.open("w", encoding="utf-8", newline="") as new,
    ):
        while text := old.read(CHUNK_BYTES):
            new.write(text)


def find_form(path: Path, encoding: str, *, delimiter: str | None, header: bool | None, name: str) -> TextForm:
    """Find delimiter, header and columns from the first lines of a UTF-8 file, unless they are given."""
    if delimiter is not None and len(delimiter) != 1:
        raise OptionNotUsable(f"A delimiter is one character, not {delimiter!r}.\nHint: --delimiter ';' (tab: $'\\t')")
    lines = _first_lines(path, name)
    chosen = delimiter or _find_delimiter(lines)
    rows = list(csv.reader(lines, delimiter=chosen))
    rows = [row for row in rows if row]
    if not rows:
        raise SourceNotReadable(f"{name} is empty.\nHint: give a file with at least one row of data.")
    if len(rows[0]) < 2:
        raise SourceNotReadable(_one_column_message(lines, chosen, name, given=delimiter is not None))
    has_header = looks_like_header(rows[0]) if header is None else header
    columns = [cell.strip() for cell in rows[0]] if has_header else [str(n + 1) for n in range(len(rows[0]))]
    return TextForm(encoding, chosen, has_header, tuple(columns))


def _first_lines(path: Path, name: str) -> list[str]:
    lines: list[str] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        while len(lines) < SAMPLE_LINES and (line := file.readline(MOST_LINE_BYTES)):
            if len(line) == MOST_LINE_BYTES:
                raise SourceNotReadable(
                    f"Line {len(lines) + 1} of {name} is longer than {MOST_LINE_BYTES:,} characters.\n"
                    "Hint: this is no table of rows; check how the file was made."
                )
            lines.append(line)
    return lines


def _find_delimiter(lines: Sequence[str]) -> str:
    """Choose the delimiter that splits the most lines into the same number of columns, more than one."""

    def score(delimiter: str) -> tuple[int, int]:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        width, lines_of_it = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(0, 0))
        return (lines_of_it, width) if width > 1 else (0, 0)

    return max(DELIMITERS, key=score)


def looks_like_header(cells: Sequence[str]) -> bool:
    """Take a line with the name of a role for a header, and one without a number or a date."""
    if any(is_role_name(cell) for cell in cells):
        return True
    return not any(_VALUE.fullmatch(cell) for cell in cells)


def _one_column_message(lines: Sequence[str], delimiter: str, name: str, *, given: bool) -> str:
    shown = "tab" if delimiter == "\t" else repr(delimiter)
    other = _find_delimiter(lines)
    if given and len(next(csv.reader(lines, delimiter=other))) > 1:
        return (
            f"The first line of {name} is one column with the delimiter {shown}.\n"
            f"Hint: it looks like {'tab' if other == chr(9) else repr(other)}; leave --delimiter away to have it found."
        )
    return (
        f"The first line of {name} is one column: none of comma, tab, semicolon and bar divides it.\n"
        "Hint: name the delimiter (--delimiter ':'); a history needs at least customer, day and item."
    )


def line_numbers(path: Path, positions: Sequence[int]) -> list[int]:
    """Return the numbers, from 1, of the lines that start at some byte positions, given in order."""
    numbers, line, place = [], 1, 0
    with path.open("rb") as file:
        for position in positions:
            while place < position and (chunk := file.read(min(CHUNK_BYTES, position - place))):
                line += chunk.count(b"\n")
                place += len(chunk)
            numbers.append(line)
    return numbers


def record_lines(path: Path, form: TextForm, broken: Collection[int], wanted: Sequence[int]) -> dict[int, int]:
    """Return the line numbers of some data records, counted from 1 among those that are not on broken lines.

    Blank lines and cells with line breaks make lines and records differ, so the file is read again up to the last one.
    """
    lines: dict[int, int] = {}
    missing = set(wanted)
    for record, line in enumerate(_accepted_lines(path, form, broken), start=1):
        if not missing:
            break
        if record in missing:
            lines[record] = line
            missing.discard(record)
    return lines


def _accepted_lines(path: Path, form: TextForm, broken: Collection[int]) -> Iterator[int]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=form.delimiter)
        start, skip_header = 1, form.header
        for row in reader:
            if row and not skip_header and start not in broken:
                yield start
            skip_header = skip_header and not row
            start = reader.line_num + 1
