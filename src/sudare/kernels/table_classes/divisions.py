"""Records divided into classes: members as linked lists, the box around each class, and its weight.

A class costs its size times the weight of its box. What a record would lose by its own values is the same in every
division and is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints, Ints32
from sudare.kernels.entry import inlined, inner
from sudare.kernels.table_classes.boxes import Attributes, add_record, clear, weight

# Costs that differ by less are equal.
SAME = 1e-9


class Division(NamedTuple):
    """Records in classes; a class without members is free."""

    records: Ints32  # place of each value, record by record
    origin: Ints  # the number of each record in the table that secrets know
    owner: Ints
    head: Ints  # the first member of each class, -1 if there is none
    after: Ints  # the next member of the same class, -1 behind the last
    sizes: Ints
    boxes: Ints
    weights: Floats


@inner
def new_division(attributes: Attributes, records: Ints32, origin: Ints, classes: int) -> Division:
    """Return a division with room for classes; no record is in any."""
    n = len(records)
    slots = attributes.slot[len(attributes.kind)]
    return Division(
        records,
        origin,
        np.full(n, -1, np.int64),
        np.full(classes, -1, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(classes, np.int64),
        np.zeros((classes, slots), np.int64),
        np.zeros(classes),
    )


@inlined
def put(attributes: Attributes, division: Division, record: int, into: int) -> None:
    """Put a record that is in no class into one, whose weight stays as it was."""
    if division.sizes[into] == 0:
        clear(attributes, division.boxes[into])
    division.owner[record] = into
    division.after[record] = division.head[into]
    division.head[into] = record
    division.sizes[into] += 1
    add_record(attributes, division.boxes[into], division.records[record])


@inlined
def enter(attributes: Attributes, division: Division, record: int, into: int) -> None:
    """Put a record that is in no class into one."""
    put(attributes, division, record, into)
    division.weights[into] = weight(attributes, division.boxes[into])


@inner
def take_out(division: Division, record: int) -> None:
    """Take a record out of its class; the box stays as it is."""
    owner = division.owner[record]
    if division.head[owner] == record:
        division.head[owner] = division.after[record]
    else:
        member = division.head[owner]
        while division.after[member] != record:
            member = division.after[member]
        division.after[member] = division.after[record]
    division.sizes[owner] -= 1
    division.owner[record] = -1


@inlined
def box_without(attributes: Attributes, division: Division, record: int, box: Ints) -> None:
    """Write the box around the class of a record without it."""
    clear(attributes, box)
    member = division.head[division.owner[record]]
    while member >= 0:
        if member != record:
            add_record(attributes, box, division.records[member])
        member = division.after[member]


@inner
def cost_of(division: Division) -> float:
    """Return what all classes cost."""
    total = 0.0
    for c in range(len(division.sizes)):
        if division.sizes[c]:
            total += division.sizes[c] * division.weights[c]
    return total


@inner
def fill(attributes: Attributes, division: Division, owner: Ints) -> None:
    """Put all records into the classes that `owner` says; records of no class stay out."""
    for record in range(len(owner)):
        if owner[record] >= 0:
            put(attributes, division, record, owner[record])
    for c in range(len(division.sizes)):
        if division.sizes[c]:
            division.weights[c] = weight(attributes, division.boxes[c])
