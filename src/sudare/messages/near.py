"""Known names similar to an unknown one: what the reader may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from sudare.messages import Joined, Message, message


def did_you_mean(name: str, known: Sequence[str]) -> Message | str:
    """Return the question whether one of the known names was meant, after a space; an empty text if none is near."""
    near = difflib.get_close_matches(name, known, n=3)
    return message("list.did_you_mean", near=Joined(near, "or")) if near else ""


def near_names(name: str, known: Sequence[str]) -> Joined:
    """Return the known names that are near, or all of them if none is."""
    return Joined(difflib.get_close_matches(name, known, n=3) or list(known), "or")
