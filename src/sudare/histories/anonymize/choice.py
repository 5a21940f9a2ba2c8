"""Choosing the cheapest partition among computed classes: set partitioning as an integer program.

The solver of integer programs prints a line left by its makers on the standard output, whatever it is told. So it runs
in a process of its own, this module as a script, and only its answer comes back. That process is ended when its time is
over, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from io import BytesIO
from math import inf
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csc_array

from sudare.deadline import Deadline

# Nodes that the program may look at: a measure of its time that does not depend on the machine.
_MOST_NODES = 2_000
# The share of the time for the program without whole numbers.
_RELAXED_SHARE = 0.5
# Seconds between two looks at whether somebody wants to stop.
_LOOK_SECONDS = 0.1

Members = tuple[int, ...]


def cheapest_division(
    classes: Sequence[Members], costs: NDArray[np.float64], *, customers: int, most: float, deadline: Deadline
) -> list[Members]:
    """Return the classes that hold every customer once at the least cost; none if nothing below `most` is found."""
    places = np.repeat(np.arange(len(classes)), [len(members) for members in classes])
    members = np.concatenate([np.asarray(members) for members in classes])
    matrix = csc_array((np.ones(len(places)), (members, places)), shape=(customers, len(classes)))
    seconds = inf if deadline.left is None else _RELAXED_SHARE * deadline.left
    relaxed = linprog(costs, A_eq=matrix, b_eq=np.ones(customers), method="highs", options={"time_limit": seconds})
    if relaxed.status != 0:
        return []
    # Mostly nobody is divided, and there is nothing left to decide.
    if np.abs(relaxed.x - relaxed.x.round()).max() < 1e-9:
        return [classes[place] for place in np.flatnonzero(relaxed.x > 0.5).tolist()]
    # A class whose reduced cost is above the gap is in no better division.
    reduced = costs - matrix.T @ relaxed.eqlin.marginals
    kept = np.flatnonzero(reduced <= most - relaxed.fun + 1e-6)
    chosen = _solve_apart(costs[kept], matrix[:, kept], deadline)
    return [classes[place] for place in kept[chosen].tolist()]


def _solve_apart(costs: NDArray[np.float64], matrix: csc_array, deadline: Deadline) -> NDArray[np.int64]:
    """Solve an integer program in a process of its own; return the columns that are chosen, none if none are found."""
    seconds = inf if deadline.left is None else deadline.left
    command = [sys.executable, "-P", "-m", "sudare.histories.anonymize.choice"]
    found_there = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    # A file, not a pipe: what a pipe has not taken when we look up for the first time is never sent.
    with TemporaryFile() as given:
        np.savez(
            given, costs=costs, ones=matrix.indices, starts=matrix.indptr, customers=matrix.shape[0], seconds=seconds
        )  # fmt: skip
        given.seek(0)
        # A Ctrl-C at the terminal is for this process alone, which ends the other.
        with subprocess.Popen(  # noqa: S603
            command, env=found_there, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:  # fmt: skip
            return _answer(process, deadline)


def _answer(process: subprocess.Popen[bytes], deadline: Deadline) -> NDArray[np.int64]:
    """Wait for the answer of the process, which is ended when the time is over."""
    try:
        while not deadline.over:
            try:
                answer, _ = process.communicate(timeout=_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            if process.returncode:
                raise RuntimeError(f"The solver of integer programs ended with {process.returncode}.")
            return np.frombuffer(answer, np.int64)
    finally:
        process.kill()
    return np.empty(0, np.int64)


def _serve() -> None:
    """Solve the program on the standard input, and write the columns that are chosen to the standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    # This process has no other use for its output than the solver's line, which must not be among the answer.
    os.dup2(2, 1)
    given = np.load(BytesIO(sys.stdin.buffer.read()))
    costs, ones = given["costs"], given["ones"]
    matrix = csc_array((np.ones(len(ones)), ones, given["starts"]), shape=(int(given["customers"]), len(costs)))
    with answers:
        answers.write(_solve(costs, matrix, float(given["seconds"])).tobytes())


def _solve(costs: NDArray[np.float64], matrix: csc_array, seconds: float) -> NDArray[np.int64]:
    """Return the columns that together cover every row once at the least cost, none if none are found in time."""
    found = milp(
        costs, integrality=np.ones(len(costs)), bounds=Bounds(0, 1), constraints=LinearConstraint(matrix, 1, 1),
        options={"node_limit": _MOST_NODES, "time_limit": seconds, "mip_rel_gap": 1e-7},
    )  # fmt: skip
    return np.empty(0, np.int64) if found.x is None else np.flatnonzero(found.x > 0.5).astype(np.int64)


if __name__ == "__main__":
    _serve()
