"""A published history and the known part of the original, packed and indexed for row lookup.

Pseudonyms whose rows are the same are one *group* here: nothing tells them apart, so they are compared once. Customers
are numbered in an order of the seed, so that ties are not decided by the numbers people have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sudare.errors import OptionNotUsable
from sudare.histories.attack.known import KnownHistory
from sudare.histories.generalized.model import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.histories.safety.published_classes import PersonRows, classes_of
from sudare.kernels.common.arrays import Ints
from sudare.kernels.common.places import find_runs
from sudare.kernels.histories.attack_rows import find_blocks
from sudare.kernels.histories.linked_rows import NO_END, KnownIndex, KnownRows, PublishedRows
from sudare.showing import dataclass
from sudare.statistics.sorting import sorted_places

# Published rows that are packed at once, by each core.
_ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class PackedColumns:
    """Some columns of both histories, as kernels take them: all known rows, and published ones when they are asked for.

    For each row of the groups: the column that fewest known rows share with it (`blocks`), how many these are
    (`sizes`), and the share of known rows that it can stand for (`shares`).
    """

    known: KnownRows
    index: KnownIndex
    blocks: NDArray[np.int8]
    sizes: NDArray[np.int32]
    shares: NDArray[np.float64]
    _published: _PublishedColumns

    def published(self, rows: Ints) -> PublishedRows:
        """Return some rows of the groups."""
        return self._published.rows(rows)

    def has_items(self) -> NDArray[np.bool_]:
        """Return which rows of the groups say anything of their items."""
        return self._published.has_items()


@dataclass(frozen=True, slots=True, eq=False)
class _PublishedColumns:
    """Columns of a published history and which of its rows are those of the groups.

    The members of set s, numbered through all columns of items, are `members[starts[s] : starts[s + 1]]`, rising; the
    sets of the columns begin at `bases`.
    """

    ordered: list[OrderedColumn]
    items: list[ItemColumn]
    group_rows: NDArray[np.int32]
    bases: list[int]
    starts: Ints
    members: Ints

    @classmethod
    def of(cls, ordered: list[OrderedColumn], items: list[ItemColumn], group_rows: NDArray[np.int32]) -> Self:
        bases, sizes, members, names = [], [np.zeros(1, np.int64)], [np.empty(0, np.int64)], 0
        for column in items:
            bases.append(sum(len(part) for part in sizes) - 1)
            of_set = np.repeat(np.arange(len(column.sizes)), column.sizes)
            members.append(column.members[np.lexsort((column.members, of_set))].astype(np.int64) + names)
            sizes.append(column.sizes.astype(np.int64))
            names += len(column.names)
        return cls(ordered, items, group_rows, bases, np.cumsum(np.concatenate(sizes)), np.concatenate(members))

    def rows(self, rows: Ints) -> PublishedRows:
        taken = self.group_rows[rows]
        low, high = _ends(self.ordered, taken)
        sets = np.empty((len(taken), len(self.items)), np.int64)
        for place, (column, base) in enumerate(zip(self.items, self.bases, strict=True)):
            found = column.sets[taken]
            sets[:, place] = np.where(found < 0, -1, found + base)
        return PublishedRows(low, high, sets, self.starts, self.members)

    def has_items(self) -> NDArray[np.bool_]:
        found = np.zeros(len(self.group_rows), np.bool_)
        for column in self.items:
            found |= column.sets[self.group_rows] >= 0
        return found


class Linkage:
    """A published history against the knowledge of an attacker.

    Pseudonym i is `pids[i]`, of the group `groups[i]`; a group has `multiplicity` of them. The rows of one of them are
    numbered from `starts[g]` to `starts[g + 1]`. Customers are numbered by their places in `customers`.
    """

    def __init__(self, known: KnownHistory, published: CellHistory, *, seed: int = 0) -> None:
        self.knowledge = known
        self.names = [column.name for column in known.history.columns]
        missing = next((name for name in self.names if name not in {c.name for c in published.columns}), None)
        if missing is not None:
            raise OptionNotUsable("errors.attack.published_column", column=missing)
        for name in self.item_names:
            if _item_names(known.history, name) != _item_names(published, name):
                raise OptionNotUsable("errors.attack.published_items", column=name)
        self.published = published
        of_persons = PersonRows.of(published)
        found = classes_of(published, of_persons)
        self.pids = found.pids
        self.groups: Ints = found.classes
        self.multiplicity: Ints = found.sizes
        # The rows of the first pseudonym of each group.
        firsts = np.unique(found.classes, return_index=True)[1]
        self.group_sizes: Ints = np.diff(of_persons.starts)[firsts]
        self.starts: Ints = np.concatenate([[0], np.cumsum(self.group_sizes)]).astype(np.int64)
        # Classes are numbered as they first occur, so that the rows of their first pseudonyms stand in their order.
        chosen = np.isin(np.arange(len(found.pids)), firsts)
        self._group_rows = of_persons.rows[np.repeat(chosen, np.diff(of_persons.starts))]
        random = np.random.default_rng(seed)
        self.customers: Ints = random.permutation(known.customers)
        self._draws = random.random(len(self.pids))
        self._known_customers = self._find_customers()
        counts = sum(
            np.bincount(self._known_customers[here], minlength=len(self.customers))
            for here in _pieces(len(self._known_customers))
        )
        self._known_starts: Ints = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def rows_of(self, groups: Ints) -> tuple[Ints, Ints]:
        """Return the numbers of the rows of some groups, and where those of each begin among them."""
        sizes = self.group_sizes[groups]
        return _ranges(self.starts[groups], sizes), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _find_customers(self) -> NDArray[np.int32]:
        """Return the customer of each known row."""
        persons, order = self.knowledge.history.persons, np.argsort(self.customers).astype(np.int32)
        rising, found = self.customers[order], np.empty(len(persons), np.int32)

        def find(here: slice) -> None:
            found[here] = order[np.searchsorted(rising, persons[here])]

        _in_threads(find, _pieces(len(persons)))
        return found

    def mix_groups(self) -> Ints:
        """Return places that exchange the pseudonyms of each group among themselves, in an order of the seed."""
        mixed = np.empty(len(self.pids), np.int64)
        mixed[np.argsort(self.groups, kind="stable")] = np.lexsort((self._draws, self.groups))
        return mixed

    @property
    def customer_sizes(self) -> Ints:
        """How many rows of each customer are known."""
        return np.diff(self._known_starts)

    @property
    def item_names(self) -> list[str]:
        """The known columns that have items."""
        return [column.name for column in self.knowledge.history.columns if isinstance(column, ItemColumn)]

    @cached_property
    def range_counts(self) -> NDArray[np.float64]:
        """How many ranges of more than one value the rows of each group have in each ordered column that is known."""
        columns = [self.published.column(name) for name in self.names]
        ordered = [column for column in columns if isinstance(column, OrderedColumn)]
        found = np.zeros((len(self.group_sizes), len(ordered)))
        for place, column in enumerate(ordered):
            ranges = (column.low < column.high)[self._group_rows]
            if len(found):
                found[:, place] = np.add.reduceat(ranges, self.starts[:-1], dtype=np.int64)
        return found

    @cached_property
    def all_columns(self) -> PackedColumns:
        """All columns that are known."""
        return self.pack(self.names)

    def pack(self, names: Sequence[str]) -> PackedColumns:
        """Return some columns of both histories, with an index of the known one."""
        taken = [name for name in self.names if name in names]
        pairs = [(self.published.column(name), self.knowledge.history.column(name)) for name in taken]
        ordered = [(p, k) for p, k in pairs if isinstance(p, OrderedColumn) and isinstance(k, OrderedColumn)]
        items = [(p, k) for p, k in pairs if isinstance(p, ItemColumn) and isinstance(k, ItemColumn)]
        known = self._known_rows([k for _, k in ordered], [k for _, k in items])
        index = _index(known, sum(len(k.names) for _, k in items))
        public = _PublishedColumns.of([p for p, _ in ordered], [p for p, _ in items], self._group_rows)
        size = len(self._group_rows)
        packed = PackedColumns(known, index, np.empty(size, np.int8), np.empty(size, np.int32), np.empty(size), public)
        _in_threads(partial(_find_blocks, packed), _pieces(size))
        return packed

    def _known_rows(self, ordered: list[OrderedColumn], items: list[ItemColumn]) -> KnownRows:
        customer, size = self._known_customers, len(self._known_customers)
        order = sorted_places(customer, sorted_places(items[0].sets) if items else None)
        low = np.empty((size, len(ordered)), np.int64)
        # They are one array if all cells are single values, held once.
        high = low if all(column.low is column.high for column in ordered) else np.empty_like(low)
        known = KnownRows(low, high, np.empty((size, len(items)), np.int32), customer[order], self._known_starts)

        def fill(here: slice) -> None:
            low[here], high[here] = _ends(ordered, order[here])
            known.items[here] = _items(items, order[here])

        _in_threads(fill, _pieces(size))
        return known

    def exact_rows(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which rows of the groups say one value in each of these columns."""
        found = np.ones(len(self._group_rows), np.bool_)
        for name in names:
            column = self.published.column(name)
            found &= _is_exact(column)[self._group_rows]
        return found


