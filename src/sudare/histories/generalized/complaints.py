"""What is wrong in a text of generalized cells: row, cell, kind, the text, and what would be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sudare.histories.generalized.block import Block
from sudare.histories.generalized.item_names import shown_name
from sudare.histories.generalized.model import CellHistory, ItemColumn
from sudare.histories.generalized.rule_sets import RuleSet
from sudare.histories.generalized.values import written
from sudare.kernels.cells.problems import Problem
from sudare.messages import Joined, Message, Texts, message
from sudare.results import Result
from sudare.showing import dataclass

ComplaintKind = Literal["invalid", "must-cover", "consistency", "columns", "rows", "newline", "length"]
KINDS: tuple[ComplaintKind, ...] = get_args(ComplaintKind)
SHOWN_LETTERS = 40
# Complaints that are listed in the error about a file.
SHOWN_COMPLAINTS = 10
# Complaints that are kept with their message, enough for every cell of a history of 100,000 rows; all are counted.
MOST_COMPLAINTS = 500_000

_KIND_OF: dict[Problem, ComplaintKind] = {
    Problem.LENGTH: "length",
    Problem.NEWLINE: "newline",
    Problem.COLUMNS: "columns",
    Problem.PERSON_TAKEN: "consistency",
    Problem.CUSTOMER_TAKEN: "consistency",
    Problem.NOT_COVERED: "must-cover",
}
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Complaint(Result):
    """One violation: where (from 1), of which kind, and what would be right."""

    row: int
    cell: int
    kind: ComplaintKind
    message: str


@dataclass(frozen=True, slots=True)
class Complaints(Result):
    """What is wrong in a file, in order: the first complaints, and the number of each kind."""

    _rows = ("errors",)
    _row = Complaint

    errors: tuple[Complaint, ...] = ()
    totals: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of complaints, including those that are not listed."""
        return sum(self.totals.values())


def complaint_line(row: int, cell: int, told: Message) -> Message:
    """Return the line about a complaint in the error about a file."""
    return message("errors.cells.line", row=row, cell=cell, problem=told)


def complaint_lines(first: Sequence[Message], total: int) -> Joined:
    """Return the first lines about complaints, and one that says how many more there are."""
    more = [message("errors.cells.more", more=total - len(first))] if total > len(first) else []
    return Joined([*first, *more], "lines")


