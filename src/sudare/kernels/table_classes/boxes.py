"""Boxes around records: for each attribute what a class is told to have, and what a record loses by it.

Values of an attribute are numbered by their places in an order. A box has slots for each attribute: the least and the
greatest place in it, or, for a set, the records that the values of the set have in the whole table, and bits for the
values. What is published of least and greatest is the lowest node of a tree that has both, or the range between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints, Ints32
from sudare.kernels.entry import inlined

# How a box weighs: by a table of all pairs of least and greatest, by the nodes of a tree, by the records from least to
# greatest, by the distance of their values, by the records of a set, or by the number of its values.
TABLE, TREE, RECORDS, DISTANCE, SET, NUMBER = range(6)
# Bits of a slot that are used: its sign is not.
BITS = 62


class Attributes(NamedTuple):
    """How the attributes weigh; arrays of all attributes follow each other.

    From `first` on, `weights` has for a TABLE the weight of each least and greatest, for a TREE the weight of each
    node, for RECORDS the records before each place and in all, for DISTANCE the value of each place (as part of the
    whole span), for a SET the records of each place.
    """

    kind: Ints
    slot: Ints  # the first slot of the attribute in a box; a last entry says how many there are
    values: Ints
    first: Ints
    weights: Floats
    node: Ints  # the place of the attribute's nodes in the following; attributes without a tree have none
    begin: Ints
    end: Ints
    parent: Ints
    leaf: Ints  # the node of each place, from `place` on
    place: Ints


@inlined
def is_set(attributes: Attributes, a: int) -> bool:
    """Return whether a box has bits of an attribute."""
    kind = attributes.kind[a]
    return bool(kind >= SET)


@inlined
def node_around(attributes: Attributes, a: int, low: int, high: int) -> int:
    """Return the lowest node that has two places."""
    node = attributes.leaf[attributes.place[a] + low]
    while attributes.end[node] <= high:
        node = attributes.parent[node]
    return int(node)


@inlined
def _weight_between(attributes: Attributes, a: int, low: int, high: int) -> float:
    kind, first, weights = attributes.kind[a], attributes.first[a], attributes.weights
    if kind == TABLE:
        return float(weights[first + low * attributes.values[a] + high])
    if kind == TREE:
        return float(weights[first + node_around(attributes, a, low, high) - attributes.node[a]])
    if kind == RECORDS:
        return float(np.log2(max(weights[first + high + 1] - weights[first + low], 1.0)))
    return float(weights[first + high] - weights[first + low])


@inlined
def _weight_of_set(attributes: Attributes, a: int, sum_: int) -> float:
    """Return the weight of a set with a sum of records, or of values."""
    if attributes.kind[a] == SET:
        return float(np.log2(max(sum_, 1)))
    return float(max(sum_ - 1, 0) / max(attributes.values[a] - 1, 1))


@inlined
def _share_of_sum(attributes: Attributes, a: int, place: int) -> int:
    """Return what a value adds to the sum of a set."""
    return int(attributes.weights[attributes.first[a] + place]) if attributes.kind[a] == SET else 1


@inlined
def _has(box: Ints, slot: int, place: int) -> bool:
    return bool((box[slot + 1 + place // BITS] >> (place % BITS)) & 1)


@inlined
def clear(attributes: Attributes, box: Ints) -> None:
    """Make a box empty."""
    for a in range(len(attributes.kind)):
        slot = attributes.slot[a]
        if is_set(attributes, a):
            for s in range(slot, attributes.slot[a + 1]):
                box[s] = 0
        else:
            box[slot] = attributes.values[a]
            box[slot + 1] = -1


@inlined
def add_record(attributes: Attributes, box: Ints, record: Ints32) -> None:
    """Widen a box so that a record is in it."""
    for a in range(len(record)):
        slot, place = attributes.slot[a], record[a]
        if not is_set(attributes, a):
            box[slot] = min(box[slot], place)
            box[slot + 1] = max(box[slot + 1], place)
        elif not _has(box, slot, place):
            box[slot] += _share_of_sum(attributes, a, place)
            box[slot + 1 + place // BITS] |= 1 << (place % BITS)


@inlined
def add_box(attributes: Attributes, box: Ints, other: Ints) -> None:
    """Widen a box so that another is in it."""
    for a in range(len(attributes.kind)):
        slot = attributes.slot[a]
        if not is_set(attributes, a):
            box[slot] = min(box[slot], other[slot])
            box[slot + 1] = max(box[slot + 1], other[slot + 1])
            continue
        for word in range(slot + 1, attributes.slot[a + 1]):
            new = other[word] & ~box[word]
            place = (word - slot - 1) * BITS
            while new:
                if new & 1:
                    box[slot] += _share_of_sum(attributes, a, place)
                new >>= 1
                place += 1
            box[word] |= other[word]


@inlined
def weight(attributes: Attributes, box: Ints) -> float:
    """Return the weight of a box; that of an empty one is 0."""
    total = 0.0
    for a in range(len(attributes.kind)):
        slot = attributes.slot[a]
        if is_set(attributes, a):
            total += _weight_of_set(attributes, a, box[slot])
        elif box[slot + 1] >= 0:
            total += _weight_between(attributes, a, box[slot], box[slot + 1])
    return total


@inlined
def weight_with(attributes: Attributes, box: Ints, record: Ints32, most: float) -> float:
    """Return the weight of a box with a record added, or some weight from `most` on if it is at least that."""
    total = 0.0
    for a in range(len(record)):
        slot, place = attributes.slot[a], record[a]
        if is_set(attributes, a):
            more = 0 if _has(box, slot, place) else _share_of_sum(attributes, a, place)
            total += _weight_of_set(attributes, a, box[slot] + more)
        else:
            total += _weight_between(attributes, a, min(box[slot], place), max(box[slot + 1], place))
        if total >= most:
            return total
    return total


@inlined
def is_covered(attributes: Attributes, box: Ints, record: Ints32) -> bool:
    """Return whether what is published of a box covers a record."""
    for a in range(len(record)):
        slot, place = attributes.slot[a], record[a]
        if is_set(attributes, a):
            if not _has(box, slot, place):
                return False
        elif attributes.place[a] >= 0:
            node = node_around(attributes, a, box[slot], box[slot + 1])
            if not attributes.begin[node] <= place < attributes.end[node]:
                return False
        elif not box[slot] <= place <= box[slot + 1]:
            return False
    return True
