"""Families of bit masks: attribute sets known to be safe, or unsafe."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudare.kernels.common.arrays import Ints, Words
from sudare.kernels.entry import entry, inner


class Masks(NamedTuple):
    """A family of masks of bits: the first `number` lines."""

    lines: Words
    number: int


@inner
def _inside_any(family: Masks, mask: Words) -> bool:
    """Say whether one of the masks of a family contains a mask."""
    lines, count = family
    for f in range(count):
        outside = np.uint64(0)
        for word in range(len(mask)):
            outside |= mask[word] & ~lines[f, word]
        if outside == 0:
            return True
    return False


@inner
def _around_any(family: Masks, mask: Words) -> bool:
    """Say whether one of the masks of a family is contained in a mask."""
    lines, count = family
    for f in range(count):
        outside = np.uint64(0)
        for word in range(len(mask)):
            outside |= lines[f, word] & ~mask[word]
        if outside == 0:
            return True
    return False


@entry
def sort_candidates(base: Words, candidates: Ints, safe: Masks, unsafe: Masks, verdicts: Ints) -> None:
    """Judge a base mask with one more bit for each candidate: 1 if inside a safe mask, -1 if around an unsafe one.

    The verdict 0 is that neither is known.
    """
    mask = base.copy()
    for c in range(len(candidates)):
        word = candidates[c] // 64
        mask[word] |= np.uint64(1) << np.uint64(candidates[c] % 64)
        if _inside_any(safe, mask):
            verdicts[c] = 1
        elif _around_any(unsafe, mask):
            verdicts[c] = -1
        else:
            verdicts[c] = 0
        mask[word] = base[word]


@entry
def adds_nothing(safe: Masks, chosen: Words, scope: Words, more: Words) -> bool:
    """Say whether each safe mask around `chosen`, cut down to `scope`, lies in a safe mask with the bit `more` too."""
    lines, count = safe
    mask = np.empty_like(chosen)
    for f in range(count):
        outside = np.uint64(0)
        lacking = np.uint64(0)
        for word in range(len(chosen)):
            outside |= chosen[word] & ~lines[f, word]
            lacking |= more[word] & ~lines[f, word]
            mask[word] = (lines[f, word] & scope[word]) | more[word]
        if outside == 0 and lacking != 0 and not _inside_any(safe, mask):
            return False
    return True


@entry
def inside_any(family: Masks, mask: Words) -> bool:
    """Say whether one of the masks of a family contains a mask."""
    return _inside_any(family, mask)


@entry
def around_any(family: Masks, mask: Words) -> bool:
    """Say whether one of the masks of a family is contained in a mask."""
    return _around_any(family, mask)
