"""Bad rows: one example per reason, and all of them unchanged in a file."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sudare.engine import Engine, fresh_name
from sudare.errors import BadRows
from sudare.messages import Joined, Message, Texts, message
from sudare.showing import dataclass
from sudare.sources.opening import Source
from sudare.sources.options import SourceOptions
from sudare.sources.readings import Dropped
from sudare.sources.text import csv_line, csv_rows
from sudare.sources.writing import REJECTS_ENDINGS, check_ending, protected, whole_file

# What an engine that shows no people does not show.
SINGLE_ROWS = message("errors.people.rows")
SHOWN_CELL_LETTERS = 40
# The reason and the column of a line that does not divide into the columns.
BROKEN_LINE = message("errors.rows.reason.broken_line")
_CHUNK_ROWS = 10_000

Rejected = tuple[int, str, Message, Sequence[str | None]]


@dataclass(frozen=True, slots=True)
class Problem:
    """What can be wrong with a row, and the place of the column in which it is."""

    place: int
    reason: Message


@dataclass(frozen=True, slots=True)
class BadRowsFound:
    """The rows of a source that cannot be used.

    `query` gives `record` (from 1, in the order of the source) and `problem` for each, the number of its problem in
    `problems` from 1. `broken` are the lines that did not divide into the columns, with what is wrong.
    """

    engine: Engine
    source: Source
    query: str
    problems: Sequence[Problem]
    broken: Mapping[int, Message]

    def examples(self, dropped: Sequence[Dropped]) -> Joined:
        """Say for each reason how many rows there are, and where the first of them is, if people may be shown."""
        first = self._first_rows() if self.engine.shows_people else {}
        lines = []
        for part in dropped:
            told = {"count": part.rows, "column": part.column, "reason": part.reason}
            if not part.column and self.broken:
                row, why = next(iter(sorted(self.broken.items())))
                lines.append(message("errors.rows.line_example", where=self.source.where(row), problem=why, **told))
            elif (part.reason.key, part.column) in first:
                lines.append(message("errors.rows.example", first=first[part.reason.key, part.column], **told))
            else:
                lines.append(message("errors.rows.no_example", **told))
        return Joined(lines, "lines")

    def first_value(self, reason: Message) -> str | None:
        """Return the cell of the first row that is bad for a reason."""
        return next((value for problem, _, value in self._first_cells() if problem.reason is reason), None)

    def _first_rows(self) -> dict[tuple[str, str], Message]:
        """Say where the first row of each problem is, and what stands there."""
        first: dict[tuple[str, str], Message] = {}
        for problem, row, value in self._first_cells():
            where = self.source.where(row)
            told = where if _is_blank(value) else message("errors.rows.cell", where=where, value=_shortened(value))
            first.setdefault((problem.reason.key, self.source.columns[problem.place]), told)
        return first

    def _first_cells(self) -> list[tuple[Problem, int, str]]:
        """Return for each problem the first row that has it, and its cell."""
        cells = self._cells()
        found = self.engine.people(
            f"SELECT problem, record, {', '.join(f'c{n}' for n in range(len(cells)))} FROM "
            f"(SELECT problem, min(record) AS record FROM ({self.query}) GROUP BY problem) JOIN {self._raw(cells)} "
            "USING (record) ORDER BY record",
            SINGLE_ROWS,
        )
        places = self.source.rows_of([record for _, record, *_ in found], self.broken)
        problems = [self.problems[number - 1] for number, *_ in found]
        return [
            (problem, places[record], values[problem.place] or "")
            for problem, (_, record, *values) in zip(problems, found, strict=True)
        ]

    def _cells(self) -> list[str]:
        return [f"CAST({cell} AS VARCHAR) AS c{number}" for number, cell in enumerate(self.source.expressions)]

    def _raw(self, cells: Sequence[str]) -> str:
        # The scan keeps the order of the source, so counting its rows gives their places.
        return f"(SELECT row_number() OVER () AS record, {', '.join(cells)} FROM {self.source.table})"

    def write(self, path: Path, texts: Texts) -> None:
        """Write all these rows, as they were, with row, column and reason; only its owner may read the file."""
        self.engine.check_people(SINGLE_ROWS)
        name = fresh_name("rejects")
        self.engine.keep(name, f"SELECT * FROM ({self.query}) JOIN {self._raw(self._cells())} USING (record)")
        names = [self.source.name, *self.source.files]
        try:
            with (
                protected(names),
                whole_file(path, private=True) as target,
                target.open("w", encoding="utf-8", newline="") as file,
            ):
                titles = (texts(f"errors.rows.title.{title}") for title in ("row", "column", "reason"))
                file.write(csv_line([*titles, *self.source.columns]))
                rows = heapq.merge(self._bad_rows(name), self._broken_rows(), key=lambda row: row[0])
                file.writelines(csv_line(self._written(row, texts)) for row in rows)
        finally:
            self.engine.drop(name)

    def _written(self, row: Rejected, texts: Texts) -> list[str]:
        number, column, reason, cells = row
        where = self.source.own_row(number)
        return [where, column, texts.say(reason), *("" if cell is None else cell for cell in cells)]

    def _bad_rows(self, name: str) -> Iterator[Rejected]:
        """Yield the rows that break a rule, a part at a time."""
        found = self.engine.people(f"SELECT record FROM {name} ORDER BY record", SINGLE_ROWS)
        records = [record for (record,) in found]
        places = self.source.rows_of(records, self.broken)
        for start in range(0, len(records), _CHUNK_ROWS):
            part = records[start : start + _CHUNK_ROWS]
            cells = ", ".join(f"c{number}" for number in range(len(self.source.columns)))
            query = f"SELECT record, problem, {cells} FROM {name} WHERE record BETWEEN {part[0]} AND {part[-1]}"
            for record, number, *values in self.engine.people(f"{query} ORDER BY record", SINGLE_ROWS):
                problem = self.problems[number - 1]
                yield places[record], self.source.columns[problem.place], problem.reason, values

    def _broken_rows(self) -> Iterator[Rejected]:
        """Yield the lines that do not divide into the columns, with the cells that they have."""
        text = self.source.text
        if not self.broken or text is None or text.form is None:
            return
        with text.file.open(encoding="utf-8-sig", newline="") as file:
            start = 1
            for last, cells in csv_rows(file, text.form.delimiter):
                if start in self.broken:
                    yield start, "", self.broken[start], cells
                start = last + 1


def check_rejects(options: SourceOptions, engine: Engine) -> None:
    """Refuse, before any work, a file for rejected rows of another ending, or on an engine that shows no rows."""
    if options.rejects is not None:
        check_ending(Path(options.rejects), REJECTS_ENDINGS)
        engine.check_people(SINGLE_ROWS)


def write_rejects(found: BadRowsFound, options: SourceOptions) -> None:
    """Write the rows that cannot be used, if that was asked for; a file without any is written too."""
    if options.rejects is not None:
        found.write(Path(options.rejects), Texts(options.language))


def refused_rows(
    found: BadRowsFound, dropped: Sequence[Dropped], options: SourceOptions, *, dates: Message | str = ""
) -> BadRows:
    """Return the error about rows that cannot be used: an example for each reason, and what to do."""
    told = {
        "name": found.source.name, "count": sum(part.rows for part in dropped), "examples": found.examples(dropped),
        "dates": dates,
    }  # fmt: skip
    if options.rejects is not None:
        return BadRows("errors.rows.refused_and_written", path=options.rejects, **told)
    return BadRows("errors.rows.refused", **told)


def _is_blank(value: str) -> bool:
    return not value.strip()


def _shortened(value: str) -> str:
    return value if len(value) <= SHOWN_CELL_LETTERS else value[:SHOWN_CELL_LETTERS] + "..."


def dropped_rows(reasons: Iterable[tuple[Message, str, int]], broken: Mapping[int, Message]) -> list[Dropped]:
    """Return what is left out: broken lines first, then rows by reason and column."""
    found = [Dropped(BROKEN_LINE, "", len(broken))] if broken else []
    return [*found, *(Dropped(reason, column, rows) for reason, column, rows in reasons if rows)]
