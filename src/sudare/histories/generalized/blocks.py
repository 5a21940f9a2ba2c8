"""Reading texts of generalized cells block by block, in memory that does not grow with the length of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable, SourceNotReadable
from sudare.histories.generalized.block import Block, Mode
from sudare.histories.generalized.complaints import Collector
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.generalized.rule_sets import ColumnRule, RuleSet
from sudare.histories.generalized.sequences import (
    column_names,
    column_sets,
    first_numbers,
    grown,
    number_names,
    single_items,
    slots_for,
    with_room,
)
from sudare.kernels.cells.persons import pair_persons
from sudare.kernels.cells.problems import Problem
from sudare.kernels.cells.text import (
    CHARACTER_BYTES,
    LINE_END_BYTES,
    count_lines,
    divide_lines,
    read_items,
    read_ordered,
    read_persons,
)
from sudare.kernels.cells.values import FORMS
from sudare.kernels.common.arrays import Ints
from sudare.messages import Joined, message
from sudare.messages.reasons import reason_of
from sudare.showing import dataclass
from sudare.sources.encodings import MAGIC
from sudare.sources.local.names import not_found

BLOCK_BYTES = 1 << 22
NO_LIMIT = 1 << 62
# Arrays that grow have room for this number of rows. Room that is not filled takes no memory, and memory of this size
# goes back to the system when it is free.
LEAST_GROWN = 1 << 22


class _Kept:
    """What is kept of all blocks, array by array: pieces that are joined in the end would be held twice."""

    def __init__(self, room: int) -> None:
        self.rows = 0
        self._room = room
        self._arrays: dict[tuple[str, int], NDArray[Any]] = {}

    def append(self, pieces: dict[tuple[str, int], NDArray[Any]]) -> None:
        """Append pieces of as many rows to the arrays, each named by what it is and the place of its column."""
        end = self.rows
        for name, piece in pieces.items():
            end = self.rows + len(piece)
            held = self._arrays.get(name)
            if held is None:
                self._arrays[name] = np.empty(max(self._room, end), piece.dtype)
            elif len(held) < end:
                self._arrays[name] = np.empty(max(2 * len(held), end, LEAST_GROWN), piece.dtype)
                self._arrays[name][: self.rows] = held[: self.rows]
            self._arrays[name][self.rows : end] = piece
        self.rows = end

    def take(self, part: str, place: int) -> Any:
        """Return an array, which is no longer held here."""
        return self._arrays.pop((part, place))[: self.rows]


def open_text(path: Path) -> BinaryIO:
    """Open a text; SourceNotReadable says why, if there is none."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise not_found(path) from None
    except OSError as error:
        raise SourceNotReadable("errors.cells.not_readable", path=path, reason=reason_of(error)) from None
    start = file.peek(16)[:16]
    marks = MAGIC | dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), message("errors.cells.utf16"))
    kind = next((kind for magic, kind in marks.items() if start.startswith(magic)), None)
    if kind:
        file.close()
        raise SourceNotReadable("errors.cells.not_text", path=path, kind=kind)
    return file


def check_fits(history: CellHistory, rules: RuleSet) -> None:
    """Refuse a history whose columns are not those of the rules."""
    wanted = [(rule.name, rule.form) for rule in rules.cell_columns]
    found = [(column.name, column.form if isinstance(column, OrderedColumn) else "item") for column in history.columns]
    if found != wanted:
        raise OptionNotUsable(
            "errors.cells.other_columns", found=_listed(found), rules=rules.name, wanted=_listed(wanted)
        )


def _listed(columns: Sequence[tuple[str, str]]) -> Joined:
    return Joined([f"{name} ({form})" for name, form in columns], "comma")


