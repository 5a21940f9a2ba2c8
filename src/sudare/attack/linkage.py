"""A published history and what is known of the original one, packed and indexed so that rows find each other.

Pseudonyms whose rows are the same are one *group* here: nothing tells them apart, so they are compared once. Customers
are numbered in an order of the seed, so that ties are not decided by the numbers people have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.attack.knowledge import KnownHistory
from sudare.data.cells import CellHistory, Column, ItemColumn, Kind, OrderedColumn
from sudare.errors import OptionNotUsable
from sudare.kernels.attack_rows import NO_END, KnownIndex, KnownRows, PublishedRows, find_blocks
from sudare.risk.published_classes import published_classes

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PackedColumns:
    """Some columns of both histories, as kernels take them."""

    published: PublishedRows
    known: KnownRows
    index: KnownIndex
    blocks: Integers
    sizes: Integers
    shares: NDArray[np.float64]


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
            raise OptionNotUsable(
                f"The published history has no column {missing!r}.\nHint: use the same rules for both."
            )
        for name in self.item_names:
            if _item_names(known.history, name) != _item_names(published, name):
                raise OptionNotUsable(
                    f"The items of the column {name!r} are others.\nHint: read both with one original."
                )
        self._published = published
        found = published_classes(published)
        self.pids = found.pids
        self.groups: Integers = found.classes
        self.multiplicity: Integers = found.sizes
        self._make_groups(found.classes)
        random = np.random.default_rng(seed)
        self.customers: Integers = random.permutation(known.customers)
        self._draws = random.random(len(self.pids))
        self._customer_of = self._numbers_of(known.history.persons)
        counts = np.bincount(self._customer_of, minlength=len(self.customers))
        self._known_starts: Integers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def _make_groups(self, classes: Integers) -> None:
        """Collect the rows of the first pseudonym of each group."""
        firsts = np.unique(classes, return_index=True)[1]
        kept = np.flatnonzero(~self._published.deleted)
        order = kept[np.argsort(self._published.persons[kept], kind="stable")]
        ends = np.searchsorted(self._published.persons[order], self.pids[firsts], "right")
        begins = np.searchsorted(self._published.persons[order], self.pids[firsts])
        self.starts: Integers = np.concatenate([[0], np.cumsum(ends - begins)]).astype(np.int64)
        pieces = [order[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
        self._group_rows: Integers = np.concatenate([*pieces, np.empty(0, np.int64)])
        self.group_sizes = np.diff(self.starts)

    def _numbers_of(self, persons: Integers) -> Integers:
        order = np.argsort(self.customers)
        return order[np.searchsorted(self.customers[order], persons)]

    def mix_groups(self) -> Integers:
        """Return places that exchange the pseudonyms of each group among themselves, in an order of the seed."""
        mixed = np.empty(len(self.pids), np.int64)
        mixed[np.argsort(self.groups, kind="stable")] = np.lexsort((self._draws, self.groups))
        return mixed

    @property
    def customer_sizes(self) -> Integers:
        """How many rows of each customer are known."""
        return np.diff(self._known_starts)

    @property
    def item_names(self) -> list[str]:
        """The known columns that have items."""
        return [column.name for column in self.knowledge.history.columns if isinstance(column, ItemColumn)]

    @cached_property
    def all_columns(self) -> PackedColumns:
        """All columns that are known."""
        return self.pack(self.names)

    def pack(self, names: Sequence[str]) -> PackedColumns:
        """Return some columns of both histories, with an index of the known one."""
        taken = [name for name in self.names if name in names]
        pairs = [(self._published.column(name), self.knowledge.history.column(name)) for name in taken]
        public = self._group_rows
        ordered = [(p, k) for p, k in pairs if isinstance(p, OrderedColumn) and isinstance(k, OrderedColumn)]
        items = [(p, k) for p, k in pairs if isinstance(p, ItemColumn) and isinstance(k, ItemColumn)]
        low, high = _ends([p for p, _ in ordered], public)
        published = PublishedRows(low, high, *_sets([p for p, _ in items], public))
        first_items = items[0][1].sets if items else np.zeros(len(self._customer_of), np.int32)
        secret = np.lexsort((first_items, self._customer_of))
        low, high = _ends([k for _, k in ordered], secret)
        customer = np.repeat(np.arange(len(self.customers)), self.customer_sizes)
        known = KnownRows(low, high, _items([k for _, k in items], secret), customer, self._known_starts)
        index = _index(known, sum(len(k.names) for _, k in items))
        blocks, sizes = np.empty(len(public), np.int64), np.empty(len(public), np.int64)
        shares = np.empty(len(public))
        find_blocks(published, index, len(taken), blocks, sizes, shares)
        return PackedColumns(published, known, index, blocks, sizes, shares)

    def exact_rows(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which rows of the groups say one value in each of these columns."""
        found = np.ones(len(self._group_rows), np.bool_)
        for name in names:
            column = self._published.column(name)
            found &= _is_exact(column)[self._group_rows]
        return found


