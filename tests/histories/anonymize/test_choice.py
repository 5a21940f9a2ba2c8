"""The choice among computed classes: the cheapest that hold everybody once, and nothing on the output."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sudare.deadline import Deadline
from sudare.histories.anonymize import choice as history_choice
from sudare.histories.anonymize.choice import cheapest_division

SOLVE_APART = history_choice._solve_apart
CLASSES = [members for size in (2, 3) for members in combinations(range(5), size)]


def test_everybody_is_in_one_class_at_the_least_cost() -> None:
    classes = [(0, 1), (2, 3), (0, 2), (1, 3), (0, 1, 2)]
    costs = np.array([5.0, 5.0, 4.0, 5.5, 1.0])
    assert sorted(cheapest_division(classes, costs, customers=4, most=10.0, deadline=Deadline(None))) == [
        (0, 2),
        (1, 3),
    ]


def test_classes_that_leave_somebody_out_are_no_division() -> None:
    assert (
        cheapest_division([(0, 1), (1, 2)], np.array([1.0, 1.0]), customers=3, most=9.0, deadline=Deadline(None)) == []
    )


@settings(max_examples=25)
@given(st.lists(st.integers(1, 20), min_size=len(CLASSES), max_size=len(CLASSES)))
def test_no_other_division_is_cheaper(costs: list[int]) -> None:
    best = min(
        first + second
        for (one, first), (other, second) in combinations(zip(CLASSES, costs, strict=True), 2)
        if sorted(one + other) == list(range(5))
    )
    found = cheapest_division(
        CLASSES, np.array(costs, np.float64), customers=5, most=best + 1.0, deadline=Deadline(None)
    )
    assert sum(costs[CLASSES.index(members)] for members in found) == best


# Three customers, each in two of three pairs: half of each pair is cheapest, unless classes are whole.
DIVIDED = [(0, 1), (0, 2), (1, 2), (0, 1, 2)]
WHOLE = {"customers": 3, "most": 20.0}


@pytest.fixture
def solver_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve in another process, as users do; see `solver_at_hand` in tests/conftest.py."""
    monkeypatch.setattr(history_choice, "_solve_apart", SOLVE_APART)


@pytest.mark.usefixtures("solver_apart")
def test_nobody_is_divided_where_halves_would_be_cheaper() -> None:
    costs = np.array([1.0, 1.0, 1.0, 5.0])
    assert cheapest_division(DIVIDED, costs, **WHOLE, deadline=Deadline(None)) == [(0, 1, 2)]


@pytest.mark.usefixtures("solver_apart")
def test_what_others_write_while_the_solver_runs_is_not_lost(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("The output of the whole process is redirected.")

    done = threading.Event()
    lines = []

    def write() -> None:
        while not done.is_set():
            lines.append("x" * 10 + "\n")
            os.write(1, lines[-1].encode())
            done.wait(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, "dup2", refuse)
            cheapest_division(DIVIDED, np.array([1.0, 1.0, 1.0, 5.0]), **WHOLE, deadline=Deadline(None))
    finally:
        done.set()
        writer.join()
    assert capfd.readouterr().out == "".join(lines)


@pytest.mark.usefixtures("solver_apart")
def test_the_solver_is_ended_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Stuck(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: list[str], **options: Any) -> None:
            super().__init__([command[0], "-c", "import time; time.sleep(3600)"], **options)
            started.append(self)
            deadline.interrupt()

    monkeypatch.setattr(subprocess, "Popen", Stuck)
    deadline = Deadline(None)
    assert cheapest_division(DIVIDED, np.array([1.0, 1.0, 1.0, 5.0]), **WHOLE, deadline=deadline) == []
    assert [process.returncode for process in started] == [-signal.SIGKILL]


@pytest.mark.usefixtures("solver_apart")
def test_a_solver_that_fails_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: list[str], **options: Any) -> None:
            super().__init__([command[0], "-c", "raise SystemExit(7)"], **options)

    monkeypatch.setattr(subprocess, "Popen", Broken)
    with pytest.raises(RuntimeError, match="ended with 7"):
        cheapest_division(DIVIDED, np.array([1.0, 1.0, 1.0, 5.0]), **WHOLE, deadline=Deadline(None))


@pytest.mark.slow
@pytest.mark.usefixtures("solver_apart")
def test_a_program_that_no_pipe_holds_reaches_a_solver_that_is_slow_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_choice, "_LOOK_SECONDS", 0.001)
    more = [(0, 1, 2)] * 9_999
    costs = np.concatenate([[1.0, 1.0, 1.0], np.linspace(5.0, 6.0, 1 + len(more))])
    with Deadline(30) as deadline:
        assert cheapest_division([*DIVIDED, *more], costs, **WHOLE, deadline=deadline) == [(0, 1, 2)]
        assert not deadline.over
