"""Arrays that grow."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.kernels.entry import inner

Element = TypeVar("Element", bound=np.generic)


@inner
def room_for(array: NDArray[Element], needed: int) -> NDArray[Element]:
    """Return an array with at least the needed room, and what it holds."""
    if len(array) >= needed:
        return array
    more = np.empty(max(needed, 2 * len(array)), array.dtype)
    more[: len(array)] = array
    return more
