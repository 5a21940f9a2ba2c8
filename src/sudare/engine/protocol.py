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
    """A place that stores tables and answers SQL; results leave it only through `sudare.engine.gate`.

    `name` is its name for users. `min_cell` is the smallest count that may leave it (1: any). `shows_people` says
    whether single values and people may be fetched, or only counts. `record_number` is an expression that numbers the
    rows of a source. `grouped_rows` is the number of rows up to which several questions should share one query: 0 where
    a query costs no more than its rows. `parts` is the number of parts, and so of tasks, into which rows stored
    together are divided.
    """

    name: str
    min_cell: int
    shows_people: bool
    record_number: str
    grouped_rows: int
    parts: int

    def keep(self, table: str, query: str, *, number: str = "", order: str = "", near: str = "") -> None:
        """Store the result of a query as a table, replacing one of that name.

        An `order`, which must not have ties, adds a column `number` with the position of each row, from 1. Rows with
        the same value of the column `near` are stored together: a query that groups by it, and more, is then answered
        part by part.
        """

    def keep_mapped(self, table: str, query: str, *, part: str, columns: str, function: PartFunction) -> None:
        """Store what a function makes of the rows of a query as a table; rows with the same `part` are passed together.

        `columns` are the names and types of the result. On a cluster the function runs where the rows are, so it must
        belong to a module.
        """

    def hold(self, table: str, query: str) -> None:
        """Store the rows of a source as a table; an engine that can read the source again may do that instead."""

    def drop(self, *tables: str) -> None:
        """Drop tables and attached data that exist."""

    def total(self, query: str) -> Row:
        """Return the single row of numbers of a query about a whole table: how many, how much, the largest.

        A NULL is None. More than one row, or a text, is a mistake of the caller: TypeError.
        """

    def counts(self, lines: str, *, cell: str, small: LeaveOut | Refuse | Merge) -> list[Row]:
        """Return the rows of a query, each about at least `min_cell` people or records.

        The column `cell` says how many people or records a row is about, `small` what to do with rows about fewer. A
        row without that number counts as too small.
        """

    def count_columns(self, lines: str, *, cell: str, small: LeaveOut | Refuse) -> dict[str, Column]:
        """Return the same as `counts`, as one array per column."""

    def check_people(self, what: str | Message) -> None:
        """Raise NotOnEngine if single values and people must stay on the engine; call it before long work."""

    def people(self, query: str, what: str | Message) -> list[Row]:
        """Return the rows of a query about single values or people, or raise NotOnEngine, naming `what`."""

    def people_columns(self, query: str, what: str | Message) -> dict[str, Column]:
        """Return the same as `people`, as one array per column."""

    def describe(self, table: str) -> dict[str, str]:
        """Return the columns of a table or table expression and their SQL types."""

    def in_order(self, numbers: Sequence[str]) -> str:
        """Return an expression for a sorted list of numbers, smallest first."""

    def attach(self, table: str, rows: Mapping[str, Column] | object) -> None:
        """Make arrays of equal length or a dataframe readable under a table name, without copying."""

    def hold_lines(self, table: str, source: str | Path) -> None:
        """Store the lines of a UTF-8 text file, or of the text files in a folder in name order, as a table.

        `row` numbers them from 1, without blank lines. A `line` that cannot be a row of cells may be NULL.
        """

    def csv(self, path: Path, *, columns: Sequence[str], delimiter: str, header: bool) -> str:
        """Return a table expression that reads a UTF-8 CSV file as text; broken lines go to `rejected_lines`.

        The path is always a literal name: an engine that takes some characters for a pattern or an address escapes
        them.
        """

    def parquet(self, path: Path) -> str:
        """Return a table expression that reads a Parquet file or a folder of them, or raise SourceNotReadable."""

    def find(self, name: str, /) -> str | None:
        """Return a table expression for a name that only the engine knows: a catalog table, an address."""

    def rejected_lines(self) -> list[tuple[int, Message]]:
        """Return byte position and reason of the lines that `csv` could not split into columns, in order."""

    def write(self, query: str, path: Path, /) -> None:
        """Write a query's result to a CSV or Parquet file, by its ending; an engine that shows no people refuses."""

    def close(self) -> None:
        """Release memory and temporary files."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def is_worth_gathering(engine: Engine, rows: int, values: int) -> bool:
    """Return whether rows, and the values of the column that groups them, are enough to occupy all parts."""
    return 1 < engine.parts <= min(values, rows // PART_ROWS)


def fresh_name(kind: str) -> str:
    """Return a table name that is unique in this process: the kind, and a number."""
    return f"{kind}{next(_numbers)}"


def quote_name(name: str) -> str:
    """Quote a column or table name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text value for SQL, where a parameter cannot stand."""
    return "'" + text.replace("'", "''") + "'"
