"""How many people of a reference population fit each record of a table: k-map.

Sweeney: k-Anonymity (2002), k-map: a record that k people of the population fit cannot be told from k - 1 others there,
however rare it is in the table itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import OptionNotUsable
from sudare.results import Result
from sudare.showing import dataclass
from sudare.statistics.distinct import sum_by
from sudare.tables.model import Table


@dataclass(frozen=True, slots=True)
class ReferenceRisk(Result):
    """How many records of a population are equal to each record of a table on some attributes.

    `smallest` is the smallest number that fits a record which anybody fits (None: nobody fits any); `unique` records
    fit exactly one; `absent` fit nobody, so that the population lacks them.
    """

    attributes: tuple[str, ...]
    records: int
    population: int
    smallest: int | None
    unique: int
    absent: int


@checked
def reference_risk(table: Table, population: Table, known: Sequence[str]) -> ReferenceRisk:
    """Count for each record of a table the records of a population that are equal on the known attributes.

    Values are compared as text; a missing value equals a missing one.
    """
    if any(one.persons is not None or (one.wildcards >= 0).any() for one in (table, population)):
        raise OptionNotUsable("errors.population.overlapping")
    mine, theirs = table.positions(known), population.positions(known)
    keys, own = np.zeros(len(population.counts), np.int64), np.zeros(len(table.counts), np.int64)
    for a, b in zip(mine, theirs, strict=True):
        keys, own = _joined(keys, own, population.codes[b], _matched(table, a, population, b))
    counted = sum_by(keys, population.counts, int(keys.max(initial=-1)) + 1)
    fitting = np.where(own >= 0, np.append(counted, 0)[own], 0)
    there = fitting[fitting > 0]
    return ReferenceRisk(
        tuple(known), table.records, population.records, int(there.min()) if len(there) else None,
        int(table.counts[fitting == 1].sum()), int(table.counts[fitting == 0].sum()),
    )  # fmt: skip


def _matched(table: Table, a: int, population: Table, b: int) -> NDArray[np.int64]:
    """Return for each row of the table the number that its value has in the population, -1 where nobody has it."""
    numbers = {value: number for number, value in enumerate(population.values[b])}
    matched: NDArray[np.int64] = np.array([numbers.get(value, -1) for value in table.values[a]], np.int64)
    found: NDArray[np.int64] = matched[table.codes[a]]
    return found


def _joined(
    keys: NDArray[np.int64], own: NDArray[np.int64], codes: NDArray[np.int32], matched: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Add an attribute to what rows have in common, numbered anew, so that numbers stay small."""
    width = int(codes.max(initial=0)) + 1
    found, numbers = np.unique(keys * width + codes, return_inverse=True)
    mine = np.where((own >= 0) & (matched >= 0), own * width + matched, -1)
    places = np.minimum(np.searchsorted(found, mine), max(len(found) - 1, 0))
    known = (mine >= 0) & (found[places] == mine) if len(found) else np.zeros(len(mine), np.bool_)
    return numbers.astype(np.int64), np.where(known, places, -1)
