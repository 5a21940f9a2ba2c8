"""Grouping the distinct rows of a table at levels of its attributes, with the resulting loss and suppression.

A generalized value is written as the smallest value it covers: then one map per level raises a value from whatever
lower level it is at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bools, Bytes, Floats, Ints, Ints32, Words
from sudare.kernels.common.hashing import as_int, mix
from sudare.kernels.entry import inner

ENTROPY, DISCERNIBILITY, PRECISION, CERTAINTY = range(4)


class Lattice(NamedTuple):
    """What is asked: for each attribute its field in the keys, its levels and its maps, and the bounds."""

    word: Ints  # the word of a key that has the attribute's field, its place and its bits there
    shift: Words
    field: Words
    levels: Ints  # number of levels
    stride: Ints  # difference of node numbers between two levels
    first: Ints  # place of the attribute's maps; `cardinality` entries for each level
    cardinality: Ints
    raised: Words  # value -> smallest value that is equal to it at the level
    penalty: Floats  # value -> what one suppressed record with it adds to the loss of the level, where that adds up
    single: Bools  # whether all values are one at [attribute, level]
    base: Floats  # loss without suppression that [attribute, level] adds
    small: int  # classes with fewer records are suppressed
    allowed: int  # most records that may be suppressed
    records: int
    loss: int  # which loss


class Walk(NamedTuple):
    """What is known so far: grouped tables, what holds for each node, and the best node."""

    keys: Words
    weights: Ints
    rows: Ints  # rows of each table; -1: none yet
    held: Ints  # levels of each table
    squares: Floats  # sum of squared class sizes of each table
    slots: Ints32  # hash table
    status: Bytes
    seen: Bytes
    best: Floats


@inner
def _plan(lattice: Lattice, old: Ints, new: Ints, masks: Words, mapped: Ints) -> int:
    """Find the fields that become zero, where all values are one, and the attributes to map; return their number."""
    masks[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
    count = 0
    for a in range(len(new)):
        if old[a] == new[a]:
            continue
        if lattice.single[a, new[a]]:
            masks[lattice.word[a]] &= ~(lattice.field[a] << lattice.shift[a])
        else:
            mapped[count] = a
            count += 1
    return count


@inner
def _raise(lattice: Lattice, levels: Ints, mapped: Ints, count: int, key: Words) -> None:
    """Raise some attributes of a key to their levels."""
    for t in range(count):
        a = mapped[t]
        w, shift = lattice.word[a], lattice.shift[a]
        code = (key[w] >> shift) & lattice.field[a]
        place = lattice.first[a] + levels[a] * lattice.cardinality[a] + as_int(code)
        key[w] ^= (code ^ lattice.raised[place]) << shift


@inner
def _mix(key: Words) -> np.uint64:
    mixed = np.uint64(0)
    for w in range(len(key)):
        mixed = mix(mixed, key[w])
    return mixed * np.uint64(0xBF58476D1CE4E5B9)


@inner
def _find(slots: Ints32, bits: int, grouped: Words, key: Words) -> int:
    """Return the slot that has the row of a key, or the empty one (-1) where it belongs."""
    slot = as_int(_mix(key) >> np.uint64(64 - bits))
    last = (1 << bits) - 1
    while True:
        row = slots[slot]
        if row < 0:
            return slot
        same = True
        for w in range(len(key)):
            same &= grouped[row, w] == key[w]
        if same:
            return slot
        slot = (slot + 1) & last


@inner
def group_table(lattice: Lattice, walk: Walk, source: int, target: int, levels: Ints) -> None:
    """Group table `source` at some higher levels into table `target`, which may be the same."""
    keys, weights, rows = walk.keys[source], walk.weights[source], walk.rows[source]
    # No row is written beyond the one that is read, so that a table can be grouped in its own place.
    grouped, summed = walk.keys[target], walk.weights[target]
    masks, key = np.empty(keys.shape[1], np.uint64), np.empty(keys.shape[1], np.uint64)
    mapped, slots = np.empty(len(levels), np.int64), walk.slots
    count = _plan(lattice, walk.held[source], levels, masks, mapped)
    bits = 4
    while (1 << bits) < 2 * rows:
        bits += 1
    slots[: 1 << bits] = -1
    found = 0
    for i in range(rows):
        for w in range(len(key)):
            key[w] = keys[i, w] & masks[w]
        _raise(lattice, levels, mapped, count, key)
        slot = _find(slots, bits, grouped, key)
        row = slots[slot]
        if row >= 0:
            summed[row] += weights[i]
        else:
            slots[slot] = found
            for w in range(len(key)):
                grouped[found, w] = key[w]
            summed[found] = weights[i]
            found += 1
    walk.rows[target] = found
    walk.held[target] = levels


@inner
def lower_bound(lattice: Lattice, levels: Ints) -> float:
    """Return the loss at some levels without suppression, as far as it adds up over attributes."""
    total = 0.0
    for a in range(len(levels)):
        total += lattice.base[a, levels[a]]
    return total


@inner
def penalty_of(lattice: Lattice, walk: Walk, table: int, row: int, depth: int) -> float:
    """Return what one suppressed record of a row adds to the entropy loss of the first attributes."""
    total = 0.0
    for a in range(depth):
        code = (walk.keys[table, row, lattice.word[a]] >> lattice.shift[a]) & lattice.field[a]
        place = lattice.first[a] + walk.held[table, a] * lattice.cardinality[a] + as_int(code)
        total += lattice.penalty[place]
    return total


@inner
def measure(lattice: Lattice, walk: Walk, table: int) -> tuple[int, float]:
    """Return suppressed records and loss of a table, and note its sum of squared class sizes."""
    weights, levels = walk.weights[table], walk.held[table]
    adds_up = lattice.loss == ENTROPY or lattice.loss == CERTAINTY
    suppressed = 0
    squares = crowded = penalty = 0.0
    for i in range(walk.rows[table]):
        size = weights[i]
        squares += float(size) * size
        if size < lattice.small:
            suppressed += size
            crowded += float(size) * size
            if adds_up and suppressed <= lattice.allowed:
                penalty += size * penalty_of(lattice, walk, table, i, len(levels))
    walk.squares[table] = squares
    base = lower_bound(lattice, levels)
    if lattice.loss == DISCERNIBILITY:
        return suppressed, squares - crowded + float(lattice.records) * suppressed
    if lattice.loss == PRECISION:
        return suppressed, base + (1.0 - base) * (suppressed / lattice.records)
    return suppressed, base + penalty