def _item_names(history: CellHistory, name: str) -> tuple[str, ...]:
    column = history.column(name)
    return column.names if isinstance(column, ItemColumn) else ()


def _is_exact(column: Column) -> NDArray[np.bool_]:
    alone = column.sizes[column.sets] == 1 if isinstance(column, ItemColumn) else column.low == column.high
    return np.asarray((column.kinds != Kind.DELETED) & alone)


def _ends(columns: list[OrderedColumn], rows: Integers) -> tuple[Integers, Integers]:
    shape = (len(rows), len(columns))
    low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)
    for place, column in enumerate(columns):
        deleted = column.kinds[rows] == Kind.DELETED
        low[:, place] = np.where(deleted, NO_END, column.low[rows])
        high[:, place] = np.where(deleted, -NO_END, column.high[rows])
    return low, high


def _sets(columns: list[ItemColumn], rows: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the sets of rows, where the members of all sets begin, and the members, each set's rising."""
    sets = np.empty((len(rows), len(columns)), np.int64)
    sizes, members, base = [np.zeros(1, np.int64)], [np.empty(0, np.int64)], 0
    for place, column in enumerate(columns):
        before = sum(len(part) for part in sizes) - 1
        sets[:, place] = np.where(column.sets[rows] < 0, -1, column.sets[rows].astype(np.int64) + before)
        of_set = np.repeat(np.arange(len(column.sizes)), column.sizes)
        members.append(column.members[np.lexsort((column.members, of_set))].astype(np.int64) + base)
        sizes.append(column.sizes.astype(np.int64))
        base += len(column.names)
    return sets, np.cumsum(np.concatenate(sizes)), np.concatenate(members)


def _items(columns: list[ItemColumn], rows: Integers) -> Integers:
    """Return the items of known rows, those of a column after those of the columns before."""
    items, base = np.empty((len(rows), len(columns)), np.int64), 0
    for place, column in enumerate(columns):
        items[:, place] = column.sets[rows].astype(np.int64) + base
        base += len(column.names)
    return items


def _index(known: KnownRows, items: int) -> KnownIndex:
    flat = known.items.T.reshape(-1)
    first_low = known.low[:, 0] if known.low.shape[1] else np.zeros(len(known.customer), np.int64)
    order = np.lexsort((np.tile(first_low, known.items.shape[1]), flat))
    rows = order % max(len(known.items), 1)
    item_starts = np.concatenate([[0], np.cumsum(np.bincount(flat, minlength=items))]).astype(np.int64)
    by_low = np.argsort(known.low, axis=0, kind="stable").T.copy()
    ends = np.take_along_axis(known.low, by_low.T, axis=0).T.copy()
    widest = (known.high - known.low).max(axis=0, initial=0)
    return KnownIndex(item_starts, rows, first_low[rows], by_low, ends, widest)
