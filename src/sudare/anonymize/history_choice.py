"""Choosing among computed classes those that together cost least: set partitioning as an integer program."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_array

# Nodes that the program may look at: a measure of its time that does not depend on the machine.
_MOST_NODES = 2_000

Members = tuple[int, ...]


def cheapest_division(
    classes: Sequence[Members], costs: NDArray[np.float64], *, customers: int, most: float, seconds: float
) -> list[Members]:
    """Return the classes that hold every customer once at the least cost; none if nothing below `most` is found.

    The search ends after `seconds`.
    """
    places = np.repeat(np.arange(len(classes)), [len(members) for members in classes])
    members = np.concatenate([np.asarray(members) for members in classes])
    matrix = csc_array((np.ones(len(places)), (members, places)), shape=(customers, len(classes)))
    with _muted():
        relaxed = linprog(
            costs, A_eq=matrix, b_eq=np.ones(customers), method="highs", options={"time_limit": seconds / 2}
        )
        if relaxed.status != 0:
            return []
        # A class whose reduced cost is above the gap is in no better division.
        reduced = costs - matrix.T @ relaxed.eqlin.marginals
        kept = np.flatnonzero(reduced <= most - relaxed.fun + 1e-6)
        found = milp(
            costs[kept], integrality=np.ones(len(kept)), bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix[:, kept], 1, 1),
            options={"node_limit": _MOST_NODES, "time_limit": seconds / 2, "mip_rel_gap": 1e-7},
        )  # fmt: skip
    return [classes[place] for place in kept[found.x > 0.5]] if found.x is not None else []


@contextmanager
def _muted() -> Iterator[None]:
    """Keep off the standard output what the solver prints there, whatever it is told: a line left by its makers."""
    sys.stdout.flush()
    library = ctypes.CDLL(None)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        library.fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
