"""The published records whose cells cover known values, for many people at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.tables.covering import count_records, find_nearest, mark_covered, tally_values, weigh_covering
from sudare.showing import dataclass
from sudare.statistics.distinct import first_rows, number_rows, sum_by
from sudare.tables.recoded.model import CellColumn, Numbers, RecodedTable

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
# Bitmaps of a block of published records take at most this much.
BLOCK_BYTES = 2**26


@dataclass(frozen=True, eq=False)
class PublishedKinds:
    """Published records as an attacker sees them: kinds of equal ones, their cells, and how many have them.

    `cells[a, c]` is the cell of kind c in `columns[a]`, `sizes[c]` the number of its records, and `shares[a]` has the
    share of each value of column a in the original, by which cells are weighed.
    """

    columns: tuple[CellColumn, ...]
    cells: Numbers
    sizes: Counts
    shares: tuple[Floats, ...]

    @cached_property
    def members(self) -> Numbers:
        """The kind that stands at each position, -1 for none: all kinds of a word of 64 have equally many records."""
        order = np.argsort(self.sizes, kind="stable")
        _, firsts, counts = np.unique(self.sizes[order], return_index=True, return_counts=True)
        padded = -(-counts // 64) * 64
        begins = np.cumsum(padded) - padded
        found = np.full(int(padded.sum()), -1, np.int32)
        found[np.arange(len(order)) - np.repeat(firsts - begins, counts)] = order
        return found

    @cached_property
    def losses(self) -> Floats:
        """How little the cells of each kind tell: the logarithm (base 2) of the share of records expected in them."""
        with np.errstate(divide="ignore"):
            logs = [np.log2(column.sums(share)) for column, share in zip(self.columns, self.shares, strict=True)]
        return np.asarray(sum((log[cells] for log, cells in zip(logs, self.cells, strict=True)), np.zeros(len(self))))

    @cached_property
    def widths(self) -> Floats:
        """The width of each cell of each kind, by kind: 0 for a single value, 1 for all values."""
        spans = [(column.widths - 1) / max(len(column.values) - 1, 1) for column in self.columns]
        return np.ascontiguousarray(np.vstack([s[c] for s, c in zip(spans, self.cells, strict=True)]).T)

    def __len__(self) -> int:
        return len(self.sizes)


def published_kinds(found: RecodedTable, further: Sequence[str] = ()) -> PublishedKinds:
    """Return the kinds of published records by their cells, which are the classes by their numbers.

    If `further` published columns are named, records are of one kind only if they have the same values there.
    """
    if not further:
        return PublishedKinds(found.columns, found.cells, found.sizes, _shares(found, found.columns))
    kept = np.flatnonzero(found.published)
    exact = [found.codes(name)[kept] for name in further]
    numbers, kinds = number_rows(np.vstack([found.owner[kept], *exact]).astype(np.int32))
    firsts = first_rows(numbers, kinds)
    cells = [*found.cells[:, found.owner[kept][firsts]], *(codes[firsts] for codes in exact)]
    columns = (*found.columns, *(_exact_column(found, name) for name in further))
    sizes = np.bincount(numbers, minlength=kinds)
    return PublishedKinds(columns, np.vstack(cells).astype(np.int32), sizes, _shares(found, columns))


def original_kinds(found: RecodedTable, names: Sequence[str]) -> PublishedKinds:
    """Return the kinds of records of the original table by the values of some columns."""
    columns = tuple(_exact_column(found, name) for name in names)
    codes = np.ascontiguousarray(found.table.codes[found.table.positions(list(names))])
    numbers, kinds = number_rows(codes)
    sizes = sum_by(numbers, found.table.counts, kinds)
    return PublishedKinds(columns, codes[:, first_rows(numbers, kinds)], sizes, _shares(found, columns))


def _exact_column(found: RecodedTable, name: str) -> CellColumn:
    (place,) = found.table.positions([name])
    values = found.table.values[place]
    numbers = np.arange(len(values) + 1, dtype=np.int64)
    return CellColumn(name, values, values, numbers[:-1].astype(np.int32), numbers[:-1], numbers[1:])


def _shares(found: RecodedTable, columns: Sequence[CellColumn]) -> tuple[Floats, ...]:
    """Return the share of each value of the columns; those that only a population has come after the table's."""
    counts = [(found.counts(column.attribute), len(column.values)) for column in columns]
    records = max(found.table.records, 1)
    return tuple(np.pad(known, (0, different - len(known))).astype(np.float64) / records for known, different in counts)


