"""How a command ends on Ctrl-C or SIGTERM.

The main thread takes signals and does nothing else; the command works on a thread of its own. At a signal it is asked
to stop, which it does at its next safe point. Work that comes by none within some moments is left: temporary files are
removed and the process ends. So is all work at a second signal.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn, TypeVar, cast

from sudare import interruption

R = TypeVar("R")

# The exit code of what ended by a signal is this and the signal's number: 130 for Ctrl-C.
EXIT_BY_SIGNAL = 128
# Said where there is no time left to look anything up; in the reader's language as soon as it is known.
interrupted = "Interrupted. Nothing was left half-written."
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Seconds in which work has to come by a safe point, and between two looks at it.
PATIENCE = 1.5
_LOOK = 0.05


class Interrupted(Exception):
    """A signal has ended the work; `finished` says that it was ended well, with what was found until then."""

    def __init__(self, number: int, *, finished: bool) -> None:
        super().__init__(number)
        self.exit_code, self.finished = EXIT_BY_SIGNAL + number, finished


def run_interruptibly(work: Callable[[], R]) -> R:
    """Run work on a thread of its own and return what it returns or raise what it raises; Interrupted at a signal.

    On another thread than the main one, where no signals come, the work is just done.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    running = _Running(work)
    with _handling(dict.fromkeys(_SIGNALS, running.take)):
        running.start()
        running.attend()
    return cast(R, running.result())


def run_with_own_signals(work: Callable[[], R]) -> R:
    """Run work that takes signals itself, on this thread, with the handlers that Python begins with."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    with _handling({signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}):
        return work()


class _Running(threading.Thread):
    """Work on a thread of its own, and the signals that came meanwhile."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(name="sudare-work", daemon=True)
        self._work = work
        self._returned: Any = None
        self._raised: BaseException | None = None
        self._signals: list[int] = []

    def run(self) -> None:
        interruption.begin()
        try:
            self._returned = self._work()
        except BaseException as error:
            self._raised = error

    def take(self, number: int, _frame: FrameType | None) -> None:
        """Note a signal and ask the work to stop; this runs on the main thread, in `attend`."""
        self._signals.append(number)
        interruption.ask_to_stop()

    def attend(self) -> None:
        """Wait for the work, and see to it that it ends after a signal."""
        asked_at: float | None = None
        while self.is_alive():
            self.join(_LOOK)
            if not self._signals:
                continue
            asked_at = asked_at or time.monotonic()
            interruption.ask_to_stop()
            waited = time.monotonic() - asked_at
            if len(self._signals) > 1 or (waited > PATIENCE and not interruption.is_settled()):
                leave(self._signals[0])

    def result(self) -> Any:
        """Return or raise what the work did."""
        if self._signals:
            finished = self._raised is None or isinstance(self._raised, SystemExit | _exits())
            if not finished or interruption.is_settled():
                raise Interrupted(self._signals[0], finished=finished) from self._raised
        if self._raised is not None:
            raise self._raised
        return self._returned


def _exits() -> type[BaseException]:
    import typer

    return typer.Exit


def leave(number: int) -> NoReturn:
    """End the process at once, whatever its other threads do; what was to be removed at the end is."""
    # Should something that is done at the end take long itself.
    watch = threading.Timer(PATIENCE, os._exit, (EXIT_BY_SIGNAL + number,))
    watch.daemon = True
    watch.start()
    with suppress(BaseException):
        # What removes temporary files and ends other processes; threads that compute are not waited for.
        atexit._run_exitfuncs()
    with suppress(BaseException):
        if sys.stderr.isatty():
            # A bar of progress hides the cursor.
            sys.stderr.write("\x1b[?25h\n")
        sys.stderr.write(f"{interrupted}\n")
        sys.stderr.flush()
    os._exit(EXIT_BY_SIGNAL + number)


def end_by_signals() -> None:
    """End the process at once by a signal, as long as no work has begun and after it has ended."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _frame: leave(number))
    # What was registered first is done last.
    atexit.register(_ignore_signals)


def _ignore_signals() -> None:
    """Ignore signals while Python takes itself down: without its handlers a signal would kill the process."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _handling(handlers: Mapping[int, Any]) -> Iterator[None]:
    """Handle signals, but those that whoever started the process wants to be ignored."""
    wanted = {number: take for number, take in handlers.items() if signal.getsignal(number) is not signal.SIG_IGN}
    before = {number: signal.signal(number, take) for number, take in wanted.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
