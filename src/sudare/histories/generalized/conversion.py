"""Purchase histories of any format as histories of cells, and back: for publication, or row by row.

A contest's file (no header, as many cells a row as the rules have) is read and written by the rules of the contest. Of
any other CSV, Parquet or Excel file the columns of customer, day, item, price and quantity are found as
`sudare.read_history` finds them. A day loses its time; the time of day, invoices and unknown columns are not published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.engine import Engine, engine_or_own
from sudare.errors import BadRows, OutputNotWritable
from sudare.histories.generalized.coverage import is_row_by_row
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, OrderedColumn, OrderedForm
from sudare.histories.generalized.parquet import read_cells_parquet, write_cells_parquet
from sudare.histories.generalized.rule_sets import MOST_VALUE, ColumnRule, RuleSet, load_rules
from sudare.histories.generalized.text import (
    format_rows,
    read_anonymized,
    read_original,
    read_published,
    read_valid_anonymized,
    write_cells,
)
from sudare.histories.generalized.written_text import cell_texts, read_written_text
from sudare.messages import Joined, Language, Message, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.local.files import check_readable, find_files
from sudare.sources.local.packed import is_packed
from sudare.sources.local.prepared import is_excel, is_parquet
from sudare.sources.purchases.load import PurchaseForm, RowsInOrder, read_rows_in_order
from sudare.sources.purchases.rules import RULES, Rule
from sudare.sources.readings import Reading
from sudare.sources.text import MOST_LINE_BYTES, csv_line, csv_rows, looks_like_header
from sudare.sources.writing import HISTORY_ENDINGS, check_ending, keeps_inputs, whole_file

# Hundredths in a unit of a decimal column.
_HUNDREDTHS = 100
_PERSON_DIGITS = 9
# What cells must be beyond what any history must: an error is measured from a known value that can be written.
_CELL_RULES = (
    Rule(
        "item", message("errors.rows.reason.item_unwritable"),
        "item = '*' OR item LIKE '%;%' OR item LIKE '%{%' OR item LIKE '%}%'",
    ),
    Rule("price", message("errors.rows.reason.price_missing"), "price IS NULL"),
    Rule("price", message("errors.rows.reason.price_large"), f"price > {MOST_VALUE // _HUNDREDTHS}"),
    Rule("quantity", message("errors.rows.reason.quantity_missing"), "quantity IS NULL"),
    Rule("quantity", message("errors.rows.reason.quantity_large"), f"quantity > {MOST_VALUE // _HUNDREDTHS}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class HistoryRows:
    """The rows of a history in source order, each cell a single value.

    `rules` describe its columns, so that everything that works on contest histories works on it. In a contest file
    persons have their own numbers; elsewhere they are numbered from 1 by their names in `customers`, and `header` has
    the column names. `reading` says how that file was read, `remarks` what is changed or not published.
    """

    history: CellHistory
    rules: RuleSet
    header: tuple[str, ...] = ()
    customers: tuple[str, ...] = field(default=(), repr=False)
    reading: Reading | None = None
    remarks: tuple[Message, ...] = ()

    @property
    def sha256(self) -> str | None:
        """The hash of the file that was read, if there was one."""
        if self.reading is not None:
            return self.reading.sha256
        return self.history.file.sha256() if self.history.file else None

    @property
    def of_contest(self) -> bool:
        """Whether this is a contest file: cells without a header."""
        return not self.header

    @checked
    @keeps_inputs()
    def write_aligned(self, history: CellHistory, path: str | Path) -> None:
        """Write an anonymized history row by row, whole or not at all: a secret file that links rows to people.

        Row i belongs to row i of this history, so only its owner may read the file. A deleted row has * in every cell.
        A .parquet file is Parquet. For a contest history, a .csv or .txt file has the contest's lines; for any other it
        is CSV with a header. The file is read back and compared before it gets its name.
        """
        path = Path(path)
        check_ending(path, HISTORY_ENDINGS)
        with whole_file(path, private=True) as target:
            if path.suffix.lower() == ".parquet":
                self._write_parquet(target, history)
            elif self.of_contest:
                write_cells(history, target, self.rules)
                read = read_anonymized(target, self.history, self.rules).history
                _check_read(format_rows(read, self.rules), format_rows(history, self.rules))
            else:
                self._write_text(target, self._rows(history))

    @checked
    @keeps_inputs()
    def publish(self, history: CellHistory, path: str | Path) -> int:
        """Write what may be published of an anonymized history: sorted lines, no deleted rows. Return the row count.

        The file is read back and compared before it gets its name.
        """
        path = Path(path)
        check_ending(path, HISTORY_ENDINGS)
        left = history.taken(np.flatnonzero(~history.deleted))
        with whole_file(path) as target:
            if path.suffix.lower() == ".parquet":
                rows = self._rows(left)
                order = sorted(range(len(rows)), key=rows.__getitem__)
                self._write_parquet(target, left.taken(np.asarray(order, np.int64)))
            elif self.of_contest:
                self._publish_contest(target, left)
            else:
                self._write_text(target, sorted(self._rows(left)))
        return len(left)

    @checked
    def read_aligned(self, path: str | Path, *, progress: Progress = silent) -> CellHistory:
        """Read an anonymized history whose row i belongs to row i of this one: a contest's A, CSV text or Parquet.

        Raises BadRows if it does not cover the original row by row.
        """
        path = Path(path)
        check_readable(path)
        if self.of_contest and not is_parquet(path):
            return read_valid_anonymized(path, self.history, self.rules, progress=progress)
        found = self._read_cells(path)
        if not is_row_by_row(self.history, found):
            raise BadRows("errors.written_cells.not_row_by_row", path=path)
        return found

    @checked
    def read_published(self, path: str | Path, *, progress: Progress = silent) -> CellHistory:
        """Read a published history with rows in any order: contest lines, CSV text or Parquet."""
        path = Path(path)
        check_readable(path)
        if self.of_contest and not is_parquet(path):
            return read_published(path, self.history, self.rules, progress=progress)
        return self._read_cells(path)

    @checked
    def own_names(self, history: CellHistory) -> int:
        """Return how many pseudonyms of an anonymized form are what their customer is called in the source."""
        kept = np.flatnonzero(~history.deleted)
        pids, first = np.unique(history.persons[kept], return_index=True)
        numbers = self.history.persons[kept][first]
        names = [self.customers[number - 1] if self.customers else str(number) for number in numbers.tolist()]
        return sum(str(pid) == name for pid, name in zip(pids.tolist(), names, strict=True))

    @checked
    def published_rows(self, history: CellHistory) -> list[tuple[str, ...]]:
        """Return the published rows of an anonymized history as text, in publication order."""
        return sorted(self._rows(history.taken(np.flatnonzero(~history.deleted))))

    def _read_cells(self, path: Path) -> CellHistory:
        if is_parquet(path):
            return read_cells_parquet(path, self.history)
        return read_written_text(path, self.history, self.header)

    def _publish_contest(self, target: Path, left: CellHistory) -> None:
        lines = sorted(b"".join(format_rows(left, self.rules)).splitlines(keepends=True))
        target.write_bytes(b"".join(lines))
        read = b"".join(format_rows(read_published(target, self.history, self.rules), self.rules))
        _check_read(read.splitlines(keepends=True), lines)

    def _write_parquet(self, target: Path, history: CellHistory) -> None:
        write_cells_parquet(history, target)
        _check_read(self._rows(read_cells_parquet(target, self.history)), self._rows(history))

    def _write_text(self, target: Path, rows: Sequence[tuple[str, ...]]) -> None:
        lines = [self.header, *rows]
        target.write_text("".join(map(csv_line, lines)), encoding="utf-8", newline="")
        with target.open(encoding="utf-8", newline="") as file:
            _check_read([tuple(cells) for _, cells in csv_rows(file, ",")], lines)

    def _rows(self, history: CellHistory) -> list[tuple[str, ...]]:
        persons = ["*" if person == 0 else str(person) for person in history.persons.tolist()]
        return list(zip(persons, *(cell_texts(column) for column in history.columns), strict=True))


@checked
def read_history_rows(
    source: object,
    *,
    rules: RuleSet | None = None,
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    date_format: str | None = None,
    time_zone: str | None = None,
    missing_values: Mapping[str, Sequence[str]] | None = None,
    bad_rows: Literal["refuse", "drop"] = "refuse",
    rejects: str | Path | None = None,
    language: Language = "en",
    engine: Engine | None = None,
    progress: Progress = silent,
) -> HistoryRows:
    """Read a history row by row, as exact cells, from a contest file or any source that `read_history` accepts.

    A file is read as a contest file if no options describe its format, it has no header, and its first line has as many
    cells as the rules have columns. The options are those of `read_history`. The price and quantity columns may be
    missing, but single values may not: rows without them are bad, and so are rows whose item cannot be written in a
    set. Prices are rounded to hundredths, and so are quantities unless all are whole numbers.
    """
    form = PurchaseForm(
        delimiter=delimiter, header=header, encoding=encoding, sheet=sheet, table=table, time_zone=time_zone,
        columns=columns or {}, date_format=date_format, missing_values=missing_values or {}, bad_rows=bad_rows,
        rejects=rejects, language=language,
    )  # fmt: skip
    with engine_or_own(engine, source) as place:
        return rows_of_source(source, form, rules=rules, engine=place, progress=progress)


def rows_of_source(
    source: object, form: PurchaseForm, *, engine: Engine, rules: RuleSet | None = None, progress: Progress = silent
) -> HistoryRows:
    """Read a history row by row; see `read_history_rows`."""
    rules = rules or load_rules()
    files = find_files(source) if isinstance(source, str | Path) else []
    plain = replace(form, rejects=None, language="en") == PurchaseForm()
    if len(files) == 1 and plain and _is_contest_file(files[0], rules):
        return HistoryRows(read_original(files[0], rules, progress=progress), rules)
    return _history_rows(
        read_rows_in_order(source, form, (*RULES, *_CELL_RULES), engine=engine, progress=progress), rules
    )


def rows_of_cells(history: CellHistory, rules: RuleSet | None = None) -> HistoryRows:
    """Return a history of exact cells with rules that describe its columns; it is published as a contest's file is."""
    return HistoryRows(history, _rules_of(history, rules or load_rules()))


