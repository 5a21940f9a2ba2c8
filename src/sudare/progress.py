"""How long work tells its caller how far it is."""

from __future__ import annotations

from collections.abc import Callable

# Called with the name of the step, how much of the whole is done, and the whole.
Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Tell nobody."""
