"""Which published records cover known values, by bitmaps.

Kinds of published records stand at positions, 64 to a word; `members` says which kind stands at a position, -1 if none
does. `bits[r]` has the bits of the positions whose cells cover a value, the r-th of those that somebody is known to
have. A target's row of `wanted` names the rows of `bits` of its known values; -1 is a value that no cell covers. Blocks
of positions are worked on one after another, so what is found is added to what is there.
"""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints, Ints32, Words
from sudare.kernels.common.hashing import as_int
from sudare.kernels.entry import entry, inner

# Sums of logarithms that differ by less are equal.
SLACK = 1e-9


@inner
def _ones(word: np.uint64) -> int:
    """Return the number of bits that are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return as_int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _lowest(word: np.uint64) -> int:
    """Return the place of the lowest bit that is set, in a word that has one."""
    return _ones((word & (~word + np.uint64(1))) - np.uint64(1))


@inner
def _common(bits: Words, wanted: Ints32, target: int, word: int) -> np.uint64:
    """Return the positions of a word that cover all known values of a target; none if a value is unknown."""
    found = ~np.uint64(0)
    for a in range(wanted.shape[1]):
        row = wanted[target, a]
        if row < 0:
            return np.uint64(0)
        found &= bits[row, word]
        if found == np.uint64(0):
            break
    return found


@entry
def mark_covered(listed: Ints32, begins: Ints, ends: Ints, cells: Ints32, rows: Ints32, bits: Words) -> None:
    """Set the bits of one attribute: `cells` are those of the positions, `rows` gives values their rows, -1: none."""
    everywhere = np.zeros(bits.shape[1], np.uint64)
    for position in range(len(cells)):
        cell = cells[position]
        if cell < 0:
            continue
        word, bit = position >> 6, np.uint64(1) << np.uint64(position & 63)
        if ends[cell] - begins[cell] == len(rows):
            everywhere[word] |= bit
            continue
        for place in range(begins[cell], ends[cell]):
            row = rows[listed[place]]
            if row >= 0:
                bits[row, word] |= bit
    for value in range(len(rows)):
        if rows[value] >= 0:
            for word in range(bits.shape[1]):
                bits[rows[value], word] |= everywhere[word]


@entry
def count_records(bits: Words, wanted: Ints32, weights: Ints, counts: Ints) -> None:
    """Count the published records that cover each target: all kinds of a word have the same number of records."""
    for target in range(len(wanted)):
        for word in range(bits.shape[1]):
            found = _common(bits, wanted, target, word)
            if found != np.uint64(0):
                counts[target] += weights[word] * _ones(found)


@entry
def tally_values(
    bits: Words, wanted: Ints32, members: Ints32, starts: Ints, values: Ints32, numbers: Ints, tallies: Ints
) -> None:
    """Count the values of the records that cover each target; kind c has `numbers` of `values` from `starts[c]` on."""
    for target in range(len(wanted)):
        for word in range(bits.shape[1]):
            found = _common(bits, wanted, target, word)
            while found != np.uint64(0):
                kind = members[(word << 6) + _lowest(found)]
                found &= found - np.uint64(1)
                for i in range(starts[kind], starts[kind + 1]):
                    tallies[target, values[i]] += numbers[i]


@entry
def weigh_covering(
    bits: Words,
    wanted: Ints32,
    members: Ints32,
    sizes: Ints,
    losses: Floats,
    weights: Floats,
    least: Floats,
    tied: Ints,
    sums: Floats,
) -> None:
    """Find for each target the least loss of a kind that covers it, the records with that loss, and the weights of all.

    `least` begins as infinity.
    """
    for target in range(len(wanted)):
        for word in range(bits.shape[1]):
            found = _common(bits, wanted, target, word)
            while found != np.uint64(0):
                kind = members[(word << 6) + _lowest(found)]
                found &= found - np.uint64(1)
                sums[target] += weights[kind]
                if losses[kind] < least[target] - SLACK:
                    least[target] = losses[kind]
                    tied[target] = sizes[kind]
                elif losses[kind] <= least[target] + SLACK:
                    tied[target] += sizes[kind]


@entry
def find_nearest(
    bits: Words, wanted: Ints32, members: Ints32, widths: Floats, skipped: Ints32, nearest: Floats
) -> None:
    """Find the distance of each target to the nearest kind: its cells' widths, and 1 where a cell does not cover.

    `widths[c]` are the widths of the cells of kind c, from 0 to 1; `skipped` is a kind that a target does not see, -1
    for none. `nearest` begins as infinity.
    """
    for target in range(len(wanted)):
        best = nearest[target]
        for position in range(len(members)):
            kind = members[position]
            if kind < 0 or kind == skipped[target]:
                continue
            word, shift = position >> 6, np.uint64(position & 63)
            distance = 0.0
            for a in range(wanted.shape[1]):
                row = wanted[target, a]
                if row >= 0 and (bits[row, word] >> shift) & np.uint64(1):
                    distance += widths[kind, a]
                else:
                    distance += 1.0
                if distance >= best:
                    break
            best = min(best, distance)
        nearest[target] = best
