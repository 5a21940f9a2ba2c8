"""A customer for each pseudonym, no customer twice, so that all guesses together are as probable as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from sudare.attack.candidates import Candidates
from sudare.attack.linkage import Linkage

Integers = NDArray[np.int64]

# A pseudonym may stay without a customer, at the cost of a guess this improbable.
_LEAST = 1e-12


def assign_customers(
    linkage: Linkage, candidates: Candidates, probabilities: NDArray[np.float64]
) -> tuple[Integers, NDArray[np.float64]]:
    """Return the number of a customer for each pseudonym (-1: none) and its probability.

    The product of the probabilities is the greatest of all ways to give different pseudonyms different customers. Each
    pseudonym has a place of its own where it stays without, so that there is always a way; the problem is sparse, and
    the pseudonyms of a group are as many equal rows of it.
    """
    pids, everyone = len(linkage.pids), len(linkage.customers)
    counts = np.diff(candidates.starts)[linkage.groups]
    begins = candidates.starts[linkage.groups]
    places = np.repeat(begins - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
    kept = probabilities[places] > _LEAST
    rows = np.repeat(np.arange(pids), counts)[kept]
    places = places[kept]
    own = np.arange(pids)
    rows, columns = np.concatenate([rows, own]), np.concatenate([candidates.customers[places], everyone + own])
    values = np.concatenate([probabilities[places], np.full(pids, _LEAST)])
    if not pids:
        return own, values
    # The cheapest guess costs more than nothing: zeros would be no entries.
    matrix = csr_array((1e-3 - np.log(values), (rows, columns)), shape=(pids, everyone + pids))
    _, chosen = min_weight_full_bipartite_matching(matrix)
    entries = rows * (everyone + pids) + columns
    order = np.argsort(entries)
    values = values[order[np.searchsorted(entries[order], own * (everyone + pids) + chosen)]]
    alone = chosen >= everyone
    return np.where(alone, -1, chosen), np.where(alone, 0.0, values)
