"""Detecting how a text file is written: delimiter, header, and where its records are."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.showing import dataclass
from sudare.sources.encodings import CHUNK_BYTES
from sudare.sources.purchases.roles import is_role_name

DELIMITERS = (",", "\t", ";", "|")
SAMPLE_LINES = 50
# The engine takes no longer lines, and this bounds memory on a file without line ends.
MOST_LINE_BYTES = 2_000_000

# What a cell of CSV has to be quoted for.
_QUOTED = re.compile(r'[",\r\n]')
_VALUE = re.compile(r"[\d\s.,:/+\-T]+")


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


def find_form(path: Path, encoding: str, *, delimiter: str | None, header: bool | None, name: str) -> TextForm:
    """Find delimiter, header and columns from the first lines of a UTF-8 file, unless they are given."""
    if delimiter is not None and len(delimiter) != 1:
        raise OptionNotUsable("errors.sources.delimiter", delimiter=delimiter)
    lines = _first_lines(path, name)
    chosen = delimiter or _find_delimiter(lines)
    rows = [row for _, row in csv_rows(lines, chosen) if row]
    if not rows:
        raise SourceNotReadable("errors.sources.empty", name=name)
    if len(rows[0]) < 2:
        raise _one_column(lines, chosen, name, given=delimiter is not None)
    has_header = looks_like_header(rows[0]) if header is None else header
    columns = [cell.strip() for cell in rows[0]] if has_header else [str(n + 1) for n in range(len(rows[0]))]
    return TextForm(encoding, chosen, has_header, tuple(columns))


def _first_lines(path: Path, name: str) -> list[str]:
    lines: list[str] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        while len(lines) < SAMPLE_LINES and (line := file.readline(MOST_LINE_BYTES)):
            if len(line) == MOST_LINE_BYTES:
                raise SourceNotReadable(
                    "errors.sources.long_line", name=name, line=len(lines) + 1, most=MOST_LINE_BYTES
                )
            lines.append(line)
    return lines


def _find_delimiter(lines: Sequence[str]) -> str:
    """Choose the delimiter that splits the most lines into the same number of columns, more than one."""

    def score(delimiter: str) -> tuple[int, int]:
        widths = Counter(len(row) for _, row in csv_rows(lines, delimiter) if row)
        width, lines_of_it = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(0, 0))
        return (lines_of_it, width) if width > 1 else (0, 0)

    return max(DELIMITERS, key=score)


def looks_like_header(cells: Sequence[str]) -> bool:
    """Take a line with the name of a role for a header, and one without a number or a date."""
    if any(is_role_name(cell) for cell in cells):
        return True
    return not any(_VALUE.fullmatch(cell) for cell in cells)


def _one_column(lines: Sequence[str], delimiter: str, name: str, *, given: bool) -> SourceNotReadable:
    other = _find_delimiter(lines)
    if given and len(next(row for _, row in csv_rows(lines, other) if row)) > 1:
        found = {"delimiter": _shown(delimiter), "other": _shown(other)}
        return SourceNotReadable("errors.sources.other_delimiter", name=name, **found)
    return SourceNotReadable("errors.sources.one_column", name=name)


def _shown(delimiter: str) -> str:
    return "tab" if delimiter == "\t" else repr(delimiter)


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
        start, skip_header = 1, form.header
        for last, row in csv_rows(file, form.delimiter):
            if row and not skip_header and start not in broken:
                yield start
            skip_header = skip_header and not row
            start = last + 1


def csv_rows(lines: Iterable[str], delimiter: str, *, skip_spaces: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV text, each with the number of its last line; a blank line is an empty row.

    They are those of the csv module without its limit of 131,072 letters a cell, which could be raised for the whole
    process only. A quotation mark that is not closed takes all that follows. `skip_spaces` leaves out spaces before a
    cell.
    """
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        if '"' in line:
            yield _quoted_row(number, line, numbered, delimiter, skip_spaces=skip_spaces)
        else:
            ended = line.rstrip("\r\n")
            cells = ended.split(delimiter) if ended else []
            yield number, [cell.lstrip(" ") for cell in cells] if skip_spaces else cells


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of CSV; a carriage return is quoted too, which the csv module leaves bare before Python 3.13."""
    quoted = ('"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell for cell in cells)
    return ",".join(quoted) + "\n"


def _quoted_row(
    number: int, line: str, following: Iterator[tuple[int, str]], delimiter: str, *, skip_spaces: bool
) -> tuple[int, list[str]]:
    """Return a row that has quotation marks; cells that go on in further lines take them."""
    cells: list[str] = []
    at, ended = 0, line.rstrip("\r\n")
    while at <= len(ended):
        while skip_spaces and line.startswith(" ", at):
            at += 1
        parts: list[str] = []
        inside = line.startswith('"', at)
        at += inside
        while inside:
            mark = line.find('"', at)
            if mark < 0:
                parts.append(line[at:])
                further = next(following, None)
                if further is None:
                    return number, [*cells, "".join(parts)]
                (number, line), at = further, 0
                ended = line.rstrip("\r\n")
                continue
            # A doubled mark stands for itself.
            inside = line.startswith('"', mark + 1)
            parts.append(line[at : mark + inside])
            at = mark + 1 + inside
        end = ended.find(delimiter, at)
        end = len(ended) if end < 0 else end
        cells.append("".join(parts) + ended[at:end])
        at = end + 1
    return number, cells
