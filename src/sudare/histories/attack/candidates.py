"""The customers whose rows a pseudonym's rows can stand for, scored row by row.

The scoreboard of Narayanan, Shmatikov: Robust de-anonymization of large sparse datasets (2008): what few rows of the
known history have in common with a published row weighs more. Only rows that an index leads to are compared.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sudare.histories.attack.linkage import Linkage, PackedColumns
from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.histories.attack_rows import EACH, score_customers
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# Customers that are kept for a pseudonym if all rows are known, so that all must meet; and if not, where one who is
# behind this many others is hardly ever right.
MOST_MEETING = 64
MOST_LIKELY = 12
# Known rows that are looked up for the rows of a pseudonym, the rarest first: some thousandths of a second.
BUDGET_MEETING = 200_000
BUDGET_LIKELY = 20_000
_GROUPS_AT_ONCE = 256

# How many customers of each group are kept; they, their scores and hits; rows, totals, how many met all, and tried.
_Scored = tuple[Ints, Ints, Floats, Ints, Ints, Floats, Ints, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The best customers of each group, best first: those of group g are at `starts[g]` to `starts[g + 1]`.

    `hits` are the rows of the group that can stand for one of theirs, of `rows` in all. `totals` are the scores of all
    customers together, kept or not, `met` how many meet all rows. Groups too vague to be looked up are not `tried`.
    """

    starts: Ints
    customers: Ints
    scores: Floats
    hits: Ints
    rows: Ints
    totals: Floats
    met: Ints
    tried: NDArray[np.bool_]

    @property
    def groups(self) -> Ints:
        """The group of each candidate."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.starts))

    def taken(self, chosen: NDArray[np.bool_]) -> Candidates:
        """Return some of the candidates."""
        counts = np.bincount(self.groups[chosen], minlength=len(self.rows))
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        kept = self.customers[chosen], self.scores[chosen], self.hits[chosen]
        return Candidates(starts, *kept, self.rows, self.totals, self.met, self.tried)


def find_candidates(
    linkage: Linkage,
    columns: PackedColumns,
    *,
    usable: NDArray[np.bool_] | None = None,
    votes: int = EACH,
    complete: bool = False,
    compared: bool = True,
    progress: Progress = silent,
) -> Candidates:
    """Return the customers of the greatest scores for each group of pseudonyms.

    A row weighs the logarithm of one to the share of known rows it can stand for, or as `votes` says. Only `usable`
    rows are scored. `complete`: only customers who meet all rows are found. Where rows are compared later on (not
    `compared`), some may meet only those that were looked up: as long as all of them are kept.
    """

    def scored(first: int) -> _Scored:
        groups = np.arange(first, min(first + _GROUPS_AT_ONCE, len(linkage.group_sizes)))
        return _scored(linkage, columns, groups, usable, votes, complete=complete, compared=compared)

    pieces = []
    firsts = range(0, max(len(linkage.group_sizes), 1), _GROUPS_AT_ONCE)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first, piece in zip(firsts, pool.map(scored, firsts), strict=True):
            progress(message("progress.comparing_histories"), first, len(linkage.group_sizes))
            pieces.append(piece)
    kept, customers, scores, hits, rows, totals, met, tried = map(np.concatenate, zip(*pieces, strict=True))
    places = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return Candidates(places, customers, scores, hits, rows, totals, met, tried)


def _scored(
    linkage: Linkage,
    columns: PackedColumns,
    groups: Ints,
    usable: NDArray[np.bool_] | None,
    votes: int,
    *,
    complete: bool,
    compared: bool,
) -> _Scored:
    """Score customers for some groups."""
    places, starts = linkage.rows_of(groups)
    of_row = np.repeat(np.arange(len(groups)), np.diff(starts))
    sizes = columns.sizes[places]
    rows = np.lexsort((sizes, of_row))
    if usable is not None:
        rows = rows[usable[places[rows]]]
        starts = np.searchsorted(of_row[rows], np.arange(len(groups) + 1))
    # A row that can stand for all adds nothing but that it was met.
    weights = -np.log(columns.shares[places]) + 1e-9 if votes == EACH else np.ones(len(places))
    most, budget = (MOST_MEETING, BUDGET_MEETING) if complete else (MOST_LIKELY, BUDGET_LIKELY)
    shape = len(groups), most
    counts, met, totals = np.empty(len(groups), np.int64), np.empty(len(groups), np.int64), np.empty(len(groups))
    best, hits, scores = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape)
    score_customers(
        columns.published(places), rows, starts, weights, columns.known, columns.index, columns.blocks[places], sizes,
        votes, complete, 0 if compared else most, budget, counts, totals, met, best, scores, hits,
    )  # fmt: skip
    kept = np.arange(most) < counts[:, np.newaxis]
    return kept.sum(axis=1), best[kept], scores[kept], hits[kept], np.diff(starts), totals, met, counts >= 0
