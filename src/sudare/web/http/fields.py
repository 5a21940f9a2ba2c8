"""What is wrong with the fields of a request, in the reader's language: the framework knows only English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sudare.messages import Joined, Message, has_entry, message


def wrong_place(found: Mapping[str, Any]) -> Message:
    """Return where a request is wrong and why, of an error of the framework; an unknown kind is just not valid."""
    kind = found["type"]
    known = kind if has_entry("en", f"web.field.{kind}") else "other"
    problem = message(f"web.field.{known}", **_limits(found.get("ctx", {})))
    return message("web.field.place", place=".".join(map(str, found["loc"])), problem=problem)


def _limits(context: Mapping[str, Any]) -> dict[str, object]:
    """Return what a value should have been; the framework names choices in one English text."""
    choices = re.findall("'([^']+)'", str(context.get("expected", "")))
    length = context.get("min_length", context.get("max_length"))
    return {**context, "expected": Joined(choices, "or"), "count": length}
