"""Numbering sequences (bytes of names, items of sets): each is stored once and found again by its number.

A sequence belongs to an owner, the number of its column; equal sequences of different owners are different. Sequences
are found by an open hash table of their numbers (-1: free).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Bytes, Ints, Ints32
from sudare.kernels.common.hashing import spread
from sudare.kernels.entry import entry, inner


class Sequences(NamedTuple):
    """Numbered sequences: s is pool[starts[s] : starts[s + 1]]; filled[0] is how many there are."""

    slots: Ints32
    starts: Ints
    pool: Bytes | Ints32
    owners: Ints
    filled: Ints


_PRIME = np.uint64(0x100000001B3)


@inner
def _slot(sequences: Sequences, values: Bytes | Ints32, start: int, end: int, owner: int) -> int:
    """Return the slot of a sequence, or the free one where it would stand."""
    mixed = np.uint64(owner) + np.uint64(0xCBF29CE484222325)
    for place in range(start, end):
        mixed = (mixed ^ np.uint64(values[place])) * _PRIME
    last = len(sequences.slots) - 1
    slot = spread(mixed ^ (mixed >> np.uint64(32)), last + 1)
    while sequences.slots[slot] >= 0:
        number = sequences.slots[slot]
        begin = sequences.starts[number]
        if sequences.owners[number] == owner and sequences.starts[number + 1] - begin == end - start:
            same = True
            for place in range(end - start):
                if sequences.pool[begin + place] != values[start + place]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + 1) & last
    return slot


@inner
def find_sequence(sequences: Sequences, values: Bytes, start: int, end: int, owner: int) -> int:
    """Return the number of a sequence, or -1."""
    number: int = sequences.slots[_slot(sequences, values, start, end, owner)]
    return number


@inner
def has_room(sequences: Sequences, more: int, longer: int) -> bool:
    """Tell whether there is room for more sequences of a total length; half of the slots stay free."""
    filled = sequences.filled[0]
    return bool(filled + more <= len(sequences.owners) and sequences.starts[filled] + longer <= len(sequences.pool))


@inner
def number_sequence(sequences: Sequences, values: Bytes | Ints32, start: int, end: int, owner: int) -> int:
    """Return the number of a sequence; a new one gets the next number. There must be room for it."""
    slot = _slot(sequences, values, start, end, owner)
    number: int = sequences.slots[slot]
    if number >= 0:
        return number
    number = sequences.filled[0]
    begin = sequences.starts[number]
    for place in range(end - start):
        sequences.pool[begin + place] = values[start + place]
    sequences.starts[number + 1] = begin + end - start
    sequences.owners[number] = owner
    sequences.slots[slot] = number
    sequences.filled[0] = number + 1
    return number


@entry
def fill_slots(sequences: Sequences) -> None:
    """Put all sequences into slots that are free."""
    for number in range(sequences.filled[0]):
        start, end = sequences.starts[number], sequences.starts[number + 1]
        slot = _slot(sequences, sequences.pool, start, end, sequences.owners[number])
        sequences.slots[slot] = number
