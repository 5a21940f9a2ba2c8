"""Hash tables with a power of two of slots, for numbers and sequences of numbers.

A key stands in the first slot that is free from the one it is spread to, so that tables need more slots than keys.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Ints
from sudare.kernels.entry import entry, inner

# An odd number whose bits look random: the golden ratio as a fraction of 64 bits.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
# What stands in a slot without a key.
FREE = -1


@inner
def as_int(word: np.uint64) -> int:
    """Return a word as a whole number; the highest bit becomes the sign."""
    return np.int64(word)  # type: ignore[return-value]  # for numba this is what an int is


@inner
def mix(mixed: np.uint64, word: np.uint64) -> np.uint64:
    """Return a number of what was mixed before and one word more."""
    mixed = (mixed ^ word) * SPREAD
    return mixed ^ (mixed >> np.uint64(29))


@inner
def spread(word: np.uint64, slots: int) -> int:
    """Return one of some slots for a word."""
    return as_int(mix(np.uint64(0), word) & np.uint64(slots - 1))


@inner
def slot_of(keys: Ints, key: int, free: int) -> int:
    """Return the slot that has a key, or the free one where it belongs."""
    slots = len(keys)
    slot = spread(np.uint64(key), slots)
    while keys[slot] != free and keys[slot] != key:
        slot = (slot + 1) & (slots - 1)
    return slot


@entry
def number_keys(keys: Ints, numbers: Ints) -> int:
    """Give equal keys, from 0 on, the same number, in the order in which they first stand there; return how many."""
    slots = 16
    while slots < 2 * len(keys):
        slots *= 2
    held, number = np.full(slots, FREE, np.int64), np.empty(slots, np.int32)
    found = 0
    for i in range(len(keys)):
        slot = slot_of(held, keys[i], FREE)
        if held[slot] == FREE:
            held[slot], number[slot] = keys[i], found
            found += 1
        numbers[i] = number[slot]
    return found