@dataclass(eq=False)
class BlockReader:
    """Reads one text of cells; complaints go to the collector, what is well formed becomes a history."""

    rules: RuleSet
    mode: Mode
    original: CellHistory | None
    collector: Collector
    source: str
    rows: int = 0

    def __post_init__(self) -> None:
        known = self._known_names()
        self._bases = first_numbers(known)
        self._names = number_names(known)
        self._sets = single_items(known)
        self._seen = np.zeros(1, np.int64)
        self._most_rows = len(self.original) if self.original is not None else NO_LIMIT
        self._kept = _Kept(0 if self.original is None else len(self.original))
        slots = slots_for(len(np.unique(self.original.persons)) if self.original is not None else 0)
        self._customers, self._pseudonyms = (np.zeros((3, slots), np.int64) for _ in range(2))
        self._skipping = False
        self._nothing = np.empty(0, np.int64)

    def blocks(self, file: BinaryIO) -> Iterator[int]:
        """Read a file block by block and yield the bytes read so far."""
        longest = self.rules.most_characters * CHARACTER_BYTES + LINE_END_BYTES
        data = np.empty(BLOCK_BYTES + longest, np.uint8)
        view = memoryview(data.data)
        held, done = 0, 0
        while True:
            got = file.readinto(view[held:])  # type: ignore[attr-defined]
            size = held + got
            used = self._read_block(data, size, last=not got)
            held = size - used
            data[:held] = data[used:size].copy()
            if not got:
                return
            done += got
            yield done

    def _read_block(self, data: NDArray[np.uint8], size: int, *, last: bool) -> int:
        lines = count_lines(data, size) + 1
        room = Block.empty(len(self.rules.columns), max(0, min(lines, self._most_rows - self.rows)) + 1)
        rows, used, self._skipping = divide_lines(
            data, size, last, self._skipping, self.rules.most_characters, room.cuts, room.problems, room.line_faults
        )
        block = room.first(min(rows, len(room.persons) - 1))
        if len(self._nothing) < len(block.persons):
            self._nothing = np.full(len(block.persons), -1, np.int64)
        self._read_cells(data, block)
        self.collector.add_block(block, data, before=self.rows)
        self._keep(block)
        self.rows += rows
        return int(used)

    def _read_cells(self, data: NDArray[np.uint8], block: Block) -> None:
        """Read the columns of the rows that are divided into cells; rows without a person are deleted."""
        of_line = block.problems[:, -1]
        rows = np.flatnonzero((of_line == Problem.NONE) | (self.mode.exact & (of_line == Problem.DELETED_ROW)))
        if self.mode.exact or self.mode.deletions:
            of_line[of_line == Problem.DELETED_ROW] = Problem.NONE
        items = [place for place, rule in enumerate(self.rules.columns) if rule.form == "item"]
        others = [place for place, rule in enumerate(self.rules.columns) if rule.form != "item"]
        # Items take as long as all others; the kernels let both run.
        with ThreadPoolExecutor(max_workers=1) as beside:
            reading = beside.submit(self._read_columns, data, rows, block, items)
            self._read_columns(data, rows, block, others)
            reading.result()
        nobody = rows[block.persons[rows] == 0]
        block.kinds[:, nobody] = Kind.DELETED
        block.low[:, nobody] = block.high[:, nobody] = 0

    def _read_columns(self, data: NDArray[np.uint8], rows: Ints, block: Block, places: Sequence[int]) -> None:
        for place in places:
            self._read_column(data, rows, block, place, self.rules.columns[place])

    def _read_column(self, data: NDArray[np.uint8], rows: Ints, block: Block, place: int, rule: ColumnRule) -> None:
        problems, faults, truth = block.problems, block.faults, self._truth(place, len(block.persons))
        if rule.form == "person":
            read_persons(data, rows, block.cuts, place, rule.digits, block.persons, problems)
            if self.mode.covering:
                pair_persons(
                    rows, self.rows, block.persons, truth, self._pseudonyms, self._customers, problems[:, place],
                    faults[:, place],
                )  # fmt: skip
            return
        kinds, low, high = block.kinds[place], block.low[place], block.high[place]
        if rule.form == "item":
            while len(rows):
                done = read_items(
                    data, rows, block.cuts, place, self.mode.exact, self.mode.known, self.rules.most_items,
                    self.original is not None, self._names, self._sets, self._seen, truth, kinds, low, problems, faults,
                )  # fmt: skip
                rows = rows[done:]
                self._make_room(int(block.cuts[rows[0], place + 1] - block.cuts[rows[0], place]) if len(rows) else 0)
            return
        values = np.array([FORMS.index(rule.form), rule.low, rule.high, ord(rule.separator)], np.int64)
        read_ordered(data, rows, block.cuts, place, values, self.mode.exact, kinds, low, high, problems, faults)
        if self.mode.covering:
            outside = (kinds != Kind.DELETED) & ((truth < low) | (truth > high))
            problems[outside, place] = Problem.NOT_COVERED

    def _truth(self, place: int, rows: int) -> Ints:
        """Return a column of the original for the rows of a block: persons, values or items; -1 if nothing is asked."""
        if not self.mode.covering or self.original is None:
            return self._nothing[:rows]
        here, rule = slice(self.rows, self.rows + rows), self.rules.columns[place]
        if rule.form == "person":
            return self.original.persons[here]
        column = self.original.column(rule.name)
        if isinstance(column, ItemColumn):
            return column.sets[here].astype(np.int64) + self._bases[place]
        return column.low[here]

    def _keep(self, block: Block) -> None:
        """Keep what was read, unless nobody will ask for it: then memory does not grow with the file."""
        if self.original is None and not (self.mode.exact and self.collector.empty):
            self._kept = _Kept(0)
            return
        pieces: dict[tuple[str, int], NDArray[Any]] = {}
        for place, rule in enumerate(self.rules.columns):
            if rule.form == "person":
                pieces["persons", place] = block.persons
                continue
            pieces["kinds", place] = block.kinds[place]
            # The numbers of sets are short, and single values are held once, as their low end.
            pieces["low", place] = block.low[place].astype(np.int32) if rule.form == "item" else block.low[place]
            if rule.form != "item" and not self.mode.exact:
                pieces["high", place] = block.high[place]
        self._kept.append(pieces)

    def history(self) -> CellHistory:
        """Return what was read; cells that were not well formed, and rows that are missing, are deleted."""
        missing = len(self.original) - self.rows if self.mode.covering and self.original is not None else 0
        if missing > 0:
            self._keep(Block.empty(len(self.rules.columns), missing))
        [person] = [place for place, rule in enumerate(self.rules.columns) if rule.form == "person"]
        columns = [self._column(place) for place in range(len(self.rules.columns)) if place != person]
        sources = self.original.sources if self.original is not None else ()
        found = CellHistory(self._kept.take("persons", person), tuple(columns), (self.source, *sources))
        return found.in_file(self.source)

    def _column(self, place: int) -> Column:
        rule = self.rules.columns[place]
        kinds, low = self._kept.take("kinds", place), self._kept.take("low", place)
        if rule.form == "item":
            return self._items(place, kinds, low)
        high = low if self.mode.exact else self._kept.take("high", place)
        return OrderedColumn(rule.name, rule.form, kinds, low, high)  # type: ignore[arg-type]

    def _items(self, place: int, kinds: NDArray[np.uint8], numbers: NDArray[np.int32]) -> ItemColumn:
        if self.original is None:
            names, local = column_names(self._names, place)
            starts, members = np.arange(len(names) + 1), np.arange(len(names), dtype=np.int32)
        else:
            names = self._known_names()[place]
            local, starts, members = column_sets(self._sets, place, self._bases[place])
        sets = np.where(kinds == Kind.DELETED, np.int32(-1), local[numbers])
        return ItemColumn(self.rules.columns[place].name, kinds, sets, starts, members, names)

    def _known_names(self) -> dict[int, tuple[str, ...]]:
        """Return the items of each item column by its place; of an original they are not yet known."""
        known: dict[int, tuple[str, ...]] = {}
        for place, rule in enumerate(self.rules.columns):
            if rule.form == "item":
                column = self.original.column(rule.name) if self.original is not None else None
                known[place] = column.names if isinstance(column, ItemColumn) else ()
        return known

    def _make_room(self, cell_bytes: int) -> None:
        """Make room for the items and the set of a cell of that size in bytes."""
        items = cell_bytes // 2 + 1
        self._sets = with_room(self._sets, 1, items)
        if not self.mode.known:
            self._names = with_room(self._names, items, cell_bytes)
        self._seen = grown(self._seen, len(self._names.owners) + 1)
