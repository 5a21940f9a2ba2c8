"""Assigning each pseudonym a different customer so that all guesses together are most probable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sudare.histories.attack.candidates import Candidates
from sudare.histories.attack.linkage import Linkage
from sudare.kernels.common.arrays import Ints
from sudare.kernels.histories.sparse_assignment import assign_sparse

# A pseudonym may stay without a customer, at the cost of a guess this improbable.
_LEAST = 1e-12


def assign_customers(
    linkage: Linkage, candidates: Candidates, probabilities: NDArray[np.float64]
) -> tuple[Ints, NDArray[np.float64]]:
    """Return the number of a customer for each pseudonym (-1: none) and its probability.

    The product of the probabilities is the greatest of all ways to give different pseudonyms different customers. The
    pseudonyms of a group are as many equal rows of the problem.
    """
    counts = np.diff(candidates.starts)[linkage.groups]
    begins = candidates.starts[linkage.groups]
    places = np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    kept = probabilities[places] > _LEAST
    rows, places = np.repeat(np.arange(len(linkage.pids)), counts)[kept], places[kept]
    starts = np.searchsorted(rows, np.arange(len(linkage.pids) + 1))
    taken = np.empty(len(linkage.pids), np.int64)
    costs = -np.log(probabilities[places])
    assign_sparse(
        rows, starts, candidates.customers[places], costs, -np.log(_LEAST), taken, len(linkage.customers)
    )  # fmt: skip
    customers, confidence = np.full(len(linkage.pids), -1), np.zeros(len(linkage.pids))
    customers[taken >= 0] = candidates.customers[places[taken[taken >= 0]]]
    confidence[taken >= 0] = probabilities[places[taken[taken >= 0]]]
    return customers, confidence
