"""Work that is asked to stop stops at safe points, or returns the answer that it has where that is wanted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sudare import interruption
from sudare.deadline import Deadline


@pytest.fixture(autouse=True)
def begin() -> None:
    interruption.begin()


def test_work_without_an_answer_is_stopped_also_where_answers_are_kept() -> None:
    with pytest.raises(KeyboardInterrupt), interruption.keeping_answers():
        interruption.ask_to_stop()
        interruption.answer_found()
    assert not interruption.is_settled()


def test_an_answer_that_nobody_keeps_does_not_keep_the_work_from_being_stopped() -> None:
    interruption.answer_found()
    interruption.ask_to_stop()
    with pytest.raises(KeyboardInterrupt):
        interruption.safe_point()


def test_work_with_an_answer_that_is_kept_ends_as_if_its_time_were_over() -> None:
    whole = Deadline(3600)
    with interruption.keeping_answers():
        interruption.answer_found()
        interruption.ask_to_stop()
        interruption.safe_point()
        assert whole.over
        later = Deadline(3600)
        assert not later.over
        # It is asked again as long as the answer is worked on: what began in the same moment hears it too.
        interruption.ask_to_stop()
        assert later.over
    assert interruption.is_settled()
    interruption.ask_to_stop()
    assert not Deadline(3600).over
    with pytest.raises(KeyboardInterrupt):
        interruption.check_not_interrupted()


@pytest.mark.parametrize("seconds", [None, 3600.0])
def test_a_part_of_what_is_over_is_over(seconds: float | None) -> None:
    whole = Deadline(seconds)
    assert not whole.part(0.5).over
    whole.interrupt()
    part = whole.part(0.5)
    assert part.over
    assert part.halt[0]
    assert part.rest is not None
    assert part.rest > 0


def test_a_signal_while_python_takes_itself_down_does_not_change_the_exit_code() -> None:
    script = """
import os, signal, sys
from sudare.cli.signals import end_by_signals

class Late:
    def __del__(self):
        kill(number, signal_number)

kill, number, signal_number = os.kill, os.getpid(), signal.SIGINT
late = Late()
end_by_signals()
sys.exit(130)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "")
