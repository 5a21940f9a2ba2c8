"""Histories of generalized cells in contest text format: reading, checking and writing.

The format is that of Hamada et al.: Report on the anonymization and re-identification contest PWSCUP 2018: a line a
row, cells divided by commas, `*` for a deleted cell, `[low;high]` for a range, `{a;b}` for a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import BadRows, SourceNotReadable
from sudare.histories.generalized.block import ALONE, ANONYMIZED, ORIGINAL, PUBLISHED, Mode
from sudare.histories.generalized.blocks import BlockReader, check_fits, open_text
from sudare.histories.generalized.complaints import MOST_COMPLAINTS, SHOWN_COMPLAINTS, Collector, Complaints
from sudare.histories.generalized.item_names import name_bytes
from sudare.histories.generalized.model import CellHistory, ItemColumn
from sudare.histories.generalized.rule_sets import MOST_CHARACTERS, RuleSet, load_rules
from sudare.kernels.cells.format import VALUE_BYTES, join_names, write_rows
from sudare.kernels.cells.values import FORMS
from sudare.messages import Language, Texts, message
from sudare.progress import Progress, silent
from sudare.showing import dataclass
from sudare.sources.writing import LINES_ENDINGS, check_ending, keeps_inputs, whole_file

WRITTEN_ROWS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class ParsedCells:
    """An anonymized history and what is wrong with it.

    It has as many rows as the original. A malformed cell is deleted, and so is a row that has no pseudonym, cannot be
    split into cells, or is missing. `rows` counts the rows of the file.
    """

    history: CellHistory
    complaints: Complaints
    rows: int


@checked
def read_original(path: str | Path, rules: RuleSet | None = None, *, progress: Progress = silent) -> CellHistory:
    """Read an original history T, in which every cell is a single value; items are numbered in name order.

    Items are compared as bytes; the limit on the length of a line does not apply to the original. Raises BadRows with
    the first ten cells that break the rules, and their total.
    """
    reader = _read(Path(path), rules or load_rules(), ORIGINAL, None, SHOWN_COMPLAINTS, "en", progress)
    _refuse(reader, path, "not_original")
    if not reader.rows:
        raise SourceNotReadable("errors.cells.empty", path=path)
    return reader.history()


@checked
def read_anonymized(
    path: str | Path,
    original: CellHistory,
    rules: RuleSet | None = None,
    *,
    most_complaints: int = MOST_COMPLAINTS,
    language: Language = "en",
    progress: Progress = silent,
) -> ParsedCells:
    """Read an anonymized history A, whose row i belongs to row i of the original, and check it against the rules.

    Complaints are collected in order, not raised: every cell that is malformed or does not cover the original value,
    every pseudonym that is not one to one with a customer, then the number of rows.
    """
    rules = rules or load_rules()
    reader = _read(Path(path), rules, ANONYMIZED, original, most_complaints, language, progress)
    reader.collector.add_rows(reader.rows, len(original), exactly=True)
    return ParsedCells(reader.history(), reader.collector.complaints(), reader.rows)


@checked
def read_valid_anonymized(
    path: str | Path, original: CellHistory, rules: RuleSet | None = None, *, progress: Progress = silent
) -> CellHistory:
    """Read an anonymized history A that follows the rules.

    Raises BadRows with the first ten violations and their total: results for an A that breaks the rules would be
    meaningless.
    """
    rules = rules or load_rules()
    reader = _read(Path(path), rules, ANONYMIZED, original, SHOWN_COMPLAINTS, "en", progress)
    reader.collector.add_rows(reader.rows, len(original), exactly=True)
    _refuse(reader, path, "breaks_rules")
    return reader.history()


@checked
def read_published(
    path: str | Path, original: CellHistory, rules: RuleSet | None = None, *, progress: Progress = silent
) -> CellHistory:
    """Read a published history A': rows in any order, none deleted, and no more rows than the original has.

    Raises BadRows with the first ten cells that break the rules, and their total.
    """
    rules = rules or load_rules()
    reader = _read(Path(path), rules, PUBLISHED, original, SHOWN_COMPLAINTS, "en", progress)
    reader.collector.add_rows(reader.rows, len(original), exactly=False)
    _refuse(reader, path, "not_published")
    return reader.history()


def check_alone(path: str | Path, rules: RuleSet | None = None, *, progress: Progress = silent) -> None:
    """Raise BadRows if an anonymized history breaks a rule that can be checked without its original."""
    reader = _read(Path(path), rules or load_rules(), ALONE, None, SHOWN_COMPLAINTS, "en", progress)
    _refuse(reader, path, "not_anonymized")


def _read(
    path: Path,
    rules: RuleSet,
    mode: Mode,
    original: CellHistory | None,
    most: int,
    language: Language,
    progress: Progress,
) -> BlockReader:
    if original is not None:
        check_fits(original, rules)
    if mode is ORIGINAL:
        # How long lines may be is a rule for what teams hand in.
        rules = replace(rules, most_characters=MOST_CHARACTERS)
    reader = BlockReader(rules, mode, original, Collector(rules, original, Texts(language), most), str(path))
    with open_text(path) as file:
        size = path.stat().st_size
        for done in reader.blocks(file):
            progress(message("progress.reading_file", file=path.name), done, max(size, done))
    return reader


def _refuse(reader: BlockReader, path: str | Path, name: str) -> None:
    found = reader.collector.complaints()
    if not found.total:
        return
    raise BadRows(
        f"errors.cells.{name}", path=path, rules=reader.rules.name, count=found.total, lines=reader.collector.lines()
    )


@checked
@keeps_inputs()
def write_cells(history: CellHistory, path: str | Path, rules: RuleSet | None = None) -> None:
    """Write a history as canonical text, whole or not at all. The file is secret: keep it to its owner.

    Row i belongs to row i of the original, which links rows to people; `publish` writes what others may have. Days are
    written without padding, decimals and integers as short as possible, items and sets unchanged, lines end in LF.
    Reading such files and writing them again gives the same bytes.
    """
    check_ending(Path(path), LINES_ENDINGS)
    with whole_file(Path(path), private=True) as target, target.open("wb") as file:
        file.writelines(format_rows(history, rules))


def format_rows(history: CellHistory, rules: RuleSet | None = None) -> Iterator[bytes]:
    """Return the canonical text of a history in pieces of many rows."""
    rules = rules or load_rules()
    check_fits(history, rules)
    texts = _SetTexts.of(history, rules)
    return (
        _format(history, rules, texts, slice(first, first + WRITTEN_ROWS))
        for first in range(0, len(history), WRITTEN_ROWS)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _SetTexts:
    """The texts of all sets of all item columns, without braces; the sets of a column begin at its base."""

    starts: NDArray[np.int64]
    letters: NDArray[np.uint8]
    bases: dict[str, int]

    @classmethod
    def of(cls, history: CellHistory, rules: RuleSet) -> _SetTexts:
        starts, letters, bases = [np.zeros(1, np.int64)], [np.empty(0, np.uint8)], {}
        for rule in rules.cell_columns:
            column = history.column(rule.name)
            if isinstance(column, ItemColumn):
                bases[rule.name] = sum(len(part) for part in starts) - 1
                own, text = _joined_names(column)
                starts.append(own[1:] + starts[-1][-1])
                letters.append(text)
        return cls(np.concatenate(starts), np.concatenate(letters), bases)


def _joined_names(column: ItemColumn) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    names = list(map(name_bytes, column.names))
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    name_starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    room = int(lengths[column.members].sum()) + len(column.members)
    starts, letters = np.zeros(len(column.starts), np.int64), np.empty(room, np.uint8)
    join_names(column.starts, column.members, name_starts, np.frombuffer(b"".join(names), np.uint8), starts, letters)
    return starts, letters[: int(starts[-1])]


def _format(history: CellHistory, rules: RuleSet, texts: _SetTexts, rows: slice) -> bytes:
    persons = history.persons[rows]
    shape = (len(rules.columns), len(persons))
    kinds, low, high = np.zeros(shape, np.uint8), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    room = len(persons) * len(rules.columns) * (2 * VALUE_BYTES + 4)
    for place, rule in enumerate(rules.columns):
        if rule.form == "person":
            continue
        column = history.column(rule.name)
        kinds[place] = column.kinds[rows]
        if isinstance(column, ItemColumn):
            low[place] = np.maximum(column.sets[rows], 0) + texts.bases[rule.name]
            room += int((texts.starts[low[place] + 1] - texts.starts[low[place]]).sum())
        else:
            low[place], high[place] = column.low[rows], column.high[rows]
    forms = np.array([FORMS.index(rule.form) for rule in rules.columns])
    separators = np.array([ord(rule.separator) for rule in rules.columns])
    out = np.empty(room, np.uint8)
    size = write_rows(persons, kinds, low, high, forms, separators, texts.starts, texts.letters, out)
    return out[:size].tobytes()
