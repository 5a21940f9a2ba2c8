"""The moment when work must end, visible to compiled loops too."""

from __future__ import annotations

import threading
import time
from typing import Self

import numpy as np

from sudare import interruption

# Seconds in which next to nothing is done.
MOMENT = 0.001


class TimeOver(Exception):
    """The time for the work is over."""


class Deadline:
    """An end after some seconds (None: none), or when somebody asks to stop.

    `halt` is for kernels, which look at neither clocks nor signals: one place that turns True when they have to return.
    What they return then is not finished, so that `check` has to follow.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self.halt = np.full(1, seconds == 0)
        self._timer: threading.Timer | None = None
        interruption.watch(self)

    @property
    def left(self) -> float | None:
        """The seconds that are left, none if there is no end."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def interrupt(self) -> None:
        """Let kernels return."""
        self.halt[0] = True

    @property
    def over(self) -> bool:
        """Whether the time is over; raises KeyboardInterrupt if somebody asked to stop."""
        interruption.safe_point()
        return bool(self.halt[0]) or self.left == 0.0

    def check(self) -> None:
        """Raise KeyboardInterrupt if somebody asked to stop, TimeOver if the time is over."""
        if self.over:
            raise TimeOver

    def part(self, share: float) -> Deadline:
        """Return an end after a share of the time that is left; what is over, by the clock or not, has none left."""
        if self.halt[0]:
            return Deadline(0.0)
        return Deadline(None if self.left is None else share * self.left)

    @property
    def rest(self) -> float | None:
        """The seconds that are left, for a step with a time limit of its own, which is above 0."""
        return None if self.left is None else max(self.left, MOMENT)

    def __enter__(self) -> Self:
        if self.left is not None:
            self._timer = threading.Timer(min(self.left, threading.TIMEOUT_MAX), self.interrupt)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer:
            self._timer.cancel()
