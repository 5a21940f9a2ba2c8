"""The interface of an engine to the rest of sudare.

There is one SQL text for all engines. Where their languages differ, each engine knows these words:

isodow(day)                 1 for Monday
explode(list)               a row for each element of a list; it stands in a SELECT of its own
list_extract(list, n)       the n-th of a list of whole numbers, from 1 on
normal(text)                in Unicode's form NFKC: full-width digits as digits, half-width kana as kana
trimmed(text)               without blanks at its ends: spaces of whatever script, tabs, line ends, invisible marks
read_number(text)           also with commas between groups of three digits, and with yen: ¥1,200, 1,200円
western_moment(text)        a day, with its time if it has one: year-first dates, ISO date-times, 20101201, Excel's days
                            (with an offset or a zone, +09:00 or Asia/Tokyo, the clock as written)
read_moment(text)           the same, and 2010年12月1日, 平成22年12月1日, H22.12.1: it takes much longer to plan
day_first(text)             31/12/2010 (also with dots or hyphens) with the year first: 2010-12-31; else NULL
month_first(text)           the same of 12/31/2010
read_moment_in(text, form)  the same in a form like '%d.%m.%Y'; with an offset (%z) the clock of UTC
has_offset(text)            whether something follows the time of a text: an offset, a time zone, or other text
clock_of(text, zone)        what the clock of a zone shows at a moment that is written with an offset or a zone
clock_in(moment, zone)      what the clock of a zone shows when that of UTC shows the moment
read_minute(text)           the minute of the day; a time with an offset is none, since its day is not known
day_number(day)             days since 1970
is_like(text, form)         whether a regular expression describes the whole text
text_at(texts, n)           the n-th of a list of texts, from 1 on
texts_in(texts)             how many texts a list has
joined(texts)               the texts of a list in order, with semicolons between them
digest_part(text, n)        the n-th 60 bits, from 0 to 3, of the SHA-256 of a text

What cannot be read is NULL. Of the arrays that leave an engine (`count_columns`, `people_columns`) a NULL is NaN where
the others are numbers, which are then floating point, NaT among dates and moments, and None among texts and truth
values; no array is masked. A moment with a time zone is as the clock of UTC shows it, whatever machine this is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from sudare.engine.small_counts import LeaveOut, Merge, Refuse
from sudare.messages import Message

Row = tuple[Any, ...]

# The one time zone of all engines: what is a day must not depend on the machine.
ZONE = "UTC"
# What is trimmed from the ends of cells: all that is white in Unicode, and three marks that nobody sees.
BLANKS = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000\u200b\u2060\ufeff"
)
# Where a time is followed by anything, that says of which zone its clock is (Z, +09, +09:00:00, EST, Asia/Tokyo), or
# the text is not a time.
OFFSET = ":[0-9.]*[^0-9:.]"
# A date with the year last, divided by one of / . - and perhaps followed by a time.
YEAR_LAST = "^([0-9]{1,2})(/([0-9]{1,2})/|[.]([0-9]{1,2})[.]|-([0-9]{1,2})-)([ ]?)([0-9]{4})((?:[ T].*)?)$"
# Rows for which a part is worth a task of its own.
PART_ROWS = 10_000
Column = np.ndarray[Any, np.dtype[Any]]
_numbers = itertools.count(1)
PartFunction = Callable[[Mapping[str, Column]], Mapping[str, Column]]


@runtime_checkable
class Engine(Protocol):
    """A place that holds tables and answers SQL; only what `sudare.engine.gate` lets out leaves it.

    `name` is what people call it. `min_cell` is the smallest count that may leave it (1: any). `shows_people` says
    whether single values and people may be looked at, or counts only. `record_number` is an expression that numbers
    the rows of a source. `grouped_rows` is up to how many rows several questions are to be put into one query: 0 where
    a query costs no more than its rows. `parts` is into how many parts rows that lie together are divided, for as many
    tasks.
    """

    name: str
    min_cell: int
    shows_people: bool
    record_number: str
    grouped_rows: int
    parts: int

    def keep(self, table: str, query: str, *, number: str = "", order: str = "", near: str = "") -> None:
        """Make a table of the result of a query, in place of one that has the name.

        With an `order`, in which no two rows may have the same place, there is one column more: `number`, the place of
        each row, from 1. Rows with the same value of the column `near` lie together: then a query that groups by it,
        and more, is answered part by part.
        """

    def keep_mapped(self, table: str, query: str, *, part: str, columns: str, function: PartFunction) -> None:
        """Make a table of what a function makes of the rows of a query, those with the same `part` at a time.

        `columns` are the names and types of what it makes. On a cluster it runs where the rows are, so that it must be
        one of a module.
        """

    def hold(self, table: str, query: str) -> None:
        """Make a table of the rows of a source; an engine that can read the source again may do so instead."""

    def drop(self, *tables: str) -> None:
        """Forget tables, and what was attached, as far as they are there."""

    def total(self, query: str) -> Row:
        """Answer a query about a whole table by its one row of numbers: how many, how much, the largest.

        A NULL is None. More rows than one, or a text, are a mistake of the caller's: TypeError.
        """

    def counts(self, lines: str, *, cell: str, small: LeaveOut | Refuse | Merge) -> list[Row]:
        """Answer a query with its lines, each about at least `min_cell` people or records.

        The column `cell` says how many a line is about; `small` what becomes of lines that are about fewer. A line
        that does not say it is about too few.
        """

    def count_columns(self, lines: str, *, cell: str, small: LeaveOut | Refuse) -> dict[str, Column]:
        """Answer as `counts` does, with one array per column."""

    def check_people(self, what: str | Message) -> None:
        """Raise NotOnEngine where single values and people must stay on the engine: to be asked before long work."""

    def people(self, query: str, what: str | Message) -> list[Row]:
        """Answer a query about single values or people; an engine that shows none raises NotOnEngine, naming `what`."""

    def people_columns(self, query: str, what: str | Message) -> dict[str, Column]:
        """Answer as `people` does, with one array per column."""

    def describe(self, table: str) -> dict[str, str]:
        """Return the columns of a table or table expression and their SQL types."""

    def in_order(self, numbers: Sequence[str]) -> str:
        """Return an expression for the list of some numbers, the smallest first."""

    def attach(self, table: str, rows: Mapping[str, Column] | object) -> None:
        """Make a table of arrays of equal length, or a dataframe readable under a name, without copying it."""

    def hold_lines(self, table: str, source: str | Path) -> None:
        """Make a table of the lines of a text in UTF-8, or of a folder of texts in the order of their names.

        `row` counts them from 1, blank ones left out. A `line` that cannot be a row of cells may be NULL.
        """

    def csv(self, path: Path, *, columns: Sequence[str], delimiter: str, header: bool) -> str:
        """Return a table expression that reads a UTF-8 CSV file as text; broken lines go to `rejected_lines`.

        The path is a name, whatever characters it has: an engine that takes some for a pattern or an address is told.
        """

    def parquet(self, path: Path) -> str:
        """Return a table expression that reads a Parquet file or a folder of them; others are SourceNotReadable."""

    def find(self, name: str, /) -> str | None:
        """Return a table expression for a name that only the engine knows: a table of a catalog, an address."""

    def rejected_lines(self) -> list[tuple[int, Message]]:
        """Return byte position and reason of the lines `csv` could not split into columns, in order."""

    def write(self, query: str, path: Path, /) -> None:
        """Write a query's result to a CSV or Parquet file, by its ending; an engine that shows no people refuses."""

    def close(self) -> None:
        """Give back memory and temporary files."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def is_worth_gathering(engine: Engine, rows: int, values: int) -> bool:
    """Say whether rows, and the values of the column by which they are to lie together, occupy all parts."""
    return 1 < engine.parts <= min(values, rows // PART_ROWS)


def fresh_name(kind: str) -> str:
    """Return a name for a table that no other of this process has: the kind, and a number."""
    return f"{kind}{next(_numbers)}"


def quote_name(name: str) -> str:
    """Quote a column or table name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text value for SQL, where a parameter cannot stand."""
    return "'" + text.replace("'", "''") + "'"
