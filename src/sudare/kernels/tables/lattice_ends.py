"""Counting the classes of all subsets of a walk's last attributes at once."""

from __future__ import annotations

from typing import NamedTuple

from sudare.kernels.common.arrays import Codes, Ints, Ints32
from sudare.kernels.entry import inner

# Columns of the results: classes, records that are unique, records in the smallest class, records in classes smaller
# than a bound.
CLASSES, UNIQUES, SMALLEST, BELOW = range(4)
LARGE = 2**62


class EndScratch(NamedTuple):
    """Records of each code of the last attributes, the codes met, and the same for one subset of the attributes."""

    summed: Ints
    cells: Ints32
    added: Ints
    touched: Ints32


@inner
def _measure(sizes: Ints, places: Ints32, count: int, bound: int) -> tuple[int, int, int]:
    """Return of the sizes at some places how many are 1, the smallest, and the sum of those below the bound."""
    uniques, smallest, below = 0, LARGE, 0
    for k in range(count):
        size = sizes[places[k]]
        uniques += size == 1
        smallest = min(smallest, size)
        below += size * (size < bound)
    return uniques, smallest, below


@inner
def count_ends(
    column: Codes,
    weights: Ints,
    starts: Ints32,
    classes: int,
    parts: Ints32,
    larger: Ints,
    scratch: EndScratch,
    bound: int,
    found: Ints,
) -> None:
    """Split each class by each subset of the last attributes, of which `column` holds the numbers.

    `parts[s, c]` is the number that c becomes in the subset s, `larger[s]` has a bit for each subset that has all of s.
    `found` has a line for each subset.
    """
    summed, cells, added, touched = scratch
    found[:] = 0
    found[:, SMALLEST] = LARGE
    for c in range(classes):
        count = 0
        for i in range(starts[c], starts[c + 1]):
            # Without a branch that nobody can foretell.
            cell = column[i]
            cells[count] = cell
            count += summed[cell] == 0
            summed[cell] += weights[i]
        whole = _measure(summed, cells, count, bound)
        # The subsets that tell all numbers apart: every subset does if there is one number.
        telling = larger[0 if count == 1 else len(parts) - 1]
        for subset in range(1, len(parts)):
            different, measured = count, whole
            if not telling >> subset & 1:
                different = 0
                for k in range(count):
                    part = parts[subset, cells[k]]
                    touched[different] = part
                    different += added[part] == 0
                    added[part] += summed[cells[k]]
                if different == count:
                    telling |= larger[subset]
                else:
                    measured = _measure(added, touched, different, bound)
                for k in range(different):
                    added[touched[k]] = 0
            uniques, smallest, below = measured
            found[subset, CLASSES] += different
            found[subset, UNIQUES] += uniques
            found[subset, SMALLEST] = min(found[subset, SMALLEST], smallest)
            found[subset, BELOW] += below
        for k in range(count):
            summed[cells[k]] = 0


@inner
def members_of(subset: int) -> int:
    """Return how many attributes a subset has."""
    members = 0
    while subset:
        members += subset & 1
        subset >>= 1
    return members


@inner
def put_ends(results: Ints, subset: int, first: int, most: int, settled: Ints, found: Ints) -> None:
    """Put down the results of a subset with each of the subsets of the last attributes, which begin at bit `first`."""
    for more in range(1, len(found)):
        if members_of(more) <= most:
            line = results[subset | (more << first)]
            line[CLASSES] = settled[CLASSES] + found[more, CLASSES]
            line[UNIQUES] = settled[UNIQUES] + found[more, UNIQUES]
            line[SMALLEST] = min(settled[SMALLEST], found[more, SMALLEST])
            line[BELOW] = settled[BELOW] + found[more, BELOW]
