"""A customer for each pseudonym, no customer twice, so that all guesses together are as probable as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from sudare.attack.candidates import Candidates
from sudare.attack.linkage import Linkage

Integers = NDArray[np.int64]

# A pseudonym may stay without a customer, at the cost of a guess this improbable.
_LEAST = 1e-12
# Pseudonyms of parts that are solved at once: few calls, and few squares.
_PIDS_AT_ONCE = 1000


def assign_customers(
    linkage: Linkage, candidates: Candidates, probabilities: NDArray[np.float64]
) -> tuple[Integers, NDArray[np.float64]]:
    """Return the number of a customer for each pseudonym (-1: none) and its probability.

    The product of the probabilities is the greatest of all ways to give different pseudonyms different customers. Most
    pseudonyms have candidates that hardly anybody shares: parts that share none are solved apart, since the time grows
    as the square of a part. The pseudonyms of a group are as many equal rows of the problem.
    """
    counts = np.diff(candidates.starts)[linkage.groups]
    begins = candidates.starts[linkage.groups]
    places = np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    kept = probabilities[places] > _LEAST
    rows, places = np.repeat(np.arange(len(linkage.pids)), counts)[kept], places[kept]
    customers, values = candidates.customers[places], probabilities[places]
    chosen, confidence = np.full(len(linkage.pids), -1), np.zeros(len(linkage.pids))
    for part in _parts(rows, customers, len(linkage.pids), len(linkage.customers)):
        own, row = np.unique(rows[part], return_inverse=True)
        theirs, column = np.unique(customers[part], return_inverse=True)
        found, confidence[own] = _assign(row, column, values[part], len(own), len(theirs))
        chosen[own] = np.append(theirs, -1)[found]
    return chosen, confidence


def _parts(rows: Integers, customers: Integers, pids: int, everyone: int) -> list[Integers]:
    """Divide pairs into parts that have no pseudonym and no customer in common, of many pseudonyms each."""
    graph = csr_array((np.ones(len(rows), np.int8), (rows, pids + customers)), shape=(pids + everyone,) * 2)
    _, component = connected_components(graph, directed=False)
    ends = np.cumsum(np.bincount(component[:pids]))
    part = (ends // _PIDS_AT_ONCE)[component[rows]]
    order = np.argsort(part, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(part[order])) + 1) if len(rows) else []


def _assign(
    rows: Integers, columns: Integers, values: NDArray[np.float64], pids: int, customers: int
) -> tuple[Integers, NDArray[np.float64]]:
    """Return the best column of each row (-1: none) and its probability.

    Each pseudonym has a place of its own where it stays without a customer, so that there is always a way.
    """
    own = np.arange(pids)
    rows, columns = np.concatenate([rows, own]), np.concatenate([columns, customers + own])
    values = np.concatenate([values, np.full(pids, _LEAST)])
    # The cheapest guess costs more than nothing: zeros would be no entries.
    matrix = csr_array((1e-3 - np.log(values), (rows, columns)), shape=(pids, customers + pids))
    _, chosen = min_weight_full_bipartite_matching(matrix)
    entries = rows * (customers + pids) + columns
    order = np.argsort(entries)
    values = values[order[np.searchsorted(entries[order], own * (customers + pids) + chosen)]]
    alone = chosen >= customers
    return np.where(alone, -1, chosen), np.where(alone, 0.0, values)
