"""People who are not in the table: given ones, or ones made of near records by swapping values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.statistics.distinct import number_rows, row_order
from sudare.statistics.random_streams import stream
from sudare.tables.model import Table
from sudare.tables.recoded.model import CellColumn, record_rows

Codes = NDArray[np.int32]
ROUNDS = 20
# Of the next records in the order, one before this one is taken; each value is swapped with this probability. Measured
# on halves of Adult: people made this way are told from members more easily than those of the other half, by 0.04 to
# 0.15 of the area, and swapping more makes that worse.
REACH = 4
SWAPPED = 0.25


def given_outsiders(outsiders: Table, columns: Sequence[CellColumn], most: int, seed: int) -> Codes:
    """Return the values of at most some outsiders by their numbers in the columns, -1 for values that these lack."""
    places = outsiders.positions([column.attribute for column in columns])
    rows = record_rows(outsiders)
    if len(rows) > most:
        rows = np.sort(stream(seed, "outsiders").choice(rows, most, replace=False))
    numbers = [_translated(column.values, outsiders.values[a]) for column, a in zip(columns, places, strict=True)]
    return np.vstack([of_values[outsiders.codes[a][rows]] for of_values, a in zip(numbers, places, strict=True)])


def _translated(values: Sequence[str | None], others: Sequence[str | None]) -> Codes:
    numbers = {value: code for code, value in enumerate(values)}
    return np.asarray([numbers.get(value, -1) for value in others], np.int32)


def synthetic_outsiders(codes: Codes, count: int, seed: int) -> Codes:
    """Make people of the records of a table: each has most values of a record and the others of a near one.

    Records are near if they stand next to each other in an order by all columns, with the columns in random order, so
    that they agree in the first of them. Those equal to one of the two records that they are made of are left out, so
    there are fewer than `count` if near records hardly differ.
    """
    rng = stream(seed, "synthetic outsiders")
    made = np.zeros((len(codes), 0), np.int32)
    for _ in range(ROUNDS):
        if made.shape[1] >= count or codes.shape[1] < 2:
            break
        made = np.hstack([made, _mixed(codes, count, rng)])
    return np.ascontiguousarray(made[:, :count])


def _mixed(codes: Codes, count: int, rng: np.random.Generator) -> Codes:
    order = row_order(np.ascontiguousarray(codes[rng.permutation(len(codes))]))
    places = rng.integers(len(order), size=count)
    first, near = (codes[:, order[i]] for i in (places, (places + rng.integers(1, REACH, size=count)) % len(order)))
    mixed = np.where(rng.random((len(codes), count)) < SWAPPED, near, first)
    return np.asarray(mixed[:, (mixed != first).any(axis=0) & (mixed != near).any(axis=0)])


def in_table(codes: Codes, others: Codes) -> NDArray[np.bool_]:
    """Return which records have the same values as a record of the table; a value of -1 is none of the table's."""
    numbers, _ = number_rows(np.ascontiguousarray(np.hstack([codes, others]) + np.int32(1)))
    return np.isin(numbers[codes.shape[1] :], numbers[: codes.shape[1]])
