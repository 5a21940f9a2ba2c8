"""The kinds of cells, as numbers that kernels and Python share."""

from __future__ import annotations

from enum import IntEnum

EXACT, RANGE, SET, DELETED = range(4)


class Kind(IntEnum):
    """What a cell says about the value it stands for."""

    EXACT = EXACT
    RANGE = RANGE
    SET = SET
    DELETED = DELETED
