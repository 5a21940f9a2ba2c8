"""How long-running work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

from sudare.messages import Message

# Called with what is being done, how much of the whole is done, and the whole. What is being done is a message, to be
# said in the language of who reads it; its `str` is English.
Progress = Callable[[Message, int, int], None]


def silent(step: Message, done: int, total: int) -> None:
    """Report nothing."""
