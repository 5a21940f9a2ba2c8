"""The item names and item sets in a text of cells, numbered by kernels/cells/sequences.py.

Items of all item columns are numbered together, each column's own one after another; a column is named by its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.histories.generalized.item_names import name_bytes, name_text
from sudare.kernels.cells.sequences import Sequences, fill_slots
from sudare.kernels.common.arrays import Ints


def slots_for(entries: int) -> int:
    """Return a power of two that leaves at least half of the slots free."""
    return 1 << (2 * entries + 1).bit_length()


def first_numbers(known: dict[int, tuple[str, ...]]) -> dict[int, int]:
    """Return the number of the first item of each item column; items of all columns are numbered together."""
    sizes = np.cumsum([0, *(len(names) for names in known.values())]).tolist()
    return dict(zip(known, sizes, strict=False))


def _sequences(pool: NDArray[Any], lengths: Ints, owners: Ints) -> Sequences:
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    filled = np.array([len(owners)], np.int64)
    made = Sequences(np.full(slots_for(len(owners)), -1, np.int32), starts, pool, owners, filled)
    fill_slots(made)
    return made


def _owners(known: dict[int, tuple[str, ...]]) -> Ints:
    return np.repeat(np.array(list(known), np.int64), [len(names) for names in known.values()])


def number_names(known: dict[int, tuple[str, ...]]) -> Sequences:
    """Return the names of items with their numbers."""
    texts = [name_bytes(name) for names in known.values() for name in names]
    pool = np.frombuffer(b"".join(texts), np.uint8).copy()
    return _sequences(pool, np.fromiter(map(len, texts), np.int64, len(texts)), _owners(known))


def single_items(known: dict[int, tuple[str, ...]]) -> Sequences:
    """Return the sets of one item: set s is item s."""
    owners = _owners(known)
    return _sequences(np.arange(len(owners), dtype=np.int32), np.ones(len(owners), np.int64), owners)


def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return an array with room for that many entries, and for many more if it must be reallocated."""
    if len(array) >= size:
        return array
    return np.concatenate([array, np.zeros(max(size, 2 * len(array)) - len(array), array.dtype)])


def with_room(sequences: Sequences, more: int, longer: int) -> Sequences:
    """Return sequences with room for more of them, of the given total length."""
    entries = int(sequences.filled[0])
    owners = grown(sequences.owners, entries + more)
    starts = grown(sequences.starts, len(owners) + 1)
    pool = grown(sequences.pool, int(sequences.starts[entries]) + longer)
    made = Sequences(sequences.slots, starts, pool, owners, sequences.filled)
    if len(made.slots) < 2 * len(owners):
        made = made._replace(slots=np.full(slots_for(len(owners)), -1, np.int32))
        fill_slots(made)
    return made


def column_names(names: Sequences, place: int) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the names of an item column in order, and the place in it of each number."""
    entries = int(names.filled[0])
    starts = names.starts[: entries + 1].tolist()
    own = np.flatnonzero(names.owners[:entries] == place)
    letters = names.pool[: starts[entries]].tobytes()
    texts = [name_text(letters[starts[number] : starts[number + 1]]) for number in own.tolist()]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    local = np.zeros(max(entries, 1), np.int32)
    local[own[order]] = np.arange(len(order))
    return tuple(texts[number] for number in order), local


def column_sets(sets: Sequences, place: int, base: int) -> tuple[NDArray[np.int32], Ints, NDArray[np.int32]]:
    """Return where each set is among those of one column, single items first, and those sets."""
    entries = int(sets.filled[0])
    own = np.flatnonzero(sets.owners[:entries] == place)
    local = np.zeros(max(entries, 1), np.int32)
    local[own] = np.arange(len(own))
    lengths = np.diff(sets.starts[: entries + 1])
    members = sets.pool[: int(sets.starts[entries])][np.repeat(sets.owners[:entries] == place, lengths)] - base
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[own])])
    return local, starts, members.astype(np.int32)
