"""Records of items and their sensitive items, in the form that kernels take."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sudare.baskets.model import Baskets, SensitiveItems
from sudare.kernels.baskets.records import Lists, Records, Rule


def records_of(baskets: Baskets, kept: NDArray[np.bool_]) -> Records:
    """Return the records, and where each item occurs; `kept` says which occurrences are published."""
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    # Numbers of 16 bits are sorted by their digits, several times as fast.
    narrow = np.uint16 if len(baskets.names) <= 1 << 16 else np.int32
    places = np.argsort(baskets.items.astype(narrow), kind="stable")
    begins = np.append(0, np.cumsum(baskets.supports()))
    return Records(baskets.starts, baskets.items, kept, owner, begins, places, owner[places])


def lists_of(sensitive: SensitiveItems) -> Lists:
    """Return what is sensitive to each user."""
    return Lists(sensitive.words, sensitive.rows)


def rule_of(rho: Fraction) -> Rule:
    """Return the highest confidence that is safe."""
    return Rule(rho.numerator, rho.denominator)
