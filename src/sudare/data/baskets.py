"""Set-valued data: each user's record is a set of items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudare.data.history import Reading


@dataclass(frozen=True, slots=True)
class BasketReading(Reading):
    """How baskets were read: in which form, and how many items stood in a record more than once."""

    form: str = "pairs"
    duplicates: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Baskets:
    """Records as sets of items, one after another: record u is `items[starts[u] : starts[u + 1]]`, in rising order.

    Items are numbers; `names[i]` is the name of item i, and `users[u]` that of the user of record u. `reading` says
    how they were read, if they were.
    """

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    names: tuple[str, ...]
    users: tuple[str, ...]
    reading: BasketReading | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items of each record."""
        return np.diff(self.starts)

    def record(self, u: int) -> NDArray[np.int32]:
        """Return the items of a record."""
        return self.items[self.starts[u] : self.starts[u + 1]]

    def supports(self) -> NDArray[np.int64]:
        """Return the number of records that have each item."""
        return np.bincount(self.items, minlength=len(self.names)).astype(np.int64)

    def only(self, kept: NDArray[np.bool_]) -> Baskets:
        """Return the same records with some of the occurrences of items only."""
        owner = np.repeat(np.arange(len(self)), self.lengths)
        counts = np.bincount(owner[kept], minlength=len(self))
        return Baskets(np.append(0, np.cumsum(counts)), self.items[kept], self.names, self.users)

    def select(self, chosen: NDArray[np.bool_]) -> Baskets:
        """Return some of the records; items and users keep their numbers and names."""
        kept = np.repeat(chosen, self.lengths)
        starts = np.append(0, np.cumsum(self.lengths[chosen]))
        users = tuple(user for user, wanted in zip(self.users, chosen.tolist(), strict=True) if wanted)
        return Baskets(starts, self.items[kept], self.names, users)


def make_baskets(records: Iterable[Iterable[str]], users: Sequence[str] | None = None) -> Baskets:
    """Make baskets of records of item names; items are numbered in the order of their names.

    An item that stands in a record twice counts once. Without names the users are the numbers of the records from 1.
    """
    sets = [set(record) for record in records]
    names = tuple(sorted(set().union(*sets)))
    numbers = {name: number for number, name in enumerate(names)}
    lists = [sorted(numbers[name] for name in record) for record in sets]
    starts = np.append(0, np.cumsum([len(record) for record in lists])).astype(np.int64)
    items = np.asarray([item for record in lists for item in record], np.int32)
    return Baskets(starts, items, names, tuple(users) if users is not None else numbered(len(lists)))


def numbered(records: int) -> tuple[str, ...]:
    """Return the users of records that have no names: the numbers from 1."""
    return tuple(map(str, range(1, records + 1)))


@dataclass(frozen=True, slots=True)
class SensitiveReading:
    """Where sensitive items come from, a file or a rule, and how many lines name what the baskets do not have."""

    source: str
    lines: int
    unknown: int
    sha256: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveItems:
    """Which items each user does not want to be inferred; a user need not have them.

    Users with the same list share a row: `rows[u]` is the row of user u, and bit i % 64 of `words[row, i // 64]` says
    whether item i is sensitive. `described` is how the lists were given, for people.
    """

    rows: NDArray[np.int32]
    words: NDArray[np.uint64]
    described: str
    reading: SensitiveReading | None = None

    def has(self, u: int, item: int) -> bool:
        """Say whether an item is sensitive for a user."""
        return bool(int(self.words[self.rows[u], item // 64]) >> (item % 64) & 1)

    def of(self, u: int, items: int) -> NDArray[np.int64]:
        """Return the sensitive items of a user among the first `items` numbers."""
        bits = np.unpackbits(self.words[self.rows[u]].view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[:items])

    def select(self, chosen: NDArray[np.bool_]) -> SensitiveItems:
        """Return the lists of some of the users."""
        return SensitiveItems(self.rows[chosen], self.words, self.described)


def sensitive_rows(masks: NDArray[np.bool_], rows: NDArray[np.int32], described: str) -> SensitiveItems:
    """Make sensitive items of a matrix with a row for each different list and a column for each item."""
    padded = np.zeros((len(masks), -(-masks.shape[1] // 64) * 64), np.bool_)
    padded[:, : masks.shape[1]] = masks
    words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return SensitiveItems(rows.astype(np.int32), np.ascontiguousarray(words), described)
