"""Arrays that grow."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.kernels.entry import inner


@inner
def room_for(array: Any, needed: Any) -> Any:
    """Return an array with at least the needed room, and what it holds."""
    if len(array) >= needed:
        return array
    more = np.empty(max(needed, 2 * len(array)), array.dtype)
    more[: len(array)] = array
    return more
