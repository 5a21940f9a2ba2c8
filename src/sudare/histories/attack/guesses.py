"""An attacker's guesses F': which customer is behind a pseudonym.

Lines `pseudonym,customer`; Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import BadRows
from sudare.histories.generalized.blocks import open_text
from sudare.histories.generalized.complaints import (
    MOST_COMPLAINTS,
    SHOWN_COMPLAINTS,
    Complaint,
    ComplaintKind,
    Complaints,
    complaint_line,
    complaint_lines,
    shown,
)
from sudare.histories.generalized.model import CellHistory
from sudare.messages import Language, Message, Texts, message
from sudare.showing import dataclass
from sudare.sources.writing import LINES_ENDINGS, check_ending, whole_file

# More than two numbers of 64 bits with a comma: a longer line cannot be a guess, and is not held.
LONGEST_LINE_BYTES = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Guesses: guess i says that the pseudonym `pids[i]` is the customer `customers[i]`."""

    pids: NDArray[np.int64]
    customers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.pids)


@dataclass(frozen=True, slots=True, eq=False)
class ExaminedGuesses:
    """The guesses that follow the rules, what is wrong with the others, in order, and how many lines there are."""

    guesses: Guesses
    complaints: Complaints
    rows: int


@checked
def read_guesses(path: str | Path, original: CellHistory, published: CellHistory) -> Guesses:
    """Read guesses on a published history; an empty file is legal.

    Raises BadRows with the first ten lines that break the rules.
    """
    examiner, _ = _examine(path, original, published, Texts("en"), SHOWN_COMPLAINTS)
    total = sum(examiner.totals.values())
    if total:
        lines = complaint_lines(examiner.lines, total)
        raise BadRows("errors.attack.not_guesses", path=path, count=total, lines=lines)
    return examiner.guesses()


@checked
def write_guesses(guesses: Guesses, path: str | Path) -> None:
    """Write guesses, one per line, whole or not at all."""
    check_ending(Path(path), LINES_ENDINGS)
    pairs = zip(guesses.pids.tolist(), guesses.customers.tolist(), strict=True)
    with whole_file(Path(path)) as target:
        target.write_bytes(b"".join(b"%d,%d\n" % pair for pair in pairs))


def examine_guesses(
    path: str | Path,
    original: CellHistory,
    published: CellHistory,
    *,
    most_complaints: int = MOST_COMPLAINTS,
    language: Language = "en",
) -> ExaminedGuesses:
    """Read guesses and collect what is wrong.

    A pseudonym must occur in what is published, and only once in the guesses; a customer must occur in the original.
    """
    examiner, rows = _examine(path, original, published, Texts(language), most_complaints)
    return ExaminedGuesses(examiner.guesses(), Complaints(tuple(examiner.errors), examiner.totals), rows)


def _examine(
    path: str | Path, original: CellHistory, published: CellHistory, texts: Texts, most: int
) -> tuple[_Examiner, int]:
    """Return who took all lines of a file of guesses, and how many they are."""
    examiner = _Examiner(_written(published.persons), _written(original.persons), texts, most)
    row = 0
    with open_text(Path(path)) as file:
        for row, line in enumerate(_lines(file), start=1):
            examiner.take(row, line)
    return examiner, row


def _written(persons: NDArray[np.int64]) -> set[bytes]:
    return {b"%d" % person for person in np.unique(persons).tolist() if person}


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines with their ends; of one that is too long only the beginning."""
    while line := file.readline(LONGEST_LINE_BYTES):
        yield line
        rest = line
        while len(rest) == LONGEST_LINE_BYTES and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE_BYTES)


class _Examiner:
    """Takes the lines of a file of guesses one after another."""

    def __init__(self, pids: set[bytes], customers: set[bytes], texts: Texts, most: int) -> None:
        self._pids, self._customers, self._texts, self._most = pids, customers, texts, most
        self._first: dict[bytes, int] = {}
        self.pairs: list[tuple[int, int]] = []
        self.errors: list[Complaint] = []
        self.lines: list[Message] = []
        self.totals: dict[str, int] = {}

    def guesses(self) -> Guesses:
        """Return the guesses that follow the rules."""
        pids, customers = np.array(self.pairs, np.int64).reshape(-1, 2).T.copy()
        return Guesses(pids, customers)

    def take(self, row: int, line: bytes) -> None:
        """Check one line, with its end."""
        text = line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line
        cells = text.split(b",")
        if len(line) == LONGEST_LINE_BYTES and not line.endswith(b"\n"):
            self._complain(row, 1, "length", "length", text, most=f"{LONGEST_LINE_BYTES:,}")
        elif b"\r" in text:
            at = next(number for number, cell in enumerate(cells, start=1) if b"\r" in cell)
            self._complain(row, at, "newline", "newline", text)
        elif len(cells) != 2:
            self._complain(row, min(len(cells), 2) + 1, "columns", "columns" if text else "empty_line", text)
        else:
            self._take_pair(row, *cells)

    def _take_pair(self, row: int, pid: bytes, customer: bytes) -> None:
        good = self._known(row, 1, pid, self._pids, "pid")
        if good and self._first.setdefault(pid, row) != row:
            good = False
            self._complain(row, 1, "consistency", "twice", pid, since=f"{self._first[pid]:,}")
        if self._known(row, 2, customer, self._customers, "customer") and good:
            self.pairs.append((int(pid), int(customer)))

    def _known(self, row: int, cell: int, text: bytes, known: set[bytes], what: str) -> bool:
        if text in known:
            return True
        marked = row == 1 and cell == 1 and text.startswith(b"\xef\xbb\xbf")
        key = "byte_order_mark" if marked else f"{what}_unknown" if text.isdigit() else "digits"
        self._complain(row, cell, "invalid", key, text)
        return False

    def _complain(self, row: int, cell: int, kind: ComplaintKind, key: str, text: bytes, **values: str) -> None:
        self.totals[kind] = self.totals.get(kind, 0) + 1
        if len(self.errors) < self._most:
            told = message(f"guess.{key}", text=shown(text), **values)
            self.errors.append(Complaint(row, cell, kind, self._texts.say(told)))
            if len(self.lines) < SHOWN_COMPLAINTS:
                self.lines.append(complaint_line(row, cell, told))
