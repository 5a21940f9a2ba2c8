"""The probability of each candidate of being the customer behind a pseudonym.

Feasibility: the rows of a pseudonym must cover different rows of the customer, one each: a matching. Likelihood: a
published row is made of one of the customer's rows; of the ranges that hold a value some were drawn around it anyhow,
others so that it is an end, as those do that just hold a class. How often, and whether rows are deleted, is learnt
from the published history itself by expectation and maximization. Nobody is two customers and no customer two
pseudonyms: probabilities are scaled until they add up both ways (Sinkhorn).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sudare.histories.attack.candidates import Candidates
from sudare.histories.attack.linkage import Linkage
from sudare.histories.attack.one_to_one import share_out
from sudare.kernels.common.arrays import Floats, Ints
from sudare.kernels.histories.attack_pairs import IMPOSSIBLE, fit_pairs
from sudare.messages import message
from sudare.progress import Progress, silent
from sudare.showing import dataclass

# Rounds of learning, and the shares it begins with.
_ROUNDS = 3
_FIRST_SHARE = 0.5
_LEAST_SHARE = 0.01
_PAIRS_AT_ONCE = 1 << 8


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """Candidates, how many rows match one to one, and the probability to be behind one pseudonym of the group.

    `likely` is by likelihood, `feasible` by the matching of rows alone.
    """

    candidates: Candidates
    matched: Ints
    likely: Floats
    feasible: Floats


def fit_candidates(linkage: Linkage, candidates: Candidates, *, progress: Progress = silent) -> Fits:
    """Return how well candidates fit; if all rows are known, only those whose rows can be matched one to one."""
    complete = linkage.knowledge.complete
    beyond = np.ones(len(candidates.rows))
    if complete:
        beyond = np.maximum(candidates.met / np.maximum(np.diff(candidates.starts), 1), 1.0)
    learnt = _Learnt(np.full(linkage.range_counts.shape[1], _FIRST_SHARE), _FIRST_SHARE)
    pairs = _Pairs.empty(len(candidates.customers), len(learnt.at_ends))
    _fit(linkage, candidates, learnt, pairs, np.arange(len(pairs.matched)), progress)
    if complete:
        whole = pairs.matched == candidates.rows[candidates.groups]
        candidates, pairs = candidates.taken(whole), pairs.taken(whole)
    # Where there is one candidate only, a better likelihood tells nothing new.
    open_pairs = np.flatnonzero(np.diff(candidates.starts)[candidates.groups] > 1)
    strangers = np.full(len(beyond), -np.inf) if complete else _strangers(linkage, candidates)
    for step in range(_ROUNDS):
        if step:
            _fit(linkage, candidates, learnt, pairs, open_pairs, progress)
        logarithms = pairs.likelihoods + (_deletion_prior(linkage, candidates, learnt.whole) if complete else 0)
        likely = _shares(linkage, candidates, logarithms, strangers) / beyond[candidates.groups]
        learnt = _learn(linkage, candidates, pairs, likely)
    nobody = np.full(len(beyond), -np.inf)
    # With all rows known only those remain who match all; else one row more makes a customer e times as likely.
    feasible = _shares(linkage, candidates, pairs.matched.astype(np.float64), nobody) / beyond[candidates.groups]
    return Fits(candidates, pairs.matched, likely, feasible)


def _shares(linkage: Linkage, candidates: Candidates, logarithms: Floats, others: Floats) -> Floats:
    """Return the probability of each candidate to be behind one pseudonym of its group.

    Where there are as many pseudonyms as customers and everything is known, each customer is exactly one of them.
    """
    groups, everyone = candidates.groups, len(linkage.customers)
    known = linkage.knowledge.complete and len(linkage.pids) == everyone and not np.isfinite(others).any()
    parts = share_out(
        groups, candidates.customers, logarithms, others, linkage.multiplicity, everyone, exactly=known
    )  # fmt: skip
    # Of m pseudonyms that are the same, none is a customer with more than the probability 1/m.
    return np.asarray(parts / linkage.multiplicity[groups])


@dataclass(frozen=True, slots=True, eq=False)
class _Learnt:
    """How often a range has its value at an end, by column, and how often no row is deleted."""

    at_ends: Floats
    whole: float


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    likelihoods: Floats
    matched: Ints
    ends: Floats

    @classmethod
    def empty(cls, pairs: int, columns: int) -> _Pairs:
        return cls(np.empty(pairs), np.empty(pairs, np.int64), np.empty((pairs, columns)))

    def taken(self, chosen: NDArray[np.bool_]) -> _Pairs:
        return _Pairs(self.likelihoods[chosen], self.matched[chosen], self.ends[chosen])


def _fit(
    linkage: Linkage, candidates: Candidates, learnt: _Learnt, pairs: _Pairs, chosen: Ints, progress: Progress
) -> None:
    """Fit the chosen pairs by what was learnt."""
    columns, complete = linkage.all_columns, linkage.knowledge.complete
    groups = candidates.groups
    share = 1.0 if complete else linkage.knowledge.share

    def fitted(first: int) -> _Pairs:
        part = chosen[first : first + _PAIRS_AT_ONCE]
        found = _Pairs.empty(len(part), len(learnt.at_ends))
        own, of_pair = np.unique(groups[part], return_inverse=True)
        rows, starts = linkage.rows_of(own)
        fit_pairs(
            columns.published(rows), starts, of_pair, candidates.customers[part], columns.known,
            share, columns.shares[rows], learnt.at_ends, complete, found.likelihoods, found.matched, found.ends,
        )  # fmt: skip
        return found

    firsts = range(0, len(chosen), _PAIRS_AT_ONCE)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first, found in zip(firsts, pool.map(fitted, firsts), strict=True):
            progress(message("progress.fitting_rows"), first, len(chosen))
            part = chosen[first : first + _PAIRS_AT_ONCE]
            pairs.likelihoods[part], pairs.matched[part] = found.likelihoods, found.matched
            pairs.ends[part] = found.ends


def _deletion_prior(linkage: Linkage, candidates: Candidates, whole: float) -> Floats:
    """Return the logarithms of the probabilities that a number of rows of a customer is deleted: none, or any."""
    rows = linkage.customer_sizes[candidates.customers]
    deleted = rows - linkage.group_sizes[candidates.groups]
    any_number = np.log1p(-whole) - np.log(np.maximum(rows, 1))
    return np.asarray(np.where(deleted == 0, np.log(whole), any_number))


def _learn(linkage: Linkage, candidates: Candidates, pairs: _Pairs, likely: Floats) -> _Learnt:
    groups = candidates.groups
    persons = likely * linkage.multiplicity[groups]
    ended, all_ranges = persons @ pairs.ends, persons @ linkage.range_counts[groups]
    shares = np.where(all_ranges > 0, ended / np.maximum(all_ranges, 1e-300), _FIRST_SHARE)
    same = linkage.customer_sizes[candidates.customers] == linkage.group_sizes[groups]
    whole = float(persons[same].sum() / max(persons.sum(), 1e-300))
    within = _LEAST_SHARE, 1 - _LEAST_SHARE
    return _Learnt(np.clip(shares, *within), float(np.clip(whole, *within)))


def _strangers(linkage: Linkage, candidates: Candidates) -> Floats:
    """Return the logarithm of the likelihood of all customers together of whom no fitting row is known."""
    columns, kept = linkage.all_columns, np.diff(candidates.starts)
    of_row = np.repeat(np.arange(len(kept)), linkage.group_sizes)
    alone = np.log((1 - linkage.knowledge.share + IMPOSSIBLE) * columns.shares)
    left = np.maximum(len(linkage.customers) - kept, 1e-300)
    return np.asarray(np.log(left) + np.bincount(of_row, alone, len(kept)))
