"""The cells of two histories as codes that can be compared.

Where the published cells of a column do not overlap, as exact values and levels do not, each is a code, and a known
value has the code of the cell that holds it: the attacker coarsens what is known alike. Where they overlap, as the
ranges and sets of classes do, the codes are single values, and a cell stands for every value that it can be.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.common.arrays import Bools, Floats, Ints, Ints32
from sudare.showing import dataclass

# Numbers over a span this large are found by sorting, others by a table.
_TABLE = 1 << 26


class Ranges(NamedTuple):
    """Cells of ordered values, by row: their ends, and which are deleted."""

    low: Ints
    high: Ints
    deleted: Bools


class Sets(NamedTuple):
    """Cells of items, by row: the number of a set (-1: deleted); set s has `members[starts[s] : starts[s + 1]]`."""

    sets: Ints32
    starts: Ints
    members: Ints


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """The number of the cell in each row (-1: deleted), and the codes that cells stand for.

    Cell x stands for `codes[starts[x] : starts[x + 1]]`; if these are None, for the code x alone.
    """

    numbers: Ints32
    starts: Ints | None = None
    codes: Ints32 | None = None

    def taken(self, rows: NDArray[Any]) -> CodedColumn:
        """Return the cells of some rows."""
        return CodedColumn(self.numbers[rows], self.starts, self.codes)


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """A column of both histories in `size` codes.

    `values` has the middle of each code, for columns of numbers; `code_of` the code of each item.
    """

    known: CodedColumn
    published: CodedColumn
    size: int
    values: Floats = field(default_factory=lambda: np.empty(0))
    code_of: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def overlapping(self) -> bool:
        """Whether the codes are single values, because published cells overlap."""
        return self.published.codes is not None


def code_ranges(known: Ranges, published: Ranges) -> Coding:
    """Return a column of ordered values in codes."""
    own, other = _Distinct.of(known), _Distinct.of(published)
    if (other.low[1:] > other.high[:-1]).all():
        within = np.searchsorted(other.low, own.low, side="right") - 1
        last = np.searchsorted(other.low, own.high, side="right") - 1
        held = (within >= 0) & (own.high <= np.append(other.high, 0)[within])
        outside = (within < 0) | (own.low > np.append(other.high, 0)[within])
        if ((held | outside) & (within == last)).all():
            codes = np.where(held, within, len(other.low) + np.cumsum(~held) - 1)
            middles = [(other.low + other.high) / 2, ((own.low + own.high) / 2)[~held]]
            numbers = _renumbered(codes, own.numbers)
            values = np.concatenate(middles)
            return Coding(CodedColumn(numbers), CodedColumn(other.numbers), len(values), values)
    atoms = np.unique(np.concatenate([own.low, own.high, other.low[other.exact]]))
    values = atoms.astype(np.float64)
    return Coding(_expanded_ranges(own, atoms), _expanded_ranges(other, atoms), len(atoms), values)


def code_sets(known: Sets, published: Sets, items: int) -> Coding:
    """Return a column of items in codes; items of both are numbered alike, below `items`."""
    used, numbers, count = _used_sets(published)
    owners = np.repeat(numbers, np.diff(published.starts)[used])
    members = _members_of(published, used)
    holder = np.full(items, -1, np.int64)
    holder[members] = owners
    if (holder[members] == owners).all():
        free = np.flatnonzero(holder < 0)
        holder[free] = count + np.arange(len(free))
        own = _used_sets(known)[0]
        sizes = np.diff(known.starts)[own]
        first = holder[known.members[known.starts[own]]]
        if (holder[_members_of(known, own)] == np.repeat(first, sizes)).all():
            known_codes = _renumbered_sets(known, own, first)
            codes = _renumbered_sets(published, used, numbers)
            return Coding(CodedColumn(known_codes), CodedColumn(codes), count + len(free), code_of=holder)
    return Coding(_expanded_sets(known), _expanded_sets(published), items, code_of=np.arange(items))


class _Distinct(NamedTuple):
    """The different ranges of a column, rising, and the number of that in each row (-1: deleted)."""

    low: Ints
    high: Ints
    numbers: Ints32

    @classmethod
    def of(cls, cells: Ranges) -> _Distinct:
        there = np.flatnonzero(~cells.deleted)
        whole = len(there) == len(cells.low)
        low = cells.low if whole else cells.low[there]
        high = low if cells.high is cells.low else cells.high if whole else cells.high[there]
        if high is low or np.array_equal(low, high):
            low, found = numbered(low)
            high = low
        else:
            lows, first = numbered(low)
            highs, second = numbered(high)
            pairs, found = numbered(first.astype(np.int64) * len(highs) + second)
            low, high = lows[pairs // len(highs)], highs[pairs % len(highs)]
        if whole:
            return cls(low, high, found)
        numbers = np.full(len(cells.low), -1, np.int32)
        numbers[there] = found
        return cls(low, high, numbers)

    @property
    def exact(self) -> Bools:
        """Which ranges are single values."""
        return np.asarray(self.low == self.high)


def numbered(values: Ints) -> tuple[Ints, Ints32]:
    """Return the different values, rising, and the number of each value among them."""
    if not len(values):
        return values, np.empty(0, np.int32)
    least = int(values.min())
    span = int(values.max()) - least + 1
    if span > max(_TABLE, len(values)):
        found, numbers = np.unique(values, return_inverse=True)
        return found, numbers.astype(np.int32)
    there = np.zeros(span, np.bool_)
    there[values - least] = True
    found = np.flatnonzero(there)
    table = np.zeros(span, np.int32)
    table[found] = np.arange(len(found), dtype=np.int32)
    return found + least, table[values - least]


def _renumbered(codes: Ints, numbers: Ints32) -> Ints32:
    """Return the codes of rows, given those of their cells; deleted cells stay -1."""
    return np.append(codes, -1).astype(np.int32)[numbers]


def _expanded_ranges(cells: _Distinct, atoms: Ints) -> CodedColumn:
    first, last = np.searchsorted(atoms, cells.low), np.searchsorted(atoms, cells.high, side="right")
    starts = np.concatenate([[0], np.cumsum(last - first)]).astype(np.int64)
    codes = np.arange(starts[-1]) + np.repeat(first - starts[:-1], last - first)
    return CodedColumn(cells.numbers, starts, codes.astype(np.int32))


def _used_sets(cells: Sets) -> tuple[Ints, Ints, int]:
    """Return the sets that occur, a number for each, the same for sets of the same items, and how many differ."""
    used = np.unique(cells.sets[cells.sets >= 0]).astype(np.int64)
    sizes = np.diff(cells.starts)[used]
    if (sizes == 1).all():
        items, numbers = numbered(cells.members[cells.starts[used]])
        return used, numbers.astype(np.int64), len(items)
    known: dict[bytes, int] = {}
    numbers_ = [
        known.setdefault(np.sort(cells.members[start : start + size]).tobytes(), len(known))
        for start, size in zip(cells.starts[used].tolist(), sizes.tolist(), strict=True)
    ]
    return used, np.asarray(numbers_, np.int64), len(known)


def _members_of(cells: Sets, used: Ints) -> Ints:
    """Return the items of some sets, one set after another."""
    sizes = np.diff(cells.starts)[used]
    ends = np.cumsum(sizes)
    places = np.arange(int(sizes.sum())) + np.repeat(cells.starts[used] - ends + sizes, sizes)
    return np.asarray(cells.members[places])


def _renumbered_sets(cells: Sets, used: Ints, codes: Ints) -> Ints32:
    table = np.full(len(cells.starts), -1, np.int32)
    table[used] = codes
    # A deleted cell is -1, which is the last of these: no set has that number.
    return table[cells.sets]


def _expanded_sets(cells: Sets) -> CodedColumn:
    return CodedColumn(cells.sets, cells.starts, cells.members.astype(np.int32))
