"""Pairing the pseudonyms of a text of cells with the customers of the original."""

from __future__ import annotations

from sudare.kernels.cells.problems import Problem
from sudare.kernels.common.arrays import Bytes, Ints
from sudare.kernels.common.hashing import slot_of
from sudare.kernels.entry import entry

# What stands in a slot of persons that is free; persons are numbers from 1.
_NOBODY = 0


@entry
def pair_persons(
    rows: Ints,
    before: int,
    persons: Ints,
    truth: Ints,
    pseudonyms: Ints,
    customers: Ints,
    problems: Bytes,
    faults: Ints,
) -> None:
    """Pair the pseudonyms of some rows with the customers of the original, one to one.

    `pseudonyms` and `customers` are hash tables of three rows: a person, the partner, and the row where they met, among
    all that were read before. A pair that does not fit leaves both as they were, so that one wrong row is one
    complaint; `faults` has the row and the partner to which one of them belongs.
    """
    for row in rows:
        person, customer = persons[row], truth[row]
        if person == 0:
            continue
        here, there = slot_of(pseudonyms[0], person, _NOBODY), slot_of(customers[0], customer, _NOBODY)
        if pseudonyms[0, here] != _NOBODY and pseudonyms[1, here] != customer:
            problems[row] = Problem.PERSON_TAKEN
            faults[row, 0], faults[row, 1] = pseudonyms[2, here], pseudonyms[1, here]
        elif customers[0, there] != _NOBODY and customers[1, there] != person:
            problems[row] = Problem.CUSTOMER_TAKEN
            faults[row, 0], faults[row, 1] = customers[2, there], customers[1, there]
        elif pseudonyms[0, here] == _NOBODY:
            pseudonyms[0, here], pseudonyms[1, here], pseudonyms[2, here] = person, customer, before + row
            customers[0, there], customers[1, there], customers[2, there] = customer, person, before + row
