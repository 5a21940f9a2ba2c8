"""What may leave an engine: the one place where rows are fetched.

Three kinds of answers leave: numbers about a whole table (`total`), lines that are about at least `min_cell` people or
records each (`counts`), and single values and people (`people`), which an engine that does not show them refuses.
"""

from __future__ import annotations

from numbers import Number

from sudare.engine.protocol import Column, Row
from sudare.engine.small_counts import LeaveOut, Merge, Refuse, merge_small
from sudare.errors import NotOnEngine, OptionNotUsable
from sudare.messages import Message


class Gate:
    """The engine methods through which results leave it; the engine itself defines how rows are fetched."""

    name: str
    min_cell: int
    shows_people: bool

    def _fetch_rows(self, sql: str, most: int | None = None) -> list[Row]:
        """Fetch the rows of a query, all or the first `most`."""
        raise NotImplementedError

    def _fetch_columns(self, sql: str) -> dict[str, Column]:
        """Fetch the result of a query with one array per column; see the protocol for NULLs."""
        raise NotImplementedError

    def total(self, query: str) -> Row:
        """Return the single row of numbers of a query about a whole table."""
        found = self._fetch_rows(query, most=2)
        if len(found) != 1 or not all(cell is None or isinstance(cell, Number) for cell in found[0]):
            raise TypeError("A total is one row of numbers: ask `counts` for lines, and `people` for single values.")
        return found[0]

    def counts(self, lines: str, *, cell: str, small: LeaveOut | Refuse | Merge) -> list[Row]:
        """Return the rows of a query, each about at least `min_cell`."""
        _check_cell(cell)
        if isinstance(small, Merge):
            return self._merged(lines, cell, small)
        return self._fetch_rows(self._told(lines, cell, small))

    def count_columns(self, lines: str, *, cell: str, small: LeaveOut | Refuse) -> dict[str, Column]:
        """Return the same as `counts`, as one array per column."""
        _check_cell(cell)
        return self._fetch_columns(self._told(lines, cell, small))

    def check_people(self, what: str | Message) -> None:
        """Raise NotOnEngine if single values and people must stay on the engine."""
        if not self.shows_people:
            raise NotOnEngine("errors.engine.shows_no_people", engine=self.name, what=what)

    def people(self, query: str, what: str | Message) -> list[Row]:
        """Return the rows of a query about single values or people."""
        self.check_people(what)
        return self._fetch_rows(query)

    def people_columns(self, query: str, what: str | Message) -> dict[str, Column]:
        """Return the same as `people`, as one array per column."""
        self.check_people(what)
        return self._fetch_columns(query)

    def _told(self, lines: str, cell: str, small: LeaveOut | Refuse) -> str:
        """Return a query of the lines that may leave; none may where small ones are refused."""
        # What is about nobody knows how many is about too few.
        enough = f"coalesce({cell} >= {self.min_cell}, false)"
        if isinstance(small, LeaveOut):
            return f"SELECT * FROM ({lines}) WHERE {enough}"
        if self.min_cell > 1:
            few = small.few or f"sum({cell})"
            found, told = self.total(f"SELECT count(*), coalesce({few}, 0) FROM ({lines}) WHERE NOT {enough}")
            if found:
                raise small.error(int(told), self.min_cell)
        return lines

    def _merged(self, lines: str, cell: str, merge: Merge) -> list[Row]:
        told = lines
        if self.min_cell > 1:
            told = merge_small(lines, merge, cell=cell, least=self.min_cell)
        # Sorted here: for a few lines, an engine of many machines would need another exchange between them.
        rows = sorted(self._fetch_rows(f"SELECT {merge.columns} FROM ({told})"))
        if told != lines and self._is_untold(lines, merge, rows):
            raise OptionNotUsable("errors.engine.nothing_to_tell", least=self.min_cell)
        return rows

    def _is_untold(self, lines: str, merge: Merge, rows: list[Row]) -> bool:
        """Say whether a question has no answer, though there are lines, since none of these may leave."""
        if merge.of:
            return len({row[0] for row in rows}) < merge.questions
        return not rows and bool(self.total(f"SELECT count(*) FROM ({lines})")[0])


def _check_cell(cell: str) -> None:
    """Refuse what is not the name of a column, such as a number that any line would pass with."""
    if not cell.isidentifier():
        raise TypeError("How many a line is about is said by a column of the query.")
