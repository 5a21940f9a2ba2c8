"""Interrupting long work from another thread, at safe points.

The command line does its work on a thread of its own: signals are taken by the main thread and never arrive in the
middle of a line, a kernel or a file. The main thread asks the work to stop, and the work raises KeyboardInterrupt at
its next safe point, on whatever thread it comes by one. Code that catches it to continue with what is finished
calls `settle`. Work that has an answer and only makes it better says `answer_found`: where that is wanted
(`keeping_answers`), nothing is raised from there on, and the work ends as if its time were over. Nothing here has an
effect unless somebody asks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol
from weakref import WeakSet


class Interruptible(Protocol):
    """Work that does not come by a safe point for long, and can be told to."""

    def interrupt(self) -> None:
        """End early what is running; called from another thread, more than once."""


class _Wish:
    """Whether the work should stop, and whether it continues with what is finished.

    `keeping` says that an answer is taken as it is when the work is to stop, `answered` that there is one.
    """

    asked = False
    settled = False
    keeping = False
    answered = False
    owner: threading.Thread | None = None


_watched: WeakSet[Interruptible] = WeakSet()
# Who settles waits until all have been interrupted: what is finished then is not interrupted again. A signal can come
# while its thread is asking already.
_asking = threading.RLock()


def watch(work: Interruptible) -> None:
    """Interrupt some work too when a stop is asked for, as long as it is there."""
    _watched.add(work)


def ask_to_stop() -> None:
    """Ask all work to stop; to be repeated until it has: what begins in the same moment does not hear it."""
    with _asking:
        if _Wish.settled and not _Wish.answered:
            return
        _Wish.asked, _Wish.settled = not _Wish.answered, _Wish.answered
        for work in list(_watched):
            # It may be closed meanwhile.
            with suppress(Exception):
                work.interrupt()


def safe_point() -> None:
    """Raise KeyboardInterrupt if the work was asked to stop."""
    if _Wish.asked:
        raise KeyboardInterrupt


def is_asked() -> bool:
    """Say whether safe points raise."""
    return _Wish.asked


def settle() -> None:
    """Continue with what is finished: safe points are passed again.

    That is for the thread that `begin` was called on to say; on others nothing changes.
    """
    with _asking:
        if _Wish.asked and threading.current_thread() is _Wish.owner:
            _Wish.asked, _Wish.settled = False, True


@contextmanager
def keeping_answers() -> Iterator[None]:
    """Let work in this block that is asked to stop when it has an answer return that answer, as soon as it can."""
    _Wish.keeping = True
    try:
        yield
    finally:
        with _asking:
            _Wish.keeping = _Wish.answered = False


def answer_found() -> None:
    """Say that there is an answer to all that was asked, which further work only makes better."""
    safe_point()
    with _asking:
        _Wish.answered = _Wish.keeping


def is_settled() -> bool:
    """Return whether the work was stopped and continues with what was finished."""
    return _Wish.settled


def check_not_interrupted() -> None:
    """Raise KeyboardInterrupt if the work is to stop, or was: before what is left out then."""
    if _Wish.settled:
        raise KeyboardInterrupt
    safe_point()


def begin() -> None:
    """Begin work on this thread: nobody has asked."""
    _Wish.asked = _Wish.settled = _Wish.keeping = _Wish.answered = False
    _Wish.owner = threading.current_thread()