@dataclass(frozen=True, eq=False)
class _Block:
    """Some positions of the published kinds, with a bitmap of those that cover each known value."""

    bits: NDArray[np.uint64]
    members: Numbers


@dataclass(frozen=True, eq=False)
class Covering:
    """A search for the published records that cover the values `codes[a, i]` known of person i; -1 is never covered."""

    kinds: PublishedKinds
    codes: Numbers

    @cached_property
    def wanted(self) -> Numbers:
        """The rows of the bitmaps that each person needs."""
        picked = [np.where(codes >= 0, rows[codes], -1) for rows, codes in zip(self._rows, self.codes, strict=True)]
        return np.ascontiguousarray(np.vstack(picked).T.astype(np.int32))

    def count(self, queries: Sequence[Numbers] = ()) -> list[Counts]:
        """Return how many records cover each row of each query, which has some columns of `wanted` (none: all)."""
        asked = list(queries) or [self.wanted]
        found = [np.zeros(len(query), np.int64) for query in asked]
        for block in self._blocks():
            words = block.members.reshape(-1, 64)[:, 0]
            for query, counts in zip(asked, found, strict=True):
                count_records(block.bits, query, self.kinds.sizes[words], counts)
        return found

    def tally(self, starts: Counts, values: Numbers, numbers: Counts, different: int) -> Counts:
        """Return how often the covering records of each person have each of `different` values.

        Kind c has `numbers[i]` records with the value `values[i]`, for i from `starts[c]` to before `starts[c + 1]`.
        """
        tallies = np.zeros((len(self.wanted), different), np.int64)
        for block in self._blocks():
            tally_values(block.bits, self.wanted, block.members, starts, values, numbers, tallies)
        return tallies

    def weigh(self) -> tuple[Floats, Counts, Floats]:
        """Return for each person the least loss of covering kinds, the records with it, and the weight of all.

        A record weighs more in small cells: by 1 / (the share of the original expected in them).
        """
        least, tied = np.full(len(self.wanted), np.inf), np.zeros(len(self.wanted), np.int64)
        sums = np.zeros(len(self.wanted))
        weights = np.asarray(np.exp2(-self.kinds.losses) * self.kinds.sizes, np.float64)
        for block in self._blocks():
            weigh_covering(
                block.bits, self.wanted, block.members, self.kinds.sizes, self.kinds.losses, weights, least, tied, sums
            )
        return least, tied, sums

    def nearest(self, skipped: Numbers) -> Floats:
        """Return the distance of each person to the nearest kind: the cells' widths, 1 where a cell does not cover.

        Person i does not see the kind `skipped[i]`, -1 for none.
        """
        nearest = np.full(len(self.wanted), np.inf)
        for block in self._blocks():
            find_nearest(block.bits, self.wanted, block.members, self.kinds.widths, skipped, nearest)
        return nearest

    @cached_property
    def _rows(self) -> list[Numbers]:
        """For each attribute the row of each value in the bitmaps, -1 if nobody has it."""
        found, before = [], 0
        for column, codes in zip(self.kinds.columns, self.codes, strict=True):
            used = np.unique(codes[codes >= 0])
            rows = np.full(len(column.values), -1, np.int32)
            rows[used] = np.arange(before, before + len(used))
            before += len(used)
            found.append(rows)
        return found

    def _blocks(self) -> Iterator[_Block]:
        rows = max(1 + max((int(places.max(initial=-1)) for places in self._rows), default=0), 1)
        positions = max(BLOCK_BYTES // 8 // rows, 16) * 64
        for first in range(0, len(self.kinds.members), positions):
            members = self.kinds.members[first : first + positions]
            bits = np.zeros((rows, len(members) // 64), np.uint64)
            for a, column in enumerate(self.kinds.columns):
                cells = np.where(members >= 0, self.kinds.cells[a][members], -1).astype(np.int32)
                mark_covered(column.listed, column.begins, column.ends, cells, self._rows[a], bits)
            yield _Block(bits, members)