def _item_names(history: CellHistory, name: str) -> tuple[str, ...]:
    column = history.column(name)
    return column.names if isinstance(column, ItemColumn) else ()


def _is_exact(column: Column) -> NDArray[np.bool_]:
    alone = column.sizes[column.sets] == 1 if isinstance(column, ItemColumn) else column.low == column.high
    return np.asarray((column.kinds != Kind.DELETED) & alone)


def _ends(columns: list[OrderedColumn], rows: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Return the low and high ends of cells; they are one array if all cells are single values, held once."""
    shape = (len(rows), len(columns))
    low = np.empty(shape, np.int64)
    high = low if all(column.low is column.high for column in columns) else np.empty(shape, np.int64)
    for place, column in enumerate(columns):
        deleted = column.kinds[rows] == Kind.DELETED
        low[:, place] = np.where(deleted, NO_END, column.low[rows])
        if high is not low:
            high[:, place] = np.where(deleted, -NO_END, column.high[rows])
    return low, high


def _items(columns: list[ItemColumn], rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the items of known rows, those of a column after those of the columns before."""
    items, base = np.empty((len(rows), len(columns)), np.int32), 0
    for place, column in enumerate(columns):
        items[:, place] = column.sets[rows] + base
        base += len(column.names)
    return items


def _ranges(begins: Ints, sizes: Ints) -> Ints:
    """Return the numbers of several ranges, one after another."""
    return np.arange(int(sizes.sum())) + np.repeat(begins - np.cumsum(sizes) + sizes, sizes)


def _pieces(size: int) -> list[slice]:
    """Divide rows into pieces for one core each: short enough for its cache, and for memory that is used again."""
    return [slice(first, min(first + _ROWS_AT_ONCE, size)) for first in range(0, size, _ROWS_AT_ONCE)]


def _in_threads(function: Callable[[Any], None], parts: Iterable[Any]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(function, parts))


def _find_blocks(packed: PackedColumns, here: slice) -> None:
    published = packed.published(np.arange(here.start, here.stop))
    find_blocks(
        published, packed.known, packed.index, packed.blocks[here], packed.sizes[here], packed.shares[here]
    )  # fmt: skip


def _index(known: KnownRows, items: int) -> KnownIndex:
    """Return lists of known rows: of each ordered column, then of each item."""
    size, ordered = known.low.shape
    rows = np.empty((ordered + known.items.shape[1], size), np.int32)
    made = [_Runs(*(np.empty(0, np.int64),) * 3)] * len(rows)

    def sort(place: int) -> None:
        if place < ordered:
            rows[place] = sorted_places(known.low[:, place])
            made[place] = _runs(known, rows[place], place, -1)
        else:
            rows[place] = sorted_places(known.items[:, place - ordered], rows[0] if ordered else None)
            made[place] = _runs(known, rows[place], 0 if ordered else -1, place - ordered)

    # By the order of the first column those of the items are made.
    sort(0)
    _in_threads(sort, range(1, len(rows)))
    lists, values, places = (np.concatenate(part) for part in zip(*made, strict=True))
    starts = np.cumsum(np.bincount(lists + 1, minlength=ordered + items + 1))
    places += np.repeat(np.arange(len(made)) * size, [len(part[0]) for part in made])
    widest = [_widest(known.low[:, place], known.high[:, place]) for place in range(ordered)]
    return KnownIndex(starts, values, np.append(places, rows.size), rows.reshape(-1), np.array(widest, np.int64))


def _widest(low: Ints, high: Ints) -> int:
    return max((int((high[here] - low[here]).max()) for here in _pieces(len(low))), default=0)


class _Runs(NamedTuple):
    """Where a new end or list begins among sorted rows: the list, the end and the place."""

    lists: Ints
    ends: Ints
    places: Ints


def _runs(known: KnownRows, rows: NDArray[np.int32], column: int, item_column: int) -> _Runs:
    """Find the runs of rows that are sorted by a column of items and within it by an ordered one; -1 is none."""
    starts = np.empty(len(rows), np.int64)
    places = starts[: find_runs(rows, known.low, column, known.items, item_column, starts)].copy()
    first = rows[places]
    ends = known.low[first, column] if column >= 0 else np.zeros(len(first), np.int64)
    if item_column < 0:
        return _Runs(np.full(len(first), column), ends, places)
    return _Runs(known.items[first, item_column].astype(np.int64) + known.low.shape[1], ends, places)