@dataclass(frozen=True, slots=True)
class Collector:
    """Collects complaints as blocks of a text are read; keeps the first `most` and counts all."""

    rules: RuleSet
    original: CellHistory | None
    texts: Texts
    most: int
    _errors: list[Complaint] = field(default_factory=list)
    _lines: list[Message] = field(default_factory=list)
    _totals: dict[str, int] = field(default_factory=dict)

    @property
    def room(self) -> int:
        """How many complaints can still be kept."""
        return self.most - len(self._errors)

    @property
    def empty(self) -> bool:
        """Whether nothing was wrong so far."""
        return not self._totals

    def add_block(self, block: Block, data: NDArray[np.uint8], *, before: int) -> None:
        """Add the problems of a block of bytes, given the number of rows read before it."""
        if not block.problems.any():
            return
        rows, cells = np.nonzero(block.problems)
        for number, total in enumerate(np.bincount(block.problems[rows, cells]).tolist()):
            if total:
                self._count(_kind_of(Problem(number)), total)
        for row, cell in zip(rows[: self.room], cells[: self.room], strict=True):
            found = _found(block, int(row), int(cell), before)
            text, part = (data[start:end].tobytes() for start, end in (found.text, found.part))
            key, values = self._told(found, text, part)
            self._keep(found.row + 1, found.cell + 1, _kind_of(found.problem), key, values)

    def add_rows(self, rows: int, most: int, *, exactly: bool) -> None:
        """Complain if there are more rows than the original has, or (exactly) fewer."""
        if rows > most or (exactly and rows < most):
            self._count("rows", 1)
            if self.room > 0:
                key = "complaint.rows" if exactly else "complaint.rows_more"
                self._keep(min(rows, most) + 1, 1, "rows", key, {"rows": f"{rows:,}", "original": f"{most:,}"})

    def complaints(self) -> Complaints:
        """Return what was collected."""
        return Complaints(tuple(self._errors), {kind: self._totals[kind] for kind in KINDS if kind in self._totals})

    def lines(self) -> Joined:
        """Return the first complaints, a line each, for the error about the whole file."""
        return complaint_lines(self._lines, sum(self._totals.values()))

    def _keep(self, row: int, cell: int, kind: ComplaintKind, key: str, values: Mapping[str, object]) -> None:
        self._errors.append(Complaint(row, cell, kind, self.texts(key, **values)))
        if len(self._lines) < SHOWN_COMPLAINTS:
            self._lines.append(complaint_line(row, cell, message(key, **values)))

    def _count(self, kind: str, number: int) -> None:
        self._totals[kind] = self._totals.get(kind, 0) + number

    def _told(self, found: _Found, text: bytes, part: bytes) -> tuple[str, dict[str, object]]:
        """Return the key of the text about a problem, and its values."""
        key = _text_problem(found, part) or found.problem.name.lower()
        if found.problem == Problem.COLUMNS and not text:
            key = "empty_line"
        values = {"text": shown(text), "part": shown(part), "columns": len(self.rules.columns)}
        return f"complaint.{key}", values | self._right(found)

    def _right(self, found: _Found) -> dict[str, object]:
        """Return what would be right, as far as the problem asks for it."""
        column = self.rules.columns[min(found.cell, len(self.rules.columns) - 1)]
        right: dict[str, object] = {
            "most_characters": f"{self.rules.most_characters:,}",
            "most_items": self.rules.most_items,
            "digits": column.digits,
            "cells": found.other,
            "since": f"{found.other + 1:,}",
            "partner": found.partner,
        }
        if column.form not in ("person", "item"):
            right |= {"low": written(column.low, column), "high": written(column.high, column)}
        if self.original is not None and _kind_of(found.problem) == "consistency":
            right["customer"] = int(self.original.persons[found.row])
        if self.original is not None and found.problem == Problem.NOT_COVERED:
            right["truth"] = self._truth(self.original, found)
        return right

    def _truth(self, original: CellHistory, found: _Found) -> str:
        rule = self.rules.columns[found.cell]
        column = original.column(rule.name)
        if isinstance(column, ItemColumn):
            return shown_name(column.names[int(column.sets[found.row])])
        return written(int(column.low[found.row]), rule)


@dataclass(frozen=True, slots=True)
class _Found:
    """A problem: where it is, in rows and cells from 0 and in bytes, and what else is known of it."""

    row: int
    cell: int
    problem: Problem
    text: tuple[int, int]
    part: tuple[int, int]
    other: int = 0
    partner: int = 0


def _found(block: Block, row: int, cell: int, before: int) -> _Found:
    problem = Problem(int(block.problems[row, cell]))
    if cell == block.problems.shape[1] - 1:
        at, start, end, cells = block.line_faults[row].tolist()
        return _Found(before + row, at, problem, (start, end), (start, end), cells)
    start, end = block.cuts[row, cell].item(), block.cuts[row, cell + 1].item() - 1
    first, second = block.faults[row, cell].tolist()
    if _kind_of(problem) == "consistency":
        return _Found(before + row, cell, problem, (start, end), (start, end), first, second)
    return _Found(before + row, cell, problem, (start, end), (first, second) if second else (start, end))


def _kind_of(problem: Problem) -> ComplaintKind:
    return _KIND_OF.get(problem, "invalid")


def _text_problem(found: _Found, part: bytes) -> str | None:
    """Return the key of a reason that lies in the bytes: marks, encoding, blanks, quotes."""
    if _kind_of(found.problem) != "invalid" or found.problem == Problem.ITEM:
        return None
    if found.row == 0 and found.cell == 0 and part.startswith(_BOM):
        return "byte_order_mark"
    if b"\0" in part:
        return "nul"
    try:
        letters = part.decode()
    except UnicodeDecodeError:
        return "encoding"
    if letters != letters.strip():
        return "blanks"
    return "quotes" if letters.startswith('"') else None


def shown(text: bytes) -> str:
    """Return bytes as they are shown in a message: quoted, odd characters escaped, not too long."""
    letters = text[: SHOWN_LETTERS * 4].decode(errors="backslashreplace")
    return repr(letters if len(letters) <= SHOWN_LETTERS else letters[:SHOWN_LETTERS] + "...")
