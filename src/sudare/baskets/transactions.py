"""Transaction text: one record per line, items separated by spaces, commas, or -1 as in SPMF files."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.errors import BadRows, OptionNotUsable
from sudare.messages import message
from sudare.sources.encodings import CHUNK_BYTES
from sudare.sources.text import csv_rows

TextForm = Literal["spaces", "commas", "spmf"]
TEXT_FORMS: tuple[TextForm, ...] = get_args(TextForm)
# What stands between items and after the last one in SPMF's files.
SPMF_MARKS = ("-1", "-2")
SAMPLE_LINES = 1000


class Numbers(dict[str, int]):
    """Numbers of names, in the order in which the names are first asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number


def find_text_form(path: Path, encoding: str) -> TextForm:
    """Find how items are divided, from the first thousand lines: by -1 where it stands alone, else by commas or spaces.

    Commas win where a line has both, since names may contain spaces.
    """
    with path.open(encoding=encoding) as file:
        lines = list(itertools.islice(file, SAMPLE_LINES))
    if any(SPMF_MARKS[0] in line.split() for line in lines):
        return "spmf"
    return "commas" if any("," in line for line in lines) else "spaces"


def read_lines(
    path: Path, encoding: str, form: TextForm, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int32], Numbers]:
    """Return the number of cells of each line, the cells as numbers, and the numbers of the names.

    Marks and empty cells are left in, as the numbers of "-1", "-2" and "".
    """
    numbers = Numbers()
    counts: list[NDArray[np.int64]] = []
    cells: list[NDArray[np.int32]] = []
    for lines in _chunks(path, encoding):
        rows = _split(lines, form, name, first=sum(len(part) for part in counts) + 1)
        counts.append(np.fromiter(map(len, rows), np.int64, len(rows)))
        found = map(numbers.__getitem__, itertools.chain.from_iterable(rows))
        cells.append(np.fromiter(found, np.int32, int(counts[-1].sum())))
    return np.concatenate(counts), np.concatenate(cells), numbers


def _chunks(path: Path, encoding: str) -> Iterator[list[str]]:
    """Yield lines by the megabyte: a line at a time is slow, and all at once are many objects."""
    with path.open(encoding=encoding) as file:
        while lines := file.readlines(CHUNK_BYTES):
            yield lines


def _split(lines: list[str], form: TextForm, name: str, *, first: int) -> list[list[str]]:
    if form != "commas":
        return [line.split() for line in lines]
    rows = []
    for number, line in enumerate(lines, start=first):
        cells = _unquoted(line, name, number) if '"' in line else line.split(",")
        rows.append([cell.strip() for cell in cells])
    return rows


def _unquoted(line: str, name: str, number: int) -> list[str]:
    # A quotation that stays open takes the line after it, too.
    last, cells = next(csv_rows([line, ""], ",", skip_spaces=True))
    if last > 1:
        raise BadRows("errors.baskets.open_quote", place=message("place.line", source=name, line=number))
    return cells


def is_no_item(name: str, form: TextForm) -> bool:
    """Tell whether a cell is a mark of the form, or empty."""
    return name in SPMF_MARKS if form == "spmf" else not name


def line_joiner(form: TextForm, names: Iterable[str]) -> Callable[[list[str]], str]:
    """Return a function from the names of a record's items to its line; names that would not be read again are refused.

    With commas, a name that has a comma or a quotation mark is quoted.
    """
    if form == "commas":
        quoted = {name: _quoted(name) for name in names if set(name) & set(',"')}
        return lambda record: ",".join(quoted.get(name, name) for name in record)
    bad = next((name for name in names if len(name.split()) != 1 or (form == "spmf" and name in SPMF_MARKS)), None)
    if bad is not None:
        separator = "-1" if form == "spmf" else message("errors.baskets.spaces")
        raise OptionNotUsable("errors.baskets.not_in_line", item=bad, separator=separator)
    return (" -1 " if form == "spmf" else " ").join


def _quoted(name: str) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([name])
    return text.getvalue()