def _is_contest_file(path: Path, rules: RuleSet) -> bool:
    check_readable(path)
    if is_parquet(path) or is_excel(path) or is_packed(path):
        return False
    with path.open("rb") as file:
        cells = file.readline(MOST_LINE_BYTES).decode("utf-8", "replace").strip().split(",")
    return len(cells) == len(rules.columns) and not looks_like_header(cells)


def _history_rows(rows: RowsInOrder, rules: RuleSet) -> HistoryRows:
    names, persons = _numbered(rows.values["customer"])
    found: list[Column] = [_ordered("date", "date", np.asarray(rows.values["day"], np.int64)), _items(rows)]
    remarks: list[Message] = []
    if rows.unused:
        remarks.append(message("remarks.not_published", columns=Joined(rows.unused, "comma")))
    for name in ("price", "quantity"):
        if name in rows.values:
            column, rounded = _numbers(name, np.asarray(rows.values[name], np.float64))
            found.append(column)
            if rounded:
                remarks.append(message("remarks.rounded", column=message(f"part.{name}"), count=rounded))
    if rows.reading.dropped_rows:
        remarks.append(message("remarks.dropped_not_written"))
    roles = ("customer", "day", "item", *(column.name for column in found[2:]))
    header = tuple(_name(rows.reading, role) for role in roles)
    history = CellHistory(persons + 1, tuple(found), (rows.reading.source,)).in_file(rows.reading.source)
    return HistoryRows(history, _rules_of(history, rules), header, names, rows.reading, tuple(remarks))


