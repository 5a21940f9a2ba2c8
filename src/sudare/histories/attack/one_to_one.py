"""Nobody is two customers, and no customer is two pseudonyms: probabilities and guesses that respect both."""

from __future__ import annotations

import numpy as np

from sudare.kernels.common.arrays import Floats, Ints, Items
from sudare.kernels.histories.sparse_assignment import assign_sparse
from sudare.kernels.profiles.sharing import scale_pairs

# Rounds of scaling; what is still wrong after them is far below what the models leave out.
_SCALINGS = 100
_MOST_SCALE = 1e50
# A candidate that is less likely than the best by more is not told apart from this.
_LEAST_LOGARITHM = -60.0
# A pseudonym may stay without a customer, at the cost of a guess this improbable.
_LEAST = 1e-12


def share_out(
    groups: Items, customers: Items, logarithms: Floats, others: Floats, multiplicity: Ints, everyone: int,
    *, exactly: bool,
) -> Floats:  # fmt: skip
    """Return for pairs of a group and a customer how many of the group's pseudonyms are expected to be that customer.

    Weights, given by their logarithms, are scaled in turns until the pseudonyms of a group are as many persons as their
    `multiplicity`, and no customer is more than one of them, or `exactly` one (Sinkhorn, 1964). `others` is by group
    the logarithm of the weight of everybody who is not among the pairs; `everyone` is the number of customers.
    """
    size = len(multiplicity)
    top = np.full(size, -np.inf)
    np.maximum.at(top, groups, logarithms)
    top = np.maximum(np.maximum(top, others), -1e300)
    weights, rest = np.exp(np.maximum(logarithms - top[groups], _LEAST_LOGARITHM)), np.exp(others - top)
    parts = np.zeros(len(weights))
    scale_pairs(
        np.asarray(groups, np.int64), np.asarray(customers, np.int64), weights, rest, multiplicity.astype(np.float64),
        everyone, _SCALINGS, exactly, _MOST_SCALE, parts,
    )  # fmt: skip
    return np.asarray(np.minimum(parts, 1.0))


def assign(groups: Ints, starts: Ints, customers: Ints, probabilities: Floats, everyone: int) -> Ints:
    """Return for each pseudonym, of the group that `groups` says, the place of its pair (-1: none).

    The pairs of group g are from `starts[g]` on. The product of the probabilities is the greatest of all ways to give
    different pseudonyms different customers. The pseudonyms of a group are as many equal rows of the problem.
    """
    counts, begins = np.diff(starts)[groups], starts[groups]
    places = np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    kept = probabilities[places] > _LEAST
    rows, places = np.repeat(np.arange(len(groups)), counts)[kept], places[kept]
    own_starts = np.searchsorted(rows, np.arange(len(groups) + 1))
    taken = np.empty(len(groups), np.int64)
    costs = -np.log(probabilities[places])
    assign_sparse(rows, own_starts, customers[places], costs, -np.log(_LEAST), taken, everyone)
    return np.where(taken >= 0, np.append(places, -1)[taken], -1)
