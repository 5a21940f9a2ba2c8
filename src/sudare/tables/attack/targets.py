"""The people who are attacked, and which published records are theirs."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare.showing import dataclass
from sudare.statistics.distinct import first_rows, number_rows
from sudare.statistics.random_streams import stream
from sudare.tables.recoded.model import Numbers, RecodedTable

# All records are targets up to MOST_TARGETS; of more, DRAWN_TARGETS are drawn.
MOST_TARGETS = 50_000
DRAWN_TARGETS = 20_000
# The records of all targets' persons; of a table in which few people have most records, fewer targets are drawn.
MOST_PAIRS = 5_000_000


@dataclass(frozen=True, eq=False)
class Targets:
    """Records whose persons are attacked by somebody who knows their quasi-identifiers.

    `pair_target` and `pair_record` list for each target, by its place in `records`, all records of its person: only
    itself, where the table has no person column.
    """

    found: RecodedTable
    records: NDArray[np.int64]
    pair_target: NDArray[np.int64]
    pair_record: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.records)

    @property
    def everybody(self) -> bool:
        """Whether every record is a target."""
        return len(self.records) == len(self.found.rows)

    @cached_property
    def codes(self) -> Numbers:
        """The values of the quasi-identifiers of each target."""
        places = self.found.table.positions(list(self.found.quasi))
        return np.asarray(self.found.table.codes[places][:, self.found.rows[self.records]])

    @cached_property
    def persons(self) -> NDArray[np.int64]:
        """The number of the person of each target."""
        whose = self.found.table.persons
        return self.records if whose is None else whose[self.found.rows[self.records]].astype(np.int64)

    def distinct(self, places: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a number for each target by its values in some quasi-identifiers, and the first of each number."""
        numbers, found = number_rows(np.ascontiguousarray(self.codes[places]))
        return numbers, first_rows(numbers, found)

    @cached_property
    def covered(self) -> NDArray[np.bool_]:
        """For each quasi-identifier and pair, whether the record is published and covers what is known."""
        return self.covered_by(self.pair_record)

    def covered_by(self, records: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the same for other records in the place of those of the pairs."""
        owner = self.found.owner[records]
        codes = self.codes[:, self.pair_target]
        covers = [
            column.covers(self.found.cells[a][owner], codes[a]) for a, column in enumerate(self.found.columns)
        ]  # fmt: skip
        return np.asarray(np.vstack(covers) & (owner >= 0))

    def own(self, covered: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many records of each target's person are covered in all of these quasi-identifiers."""
        return np.bincount(self.pair_target[covered.all(axis=0)], minlength=len(self.records))

    def some(self, most: int, seed: int) -> Targets:
        """Return at most some of the targets, drawn at random."""
        if len(self.records) <= most:
            return self
        chosen = stream(seed, "some targets").choice(len(self.records), most, replace=False)
        return _targets(self.found, self.records[np.sort(chosen)])


def draw_targets(found: RecodedTable, seed: int) -> Targets:
    """Take all records as targets, or draw some where there are many."""
    n = len(found.rows)
    if n <= MOST_TARGETS and (found.table.persons is None or _pairs(found, np.arange(n)).sum() <= MOST_PAIRS):
        return _targets(found, np.arange(n))
    drawn = stream(seed, "targets").choice(n, min(n, DRAWN_TARGETS), replace=False)
    enough = int(np.searchsorted(np.cumsum(_pairs(found, drawn)), MOST_PAIRS, side="right"))
    return _targets(found, np.sort(drawn[: max(enough, 1)]))


def _pairs(found: RecodedTable, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many records the person of each record has."""
    whose = found.table.persons
    if whose is None:
        return np.ones(len(records), np.int64)
    of_record = whose[found.rows]
    return np.bincount(of_record)[of_record[records]]


def _targets(found: RecodedTable, records: NDArray[np.int64]) -> Targets:
    whose = found.table.persons
    if whose is None:
        return Targets(found, records, np.arange(len(records)), records)
    of_record = whose[found.rows]
    order = np.argsort(of_record, kind="stable")
    counts = np.bincount(of_record)
    begins = np.cumsum(counts) - counts
    each = counts[of_record[records]]
    pair_target = np.repeat(np.arange(len(records)), each)
    within = np.arange(len(pair_target)) - np.repeat(np.cumsum(each) - each, each)
    return Targets(found, records, pair_target, order[begins[of_record[records]][pair_target] + within])