def _name(reading: Reading, role: str) -> str:
    """Return the name of the column of a role; columns of a file without a header have positions for names."""
    name = reading.columns[role]
    return role if name.isdecimal() else name


def _numbered(values: Iterable[object]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the different names in order, and the number of each value."""
    texts = [str(value) for value in values]
    names = tuple(sorted(set(texts)))
    numbers = {name: number for number, name in enumerate(names)}
    return names, np.fromiter((numbers[text] for text in texts), np.int64, len(texts))


def _items(rows: RowsInOrder) -> ItemColumn:
    names, numbers = _numbered(rows.values["item"])
    single = np.arange(len(names) + 1)
    return ItemColumn(
        "item", np.zeros(len(numbers), np.uint8), numbers.astype(np.int32), single, single[:-1].astype(np.int32), names
    )


def _ordered(name: str, form: OrderedForm, values: NDArray[np.int64]) -> OrderedColumn:
    return OrderedColumn(name, form, np.zeros(len(values), np.uint8), values, values)


def _numbers(name: str, values: NDArray[np.float64]) -> tuple[OrderedColumn, int]:
    """Return a column of prices or quantities and in how many rows they were rounded."""
    if name == "quantity" and (values == np.floor(values)).all():
        return _ordered(name, "integer", values.astype(np.int64)), 0
    scaled = values * _HUNDREDTHS
    whole = np.rint(scaled)
    # A decimal number read as a floating point one is off by some of its last digits.
    rounded = np.abs(scaled - whole) > 1e-9 * np.maximum(np.abs(scaled), 1)
    return _ordered(name, "decimal", whole.astype(np.int64)), int(rounded.sum())


def _rules_of(history: CellHistory, contest: RuleSet) -> RuleSet:
    """Return the rules that the columns follow; limits of sets and lines and the test of attacks are the contest's."""
    columns = [ColumnRule("customer", "person", digits=_PERSON_DIGITS)]
    for column in history.columns:
        if isinstance(column, ItemColumn):
            columns.append(ColumnRule(column.name, "item"))
        else:
            low, high = int(column.low.min()), int(column.high.max())
            columns.append(ColumnRule(column.name, column.form, low, high, separator="-"))
    return RuleSet(
        "history", tuple(columns), contest.most_items, contest.most_characters, contest.p, contest.alpha,
        contest.attacks,
    )  # fmt: skip


def _check_read(read: Iterable[object], written: Iterable[object]) -> None:
    """Make sure that what was read again is what was written."""
    if list(read) != list(written):
        raise OutputNotWritable("errors.cells.not_as_written")
